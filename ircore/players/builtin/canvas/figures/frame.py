"""Charts turned into items: plot area, axes, ticks, labels, bars and lines; pies by names, colours and shares."""

import itertools
import math
import re
from dataclasses import replace

from ircore.core import exact
from ircore.core.drawing import AxisScale, Point, text_size
from ircore.players.builtin.canvas.figures.figure import DescribedAxis, Figure, FigureLook, Series, Wedge, outline_of
from ircore.players.builtin.canvas.figures.prose import count_decimals, find_colours, find_quoted, format_number
from ircore.players.builtin.canvas.quantities import find_first_colour
from ircore.players.builtin.canvas.shapes import (
    Blob,
    Item,
    Label,
    LineItem,
    PieItem,
    Slice,
    build_polygon,
    step_in_direction,
)
from ircore.players.builtin.canvas.sheet import Place
from ircore.seeing.colours import parse_hex

PALETTE = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
"""Colours of series that have none of their own: matplotlib's default cycle."""

FONT = 13.0
DASHES = {"dashed": (9.0, 5.0), "dotted": (2.0, 4.0), "dashdotted": (10.0, 4.0, 2.0, 4.0), "": ()}
MOST_TICKS = 60
FAINT = {"#222222": "#d6d6d6", "#e0e4ea": "#454d5c"}
"""Colours of grid lines by the ink of axes and labels."""
_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)%")
_NOT_SHARES = re.compile(
    r"\(\s*\d[\d.]*%?\s*,\s*\d[\d.]*%\s*\)|\d[\d.]*%?\s*(?:to\s*\d[\d.]*%\s*)?(?:of|in)\s+(?:the\s+|its\s+)?"
    r"(?:image|picture|width|height|outer|canvas|diameter|radius|frame)\b[^,;]{0,20}"
    r"|\b(?:diameter|radius|width|hole|spans?|size|spanning)\b[^,;%]{0,30}?\d[\d.]*%(?:\s+of\s+(?:the\s+)?\w+(?:\s+\w+)?)?"
    r"|\d[\d.]*%\s*(?:wide|from the|across)"
)
_SIZE = re.compile(
    r"\b(?:diameter|spans?|takes? up|width|size)\b[^,;%]{0,24}?(\d[\d.]*)%"
    r"|(\d[\d.]*)%\s*(?:of\s+(?:the\s+)?(?:image|picture|canvas|width)"
    r"(?:'s)?(?:\s+(?:width|size|wide|in diameter))?|wide|across)"
)
_CENTRE = re.compile(
    r"\bcent(?:er|re)d?\s+(?:is\s+)?(?:at|around|near)\s+\(\s*(\d[\d.]*)%?\s*,\s*(\d[\d.]*)%\s*\)", re.IGNORECASE
)
_HOLE = re.compile(r"\bhole\b[^.;%]{0,40}?(\d[\d.]*)%|(\d[\d.]*)%[^.;,]{0,12}\bhole\b", re.IGNORECASE)
_COLOUR_BEHIND = re.compile(r"\s*[(,:-]*\s*#[0-9a-f]{6}[^,;.]{0,24}")
_PULLED = re.compile(r"\b(?:pulled|exploded|detached|offset|separated|slid)\b", re.IGNORECASE)
_STOP = re.compile(
    r"(?:the|an?|pie|chart|start\w*|beginning|clockwise|slices?|wedges?|donut|background|labels?|color|share|percentages"
    r"|three|four|five|six|figure|create|image|from|at|all|and|then|large|small|segment)$",
    re.IGNORECASE,
)
"""Words with a capital, at the head of a sentence, that name no wedge."""

_NAMED = (
    re.compile(r"\blabeled\s+\"?([A-Za-z0-9][\w-]*)"),
    re.compile(r"\bfor\s+([A-Z][\w-]*(?: [A-Z]\w*)?)"),
    re.compile(r"\b(?:[Ww]edge|[Ss]lice|[Ss]egment|[Ss]ector)\s+\"?([A-Z0-9][\w-]*)\b"),
    re.compile(r"\b(?:label|name|category)[:\s]+\"?([A-Z0-9][\w-]*(?: \w+)?)"),
    re.compile(r"(?:^|[,:;(-]|\band\b)\s*\"?([A-Z0-9][\w-]*(?: [A-Za-z][\w]*)?)\"?\s*(?=:|,|\(|-|=|\bis\b|\d|#|\))"),
)
_FIRST_MIDDLE = re.compile(r"\b(?:first|starting) (?:wedge|slice)\b[^.;]{0,20}\bis centered at the top", re.IGNORECASE)


