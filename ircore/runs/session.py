"""The episodes of a run while they are played: workers, the table of an episode, a question to a seat.

Reference describers alone are asked with knowledge of the target; no player outside ``ircore.scorers.references`` may
import ``InformedView``.
"""

from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from ircore.core.episode_records import Episode, repeat_id
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.core.untrusted_text import replace_surrogates
from ircore.games.base import EpisodeSetup, Game, GamePrompts, Seat
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.players.base import Answer, Asked, DescriberView, PlayerError, RecordedSeat
from ircore.players.calls import ProviderStopError
from ircore.players.traits import load_traits
from ircore.runs.answers import (
    Cache,
    answer_of,
    build_asked_question,
    call_entry,
    call_key,
    check_answer,
    clean_answer,
    hash_question,
    hash_seat,
)
from ircore.runs.costs.limit import NoMoreError
from ircore.runs.engine import Engine, Inquiry, Refusal
from ircore.runs.episode import build_setup, play_episode, record_ending
from ircore.runs.events import Call, CallKey, End, EventEntry, Failure
from ircore.runs.folder import JOURNAL, RunFolder, describe_lines

Players = Mapping[str, Any]
"""The players of a run by their seats."""

QuestionT = TypeVar("QuestionT", bound=Asked)
AnswerT = TypeVar("AnswerT", bound=Answer)


class DueEpisode(NamedTuple):
    """An episode that is to be played: an instance, and which of its episodes in the run."""

    instance: Instance
    repeat: int


@dataclass(frozen=True)
class PlayPlan:
    """The run and the instances to be played, with the limits of this session.

    >>> from pathlib import Path
    >>> from ircore.games.registry import load_game
    >>> from ircore.runs.folder import RunFolder
    >>> run, game = RunFolder(Path("run")), load_game("reconstruction")
    >>> plan = PlayPlan(run.run, run.instances, run.instances.instances[:1], game.read_prompts(None), 4)
    >>> from ircore.runs.play import play
    >>> [episode.outcome for episode in play(plan, run, game, {})]  # finished: no player is needed
    ['converged']

    Attributes:
        run: Identity of the run.
        instances: The set.
        selected: The instances of it to be played now.
        prompts: The game master's words.
        concurrency: Episodes at the same time, ≥ 1.
        deadline: Seconds after which play stops, whatever is under way; None for no limit.
        only: Ids of the episodes of these instances that are to be played; None for all.
    """

    run: Run
    instances: InstanceSet
    selected: Instances
    prompts: GamePrompts
    concurrency: int
    deadline: float | None = None
    only: frozenset[str] | None = None

    @property
    def episode_ids(self) -> list[str]:
        """Ids of the episodes that are to be played, those of one instance side by side."""
        return [name for name in self.run.episode_ids(self.selected.ids) if self.only is None or name in self.only]

    def due(self, finished: Container[str]) -> list[DueEpisode]:
        """Return the episodes without a result; a repeat begins when the one before is played on all instances.

        Args:
            finished: Ids of the episodes that have a result.
        """
        wanted = {name for name in self.episode_ids if name not in finished}
        return [
            DueEpisode(instance, repeat)
            for repeat in range(1, self.run.repeats + 1)
            for instance in self.selected.where(lambda entry: repeat_id(entry.instance_id, repeat) in wanted)  # noqa: B023
        ]


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
    engine: Engine[EventEntry]
    cache: Cache | None

    @cached_property
    def seats(self) -> dict[str, str]:
        """What decides the answers of each seat besides the questions, see ``hash_seat``."""
        return {seat: hash_seat(seat, spec) for seat, spec in self.plan.run.submission.players.items()}

    async def run(self, episodes: Sequence[DueEpisode]) -> None:
        """Let ``concurrency`` workers take episodes from a shared queue; the first failure stops all of them.

        At the cost limit each worker stops before its next question, so that every answer under way is still recorded.
        """
        waiting = iter(episodes)
        workers = [self._worker(waiting) for _ in range(min(self.plan.concurrency, len(episodes)))]
        await self.engine.run(workers, self.plan.deadline, list(self.players.values()))

    async def _worker(self, waiting: Iterator[DueEpisode]) -> None:
        plan = self.plan
        for instance, repeat in waiting:
            setup = build_setup(self.game, plan.run, plan.instances, instance, plan.prompts, repeat=repeat)
            table = _JournalTable(repeat_id(instance.instance_id, repeat), setup, self)
            try:
                ending = await play_episode(self.game, table, setup)
            except NoMoreError:
                return  # the episode stays open, and goes on from its record when the run is resumed
            episode = record_ending(self.game, instance, ending, repeat)
            # Nothing waits for the end of an episode: the next one begins while the line is written.
            self.engine.recorder.record_soon(EventEntry(End(episode=episode)))
            count_ended(episode, self.writer, self.engine)


