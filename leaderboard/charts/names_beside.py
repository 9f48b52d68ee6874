"""Places of names in a plot, none on another: at the ends of lines on its right or above it, and beside marks.

Beside marks a name lies over another name, a mark or a line only where there is no room, and then over little of them.
"""

from collections.abc import Sequence
from math import inf
from textwrap import wrap
from typing import NamedTuple

from leaderboard.charts.grammar import (
    CHARACTER,
    Json,
    escape_for_plotly,
    list_pair_lines,
    make_annotation,
    measure_margin,
    name_pair,
)
from leaderboard.model.site import MarkedPlayers
from leaderboard.theme import describer_token, generator_symbol

PLOT = 300
"""Height of the plot, CSS pixels."""

_LINE = 15
"""Height of a line of a name, CSS pixels."""

_WIDEST = 42
"""Characters of a line of a name beside a wide plot."""

_FAR = 40
"""Distance of a name from the end of its line beyond which it would not be seen to belong to it, CSS pixels."""

GLYPHS = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "cross": "✚", "triangle-down": "▼", "star": "★",
    "x": "✖", "circle-open": "○", "square-open": "□", "diamond-open": "◇", "triangle-up-open": "△",
    "cross-open": "✛", "triangle-down-open": "▽", "star-open": "☆", "x-open": "✕",
}  # fmt: skip
"""Plotly's symbols as characters, for names behind their marks."""

_ASIDE = 10
"""Distance of a name from its mark, CSS pixels."""

_HEIGHTS = (10, -10, 24, -24, 38, -38)
"""Heights of a name above its mark, CSS pixels, in the order in which they are tried."""

_AWAY = 4
"""Overlap that is as bad as a pixel farther from the mark, square pixels."""

_HALF_LINE, _HALF_MARK = 7, 7
"""Half the height of a name, and half the size of a mark, CSS pixels."""

Place = tuple[str, tuple[int, int]]
"""Anchor and shift of an annotation, as ``grammar.words`` takes them."""

Box = tuple[float, float, float, float]
"""Left, right, upper and lower end, CSS pixels."""


class EndNames(NamedTuple):
    """Names of lines, and the room that they take.

    >>> EndNames([], right=14, above=0).above
    0
    """

    annotations: list[Json]
    right: int
    """On the right of the plot, CSS pixels."""
    above: int
    """Above the plot, CSS pixels."""


def draw_end_names(named: Sequence[tuple[float, MarkedPlayers]], ends: tuple[float, float], narrow: bool) -> EndNames:
    """Return the names of pairs on the right of a plot, from above, none on another, or in a list above it.

    They stand above it on a phone, and where lines are so near each other that names would be far from theirs.

    Args:
        named: Values on the y axis, the highest on the picture first, with their pairs.
        ends: Value at the lower and at the upper end of the axis.
        narrow: Whether the plot is for a phone.
    """
    # Cut to one line, pairs of one describer would have the same name.
    two = any(len(name_pair(pair)) > _WIDEST for _, pair in named)
    texts = [
        [escape_for_plotly(line, _WIDEST) for line in (list_pair_lines(pair) if two else [name_pair(pair)])]
        for _, pair in named
    ]
    gap, (low, high) = _LINE * (2 if two else 1) + 2, ends
    own = [PLOT * (high - value) / (high - low) for value, _ in named]
    places = spread(own, gap, PLOT)
    if narrow or any(abs(at - place) > _FAR for at, place in zip(own, places, strict=True)):
        return _list_names_above([pair for _, pair in named], 50 if narrow else 90)
    annotations = [
        make_annotation(
            "<br>".join(lines), (1, value), "paper y", "left middle", (10, round(at - place)), align="left",
            colour=describer_token(pair.hue, "-text"),
        )
        for (value, pair), lines, at, place in zip(named, texts, own, places, strict=True)
    ]  # fmt: skip
    return EndNames(annotations, measure_margin([line for lines in texts for line in lines], 300), 0)


def _list_names_above(pairs: Sequence[MarkedPlayers], most: int) -> EndNames:
    """Return names behind their marks above a plot, in lines of at most so many characters."""
    heads = [
        (f"{GLYPHS[generator_symbol(pair.shape)]}\u00a0{name_pair(pair)}", describer_token(pair.hue, "-text"), 400)
        for pair in pairs
    ]
    lines = wrap_heads(heads, most)
    annotations = [
        make_annotation(
            text, (0, 1), "paper paper", "left bottom", (0, 8 + _LINE * (len(lines) - 1 - at)), align="left",
            colour=colour,
        )
        for at, (text, colour, _) in enumerate(lines)
    ]  # fmt: skip
    return EndNames(annotations, 14, _LINE * len(lines) + 8)


