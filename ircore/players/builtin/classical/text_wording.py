"""Texts in words: texts of one look in one row or column share a statement."""

import itertools
import math
from collections.abc import Callable, Sequence
from operator import attrgetter

from ircore.players.builtin.classical.statements import ColourWords, Statement, in_quotes, is_number, number
from ircore.seeing.percepts import Text

IN_LINE = 0.55
"""Pixels that texts of one row or column may be out of line."""
Place = Callable[[Text], float]
PLACES: dict[str, Place] = {
    "row": lambda text: text.centre[1],
    "right": lambda text: text.centre[0] + text.width / 2,
    "column": lambda text: text.centre[0],
    "left": lambda text: text.centre[0] - text.width / 2,
}
"""Coordinates that texts in one line share, by how they are aligned."""


def text_groups(texts: Sequence[Text]) -> list[tuple[Text, ...]]:
    """Group texts of one colour, size and rotation into rows, columns and the rest.

    Each text is in one group; the largest rows and columns come first, the rest stays together.
    """
    groups = []
    look = attrgetter("colour", "size", "rotation")
    for _, alike in itertools.groupby(sorted(texts, key=look), key=look):
        left = list(alike)
        # A row of two counts only if nothing else is left: two texts are easily in line by chance.
        while (row := max((_in_line(left, place) for place in PLACES.values()), key=len)) and (
            len(row) > 2 or len(row) == len(left) > 1
        ):
            groups.append(tuple(row))
            left = [text for text in left if text not in row]
        if left:
            groups.append(tuple(left))
    return groups


def _in_line(texts: Sequence[Text], place: Place) -> list[Text]:
    """Return the largest set of texts on one level or upright line."""
    lines = [[other for other in texts if abs(place(other) - place(text)) <= IN_LINE] for text in texts]
    return max(lines, key=len, default=[])


def text_statement(texts: Sequence[Text], words: ColourWords) -> Statement:
    """Return a statement about texts of one look; its shorter variants name only the first texts."""
    level = len(texts) > 1 and all(abs(text.centre[1] - texts[0].centre[1]) <= IN_LINE for text in texts)
    ordered = sorted(texts, key=PLACES["column" if level else "row"])
    full, plain = _said(ordered, words, exactly=True), _said(ordered, words, exactly=False)
    fewer = tuple(
        Statement("", (_said(ordered[:count], words, exactly=False),)) for count in range(len(texts) - 1, 0, -1)
    )
    return Statement("", (full,), shorter=(Statement("", (plain,)), *fewer))


def _said(texts: Sequence[Text], words: ColourWords, exactly: bool) -> str:
    """Say all of the texts, their places to a quarter of a pixel or to whole pixels."""
    first = texts[0]
    turn = f", rotated {number(first.rotation)} degrees" if first.rotation else ""
    look = f"{words(first.colour)}, font size {number(first.size)}{turn}"
    if len(texts) == 1:
        return f"The text {in_quotes(first.text)} in {look}, centred at {_point(first, exactly)}"
    for anchor, place in PLACES.items():
        if all(abs(place(text) - place(first)) <= IN_LINE for text in texts):
            line = math.fsum(place(text) for text in texts) / len(texts)
            return f"Tick labels {_listed(texts)} in {look}, {_along(texts, anchor, line, exactly)}"
    listed = ", ".join(in_quotes(text.text) for text in texts)
    return f"Texts {listed} in {look}, at {', '.join(_point(text, exactly) for text in texts)}"


def _along(texts: Sequence[Text], anchor: str, line: float, exactly: bool) -> str:
    fixed = _measure(line, exactly)
    if anchor == "row":
        return f"at y {fixed} and x {_steps([text.centre[0] for text in texts], exactly)}"
    down = _steps([text.centre[1] for text in texts], exactly)
    if anchor == "column":
        return f"at x {fixed} and y {down}"
    return f"{anchor}-aligned at x {fixed}, at y {down}"


def _listed(texts: Sequence[Text]) -> str:
    """List texts; numbers at even steps by the first, the last and the step, other numbers without quotes."""
    strings = [text.text for text in texts]
    numbers = [_whole(text) for text in strings]
    if len(strings) > 3 and all(number is not None for number in numbers):
        values = [number for number in numbers if number is not None]
        step = values[1] - values[0]
        if step and all(b - a == step for a, b in itertools.pairwise(values)):
            return f"{values[0]} to {values[-1]} every {abs(step)}"
    if all(is_number(text) for text in strings):
        return ", ".join(strings)
    return ", ".join(in_quotes(text) for text in strings)


def _whole(text: str) -> int | None:
    return int(text) if text.removeprefix("-").isdigit() and str(int(text)) == text else None


def _point(text: Text, exactly: bool) -> str:
    return f"({_measure(text.centre[0], exactly)}, {_measure(text.centre[1], exactly)})"


def _measure(value: float, exactly: bool) -> str:
    return f"{round(4 * value) / 4:g}" if exactly else f"{value:.0f}"


def _steps(values: Sequence[float], exactly: bool) -> str:
    """List places, or say from where to where and every how many pixels."""
    count = len(values) - 1
    step = round(4 * (values[-1] - values[0]) / max(count, 1)) / 4
    if count >= 3 and all(abs(value - values[0] - step * n) <= IN_LINE for n, value in enumerate(values)):
        first = round(4 * values[0]) / 4
        return f"{first:g} to {first + step * count:g} every {abs(step):g}"
    return ", ".join(_measure(value, exactly) for value in values)
