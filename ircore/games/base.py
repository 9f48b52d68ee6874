"""The contract of games: declarations, and rules that ask the seats in turn and end with an outcome.

A game is one folder and one entry point in the group ``ircore.games``, which names its class (or an object of it).
Everything else is the core's and knows no game: asking, recording, resuming, caches, limits of cost, scores, results,
boards, releases and pages read the declarations below. Transcripts keep no answer, so a published episode is told again
as answers, on which the rules can be played.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from ircore.core.episode_records import AbortReason, Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import GameRules, Instance, PlayerSpec, Record, StatedRules
from ircore.core.submission_records import Run, Submission
from ircore.games.declarations import NOT_NEGATIVE as NOT_NEGATIVE
from ircore.games.declarations import CategoryWords as CategoryWords
from ircore.games.declarations import Contrast as Contrast
from ircore.games.declarations import Curve as Curve
from ircore.games.declarations import Direction as Direction
from ircore.games.declarations import Effort as Effort
from ircore.games.declarations import GameWords as GameWords
from ircore.games.declarations import Instruments as Instruments
from ircore.games.declarations import Measure as Measure
from ircore.games.declarations import Measured as Measured
from ircore.games.declarations import Message as Message
from ircore.games.declarations import Pages as Pages
from ircore.games.declarations import PublishedFigure as PublishedFigure
from ircore.games.declarations import RatedPicture as RatedPicture
from ircore.games.declarations import StepAnswer as StepAnswer
from ircore.games.master_words import GamePrompts as GamePrompts
from ircore.games.master_words import NoPrompts
from ircore.players.base import RECORDED, Answer, AnswerKind, Asked, PlayerError

if TYPE_CHECKING:
    from ircore.games.declarations import Claim, PublishedTable
    from ircore.players.examination import SeatTrial


QuestionT = TypeVar("QuestionT", bound=Asked)
AnswerT = TypeVar("AnswerT", bound=Answer)
RulesT = TypeVar("RulesT", bound=GameRules)


@dataclass(frozen=True)
class Seat(Generic[QuestionT, AnswerT]):
    """A seat of a game.

    >>> from ircore.players.base import Question, TextAnswer
    >>> guesser: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "the hint so far", "text")
    >>> guesser.method
    'answer'

    Attributes:
        name: In manifests, journals and columns.
        title: For people.
        sees: The contents of its questions, in words.
        answers: Kind of its answers.
        method: Name of the players' coroutine method that takes this seat's questions.
        recorded: Whether recorded answers, such as people's, may fill the seat.
        records_prompt: Whether the question's ``prompt`` is written into the journal beside the answer; False where it
            follows from earlier answers.
        when: Rule, true or false, with which the seat is asked; without it, a manifest leaves the seat empty. Always
            asked if empty.
        decides: Keys of the measures that its answers decide. Recorded answers do not depend on what a player in
            another seat says, so that such a run has no values of them, and no rank if the headline is among them.
    """

    name: str
    title: str
    sees: str
    answers: AnswerKind
    method: str = "answer"
    recorded: bool = False
    records_prompt: bool = True
    when: str = ""
    decides: tuple[str, ...] = ()


class SeatTable(Protocol):
    """Asks the players at the seats; every answer is recorded, and no question is asked twice.

    >>> import asyncio
    >>> from ircore.players.base import Question, TextAnswer
    >>> guesser: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "nothing but the prompt", "text")
    >>> class AlwaysApple:
    ...     async def ask(self, seat, question):
    ...         return TextAnswer("apple")
    >>> table: SeatTable = AlwaysApple()
    >>> asyncio.run(table.ask(guesser, Question(step=1, prompt="Guess."))).text
    'apple'
    """

    async def ask(self, seat: Seat[QuestionT, AnswerT], question: QuestionT) -> AnswerT:
        """Ask a seat; a question is identified by episode, ``question.step`` and seat.

        Raises:
            PlayerError: The player could not answer.
        """
        ...


@dataclass(frozen=True)
class GameOutcome:
    """A possible end of an episode, and whether the episode then counts as played."""

    name: str
    played: bool


@dataclass(frozen=True)
class EpisodeSetup(Generic[RulesT]):
    """Everything that an episode is played with.

    >>> one = Instance(instance_id="one", game="guess", category="fruit", difficulty="easy", source="by hand",
    ...                licence="CC0-1.0")
    >>> setup = EpisodeSetup(one, payload=None, pictures={}, rules=GameRules(), seed=7)
    >>> setup.instance.category
    'fruit'

    Attributes:
        instance: Id and labels of the instance.
        payload: The game's own fields of the instance, a record of ``Game.payload``.
        pictures: The instance's pictures by name.
        rules: Rules of the run.
        prompts: The game master's words, as ``Game.read_prompts`` read them.
        seed: Seed of this episode.
    """

    instance: Instance
    payload: Any
    pictures: Mapping[str, Picture]
    rules: RulesT
    prompts: Any = None
    seed: int = 0


class Ending(NamedTuple):
    """How an episode ended.

    Attributes:
        outcome: One of ``Game.outcomes``.
        steps: Records of ``Game.step``, in order.
        reason: Why the episode was aborted; None for other outcomes.
        detail: Observation that led to the abort.
    """

    outcome: str
    steps: tuple[Any, ...]
    reason: AbortReason | None = None
    detail: str | None = None


class Remark(NamedTuple):
    """What a game says of rules and players that a manifest combines.

    Attributes:
        path: The field of the manifest.
        problem: What is the matter.
        remedy: What the submitter can do.
        expected: What would be usual.
        refused: Whether nothing is played so; otherwise it is a warning.
    """

    path: tuple[str, ...]
    problem: str
    remedy: str
    expected: str = ""
    refused: bool = False


class Game(ABC, Generic[RulesT]):
    """A game: declarations and rules.

    >>> import asyncio
    >>> from ircore.players.base import Question, TextAnswer
    >>> class Step(Record):
    ...     guess: str
    >>> class Payload(Record):
    ...     secret: str
    >>> class Guess(Game[GameRules]):
    ...     name, title = "guess", "Guess a word"
    ...     guesser: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "nothing but the prompt", "text")
    ...     seats = (guesser,)
    ...     payload, rules, step = Payload, GameRules, Step
    ...     outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    ...     measures = (Measure("correct", "Correct", range=(0, 1)),)
    ...     async def play(self, table, setup):
    ...         answer = await table.ask(self.guesser, Question(step=1, prompt="Guess."))
    ...         return Ending("completed", (Step(guess=answer.text),))
    ...     def measure(self, payload, ending):
    ...         yield Measured("correct", None, float(ending.steps[0].guess == payload.secret))
    >>> class Player:
    ...     async def ask(self, seat, question):
    ...         return TextAnswer("apple")
    >>> instance = Instance(instance_id="one", category="fruit", difficulty="easy", game="guess", source="by hand",
    ...                         licence="CC0-1.0", payload={"secret": "apple"})
    >>> setup = EpisodeSetup(instance, Payload(secret="apple"), {}, GameRules())
    >>> ending = asyncio.run(Guess().play(Player(), setup))
    >>> [value.value for value in Guess().measure(setup.payload, ending)]
    [1.0]

    Attributes:
        name: For commands, manifests and files.
        title: For people.
        paper: Address of the paper that describes it; None if there is none.
        seats: The seats that are asked.
        payload: Record of the fields that an instance has besides id, category, difficulty, licence and source.
        rules: Closed record of the rules, every field with a default.
        step: Record of one step of an episode; a picture is a field of the type ``Rendering``.
        shown_pictures: Pictures of the instance that are shown with each step, such as a target, in tables too.
        outcomes: How an episode ends.
        categories: Categories of instances, in the order in which boards show them; others follow.
        measures: The first one is the headline.
        pages: How it looks on the site.
        published: Figures of the paper.
        step_word: Word for one of its steps, such as ``round``; with an s it names several.
        asks_in_order: Whether the seats that are asked in a step are asked in the order of ``seats``.
        supports: Features that work with this game because of what its seats and steps are, by their names in messages,
            such as ``spot replay``; see ``ircore.games.registry.require_support``.
        editions: Number of the newest edition of its builder of instances.
        secret_categories: Categories that a secret set is drawn of; all of the builder's if empty.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str | None] = None
    seats: ClassVar[tuple[Seat[Any, Any], ...]]
    payload: ClassVar[type[Record]]
    rules: ClassVar[type[GameRules]] = GameRules
    step: ClassVar[type[Record]]
    shown_pictures: ClassVar[tuple[str, ...]] = ()
    outcomes: ClassVar[tuple[GameOutcome, ...]]
    categories: ClassVar[tuple[str, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]]
    pages: ClassVar[Pages] = Pages()
    published: ClassVar[tuple[PublishedFigure, ...]] = ()
    step_word: ClassVar[str] = "step"
    asks_in_order: ClassVar[bool] = False
    supports: ClassVar[frozenset[str]] = frozenset()
    editions: ClassVar[int] = 1
    secret_categories: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    async def play(self, table: SeatTable, setup: EpisodeSetup[RulesT]) -> Ending:
        """Play an episode to the end: rules only, no files, no clock, no network.

        Args:
            table: Asks the seats.
            setup: What is played.
        """

    def measure(self, payload: Any, ending: Ending) -> Iterable[Measured]:  # noqa: ARG002 - for games to override
        """Compute the measures that need nothing but the steps of a played episode.

        Args:
            payload: Payload of the instance.
            ending: Of the episode.
        """
        return ()

    def measure_pictures(self, payload: Any, ending: Ending, instruments: Instruments) -> Iterable[Measured]:  # noqa: ARG002
        """Compute the measures that need pictures: of the instance, and of the steps of a played episode.

        Args:
            payload: Payload of the instance.
            ending: Of the episode.
            instruments: Pictures, metrics and judges.
        """
        return ()

    def list_rated_pictures(self, payload: Any, ending: Ending) -> Iterable[RatedPicture]:  # noqa: ARG002 - for games to override
        """Return the pictures of a played episode that judges and people rate, in order of steps; the last is final.

        Args:
            payload: Payload of the instance.
            ending: Of the episode.
        """
        return ()

    def step_number(self, place: int, step: Any) -> int:  # noqa: ARG002 - for games to override
        """Return the number of a step of an episode: its place, unless the game numbers its steps.

        Args:
            place: Place in the episode, 1-based.
            step: The step, a record of ``step``.
        """
        return place

    def step_faults(self, rules: Any, place: int, step: Any) -> Iterable[str]:  # noqa: ARG002 - for games to override
        """Return what contradicts itself, or the rules, in a published step, a line each.

        Args:
            rules: As ``read_rules`` returns them.
            place: Place in the episode, 1-based.
            step: The step, a record of ``step``.
        """
        return ()

    def measure_effort(self, ending: Ending) -> Effort:
        """Return what an episode took; its number of steps, unless the game's steps say more.

        Args:
            ending: Of the episode.
        """
        return Effort(len(ending.steps))

    def read_rules(self, stated: Run | Submission) -> Any:
        """Return rules as a value with ``key``, ``unusual`` and ``words``; equal rules are equal.

        Args:
            stated: A run, or the manifest that states them.
        """
        setting = ""
        with suppress(ValidationError):  # of rules that the game does not know, the words are shown all the same
            rules: Any = self.rules.model_validate(stated.rules)
            setting = self.name_setting(rules)
        return StatedRules.of(stated.rules, self.rules().model_dump(mode="json"), setting, self.rules.plain)

    def name_setting(self, rules: RulesT) -> str:  # noqa: ARG002 - for games to override
        """Return the name that the game's paper has for some rules; empty if it has none.

        Args:
            rules: As a run states them.
        """
        return ""

    def propose_rules(self, players: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:  # noqa: ARG002
        """Return the rules that a new manifest states, where its author states no other ones.

        Args:
            players: The settings of the players so far, by seat.
        """
        return {}

    def list_remarks(self, rules: RulesT, players: Mapping[str, PlayerSpec]) -> Iterable[Remark]:  # noqa: ARG002
        """Return what a submitter should know of rules and players that fit each by itself.

        Args:
            rules: The rules of a manifest or run.
            players: Who takes each seat, by the seat's name.
        """
        return ()

    def list_messages(self, ending: Ending) -> Iterable[Message]:  # noqa: ARG002
        """Return the messages of an episode as they reached another seat, in order.

        A game that does not override this has every text answer for a message as it stands.

        Args:
            ending: Of the episode.
        """
        return ()

    def list_step_answers(self, step: Any) -> Iterable[StepAnswer]:  # noqa: ARG002 - for games to override
        """Return the answers of the seats as a step keeps them, in the order in which they were asked.

        A game that does not override this has the fields of its steps shown as they stand.

        Args:
            step: A record of ``step``.
        """
        return ()

    def build_published_tables(self) -> "tuple[PublishedTable, ...]":
        """Return the tables of the game's paper, with their names in files."""
        return ()

    def list_claims(self) -> "tuple[Claim, ...]":
        """Return the sentences of the game's paper that runs are held against, in the order of its sections."""
        return ()

    def collect_paper_facts(self) -> Mapping[str, Any]:
        """Return what the site's page on published scores shows of the game's paper, by name; empty without a page."""
        return {}

    def retell(self, episode: Episode, rules: Any, prompts: Any) -> "Retelling | None":  # noqa: ARG002
        """Return the answers that give a published episode, whose steps do not hold them.

        Args:
            episode: As published.
            rules: As ``read_rules`` returns them.
            prompts: The built-in words of the game master.

        Returns:
            None where steps say too little to play the rules on them.
        """
        return None

    def build_battery_rules(self, steps: int) -> RulesT:
        """Return the rules of the run that a test of judges makes of edited pictures, a step each.

        Args:
            steps: Most steps of an episode.
        """
        raise NotImplementedError(f"{self.name} has no judge test")

    def build_battery_ending(self, answers: Iterable[tuple[Message, Rendering]]) -> Ending:
        """Return an episode in which each message was answered with a picture, for a test of judges.

        Args:
            answers: In the order of their steps, whose numbers may have gaps.
        """
        raise NotImplementedError(f"{self.name} has no judge test")

    def build_trial(self, seat: Seat[Any, Any], rules: Any) -> "SeatTrial | None":  # noqa: ARG002 - for games to override
        """Return a few tiny questions to the player of a seat, for ``ircore doctor``.

        Args:
            seat: One of ``seats``.
            rules: As ``read_rules`` returns them.

        Returns:
            None where the seat's player is asked as players of any game are, if it takes such questions.
        """
        return None

    def list_seats(self, rules: GameRules) -> tuple[Seat[Any, Any], ...]:
        """Return the seats that are asked under some rules, see ``Seat.when``."""
        return tuple(seat for seat in self.seats if not seat.when or getattr(rules, seat.when))

    def find_meaningless_measures(self, players: Mapping[str, PlayerSpec]) -> dict[str, str]:
        """Return the measures that say nothing of a run, each with the reason, see ``Seat.decides``.

        Args:
            players: Who took each seat, by the seat's name.
        """
        recorded = [seat for seat in self.seats if seat.name in players and players[seat.name].player == RECORDED]
        live = [seat for seat in self.seats if seat.name in players and seat not in recorded]
        if not live:
            return {}
        others = " and ".join(seat.title.lower() for seat in live)
        return {
            key: f"the answers of the {seat.title.lower()} are recorded and do not depend on the {others}"
            for seat in recorded
            for key in seat.decides
        }

    def collect_shown_values(self, payload: Any, ending: Ending | None) -> Mapping[str, Any]:  # noqa: ARG002 - for games to override
        """Return data that the game's templates need beyond the records, such as steps grouped into repetitions.

        Args:
            payload: Payload of the instance.
            ending: Of the episode; None for the template of an instance.
        """
        return {}

    def find_recorded_answer(
        self,
        seat: Seat[Any, Any],
        question: Any,  # noqa: ARG002 - for games to override
        setup: EpisodeSetup[RulesT],  # noqa: ARG002
        source: str,
    ) -> Answer:
        """Return the recorded answer to a question, for seats that may be filled from recorded data.

        Args:
            seat: Who is asked.
            question: What is asked.
            setup: What is played; its payload holds the recorded answers.
            source: Whose answers, such as ``human``.

        Raises:
            PlayerError: None is recorded.
        """
        raise PlayerError("provider_error", f"{self.name} has no recorded answers of {source!r} for {seat.name}.")

    def list_recorded_steps(self, payload: Any) -> tuple[Record, ...]:  # noqa: ARG002 - for games to override
        """Return the steps that people played on this instance, as records of ``step``, for their learning curves.

        Args:
            payload: Of the instance.
        """
        return ()

    def write_stand_in(self, seat: Seat[Any, Any], words: str) -> str:  # noqa: ARG002 - for games to override
        """Return words in the form that the rules take an answer of a seat in, for forecasts of costs.

        Args:
            seat: Who would answer, with words.
            words: The content of the answer.
        """
        return words

    def name_thumbnail(self, payload: Any) -> str:  # noqa: ARG002 - for games to override
        """Return the name of the picture that stands for an instance in galleries; without it the first does.

        Args:
            payload: Of the instance.
        """
        return self.pages.thumbnail

    def draws_over(self, payload: Any) -> bool:  # noqa: ARG002 - for games to override
        """Return whether a rendering may hold pictures of the instance, as when a picture is edited.

        Where these must not be published, neither must what is drawn.

        Args:
            payload: Of the instance.
        """
        return False

    def read_prompts(self, folder: Path | None) -> GamePrompts:
        """Read the game master's words.

        Args:
            folder: Given with ``--prompts``; None for the built-in ones.

        Raises:
            InputError: The game has no prompts to replace, or the folder's do not fit.
        """
        # Ignoring the folder would record a run under words that were never said.
        if folder is not None:
            raise InputError(
                f"--prompts {folder}: the game {self.name} has no prompts to replace", "Leave --prompts out."
            )
        return NoPrompts()

    def per_word(self, measure: Measure) -> str:
        """Return the word for what a measure has values of: one of the game's steps, or an episode."""
        return self.step_word if measure.per == "step" else measure.per

    @property
    def headline(self) -> Measure:
        """The measure that boards are ordered by."""
        return self.measures[0]

    @property
    def is_judged(self) -> bool:
        """Whether judges give the headline; otherwise the game measures it."""
        return self.headline.needs == "judge"


def is_played(game: Game[Any], episode: Episode | Ending) -> bool:
    """Return whether an episode counts as played, by its outcome."""
    return any(outcome.played and outcome.name == episode.outcome for outcome in game.outcomes)


def read_ending(game: Game[Any], episode: Episode) -> Ending:
    """Return how an episode ended, with its steps as the game's records.

    Raises:
        InputError: The steps do not fit the game.
    """
    return Ending(episode.outcome, episode.steps_as(game.step), episode.abort_reason, episode.detail)


def list_messages(game: Game[Any], episode: Episode) -> tuple[Message, ...]:
    """Return the messages of an episode, see ``Game.list_messages``.

    Raises:
        InputError: The steps do not fit the game.
    """
    return tuple(game.list_messages(read_ending(game, episode)))


def list_picture_fields(step: type[Record]) -> tuple[str, ...]:
    """Return the fields of a step that hold a picture."""
    return tuple(name for name, info in step.model_fields.items() if info.annotation in (Rendering, Rendering | None))


def step_defaults(step: type[Record]) -> dict[str, Any]:
    """Return the defaults of a step's optional fields, as JSON; steps recorded before a field was added have them."""
    return {
        name: to_jsonable_python(info.get_default(call_default_factory=True))
        for name, info in step.model_fields.items()
        if not info.is_required()
    }


class RetoldAnswer(NamedTuple):
    """An answer that the protocol reads as a step has it; what was said beside the step is not known."""

    step: int
    """Number of the step."""

    seat: str
    """Name of the seat that answered."""

    text: str | None = None
    """The words, if it answered with words."""

    prompt: str | None = None
    """The question, if it is told beside the answer."""

    rendering: Rendering | None = None
    """The picture, if it answered with one."""

    notes: tuple[str, ...] = ()
    """Words of the player beside a picture."""

    seconds: float = 0.0
    """Seconds until the answer was there."""


class Retelling(NamedTuple):
    """The answers of an episode."""

    episode: Episode
    """The episode that the rules must come to, as far as its answers are known."""

    answers: tuple[RetoldAnswer, ...]
    """In the order in which they came."""

    waiting: tuple[int, str]
    """Step and seat that had to answer next."""

    blamed: str | None = None
    """Seat to which the reason of an abort is laid; None if the rules find the reason, or it is nobody's."""

    faults: tuple[str, ...] = ()
    """What contradicts itself in the steps, a line each."""
