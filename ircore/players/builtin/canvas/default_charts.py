"""Whole charts in few words ("a bar chart with three bars"): drawn plainly, since nothing is said of their values."""

import re

from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.figures.frame import PALETTE
from ircore.players.builtin.canvas.item_builder import BLACK
from ircore.players.builtin.canvas.places import absolute_place
from ircore.players.builtin.canvas.shapes import Blob, Item, Pie, Slice, Stroke
from ircore.players.builtin.canvas.sheet import Sheet

_CHART = re.compile(r"\b(bar|column|pie|donut|doughnut|ring|line)\s+(?:chart|graph|plot|diagram)\b|\b(pie|donut)\b")
_PARTS = re.compile(
    r"\b(\d{1,2})\s+(?:\S+\s+){0,3}?(?:bars?|columns?|wedges?|slices?|sectors?|parts?|segments?|lines?|series)\b"
)


def read_whole(words: str, sheet: Sheet) -> bool:
    """Add a chart that is only named, such as "a pie chart"; return whether the words name any."""
    match = _CHART.search(words)
    if match is None or len(q.points(words, sheet.space, 2)) > 1:
        return False
    kind, space = match[1] or match[2], sheet.space
    count = _PARTS.search(words)
    colours = re.findall(q.HEX, words)
    number = min(20, max(1, int(count[1]))) if count else max(len(colours), 4 if kind != "line" else 1)
    shades = [(colours or PALETTE)[index % len(colours or PALETTE)] for index in range(number)]
    size = 0.7 * min(space.width, space.height)
    centre = absolute_place(words, space, (size, size)) or space.middle
    if kind in {"bar", "column"}:
        return sheet.add(_bars(shades, centre, size))
    if kind == "line":
        return sheet.add(_lines(shades, centre, size))
    hole = 0.0 if kind == "pie" else 0.5 * size / 2
    return sheet.add([Pie(centre, size / 2, 0.0, tuple(Slice(shade, 100 / number) for shade in shades), hole)])


def _axes(centre: Point, size: float) -> list[Item]:
    left, top, right, bottom = (centre[0] - size / 2, centre[1] - size / 2, centre[0] + size / 2, centre[1] + size / 2)
    return [
        Stroke("x axis", ((left, bottom), (right, bottom)), BLACK),
        Stroke("y axis", ((left, top), (left, bottom)), BLACK),
    ]


def _bars(shades: list[str], centre: Point, size: float) -> list[Item]:
    """Return bars of equal height; a describer corrects them later."""
    step, high = size / len(shades), 0.6 * size
    low = centre[1] + size / 2 - high / 2
    bars: list[Item] = [
        Blob("bar", (centre[0] - size / 2 + (index + 0.5) * step, low), 0.6 * step, high, shade)
        for index, shade in enumerate(shades)
    ]
    return [*bars, *_axes(centre, size)]


def _lines(shades: list[str], centre: Point, size: float) -> list[Item]:
    """Return rising lines, each above the line before."""
    left, bottom = centre[0] - size / 2, centre[1] + size / 2
    lines: list[Item] = []
    for index, shade in enumerate(shades):
        lift = size * index / (len(shades) + 1)
        ends = ((left, bottom - lift - 0.1 * size), (left + size, bottom - lift - 0.5 * size))
        lines.append(Stroke("polyline", ends, shade))
    return [*_axes(centre, size), *lines]
