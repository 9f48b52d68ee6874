"""Joining shards into the run that they are parts of; nothing is joined that is not known to fit.

Checked first: the shards are of one run, none is missing, no instance belongs to two of them, every one was played.
The joined run is what one process would have written, but for times: events and scores by instance in the order of the
set.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.files import new_folder, sync_folder, write_bytes, write_text
from ircore.core.images import read_image_bytes
from ircore.core.journal import JournalWriter
from ircore.core.score_records import JudgeIdentity, Score
from ircore.instances.store import INDEX
from ircore.runs.costs.prices import RUN_PRICES
from ircore.runs.events import Call, End, Failure, event_line
from ircore.runs.folder import JOURNAL, RUN_FILE, SCORES, RunFolder
from ircore.runs.judge_questions import JUDGEMENTS, JudgeQuestion, question_lines, read_judgements
from ircore.runs.provenance import Provenance, write_provenance
from ircore.runs.shards import Part, read_part
from ircore.runs.writer import RunWriter

NAMED = 5
"""Missing instances that an error names."""


@dataclass(frozen=True)
class Merged:
    """What joining did.

    Attributes:
        folder: The run.
        episodes: Episodes in it.
        missing: Instances that should be there and are not.
    """

    folder: RunFolder
    episodes: int
    missing: tuple[str, ...]


def merge(paths: Sequence[Path], out: Path, partial: bool = False) -> Merged:
    """Join shards.

    Args:
        paths: Run folders, made with or without ``--shard``.
        out: The run folder to make.
        partial: Whether shards and episodes may be missing; playing the joined run goes on with them.

    Raises:
        InputError: They do not fit, something is missing, a file is damaged, or ``out`` holds something.
        WorkError: The run cannot be written; no part of it is left then.
    """
    shards = [RunFolder.open(path) for path in dict.fromkeys(path.resolve() for path in paths)]
    with ExitStack() as held:
        for shard in shards:
            held.enter_context(shard.lock())
        _check_identity(shards)
        judges = _judges(shards)
        provenance = _provenance(shards)
        wanted = _wanted(shards, partial)
        owners = _owners(shards)
        finished = {name for shard in shards for name in RunWriter.finished_episodes(shard)}
        missing = tuple(name for name in wanted if name not in finished)
        if missing and not partial:
            raise _gap(missing, "played to its end in no shard")
        folder = _write(shards, owners, judges, out)
        if provenance is not None:
            write_provenance(folder.path, provenance)
    return Merged(folder, len(finished), missing)


def _check_identity(shards: Sequence[RunFolder]) -> None:
    first = shards[0].run.model_dump(exclude={"started"})
    for shard in shards[1:]:
        for field, value in shard.run.model_dump(exclude={"started"}).items():
            if value != first[field]:
                raise InputError(
                    f"{shard.path / RUN_FILE}: {field}: another run than {shards[0].path / RUN_FILE}",
                    "Merge only shards that were played by the same command.",
                )


def _judges(shards: Sequence[RunFolder]) -> list[JudgeIdentity]:
    """Return who scored the shards; one name must be one judge."""
    found: dict[str, tuple[JudgeIdentity, RunFolder]] = {}
    for shard in shards:
        for name, judge in shard.judges().items():
            known, where = found.setdefault(name, (judge, shard))
            if known != judge:
                raise InputError(
                    f"{shard.path}: the judge {name} is another one than in {where.path}",
                    "Score the shards anew with one judge of that name.",
                )
    return [judge for judge, _ in found.values()]


def _provenance(shards: Sequence[RunFolder]) -> Provenance | None:
    """Return who vouches for the shards; it must be the same for all of them."""
    found = [shard.provenance() for shard in shards]
    for shard, one in zip(shards, found, strict=True):
        if _vouched(one) != _vouched(found[0]):
            raise InputError(
                f"{shard.path}: comes from somebody else than {shards[0].path}",
                "Merge shards that were played by the same command.",
            )
    return found[0]


def _vouched(provenance: Provenance | None) -> object:
    return provenance and provenance.model_copy(update={"when": ""})


def _wanted(shards: Sequence[RunFolder], partial: bool) -> list[str]:
    """Return what the shards were to play, in the order of the set; a run in one piece was to play everything."""
    parts = [(shard, part) for shard in shards if (part := read_part(shard)) is not None]
    if len(parts) < len(shards):
        return [one.instance_id for one in shards[0].instances.instances]
    _check_parts(parts, partial)
    owned: dict[str, RunFolder] = {}
    for shard, part in parts:
        for name in part.instances:
            if name in owned:
                raise _overlap(name, owned[name], shard)
            owned[name] = shard
    return [one.instance_id for one in shards[0].instances.instances if one.instance_id in owned]


def _check_parts(parts: Sequence[tuple[RunFolder, Part]], partial: bool) -> None:
    """Check that all shards are there, each once."""
    count = parts[0][1].shard.count
    found: dict[int, RunFolder] = {}
    for folder, part in parts:
        if part.shard.count != count:
            raise InputError(
                f"{folder.path}: shard {part.shard}, but {parts[0][0].path} is shard {parts[0][1].shard}",
                "Merge the shards of one division.",
            )
        if part.shard.index in found:
            raise InputError(
                f"{folder.path} and {found[part.shard.index].path}: both are shard {part.shard}", "Name one of them."
            )
        found[part.shard.index] = folder
    lacking = [index for index in range(1, count + 1) if index not in found]
    if lacking and not partial:
        raise _gap([f"{index}/{count}" for index in lacking], "not given", "shard")


def _owners(shards: Sequence[RunFolder]) -> dict[str, RunFolder]:
    """Return which shard asked anything about an instance; it must be one."""
    owners: dict[str, RunFolder] = {}
    for shard in shards:
        for name in dict.fromkeys(_name(event) for event in shard.events()):
            if name in owners:
                raise _overlap(name, owners[name], shard)
            owners[name] = shard
    return owners


def _write(
    shards: Sequence[RunFolder], owners: dict[str, RunFolder], judges: Sequence[JudgeIdentity], out: Path
) -> RunFolder:
    """Write the run; one shard's journal at a time is in memory."""
    first = shards[0]
    run = first.run.model_copy(update={"started": min(shard.run.started for shard in shards)})
    with new_folder(out) as temporary:
        for instance in first.instances.instances:
            write_bytes(temporary / "instances" / instance.image, first.instances.picture_bytes(instance))
        write_bytes(temporary / "instances" / INDEX, (first.instances.folder / INDEX).read_bytes())
        (temporary / "renderings").mkdir()
        by_name: dict[str, list[bytes]] = {}
        for shard in shards:
            for event in shard.events():
                by_name.setdefault(_name(event), []).append(event_line(event))
                if isinstance(event, Call) and event.rendering is not None:
                    _copy(shard, event.rendering.sha256, temporary)
        order = [one.instance_id for one in first.instances.instances]
        _write_lines(temporary / JOURNAL, (line for name in order for line in by_name.get(name, ())))
        scores = _scores(shards, owners, order)
        if scores:
            _write_lines(temporary / SCORES, (one.model_dump_json().encode() for one in scores))
        judgements = _judgements(shards, owners, order)
        if judgements:
            _write_lines(temporary / JUDGEMENTS, question_lines(judgements))
        _copy_prices(shards, temporary)
        write_text(temporary / RUN_FILE, run.model_dump_json(indent=2, by_alias=True) + "\n", durable=True)
        for judge in judges:
            RunFolder.open(temporary).keep_judge(judge)
        sync_folder(temporary)
    return RunFolder.open(out)


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with JournalWriter(path) as journal:
        journal.append(lines, durable=True)


