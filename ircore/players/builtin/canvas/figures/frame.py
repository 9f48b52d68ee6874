"""Charts turned into items: plot area, axes, ticks, labels, bars and lines."""

import math
from dataclasses import replace

from ircore.core import exact
from ircore.core.drawing import Point, text_size
from ircore.core.plot_area import Scale
from ircore.players.builtin.canvas.described_figure import Place
from ircore.players.builtin.canvas.figures.figure import DescribedAxis, Figure, Look, Series
from ircore.players.builtin.canvas.figures.prose import decimals, written
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Stroke, polygon
from ircore.seeing.colours import rgb

PALETTE = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
"""Colours of series that have none of their own: matplotlib's default cycle."""

FONT = 13.0
DASHES = {"dashed": (9.0, 5.0), "dotted": (2.0, 4.0), "dashdotted": (10.0, 4.0, 2.0, 4.0), "": ()}
MOST_TICKS = 60
FAINT = {"#222222": "#d6d6d6", "#e0e4ea": "#454d5c"}
"""Colours of grid lines by the ink of axes and labels."""


def ink_on(background: str) -> str:
    """Return dark or light ink, whichever is read better."""
    red, green, blue = rgb(background)
    # Luma by the weights of ITU-R BT.601.
    return "#222222" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#e0e4ea"


def ticks_of(axis: DescribedAxis, low: float, high: float) -> list[float]:
    """Return the tick values of an axis: as listed, in the given step, or about six round values."""
    if axis.ticks:
        return list(axis.ticks)
    step = axis.step or _round_step((high - low) / 6)
    # Rounding of the quotient must not lose the ticks at both ends.
    first = math.ceil(low / step - 1e-9)
    count = min(MOST_TICKS, math.floor(high / step + 1e-9) - first + 1)
    return [round((first + index) * step, 9) for index in range(count)]


def _round_step(step: float) -> float:
    power = exact.power_of_ten(math.floor(exact.log10(step)))
    # A step just above a round number, by rounding, is that round number.
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * 0.999)


def span_of(axis: DescribedAxis, values: list[float], from_zero: bool) -> tuple[float, float]:
    """Return where an axis begins and ends: as told, or so that all values lie within."""
    known = [*values, *axis.ticks, *((0.0,) if from_zero else ())]
    low = axis.low if axis.low is not None else min(known, default=0.0)
    high = axis.high if axis.high is not None else max(known, default=1.0)
    if axis.high is None and not axis.ticks and high > low:
        step = _round_step((high - low) / 5)
        low, high = (math.floor(low / step) * step if axis.low is None else low), math.ceil(high / step) * step
    low, high = min(low, *values) if values else low, max(high, *values) if values else high
    return (low, high) if high > low else (low, low + 1.0)


def placed(figure: Figure, size: tuple[int, int], area: dict[str, tuple[float, float]]) -> Place:
    """Return the plot area of a bar or line chart: as described in pixels, else where charts usually lie."""
    along, across = (figure.x, figure.y) if figure.is_lying else (figure.y, figure.x)
    low, high = span_of(along, _heights(figure), figure.kind == "bar")
    words = max(len(across.words), *(len(series.values) for series in figure.series))
    # Half the room of a category is left free at both ends.
    pad = 0.5
    wide, high_px = size
    longest = max((text_size(word, FONT)[0] for word in across.words), default=0.0) if figure.is_lying else 30.0
    left, right = area.get("x", ((0.07 if figure.is_lying else 0.09) * wide + longest, 0.94 * wide))
    top, bottom = area.get("y", (0.07 * high_px, (0.9 if not across.name else 0.88) * high_px))
    ink = ink_on(figure.look.background or "#ffffff")
    if figure.is_lying:
        return Place(Scale(low, high, left, right), Scale(words - 1 + pad, -pad, bottom, top), ink)
    return Place(Scale(-pad, words - 1 + pad, left, right), Scale(low, high, bottom, top), ink)


def _heights(figure: Figure) -> list[float]:
    """Return how far the bars and lines reach."""
    if figure.is_stacked:
        columns = zip(*(series.values for series in figure.series), strict=False)
        return [math.fsum(value or 0.0 for value in column) for column in columns]
    return [value for series in figure.series for value in series.values if value is not None]


