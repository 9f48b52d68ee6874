"""Polygons by the names that people have for them, and places in words."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.exact import atan2, dist
from ircore.players.builtin.classical.statements import at
from ircore.seeing.percepts import Point, Shape

LIKE = 0.05
"""Share of its size by which a corner may be off that of the named shape."""
CROSS_REACH = math.sqrt(0.09 + 0.81)
"""Distance of the outer corners of a cross from its middle; its arms are 1.8 long from end to end."""


@dataclass(frozen=True)
class Named:
    """A polygon with a name.

    >>> Named("semicircle of radius 40 px", (100.0, 120.0), 90.0).words
    'semicircle of radius 40 px centred at (100, 120), rotated 90 degrees'
    """

    kind: str
    centre: Point
    rotation: float

    @property
    def words(self) -> str:
        """Kind, size and place in words."""
        turn = round(self.rotation)
        return f"{self.kind} centred at {at(self.centre)}" + (f", rotated {turn} degrees" if turn else "")


def named_shape(shape: Shape) -> Named | None:
    """Return the name of a polygon with its size, middle and rotation; None if no name fits its corners."""
    corners = shape.corners
    if shape.kind != "polygon" or len(corners) < 4:
        return None
    if len(corners) == 4:
        return _diamond(corners)
    return _semicircle(corners) if len(corners) != 12 else _cross(corners)


def _middle(points: Sequence[Point]) -> Point:
    count = len(points)
    return math.fsum(x for x, _ in points) / count, math.fsum(y for _, y in points) / count


def _direction(start: Point, end: Point) -> float:
    """Return a direction in degrees clockwise from 12 o'clock."""
    return (math.degrees(atan2(end[1] - start[1], end[0] - start[0])) + 90) % 360


def _diamond(corners: Sequence[Point]) -> Named | None:
    """Return a quadrilateral of four equal sides with its longer diagonal first upright."""
    sides = [dist(a, b) for a, b in itertools.pairwise([*corners, corners[0]])]
    if max(sides) - min(sides) > 2 * LIKE * max(sides):
        return None
    diagonals = [(corners[0], corners[2]), (corners[1], corners[3])]
    (top, bottom), (left, right) = sorted(diagonals, key=lambda ends: -dist(*ends))
    if dist(top, bottom) < 1.1 * dist(left, right):
        return None
    turn = _direction(bottom, top) % 180
    turn = turn if turn <= 90 else turn - 180
    size = f"{dist(left, right):.0f} px wide and {dist(top, bottom):.0f} px high"
    return Named(f"diamond {size}", _middle(corners), turn if abs(turn) >= 1 else 0.0)


def _semicircle(corners: Sequence[Point]) -> Named | None:
    """Return a half disc if all corners lie on a circle around the middle of the longest side."""
    sides = list(itertools.pairwise([*corners, corners[0]]))
    start, end = max(sides, key=lambda ends: dist(*ends))
    centre, radius = _middle((start, end)), dist(start, end) / 2
    if len(corners) < 7 or any(abs(dist(corner, centre) - radius) > LIKE * radius + 1 for corner in corners):
        return None
    turn = _direction(centre, _middle(corners))
    turn = turn if turn <= 180 else turn - 360
    return Named(f"semicircle of radius {radius:.0f} px", centre, turn if abs(turn) >= 1.5 else 0.0)


def _cross(corners: Sequence[Point]) -> Named | None:
    """Return a cross of four equal arms: eight corners far from the middle, four near."""
    centre = _middle(corners)
    far = sorted(corners, key=lambda corner: -dist(corner, centre))[:8]
    reach = math.fsum(dist(corner, centre) for corner in far) / 8
    if any(abs(dist(corner, centre) - reach) > LIKE * reach for corner in far):
        return None
    near = [corner for corner in corners if corner not in far]
    if any(abs(dist(corner, centre) - reach * 0.3 * math.sqrt(2) / CROSS_REACH) > 2 * LIKE * reach for corner in near):
        return None
    turn = (_direction(centre, near[0]) + 45) % 90
    turn = turn if turn <= 45 else turn - 90
    size = f"{1.8 * reach / CROSS_REACH:.0f}"
    return Named(f"cross {size} px wide and {size} px high", centre, turn if abs(turn) >= 1 else 0.0)


def place_words(shape: Shape, size: tuple[int, int]) -> str:
    """Return where a shape lies in the picture: "in the upper left", "in the middle"."""
    (x, y), (wide, high) = shape.centre, size
    rows = "upper" if y < high / 3 else "lower" if y > 2 * high / 3 else ""
    columns = "left" if x < wide / 3 else "right" if x > 2 * wide / 3 else ""
    if rows and columns:
        return f"in the {rows} {columns}"
    if rows:
        return "at the top" if rows == "upper" else "at the bottom"
    return f"on the {columns}" if columns else "in the middle"
