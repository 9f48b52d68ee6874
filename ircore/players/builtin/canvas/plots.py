"""Plots told sentence by sentence in their own units: first the area and the axes, then bars, lines and curves.

A person says "the y axis runs from 0 to 120, labelled every 20", and then only values. Everything that is drawn can be
corrected like any other thing on the sheet. Labels of a pie are told by its wedges.
"""

import math
import re
from collections.abc import Callable
from dataclasses import replace

from ircore.core.drawing import Anchor, Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.figures.frame import choose_anchor
from ircore.players.builtin.canvas.items import add_markers
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, LineItem, PieItem, clamp, step_in_direction
from ircore.players.builtin.canvas.sheet import Area, CanvasSheet
from ircore.players.builtin.canvas.text import Clause

GAP, MARK = 5.0, 5.0
"""Pixels between an axis and its labels, and of a tick mark."""

MOST_LABELS = 100
_AREA = re.compile(rf"\bplot spans {q.N}(?:px)? to {q.N}px across and {q.N}(?:px)? to {q.N}px down\b")
_LETTERS = re.compile(rf"\bletters of {q.N}px(?: in ({q.HEX[1:-1]}))?")
_AXIS = re.compile(r"\b([xy]) axis\b")
_RANGE = re.compile(rf"\bruns from {q.N} to {q.N}\b")
_EVERY = re.compile(rf"\blabelled every {q.N}(deg)?\b")
_WORDS_AT = re.compile(rf'\blabels?\b[^:]*?"\d+".*?\bfrom {q.N}(?:px)? to {q.N}px')
_WORDS_EACH = re.compile(rf'\blabels?\b[^:]*?"\d+".*?\bat ((?:{q.N}(?:px)?(?:\s*,\s*|\s+and\s+))*{q.N})px')
_LINE = re.compile(rf"\b{q.N}px {q.HEX} line\b")
_CALLED = re.compile(r'\bis called "(\d+)"')
_BESIDE = re.compile(rf"\blabels {q.N}px (?:away|off)\b")
MOST_VALUES = 200
_VALUES = re.compile(rf":\s*((?:(?:{q.HEX}\s+)?(?:-?\d{{1,7}}(?:\.\d{{1,6}})?|none)(?:\s*,\s*|\s+and\s+)?)+)")
_VALUE = re.compile(rf"(?:{q.HEX}\s+)?(?:{q.N}|none)")
_WIDE = re.compile(rf"\b{q.N}px (?:wide|high)\b")
_SHIFT = re.compile(rf"\b{q.N}px (left|right|up|down) of the labels\b|\b{q.N}px (above|below) the labels\b")
_THROUGH = re.compile(r"\bthrough the points\b")
_WRITTEN = re.compile(rf"\bvalues? (?:in letters of {q.N}px )?(above|below|beside)\b")

_Value = tuple[str | None, float | None]
"""Colour, if the value has its own, and the number; None where there is none."""
OUT, LED_OUT = 10.0, 26.0
"""Pixels between the rim and a label, without and with a short line that leads to it."""
INSIDE = 0.68
"""Share of the radius at which a label inside a wedge stands, in a pie without a hole."""
_ABOUT = re.compile(r"^(beside|inside) the (?:wedges|slices)\b([^:]*):(.*)$")
_EACH = re.compile(r'"(\d{1,4})"|\bnone\b')
_LETTER_SIZE = re.compile(rf"\bletters of {q.N}px\b")

_Reader = Callable[[Clause, Area, CanvasSheet], bool]


def read_area(clause: Clause, sheet: CanvasSheet) -> bool:
    """Take the area of a plot from "the plot spans 60 to 460 px across and 20 to 420 px down"."""
    match = _AREA.search(clause.words)
    if match is None:
        return False
    left, right, top, bottom = (float(part) for part in match.groups())
    letters = _LETTERS.search(clause.words)
    area = Area(min(left, right), max(left, right), min(top, bottom), max(top, bottom))
    if letters:
        area = replace(area, letters=min(60.0, max(5.0, float(letters[1]))), ink=letters[2] or area.ink)
    sheet.area = area
    return True


