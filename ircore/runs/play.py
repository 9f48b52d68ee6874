"""The runner: many episodes at once, every answer recorded before anything else happens.

Episodes are started in the order of the instance set and finished as far as possible before new ones are begun, so a
run stopped half-way has about half of its episodes complete. After a crash the same rules are played again from turn 1
with the recorded answers standing in for the players, up to the point where the record ends.

A run may be played in shards, on machines that know nothing of each other. Shard i of n plays every n-th of the
selected instances, from the i-th on, so that all categories are spread evenly. A shard is a run folder like any other,
of the same identity, with the file ``shard.json`` that says what is its part.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from ircore import __version__
from ircore.core.episode_records import GIVEN_UP, Episode, repeat_id
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.journal import Recorder
from ircore.core.plugins import find_package_version
from ircore.core.records import LONGEST_NAME, GameRules, Instance, Name, Record, Sha256
from ircore.core.submission_records import MOST_REPEATS, Run
from ircore.core.terminal import show_progress
from ircore.core.tokens import load_tokenizer
from ircore.core.validation import convert_validation_errors
from ircore.games.base import Game, GamePrompts
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission
from ircore.players.traits import list_reference_players, select_deciding_settings
from ircore.runs.answers import Cache
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import load_run_prices
from ircore.runs.engine import Engine
from ircore.runs.episode import build_episode
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RUN_FILE, RunFolder, RunWriter, create_run
from ircore.runs.session import Players, PlayPlan, Session

SHARD_FILE = "shard.json"
MOST_SHARDS = 10_000


class Shard(Record):
    """The number of a part of a run, and the number of parts.

    >>> ("a", "b", "c", "d", "e")[parse_shard("2/3").places]
    ('b', 'e')
    """

    index: int = Field(ge=1, description="1-based.")
    count: int = Field(ge=1, le=MOST_SHARDS)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def places(self) -> slice:
        """This shard's places among the instances that all shards are to play."""
        return slice(self.index - 1, None, self.count)


class ShardPart(Record):
    """The instances that a shard is to play, and those that all shards together are to play. File ``shard.json``.

    >>> part = ShardPart.of(parse_shard("1/2"), ["geometry-easy-01", "geometry-easy-02", "geometry-hard-01"])
    >>> part.instances, part.selected
    (('geometry-easy-01', 'geometry-hard-01'), 3)
    """

    shard: Shard
    instances: tuple[Name, ...]
    selected: int = Field(ge=0, description="Instances that all shards together are to play.")
    selection: Sha256 = Field(description="Of their ids in their order, one a line.")

    @classmethod
    def of(cls, shard: Shard, selected: Sequence[str]) -> "ShardPart":
        """Return a shard's part of the selected instances, given by their ids."""
        ids = "".join(f"{name}\n" for name in selected)
        return cls(
            shard=shard,
            instances=tuple(selected[shard.places]),
            selected=len(selected),
            selection=sha256(ids.encode()).hexdigest(),
        )


def parse_shard(text: str) -> Shard:
    """Read ``i/n``.

    Raises:
        InputError: It is something else.
    """
    # ASCII digits alone: int() would also take underscores and the digits of other scripts.
    parts = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    index, count = (int(parts[1]), int(parts[2])) if parts else (0, 0)
    if not 1 <= index <= count <= MOST_SHARDS:
        raise InputError(f"--shard {text}: not a shard", "Give it as i/n with 1 ≤ i ≤ n, such as 1/4.")
    return Shard(index=index, count=count)


def check_part(folder: RunFolder, part: ShardPart | None) -> None:
    """Check that a run folder is for a part of a run; None for a run in one piece.

    Raises:
        InputError: Another part is played there.
    """
    known = read_part(folder)
    if (known and known.shard) != (part and part.shard):
        played = f"shard {known.shard}" if known else "a run in one piece"
        again = f"Give --shard {known.shard}" if known else "Leave --shard out"
        raise InputError(f"{folder.path}: {played} is played here", f"{again}, or choose another --out.")


def write_part(path: Path, part: ShardPart) -> None:
    """Write down which part of a run is played in a folder, in place of what stood there.

    The same shard is written anew where --limit or the chosen conditions have changed what all shards are to play.
    """
    write_text(path / SHARD_FILE, part.model_dump_json(indent=2) + "\n", durable=True)