def choose_ink(background: str) -> str:
    """Return dark or light ink, whichever is read better."""
    red, green, blue = parse_hex(background)
    # Luma by the weights of ITU-R BT.601.
    return "#222222" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#e0e4ea"


def list_ticks(axis: DescribedAxis, low: float, high: float) -> list[float]:
    """Return the tick values of an axis: as listed, in the given step, or about six round values."""
    if axis.ticks:
        return list(axis.ticks)
    step = axis.step or _round_step((high - low) / 6)
    # Rounding of the quotient must not lose the ticks at both ends.
    first = math.ceil(low / step - 1e-9)
    count = min(MOST_TICKS, math.floor(high / step + 1e-9) - first + 1)
    return [round((first + index) * step, 9) for index in range(count)]


def find_span(axis: DescribedAxis, values: list[float], from_zero: bool) -> tuple[float, float]:
    """Return where an axis begins and ends: as told, or so that all values lie within."""
    known = [*values, *axis.ticks, *((0.0,) if from_zero else ())]
    low = axis.low if axis.low is not None else min(known, default=0.0)
    high = axis.high if axis.high is not None else max(known, default=1.0)
    if axis.high is None and not axis.ticks and high > low:
        step = _round_step((high - low) / 5)
        low, high = (math.floor(low / step) * step if axis.low is None else low), math.ceil(high / step) * step
    low, high = min(low, *values) if values else low, max(high, *values) if values else high
    return (low, high) if high > low else (low, low + 1.0)


def choose_plot_area(figure: Figure, size: tuple[int, int], area: dict[str, tuple[float, float]]) -> Place:
    """Return the plot area of a bar or line chart: as described in pixels, else where charts usually lie."""
    along, across = (figure.x, figure.y) if figure.is_lying else (figure.y, figure.x)
    low, high = find_span(along, _list_heights(figure), figure.kind == "bar")
    words = max(len(across.words), *(len(series.values) for series in figure.series))
    # Half the room of a category is left free at both ends.
    pad = 0.5
    wide, high_px = size
    longest = max((text_size(word, FONT)[0] for word in across.words), default=0.0) if figure.is_lying else 30.0
    left, right = area.get("x", ((0.07 if figure.is_lying else 0.09) * wide + longest, 0.94 * wide))
    top, bottom = area.get("y", (0.07 * high_px, (0.9 if not across.name else 0.88) * high_px))
    ink = choose_ink(figure.look.background or "#ffffff")
    if figure.is_lying:
        return Place(AxisScale(low, high, left, right), AxisScale(words - 1 + pad, -pad, bottom, top), ink)
    return Place(AxisScale(-pad, words - 1 + pad, left, right), AxisScale(low, high, bottom, top), ink)


def build_chart_items(figure: Figure, place: Place) -> list[Item]:
    """Return everything of a chart of bars or lines, back to front."""
    items = [*build_ground(figure, place), *_build_marks(figure, place)]
    return [
        *items,
        *_build_axis_items(figure, place),
        *_build_value_labels(figure, place),
        *_build_series_names(figure, place),
    ]


def build_ground(figure: Figure, place: Place) -> list[Item]:
    """Return panel and grid lines."""
    look, items = figure.look, list[Item]()
    if look.panel:
        middle = (place.left + place.right) / 2, (place.top + place.bottom) / 2
        items.append(Blob("rectangle", middle, place.right - place.left, place.bottom - place.top, look.panel))
    for name, (colour, dash) in look.grid.items():
        axis, scale = (figure.x, place.x) if name == "x" else (figure.y, place.y)
        places = [float(n) for n in range(len(axis.words))] if axis.words else list_ticks(axis, scale.low, scale.high)
        shade = colour or ("#ffffff" if look.panel and look.panel != "#ffffff" else FAINT[place.ink])
        for at in (scale(value) for value in places):
            ends = ((at, place.top), (at, place.bottom)) if name == "x" else ((place.left, at), (place.right, at))
            pattern = (6.0, 4.0) if dash == "dashed" else (2.0, 3.0) if dash else ()
            items.append(LineItem("grid", ends, shade, 1.0, pattern))
    return items


