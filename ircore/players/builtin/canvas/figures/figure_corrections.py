"""Corrections in a figure's own terms: "the bar for Sat should be 9.7", "Coal is 35 %", "the second point is at 40"."""

import re
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.described_figure import DescribedFigure
from ircore.players.builtin.canvas.figures.prose import NUMBER, decimals, written
from ircore.players.builtin.canvas.quantities import first_colour
from ircore.players.builtin.canvas.shapes import Blob, Label, Pie, Stroke
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause
from ircore.seeing.colours import difference

_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7,
    "ninth": 8, "tenth": 9, "last": -1}  # fmt: skip
_ORDER = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+(?:bar|column|point|value|wedge|slice)\b", re.IGNORECASE)
_NOT = re.compile(rf"(?:,\s*)?\b(?:not|instead of|rather than|from)\s+{NUMBER}\s*%?", re.IGNORECASE)
_VALUE = re.compile(rf"\b(?:be|is|to|at|value|reach(?:es)?|shows?|=|:)\s*(?:of |at |to )?({NUMBER})(?!\s*(?:px|deg))")
_BY = re.compile(r"\bby\s+-?\d")


def change_figure(sentence: str, sheet: Sheet) -> bool:
    """Change one value of the figure described before; return whether the sentence asked for that."""
    figure = sheet.figure
    # Relative changes and changes in pixels are read like those of any other item.
    if figure is None or _BY.search(sentence) or re.search(r"\d\s*px\b", sentence):
        return False
    plain = _NOT.sub(" ", sentence)
    index = _which(plain, figure)
    if index is None:
        return False
    name = figure.words[index] if index < len(figure.words) else ""
    # A category such as "2014" would be read as the value.
    match = _VALUE.search(re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", " ", plain) if name else plain)
    if match is None:
        return False
    value, shade = float(match[1]), first_colour(plain)
    if figure.kind == "pie":
        return _change_wedge(index, value, sheet)
    return _change_bar(figure, index, value, shade, sheet) or _change_point(figure, index, value, shade, sheet)


def in_place(clause: Clause, sheet: Sheet) -> Clause:
    """Return a clause with "the bar for Sat" or "the Sat bar" as "the bar at (x,y)", for corrections of other kinds."""
    figure, words = sheet.figure, clause.words
    if figure is None:
        return clause
    for index, name in enumerate(figure.words):
        if name and name.lower() in words and (at := _middle(figure, index, sheet)):
            own, noun = re.escape(name.lower()), r"(bar|column|wedge|slice)"
            place = rf"the \1 at ({at[0]:.1f},{at[1]:.1f})"
            words = re.sub(rf"\b(?:the )?{noun}s? (?:for|of|labelled|labeled|named|at) {own}(?![\w.])", place, words)
            words = re.sub(rf"(?<![\w.])(?:the )?{own}(?:'s)? {noun}\b", place, words)
    return replace(clause, words=words)


def _middle(figure: DescribedFigure, index: int, sheet: Sheet) -> Point | None:
    """Return the middle of the bar or wedge of a category."""
    if figure.kind == "pie":
        pie = next((item for item in sheet.items if isinstance(item, Pie) and index < len(item.slices)), None)
        return pie.slice_centre(index) if pie else None
    bars = _bars_at(figure, index, sheet)
    return bars[0][1].centre if bars else None


def _bars_at(figure: DescribedFigure, index: int, sheet: Sheet) -> list[tuple[int, Blob]]:
    """Return the bars of a category with their places among the items."""
    if figure.place is None:
        return []
    across, side = (figure.place.y, 1) if figure.is_lying else (figure.place.x, 0)
    room = abs(across(1) - across(0)) / 2
    return [
        (number, item) for number, item in enumerate(sheet.items)
        if isinstance(item, Blob) and item.kind == "bar" and abs(item.centre[side] - across(index)) < room
    ]  # fmt: skip


def _which(sentence: str, figure: DescribedFigure) -> int | None:
    """Return which category a sentence names, or counts."""
    # The longest name first: a name may contain a shorter one.
    for index, word in sorted(enumerate(figure.words), key=lambda pair: -len(pair[1])):
        if word and re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", sentence):
            return index
    order = _ORDER.search(sentence)
    if order is None or not figure.words:
        return None
    place = _ORDINALS[order[1].lower()]
    # "last" is −1.
    return place % len(figure.words) if place < len(figure.words) else None


def _change_wedge(index: int, share: float, sheet: Sheet) -> bool:
    for number, item in enumerate(sheet.items):
        if isinstance(item, Pie) and index < len(item.slices):
            parts = list(item.slices)
            parts[index] = replace(parts[index], share=min(100.0, max(0.0, share)))
            sheet.put(number, replace(item, slices=tuple(parts)))
            return True
    return False


def _change_bar(figure: DescribedFigure, index: int, value: float, shade: str | None, sheet: Sheet) -> bool:
    """Set the length of a category's bar: of several bars, of the one in the named colour, else of the first."""
    bars = _bars_at(figure, index, sheet)
    if figure.place is None or not bars:
        return False
    along = figure.place.x if figure.is_lying else figure.place.y
    number, bar = min(bars, key=lambda pair: difference(shade, pair[1].fill) if shade and pair[1].fill else 0.0)
    zero, end = along(0), along(value)
    low, high = sorted((zero, end))
    middle, long = (low + high) / 2, max(0.5, high - low)
    fresh = (
        replace(bar, centre=(middle, bar.centre[1]), width=long)
        if figure.is_lying
        else replace(bar, centre=(bar.centre[0], middle), height=long)
    )
    _move_label(bar, fresh, value, sheet)
    sheet.put(number, fresh)
    return True


def _move_label(bar: Blob, fresh: Blob, value: float, sheet: Sheet) -> None:
    """Move and rewrite the value label of a bar that was changed."""
    for number, item in enumerate(sheet.items):
        if not isinstance(item, Label) or not re.fullmatch(r"-?[\d.]+", item.text):
            continue
        if abs(item.centre[0] - bar.centre[0]) < bar.width and bar.box[1] - 22 < item.centre[1] < bar.box[1]:
            sheet.items[number] = replace(
                item, text=written(value, decimals([value])), at=(item.at[0], fresh.box[1] - 4)
            )
            return


def _change_point(figure: DescribedFigure, index: int, value: float, shade: str | None, sheet: Sheet) -> bool:
    """Move one point of a line: of the line in the named colour, else of the first line."""
    if figure.place is None:
        return False
    at = figure.place.x(index)
    lines = [
        (number, item) for number, item in enumerate(sheet.items)
        if isinstance(item, Stroke) and item.kind == "polyline" and any(abs(x - at) < 2 for x, _ in item.points)
    ]  # fmt: skip
    if not lines:
        return False
    number, line = min(lines, key=lambda pair: difference(shade, pair[1].colour) if shade else 0.0)
    points = tuple((x, figure.place.y(value)) if abs(x - at) < 2 else (x, y) for x, y in line.points)
    sheet.put(number, replace(line, points=points))
    return True
