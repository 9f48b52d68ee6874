"""Joining shards into a single run, after checking that they fit together.

Checked first: the shards are of one run, none is missing, no instance belongs to two of them, every instance was
played. The joined run is what one process would have written, but for times: events and scores follow the order of
the instance set.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from ircore.core.errors import InputError
from ircore.core.files import new_folder, sync_folder, write_bytes
from ircore.core.journal import JournalWriter
from ircore.core.score_records import JudgeIdentity
from ircore.runs.costs.prices import RUN_PRICES
from ircore.runs.events import Call, episode_id_of, event_line
from ircore.runs.folder import JOURNAL, RUN_FILE, AnyRunFolder, GameRunFolder, create_run, open_any_run
from ircore.runs.judge_questions import JUDGEMENTS, question_lines, read_judgements
from ircore.runs.provenance import Provenance, write_provenance
from ircore.runs.rendering_facts import add_facts, read_facts
from ircore.runs.shards import Part, read_part
from ircore.runs.writer import RunWriter

NAMED = 5
"""Missing instances that an error names."""


class _OfAnEpisode(Protocol):
    """A record that belongs to an episode."""

    @property
    def episode_id(self) -> str: ...


RecordT = TypeVar("RecordT", bound=_OfAnEpisode)


@dataclass(frozen=True)
class Merged:
    """The joined run, with counts.

    >>> with_run = merge([Path("run")], Path("joined"))
    >>> with_run.episodes, with_run.missing
    (2, ())

    Attributes:
        missing: Instances that should be there and are not.
    """

    folder: AnyRunFolder
    episodes: int
    missing: tuple[str, ...]


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
        planned = _planned(shards, partial)
        owners = _owners((shard, map(episode_id_of, shard.events())) for shard in shards)
        # A technical failure has an end in the journal, and is played again: it does not count as finished.
        finished = {name for shard in shards for name in RunWriter.finished_episodes(shard)}
        missing = tuple(name for name in planned if name not in finished)
        if missing and not partial:
            raise _gap(missing, "played to its end in no shard")
        with new_folder(out) as temporary:
            _write(shards, owners, judges, temporary)
            if provenance is not None:
                write_provenance(temporary, provenance)
    return Merged(open_any_run(out), len(finished), missing)


def _check_identity(shards: Sequence[AnyRunFolder]) -> None:
    first = shards[0].run.model_dump(exclude={"started"})
    for shard in shards[1:]:
        # Field by field, so that the message can say what differs.
        for field, value in shard.run.model_dump(exclude={"started"}).items():
            if value != first.get(field):
                raise InputError(
                    f"{shard.path / RUN_FILE}: {field}: another run than {shards[0].path / RUN_FILE}",
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


def _planned(shards: Sequence[AnyRunFolder], partial: bool) -> list[str]:
    """Return the instances that the shards were to play, in the order of the set; an undivided run plays all."""
    names = list(shards[0].any_instances.instances.ids)
    parts = [(shard, part) for shard in shards if (part := read_part(shard)) is not None]
    if len(parts) < len(shards):
        return names
    _check_parts(parts, partial)
    owners = _owners((shard, part.instances) for shard, part in parts)
    return [name for name in names if name in owners]


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
    missing = [index for index in range(1, count + 1) if index not in known]
    if missing and not partial:
        raise _gap([f"{index}/{count}" for index in missing], "not given", "shard")


def _owners(names_of_shards: Iterable[tuple[AnyRunFolder, Iterable[str]]]) -> dict[str, AnyRunFolder]:
    """Return the only shard that names each instance."""
    owners: dict[str, AnyRunFolder] = {}
    for shard, names in names_of_shards:
        for name in names:
            if (first := owners.setdefault(name, shard)) is not shard:
                raise InputError(f"{name}: in {first.path} and in {shard.path}", "Merge shards that share no instance.")
    return owners


def _write(
    shards: Sequence[AnyRunFolder], owners: dict[str, AnyRunFolder], judges: Sequence[JudgeIdentity], out: Path
) -> None:
    """Fill an empty folder with the run, holding a single shard's journal in memory at a time."""
    first = shards[0]
    # The shards began at different times, which no identity covers; the joined run began with the earliest.
    run = first.run.model_copy(update={"started": min(shard.run.started for shard in shards)})
    folder = create_run(out, run, first.any_instances, first.any_instances.instances[:0])
    for shard in shards:
        names = {name for name, owner in owners.items() if owner is shard}
        shard.any_instances.hold(out / "instances", shard.any_instances.instances.named(names))
    lines: dict[str, list[bytes]] = {}
    for shard in shards:
        for event in shard.events():
            lines.setdefault(episode_id_of(event), []).append(event_line(event))
            if isinstance(event, Call) and event.rendering is not None:
                copied = folder.rendering_path(event.rendering.sha256)
                # Several turns, and several shards, may have drawn the same picture.
                if not copied.exists():
                    write_bytes(copied, shard.rendering(event.rendering).data, durable=True)
    order = list(first.any_instances.instances.ids)
    _write_lines(folder.path / JOURNAL, (line for name in order for line in lines.get(name, ())))
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
    # The names of all files are on the disk itself before the folder takes its final name.
    sync_folder(out)


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