def read_axis(clause: Clause, area: Area, sheet: CanvasSheet) -> bool:
    """Draw an axis with its labels, and remember its range or its categories; or write the axis's name."""
    words, match = clause.words, _AXIS.search(clause.words)
    if match is None:
        return False
    name = match[1]
    if called := _CALLED.search(words):
        return _write_name(name, clause.strings[int(called[1])], area, sheet)
    spanned, listed, each = _RANGE.search(words), _WORDS_AT.search(words), _WORDS_EACH.search(words)
    if spanned is None and listed is None and each is None:
        return False
    if spanned:
        area = replace(area, ranges={**area.ranges, name: (float(spanned[1]), float(spanned[2]))})
        labels = _list_number_labels(words, clause, area, name)
    else:
        texts = _find_quoted_texts(clause)
        lengths = re.findall(q.N, each[1]) if each else []
        places = (
            _space_evenly(float(listed[1]), float(listed[2]), len(texts))
            if listed
            else [float(place) for place in lengths]
        )
        labels = list(zip(places, texts, strict=False))
        area = replace(area, places={**area.places, name: tuple(places)})
    area = replace(area, labelled={**area.labelled, name: tuple(place for place, _ in labels)})
    sheet.area = area
    return sheet.add([*_read_axis_line(words, name, area), *_build_labels(words, name, labels, area)]) or True


def align_to_pixels(at: float, width: float) -> float:
    """Return where near ``at`` a level or upright line of this width fills whole pixels."""
    # The middle of a line of odd width lies within a row of pixels, that of an even one between two rows.
    return math.floor(at) + 0.5 if round(width) % 2 else float(round(at))


def read_furniture(words: str, area: Area, sheet: CanvasSheet) -> bool:
    """Draw the panel, the frame or the grid lines of a plot."""
    colour = q.find_first_colour(words)
    if re.search(r"\bpanel of the plot\b", words) and colour:
        middle = (area.left + area.right) / 2, (area.top + area.bottom) / 2
        return sheet.add([Blob("rectangle", middle, area.right - area.left, area.bottom - area.top, colour)])
    if (frame := re.search(rf"\b{q.N}px {q.HEX} frame closes the plot\b", words)) is not None:
        width = min(20.0, max(0.5, float(frame[1])))
        top, right = align_to_pixels(area.top, width), align_to_pixels(area.right, width)
        sides = (((area.left, top), (area.right, top)), ((right, area.top), (right, area.bottom)))
        return sheet.add([LineItem("line", side, frame[2], width) for side in sides])
    if re.search(r"\bgrid lines\b.*\bat (?:the|its|all) labels\b", words):
        return sheet.add(_read_grid(words, area, colour or "#d3d3d3"))
    return False


def read_bars(clause: Clause, area: Area, sheet: CanvasSheet) -> bool:
    """Draw bars by their values: "blue bars, 20 px wide: 12, 30, 5", also stacked on the bars before."""
    words, values = clause.words, _read_values(clause.words)
    axis = next((name for name in ("x", "y") if area.places.get(name)), None)
    scale = area.scale("y" if axis == "x" else "x") if axis else None
    if axis is None or scale is None or not values or not re.search(r"\bbars\b", words.split(":")[0]):
        return False
    wide = _WIDE.search(words)
    half = (float(wide[1]) if wide else 20.0) / 2
    head = words.split(":")[0]
    colour, shift = q.find_first_colour(q.remove_outline_words(head)) or "#1f77b4", _parse_shift(head)
    edge, stroke = q.outline_colour(words), q.stroke_width(words) or 1.0
    items = list[Item]()
    for place, (own, value) in zip(area.places[axis], values, strict=False):
        if value is None:
            continue
        start = (
            _find_top_of_stack(sheet, axis, place + shift, scale(0), scale(value)) if "stacked" in head else scale(0)
        )
        end = start + scale(value) - scale(0)
        box = _compute_bar_sides(axis, place + shift, half, start, end)
        bar = _build_bar(box, own or colour, edge, stroke)
        items += [bar, *_build_value_label(words, axis, bar, value, _count_decimals(words), area)]
    return sheet.add(items)


def read_line(clause: Clause, area: Area, sheet: CanvasSheet) -> bool:
    """Draw a line by its values: "a 2 px red dashed line with round markers of radius 4 px: 5, 7, 6"."""
    words = clause.words
    head, values = words.split(":")[0], _read_values(words)
    scale, places = area.scale("y"), area.places.get("x", ())
    if scale is None or len(values) < 2 or len(places) < 2 or not re.search(r"\bline\b", head):
        return False
    points = [(place, scale(value)) for place, (_, value) in zip(places, values, strict=False) if value is not None]
    line = _read_stroke(head, points, smooth=False)
    written = re.search(rf"\bvalues {q.N}px (above|below)(?: in letters of {q.N}px)?", words)
    labels = list[Item]()
    if written:
        off = float(written[1]) * (-1 if written[2] == "above" else 1)
        size = float(written[3] or max(11.0, area.letters - 2))
        ink = q.find_first_colour(words[written.end() :]) or line.colour
        decimals = _count_decimals(words)
        known = [value for _, value in values if value is not None]
        labels = [
            Label(f"{value:.{decimals}f}", (x, y + off), size, ink) for (x, y), value in zip(points, known, strict=True)
        ]
    return sheet.add([line, *labels])


