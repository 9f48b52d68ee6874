"""Boxes, points and sizes on the canvas, in pixels."""

import math

from ircore.core import exact
from ircore.core.drawing import Point, text_size

LIMIT = 8192.0
"""Coordinates are kept within ± this many pixels."""

BoxF = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""


def bounded(value: float, low: float = -LIMIT, high: float = LIMIT) -> float:
    """Return ``value`` within ``low`` and ``high``."""
    return min(max(value, low), high)


def middle_of(box: BoxF) -> Point:
    """Return the middle of a box."""
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def extent(points: list[Point] | tuple[Point, ...]) -> BoxF:
    """Return the smallest upright box around ``points``."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def turned(point: Point, about: Point, degrees: float) -> Point:
    """Return ``point`` turned clockwise about another."""
    cosine, sine = exact.cos(math.radians(degrees)), exact.sin(math.radians(degrees))
    x, y = point[0] - about[0], point[1] - about[1]
    return about[0] + x * cosine - y * sine, about[1] + x * sine + y * cosine


def towards(start: Point, angle: float, far: float) -> Point:
    """Return the point at a distance from another, in a direction in radians clockwise from 3 o'clock."""
    return start[0] + far * exact.cos(angle), start[1] + far * exact.sin(angle)


def text_bound(text: str, size: float) -> float:
    """Return a font size that keeps the ink of ``text`` within reason, 3–300 px and shorter than 4,000 px."""
    return bounded(size, 3.0, max(3.0, min(300.0, 4000.0 / max(1, len(text)))))


def font_size(text: str, ink_height: float) -> float:
    """Return the font size at which the ink of ``text`` is ``ink_height`` pixels high."""
    _, high = text_size(text, 40.0)
    return text_bound(text, ink_height * 40.0 / max(high, 1.0))
