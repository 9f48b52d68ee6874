"""Backgrounds of several parts: halves, bands, stripes, checks, diagonals."""

import re

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.prose import NUMBER, colours
from ircore.players.builtin.canvas.geometry import BoxF, middle_of
from ircore.players.builtin.canvas.shapes import Blob, Item, polygon
from ircore.players.builtin.canvas.sheet import Sheet

_GROUND = re.compile(r"\bbackground\b|\bstripes?\b|\bbands?\b|\bchecker\w*|\bhal(?:f|ves)\b|\bpart\b", re.IGNORECASE)
_BANDS = re.compile(r"\b(vertical|horizontal)\b[^.;#]{0,30}\b(?:bands|stripes|strips|columns|rows)\b", re.IGNORECASE)
_COUNT = re.compile(r"\b(\d{1,2}|two|three|four|five|six|eight|ten|twelve|sixteen)\b(?: \w+){0,3} (?:bands"
    r"|stripes|strips)\b|\b(\d{1,2}) steps\b",
                    re.IGNORECASE)  # fmt: skip
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12, "sixteen": 16}
_PART = re.compile(
    rf"\b(left|right|top|upper|bottom|lower)\b (?:part|half|side|section|portion|area)?[^#;]{{0,40}}?"
    rf"(?:\b([xy])\s*=?\s*({NUMBER})(?:px)?\s*to\s*(?:[xy]\s*=?\s*)?({NUMBER})[^#;]{{0,30}}?)?(#[0-9a-f]{{6}})",
    re.IGNORECASE,
)
_COLOUR_FIRST = re.compile(r"(#[0-9a-f]{6})\W+(left|right|top|upper|bottom|lower)\W+(?=half|part|side)", re.IGNORECASE)
_HALVES = re.compile(r"\bhal(?:f|ves)\b|\bsplit\b|\bdivided\b", re.IGNORECASE)
_DIAGONAL = re.compile(
    r"\b(?:split|divided)\b[^.;#]{0,20}\bdiagonal\w*(?:[^.;#]{0,20}from (?:the )?(top|upper|bottom|lower) (left"
    r"|right))?",
    re.IGNORECASE,
)
_CORNER_PART = re.compile(
    r"(#[0-9a-f]{6})[^,.;#]{0,16}?\b(upper|top|lower|bottom) (left|right)\b|\b(upper|top|lower|bottom) (left"
    r"|right)\b[^,.;#]{0,24}(#[0-9a-f]{6})",
    re.IGNORECASE,
)
_CELL = re.compile(rf"\b(?:cells?|squares?)\b[^.;]{{0,16}}?({NUMBER})\s*px|({NUMBER})\s*px (?:cells|squares)")
MOST = 32


def read_ground(sentences: list[str], sheet: Sheet) -> set[int]:
    """Paint a background of several parts; return the indices of the sentences that describe it."""
    for index, sentence in enumerate(sentences):
        if not _GROUND.search(sentence) or len(colours(sentence)) < 2:
            continue
        for read in (_diagonal, _checks, _bands):
            items = read(sentence, sheet)
            if items:
                # Behind everything that is there already.
                sheet.items[:0] = items
                return {index}
    return _parts(sentences, sheet)


def _rectangle(box: BoxF, colour: str) -> Item:
    left, top, right, bottom = box
    return Blob("rectangle", middle_of(box), max(0.5, right - left), max(0.5, bottom - top), colour)


