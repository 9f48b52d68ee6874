"""Sentences that describe new things: backgrounds, parts of charts, quoted texts and shapes."""

import math
import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.charts import (
    AXIS,
    read_axes,
    read_bars,
    read_grid,
    read_tick_labels,
    read_ticks,
    read_whole,
)
from ircore.players.builtin.canvas.items import label
from ircore.players.builtin.canvas.mentions import SLICE, add_wedges, has_relation_before, read_pie, read_things
from ircore.players.builtin.canvas.quantities import RELATION, find_absolute_place, place_beside
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, Label, measure_size
from ircore.players.builtin.canvas.sheet import CanvasSheet, EditTarget, box_of, resolve
from ircore.players.builtin.canvas.text import NOUN, OWN_READERS, PRONOUN, Clause, find_kind

_BACKGROUND = re.compile(r"\bbackground\b|\b(?:picture|image|canvas)\b")
_OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left", "top left": "bottom right",
    "top right": "bottom left", "bottom left": "top right", "bottom right": "top left"}  # fmt: skip
_BACKGROUND_FIRST = re.compile(
    r"((?:on|against|over|with|there is)?\s*(?:an?|the)?\s*(?:plain |solid )?#[0-9a-f]{6} background)"
    r"\s*(?::|,|\bwith\b|\bthere (?:is|are)\b|\bhas\b)\s*(.+)$"
)
_BACKGROUND_AFTER = re.compile(
    r"(.+?)\s*\b(?:on|against|over|in|of)\s+"
    r"((?:an?|the)\s+(?:plain |solid |otherwise )?#[0-9a-f]{6} (?:background|picture|image|canvas))\b(.*)$"
)
_NEXT_PART = re.compile(r",\s*(?:and\s+)?(?=(?:an?|some)\s+[a-z#]|\d{1,2}\s+(?:#|[a-z]+s\b)|(?:ticks?|grid)\b)")
_MOST_PARTS = 100
_GRID = re.compile(r"\bgrid ?lines?\b|\bgrid\b")
_TICK_LABELS = re.compile(r"\b(?:tick|axis|category|value)?\s*labels?\b|\btexts\b|\bnumbers\b")
_TICKS = re.compile(r"\bticks?(?: marks?)?\b")
_BARS = re.compile(r"\b(?:bars?|columns?)\b")
_PIE = re.compile(r"\bpie\b|\b(?:donut|doughnut|ring|annulus)\b|\b(?:wedges|slices|sectors)\b")
_MORE = re.compile(r"\b(?:next|further|more|other|remaining|following|rest of the)\s+(?:wedge|slice|sector)s?\b")


def read_background(words: str, sheet: CanvasSheet) -> bool:
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
        canvas, done = _add_fade(canvas, fade[1], fade[2], fade[3], fade[4] + " " + words[: fade.start()]), True
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


def _add_fade(canvas: Canvas, first: str, where: str, second: str, after: str) -> Canvas:
    near, far = _format_edge(where), _format_edge(after)
    if "edge" in after or "outwards" in after or re.search(r"\bcentre\b", where):
        return replace(canvas, background=first, fade=second, fade_to="edges")
    if re.search(r"\bcentre\b", after):
        return replace(canvas, background=second, fade=first, fade_to="edges")
    side = far or _OPPOSITE.get(near, "") or ("right" if "horizontal" in after else "bottom")
    if side in {"top", "left", "top left", "top right"}:
        return replace(canvas, background=second, fade=first, fade_to=_OPPOSITE[side])
    return replace(canvas, background=first, fade=second, fade_to=side)


def _format_edge(words: str) -> str:
    low = re.search(r"\b(?:bottom|lower)\b", words)
    row = "top" if re.search(r"\b(?:top|upper)\b", words) else "bottom" if low else ""
    column = "left" if re.search(r"\bleft\b", words) else "right" if re.search(r"\bright\b", words) else ""
    return f"{row} {column}".strip()


def read_texts(clause: Clause, sheet: CanvasSheet) -> bool:
    """Add the quoted texts of a clause where they are said to be; the rest of the clause is read as things."""
    keys = [int(key) for key in re.findall(r'"(\d{1,4})"', clause.words)]
    texts = [clause.strings[key] for key in keys if key < len(clause.strings)]
    rest = re.sub(
        r"(?:\b(?:labell?ed|marked|saying|reading|with|containing)\s+)?(?:(?:the|a|an)\s+)?(?:(?:text"
        r'|label|letter|word|number|caption|title|digit)s?\s+)?"\d+"',
        " § ",
        clause.words,
    )
    nouns = [match for match in NOUN.finditer(rest) if find_kind(match[1]) not in OWN_READERS]
    if nouns and nouns[0].start() < rest.find("§") and not has_relation_before(rest, nouns[0]):
        return _add_labelled(clause, rest, texts, sheet)
    points = q.find_points(clause.words, sheet.space)
    if len(texts) > 1 and len(points) == len(texts):
        return sheet.add([label(text, rest, at) for text, at in zip(texts, points, strict=True)])
    return sheet.add([_read_placed_text(text, rest, clause, sheet) for text in texts])


def _read_placed_text(text: str, words: str, clause: Clause, sheet: CanvasSheet) -> Label:
    made = label(text, words, sheet.space.middle)
    relation = RELATION.search(words)
    other = _resolve_reference(words[relation.end() :], clause, sheet) if relation else None
    if relation and other and not q.find_points(words[: relation.start()], sheet.space, 1):
        at = place_beside(relation.lastgroup or "", box_of(other, sheet), measure_size(made), 4.0)
        return replace(made, at=at, anchor="mm")
    place = find_absolute_place(words, sheet.space, measure_size(made))
    return replace(made, at=place) if place else made


