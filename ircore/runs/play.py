"""The runner: many episodes at once, every answer recorded before anything else happens.

Episodes are started in the order of the instance set and finished as far as possible before new ones are begun, so a
run stopped half-way has about half of its episodes complete. After a crash the same rules are played again from turn 1
with the recorded answers standing in for the players, up to the point where the record ends.
"""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from ircore import __version__
from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.game_records import AnyEnded, GameRun
from ircore.core.progress import progress
from ircore.core.recorder import Recorder
from ircore.core.records import RECONSTRUCTION, AnyInstance, GameRules, Run
from ircore.core.tokens import load_tokenizer
from ircore.games.base import EpisodeSetup, Game, GamePrompts, Seat
from ircore.instances.records import Instances
from ircore.instances.store import AnyInstanceSet
from ircore.players.base import Answer, Asked
from ircore.players.calls import ProviderStopError
from ircore.players.recorded import RecordedSeat
from ircore.players.submission import AnyLoaded, LoadedGameSubmission, LoadedSubmission
from ircore.players.traits import reference_players, traits_of
from ircore.runs.answers import answer_of, as_asked, call_entry, call_key, fitting, written
from ircore.runs.cache import Cache
from ircore.runs.costs.limit import NoMoreError, Watch
from ircore.runs.costs.prices import prices_of_run
from ircore.runs.engine import Engine, Inquiry, Refusal
from ircore.runs.episode import ended_episode, episode_setup, played
from ircore.runs.events import Call, CallKey, Entry, Failure, end_entry
from ircore.runs.folder import AnyRunFolder, GameRunFolder, RunFolder, create_run, hold_pictures
from ircore.runs.folder import open_any_run as _open
from ircore.runs.informing import informed
from ircore.runs.writer import RunWriter

if TYPE_CHECKING:
    from ircore.runs.processes import ProcessPool

Players = Mapping[str, Any]
"""The players of a run by their seats."""

QuestionT = TypeVar("QuestionT", bound=Asked)
AnswerT = TypeVar("AnswerT", bound=Answer)
RunT = TypeVar("RunT", bound=Run | GameRun)


@dataclass(frozen=True)
class PlayPlan:
    """The run and the instances to be played, with the limits of this session.

    >>> from ircore.games.reconstruction.game import ReconstructionGame
    >>> from ircore.runs.folder import RunFolder
    >>> run = RunFolder(Path("run"))
    >>> plan = PlayPlan(run.run, run.instances, run.instances.instances[:1], ReconstructionGame().prompts(None), 4)
    >>> [episode.outcome for episode in play(plan, run, ReconstructionGame(), {})]  # finished: no player is needed
    ['converged']

    Attributes:
        run: Identity of the run.
        instances: The set.
        selected: The instances of it to be played now.
        prompts: The game master's words.
        concurrency: Episodes at the same time, ≥ 1.
        deadline: Seconds after which play stops, whatever is under way; None for no limit.
    """

    run: Run | GameRun
    instances: AnyInstanceSet
    selected: Instances[AnyInstance]
    prompts: GamePrompts
    concurrency: int
    deadline: float | None = None


@overload
def make_run(
    loaded: LoadedSubmission, instances: AnyInstanceSet, rules: GameRules, prompts: GamePrompts, seed: int
) -> Run: ...
@overload
def make_run(
    loaded: LoadedGameSubmission, instances: AnyInstanceSet, rules: GameRules, prompts: GamePrompts, seed: int
) -> GameRun: ...
def make_run(
    loaded: AnyLoaded, instances: AnyInstanceSet, rules: GameRules, prompts: GamePrompts, seed: int
) -> Run | GameRun:
    """Return the identity of a run; its id depends on every field but the time."""
    game = loaded.submission.game
    kind: type[Run] | type[GameRun] = Run if game == RECONSTRUCTION else GameRun
    draft: Run | GameRun = kind(
        run_id=loaded.slug,
        game=game,
        slug=loaded.slug,
        submission=loaded.submission,
        instance_set=instances.identity,
        rules=rules if kind is Run else rules.model_dump(mode="json"),
        prompts=prompts.version,
        seed=seed,
        version=__version__,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        reference=bool(reference_players(loaded.submission.players)),
    )
    return with_run_id(draft)


