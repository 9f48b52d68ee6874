"""Answers of players, and the errors that they raise when they cannot answer."""

from dataclasses import dataclass, field

from ircore.core.episode_records import AbortReason, Attempt, Usage
from ircore.core.images import Picture
from ircore.core.score_records import JudgeReason


@dataclass(frozen=True)
class TextAnswer:
    """A describer's raw answer, tags included, or a judge's. ``seconds`` is measured by whoever asks.

    ``attempts`` are the requests that it took, for players that ask a provider; ``usage`` is their sum.

    >>> TextAnswer("<DESCRIPTION>A red circle.</DESCRIPTION>").usage.requests
    1
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def from_message(cls, message: str) -> "TextAnswer":
        """Return a describer's answer; an empty message declares the rendering done.

        >>> TextAnswer.from_message("").text
        '<DONE>'
        """
        return cls(f"<DESCRIPTION>{message}</DESCRIPTION>" if message else "<DONE>")


@dataclass(frozen=True)
class PictureAnswer:
    """A generator's answer: a picture, with notes on instructions that it could not follow."""

    picture: Picture
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class ChoiceAnswer:
    """The choice that a player made, with notes on how its words were read. Other fields as of ``TextAnswer``."""

    choice: str
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


Answer = TextAnswer | PictureAnswer | ChoiceAnswer
"""An answer of any seat."""


class PlayerError(Exception):
    """A player could not answer; the episode is aborted with this reason.

    >>> PlayerError("describer_empty", "the answer is empty").reason
    'describer_empty'

    Args:
        reason: Abort reason, as boards show it.
        detail: Explanation, such as the provider's words.
        attempts: The requests that were tried.
    """

    def __init__(self, reason: AbortReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: AbortReason = reason
        self.detail = detail
        self.attempts = attempts

    def __reduce__(self) -> tuple[type["PlayerError"], tuple[AbortReason, str, tuple[Attempt, ...]]]:
        """Keep reason, detail and attempts when the error crosses a process boundary."""
        return (type(self), (self.reason, self.detail, self.attempts))


class JudgeError(Exception):
    """A judge could not answer a question. Arguments as of ``PlayerError``.

    >>> JudgeError("judge_empty", "the answer is empty").detail
    'the answer is empty'
    """

    def __init__(self, reason: JudgeReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: JudgeReason = reason
        self.detail = detail
        self.attempts = attempts