def chart_items(figure: Figure, place: Place) -> list[Item]:
    """Return everything of a chart of bars or lines, back to front."""
    items = [*ground(figure, place), *_marks(figure, place)]
    return [*items, *_axis_items(figure, place), *_value_labels(figure, place), *_series_names(figure, place)]


def ground(figure: Figure, place: Place) -> list[Item]:
    """Return panel and grid lines."""
    look, items = figure.look, list[Item]()
    if look.panel:
        middle = (place.left + place.right) / 2, (place.top + place.bottom) / 2
        items.append(Blob("rectangle", middle, place.right - place.left, place.bottom - place.top, look.panel))
    for name, (colour, dash) in look.grid.items():
        axis, scale = (figure.x, place.x) if name == "x" else (figure.y, place.y)
        places = [float(n) for n in range(len(axis.words))] if axis.words else ticks_of(axis, scale.low, scale.high)
        shade = colour or ("#ffffff" if look.panel and look.panel != "#ffffff" else FAINT[place.ink])
        for at in (scale(value) for value in places):
            ends = ((at, place.top), (at, place.bottom)) if name == "x" else ((place.left, at), (place.right, at))
            pattern = (6.0, 4.0) if dash == "dashed" else (2.0, 3.0) if dash else ()
            items.append(Stroke("grid", ends, shade, 1.0, pattern))
    return items


def _marks(figure: Figure, place: Place) -> list[Item]:
    if figure.kind == "bar":
        return [bar for index in range(len(figure.series)) for bar in _bars(figure, place, index)]
    return [item for index, series in enumerate(figure.series) for item in _line(figure, series, index, place)]


def _bars(figure: Figure, place: Place, index: int) -> list[Item]:
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
        items.append(_bar(figure, place, (side, side + share / groups), (base, base + value), colour))
    return items


def _bar(figure: Figure, place: Place, sides: tuple[float, float], ends: tuple[float, float], colour: str) -> Blob:
    across, along = (place.y, place.x) if figure.is_lying else (place.x, place.y)
    low, high = sorted(across(side) for side in sides)
    first, last = sorted(along(end) for end in ends)
    middle, far = (low + high) / 2, (first + last) / 2
    centre = (far, middle) if figure.is_lying else (middle, far)
    thick, long = high - low, max(0.5, last - first)
    wide, tall = (long, thick) if figure.is_lying else (thick, long)
    return Blob("bar", centre, wide, tall, colour, figure.look.outline, 1.0)


def _line(figure: Figure, series: Series, index: int, place: Place) -> list[Item]:
    points = tuple((place.x(at), place.y(value)) for at, value in enumerate(series.values) if value is not None)
    colour = series.colour or PALETTE[index % len(PALETTE)]
    if len(points) < 2:
        return []
    line = Stroke("polyline", points, colour, 2.0, DASHES[series.dash], marker=series.marker, marker_size=4.5)
    if not (figure.look.is_filled and index == 0):
        return [line]
    shade = figure.look.fill if figure.look.fill not in {None, colour} else mixed(figure.look.background, colour)
    under = [*points, (points[-1][0], place.bottom), (points[0][0], place.bottom)]
    return [polygon("polygon", under, fill=shade), line]


def mixed(background: str | None, colour: str) -> str:
    """Return a tint of a colour on a background: 28 % of the colour."""
    pairs = zip(rgb(background or "#ffffff"), rgb(colour), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * 0.28):02x}" for a, b in pairs)


def _axis_items(figure: Figure, place: Place) -> list[Item]:
    """Return the lines of axes and frame, ticks and all labels."""
    items = list[Item]()
    look = figure.look
    # Bars above and below zero stand on a line of their own, not on the x axis.
    level = place.y(0) if place.y.low < 0 < place.y.high and figure.kind == "bar" and not figure.is_lying else None
    corner = place.left, place.bottom
    items += frame_lines(look, place)
    if figure.x.is_drawn is not False:
        items.append(Stroke("x axis", (corner, (place.right, place.bottom)), figure.x.colour or place.ink, 1.0))
    if figure.y.is_drawn is not False:
        items.append(Stroke("y axis", (corner, (place.left, place.top)), figure.y.colour or place.ink, 1.0))
    if level is not None:
        items.append(Stroke("line", ((place.left, level), (place.right, level)), place.ink, 1.0))
    items += _labels_along(figure.x, place, "x")
    items += _labels_along(figure.y, place, "y")
    return [*items, *titles(figure, place, items)]