def with_run_id(run: RunT) -> RunT:
    """Return a run with the id that follows from every field but the time."""
    from hashlib import sha256

    digest = sha256(run.model_dump_json(exclude={"started", "run_id"}).encode()).hexdigest()[:8]
    return cast(RunT, run.model_copy(update={"run_id": f"{run.slug}-{digest}"}))


@overload
def open_run(
    path: Path, run: Run, instances: AnyInstanceSet, selected: Instances[AnyInstance] | None = None
) -> RunFolder: ...
@overload
def open_run(
    path: Path, run: GameRun, instances: AnyInstanceSet, selected: Instances[AnyInstance] | None = None
) -> GameRunFolder: ...
def open_run(
    path: Path, run: Run | GameRun, instances: AnyInstanceSet, selected: Instances[AnyInstance] | None = None
) -> RunFolder | GameRunFolder:
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
    if not (path / "run.json").is_file():
        return create_run(path, run, instances, selected)
    folder = _open(path)
    ours, theirs = (identity.model_dump(exclude={"started", "run_id"}) for identity in (run, folder.run))
    for field, value, other in _differences(ours, theirs):
        raise InputError(
            f"{path / 'run.json'}: {field}: this run was played with {_short(other)}, not {_short(value)}",
            "Choose another --out, or give the options that the run was begun with.",
        )
    if selected is not None:
        hold_pictures(path, instances, selected)
    return folder


