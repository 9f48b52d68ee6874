"""Sentences about the marks of a plot: bars, lines, curves and points, by their values."""

import re
from collections.abc import Callable

from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.area import Area
from ircore.players.builtin.canvas.geometry import bounded
from ircore.players.builtin.canvas.item_builder import with_markers
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Stroke
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

MOST_VALUES = 200
_VALUES = re.compile(rf":\s*((?:(?:{q.HEX}\s+)?(?:-?\d{{1,7}}(?:\.\d{{1,6}})?|none)(?:\s*,\s*|\s+and\s+)?)+)")
_VALUE = re.compile(rf"(?:{q.HEX}\s+)?(?:{q.N}|none)")
_WIDE = re.compile(rf"\b{q.N}px (?:wide|high)\b")
_SHIFT = re.compile(rf"\b{q.N}px (left|right|up|down) of the labels\b|\b{q.N}px (above|below) the labels\b")
_THROUGH = re.compile(r"\bthrough the points\b")
_WRITTEN = re.compile(rf"\bvalues? (?:in letters of {q.N}px )?(above|below|beside)\b")

_Value = tuple[str | None, float | None]
"""Colour, if the value has its own, and the number; None where there is none."""


def read_bars(clause: Clause, area: Area, sheet: Sheet) -> bool:
    """Draw bars by their values: "blue bars, 20 px wide: 12, 30, 5", also stacked on the bars before."""
    words, values = clause.words, _values(clause.words)
    axis = next((name for name in ("x", "y") if area.places.get(name)), None)
    scale = area.scale("y" if axis == "x" else "x") if axis else None
    if axis is None or scale is None or not values or not re.search(r"\bbars\b", words.split(":")[0]):
        return False
    wide = _WIDE.search(words)
    half = (float(wide[1]) if wide else 20.0) / 2
    head = words.split(":")[0]
    colour, shift = q.first_colour(q.without_outline(head)) or "#1f77b4", _shift(head)
    edge, stroke = q.outline_colour(words), q.stroke_width(words) or 1.0
    items = list[Item]()
    for place, (own, value) in zip(area.places[axis], values, strict=False):
        if value is None:
            continue
        start = _top(sheet, axis, place + shift, scale(0), scale(value)) if "stacked" in head else scale(0)
        end = start + scale(value) - scale(0)
        box = _sides(axis, place + shift, half, start, end)
        bar = _bar(box, own or colour, edge, stroke)
        items += [bar, *_value_label(words, axis, bar, value, _decimals(words), area)]
    return sheet.add(items)


def _values(words: str) -> list[_Value]:
    match = _VALUES.search(words)
    parts = _VALUE.finditer(match[1]) if match else ()
    return [(part[1], float(part[2]) if part[2] else None) for part in parts][:MOST_VALUES]


def _decimals(words: str) -> int:
    match = _VALUES.search(words)
    numbers = re.findall(r"-?\d+(?:\.\d+)?", re.sub(q.HEX, " ", match[1])) if match else []
    return max((len(number.partition(".")[2]) for number in numbers), default=0)


def _shift(words: str) -> float:
    match = _SHIFT.search(words)
    if match is None:
        return 0.0
    far, way = float(match[1] or match[3]), match[2] or match[4]
    return bounded(-far if way in {"left", "up", "above"} else far)


