"""Sentences that can be cut to fit a budget of tokens, and the words that all of them share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ircore.core.tokens import count_tokens
from ircore.seeing.percepts import Point

ColourWords = Callable[[str], str]


@dataclass(frozen=True)
class Statement:
    """A sentence of a message; a sentence that lists things can be cut to the first few.

    >>> Statement("Dots at ", ("(1, 2)", "(3, 4)"), joint=", ").text
    'Dots at (1, 2), (3, 4).'

    Attributes:
        parts: Listed things; a single part if the sentence lists nothing.
        tail: Text after the list, the full stop included.
        weight: How much it tells, about the pixels it sets right.
        order: Place in the order of painting.
        least: Parts that it must keep if it is cut.
        shorter: Other statements to take if it does not fit.
        again: The sentence in other words, without full stop, to repeat it if it had no effect.
    """

    head: str
    parts: tuple[str, ...]
    tail: str = "."
    weight: float = 0.0
    order: int = 0
    joint: str = "; "
    least: int = 1
    shorter: tuple["Statement", ...] = ()
    again: str = ""

    @property
    def text(self) -> str:
        """The sentence."""
        return self.head + self.joint.join(self.parts) + self.tail

    def cut(self, count: int) -> "Statement":
        """Return the statement with only the first ``count`` parts."""
        return replace(self, parts=self.parts[:count], weight=self.weight * count / len(self.parts))

    def reworded(self) -> "Statement":
        """Return the same in other words, if there are any."""
        if self.again:
            return replace(self, head="", parts=(self.again,), tail=".", shorter=(), again="")
        for usual, other in (("Add ", "There should be "), ("Remove ", "Delete ")):
            if self.head.startswith(usual):
                shorter = tuple(variant.reworded() for variant in self.shorter)
                return replace(self, head=other + self.head.removeprefix(usual), shorter=shorter)
        return self

    def after(self, opening: str) -> "Statement":
        """Return the statement and its shorter variants in lower case, each behind ``opening``."""
        if self.head:
            head, parts = opening + self.head[0].lower() + self.head[1:], self.parts
        else:
            head, parts = opening, (self.parts[0][0].lower() + self.parts[0][1:], *self.parts[1:])
        return replace(self, head=head, parts=parts, shorter=tuple(variant.after(opening) for variant in self.shorter))


def number(value: float) -> str:
    """Return a pixel measure without needless decimals."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.26 or abs(value) > 24 else f"{value:.1f}"


def at(point: Point) -> str:
    """Return a position as ``(x, y)`` in whole pixels."""
    return f"({round(point[0])}, {round(point[1])})"


def half_pixels(point: Point) -> str:
    """Return a position in half pixels, for lines that must fall on whole pixels."""
    return "(" + ", ".join(f"{round(2 * value) / 2:g}" for value in point) + ")"


def places(values: list[float]) -> str:
    """List positions in whole pixels, or say from where to where and every how many pixels."""
    count = len(values) - 1
    step = round((values[-1] - values[0]) / max(count, 1))
    if count >= 3 and all(abs(value - values[0] - step * n) < 1 for n, value in enumerate(values)):
        return f"{values[0]:.0f} to {values[0] + step * count:.0f} every {step}"
    return ", ".join(f"{value:.0f}" for value in values)


def in_quotes(text: str) -> str:
    """Return a text in double quotes; its own double quotes become single, since they would end the text."""
    return '"' + text.replace('"', "'") + '"'


def is_number(text: str) -> bool:
    """Tell whether a text is a number in digits, such as ``-2.5``."""
    return text.removeprefix("-").replace(".", "", 1).isdigit()


def pack(statements: Sequence[Statement], budget: int, opening: str = "") -> str:
    """Choose the statements that tell most and fit, and put them in the order of painting."""
    left = budget - count_tokens(opening) - 1
    chosen: list[Statement] = []
    for statement in sorted(statements, key=lambda s: -s.weight):
        fitting = _fitted(statement, left, alone=not chosen)
        if fitting is not None:
            chosen.append(fitting)
            left -= count_tokens(" " + fitting.text)
    ordered = sorted(chosen, key=lambda s: s.order)
    return " ".join([opening, *(s.text for s in ordered)]).strip()


def _fitted(statement: Statement, left: int, alone: bool) -> Statement | None:
    """Return the longest variant that fits; a line is cut only if the message has nothing else."""
    for variant in (statement, *statement.shorter):
        least = len(variant.parts) if variant.least > 1 and not alone else min(variant.least, len(variant.parts))
        for count in range(len(variant.parts), least - 1, -1):
            if count_tokens(" " + (fitting := variant.cut(count)).text) <= left:
                return replace(fitting, weight=statement.weight, order=statement.order)
    return None
