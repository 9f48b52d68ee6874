"""What a player may see, and what it answers.

The views below are all that a player ever gets. A describer sees pictures, never a scene, a file name or a category; a
generator sees text and its own earlier rendering, never the target. Reference describers are told more and are never
ranked. Players keep no state between turns: everything they need is in the view, so a game can go on in a new process
after a crash.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from pydantic import JsonValue

from ircore.core.episode_records import AnyAbortReason, Attempt, Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeReason

AnswerKind = Literal["text", "picture", "choice"]
"""What a seat answers with."""


class Asked(Protocol):
    """What every question has, to whichever seat: its place in the episode and the game master's words."""

    @property
    def step(self) -> int:
        """Number of the step, from 1."""
        ...

    @property
    def prompt(self) -> str:
        """The game master's words."""
        ...


@dataclass(frozen=True)
class DescriberView:
    """What the describer sees at its turn.

    Attributes:
        turn: 1-based.
        prompt: The game master's words for this turn.
        target: The picture to be reconstructed.
        renderings: Every rendering made so far, oldest first; empty on turn 1.
        messages: The describer's own earlier messages, oldest first; one per rendering.
        replies: The describer's own earlier raw answers, tags included, oldest first.
        prompts: The game master's words of the earlier turns, oldest first.
        token_budget: Tokens that the message may have.
        seed: For players that draw random numbers: the same for the same run, instance and turn.
    """

    turn: int
    prompt: str
    target: Picture
    renderings: tuple[Picture, ...]
    messages: tuple[str, ...]
    replies: tuple[str, ...]
    prompts: tuple[str, ...]
    token_budget: int
    seed: int

    @property
    def step(self) -> int:
        """The turn: this game's steps are turns."""
        return self.turn


@dataclass(frozen=True)
class GeneratorView:
    """What the generator sees at its turn.

    Attributes:
        turn: 1-based.
        message: The describer's message of this turn.
        earlier: The describer's messages of all earlier turns, oldest first.
        previous: The generator's own rendering of the turn before; none on turn 1.
        seed: For players that draw random numbers: the same for the same run, instance and turn.
        prompt: The same in one text, in the game master's words: what a model that takes one text is sent.
    """

    turn: int
    message: str
    earlier: tuple[str, ...]
    previous: Picture | None
    seed: int
    prompt: str

    @property
    def step(self) -> int:
        """The turn: this game's steps are turns."""
        return self.turn


class Captioned(NamedTuple):
    """A picture and the words that stand before it."""

    caption: str
    picture: Picture


class Said(NamedTuple):
    """An earlier question of the episode to the same seat, its answer, and the pictures that came with the question."""

    prompt: str
    answer: str
    pictures: tuple[Captioned, ...] = ()


@dataclass(frozen=True)
class Question:
    """What a seat is shown, in games that need nothing of their own.

    >>> question = Question(step=1, prompt="Which hand is this?", choices=("rock", "paper", "scissors"))
    >>> question.choices[0]
    'rock'

    Attributes:
        step: 1-based.
        prompt: The game master's words.
        pictures: With their captions, in the order in which they are shown.
        choices: What may be answered, where the seat answers with a choice.
        earlier: What this seat was asked and answered before in the episode, oldest first, where the game shows that.
        seed: For players that draw random numbers: the same for the same run, instance, step and seat.
        answers: What is answered with. Whoever sends the question fills it in from the seat, games need not.
        unclear: The choice that is recorded for words which are none of ``choices``, with the words as a note; None if
            such words end the episode.
        exact: Whether only a choice itself is taken, in any letter case, without marks around it.
    """

    step: int
    prompt: str
    pictures: tuple[Captioned, ...] = ()
    choices: tuple[str, ...] = ()
    earlier: tuple[Said, ...] = ()
    seed: int = 0
    answers: AnswerKind = "text"
    unclear: str | None = None
    exact: bool = False

    @property
    def in_sight(self) -> tuple[Captioned, ...]:
        """The pictures that were shown last: with this question or, where a game shows them once, before."""
        shown = (self.pictures, *(said.pictures for said in reversed(self.earlier)))
        return next(filter(None, shown), ())


class Exchange(NamedTuple):
    """An answer of a judge that could not be used, and what it was told about it."""

    reply: str
    repair: str


@dataclass(frozen=True)
class JudgeView:
    """What a judge sees: pictures, and never who made them, how, or what was said about them.

    Attributes:
        prompt: What it is to judge.
        pictures: With their captions, in the order in which they are shown.
        exchanges: Its earlier answers to this question, oldest first; empty unless one could not be used.
        seed: For players that draw random numbers: the same for the same question.
        schema: JSON Schema of the answer, for players that can hold a model to one.
    """

    prompt: str
    pictures: tuple[Captioned, ...]
    exchanges: tuple[Exchange, ...] = ()
    seed: int = 0
    schema: dict[str, JsonValue] | None = None

    @property
    def step(self) -> int:
        """Always 1: a judge is asked about one thing at a time."""
        return 1