def spread(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Return places in the same order that are at least a gap apart, moved as little down or up as that needs.

    Args:
        places: Ascending.
        gap: Least distance of two.
        end: Largest place, if there is room for all.

    >>> spread([0, 4, 50, 98, 100], 10, 100)
    [0, 10, 50, 90, 100]
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap) if moved else place)
    limit = end
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return moved


def wrap_heads(heads: Sequence[tuple[str, str, int]], most: int) -> list[tuple[str, str, int]]:
    """Return names above a plot line by line: none is cut, a long one goes on in the next line.

    Args:
        heads: Name on one line, token of the colour and weight of each. A line never ends at a no-break space.
        most: Characters of a line.

    Returns:
        The lines with their colours and weights, escaped.

    >>> wrap_heads([("seer + painter", "text", 400)], 8)
    [('seer +', 'text', 400), ('painter', 'text', 400)]
    """
    return [
        (escape_for_plotly(line), colour, weight)
        for name, colour, weight in heads
        for line in wrap(name, most, break_on_hyphens=False)
    ]


class NamedSpot(NamedTuple):
    """A mark with a name, in CSS pixels from the left and from above.

    >>> NamedSpot(10, 20, "seer").width
    26.4
    """

    x: float
    y: float
    name: str

    @property
    def width(self) -> float:
        """Width of the name, about."""
        return CHARACTER * len(self.name)


def choose_places(
    named: Sequence[NamedSpot],
    marks: Sequence[tuple[float, float]],
    width: float,
    height: float = inf,
    lines: Sequence[Box] = (),
) -> list[Place]:
    """Choose where the name of each mark stands: towards the middle of the figure, if it is free there.

    Args:
        named: Marks with names, in the order in which they choose.
        marks: Every mark, with a name or without, CSS pixels.
        width: Of the plot, CSS pixels.
        height: Of the plot, CSS pixels: the words of the axis stand below it.
        lines: Intervals of marks, CSS pixels.

    >>> choose_places([NamedSpot(10, 50, "ab"), NamedSpot(12, 50, "cd")], [], 300)
    [('left middle', (10, 10)), ('left middle', (10, -10))]
    """
    taken = [(x - _HALF_MARK, x + _HALF_MARK, y - _HALF_MARK, y + _HALF_MARK) for x, y in marks]
    taken += [(left - 1, right + 1, upper, lower) for left, right, upper, lower in lines]
    chosen: list[Place] = []
    for spot in named:
        # Towards the middle, where there is more room than at the edge.
        sides = (-1, 1) if spot.x > width / 2 else (1, -1)
        tries = [(side, up, _compute_box(spot, side, up)) for side in sides for up in _HEIGHTS]
        # A name too long for either side stands out of the plot rather than nowhere.
        above = [entry for entry in tries if entry[2][2] >= 0 and entry[2][3] <= height] or tries
        inside = [entry for entry in above if entry[2][0] >= 0 and entry[2][1] <= width] or above
        # Where every place is taken names overlap: a mark without its name would say less.
        side, up, box = min(inside, key=lambda entry: _rate_place(entry[1], entry[2], taken))
        taken.append(box)
        chosen.append(("left middle" if side > 0 else "right middle", (side * _ASIDE, up)))
    return chosen


def _compute_box(spot: NamedSpot, side: int, up: int) -> Box:
    near, far = spot.x + side * _ASIDE, spot.x + side * (_ASIDE + spot.width)
    return min(near, far), max(near, far), spot.y - up - _HALF_LINE, spot.y - up + _HALF_LINE


def _rate_place(up: int, box: Box, others: Sequence[Box]) -> tuple[bool, float]:
    """Return how bad a place is: a free one is better than any other, then a small overlap near its mark is.

    Args:
        up: Height of the name above its mark, CSS pixels.
        box: The name.
        others: What it should not lie over.
    """
    worst = max((_measure_overlap(box, other) for other in others), default=0.0)
    return worst > 0, (worst + _AWAY * abs(up) if worst else 0.0)


def _measure_overlap(first: Box, second: Box) -> float:
    """Return the area that two boxes share, square pixels."""
    across, down = (
        min(first[1], second[1]) - max(first[0], second[0]),
        min(first[3], second[3]) - max(first[2], second[2]),
    )
    return max(0.0, across) * max(0.0, down)
