"""The picture's size and background."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.kinds import NOUN
from ircore.players.builtin.canvas.shapes import Canvas
from ircore.players.builtin.canvas.sheet import Sheet

_BACKGROUND = re.compile(r"\bbackground\b|\b(?:picture|image|canvas)\b")
_OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left", "top left": "bottom right",
    "top right": "bottom left", "bottom left": "top right", "bottom right": "top left"}  # fmt: skip


def read_background(words: str, sheet: Sheet) -> bool:
    """Read the picture's size and background; a clause that also speaks of things is left to others."""
    if not _BACKGROUND.search(words):
        return False
    done, canvas = False, sheet.canvas
    size = re.search(
        rf"(?:picture|image|canvas)\b[^#(]{{0,30}}?{q.N}(?:px)?\s*(?:wide\s*)?(?:by|x|and"
        rf"|,)\s*{q.N}(?:px)?|{q.N}(?:px)?\s*(?:by|x)\s*{q.N}(?:px)?\s+(?:picture|image|canvas)",
        words,
    )
    if size:
        wide, high = (min(2048, max(8, round(abs(float(value))))) for value in (size[1] or size[3], size[2] or size[4]))
        canvas, done = replace(canvas, width=wide, height=high), True
    fade = re.search(
        rf"\b(?:fade|fading|gradient|blend|shade|change|transition"
        rf"|go)\w{{0,4}}\b.{{0,60}}?{q.HEX}(.{{0,40}}?)\bto\s+(?:a\s+)?{q.HEX}(.{{0,60}})",
        words,
    )
    if fade:
        # The direction may stand before the colours: "from left to right the background fades from … to …".
        canvas, done = _faded(canvas, fade[1], fade[2], fade[3], fade[4] + " " + words[: fade.start()]), True
    elif plain := re.search(
        rf"\bbackground\b[^#]{{0,30}}{q.HEX}|{q.HEX}\s+(?:\w{{1,12}}\s+)?(?:background|picture|image"
        rf"|canvas)|(?:picture|image|canvas)\s+(?:is|in)\s+{q.HEX}",
        words,
    ):
        canvas, done = replace(canvas, background=plain[1] or plain[2] or plain[3], fade=None), True
    sheet.canvas = canvas
    rest = re.split(r"\b(?:background|picture|image|canvas)\b", words)[-1]
    return (
        done and not re.search(r"\b(?:with|and|has|there|shows)\b.{0,12}\b(?:an?|\d+)\b.{0,40}", rest)
        if NOUN.search(rest)
        else done
    )


def _faded(canvas: Canvas, first: str, where: str, second: str, after: str) -> Canvas:
    near, far = _edge_words(where), _edge_words(after)
    if "edge" in after or "outwards" in after or re.search(r"\bcentre\b", where):
        return replace(canvas, background=first, fade=second, fade_to="edges")
    if re.search(r"\bcentre\b", after):
        return replace(canvas, background=second, fade=first, fade_to="edges")
    side = far or _OPPOSITE.get(near, "") or ("right" if "horizontal" in after else "bottom")
    if side in {"top", "left", "top left", "top right"}:
        return replace(canvas, background=second, fade=first, fade_to=_OPPOSITE[side])
    return replace(canvas, background=first, fade=second, fade_to=side)


def _edge_words(words: str) -> str:
    low = re.search(r"\b(?:bottom|lower)\b", words)
    row = "top" if re.search(r"\b(?:top|upper)\b", words) else "bottom" if low else ""
    column = "left" if re.search(r"\bleft\b", words) else "right" if re.search(r"\bright\b", words) else ""
    return f"{row} {column}".strip()
