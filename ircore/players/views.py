"""Views: everything that a player of each seat may see when asked.

A describer sees pictures, never a scene, a file name or a category; a generator sees text and its own earlier
rendering, never the target. Reference describers are told more and are never ranked.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from pydantic import JsonValue

from ircore.core.images import Picture

AnswerKind = Literal["text", "picture", "choice"]
"""Kind of answer that a seat gives."""


class Asked(Protocol):
    """A question to any seat: the question's number in the episode and the game master's words.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Riddle:
    ...     step: int
    ...     prompt: str
    >>> asked: Asked = Riddle(1, "Which animal has four legs?")
    >>> asked.step
    1
    """

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
    """The describer's view of a turn.

    >>> target = Picture(b"", 512, 512)
    >>> view = DescriberView(1, "Describe it.", target, (), (), (), (), token_budget=200, seed=0)
    >>> view.step, view.renderings
    (1, ())

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
    """The generator's view of a turn.

    >>> view = GeneratorView(1, "A red circle.", earlier=(), previous=None, seed=0, prompt="A red circle.")
    >>> view.step
    1

    Attributes:
        turn: 1-based.
        message: The describer's message of this turn.
        earlier: The describer's messages of all earlier turns, oldest first.
        previous: The generator's own rendering of the turn before; none on turn 1, or where it draws anew.
        seed: For players that draw random numbers: the same for the same run, instance and turn.
        prompt: Message and earlier messages as one text in the game master's words, for models that take one text.
        rewrite: Whether ``prompt`` asks a rewriter model for the prompt to draw from.
    """

    turn: int
    message: str
    earlier: tuple[str, ...]
    previous: Picture | None
    seed: int
    prompt: str
    rewrite: bool = False

    @property
    def step(self) -> int:
        """The turn: this game's steps are turns."""
        return self.turn


class Captioned(NamedTuple):
    """A picture with its caption."""

    caption: str
    picture: Picture


class Said(NamedTuple):
    """An earlier question to the same seat, its answer, and the pictures shown with the question."""

    prompt: str
    answer: str
    pictures: tuple[Captioned, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question to a seat of a game that defines no view of its own.

    >>> question = Question(step=1, prompt="Which hand is this?", choices=("rock", "paper", "scissors"))
    >>> question.choices[0]
    'rock'

    Attributes:
        step: 1-based.
        prompt: The game master's words.
        pictures: With their captions, in the order in which they are shown.
        choices: Valid answers, where the seat answers with a choice.
        earlier: Earlier questions to this seat and their answers, oldest first, if the game shows them.
        seed: For players that draw random numbers: the same for the same run, instance, step and seat.
        answers: Kind of answer expected; the engine fills it in from the seat.
        unclear: The choice recorded for an answer that names no choice, with its words as a note; None if such an
            answer ends the episode.
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
        shown = (self.pictures, *(exchange.pictures for exchange in reversed(self.earlier)))
        return next(filter(None, shown), ())


class RepairExchange(NamedTuple):
    """An unusable answer of a judge, and the request to repair it."""

    reply: str
    repair: str


@dataclass(frozen=True)
class JudgeView:
    """A judge's view: pictures, without their makers and the words about them.

    >>> JudgeView("How similar are they, 0 to 10?", (Captioned("target", Picture(b"", 64, 64)),)).step
    1

    Attributes:
        prompt: The question.
        pictures: With their captions, in the order in which they are shown.
        exchanges: Unusable answers to this question so far, oldest first.
        seed: For players that draw random numbers: the same for the same question.
        schema: JSON Schema of the answer, for players that can hold a model to one.
    """

    prompt: str
    pictures: tuple[Captioned, ...]
    exchanges: tuple[RepairExchange, ...] = ()
    seed: int = 0
    schema: dict[str, JsonValue] | None = None

    @property
    def step(self) -> int:
        """Always 1: a judge is asked one question at a time."""
        return 1