def read_part(folder: RunFolder) -> ShardPart | None:
    """Return the part of a run that a folder holds; None for an undivided run.

    Raises:
        InputError: The file is damaged.
    """
    path: Path = folder.path / SHARD_FILE
    if not path.is_file():
        return None
    with convert_validation_errors(path, "Play this shard again."):
        return ShardPart.model_validate_json(path.read_bytes())


def make_run(
    loaded: LoadedSubmission,
    instances: InstanceSet,
    rules: GameRules,
    prompts: GamePrompts,
    seed: int,
    repeats: int = 1,
) -> Run:
    """Return the identity of a run; its id depends on every field but the time, and on all that decides an answer.

    Args:
        loaded: The submission.
        instances: The set.
        rules: Rules of the run.
        prompts: The game master's words.
        seed: Seed of the first episode of each instance; that of each further one is greater by 1.
        repeats: Episodes of each instance, 1 to ``MOST_REPEATS``.

    Raises:
        InputError: Ids of the set leave no room for those of repeats.
    """
    if repeats > 1:
        _check_ids(instances)
    draft = Run(
        run_id=loaded.slug,
        game=loaded.submission.game,
        slug=loaded.slug,
        submission=loaded.submission,
        instance_set=instances.identity,
        rules=rules.model_dump(mode="json"),
        prompts=prompts.version,
        seed=seed,
        more_seeds=tuple(range(seed + 1, seed + repeats)),
        version=__version__,
        packages=_list_packages(loaded),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        reference=bool(list_reference_players(loaded.submission.players)),
    )
    return add_run_id(draft)


def _check_ids(instances: InstanceSet) -> None:
    """Refuse a set in which an instance has the id of another one's repeat, or an id too long for repeats to have one.

    Raises:
        InputError: Naming the instance.
    """
    names = set(instances.instances.ids)
    for name in names:
        head, mark, number = name.rpartition(".r")
        longest = len(repeat_id(name, MOST_REPEATS)) > LONGEST_NAME
        if longest or (mark and number.isdecimal() and head in names):
            raise InputError(
                f"{instances.folder}: {name}: repeats of the set's instances could not be told apart by their ids",
                "Give the instance another id, or leave --repeats out.",
            )


def _list_packages(loaded: LoadedSubmission) -> dict[str, str]:
    """Return the versions of the packages, besides this one, that add the game or its players."""
    players = (find_package_version("players", spec.player) for spec in loaded.submission.players.values())
    packages = (find_package_version("games", loaded.submission.game), *players)
    return dict(sorted({package for package in packages if package is not None}))


def add_run_id(run: Run) -> Run:
    """Return a run with the id that follows from every field but the time, and from what decides an answer alone."""
    digest = sha256(strip_undecisive(run).model_dump_json(exclude={"started", "run_id"}).encode()).hexdigest()[:8]
    return run.model_copy(update={"run_id": f"{run.slug}-{digest}"})


def strip_undecisive(run: Run) -> Run:
    """Return the identity of a run without what changes no answer: with players as ``select_deciding_settings``."""
    players = {seat: select_deciding_settings(spec) for seat, spec in run.submission.players.items()}
    return run.model_copy(update={"submission": run.submission.with_players(players)})


def open_run(path: Path, run: Run, instances: InstanceSet, selected: Instances | None = None) -> RunFolder:
    """Return the run folder: created if missing, else resumed.

    Args:
        path: The run folder.
        run: Identity of the run.
        instances: The set.
        selected: The instances that are to be played, whose pictures the folder then holds; None for all of a new run,
            and for those that are there of a run that was begun.

    Raises:
        InputError: There is another run; the message names what differs.
    """
    if not (path / RUN_FILE).is_file():
        return create_run(path, run, instances, selected)
    folder = RunFolder(path)
    # The id is a hash of the other fields: compared field by field, the message can say what differs.
    ours, recorded = (strip_undecisive(each).model_dump(exclude={"started", "run_id"}) for each in (run, folder.run))
    for field, value, other in _list_differences(ours, recorded):
        raise InputError(
            f"{path / RUN_FILE}: {field}: this run was played with {_shorten_value(other)}, not "
            f"{_shorten_value(value)}",
            "Choose another --out, or give the options that the run was begun with.",
        )
    if selected is not None:
        with folder.lock():
            instances.hold(path / "instances", selected)
    return folder