class KnownAnswers(Protocol):
    """State of a run while it is played: see ``RunWriter``, which also writes.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> from ircore.runs.folder import RunWriter
    >>> known: KnownAnswers = RunWriter(RunFolder(Path("run")))
    >>> sorted(known.finished)
    ['simple_shapes-easy-01', 'simple_shapes-hard-01']
    """

    folder: RunFolder
    known: dict[CallKey, Call]
    refused: dict[CallKey, Failure]
    finished: dict[str, Episode]


def count_ended(episode: Episode, known: KnownAnswers, engine: Engine[EventEntry]) -> None:
    """Count an episode as finished, without its turns: memory would grow with the run, and they are on the disk."""
    known.finished[episode.episode_id] = episode.model_copy(update={"steps": ()})
    engine.cost_limit.count_end(episode.outcome, episode.episode_id)
    engine.shown.advance(engine.cost_limit.note())


class _JournalTable:
    """The table of an episode: every question goes through the engine."""

    def __init__(self, episode_id: str, setup: EpisodeSetup[Any], session: Session) -> None:
        self._episode_id = episode_id
        self._setup = setup
        self._session = session
        self._settled: set[CallKey] = set()

    async def ask(self, seat: Seat[QuestionT, AnswerT], question: QuestionT) -> AnswerT:
        session, folder = self._session, self._session.writer.folder
        inquiry = _SeatInquiry(self._episode_id, seat, question, self._setup, session, self._settled)
        entry = await session.engine.settle(inquiry)
        answer = answer_of(seat, cast(Call, entry.event), folder.stored_rendering)
        return cast(AnswerT, answer)


