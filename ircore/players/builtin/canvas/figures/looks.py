"""Properties of a whole figure: background, panel, grid, frame, outlines, value labels."""

import re

from ircore.players.builtin.canvas.figures.figure import Look
from ircore.players.builtin.canvas.figures.prose import HEX, colours

_BACKGROUND = (
    re.compile(rf"\b(?:background|bg|backdrop)\s*\(({HEX})\)", re.IGNORECASE),
    re.compile(rf"({HEX})[^,.;:#]{{0,24}}?\s+(?:background|bg|canvas|backdrop)\b", re.IGNORECASE),
    re.compile(rf"\b(?:background|bg|backdrop)\b[^#.;]{{0,30}}({HEX})", re.IGNORECASE),
)
_PANEL = (
    re.compile(
        rf"({HEX})[^,.;:#]{{0,12}}?\s+(?:(?:plot(?:ting)? |chart )?panel|(?:plot(?:ting)?|chart) (?:area"
        rf"|background))\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:plot(?:ting)? |chart )?(?:panel|plot area)\b\s*\(?({HEX})", re.IGNORECASE),
)
_GRID = re.compile(r"\bgrid\b|\bgrid ?lines?\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b[^,.;]{0,24}$|\bwithout\b[^,.;]{0,16}$", re.IGNORECASE)
_FRAME = re.compile(rf"({HEX})?[^,.;#]{{0,24}}\b(?:frame[ds]?|border(?:ed)?|box)\b", re.IGNORECASE)
_OUTLINE = re.compile(
    rf"({HEX}|\bdark\b|\blight\b)?\s*(?:thin |thick )?(?:\w+ )?\b(?:outlines?|outlined|edges|separators?|gaps"
    rf"|borders|lines between)\b",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:value|data)s?[- ]labels?\b|\b(?:its|the|their)\s+values?\s+(?:is |are )?(?:printed|written|shown"
    r"|displayed|above)"
    r"|\bshows? (?:its|the|their) values?\b|\bvalues? (?:inside|above|on top|printed|on each|at the end)",
    re.IGNORECASE,
)


def read_look(sentences: list[str]) -> tuple[Look, set[int]]:
    """Return the look of the figure, and the indices of the sentences that describe it."""
    look, used = Look(), set()
    for index, sentence in enumerate(sentences):
        before = repr(look)
        _background(look, sentence)
        _grid(look, sentence)
        if re.search(r"\bframe|\bborder|\bbox\b", sentence) and not re.search(
            r"\bno (?:\w+ )?(?:frame|border|box)", sentence
        ):
            _frame(look, sentence)
        if _VALUES.search(sentence):
            look.has_value_labels = True
        if re.search(
            r"\b(?:area|region)\b.{0,60}\b(?:fill|shad)|\b(?:fill|shad)\w*.{0,30}\b(?:area|under|below)\b", sentence
        ):
            look.is_filled = True
            look.fill = look.fill or _fill(sentence)
        if repr(look) != before:
            used.add(index)
    return look, used


def _background(look: Look, sentence: str) -> None:
    look.panel = look.panel or next((match[1] for pattern in _PANEL if (match := pattern.search(sentence))), None)
    grounds = (match[1] for pattern in _BACKGROUND if (match := pattern.search(sentence)))
    look.background = look.background or next(grounds, None)


def _grid(look: Look, sentence: str) -> None:
    match = _GRID.search(sentence)
    if match is None or _NO.search(sentence[: match.start()]):
        return
    clause = _clause(sentence, match.start(), match.end())
    lying = bool(re.search(r"\bhorizontal", clause, re.IGNORECASE))
    standing = bool(re.search(r"\bvertical", clause, re.IGNORECASE))
    shades = colours(clause)
    dash = "dotted" if "dotted" in clause else "dashed" if "dash" in clause else ""
    for axis, is_meant in (("y", lying or not standing), ("x", standing or not lying)):
        if is_meant:
            look.grid.setdefault(axis, (shades[0] if shades else "", dash))


def _clause(sentence: str, start: int, end: int) -> str:
    """Return the words about the grid: from the comma or "and" before it to the next comma."""
    before = re.split(r"[,;:]|\bwith\b|\band\b(?! vertical| horizontal)|\bon\b", sentence[:start])[-1]
    after = re.split(r"[,;]|\band\b(?! vertical| horizontal)|\bto\b", sentence[end:])[0]
    return before + sentence[start:end] + after


def _frame(look: Look, sentence: str) -> None:
    match = _FRAME.search(sentence)
    if match and not re.search(r"\b(?:bars?|slices?|wedges?)\b", match[0]):
        look.has_frame = True
        look.frame_colour = look.frame_colour or match[1]


def _fill(sentence: str) -> str | None:
    """Return the colour of a filled area: the first colour after the word "fill", else the last colour."""
    place = re.search(r"\b(?:fill|shad)", sentence)
    after = colours(sentence[place.start() :]) if place else []
    shades = colours(sentence)
    return after[0] if after else shades[-1] if shades else None


def outline_of(sentence: str) -> str | None:
    """Return the colour of outlines in a sentence; None if the sentence mentions no outline."""
    match = _OUTLINE.search(sentence)
    if match is None or re.search(r"\bno\b|\bwithout\b", sentence[max(0, match.start() - 12) : match.end()]):
        return None
    if match[1] and match[1].startswith("#"):
        return match[1]
    low = match[0].lower()
    return "#ffffff" if "light" in low or "gap" in low else "#333333" if "dark" in low else "#222222"