def read_curve(clause: Clause, area: Area, sheet: CanvasSheet) -> bool:
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
    return sheet.add([_read_stroke(head, points, smooth="straight" not in head and len(points) > 2)])


READERS: tuple[_Reader, ...] = (read_curve, read_bars, read_line)
"""What a sentence about marks may be, in the order in which they are tried."""


def read_wedge_labels(clause: Clause, sheet: CanvasSheet) -> bool:
    """Write a label beside or inside each wedge of the pie that was drawn last; return whether the clause asks so."""
    match = _ABOUT.match(re.sub(r"^add\s+", "", clause.words))
    pie = next((item for item in reversed(sheet.items) if isinstance(item, PieItem)), None)
    if match is None or pie is None:
        return False
    numbers = [int(each[1]) if each[1] else None for each in _EACH.finditer(match[3])]
    texts = [clause.strings[key] if key is not None and key < len(clause.strings) else "" for key in numbers]
    letters = _LETTER_SIZE.search(match[2])
    size = min(60.0, max(5.0, float(letters[1]))) if letters else 14.0
    ink, is_led = q.find_first_colour(match[2]) or "#222222", "short lines" in match[2]
    items = list[Item]()
    for index, text in enumerate(texts[: len(pie.slices)]):
        if text:
            items += _build_wedge_label(pie, index, text, size, ink, match[1] == "inside", is_led)
    return sheet.add(items)


def _find_quoted_texts(clause: Clause) -> list[str]:
    return [clause.strings[int(key)] for key in re.findall(r'"(\d{1,4})"', clause.words)][:MOST_LABELS]


def _space_evenly(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * index / max(1, count - 1) for index in range(count)]


def _list_number_labels(words: str, clause: Clause, area: Area, name: str) -> list[tuple[float, str]]:
    """Return pixels and texts of the labels of an axis of numbers: every step, or as listed in quotes."""
    scale = area.scale(name)
    every = _EVERY.search(words)
    if scale is None:
        return []
    if every is None:
        texts = _find_quoted_texts(clause)
        values = [float(text) for text in texts if re.fullmatch(r"-?\d{1,7}(?:\.\d{1,4})?", text)]
        return [(scale(value), text) for value, text in zip(values, texts, strict=False)]
    step = abs(float(every[1])) or 1.0
    low, high = sorted((scale.low, scale.high))
    # The ends of an axis are told in rounded numbers; a label at an end must not get lost.
    first, last = math.ceil(low / step - 0.02), math.floor(high / step + 0.02)
    decimals = len(every[1].partition(".")[2])
    unit = "°" if every[2] else ""
    # A message from anyone may ask for thousands of labels.
    steps = range(first, min(last, first + MOST_LABELS) + 1)
    return [(scale(step * count), _format_value(step * count, decimals) + unit) for count in steps]


