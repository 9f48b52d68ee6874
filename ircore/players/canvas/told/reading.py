"""Which messages tell a figure in its own terms, and what comes of them."""

import re

from ircore.players.canvas.shapes import Item
from ircore.players.canvas.sheet import Sheet
from ircore.players.canvas.told.axes import plot_area, read_axes
from ircore.players.canvas.told.figure import Figure, Kind
from ircore.players.canvas.told.frame import chart_items, placed
from ircore.players.canvas.told.looks import outline_of, read_look
from ircore.players.canvas.told.prose import sentences
from ircore.players.canvas.told.values import read_values
from ircore.players.canvas.told.wedges import pie_items, read_wedges

_IN_PIXELS = re.compile(
    r"\bstanding on [xy]\b|\bgrowing (?:right|left|up|down) from\b|\b(?:up|out|down) to [xy] -?\d|\bof radius [\d.]+ px\b"
    r"|\bpx wide and [\d.]+ px high\b|\bcentred at \(",
)
"""Words of the reader's own phrase book: such messages give pixels and are read clause by clause."""

_PIE = re.compile(r"\b(?:pie|donut|doughnut)\b", re.IGNORECASE)
_BARS = re.compile(r"\b(?:bar|column)s?\b", re.IGNORECASE)
_LINES = re.compile(r"\bline (?:chart|graph|plot)\b|\b(?:area|line)/?(?:line)? chart\b|\blines?\b.*\b(?:axis|markers?)\b|\blines? chart\b",
                    re.IGNORECASE | re.DOTALL)  # fmt: skip
_CHART = re.compile(r"\b(?:chart|graph|plot|diagram|figure|axis|axes|bars)\b", re.IGNORECASE)


def read_told(message: str, sheet: Sheet) -> bool:
    """Put a chart or graph on the sheet that a message tells by its values; return whether it does.

    A figure that was told before is taken away: a later message that tells all of it again replaces it.
    """
    if _IN_PIXELS.search(message) or not _CHART.search(message):
        return False
    said = sentences(message)
    text = "\n".join(said)
    items = _items(text, said, sheet)
    if items is None:
        return False
    sheet.forget_told()
    sheet.add(items)
    sheet.told = tuple(items)
    return True


def _items(text: str, said: list[str], sheet: Sheet) -> list[Item] | None:
    """Return the items of the first kind of figure that the text tells, with its background put on the sheet."""
    if _PIE.search(text):
        return _pie(said, sheet)
    if _BARS.search(text):
        return _chart("bar", said, sheet)
    if _LINES.search(text):
        return _chart("line", said, sheet)
    return None


def _pie(said: list[str], sheet: Sheet) -> list[Item] | None:
    wedges, used = read_wedges(said)
    if len(wedges) < 2 or sum(wedge.share for wedge in wedges) < 20:
        return None
    look, more = read_look(said)
    _finish(said, used | more, look.background, sheet)
    return pie_items(wedges, said, look, (sheet.canvas.width, sheet.canvas.height))


def _chart(kind: Kind, said: list[str], sheet: Sheet) -> list[Item] | None:
    x, y, of_axes = read_axes(said)
    text = " ".join(said)
    lying = kind == "bar" and bool(re.search(r"\bhorizontal (?:\w+ )?(?:bar|column)|\bextend\w* to the right|\blying bars", text, re.IGNORECASE))
    category = y if lying else x
    words, series, used = read_values(kind, said, of_axes, category)
    if not series or max(len(one.values) for one in series) < 2:
        return None
    category.words = words
    if lying:
        x.words = ()
    look, more = read_look(said)
    if kind == "bar":
        look.outline = next(filter(None, map(outline_of, (one for one in said if _BARS.search(one)))), None)
    stacked = bool(re.search(r"\bstacked\b|\blayers? from\b", text, re.IGNORECASE))
    figure = Figure(kind, x, y, look, series, lying, stacked)
    _finish(said, of_axes | used | more, look.background, sheet)
    place = placed(figure, (sheet.canvas.width, sheet.canvas.height), plot_area(said))
    return chart_items(figure, place)


def _finish(said: list[str], used: set[int], background: str | None, sheet: Sheet) -> None:
    """Paint the background and note the sentences of which nothing was taken."""
    if background is not None:
        sheet.paint(background)
    for index, sentence in enumerate(said):
        if index not in used and not _CHART.search(sentence):
            sheet.note(f'not understood: "{sentence}"')