def mix_tint(background: str | None, colour: str) -> str:
    """Return a tint of a colour on a background: 28 % of the colour."""
    pairs = zip(parse_hex(background or "#ffffff"), parse_hex(colour), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * 0.28):02x}" for a, b in pairs)


def build_frame_lines(look: FigureLook, place: Place) -> list[Item]:
    """Return the upper and the right side of a frame, if the figure has a frame."""
    if not look.has_frame:
        return []
    corner, colour = (place.right, place.top), look.frame_colour or place.ink
    ends = (((place.left, place.top), corner), (corner, (place.right, place.bottom)))
    return [LineItem("line", side, colour, 1.0) for side in ends]


def build_titles(figure: Figure, place: Place, items: list[Item]) -> list[Item]:
    """Return the names of the axes, beyond all labels."""
    labels = [item.box for item in items if isinstance(item, Label)]
    made = list[Item]()
    if figure.x.name:
        low = max((box[3] for box in labels), default=place.bottom)
        made.append(Label(figure.x.name, ((place.left + place.right) / 2, low + 7), FONT + 1, place.ink, "mt"))
    if figure.y.name:
        left = min((box[0] for box in labels), default=place.left)
        turn = 90.0 if len(figure.y.name) > 1 else 0.0
        at = (max(16.0, left - 7), (place.top + place.bottom) / 2)
        made.append(Label(figure.y.name, at, FONT + 1, place.ink, "rm", turn))
    return made


def read_wedges(sentences: list[str]) -> tuple[list[Wedge], set[int]]:
    """Return the shares of a pie in order, and which sentences told them."""
    wedges, used = list[Wedge](), set[int]()
    for index, sentence in enumerate(sentences):
        # Blanks of the same length keep all places in the sentence valid.
        plain = _NOT_SHARES.sub(lambda match: " " * len(match[0]), sentence)
        percents = list(_PERCENT.finditer(plain))
        # Percentages of examples are no shares.
        if not percents or re.search(r"\be\.g|\bsuch as\b|\blike\b", sentence):
            continue
        sentence_wedges = [
            _read_wedge(chunk, float(percent[1]))
            for chunk, percent in zip(_split_at_percents(plain, percents), percents, strict=True)
        ]
        if len(percents) == 1 and not sentence_wedges[0].name and not sentence_wedges[0].colour:
            continue
        wedges += sentence_wedges
        used.add(index)
    return wedges, used


def build_pie_items(wedges: list[Wedge], sentences: list[str], look: FigureLook, size: tuple[int, int]) -> list[Item]:
    """Return the pie and its labels."""
    text = " ".join(sentences)
    side = min(size)
    size_match = _SIZE.search(_CENTRE.sub(" ", re.sub(r"\bhole\b[^.;,]{0,60}", " ", text)))
    share = float(size_match[1] or size_match[2]) / 100 if size_match else 0.68
    radius = side * min(0.98, max(0.1, share)) / 2
    centre_told = _CENTRE.search(text)
    x, y = (float(centre_told[1]), float(centre_told[2])) if centre_told else (50.0, 50.0)
    centre = (size[0] * x / 100, size[1] * y / 100)
    outline = next(filter(None, map(outline_of, sentences)), None)
    slices = tuple(
        Slice(wedge.colour or PALETTE[index % len(PALETTE)], wedge.share, wedge.pulled)
        for index, wedge in enumerate(wedges)
    )
    pie = PieItem(
        centre,
        radius,
        _find_first_angle(text, wedges),
        slices,
        _parse_hole(text, radius),
        outline,
        2.0,
        "counter" not in text,
    )
    return [pie, *_build_labels(pie, wedges, text, choose_ink(look.background or "#ffffff"))]