def _list_differences(
    ours: dict[str, Any], recorded: dict[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the dotted name and both values of each field that differs."""
    for field in ours | recorded:
        own, other = ours.get(field), recorded.get(field)
        if isinstance(own, dict) and isinstance(other, dict):
            yield from _list_differences(own, other, f"{prefix}{field}.")
        elif own != other:
            yield prefix + field, own, other


class Pool(Protocol):
    """Plays the unfinished episodes of a plan in its own way, such as in several processes.

    >>> from ircore.runs.processes import ProcessPool
    >>> pool: Pool = ProcessPool(loaded=None, cache=None, number=2)
    """

    async def run(self, plan: PlayPlan, writer: RunWriter, engine: Engine[EventEntry]) -> None:
        """Play; raises as ``Engine.run``."""
        ...


def play(
    plan: PlayPlan,
    folder: RunFolder,
    game: Game[Any],
    players: Players,
    cost_limit: CostLimit | None = None,
    cache: Cache | None = None,
    pool: Pool | None = None,
) -> list[Episode]:
    """Play the episodes of a plan that have no result yet.

    Args:
        plan: Run, instances and limits of this session.
        folder: The run folder.
        game: The rules.
        players: By their seats.
        cost_limit: Counts along, and may limit the cost.
        cache: Answers of other runs.
        pool: Plays the episodes elsewhere; None for this process.

    Returns:
        The episodes selected by the plan, finished ones included; how they ended, not their turns, for which see
        ``RunFolder.episodes``.

    Raises:
        WorkError: The run folder cannot be written, or the deadline is over.
        NoMoreError: The run has cost as much as it may, or a signal stopped it; every answer that was under way is
            recorded.
        InputError: Another process works on the run.
    """
    cost_limit = cost_limit or CostLimit(load_run_prices(folder))
    with folder.lock(), RunWriter(folder) as writer:
        names, unfinished = plan.episode_ids, plan.due(writer.finished)
        cost_limit.begin(folder.questions(), len(names), [name for name in names if name in writer.finished])
        with show_progress(f"play {folder.run.slug}", len(unfinished)) as shown:
            # Before the first answer, so that no episode has to wait for the vocabulary while others are asked.
            load_tokenizer()
            engine = Engine(Recorder(writer), cost_limit, shown)
            if pool is not None:
                asyncio.run(pool.run(plan, writer, engine))
            else:
                asyncio.run(Session(plan, game, players, writer, engine, cache).run(unfinished))
        # The workers return quietly at the limit of cost, so that answers under way are recorded first.
        if any(name not in writer.finished for name in names):
            raise cost_limit.build_stop_error()
        return [writer.finished[name] for name in names]


def _shorten_value(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def declare_final(folder: RunFolder, selected: Instances) -> int:
    """Give up every episode without a result: it counts as not played, and will not be played again.

    Each such episode gets an end of its own in the journal, with the reason ``given_up`` and the steps that a
    technical failure left of it.

    Args:
        folder: The run.
        selected: Some of its instances.

    Returns:
        The number of episodes that were given up.

    Raises:
        InputError: Another process works on the run, or it is a shard and some of the instances are of other shards.
        WorkError: It cannot be recorded.
    """
    # Under the lock: an episode that another process is playing must not be given up.
    with folder.lock(), RunWriter(folder) as writer:
        part = read_part(folder)
        foreign = set() if part is None else set(selected.ids) - set(part.instances)
        if part is not None and foreign:
            raise InputError(
                f"{folder.path}: shard {part.shard} is played here, and {len(foreign)} of these instances are of other "
                "shards",
                f"Give --shard {part.shard} too.",
            )
        failed = folder.read_endings()
        given_up = [
            _record_given_up(instance, repeat, failed.get(name))
            for instance in selected
            for repeat, name in enumerate(folder.run.episode_ids([instance.instance_id]), start=1)
            if name not in writer.finished
        ]
        writer.record([EventEntry(End(episode=episode)) for episode in given_up])
    return len(given_up)


def _record_given_up(instance: Instance, repeat: int, failed: Episode | None) -> Episode:
    """Return the final record of an episode; ``failed`` is its technical failure, None if it never ended."""
    was = "never played to an end" if failed is None else f"{failed.abort_reason}: {failed.detail or ''}"
    steps = () if failed is None else failed.steps
    return build_episode(instance, "aborted", steps, GIVEN_UP, f"declared final; {was}", repeat)
