"""Places of names beside marks, so that no name lies over another name or over a mark while there is room."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from leaderboard.charts.grammar import CHARACTER

_ASIDE = 10
"""Distance of a name from its mark, CSS pixels."""

_HEIGHTS = (10, -10, 24, -24, 38, -38)
"""Heights of a name above its mark, CSS pixels, in the order in which they are tried."""

_HALF_LINE, _HALF_MARK = 7, 7
"""Half the height of a name, and half the size of a mark, CSS pixels."""


class Spot(NamedTuple):
    """A mark with a name, in CSS pixels from the left and from above.

    >>> Spot(10, 20, "seer").width
    26.4
    """

    x: float
    y: float
    name: str

    @property
    def width(self) -> float:
        """Width of the name, about."""
        return CHARACTER * len(self.name)


Place = tuple[str, tuple[int, int]]
"""Anchor and shift of an annotation, as ``grammar.words`` takes them."""

_Box = tuple[float, float, float, float]
"""Left, right, upper and lower end."""


def places(
    named: Sequence[Spot], marks: Sequence[tuple[float, float]], width: float, height: float = inf
) -> list[Place]:
    """Choose where the name of each mark stands: towards the middle of the figure, if it is free there.

    Args:
        named: Marks with names, in the order in which they choose.
        marks: Every mark, with a name or without, CSS pixels.
        width: Of the plot, CSS pixels.
        height: Of the plot, CSS pixels: the words of the axis stand below it.

    >>> places([Spot(10, 50, "ab"), Spot(12, 50, "cd")], [], 300)
    [('left middle', (10, 10)), ('left middle', (10, -10))]
    """
    taken = [(x - _HALF_MARK, x + _HALF_MARK, y - _HALF_MARK, y + _HALF_MARK) for x, y in marks]
    chosen: list[Place] = []
    for spot in named:
        # Towards the middle, where there is more room than at the edge.
        sides = (-1, 1) if spot.x > width / 2 else (1, -1)
        tries = [(side, up, _box(spot, side, up)) for side in sides for up in _HEIGHTS]
        # A name too long for either side stands out of the plot rather than nowhere.
        above = [entry for entry in tries if entry[2][3] <= height] or tries
        inside = [entry for entry in above if entry[2][0] >= 0 and entry[2][1] <= width] or above
        free = [entry for entry in inside if not any(_overlap(entry[2], other) for other in taken)]
        # Where every place is taken names overlap: a mark without its name would say less.
        side, up, box = (free or inside)[0]
        taken.append(box)
        chosen.append(("left middle" if side > 0 else "right middle", (side * _ASIDE, up)))
    return chosen


def _box(spot: Spot, side: int, up: int) -> _Box:
    near, far = spot.x + side * _ASIDE, spot.x + side * (_ASIDE + spot.width)
    return min(near, far), max(near, far), spot.y - up - _HALF_LINE, spot.y - up + _HALF_LINE


def _overlap(first: _Box, second: _Box) -> bool:
    return first[0] < second[1] and second[0] < first[1] and first[2] < second[3] and second[2] < first[3]
