"""Joining shards into a single run, after checking that they fit together.

Checked first: the shards are of one run and of one selection of instances, none is missing, no instance belongs to two
of them, every instance was played. The joined run is what one process would have written, but for times: events and
scores follow the order of the instance set. Journals are gone through, never held in memory.

Runs that differ in nothing but their seeds are joined as well: each becomes a repeat of the joined run, which is the
one that ``--repeats`` would have played where the seeds follow each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ircore.core.episode_records import Rendering, repeat_id
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder
from ircore.core.journal import JournalWriter
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.runs.costs.prices import RUN_PRICES
from ircore.runs.events import EVENTS, Call, End, format_event, get_episode_id, replace_episode_id
from ircore.runs.folder import (
    JOURNAL,
    RUN_FILE,
    RunFolder,
    add_facts,
    add_small_pictures,
    create_run,
    read_facts,
    read_small_pictures,
)
from ircore.runs.judge_questions import JUDGEMENTS, JudgeQuestion, format_questions, read_judgements
from ircore.runs.play import ShardPart, add_run_id, read_part, strip_undecisive
from ircore.runs.provenance import Provenance, write_provenance

NAMED = 5
"""Missing instances that an error names."""


RecordT = TypeVar("RecordT", Score, JudgeQuestion, RenderingFacts, Score)


@dataclass(frozen=True)
class Merged:
    """The joined run, with counts of its episodes.

    >>> with_run = merge([Path("run")], Path("joined"))
    >>> with_run.episodes, with_run.missing
    (2, ())

    Attributes:
        missing: Ids of episodes of the shards that should be there and are not.
        lacking: Number of all episodes that should be there and are not, those of shards that were not given included.
    """

    folder: RunFolder
    episodes: int
    missing: tuple[str, ...]
    lacking: int


@dataclass
class _Contents:
    """What a shard's journal holds, and where.

    Attributes:
        names: Ids of the episodes in the joined run by their ids in the shard.
        lines: Place and length in bytes of each line, with its newline, by the id of its episode in the joined run.
        finished: Ids in the joined run of the episodes that have a result.
        renderings: By their hash.
    """

    names: Mapping[str, str]
    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)
    renderings: dict[str, Rendering] = field(default_factory=dict)

    @classmethod
    def of(cls, shard: RunFolder, names: Mapping[str, str]) -> "_Contents":
        contents, place = cls(names), 0
        for _, line, event in shard.numbered_events():
            length = len(line) + 1
            name = names.get(get_episode_id(event))
            place += length
            # Of no instance of the set.
            if name is None:
                continue
            contents.lines.setdefault(name, []).append((place - length, length))
            if isinstance(event, End):
                # A technical failure has an end in the journal, and is played again: it does not count as finished.
                kept = contents.finished.add if event.episode.finished else contents.finished.discard
                kept(name)
            elif isinstance(event, Call) and event.rendering is not None:
                contents.renderings[event.rendering.sha256] = event.rendering
        return contents


def merge(paths: Sequence[Path], out: Path, partial: bool = False) -> Merged:
    """Join shards of a run of any game.

    Args:
        paths: Run folders, made with or without ``--shard``, or under several seeds.
        out: The run folder to make.
        partial: Whether shards and episodes may be missing; playing the joined run goes on with them.

    Raises:
        InputError: They do not fit, something is missing, a file is damaged, or ``out`` holds something.
        WorkError: The run cannot be written; no part of it is left then.
    """
    # Resolved, since a folder that is named twice, once through a link, would otherwise overlap with itself.
    shards = [RunFolder(path) for path in dict.fromkeys(path.resolve() for path in paths)]
    with ExitStack() as locks:
        for shard in shards:
            locks.enter_context(shard.lock())
        run = join_identities(shards)
        judges = _merge_judges(shards)
        provenance = _merge_provenance(shards)
        names = [_map_episode_ids(shard, run) for shard in shards]
        planned, selected = _list_planned(shards, names, partial)
        contents = [_Contents.of(shard, own) for shard, own in zip(shards, names, strict=True)]
        owners = _find_owners((shard, held.lines) for shard, held in zip(shards, contents, strict=True))
        finished = {name for held in contents for name in held.finished}
        missing = tuple(name for name in planned if name not in finished)
        if missing and not partial:
            raise _build_gap_error(missing, "played to its end in no shard")
        with write_new_folder(out, durable=True) as temporary:
            _write(run, shards, contents, owners, judges, temporary)
            if provenance is not None:
                write_provenance(temporary, provenance)
    lacking = len(missing) + selected - len(planned)
    return Merged(RunFolder(out), len(finished), missing, lacking)


def join_identities(shards: Sequence[RunFolder]) -> Run:
    """Return the identity of the run that shards, or runs under several seeds, are joined into.

    Raises:
        InputError: They differ in more than their seeds, one seed is in two runs, or shards are of different seeds.
    """
    first = shards[0]
    seeds: dict[int, RunFolder] = {}
    for shard in shards:
        _check_identity(shard, first, with_seeds=False)
        for seed in shard.run.seeds:
            owner = seeds.setdefault(seed, shard)
            # Shards have all seeds in common, and runs under several seeds none.
            if owner.run.seeds != shard.run.seeds:
                raise InputError(
                    f"{owner.path} and {shard.path}: both were played under the seed {seed}", "Name one of the two."
                )
    if first.run.seeds == tuple(seeds):
        for shard in shards:
            _check_identity(shard, first, with_seeds=True)
        return first.run
    for shard in shards:
        if read_part(shard) is not None:
            other = next(other for other in shards if other.run.seeds != shard.run.seeds)
            raise InputError(
                f"{other.path / RUN_FILE}: seed: another run than {shard.path / RUN_FILE}, which is a shard",
                "Merge the shards of each run first, then the runs.",
            )
    ordered = tuple(sorted(seeds))
    return add_run_id(first.run.model_copy(update={"seed": ordered[0], "more_seeds": ordered[1:]}))


def _check_identity(shard: RunFolder, first: RunFolder, with_seeds: bool) -> None:
    left_out = {"started"} if with_seeds else {"started", "run_id", "seed", "more_seeds"}
    others = strip_undecisive(first.run).model_dump(exclude=left_out)
    # Field by field, so that the message can say what differs.
    for name, value in strip_undecisive(shard.run).model_dump(exclude=left_out).items():
        if value != others.get(name):
            raise InputError(
                f"{shard.path / RUN_FILE}: {name}: another run than {first.path / RUN_FILE}",
                "Merge only shards that were played by the same command, or runs that differ in their seeds alone.",
            )


def _map_episode_ids(shard: RunFolder, run: Run) -> dict[str, str]:
    """Return the ids that a shard's episodes have in the joined run, by their ids in the shard, in their order."""
    repeats = [run.seeds.index(seed) + 1 for seed in shard.run.seeds]
    return {
        own: repeat_id(name, repeat)
        for name in shard.instances.instances.ids
        for own, repeat in zip(shard.run.episode_ids([name]), repeats, strict=True)
    }