def _bands(sentence: str, sheet: Sheet) -> list[Item]:
    """Bands side by side in given colours, or stripes of two colours in turn."""
    match = _BANDS.search(sentence)
    if match is None:
        return []
    shades = colours(sentence)
    stated = _COUNT.search(sentence)
    word = (stated[1] or stated[2]).lower() if stated else ""
    count = int(word) if word.isdigit() else _NUMBERS.get(word, 0)
    if re.search(r"\balternat", sentence, re.IGNORECASE) or (count > len(shades) == 2):
        shades = shades[:2]
        count = count or 8
    else:
        count = len(shades)
    _, _, wide, high = sheet.space.box
    across = match[1].lower() == "vertical"
    count = min(MOST, count)
    sheet.paint(shades[0])
    step = (wide if across else high) / count
    bands = []
    for n in range(1, count):
        box = (step * n, 0, step * (n + 1), high) if across else (0, step * n, wide, step * (n + 1))
        # Bands in the first colour are the painted background itself.
        if shades[n % len(shades)] != shades[0]:
            bands.append(_rectangle(box, shades[n % len(shades)]))
    return bands


def _checks(sentence: str, sheet: Sheet) -> list[Item]:
    if not re.search(r"\bchecker", sentence, re.IGNORECASE):
        return []
    shades, stated = colours(sentence), _CELL.search(sentence)
    _, _, wide, high = sheet.space.box
    # A message from anyone may ask for cells of a pixel, which would be thousands of items.
    cell = max(wide / MOST, float(stated[1] or stated[2]) if stated else wide / 8)
    sheet.paint(shades[0])
    rows, columns = int(high / cell + 0.99), int(wide / cell + 0.99)
    return [
        _rectangle((column * cell, row * cell, (column + 1) * cell, (row + 1) * cell), shades[1])
        for row in range(rows)
        for column in range(columns)
        if (row + column) % 2
    ]


def _diagonal(sentence: str, sheet: Sheet) -> list[Item]:
    match = _DIAGONAL.search(sentence)
    stated = list(_CORNER_PART.finditer(sentence[match.end() :])) if match else []
    rows = {"top": "upper", "bottom": "lower"}
    corner_of = [f"{rows.get(row, row)} {side}".lower() for row, side in ((m[2] or m[4], m[3] or m[5]) for m in stated)]
    parts = dict(zip(corner_of, (m[1] or m[6] for m in stated), strict=True))
    if len(parts) < 2:
        return []
    _, _, wide, high = sheet.space.box
    (_, first), (corner, second) = list(parts.items())[:2]
    corners: dict[str, Point] = {"upper left": (0, 0), "upper right": (wide, 0), "lower left": (0, high),
                                 "lower right": (wide, high)}  # fmt: skip
    row, side = corner.split()
    ends = [at for name, at in corners.items() if (name.split()[0] == row) != (name.split()[1] == side)]
    sheet.paint(first)
    return [polygon("triangle", [corners[corner], *ends], fill=second)]


def _parts(sentences: list[str], sheet: Sheet) -> set[int]:
    """Two parts, left and right or above each other, the first of which becomes the background."""
    matches: list[tuple[int, re.Match[str]]] = []
    for index, written in enumerate(sentences):
        sentence = _COLOUR_FIRST.sub(r"\2 \1 ", written)
        if _GROUND.search(sentence) and (_HALVES.search(sentence) or re.search(r"\bpart\b", sentence)):
            matches += [(index, match) for match in _PART.finditer(sentence) if _HALVES.search(sentence) or match[2]]
    sides = {match[1].lower() for _, match in matches}
    if len(matches) < 2 or not (
        sides >= {"left", "right"} or (sides & {"top", "upper"} and sides & {"bottom", "lower"})
    ):
        return set()
    (_, first), (_, second) = matches[:2]
    _, _, wide, high = sheet.space.box
    sheet.paint(first[5])
    across = first[1].lower() in {"left", "right"}
    usual = {"left": (0.0, wide / 2), "right": (wide / 2, wide), "top": (0.0, high / 2), "upper": (0.0, high / 2)}
    low, end = (float(second[3]), float(second[4])) if second[2] else usual.get(second[1].lower(), (high / 2, high))
    box = (low, 0, end, high) if across else (0, low, wide, end)
    sheet.items.insert(0, _rectangle(box, second[5]))
    return {index for index, _ in matches}
