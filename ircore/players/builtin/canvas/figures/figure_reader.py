"""Recognises messages that describe a figure in its own terms, draws the figure, and corrects it in these terms."""

import math
import re
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.figure import Figure, find_years, outline_of, plot_area, read_axes, read_look
from ircore.players.builtin.canvas.figures.frame import (
    build_chart_items,
    build_pie_items,
    choose_ink,
    choose_plot_area,
    read_wedges,
)
from ircore.players.builtin.canvas.figures.graphs import (
    build_graph_items,
    choose_graph_place,
    describes_graph,
    read_graph,
)
from ircore.players.builtin.canvas.figures.lettered_figures import read_letters
from ircore.players.builtin.canvas.figures.prose import (
    NUMBER,
    count_decimals,
    find_colours,
    format_number,
    replace_objects,
)
from ircore.players.builtin.canvas.figures.prose import split_sentences as split_sentences
from ircore.players.builtin.canvas.figures.values import read_values
from ircore.players.builtin.canvas.quantities import find_first_colour
from ircore.players.builtin.canvas.shapes import (
    Blob,
    BoxF,
    Item,
    Label,
    LineItem,
    PieItem,
    build_polygon,
    compute_middle,
)
from ircore.players.builtin.canvas.sheet import CanvasSheet, DescribedFigure, Kind
from ircore.players.builtin.canvas.text import Clause
from ircore.seeing.colours import measure_difference

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
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7,
    "ninth": 8, "tenth": 9, "last": -1}  # fmt: skip
_ORDER = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+(?:bar|column|point|value|wedge|slice)\b", re.IGNORECASE)
_NOT = re.compile(rf"(?:,\s*)?\b(?:not|instead of|rather than|from)\s+{NUMBER}\s*%?", re.IGNORECASE)
_VALUE = re.compile(rf"\b(?:be|is|to|at|value|reach(?:es)?|shows?|=|:)\s*(?:of |at |to )?({NUMBER})(?!\s*(?:px|deg))")
_BY = re.compile(r"\bby\s+-?\d")
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


def read_ground(sentences: list[str], sheet: CanvasSheet) -> set[int]:
    """Paint a background of several parts; return the indices of the sentences that describe it."""
    for index, sentence in enumerate(sentences):
        if not _GROUND.search(sentence) or len(find_colours(sentence)) < 2:
            continue
        for read in (_read_diagonal, _read_checkers, _read_bands):
            items = read(sentence, sheet)
            if items:
                # Behind everything that is there already.
                sheet.items[:0] = items
                return {index}
    return _read_parts(sentences, sheet)


def _build_rectangle(box: BoxF, colour: str) -> Item:
    left, top, right, bottom = box
    return Blob("rectangle", compute_middle(box), max(0.5, right - left), max(0.5, bottom - top), colour)


def _read_bands(sentence: str, sheet: CanvasSheet) -> list[Item]:
    """Bands side by side in given colours, or stripes of two colours in turn."""
    match = _BANDS.search(sentence)
    if match is None:
        return []
    shades = find_colours(sentence)
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
            bands.append(_build_rectangle(box, shades[n % len(shades)]))
    return bands


def _read_checkers(sentence: str, sheet: CanvasSheet) -> list[Item]:
    if not re.search(r"\bchecker", sentence, re.IGNORECASE):
        return []
    shades, stated = find_colours(sentence), _CELL.search(sentence)
    _, _, wide, high = sheet.space.box
    # A message from anyone may ask for cells of a pixel, which would be thousands of items.
    cell = max(wide / MOST, float(stated[1] or stated[2]) if stated else wide / 8)
    sheet.paint(shades[0])
    rows, columns = int(high / cell + 0.99), int(wide / cell + 0.99)
    return [
        _build_rectangle((column * cell, row * cell, (column + 1) * cell, (row + 1) * cell), shades[1])
        for row in range(rows)
        for column in range(columns)
        if (row + column) % 2
    ]


def _read_diagonal(sentence: str, sheet: CanvasSheet) -> list[Item]:
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
    return [build_polygon("triangle", [corners[corner], *ends], fill=second)]


def _read_parts(sentences: list[str], sheet: CanvasSheet) -> set[int]:
    """Two parts, left and right or above each other, the first of which becomes the background."""
    matches: list[tuple[int, re.Match[str]]] = []
    for index, plain in enumerate(sentences):
        sentence = _COLOUR_FIRST.sub(r"\2 \1 ", plain)
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
    sheet.items.insert(0, _build_rectangle(box, second[5]))
    return {index for index, _ in matches}