def _merge_judges(shards: Sequence[RunFolder]) -> list[JudgeIdentity]:
    """Return the judges that scored the shards; judges of the same name must be identical."""
    known: dict[str, tuple[JudgeIdentity, RunFolder]] = {}
    for shard in shards:
        for name, judge in shard.judges().items():
            first, where = known.setdefault(name, (judge, shard))
            if first != judge:
                raise InputError(
                    f"{shard.path}: the judge {name} is another one than in {where.path}",
                    "Score the shards anew with one judge of that name.",
                )
    return [judge for judge, _ in known.values()]


def _merge_provenance(shards: Sequence[RunFolder]) -> Provenance | None:
    """Return who vouches for the shards, which must be the same for all of them."""
    stated = [shard.provenance() for shard in shards]
    for shard, provenance in zip(shards, stated, strict=True):
        if _clear_time(provenance) != _clear_time(stated[0]):
            raise InputError(
                f"{shard.path}: comes from somebody else than {shards[0].path}",
                "Merge shards that were played by the same command.",
            )
    return stated[0]


def _clear_time(provenance: Provenance | None) -> Provenance | None:
    return provenance and provenance.model_copy(update={"when": ""})


def _list_planned(
    shards: Sequence[RunFolder], names: Sequence[Mapping[str, str]], partial: bool
) -> tuple[list[str], int]:
    """Return the ids of the episodes that the shards were to play, and how many all shards are to play."""
    run = shards[0].run
    if any(shard.run.seeds != run.seeds for shard in shards):
        whole = [name for own in names for name in own.values()]
        return whole, len(whole)
    instances, selected = _list_planned_instances(shards, partial)
    return run.episode_ids(instances), selected * run.repeats


