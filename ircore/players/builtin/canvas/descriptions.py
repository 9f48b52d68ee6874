"""Sentences that describe new things: backgrounds, parts of charts, texts and shapes."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.axes import AXIS, read_axes, read_grid, read_tick_labels, read_ticks
from ircore.players.builtin.canvas.backgrounds import read_background
from ircore.players.builtin.canvas.bars import read_bars
from ircore.players.builtin.canvas.default_charts import read_whole
from ircore.players.builtin.canvas.kinds import NOUN, OWN_READERS, kind_of
from ircore.players.builtin.canvas.mentions import read_things
from ircore.players.builtin.canvas.pies import SLICE, more_wedges, read_pie
from ircore.players.builtin.canvas.quoted_texts import read_texts
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

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


def describe(clause: Clause, sheet: Sheet) -> bool:
    """Add the things that a clause describes; return whether any part of the clause was understood."""
    parts = _parts(clause.words)
    if len(parts) == 1:
        return _describe_part(clause, sheet)
    # Every part is read before any is asked for: ``any`` alone would stop at the first that was understood.
    understood = [_describe_part(replace(clause, words=part, continues=False), sheet) for part in parts]
    return any(understood)


def _parts(words: str) -> list[str]:
    """Split "on a white background: three bars, an x axis, ticks" into parts if each part has a reader of its own."""
    first, rest = _background_apart(words)
    listed = [part for part in _NEXT_PART.split(rest) if part.strip()]
    nouns = [NOUN.search(part) for part in listed]
    # Only lists with a part of a chart are cut; shapes in lists may stand in relation to each other.
    charts = any(noun and kind_of(noun[1]) in OWN_READERS - {"text", "any"} for noun in nouns)
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


def _background_apart(words: str) -> tuple[list[str], str]:
    """Return the words on the background, if others stand beside them, and the rest: "a dot", "on a black picture"."""
    if (match := _BACKGROUND_FIRST.match(words)) and NOUN.search(match[2]):
        return [match[1]], match[2]
    if (match := _BACKGROUND_AFTER.match(words)) and NOUN.search(match[1]):
        return [match[2]], match[1] + match[3]
    return [], words


def _describe_part(clause: Clause, sheet: Sheet) -> bool:
    return (
        read_background(clause.words, sheet)
        or _read_chart_part(clause, sheet)
        or (re.search(r'"\d+"', clause.words) is not None and read_texts(clause, sheet))
        or read_things(clause, sheet)
    )


def _read_chart_part(clause: Clause, sheet: Sheet) -> bool:
    """Add the chart part that a clause describes; return whether the clause described any."""
    words = clause.words
    head = words.split(":")[0][:160]
    if (
        clause.continues
        and sheet.context in {"bars", "wedges"}
        and re.match(rf"(?:and\s+)?(?:an?\s+)?{q.HEX}|{q.N}%", words)
    ):
        return read_bars(clause, sheet) if sheet.context == "bars" else more_wedges(words, sheet)
    sheet.context = ""
    if _MORE.search(head) and more_wedges(words, sheet):
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
