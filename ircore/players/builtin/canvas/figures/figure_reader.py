"""Recognises messages that describe a figure in its own terms, and draws the figure."""

import math
import re

from ircore.players.builtin.canvas.described_figure import DescribedFigure, Kind
from ircore.players.builtin.canvas.figures.axes import plot_area, read_axes, years_in
from ircore.players.builtin.canvas.figures.curves import read_graph, tells_graph
from ircore.players.builtin.canvas.figures.figure import Figure
from ircore.players.builtin.canvas.figures.frame import chart_items, ink_on, placed
from ircore.players.builtin.canvas.figures.grounds import read_ground
from ircore.players.builtin.canvas.figures.lettered_figures import read_letters
from ircore.players.builtin.canvas.figures.looks import outline_of, read_look
from ircore.players.builtin.canvas.figures.objects import without_objects
from ircore.players.builtin.canvas.figures.plane import graph_items, graph_place
from ircore.players.builtin.canvas.figures.prose import sentences as split_sentences
from ircore.players.builtin.canvas.figures.values import read_values
from ircore.players.builtin.canvas.figures.wedges import pie_items, read_wedges
from ircore.players.builtin.canvas.shapes import Item
from ircore.players.builtin.canvas.sheet import Sheet

_IN_PIXELS = re.compile(
    r"\bplot spans \d|\bpoint [A-Z] (?:is )?at \(\d"
    r"|\bstanding on [xy]\b|\bgrowing (?:right|left|up|down) from\b|\b(?:up|out|down) to [xy] -?\d"
    r"|\bof radius [\d.]+ px\b"
    r"|\bpx wide and [\d.]+ px high\b|\bcentred at \("
    r"|\b[Aa] [\d.]+ px\b|, font size \d|\baxis, [\d.]+ px, from \(|\b[Tt]icks of [\d.]+ px on the [xy] axis"
    r"|\bgrid lines in [^,]{1,40}, [\d.]+ px, at [xy] ",
)
"""Words of the reader's own phrase book: such messages give pixels and are read clause by clause."""

_BACKGROUND = re.compile(r"\bbackground\b", re.IGNORECASE)
_PIE = re.compile(r"\b(?:pie|donut|doughnut)\b", re.IGNORECASE)
_BARS = re.compile(r"\b(?:bar|column)s?\b", re.IGNORECASE)
_LINES = re.compile(r"\bline (?:chart|graph|plot)\b|\b(?:area|line)/?(?:line)? chart\b|\blines?\b.*\b(?:axis"
    r"|markers?)\b|\blines? chart\b",
                    re.IGNORECASE | re.DOTALL)  # fmt: skip
_KNOWN = re.compile(
    r"\b(?:chart|graph|plot|diagram|figure|ax[ei]s|bars?|lines?|groups|categories|slices?|wedges?|pie|labels?|percentages?|letters|titles?|legend"
    r"|clockwise|data)\b", re.IGNORECASE,
)  # fmt: skip
"""Words of charts: a sentence with such a word is not reported, since charts are drawn that way anyway."""

_CHART = re.compile(r"\b(?:chart|graph|plot|diagram|figure|axis|axes|bars)\b", re.IGNORECASE)


def read_figure(message: str, sheet: Sheet) -> list[str] | None:
    """Put the figure that a message describes in its own terms on the sheet, in place of one that was told before.

    Returns the sentences to be read clause by clause; None if the message describes no such figure.
    """
    if _IN_PIXELS.search(message):
        return None
    sentences = split_sentences(message)
    text = "\n".join(sentences)
    figure = _found(text, sentences, sheet) if _CHART.search(text) else None
    if figure is not None:
        _replace_figure(*figure, sheet)
        return []
    plan = read_letters(sentences, sheet.size, ink_on(read_look(sentences)[0].background or "#ffffff"))
    if plan is None:
        painted = read_ground(sentences, sheet)
        left = [sentence for index, sentence in enumerate(sentences) if index not in painted]
        return left if painted or without_objects(message) != message else None
    _replace_figure(plan[0].items(), None, sheet)
    return [
        sentence for index, sentence in enumerate(sentences) if index not in plan[1] or _BACKGROUND.search(sentence)
    ]