def _list_planned_instances(shards: Sequence[RunFolder], partial: bool) -> tuple[list[str], int]:
    """Return the instances that the shards of one run were to play, and how many all of its shards are to play."""
    names = list(shards[0].instances.instances.ids)
    parts = [(shard, part) for shard in shards if (part := read_part(shard)) is not None]
    if len(parts) < len(shards):
        return names, len(names)
    _check_parts(parts, partial)
    owners = _find_owners((shard, part.instances) for shard, part in parts)
    return [name for name in names if name in owners], parts[0][1].selected


def _check_parts(parts: Sequence[tuple[RunFolder, ShardPart]], partial: bool) -> None:
    """Check that all shards are there, each once."""
    count = parts[0][1].shard.count
    known: dict[int, RunFolder] = {}
    for folder, part in parts:
        if part.shard.count != count:
            raise InputError(
                f"{folder.path}: shard {part.shard}, but {parts[0][0].path} is shard {parts[0][1].shard}",
                "Merge the shards of one division.",
            )
        if part.shard.index in known:
            raise InputError(
                f"{folder.path} and {known[part.shard.index].path}: both are shard {part.shard}", "Name one of them."
            )
        known[part.shard.index] = folder
    _check_selection(parts)
    missing = [index for index in range(1, count + 1) if index not in known]
    if missing and not partial:
        raise _build_gap_error([f"{index}/{count}" for index in missing], "not given", "shard")


def _check_selection(parts: Sequence[tuple[RunFolder, ShardPart]]) -> None:
    """Check that all shards are parts of the same selected instances."""
    # The largest selection is taken for the right one: a shard with a --limit is the more likely mistake.
    first, whole = max(parts, key=lambda part: part[1].selected)
    for folder, part in parts:
        if part.selection == whole.selection:
            continue
        due = len(range(whole.selected)[part.shard.places])
        lacks = f": {due - len(part.instances)} of its {due} instances are missing" if due > len(part.instances) else ""
        which = (
            f"of other instances than {first.path}"
            if part.selected == whole.selected
            else f"of {part.selected} selected instances, but {first.path} is of {whole.selected}"
        )
        raise InputError(
            f"{folder.path}: shard {part.shard} {which}",
            f"Play it with the same --limit, --category and --difficulty as the other shards{lacks}.",
        )


def _find_owners(names_of_shards: Iterable[tuple[RunFolder, Iterable[str]]]) -> dict[str, RunFolder]:
    """Return the only shard that names each instance."""
    owners: dict[str, RunFolder] = {}
    for shard, names in names_of_shards:
        for name in names:
            if (first := owners.setdefault(name, shard)) is not shard:
                raise InputError(f"{name}: in {first.path} and in {shard.path}", "Merge shards that share no instance.")
    return owners