def frame_lines(look: Look, place: Place) -> list[Item]:
    """Return the upper and the right side of a frame, if the figure has a frame."""
    if not look.has_frame:
        return []
    corner, colour = (place.right, place.top), look.frame_colour or place.ink
    ends = (((place.left, place.top), corner), (corner, (place.right, place.bottom)))
    return [Stroke("line", side, colour, 1.0) for side in ends]


def _labels_along(axis: DescribedAxis, place: Place, name: str) -> list[Item]:
    """Return tick marks and tick labels of an axis."""
    scale = place.x if name == "x" else place.y
    if axis.words:
        labelled = [(float(index), word) for index, word in enumerate(axis.words)]
    else:
        values = ticks_of(axis, *sorted((scale.low, scale.high)))
        labelled = [(value, written(value, decimals(values))) for value in values]
    items = list[Item]()
    room = abs(place.right - place.left) / max(1, len(labelled))
    # Labels that would touch their neighbours are turned upright.
    crowded = name == "x" and any(text_size(text, FONT)[0] + 4 > room for _, text in labelled)
    for value, text in labelled:
        at = scale(value)
        if name == "x":
            items.append(Stroke("tick", ((at, place.bottom), (at, place.bottom + 5)), place.ink, 1.0))
            items.append(Label(text, (at, place.bottom + 9), FONT, place.ink, "mt", 90.0 if crowded else 0.0))
        else:
            items.append(Stroke("tick", ((place.left - 5, at), (place.left, at)), place.ink, 1.0))
            items.append(Label(text, (place.left - 9, at), FONT, place.ink, "rm"))
    return items


def titles(figure: Figure, place: Place, items: list[Item]) -> list[Item]:
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


def _value_labels(figure: Figure, place: Place) -> list[Item]:
    items = list[Item]()
    for index, series in enumerate(figure.series):
        is_clear = figure.kind == "bar" or len(figure.series) == 1
        if not series.is_labelled and not (figure.look.has_value_labels and is_clear):
            continue
        places = decimals([value for value in series.values if value is not None])
        bars = [bar for bar in _bars(figure, place, index) if isinstance(bar, Blob)] if figure.kind == "bar" else []
        valued = [(word, value) for word, value in enumerate(series.values) if value is not None]
        for number, (word, value) in enumerate(valued):
            text = written(value, places)
            if bars:
                items.append(_beside_bar(figure, bars[number], value, text, place))
            else:
                at = place.x(word), place.y(value) - 10
                items.append(Label(text, at, FONT - 2, series.colour or place.ink, "mb"))
    return items


def _beside_bar(figure: Figure, bar: Blob, value: float, text: str, place: Place) -> Label:
    left, top, right, bottom = bar.box
    label = Label(text, bar.centre, FONT - 2, place.ink)
    if figure.is_stacked:
        return replace(label, colour=ink_on(bar.fill or "#ffffff"))
    if figure.is_lying:
        side, anchor = (right + 4, "lm") if value >= 0 else (left - 4, "rm")
        return replace(label, at=(side, bar.centre[1]), anchor=anchor)
    side, anchor = (top - 4, "mb") if value >= 0 else (bottom + 4, "mt")
    return replace(label, at=(bar.centre[0], side), anchor=anchor)


def _series_names(figure: Figure, place: Place) -> list[Item]:
    """Return the letters of lines behind their last points."""
    named = [(series, index) for index, series in enumerate(figure.series) if series.name and figure.kind == "line"]
    return [
        Label(series.name, _end(series, place), FONT, series.colour or PALETTE[index % len(PALETTE)], "lm")
        for series, index in named
        if series.values[-1] is not None
    ]


def _end(series: Series, place: Place) -> Point:
    return place.x(len(series.values) - 1) + 8, place.y(series.values[-1] or 0.0)