def choose_anchor(angle: float) -> str:
    """Return the side or corner of a label that is nearest to its pie."""
    across, down = exact.cos(angle), exact.sin(angle)
    return ("m" if abs(across) < 0.25 else "l" if across > 0 else "r") + (
        "m" if abs(down) < 0.35 else "t" if down > 0 else "b"
    )


def _round_step(step: float) -> float:
    power = exact.power_of_ten(math.floor(exact.log10(step)))
    # A step just above a round number, by rounding, is that round number.
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * 0.999)


def _list_heights(figure: Figure) -> list[float]:
    """Return how far the bars and lines reach."""
    if figure.is_stacked:
        columns = zip(*(series.values for series in figure.series), strict=False)
        return [math.fsum(value or 0.0 for value in column) for column in columns]
    return [value for series in figure.series for value in series.values if value is not None]


def _build_marks(figure: Figure, place: Place) -> list[Item]:
    if figure.kind == "bar":
        return [bar for index in range(len(figure.series)) for bar in _build_series_bars(figure, place, index)]
    return [item for index, series in enumerate(figure.series) for item in _build_line(figure, series, index, place)]


def _build_series_bars(figure: Figure, place: Place, index: int) -> list[Item]:
    """Return the bars of one series, beside the bars of other series or stacked on them."""
    series, items = figure.series[index], list[Item]()
    groups = 1 if figure.is_stacked else len(figure.series)
    share = 0.6 if groups == 1 else 0.8
    for word, value in enumerate(series.values):
        if value is None:
            continue
        base = math.fsum(other.values[word] or 0.0 for other in figure.series[:index] if word < len(other.values))
        base = base if figure.is_stacked else 0.0
        side = word - share / 2 + (0 if figure.is_stacked else index) * share / groups
        own = series.colours[word] if word < len(series.colours) else None
        colour = own or series.colour or PALETTE[index % len(PALETTE)]
        items.append(_build_bar(figure, place, (side, side + share / groups), (base, base + value), colour))
    return items


def _build_bar(
    figure: Figure, place: Place, sides: tuple[float, float], ends: tuple[float, float], colour: str
) -> Blob:
    across, along = (place.y, place.x) if figure.is_lying else (place.x, place.y)
    low, high = sorted(across(side) for side in sides)
    first, last = sorted(along(end) for end in ends)
    middle, far = (low + high) / 2, (first + last) / 2
    centre = (far, middle) if figure.is_lying else (middle, far)
    thick, long = high - low, max(0.5, last - first)
    wide, tall = (long, thick) if figure.is_lying else (thick, long)
    return Blob("bar", centre, wide, tall, colour, figure.look.outline, 1.0)


def _build_line(figure: Figure, series: Series, index: int, place: Place) -> list[Item]:
    points = tuple((place.x(at), place.y(value)) for at, value in enumerate(series.values) if value is not None)
    colour = series.colour or PALETTE[index % len(PALETTE)]
    if len(points) < 2:
        return []
    line = LineItem("polyline", points, colour, 2.0, DASHES[series.dash], marker=series.marker, marker_size=4.5)
    if not (figure.look.is_filled and index == 0):
        return [line]
    shade = figure.look.fill if figure.look.fill not in {None, colour} else mix_tint(figure.look.background, colour)
    under = [*points, (points[-1][0], place.bottom), (points[0][0], place.bottom)]
    return [build_polygon("polygon", under, fill=shade), line]


def _build_axis_items(figure: Figure, place: Place) -> list[Item]:
    """Return the lines of axes and frame, ticks and all labels."""
    items = list[Item]()
    look = figure.look
    # Bars above and below zero stand on a line of their own, not on the x axis.
    level = place.y(0) if place.y.low < 0 < place.y.high and figure.kind == "bar" and not figure.is_lying else None
    corner = place.left, place.bottom
    items += build_frame_lines(look, place)
    if figure.x.is_drawn is not False:
        items.append(LineItem("x axis", (corner, (place.right, place.bottom)), figure.x.colour or place.ink, 1.0))
    if figure.y.is_drawn is not False:
        items.append(LineItem("y axis", (corner, (place.left, place.top)), figure.y.colour or place.ink, 1.0))
    if level is not None:
        items.append(LineItem("line", ((place.left, level), (place.right, level)), place.ink, 1.0))
    items += _build_axis_labels(figure.x, place, "x")
    items += _build_axis_labels(figure.y, place, "y")
    return [*items, *build_titles(figure, place, items)]


