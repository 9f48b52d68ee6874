"""Views: everything that a player may see at its turn, by seat.

A describer sees pictures, never a scene, a file name or a category; a generator sees text and its own earlier
rendering, never the target. Reference describers are told more and are never ranked.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from pydantic import JsonValue

from ircore.core.images import Picture

AnswerKind = Literal["text", "picture", "choice"]
"""What a seat answers with."""


class Asked(Protocol):
    """A question to any seat: its number in the episode and the game master's words."""

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
    """A question of a game that needs no view of its own.

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
    """An unusable answer of a judge, and the request to repair it."""

    reply: str
    repair: str


@dataclass(frozen=True)
class JudgeView:
    """A judge's view: pictures, without their makers and the words about them.

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
        """Always 1: a judge is asked one question at a time."""
        return 1