def _scores(shards: Sequence[RunFolder], owners: dict[str, RunFolder], order: Sequence[str]) -> list[Score]:
    """Return the scores of each instance from the shard that played it, in the order of the set."""
    rank = {name: number for number, name in enumerate(order)}
    found = [one for shard in shards for one in shard.scores() if owners.get(one.episode_id) is shard]
    return sorted(found, key=lambda one: rank[one.episode_id])


def _judgements(shards: Sequence[RunFolder], owners: dict[str, RunFolder], order: Sequence[str]) -> list[JudgeQuestion]:
    """The same for questions to judges."""
    rank = {name: number for number, name in enumerate(order)}
    found = [one for shard in shards for one in read_judgements(shard) if owners.get(one.episode_id) is shard]
    return sorted(found, key=lambda one: rank[one.episode_id])


def _copy(shard: RunFolder, sha256: str, out: Path) -> None:
    from hashlib import sha256 as hashed

    source = shard.rendering_path(sha256)
    target = out / "renderings" / source.name
    if target.exists():
        return
    data = read_image_bytes(source)
    if hashed(data).hexdigest() != sha256:
        raise InputError(f"{source}: damaged, its content does not match its name", "Restore it from a copy.")
    write_bytes(target, data, durable=True)


def _copy_prices(shards: Sequence[RunFolder], out: Path) -> None:
    tables = {path.read_bytes() for shard in shards if (path := shard.path / RUN_PRICES).is_file()}
    if len(tables) > 1:
        raise InputError("the shards were played with different --prices", "Remove all prices.yaml but one.")
    for table in tables:
        write_bytes(out / RUN_PRICES, table)


def _name(event: Call | Failure | End) -> str:
    return event.episode.episode_id if isinstance(event, End) else event.episode_id


def _gap(missing: Sequence[str], how: str, what: str = "instance") -> InputError:
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    names = ", ".join(missing[:NAMED])
    return InputError(f"{what} {names}{more}: {how}", "Finish the shards first, or join what there is with --partial.")


def _overlap(name: str, one: RunFolder, other: RunFolder) -> InputError:
    return InputError(f"{name}: in {one.path} and in {other.path}", "Merge shards that share no instance.")