def _build_axis_labels(axis: DescribedAxis, place: Place, name: str) -> list[Item]:
    """Return tick marks and tick labels of an axis."""
    scale = place.x if name == "x" else place.y
    if axis.words:
        labelled = [(float(index), word) for index, word in enumerate(axis.words)]
    else:
        values = list_ticks(axis, *sorted((scale.low, scale.high)))
        labelled = [(value, format_number(value, count_decimals(values))) for value in values]
    items = list[Item]()
    room = abs(place.right - place.left) / max(1, len(labelled))
    # Labels that would touch their neighbours are turned upright.
    crowded = name == "x" and any(text_size(text, FONT)[0] + 4 > room for _, text in labelled)
    for value, text in labelled:
        at = scale(value)
        if name == "x":
            items.append(LineItem("tick", ((at, place.bottom), (at, place.bottom + 5)), place.ink, 1.0))
            items.append(Label(text, (at, place.bottom + 9), FONT, place.ink, "mt", 90.0 if crowded else 0.0))
        else:
            items.append(LineItem("tick", ((place.left - 5, at), (place.left, at)), place.ink, 1.0))
            items.append(Label(text, (place.left - 9, at), FONT, place.ink, "rm"))
    return items


def _build_value_labels(figure: Figure, place: Place) -> list[Item]:
    items = list[Item]()
    for index, series in enumerate(figure.series):
        is_clear = figure.kind == "bar" or len(figure.series) == 1
        if not series.is_labelled and not (figure.look.has_value_labels and is_clear):
            continue
        places = count_decimals([value for value in series.values if value is not None])
        bars = (
            [bar for bar in _build_series_bars(figure, place, index) if isinstance(bar, Blob)]
            if figure.kind == "bar"
            else []
        )
        valued = [(word, value) for word, value in enumerate(series.values) if value is not None]
        for number, (word, value) in enumerate(valued):
            text = format_number(value, places)
            if bars:
                items.append(_place_beside_bar(figure, bars[number], value, text, place))
            else:
                at = place.x(word), place.y(value) - 10
                items.append(Label(text, at, FONT - 2, series.colour or place.ink, "mb"))
    return items


def _place_beside_bar(figure: Figure, bar: Blob, value: float, text: str, place: Place) -> Label:
    left, top, right, bottom = bar.box
    label = Label(text, bar.centre, FONT - 2, place.ink)
    if figure.is_stacked:
        return replace(label, colour=choose_ink(bar.fill or "#ffffff"))
    if figure.is_lying:
        side, anchor = (right + 4, "lm") if value >= 0 else (left - 4, "rm")
        return replace(label, at=(side, bar.centre[1]), anchor=anchor)
    side, anchor = (top - 4, "mb") if value >= 0 else (bottom + 4, "mt")
    return replace(label, at=(bar.centre[0], side), anchor=anchor)


def _build_series_names(figure: Figure, place: Place) -> list[Item]:
    """Return the letters of lines behind their last points."""
    named = [(series, index) for index, series in enumerate(figure.series) if series.name and figure.kind == "line"]
    return [
        Label(series.name, _find_series_end(series, place), FONT, series.colour or PALETTE[index % len(PALETTE)], "lm")
        for series, index in named
        if series.values[-1] is not None
    ]


def _find_series_end(series: Series, place: Place) -> Point:
    return place.x(len(series.values) - 1) + 8, place.y(series.values[-1] or 0.0)