def _add_labelled(clause: Clause, rest: str, texts: list[str], sheet: CanvasSheet) -> bool:
    """Add things with a text on them: in "a red circle labelled "A"" the text stands in the middle."""
    before = len(sheet.items)
    if not read_things(Clause(rest.replace("§", " "), clause.strings, clause.source), sheet):
        return False
    made = sheet.items[before:]
    tail = rest[rest.find("§") :]
    for text, item in zip(texts, made if len(texts) > 1 else made[:1], strict=False):
        sheet.add([_place_label_on(item, text, tail, before > 0, sheet)])
    sheet.last = before
    return True


def _place_label_on(item: Item, text: str, tail: str, others: bool, sheet: CanvasSheet) -> Label:
    """Return a text on an item; "below it" means below the item, unless it may mean another item."""
    written = label(text, tail, item.centre)
    at, relation = q.find_points(tail, sheet.space, 1), RELATION.search(tail)
    # "Below it" is below the thing mentioned before, if there is any.
    own = relation is not None and not (others and PRONOUN.match(tail[relation.end() :]))
    if at:
        return replace(written, at=at[0])
    if relation and own and relation.lastgroup in {"above", "below", "left", "right", "beside"}:
        return replace(written, at=place_beside(relation.lastgroup, item.box, measure_size(written), 4.0))
    if q.find_first_colour(tail) is None and isinstance(item, Blob) and item.fill and _is_dark(item.fill):
        return replace(written, colour="#ffffff")
    return written


def _is_dark(colour: str) -> bool:
    return math.fsum(int(colour[i : i + 2], 16) * w for i, w in ((1, 0.299), (3, 0.587), (5, 0.114))) < 110


def _resolve_reference(words: str, clause: Clause, sheet: CanvasSheet) -> EditTarget | None:
    noun = NOUN.search(words[:80])
    if PRONOUN.match(" " + words.strip()) or noun is None:
        return EditTarget(sheet.last) if sheet.last is not None and (PRONOUN.match(" " + words.strip())) else None
    targets = resolve(words[: noun.end() + 1], clause.strings, sheet)
    return targets[0] if targets else None


def describe(clause: Clause, sheet: CanvasSheet) -> bool:
    """Add the things that a clause describes; return whether any part of the clause was understood."""
    parts = _split_parts(clause.words)
    if len(parts) == 1:
        return _describe_part(clause, sheet)
    # Every part is read before any is asked for: ``any`` alone would stop at the first that was understood.
    understood = [_describe_part(replace(clause, words=part, continues=False), sheet) for part in parts]
    return any(understood)


def _split_parts(words: str) -> list[str]:
    """Split "on a white background: three bars, an x axis, ticks" into parts if each part has a reader of its own."""
    first, rest = _split_off_background(words)
    listed = [part for part in _NEXT_PART.split(rest) if part.strip()]
    nouns = [NOUN.search(part) for part in listed]
    # Only lists with a part of a chart are cut; shapes in lists may stand in relation to each other.
    charts = any(noun and find_kind(noun[1]) in OWN_READERS - {"text", "any"} for noun in nouns)
    if (
        len(listed) > 1
        and charts
        and all(nouns)
        and "(" not in rest
        and "label" not in rest
        and len(listed) <= _MOST_PARTS
    ):
        return first + listed
    return [*first, rest]


def _split_off_background(words: str) -> tuple[list[str], str]:
    """Return the words on the background, if others stand beside them, and the rest: "a dot", "on a black picture"."""
    if (match := _BACKGROUND_FIRST.match(words)) and NOUN.search(match[2]):
        return [match[1]], match[2]
    if (match := _BACKGROUND_AFTER.match(words)) and NOUN.search(match[1]):
        return [match[2]], match[1] + match[3]
    return [], words


def _describe_part(clause: Clause, sheet: CanvasSheet) -> bool:
    return (
        read_background(clause.words, sheet)
        or _read_chart_part(clause, sheet)
        or (re.search(r'"\d+"', clause.words) is not None and read_texts(clause, sheet))
        or read_things(clause, sheet)
    )


def _read_chart_part(clause: Clause, sheet: CanvasSheet) -> bool:
    """Add the chart part that a clause describes; return whether the clause described any."""
    words = clause.words
    head = words.split(":")[0][:160]
    if (
        clause.continues
        and sheet.context in {"bars", "wedges"}
        and re.match(rf"(?:and\s+)?(?:an?\s+)?{q.HEX}|{q.N}%", words)
    ):
        return read_bars(clause, sheet) if sheet.context == "bars" else add_wedges(words, sheet)
    sheet.context = ""
    if _MORE.search(head) and add_wedges(words, sheet):
        sheet.context = "wedges"
        return True
    if _PIE.search(head) and len(SLICE.findall(words)) > (0 if re.search(r"\bpie\b|\bwedges|\bslices", head) else 1):
        return read_pie(words, sheet)
    if read_whole(words, sheet):
        return True
    if _GRID.search(head):
        return read_grid(words, sheet)
    if _TICK_LABELS.search(head) and (labels := read_tick_labels(clause, sheet)):
        return sheet.add(labels)
    if _TICKS.search(head) and "label" not in head:
        return read_ticks(words, sheet)
    if _BARS.search(head):
        # Parts behind a semicolon are read with these opening words.
        sheet.lead = words
        return read_bars(clause, sheet)
    return bool(AXIS.search(head)) and "label" not in head and '"' not in head and read_axes(words, sheet)
