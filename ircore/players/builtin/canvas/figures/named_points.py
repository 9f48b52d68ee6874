"""Points that have a letter and coordinates: "A (20%, 80%)", "AB from (10, 20) to (200, 20)"."""

import re

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.prose import NUMBER

XY = rf"\(\s*({NUMBER})\s*(%?)(?:px)?\s*,\s*({NUMBER})\s*(%?)(?:px)?\s*\)"
NAMED = re.compile(rf"\b([A-Z])\b(?!['\w])(?!\s*[A-Z]\b)([^A-Z();\n]{{0,40}}?){XY}")
_PAIR_FROM = re.compile(rf"\b([A-Z])([A-Z])\b[^A-Z();]{{0,60}}?from\s+{XY}\s+to\s+{XY}")
MAX_POINTS = 40


def named_points(text: str, size: tuple[int, int]) -> dict[str, Point]:
    """Return the points that have a letter and coordinates; bare numbers are pixels unless "%" is spoken of."""
    in_percent = bool(
        re.search(r"\bin %|\bpercent(?:age)?s? of|% of (?:the )?(?:width|image)", text)
    ) and not re.search(r"\d\s?px", text)
    points: dict[str, Point] = {}
    for match in _PAIR_FROM.finditer(text):
        points.setdefault(match[1], pixels(match.groups()[2:6], size, in_percent))
        points.setdefault(match[2], pixels(match.groups()[6:10], size, in_percent))
    for match in NAMED.finditer(text):
        # "I" is a pronoun unless its coordinates follow at once.
        if match[1] not in {"I"} or "(" in match[0][:4]:
            points.setdefault(match[1], pixels(match.groups()[2:], size, in_percent))
    return dict(list(points.items())[:MAX_POINTS])


def pixels(parts: tuple[str, ...], size: tuple[int, int], in_percent: bool) -> Point:
    """Return coordinates in pixels from their four parts: x, "%" or nothing, y, "%" or nothing.

    Args:
        parts: Groups of ``XY``.
        size: Width and height of the picture in pixels.
        in_percent: Whether numbers without a unit that are at most 100 are percentages.
    """
    x, x_unit, y, y_unit = parts
    percent = bool(x_unit or y_unit) or (in_percent and max(float(x), float(y)) <= 100)
    return (float(x) * size[0] / 100, float(y) * size[1] / 100) if percent else (float(x), float(y))