def change_figure(sentence: str, sheet: CanvasSheet) -> bool:
    """Change one value of the figure described before; return whether the sentence asked for that."""
    figure = sheet.figure
    # Relative changes and changes in pixels are read like those of any other item.
    if figure is None or _BY.search(sentence) or re.search(r"\d\s*px\b", sentence):
        return False
    plain = _NOT.sub(" ", sentence)
    index = _find_category(plain, figure)
    if index is None:
        return False
    name = figure.words[index] if index < len(figure.words) else ""
    # A category such as "2014" would be read as the value.
    match = _VALUE.search(re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", " ", plain) if name else plain)
    if match is None:
        return False
    value, shade = float(match[1]), find_first_colour(plain)
    if figure.kind == "pie":
        return _change_wedge(index, value, sheet)
    return _change_bar(figure, index, value, shade, sheet) or _change_point(figure, index, value, shade, sheet)


def replace_names_by_places(clause: Clause, sheet: CanvasSheet) -> Clause:
    """Return a clause with "the bar for Sat" or "the Sat bar" as "the bar at (x,y)", for corrections of other kinds."""
    figure, words = sheet.figure, clause.words
    if figure is None:
        return clause
    for index, name in enumerate(figure.words):
        if name and name.lower() in words and (at := _find_middle(figure, index, sheet)):
            own, noun = re.escape(name.lower()), r"(bar|column|wedge|slice)"
            place = rf"the \1 at ({at[0]:.1f},{at[1]:.1f})"
            words = re.sub(rf"\b(?:the )?{noun}s? (?:for|of|labelled|labeled|named|at) {own}(?![\w.])", place, words)
            words = re.sub(rf"(?<![\w.])(?:the )?{own}(?:'s)? {noun}\b", place, words)
    return replace(clause, words=words)


def _find_middle(figure: DescribedFigure, index: int, sheet: CanvasSheet) -> Point | None:
    """Return the middle of the bar or wedge of a category."""
    if figure.kind == "pie":
        pie = next((item for item in sheet.items if isinstance(item, PieItem) and index < len(item.slices)), None)
        return pie.slice_centre(index) if pie else None
    bars = _find_bars_at(figure, index, sheet)
    return bars[0][1].centre if bars else None


def _find_bars_at(figure: DescribedFigure, index: int, sheet: CanvasSheet) -> list[tuple[int, Blob]]:
    """Return the bars of a category with their places among the items."""
    if figure.place is None:
        return []
    across, side = (figure.place.y, 1) if figure.is_lying else (figure.place.x, 0)
    room = abs(across(1) - across(0)) / 2
    return [
        (number, item) for number, item in enumerate(sheet.items)
        if isinstance(item, Blob) and item.kind == "bar" and abs(item.centre[side] - across(index)) < room
    ]  # fmt: skip


def _find_category(sentence: str, figure: DescribedFigure) -> int | None:
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


def _change_wedge(index: int, share: float, sheet: CanvasSheet) -> bool:
    for number, item in enumerate(sheet.items):
        if isinstance(item, PieItem) and index < len(item.slices):
            parts = list(item.slices)
            parts[index] = replace(parts[index], share=min(100.0, max(0.0, share)))
            sheet.put(number, replace(item, slices=tuple(parts)))
            return True
    return False


def _change_bar(figure: DescribedFigure, index: int, value: float, shade: str | None, sheet: CanvasSheet) -> bool:
    """Set the length of a category's bar: of several bars, of the one in the named colour, else of the first."""
    bars = _find_bars_at(figure, index, sheet)
    if figure.place is None or not bars:
        return False
    along = figure.place.x if figure.is_lying else figure.place.y
    number, bar = min(bars, key=lambda pair: measure_difference(shade, pair[1].fill) if shade and pair[1].fill else 0.0)
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


def _move_label(bar: Blob, fresh: Blob, value: float, sheet: CanvasSheet) -> None:
    """Move and rewrite the value label of a bar that was changed."""
    for number, item in enumerate(sheet.items):
        if not isinstance(item, Label) or not re.fullmatch(r"-?[\d.]+", item.text):
            continue
        if abs(item.centre[0] - bar.centre[0]) < bar.width and bar.box[1] - 22 < item.centre[1] < bar.box[1]:
            sheet.items[number] = replace(
                item, text=format_number(value, count_decimals([value])), at=(item.at[0], fresh.box[1] - 4)
            )
            return


def _change_point(figure: DescribedFigure, index: int, value: float, shade: str | None, sheet: CanvasSheet) -> bool:
    """Move one point of a line: of the line in the named colour, else of the first line."""
    if figure.place is None:
        return False
    at = figure.place.x(index)
    lines = [
        (number, item) for number, item in enumerate(sheet.items)
        if isinstance(item, LineItem) and item.kind == "polyline" and any(abs(x - at) < 2 for x, _ in item.points)
    ]  # fmt: skip
    if not lines:
        return False
    number, line = min(lines, key=lambda pair: measure_difference(shade, pair[1].colour) if shade else 0.0)
    points = tuple((x, figure.place.y(value)) if abs(x - at) < 2 else (x, y) for x, y in line.points)
    sheet.put(number, replace(line, points=points))
    return True


def read_figure(message: str, sheet: CanvasSheet) -> list[str] | None:
    """Put the figure that a message describes in its own terms on the sheet, in place of one that was told before.

    Returns the sentences to be read clause by clause; None if the message describes no such figure.
    """
    if _IN_PIXELS.search(message):
        return None
    sentences = split_sentences(message)
    text = "\n".join(sentences)
    figure = _find_figure(text, sentences, sheet) if _CHART.search(text) else None
    if figure is not None:
        _replace_figure(*figure, sheet)
        return []
    plan = read_letters(sentences, sheet.size, choose_ink(read_look(sentences)[0].background or "#ffffff"))
    if plan is None:
        painted = read_ground(sentences, sheet)
        left = [sentence for index, sentence in enumerate(sentences) if index not in painted]
        return left if painted or replace_objects(message) != message else None
    _replace_figure(plan[0].items(), None, sheet)
    return [
        sentence for index, sentence in enumerate(sentences) if index not in plan[1] or _BACKGROUND.search(sentence)
    ]


def _replace_figure(items: list[Item], figure: DescribedFigure | None, sheet: CanvasSheet) -> None:
    sheet.forget_figure()
    sheet.add(items)
    sheet.told, sheet.figure = tuple(items), figure


_Found = tuple[list[Item], DescribedFigure | None]


def _find_figure(text: str, sentences: list[str], sheet: CanvasSheet) -> _Found | None:
    """Return the first kind of figure that the text describes, and paint its background."""
    # Pies and bars first: nearly every chart speaks of lines as well.
    if _PIE.search(text):
        return _read_pie(sentences, sheet)
    if _BARS.search(text):
        return _read_chart("bar", sentences, sheet)
    if describes_graph(text, sentences) and (items := _read_graph_items(sentences, sheet)):
        return items, None
    return _read_chart("line", sentences, sheet) if _LINES.search(text) else None


def _read_graph_items(sentences: list[str], sheet: CanvasSheet) -> list[Item] | None:
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
    _finish_background(sentences, of_axes | used | more, look.background, sheet)
    place = choose_graph_place(figure, graph, sentences, sheet.size)
    return build_graph_items(figure, graph, place, sentences)


def _read_pie(sentences: list[str], sheet: CanvasSheet) -> _Found | None:
    wedges, used = read_wedges(sentences)
    if len(wedges) < 2 or math.fsum(wedge.share for wedge in wedges) < 20:
        return None
    look, more = read_look(sentences)
    _finish_background(sentences, used | more, look.background, sheet)
    items = build_pie_items(wedges, sentences, look, sheet.size)
    return items, DescribedFigure("pie", tuple(wedge.name for wedge in wedges))


def _read_chart(kind: Kind, sentences: list[str], sheet: CanvasSheet) -> _Found | None:
    x, y, of_axes = read_axes(sentences)
    text = "\n".join(sentences)
    lying = kind == "bar" and bool(
        re.search(r"\bhorizontal (?:\w+ )?(?:bar|column)|\bextend\w* to the right|\blying bars", text, re.IGNORECASE)
    )
    category = y if lying else x
    category.words = category.words or find_years(sentences)
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
    _finish_background(sentences, of_axes | used | more, look.background, sheet)
    place = choose_plot_area(figure, sheet.size, plot_area(sentences))
    return build_chart_items(figure, place), DescribedFigure(kind, words, place, lying)


def _finish_background(sentences: list[str], used: set[int], background: str | None, sheet: CanvasSheet) -> None:
    """Paint the background and note the sentences of which nothing was taken."""
    if background is not None:
        sheet.paint(background)
    for index, sentence in enumerate(sentences):
        if index not in used and not _KNOWN.search(sentence):
            sheet.note(f'not understood: "{sentence}"')