def _split_at_percents(sentence: str, percents: list[re.Match[str]]) -> list[str]:
    """Split a sentence into parts, one for each percentage with the name and colour of the wedge."""
    if len(percents) == 1:
        return [sentence]
    behind = [_COLOUR_BEHIND.match(sentence[percent.end() :]) for percent in percents]
    if all(behind) and not find_colours(sentence[: percents[0].start()]):
        ends = [percent.end() + match.end() for percent, match in zip(percents, behind, strict=True) if match]
        return [sentence[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    leads = bool(find_colours(sentence[: percents[0].start()]) or re.search(r"[A-Z]", sentence[: percents[0].start()]))
    if leads:
        starts = [0, *(percent.end() for percent in percents[:-1])]
        ends = [percent.end() for percent in percents[:-1]]
        tails = [re.match(r"[^,;.]{0,60}", sentence[end:]) for end in ends]
        reach = [
            end + len(tail[0]) if tail and _PULLED.search(tail[0]) else end
            for end, tail in zip(ends, tails, strict=True)
        ]
        return [sentence[start:end] for start, end in zip(starts, [*reach, len(sentence)], strict=True)]
    starts = [percent.start() for percent in percents]
    return [sentence[start:end] for start, end in itertools.pairwise([*starts, len(sentence)])]


def _read_wedge(chunk: str, share: float) -> Wedge:
    return Wedge(share, find_first_colour(chunk), _find_name(chunk), 14.0 if _PULLED.search(chunk) else 0.0)


def _find_name(chunk: str) -> str:
    for text in find_quoted(chunk):
        if name := re.sub(r"\s*\(?\d[\d.]*%\)?\s*$", "", text):
            return name
    for pattern in _NAMED:
        for match in pattern.finditer(chunk):
            name = match[1].strip()
            is_article = name == "A" and match.end() < len(chunk) and chunk[match.end() :].lstrip().startswith("#")
            if (
                (len(name) == 1 or not _STOP.match(name.split()[0]))
                and not is_article
                and not re.fullmatch(r"\d[\d.]*", name)
            ):
                return re.split(r"\s+(?:is|at|with|in|takes|on)\b", name)[0]
    return ""


def _parse_hole(text: str, radius: float) -> float:
    if not re.search(r"\bdonut\b|\bdoughnut\b|\bring\b|\bhole\b", text, re.IGNORECASE):
        return 0.0
    hole_match = _HOLE.search(text)
    return radius * (min(95.0, float(hole_match[1] or hole_match[2])) / 100 if hole_match else 0.55)


def _find_first_angle(text: str, wedges: list[Wedge]) -> float:
    """Return where the first wedge begins, in degrees clockwise from 12 o'clock."""
    clock = re.search(r"\b(\d{1,2}) ?o.?clock", text)
    if clock:
        return int(clock[1]) % 12 * 30.0
    if _FIRST_MIDDLE.search(text):
        # Half of its 3.6 degrees for each percent.
        return -1.8 * wedges[0].share
    return 90.0 if re.search(r"\b(?:starting|beginning|from)\b[^.;]{0,16}\bright\b", text, re.IGNORECASE) else 0.0


def _build_labels(pie: PieItem, wedges: list[Wedge], text: str, ink: str) -> list[Item]:
    """Return names and percentages, inside or beside the wedges, as far as the text wants them."""
    items = list[Item]()
    low = text.lower()
    percents = bool(re.search(r"percent|%\)?\"", low)) and "no percent" not in low
    together = bool(re.search(r"\"[^\"%]{1,24} \d[\d.]*%\"|names? and percent", low))
    inside = bool(re.search(r"\b(?:names?|letters?|labels?)\b[^.;]{0,40}\binside\b", low))
    for index, (wedge, (start, end)) in enumerate(zip(wedges, pie.angles(), strict=True)):
        middle = math.radians((start + end) / 2)
        share = f"{wedge.share:g}%"
        at_rim = step_in_direction(pie.centre, middle, pie.radius * 1.06 + 8 + pie.slices[index].pulled)
        within = step_in_direction(pie.centre, middle, (pie.hole + pie.radius) / 2 if pie.hole else pie.radius * 0.66)
        readable = choose_ink(pie.slices[index].colour)
        if together and percents:
            items.append(Label(f"{wedge.name} {share}".strip(), at_rim, FONT, ink, choose_anchor(middle)))
            continue
        if wedge.name:
            items.append(Label(wedge.name, within if inside else at_rim, FONT, readable if inside else ink,
                               "mm" if inside else choose_anchor(middle)))  # fmt: skip
        if percents and not inside:
            items.append(Label(share, within, FONT, readable))
    return items
