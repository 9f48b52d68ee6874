"""Parts of charts: which of them a clause speaks of."""

import re

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.axes import read_axes, read_grid, read_tick_labels, read_ticks
from ircore.players.builtin.canvas.bars import read_bars
from ircore.players.builtin.canvas.pies import SLICE, more_wedges, read_pie
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause
from ircore.players.builtin.canvas.wholes import read_whole

_GRID = re.compile(r"\bgrid ?lines?\b|\bgrid\b")
_TICK_LABELS = re.compile(r"\b(?:tick|axis|category|value)?\s*labels?\b|\btexts\b|\bnumbers\b")
_TICKS = re.compile(r"\bticks?(?: marks?)?\b")
_AXIS = re.compile(r"\b(?:(x|y|horizontal|vertical)\s+)?ax(?:is|es)\b")
_BARS = re.compile(r"\b(?:bars?|columns?)\b")
_PIE = re.compile(r"\bpie\b|\b(?:donut|doughnut|ring|annulus)\b|\b(?:wedges|slices|sectors)\b")
_MORE = re.compile(r"\b(?:next|further|more|other|remaining|following|rest of the)\s+(?:wedge|slice|sector)s?\b")


def read_chart_part(clause: Clause, sheet: Sheet) -> bool:
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
        sheet.lead = words
        return read_bars(clause, sheet)
    return bool(_AXIS.search(head)) and "label" not in head and '"' not in head and read_axes(words, sheet)