def _write(
    run: Run,
    shards: Sequence[RunFolder],
    contents: Sequence[_Contents],
    owners: dict[str, RunFolder],
    judges: Sequence[JudgeIdentity],
    out: Path,
) -> None:
    """Fill an empty folder with the run."""
    first = shards[0]
    # The shards began at different times, which no identity covers; the joined run began with the earliest.
    run = run.model_copy(update={"started": min(shard.run.started for shard in shards)})
    folder = create_run(out, run, first.instances, first.instances.instances[:0])
    for shard in shards:
        ids = shard.instances.instances.ids
        names = {name for name in ids if any(owners.get(each) is shard for each in run.episode_ids([name]))}
        shard.instances.hold(out / "instances", shard.instances.instances.select(names))
    for shard, held in zip(shards, contents, strict=True):
        for rendering in held.renderings.values():
            copied = folder.rendering_path(rendering.sha256)
            # Several shards may have drawn the same picture.
            if not copied.exists():
                write_bytes(copied, shard.rendering(rendering).data, durable=True)
    add_small_pictures(
        out, {sha256: grey for shard in shards for sha256, grey in read_small_pictures(shard.path).items()}
    )
    order = folder.episode_ids
    # As one process plays them: every instance once before any instance is repeated.
    repeats = (order[place :: run.repeats] for place in range(run.repeats))
    _join_journals(shards, contents, [name for of_repeat in repeats for name in of_repeat], folder.path / JOURNAL)
    places = list(zip(shards, (held.names for held in contents), strict=True))
    if scores := _sort_records([(*place, place[0].scores()) for place in places], owners, order):
        folder.add_scores(scores)
    if retests := _sort_records([(*place, place[0].retests()) for place in places], owners, order):
        folder.add_retests(retests)
    if facts := _sort_records([(*place, read_facts(place[0])) for place in places], owners, order):
        add_facts(folder, facts)
    if judgements := _sort_records([(*place, read_judgements(place[0])) for place in places], owners, order):
        _write_lines(folder.path / JUDGEMENTS, format_questions(judgements))
    _copy_prices(shards, out)
    for judge in judges:
        folder.keep_judge(judge)


def _join_journals(
    shards: Sequence[RunFolder], contents: Sequence[_Contents], order: Sequence[str], path: Path
) -> None:
    """Write the lines of all shards, episode by episode in the order of the joined run."""
    with ExitStack() as opened, JournalWriter(path) as journal:
        journals = [
            (opened.enter_context((shard.path / JOURNAL).open("rb")), held)
            for shard, held in zip(shards, contents, strict=True)
            if held.lines
        ]
        for name in order:
            for file, held in journals:
                for place, length in held.lines.get(name, ()):
                    file.seek(place)
                    line = file.read(length).removesuffix(b"\n")
                    journal.append([line if held.names.get(name) == name else _rename_line(line, name)])
        journal.sync()


def _rename_line(line: bytes, name: str) -> bytes:
    return format_event(replace_episode_id(EVENTS.validate_json(line), name))


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with JournalWriter(path) as journal:
        journal.append(lines, durable=True)


def _sort_records(
    parts: Iterable[tuple[RunFolder, Mapping[str, str], Iterable[RecordT]]],
    owners: dict[str, RunFolder],
    order: Sequence[str],
) -> list[RecordT]:
    """Return the records of each episode from the shard that played it, in the order of the joined run."""
    rank = {name: number for number, name in enumerate(order)}
    records = [
        record if name == record.episode_id else record.model_copy(update={"episode_id": name})
        for shard, names, several in parts
        for record in several
        if owners.get(name := names.get(record.episode_id, "")) is shard
    ]
    return sorted(records, key=lambda record: rank[record.episode_id])


def _copy_prices(shards: Sequence[RunFolder], out: Path) -> None:
    tables = {path.read_bytes() for shard in shards if (path := shard.path / RUN_PRICES).is_file()}
    if len(tables) > 1:
        raise InputError("the shards were played with different --prices", "Remove all prices.yaml but one.")
    for table in tables:
        write_bytes(out / RUN_PRICES, table)


def _build_gap_error(missing: Sequence[str], how: str, kind: str = "instance") -> InputError:
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    names = ", ".join(missing[:NAMED])
    return InputError(f"{kind} {names}{more}: {how}", "Finish the shards first, or join what there is with --partial.")
