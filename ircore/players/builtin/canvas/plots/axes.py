"""Sentences about the area of a plot, its axes, labels, grid lines, frame and panel."""

import math
import re
from dataclasses import replace

from ircore.core.drawing import Anchor
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.area import Area
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Stroke
from ircore.players.builtin.canvas.sheet import Sheet
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


def read_area(clause: Clause, sheet: Sheet) -> bool:
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


def read_axis(clause: Clause, area: Area, sheet: Sheet) -> bool:
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
        labels = _numbers(words, clause, area, name)
    else:
        texts = _quoted(clause)
        lengths = re.findall(q.N, each[1]) if each else []
        places = (
            _evenly(float(listed[1]), float(listed[2]), len(texts)) if listed else [float(place) for place in lengths]
        )
        labels = list(zip(places, texts, strict=False))
        area = replace(area, places={**area.places, name: tuple(places)})
    area = replace(area, labelled={**area.labelled, name: tuple(place for place, _ in labels)})
    sheet.area = area
    return sheet.add([*_line(words, name, area), *_labels(words, name, labels, area)]) or True


def _quoted(clause: Clause) -> list[str]:
    return [clause.strings[int(key)] for key in re.findall(r'"(\d{1,4})"', clause.words)][:MOST_LABELS]


def _evenly(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * index / max(1, count - 1) for index in range(count)]


def _numbers(words: str, clause: Clause, area: Area, name: str) -> list[tuple[float, str]]:
    """Return pixels and texts of the labels of an axis of numbers: every step, or as listed in quotes."""
    scale = area.scale(name)
    every = _EVERY.search(words)
    if scale is None:
        return []
    if every is None:
        texts = _quoted(clause)
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
    return [(scale(step * count), _written(step * count, decimals) + unit) for count in steps]


def _written(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return "0" if float(text) == 0 else text


def crisp(at: float, width: float) -> float:
    """Return where near ``at`` a level or upright line of this width fills whole pixels."""
    # The middle of a line of odd width lies within a row of pixels, that of an even one between two rows.
    return math.floor(at) + 0.5 if round(width) % 2 else float(round(at))


def _line(words: str, name: str, area: Area) -> list[Item]:
    match = _LINE.search(words)
    if match is None:
        return []
    width, colour = min(20.0, max(0.5, float(match[1]))), match[2]
    at = crisp(area.bottom if name == "x" else area.left, width)
    ends = ((area.left, at), (area.right, at)) if name == "x" else ((at, area.bottom), (at, area.top))
    return [Stroke(f"{name} axis", ends, colour, width)]


def _labels(words: str, name: str, labels: list[tuple[float, str]], area: Area) -> list[Item]:
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
            at = crisp(place, 1)
            low, high = sorted((level, level + outward * (-MARK if is_inside else MARK)))
            ends = ((at, low), (at, high)) if name == "x" else ((low, at), (high, at))
            items.append(Stroke("tick", ends, area.ink, 1.0))
        # The end of a slanting label stands under its tick.
        point = (place + (5 if turn == 45 else 0), far) if name == "x" else (far, place)
        anchor: Anchor = "rm" if name == "y" else "rt" if turn == 45 else "mt"
        items.append(Label(text, point, area.letters, area.ink, anchor, turn))
    return items


def _write_name(name: str, text: str, area: Area, sheet: Sheet) -> bool:
    """Write the name of an axis along it, beyond its labels."""
    boxes = [item.box for item in sheet.items if isinstance(item, Label)]
    if name == "x":
        low = max((box[3] for box in boxes if box[1] >= area.bottom), default=area.bottom)
        at = ((area.left + area.right) / 2, math.ceil(low) + GAP + 2)
        return sheet.add([Label(text, at, area.letters, area.ink, "mt")])
    left = min((box[0] for box in boxes if box[2] <= area.left), default=area.left)
    at = (math.floor(left) - GAP - 2, (area.top + area.bottom) / 2)
    return sheet.add([Label(text, at, area.letters, area.ink, "rm", 90.0)])


def read_furniture(words: str, area: Area, sheet: Sheet) -> bool:
    """Draw the panel, the frame or the grid lines of a plot."""
    colour = q.first_colour(words)
    if re.search(r"\bpanel of the plot\b", words) and colour:
        middle = (area.left + area.right) / 2, (area.top + area.bottom) / 2
        return sheet.add([Blob("rectangle", middle, area.right - area.left, area.bottom - area.top, colour)])
    if (frame := re.search(rf"\b{q.N}px {q.HEX} frame closes the plot\b", words)) is not None:
        width = min(20.0, max(0.5, float(frame[1])))
        top, right = crisp(area.top, width), crisp(area.right, width)
        sides = (((area.left, top), (area.right, top)), ((right, area.top), (right, area.bottom)))
        return sheet.add([Stroke("line", side, frame[2], width) for side in sides])
    if re.search(r"\bgrid lines\b.*\bat (?:the|its|all) labels\b", words):
        return sheet.add(_grid(words, area, colour or "#d3d3d3"))
    return False


def _grid(words: str, area: Area, colour: str) -> list[Item]:
    dash = q.dash_pattern(words, 1.0) or ()
    lines = list[Item]()
    for name in ("x", "y"):
        if re.search(r"\bhorizontal\b" if name == "x" else r"\bvertical\b", words) and not (
            "horizontal" in words and "vertical" in words
        ):
            continue
        for place in area.labelled.get(name, ()):
            at = crisp(place, 1)
            ends = ((at, area.top), (at, area.bottom)) if name == "x" else ((area.left, at), (area.right, at))
            lines.append(Stroke("grid", ends, colour, 1.0, dash))
    return lines