def _differences(ours: dict[str, Any], theirs: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the dotted name and both values of each field that differs."""
    for field in ours | theirs:
        own, other = ours.get(field), theirs.get(field)
        if isinstance(own, dict) and isinstance(other, dict):
            yield from _differences(own, other, f"{prefix}{field}.")
        elif own != other:
            yield prefix + field, own, other


def play(
    plan: PlayPlan,
    folder: RunFolder | GameRunFolder,
    game: Game[Any],
    players: Players,
    watch: Watch | None = None,
    cache: Cache | None = None,
    pool: "ProcessPool | None" = None,
) -> list[AnyEnded]:
    """Play the episodes of a plan that have no result yet.

    Args:
        plan: Run, instances and limits of this session.
        folder: The run folder.
        game: The rules.
        players: By their seats.
        watch: Counts along, and may limit the cost.
        cache: Answers of other runs.
        pool: Plays the episodes in several processes; None for this one.

    Returns:
        The episodes selected by the plan, finished ones included; how they ended, not their turns, for which see
        ``RunFolder.episodes``.

    Raises:
        WorkError: The run folder cannot be written, or the deadline is over.
        NoMoreError: The run has cost as much as it may, or a signal stopped it; every answer that was under way is
            recorded.
        InputError: Another process works on the run.
    """
    watch = watch or Watch(prices_of_run(folder))
    with folder.lock(), RunWriter(folder) as writer:
        unfinished = plan.selected.where(lambda entry: entry.instance_id not in writer.finished)
        ended = [name for name in plan.selected.ids if name in writer.finished]
        watch.begin([*writer.known.values(), *folder.failures()], len(plan.selected), ended)
        with progress(f"play {folder.run.slug}", len(unfinished)) as shown:
            load_tokenizer()
            engine = Engine(Recorder(writer), watch, shown)
            if pool is not None:
                asyncio.run(pool.run(plan, writer, engine))
            else:
                asyncio.run(Session(plan, game, players, writer, engine, cache).run(unfinished))
        if any(name not in writer.finished for name in plan.selected.ids):
            raise watch.stopped()
        return [writer.finished[name] for name in plan.selected.ids]


@dataclass(frozen=True)
class Session:
    """The parts that all episodes share while they are played.

    >>> from dataclasses import fields
    >>> [field.name for field in fields(Session)][:3]
    ['plan', 'game', 'players']
    """

    plan: PlayPlan
    game: Game[Any]
    players: Players
    writer: "KnownAnswers"
    engine: Engine[Entry]
    cache: Cache | None

    async def run(self, instances: Sequence[AnyInstance]) -> None:
        """Let ``concurrency`` workers take episodes from a shared queue; the first failure stops all of them.

        At the cost limit each worker stops before its next question, so that every answer under way is still recorded.
        """
        waiting = iter(instances)
        workers = [self._worker(waiting) for _ in range(min(self.plan.concurrency, len(instances)))]
        await self.engine.run(workers, self.plan.deadline, list(self.players.values()))

    async def _worker(self, waiting: Iterator[AnyInstance]) -> None:
        for instance in waiting:
            setup = episode_setup(self.game, self.plan.run, self.plan.instances, instance, self.plan.prompts)
            table = _JournalTable(instance.instance_id, setup, self)
            try:
                ending = await played(self.game, table, setup)
            except NoMoreError:
                return
            episode = ended_episode(self.game, instance, ending)
            self.engine.recorder.record_soon(end_entry(episode))
            # Without what was done in it, which would make memory grow with the run; that is on the disk.
            lighter = {"turns": ()} if isinstance(episode, Episode) else {"steps": ()}
            self.writer.finished[episode.episode_id] = episode.model_copy(update=lighter)
            self.engine.watch.ended(episode.outcome, episode.episode_id)
            self.engine.shown.advance(self.engine.watch.note())


class KnownAnswers(Protocol):
    """What is known of a run while it is played: see ``RunWriter``, which also writes.

    >>> from ircore.runs.folder import RunFolder
    >>> known: KnownAnswers = RunWriter(RunFolder(Path("run")))
    >>> sorted(known.finished)
    ['simple_shapes-easy-01', 'simple_shapes-hard-01']
    """

    folder: AnyRunFolder
    known: dict[CallKey, Call]
    finished: dict[str, AnyEnded]


class _JournalTable:
    """The table of an episode: every question goes through the engine."""

    def __init__(self, episode_id: str, setup: EpisodeSetup[Any], session: Session) -> None:
        self._episode_id = episode_id
        self._setup = setup
        self._session = session

    async def ask(self, seat: Seat[QuestionT, AnswerT], question: QuestionT) -> AnswerT:
        session, folder = self._session, self._session.writer.folder
        entry = await session.engine.settle(_SeatInquiry(self._episode_id, seat, question, self._setup, session))
        answer = answer_of(seat, cast(Call, entry.event), folder.stored_rendering)
        return cast(AnswerT, answer)


@dataclass(frozen=True)
class _SeatInquiry(Inquiry[Entry, Any]):
    """A question to a seat."""

    episode_id: str
    seat: Seat[Any, Any]
    question: Asked
    setup: EpisodeSetup[Any]
    session: Session

    @property
    def key(self) -> CallKey:
        return call_key(self.episode_id, self.seat, self.question)

    @property
    def where(self) -> str:
        return f"{self.episode_id}, turn {self.question.step}: the {self.seat.name}"

    @property
    def asks(self) -> str:
        return self.seat.name

    def recorded(self) -> Entry | None:
        folder, call = self.session.writer.folder, self.session.writer.known.get(self.key)
        if call is None or answer_of(self.seat, call, folder.stored_rendering) is None:
            return None
        if call.rendering is not None:
            folder.rendering(call.rendering)  # checked before it is relied on
        return Entry(call)

    @property
    def _is_informed(self) -> bool:
        return traits_of(self.session.plan.run.submission.players[self.seat.name].player).reference

    def cached(self) -> Entry | None:
        # What a reference player was told is no part of a cached question.
        cache = None if self._is_informed else self.session.cache
        answer = cache.answer(self.seat, self.question) if cache else None
        return None if answer is None else self._entry(answer, 0.0)

    def ask(self) -> Awaitable[Any]:
        player = self.session.players[self.seat.name]
        if isinstance(player, RecordedSeat):
            return self._recorded_elsewhere(player.source)
        question = (
            informed(self.question, self.setup, self.session.plan.instances) if self._is_informed else self.question
        )
        asked: Awaitable[Any] = getattr(player, self.seat.method)(as_asked(self.seat, question))
        return asked

    async def _recorded_elsewhere(self, source: str) -> Answer:
        return self.session.game.recorded_answer(self.seat, self.question, self.setup, source)

    def answered(self, answer: Any, seconds: float) -> Entry:
        fit = written(fitting(self.seat, self.question, answer))
        if self.session.cache and not self._is_informed:
            self.session.cache.keep(self.seat, self.question, fit)
        return self._entry(fit, seconds)

    def refused(self, refusal: Refusal) -> Entry:
        return Entry(
            Failure(
                episode_id=self.key.episode_id,
                turn=self.key.turn,
                role=self.key.role,
                reason=cast(Any, "stopped" if isinstance(refusal, ProviderStopError) else refusal.reason),
                detail=str(refusal)[:2000],
                attempts=refusal.attempts,
            )
        )

    def _entry(self, answer: Answer, seconds: float) -> Entry:
        return call_entry(self.key, self.seat, self.question, answer, seconds)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