def _format_value(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return "0" if float(text) == 0 else text


def _read_axis_line(words: str, name: str, area: Area) -> list[Item]:
    match = _LINE.search(words)
    if match is None:
        return []
    width, colour = min(20.0, max(0.5, float(match[1]))), match[2]
    at = align_to_pixels(area.bottom if name == "x" else area.left, width)
    ends = ((area.left, at), (area.right, at)) if name == "x" else ((at, area.bottom), (at, area.top))
    return [LineItem(f"{name} axis", ends, colour, width)]


def _build_labels(words: str, name: str, labels: list[tuple[float, str]], area: Area) -> list[Item]:
    """Return tick marks and labels of an axis."""
    level, items = area.bottom if name == "x" else area.left, list[Item]()
    outward = -1 if name == "y" else 1
    has_marks, is_inside = "tick marks" in words, "tick marks inside" in words
    reach = 0.0 if is_inside or not has_marks else MARK
    away = _BESIDE.search(words)
    far = level + outward * (float(away[1]) if away else GAP + reach)
    turn = 45.0 if "slanting" in words else 90.0 if "upright" in words else 0.0
    for place, text in labels:
        if has_marks:
            at = align_to_pixels(place, 1)
            low, high = sorted((level, level + outward * (-MARK if is_inside else MARK)))
            ends = ((at, low), (at, high)) if name == "x" else ((low, at), (high, at))
            items.append(LineItem("tick", ends, area.ink, 1.0))
        # The end of a slanting label stands under its tick.
        point = (place + (5 if turn == 45 else 0), far) if name == "x" else (far, place)
        anchor: Anchor = "rm" if name == "y" else "rt" if turn == 45 else "mt"
        items.append(Label(text, point, area.letters, area.ink, anchor, turn))
    return items


def _write_name(name: str, text: str, area: Area, sheet: CanvasSheet) -> bool:
    """Write the name of an axis along it, beyond its labels."""
    boxes = [item.box for item in sheet.items if isinstance(item, Label)]
    if name == "x":
        low = max((box[3] for box in boxes if box[1] >= area.bottom), default=area.bottom)
        at = ((area.left + area.right) / 2, math.ceil(low) + GAP + 2)
        return sheet.add([Label(text, at, area.letters, area.ink, "mt")])
    left = min((box[0] for box in boxes if box[2] <= area.left), default=area.left)
    at = (math.floor(left) - GAP - 2, (area.top + area.bottom) / 2)
    return sheet.add([Label(text, at, area.letters, area.ink, "rm", 90.0)])


def _read_grid(words: str, area: Area, colour: str) -> list[Item]:
    dash = q.find_dash_pattern(words, 1.0) or ()
    lines = list[Item]()
    for name in ("x", "y"):
        if re.search(r"\bhorizontal\b" if name == "x" else r"\bvertical\b", words) and not (
            "horizontal" in words and "vertical" in words
        ):
            continue
        for place in area.labelled.get(name, ()):
            at = align_to_pixels(place, 1)
            ends = ((at, area.top), (at, area.bottom)) if name == "x" else ((area.left, at), (area.right, at))
            lines.append(LineItem("grid", ends, colour, 1.0, dash))
    return lines


def _read_values(words: str) -> list[_Value]:
    match = _VALUES.search(words)
    parts = _VALUE.finditer(match[1]) if match else ()
    return [(part[1], float(part[2]) if part[2] else None) for part in parts][:MOST_VALUES]


def _count_decimals(words: str) -> int:
    match = _VALUES.search(words)
    numbers = re.findall(r"-?\d+(?:\.\d+)?", re.sub(q.HEX, " ", match[1])) if match else []
    return max((len(number.partition(".")[2]) for number in numbers), default=0)


def _parse_shift(words: str) -> float:
    match = _SHIFT.search(words)
    if match is None:
        return 0.0
    far, way = float(match[1] or match[3]), match[2] or match[4]
    return clamp(-far if way in {"left", "up", "above"} else far)


def _compute_bar_sides(
    axis: str, at: float, half: float, start: float, end: float
) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a bar, at whole pixels."""
    near, far = round(at - half), round(at + half)
    low, high = sorted((round(start), round(end)))
    return (near, low, far, high) if axis == "x" else (low, near, high, far)


def _build_bar(box: tuple[float, float, float, float], colour: str, edge: str | None, stroke: float) -> Blob:
    left, top, right, bottom = box
    middle = (left + right) / 2, (top + bottom) / 2
    return Blob("bar", middle, max(0.5, right - left), max(0.5, bottom - top), colour, edge, stroke)


def _find_top_of_stack(sheet: CanvasSheet, axis: str, at: float, zero: float, end: float) -> float:
    """Return where the next bar of a stack begins: at the far side of the bars that stand there."""
    side = 0 if axis == "x" else 1
    reached = zero
    for item in sheet.items:
        if isinstance(item, Blob) and item.kind == "bar" and abs(item.centre[side] - at) <= 2:
            low, high = (item.box[1], item.box[3]) if axis == "x" else (item.box[0], item.box[2])
            far = low if (end - zero) < 0 else high
            reached = min(reached, far) if (end - zero) < 0 else max(reached, far)
    return reached


def _build_value_label(words: str, axis: str, bar: Blob, value: float, decimals: int, area: Area) -> list[Item]:
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


def _read_stroke(words: str, points: list[Point], smooth: bool) -> LineItem:
    width = re.search(rf"\b{q.N}px\b", words)
    thick = clamp(float(width[1]), 0.25, 50) if width else 2.0
    dash = q.find_dash_pattern(words, thick) or ()
    line = LineItem("polyline", tuple(points), q.find_first_colour(words) or "#000000", thick, dash, smooth=smooth)
    return add_markers(line, words)


def _build_wedge_label(
    pie: PieItem, index: int, text: str, size: float, ink: str, is_inside: bool, is_led: bool
) -> list[Item]:
    start, end = pie.angles()[index]
    middle = math.radians((start + end) / 2)
    centre = step_in_direction(pie.centre, middle, pie.slices[index].pulled)
    if is_inside:
        far = (pie.hole + pie.radius) / 2 if pie.hole else INSIDE * pie.radius
        return [Label(text, step_in_direction(centre, middle, far), size, ink)]
    reach = pie.radius + (LED_OUT if is_led else OUT)
    label = Label(text, step_in_direction(centre, middle, reach), size, ink, choose_anchor(middle))
    if not is_led:
        return [label]
    ends = step_in_direction(centre, middle, pie.radius + 3), step_in_direction(centre, middle, reach - 5)
    return [LineItem("line", ends, ink, 1.0), label]