@dataclass(frozen=True)
class TextAnswer:
    """A describer's raw answer, tags included, or a judge's. ``seconds`` is measured by whoever asks.

    ``attempts`` are the requests that it took, for players that ask a provider; ``usage`` is their sum.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class PictureAnswer:
    """A generator's answer: one picture, and notes on what it could not follow. The rest as above."""

    picture: Picture
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class ChoiceAnswer:
    """One of the choices that a question offered, and notes on how its words were taken. The rest as above."""

    choice: str
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


Answer = TextAnswer | PictureAnswer | ChoiceAnswer
"""What any seat answers."""


class PlayerError(Exception):
    """A player could not answer; the episode is aborted with this reason.

    Args:
        reason: What boards say.
        detail: What was seen, such as the provider's words.
        attempts: The requests that were tried.
    """

    def __init__(self, reason: AnyAbortReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: AnyAbortReason = reason
        self.detail = detail
        self.attempts = attempts

    def __reduce__(self) -> tuple[type["PlayerError"], tuple[AnyAbortReason, str, tuple[Attempt, ...]]]:
        """Keep all of it when the error crosses a process boundary."""
        return (type(self), (self.reason, self.detail, self.attempts))


class JudgeError(Exception):
    """A judge could not answer a question. Arguments as of ``PlayerError``."""

    def __init__(self, reason: JudgeReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: JudgeReason = reason
        self.detail = detail
        self.attempts = attempts


@dataclass(frozen=True)
class Traits:
    """What a player declares of itself: in its class attribute ``TRAITS``, or as an entry point ``ircore.traits``.

    The entry point has the player's name and names the traits; with it, nobody has to import the player to know them.

    >>> Traits(needs="nothing", methods=("describe",), parameters=()).offline
    True

    Attributes:
        methods: The seats' methods that it has, such as ``describe``; empty if its class has to be asked.
        answers: What its method ``answer`` answers with; empty if that is not known.
        needs: What answering takes: ``nothing`` beyond this machine, a ``service``, a ``person``, or ``files`` of
            somebody's machine.
        parameters: Names of the parameters that it takes; None if it checks them itself.
        example: Parameters that are worth setting, as people type them; shown when a manifest is made.
        draws_apart: Whether its model calls another one to draw, so that images are billed besides its tokens.
        reference: Whether it is a describer that sees what no describer may see (``InformedView``). Runs with such a
            player are ceilings and floors, marked as references and never ranked.
    """

    methods: tuple[str, ...] = ()
    needs: Literal["nothing", "service", "person", "files"] = "service"
    parameters: tuple[str, ...] | None = None
    example: str = ""
    draws_apart: bool = False
    answers: tuple[AnswerKind, ...] = ()
    reference: bool = False

    @property
    def offline(self) -> bool:
        """Whether it asks no provider, so that its answers cost nothing."""
        return self.needs != "service"


class Describer(Protocol):
    """Sees the target, writes text. Made once a run from its spec; used by many episodes at the same time.

    A player of either kind may also have ``async def close(self)``, awaited when play ends, in the same event loop, and
    a class method ``check(spec)`` that raises ``InputError`` for settings that it does not take and needs no keys.
    """

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Answer with a message between tags, or with the done tag.

        Raises:
            PlayerError: No answer could be had.
        """
        ...


class Generator(Protocol):
    """Reads text, draws. Made once a run from its spec; used by many episodes at the same time."""

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Answer with one picture.

        Raises:
            PlayerError: No picture could be had.
        """
        ...


class JudgingPlayer(Protocol):
    """Looks at pictures, writes what it thinks of them. Made once a command from its spec; asked much at the same time.

    A player may take more than one seat; ``close`` and ``check`` are as of describers. A class attribute ``IMMATERIAL``
    may name parameters that change no answer, such as patience; they are no part of who a judge is.
    """

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def judge(self, view: JudgeView) -> TextAnswer:
        """Answer one question.

        Raises:
            JudgeError: No answer could be had.
        """
        ...


def refuse_settings(spec: PlayerSpec) -> None:
    """Refuse settings for a player that has none and would have to ignore them.

    Raises:
        InputError: The spec has a model, an address, a key or a parameter.
    """
    given = [key for key in ("model", "base_url", "api_key_env") if getattr(spec, key) is not None]
    for key in [*given, *(f"parameters.{name}" for name in spec.parameters)]:
        raise InputError(f"{key}: the player {spec.player!r} takes no such setting", f"Remove {key}.")