def _replace_figure(items: list[Item], figure: DescribedFigure | None, sheet: Sheet) -> None:
    sheet.forget_figure()
    sheet.add(items)
    sheet.told, sheet.figure = tuple(items), figure


_Found = tuple[list[Item], DescribedFigure | None]


def _found(text: str, sentences: list[str], sheet: Sheet) -> _Found | None:
    """Return the first kind of figure that the text describes, and paint its background."""
    # Pies and bars first: nearly every chart speaks of lines as well.
    if _PIE.search(text):
        return _pie(sentences, sheet)
    if _BARS.search(text):
        return _chart("bar", sentences, sheet)
    if tells_graph(text, sentences) and (items := _graph(sentences, sheet)):
        return items, None
    return _chart("line", sentences, sheet) if _LINES.search(text) else None


def _graph(sentences: list[str], sheet: Sheet) -> list[Item] | None:
    x, y, of_axes = read_axes(sentences, bare=True)
    graph, used = read_graph(sentences)
    if not graph.curves or not (of_axes or any(curve.function for curve in graph.curves)):
        return None
    if x.words and not x.ticks and not all(word.lstrip("-").replace(".", "").isdigit() for word in x.words):
        return None
    # A graph has numbers along both axes.
    x.words = y.words = ()
    look, more = read_look(sentences)
    figure = Figure("graph", x, y, look)
    _finish(sentences, of_axes | used | more, look.background, sheet)
    place = graph_place(figure, graph, sentences, sheet.size)
    return graph_items(figure, graph, place, sentences)


def _pie(sentences: list[str], sheet: Sheet) -> _Found | None:
    wedges, used = read_wedges(sentences)
    if len(wedges) < 2 or math.fsum(wedge.share for wedge in wedges) < 20:
        return None
    look, more = read_look(sentences)
    _finish(sentences, used | more, look.background, sheet)
    items = pie_items(wedges, sentences, look, sheet.size)
    return items, DescribedFigure("pie", tuple(wedge.name for wedge in wedges))


def _chart(kind: Kind, sentences: list[str], sheet: Sheet) -> _Found | None:
    x, y, of_axes = read_axes(sentences)
    text = "\n".join(sentences)
    lying = kind == "bar" and bool(
        re.search(r"\bhorizontal (?:\w+ )?(?:bar|column)|\bextend\w* to the right|\blying bars", text, re.IGNORECASE)
    )
    category = y if lying else x
    category.words = category.words or years_in(sentences)
    words, series, used = read_values(kind, sentences, of_axes, category)
    if not series or max(len(line.values) for line in series) < 2:
        return None
    category.words, other = words, x if lying else y
    other.words = ()
    look, more = read_look(sentences)
    if kind == "bar":
        look.outline = next(
            filter(None, map(outline_of, (sentence for sentence in sentences if _BARS.search(sentence)))), None
        )
    stacked = bool(re.search(r"\bstacked\b|\blayers? from\b", text, re.IGNORECASE))
    figure = Figure(kind, x, y, look, series, lying, stacked)
    _finish(sentences, of_axes | used | more, look.background, sheet)
    place = placed(figure, sheet.size, plot_area(sentences))
    return chart_items(figure, place), DescribedFigure(kind, words, place, lying)


def _finish(sentences: list[str], used: set[int], background: str | None, sheet: Sheet) -> None:
    """Paint the background and note the sentences of which nothing was taken."""
    if background is not None:
        sheet.paint(background)
    for index, sentence in enumerate(sentences):
        if index not in used and not _KNOWN.search(sentence):
            sheet.note(f'not understood: "{sentence}"')
