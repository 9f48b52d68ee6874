"""Joining shards into a single run, after checking that they fit together.

Checked first: the shards are of one run and of one selection of instances, none is missing, no instance belongs to two
of them, every instance was played. The joined run is what one process would have written, but for times: events and
scores follow the order of the instance set. Journals are gone through, never held in memory.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_bytes
from ircore.core.journal import JournalWriter
from ircore.core.score_records import JudgeIdentity
from ircore.runs.costs.prices import RUN_PRICES
from ircore.runs.events import AnyEnd, Call, episode_id_of
from ircore.runs.folder import JOURNAL, RUN_FILE, AnyRunFolder, GameRunFolder, create_run, open_any_run
from ircore.runs.judge_questions import JUDGEMENTS, question_lines, read_judgements
from ircore.runs.play import as_decided
from ircore.runs.provenance import Provenance, write_provenance
from ircore.runs.rendering_facts import add_facts, read_facts
from ircore.runs.shards import Part, read_part

NAMED = 5
"""Missing instances that an error names."""


class _OfAnEpisode(Protocol):
    """A record that belongs to an episode."""

    @property
    def episode_id(self) -> str: ...


RecordT = TypeVar("RecordT", bound=_OfAnEpisode)


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

    folder: AnyRunFolder
    episodes: int
    missing: tuple[str, ...]
    lacking: int


@dataclass
class _Contents:
    """What a shard's journal holds, and where.

    Attributes:
        lines: Place and length in bytes of each line, with its newline, by the id of its episode.
        finished: Ids of the episodes that have a result.
        renderings: By their hash.
    """

    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)
    renderings: dict[str, Rendering] = field(default_factory=dict)

    @classmethod
    def of(cls, shard: AnyRunFolder) -> "_Contents":
        contents, place = cls(), 0
        for _, line, event in shard.numbered_events():
            length = len(line) + 1
            contents.lines.setdefault(episode_id_of(event), []).append((place, length))
            place += length
            if isinstance(event, AnyEnd):
                # A technical failure has an end in the journal, and is played again: it does not count as finished.
                kept = contents.finished.add if event.episode.finished else contents.finished.discard
                kept(event.episode.episode_id)
            elif isinstance(event, Call) and event.rendering is not None:
                contents.renderings[event.rendering.sha256] = event.rendering
        return contents


def merge(paths: Sequence[Path], out: Path, partial: bool = False) -> Merged:
    """Join shards of a run of any game.

    Args:
        paths: Run folders, made with or without ``--shard``.
        out: The run folder to make.
        partial: Whether shards and episodes may be missing; playing the joined run goes on with them.

    Raises:
        InputError: They do not fit, something is missing, a file is damaged, or ``out`` holds something.
        WorkError: The run cannot be written; no part of it is left then.
    """
    # Resolved, since a folder that is named twice, once through a link, would otherwise overlap with itself.
    shards = [open_any_run(path) for path in dict.fromkeys(path.resolve() for path in paths)]
    with ExitStack() as locks:
        for shard in shards:
            locks.enter_context(shard.lock())
        _check_identity(shards)
        judges = _judges(shards)
        provenance = _provenance(shards)
        planned, selected = _planned(shards, partial)
        contents = [_Contents.of(shard) for shard in shards]
        planned = shards[0].run.episode_ids(planned)
        owners = _owners((shard, held.lines) for shard, held in zip(shards, contents, strict=True))
        finished = {name for held in contents for name in held.finished}
        missing = tuple(name for name in planned if name not in finished)
        if missing and not partial:
            raise _gap(missing, "played to its end in no shard")
        with new_folder(out, durable=True) as temporary:
            _write(shards, contents, owners, judges, temporary)
            if provenance is not None:
                write_provenance(temporary, provenance)
    lacking = len(missing) + selected * shards[0].run.repeats - len(planned)
    return Merged(open_any_run(out), len(finished), missing, lacking)


def _check_identity(shards: Sequence[AnyRunFolder]) -> None:
    first = as_decided(shards[0].run).model_dump(exclude={"started"})
    for shard in shards[1:]:
        # Field by field, so that the message can say what differs.
        for name, value in as_decided(shard.run).model_dump(exclude={"started"}).items():
            if value != first.get(name):
                raise InputError(
                    f"{shard.path / RUN_FILE}: {name}: another run than {shards[0].path / RUN_FILE}",
                    "Merge only shards that were played by the same command.",
                )


def _judges(shards: Sequence[AnyRunFolder]) -> list[JudgeIdentity]:
    """Return the judges that scored the shards; judges of the same name must be identical."""
    known: dict[str, tuple[JudgeIdentity, AnyRunFolder]] = {}
    for shard in shards:
        for name, judge in shard.judges().items():
            first, where = known.setdefault(name, (judge, shard))
            if first != judge:
                raise InputError(
                    f"{shard.path}: the judge {name} is another one than in {where.path}",
                    "Score the shards anew with one judge of that name.",
                )
    return [judge for judge, _ in known.values()]


def _provenance(shards: Sequence[AnyRunFolder]) -> Provenance | None:
    """Return who vouches for the shards, which must be the same for all of them."""
    stated = [shard.provenance() for shard in shards]
    for shard, provenance in zip(shards, stated, strict=True):
        if _without_time(provenance) != _without_time(stated[0]):
            raise InputError(
                f"{shard.path}: comes from somebody else than {shards[0].path}",
                "Merge shards that were played by the same command.",
            )
    return stated[0]


def _without_time(provenance: Provenance | None) -> Provenance | None:
    return provenance and provenance.model_copy(update={"when": ""})


def _planned(shards: Sequence[AnyRunFolder], partial: bool) -> tuple[list[str], int]:
    """Return the instances that the shards were to play, in the order of the set, and how many all shards are to play.

    An undivided run plays all instances of the set.
    """
    names = list(shards[0].any_instances.instances.ids)
    parts = [(shard, part) for shard in shards if (part := read_part(shard)) is not None]
    if len(parts) < len(shards):
        return names, len(names)
    _check_parts(parts, partial)
    owners = _owners((shard, part.instances) for shard, part in parts)
    return [name for name in names if name in owners], parts[0][1].selected


def _check_parts(parts: Sequence[tuple[AnyRunFolder, Part]], partial: bool) -> None:
    """Check that all shards are there, each once."""
    count = parts[0][1].shard.count
    known: dict[int, AnyRunFolder] = {}
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
        raise _gap([f"{index}/{count}" for index in missing], "not given", "shard")


def _check_selection(parts: Sequence[tuple[AnyRunFolder, Part]]) -> None:
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


def _owners(names_of_shards: Iterable[tuple[AnyRunFolder, Iterable[str]]]) -> dict[str, AnyRunFolder]:
    """Return the only shard that names each instance."""
    owners: dict[str, AnyRunFolder] = {}
    for shard, names in names_of_shards:
        for name in names:
            if (first := owners.setdefault(name, shard)) is not shard:
                raise InputError(f"{name}: in {first.path} and in {shard.path}", "Merge shards that share no instance.")
    return owners


def _write(
    shards: Sequence[AnyRunFolder],
    contents: Sequence[_Contents],
    owners: dict[str, AnyRunFolder],
    judges: Sequence[JudgeIdentity],
    out: Path,
) -> None:
    """Fill an empty folder with the run."""
    first = shards[0]
    # The shards began at different times, which no identity covers; the joined run began with the earliest.
    run = first.run.model_copy(update={"started": min(shard.run.started for shard in shards)})
    folder = create_run(out, run, first.any_instances, first.any_instances.instances[:0])
    for shard in shards:
        ids = shard.any_instances.instances.ids
        names = {name for name in ids if any(owners.get(each) is shard for each in run.episode_ids([name]))}
        shard.any_instances.hold(out / "instances", shard.any_instances.instances.named(names))
    for shard, held in zip(shards, contents, strict=True):
        for rendering in held.renderings.values():
            copied = folder.rendering_path(rendering.sha256)
            # Several shards may have drawn the same picture.
            if not copied.exists():
                write_bytes(copied, shard.rendering(rendering).data, durable=True)
    order = first.episode_ids
    # As one process plays them: every instance once before any instance is repeated.
    repeats = (order[place :: run.repeats] for place in range(run.repeats))
    _join_journals(shards, contents, [name for of_repeat in repeats for name in of_repeat], folder.path / JOURNAL)
    if scores := _in_order([(shard, shard.scores()) for shard in shards], owners, order):
        folder.add_scores(scores)
    if facts := _in_order([(shard, read_facts(shard)) for shard in shards], owners, order):
        add_facts(folder, facts)
    games = [(shard, shard.measured()) for shard in shards if isinstance(shard, GameRunFolder)]
    if isinstance(folder, GameRunFolder) and (measured := _in_order(games, owners, order)):
        folder.keep_measured(measured)
    if judgements := _in_order([(shard, read_judgements(shard)) for shard in shards], owners, order):
        _write_lines(folder.path / JUDGEMENTS, question_lines(judgements))
    _copy_prices(shards, out)
    for judge in judges:
        folder.keep_judge(judge)


def _join_journals(
    shards: Sequence[AnyRunFolder], contents: Sequence[_Contents], order: Sequence[str], path: Path
) -> None:
    """Write the lines of all shards, episode by episode in the order of the set."""
    with ExitStack() as opened, JournalWriter(path) as journal:
        journals = [
            (opened.enter_context((shard.path / JOURNAL).open("rb")), held.lines)
            for shard, held in zip(shards, contents, strict=True)
            if held.lines
        ]
        for name in order:
            for file, lines in journals:
                for place, length in lines.get(name, ()):
                    file.seek(place)
                    journal.append([file.read(length).removesuffix(b"\n")])
        journal.sync()


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with JournalWriter(path) as journal:
        journal.append(lines, durable=True)


def _in_order(
    parts: Iterable[tuple[AnyRunFolder, Iterable[RecordT]]], owners: dict[str, AnyRunFolder], order: Sequence[str]
) -> list[RecordT]:
    """Return the records of each instance from the shard that played the instance, in the order of the set."""
    rank = {name: number for number, name in enumerate(order)}
    records = [record for shard, several in parts for record in several if owners.get(record.episode_id) is shard]
    return sorted(records, key=lambda record: rank[record.episode_id])


def _copy_prices(shards: Sequence[AnyRunFolder], out: Path) -> None:
    tables = {path.read_bytes() for shard in shards if (path := shard.path / RUN_PRICES).is_file()}
    if len(tables) > 1:
        raise InputError("the shards were played with different --prices", "Remove all prices.yaml but one.")
    for table in tables:
        write_bytes(out / RUN_PRICES, table)


def _gap(missing: Sequence[str], how: str, kind: str = "instance") -> InputError:
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    names = ", ".join(missing[:NAMED])
    return InputError(f"{kind} {names}{more}: {how}", "Finish the shards first, or join what there is with --partial.")