@dataclass(frozen=True)
class _SeatInquiry(Inquiry[EventEntry, Any]):
    """A question to a seat.

    Attributes:
        settled: Questions of the episode so far that the record answers.
    """

    episode_id: str
    seat: Seat[Any, Any]
    question: Asked
    setup: EpisodeSetup[Any]
    session: Session
    settled: set[CallKey] = field(default_factory=set)

    @cached_property
    def hashed(self) -> str:
        """Hash of the question, see ``hash_question``."""
        try:
            return hash_question(self.session.seats[self.seat.name], self.question)
        except TypeError as error:
            raise WorkError(f"{self.where} is asked {error}", "This is a fault of the game: mend it.") from error

    @property
    def key(self) -> CallKey:
        return call_key(self.episode_id, self.seat, self.question)

    @property
    def where(self) -> str:
        return f"{self.episode_id}, turn {self.question.step}: the {self.seat.name}"

    @property
    def asks(self) -> str:
        return self.seat.name

    def find_recorded(self) -> EventEntry | None:
        folder, call = self.session.writer.folder, self.session.writer.known.get(self.key)
        if call is None or answer_of(self.seat, call, folder.stored_rendering) is None:
            self._refuse_again()
            return None
        self._check(call)
        if call.rendering is not None:
            folder.rendering(call.rendering)  # checked before it is relied on
        return EventEntry(call)

    def _refuse_again(self) -> None:
        """Raise the recorded refusal, if there is one: it is the player's answer, and was paid for."""
        refusal = self.session.writer.refused.get(self.key)
        if refusal is not None:
            self._check(refusal)
            raise PlayerError(cast(Any, refusal.reason), refusal.detail)

    def _check(self, record: Call | Failure) -> None:
        """Refuse a recorded answer to another question, with which a dialogue would arise that never happened.

        Such an answer is left where a line before it was taken out of the journal, or where a game was changed without
        another version.
        """
        if record.question == self.hashed:
            self.settled.add(self.key)
            return
        path = self.session.writer.folder.path / JOURNAL
        lines = [
            number
            for number, _, event in self.session.writer.folder.numbered_events()
            if (isinstance(event, Call) or (isinstance(event, Failure) and event.settled))
            and event.episode_id == self.episode_id
            and CallKey(event.episode_id, event.turn, event.role) not in self.settled
        ]
        raise InputError(
            f"{path}: {self.where} gave the recorded answer to another question than the rules ask now",
            "Restore the journal from a copy. Or remove "
            f"{describe_lines(lines)}, the episode's answers from there on: they are asked for again.",
        )

    @property
    def _is_informed(self) -> bool:
        return load_traits(self.session.plan.run.submission.players[self.seat.name].player).reference

    def find_cached(self) -> EventEntry | None:
        # What a reference player was told is no part of a cached question.
        cache = None if self._is_informed else self.session.cache
        answer = cache.answer(self.seat, self.question) if cache else None
        return None if answer is None else self._entry(answer, 0.0)

    def ask(self) -> Awaitable[Any]:
        player = self.session.players[self.seat.name]
        if isinstance(player, RecordedSeat):
            return self._find_recorded_answer(player.source)
        question = (
            inform_describer(self.question, self.setup, self.session.plan.instances)
            if self._is_informed
            else self.question
        )
        answer: Awaitable[Any] = getattr(player, self.seat.method)(build_asked_question(self.seat, question))
        return answer

    async def _find_recorded_answer(self, source: str) -> Answer:
        return self.session.game.find_recorded_answer(self.seat, self.question, self.setup, source)

    def record_answer(self, answer: Any, seconds: float) -> EventEntry:
        return self._entry(clean_answer(check_answer(self.seat, self.question, answer)), seconds)

    def keep(self, entry: EventEntry) -> None:
        if self.session.cache is None or self._is_informed:
            return
        answer = answer_of(self.seat, cast(Call, entry.event), lambda _: cast(Picture, entry.picture))
        if answer is not None:
            self.session.cache.keep(self.seat, self.question, answer)

    def record_refusal(self, refusal: Refusal) -> EventEntry:
        return EventEntry(
            Failure(
                episode_id=self.key.episode_id,
                turn=self.key.turn,
                role=self.key.role,
                question=self.hashed,
                reason=cast(Any, "stopped" if isinstance(refusal, ProviderStopError) else refusal.reason),
                detail=replace_surrogates(str(refusal))[:2000],
                attempts=refusal.attempts,
            )
        )

    def _entry(self, answer: Answer, seconds: float) -> EventEntry:
        self.settled.add(self.key)
        return call_entry(self.key, self.seat, self.question, answer, seconds, self.hashed)


def inform_describer(question: Asked, setup: EpisodeSetup[Any], instances: InstanceSet) -> Asked:
    """Return a describer's question with full knowledge of the target, for reference describers alone.

    Args:
        question: The game's question; the question to any other seat is returned unchanged.
        setup: Setup of the episode.
        instances: The set that is played.
    """
    if not isinstance(question, DescriberView):
        return question
    instance = setup.instance
    others = tuple(other for other in instances.instances if other.instance_id != instance.instance_id)
    knowledge = Knowledge(instance, others, partial(instances.picture, name="target"), setup.seed)
    shown = {field.name: getattr(question, field.name) for field in fields(question)}
    return InformedView(**shown, knowledge=knowledge)


@dataclass(frozen=True)
class Knowledge:
    """Full knowledge of a target, for reference describers alone (see ``Traits.reference``).

    >>> from pathlib import Path
    >>> from ircore.instances.store import read_instances
    >>> targets = read_instances(Path("targets"))
    >>> known = Knowledge(
    ...     targets.instances[0], targets.instances[1:], lambda other: targets.picture(other, "target"), seed=7
    ... )
    >>> known.instance.scene.background, known.picture_of(known.instance).width
    ('#ffffff', 512)

    Attributes:
        instance: Category, difficulty and, if the target was drawn, its scene.
        others: Every other instance of the set.
        picture_of: Returns the picture of an instance of the set.
        seed: Seed of the episode, the same at every turn.
    """

    instance: Instance
    others: tuple[Instance, ...]
    picture_of: Callable[[Instance], Picture]
    seed: int


@dataclass(frozen=True)
class InformedView(DescriberView):
    """The view of a reference describer: the view of any describer, with full knowledge of the target.

    >>> issubclass(InformedView, DescriberView)
    True

    Attributes:
        knowledge: All that is known of the target.
    """

    knowledge: Knowledge