def _sides(axis: str, at: float, half: float, start: float, end: float) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a bar, at whole pixels."""
    near, far = round(at - half), round(at + half)
    low, high = sorted((round(start), round(end)))
    return (near, low, far, high) if axis == "x" else (low, near, high, far)


def _bar(box: tuple[float, float, float, float], colour: str, edge: str | None, stroke: float) -> Blob:
    left, top, right, bottom = box
    middle = (left + right) / 2, (top + bottom) / 2
    return Blob("bar", middle, max(0.5, right - left), max(0.5, bottom - top), colour, edge, stroke)


def _top(sheet: Sheet, axis: str, at: float, zero: float, end: float) -> float:
    """Return where the next bar of a stack begins: at the far side of the bars that stand there."""
    side = 0 if axis == "x" else 1
    reached = zero
    for item in sheet.items:
        if isinstance(item, Blob) and item.kind == "bar" and abs(item.centre[side] - at) <= 2:
            low, high = (item.box[1], item.box[3]) if axis == "x" else (item.box[0], item.box[2])
            far = low if (end - zero) < 0 else high
            reached = min(reached, far) if (end - zero) < 0 else max(reached, far)
    return reached


def _value_label(words: str, axis: str, bar: Blob, value: float, decimals: int, area: Area) -> list[Item]:
    """Return the value written beyond the end of a bar, if the sentence says so."""
    match = _WRITTEN.search(words)
    if match is None:
        return []
    left, top, right, bottom = bar.box
    text, size = f"{value:.{decimals}f}", float(match[1] or max(11.0, area.letters - 2))
    turn = 90.0 if "upright" in words else 0.0
    if axis == "y":
        at, anchor = ((right + 4, bar.centre[1]), "lm") if value >= 0 else ((left - 4, bar.centre[1]), "rm")
    else:
        at, anchor = ((bar.centre[0], top - 4), "mb") if value >= 0 else ((bar.centre[0], bottom + 4), "mt")
    return [Label(text, at, size, area.ink, anchor, turn)]


def read_line(clause: Clause, area: Area, sheet: Sheet) -> bool:
    """Draw a line by its values: "a 2 px red dashed line with round markers of radius 4 px: 5, 7, 6"."""
    words = clause.words
    head, values = words.split(":")[0], _values(words)
    scale, places = area.scale("y"), area.places.get("x", ())
    if scale is None or len(values) < 2 or len(places) < 2 or not re.search(r"\bline\b", head):
        return False
    points = [(place, scale(value)) for place, (_, value) in zip(places, values, strict=False) if value is not None]
    line = _stroke(head, points, smooth=False)
    written = re.search(rf"\bvalues {q.N}px (above|below)(?: in letters of {q.N}px)?", words)
    labels = list[Item]()
    if written:
        off = float(written[1]) * (-1 if written[2] == "above" else 1)
        size = float(written[3] or max(11.0, area.letters - 2))
        ink = q.first_colour(words[written.end() :]) or line.colour
        decimals = _decimals(words)
        known = [value for _, value in values if value is not None]
        labels = [
            Label(f"{value:.{decimals}f}", (x, y + off), size, ink) for (x, y), value in zip(points, known, strict=True)
        ]
    return sheet.add([line, *labels])


def _stroke(words: str, points: list[Point], smooth: bool) -> Stroke:
    width = re.search(rf"\b{q.N}px\b", words)
    thick = bounded(float(width[1]), 0.25, 50) if width else 2.0
    dash = q.dash_pattern(words, thick) or ()
    line = Stroke("polyline", tuple(points), q.first_colour(words) or "#000000", thick, dash, smooth=smooth)
    return with_markers(line, words)


def read_curve(clause: Clause, area: Area, sheet: Sheet) -> bool:
    """Draw a curve through points in the plot's units: "a red curve through the points (0, 1), (1, 2)"."""
    words = clause.words
    match = _THROUGH.search(words)
    if match is None:
        return False
    pairs = [(float(part[1]), float(part[3])) for part in re.finditer(q.POINT, words[match.end() :])][:400]
    points = [at for x, y in pairs if (at := area.point(x, y)) is not None]
    if len(points) < 2:
        return False
    head = words[: match.start()]
    return sheet.add([_stroke(head, points, smooth="straight" not in head and len(points) > 2)])


_Reader = Callable[[Clause, Area, Sheet], bool]
READERS: tuple[_Reader, ...] = (read_curve, read_bars, read_line)
"""What a sentence about marks may be, in the order in which they are tried."""
