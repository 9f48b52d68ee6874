"""Places of names in a plot, none on another: at the ends of lines on its right, and beside marks.

Beside marks a name lies over another name or over a mark only where there is no room.
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
from leaderboard.theme import describer_token

PLOT = 300
"""Height of the plot, CSS pixels."""

_LINE = 15
"""Height of a line of a name, CSS pixels."""

_WIDEST = 42
"""Characters of a line of a name beside a wide plot."""

_ASIDE = 10
"""Distance of a name from its mark, CSS pixels."""

_HEIGHTS = (10, -10, 24, -24, 38, -38)
"""Heights of a name above its mark, CSS pixels, in the order in which they are tried."""

_HALF_LINE, _HALF_MARK = 7, 7
"""Half the height of a name, and half the size of a mark, CSS pixels."""

Place = tuple[str, tuple[int, int]]
"""Anchor and shift of an annotation, as ``grammar.words`` takes them."""

_Box = tuple[float, float, float, float]
"""Left, right, upper and lower end."""


def draw_end_names(
    named: Sequence[tuple[float, MarkedPlayers]], ends: tuple[float, float], narrow: bool
) -> tuple[list[Json], int]:
    """Return the names of pairs on the right of a plot, from above, none on another; and the room that they take.

    Args:
        named: Values on the y axis, the highest on the picture first, with their pairs.
        ends: Value at the lower and at the upper end of the axis.
        narrow: Whether a name has two lines, for a phone; a name that is too long for one line has two in any case.
    """
    # Cut to one line, pairs of one describer would have the same name.
    two = narrow or any(len(name_pair(pair)) > _WIDEST for _, pair in named)
    most = 18 if narrow else _WIDEST
    texts = [
        [escape_for_plotly(line, most) for line in (list_pair_lines(pair) if two else [name_pair(pair)])]
        for _, pair in named
    ]
    gap, (low, high) = _LINE * (2 if two else 1) + 2, ends
    own = [PLOT * (high - value) / (high - low) for value, _ in named]
    annotations = [
        make_annotation(
            "<br>".join(lines), (1, value), "paper y", "left middle", (10, round(at - place)), align="left",
            colour=describer_token(pair.hue, "-text"),
        )
        for (value, pair), lines, at, place in zip(named, texts, own, spread(own, gap, PLOT), strict=True)
    ]  # fmt: skip
    return annotations, measure_margin([line for lines in texts for line in lines], 300)


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
    named: Sequence[NamedSpot], marks: Sequence[tuple[float, float]], width: float, height: float = inf
) -> list[Place]:
    """Choose where the name of each mark stands: towards the middle of the figure, if it is free there.

    Args:
        named: Marks with names, in the order in which they choose.
        marks: Every mark, with a name or without, CSS pixels.
        width: Of the plot, CSS pixels.
        height: Of the plot, CSS pixels: the words of the axis stand below it.

    >>> choose_places([NamedSpot(10, 50, "ab"), NamedSpot(12, 50, "cd")], [], 300)
    [('left middle', (10, 10)), ('left middle', (10, -10))]
    """
    taken = [(x - _HALF_MARK, x + _HALF_MARK, y - _HALF_MARK, y + _HALF_MARK) for x, y in marks]
    chosen: list[Place] = []
    for spot in named:
        # Towards the middle, where there is more room than at the edge.
        sides = (-1, 1) if spot.x > width / 2 else (1, -1)
        tries = [(side, up, _compute_box(spot, side, up)) for side in sides for up in _HEIGHTS]
        # A name too long for either side stands out of the plot rather than nowhere.
        above = [entry for entry in tries if entry[2][3] <= height] or tries
        inside = [entry for entry in above if entry[2][0] >= 0 and entry[2][1] <= width] or above
        free = [entry for entry in inside if not any(_are_overlapping(entry[2], other) for other in taken)]
        # Where every place is taken names overlap: a mark without its name would say less.
        side, up, box = (free or inside)[0]
        taken.append(box)
        chosen.append(("left middle" if side > 0 else "right middle", (side * _ASIDE, up)))
    return chosen


def _compute_box(spot: NamedSpot, side: int, up: int) -> _Box:
    near, far = spot.x + side * _ASIDE, spot.x + side * (_ASIDE + spot.width)
    return min(near, far), max(near, far), spot.y - up - _HALF_LINE, spot.y - up + _HALF_LINE


def _are_overlapping(first: _Box, second: _Box) -> bool:
    return first[0] < second[1] and second[0] < first[1] and first[2] < second[3] and second[2] < first[3]
