"""Bars, lines, curves and the wedges of pies in plain words: by their values and labels."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ircore.core.drawing import AxisScale
from ircore.core.exact import dist
from ircore.core.plain_words import add_article
from ircore.players.builtin.canvas.figures.frame import choose_anchor
from ircore.players.builtin.canvas.plots import INSIDE, LED_OUT, OUT
from ircore.players.builtin.canvas.shapes import step_in_direction
from ircore.players.builtin.classical.plain.axes import PlotSides, ReadAxis, format_rounded
from ircore.players.builtin.classical.plain.everyday_names import ColourWords, use_plain_colours
from ircore.players.builtin.classical.statements import Statement, describe_bars, format_number, is_number, quote_text
from ircore.seeing.colours import describe_colour
from ircore.seeing.percepts import Bar, Bars, Perception, Pie, Point, Stroke, Text

LABEL_OFF = 3.5
"""Pixels that a label may stand off its usual place."""
NEAR = 3.0
"""Pixels that a bar or point may be off its label."""
OFF = 0.6
"""Pixels that a value may be off."""
AS_WRITTEN = 2.0
"""Pixels that a bar or point may be off the value that is written at it."""


@dataclass(frozen=True)
class _Place:
    """Where labels stand: inside the wedges, or so many pixels beyond the rim."""

    words: str
    beyond: float | None


_PLACES = (
    _Place("Beside the wedges", OUT),
    _Place("Beside the wedges on short lines", LED_OUT),
    _Place("Inside the wedges", None),
)


def describe_wedges(pie: Pie, texts: Sequence[Text], colours: ColourWords) -> tuple[list[Statement], list[Text]]:
    """Return sentences that give each wedge its label, and the texts that they tell."""
    statements, label_texts = list[Statement](), list[Text]()
    for place in _PLACES:
        labels = [_find_wedge_label(pie, index, texts, place) for index in range(len(pie.wedges))]
        for colour, size in dict.fromkeys((label.colour, label.size) for label in labels if label is not None):
            own = [
                label if label is not None and (label.colour, label.size) == (colour, size) else None
                for label in labels
            ]
            listed = ", ".join(quote_text(label.text) if label else "none" for label in own)
            words = f"{place.words} in {colours(colour)}, letters of {format_number(size)} px: {listed}"
            statements.append(Statement("", (words,)))
            label_texts += [label for label in own if label is not None]
    return statements, label_texts


def _find_wedge_label(pie: Pie, index: int, texts: Sequence[Text], place: _Place) -> Text | None:
    """Return the text that stands where a label of a wedge would stand."""
    share_before = math.fsum(share for _, share in pie.wedges[:index])
    # Pies count degrees from 12 o'clock, angles from 3 o'clock.
    middle = math.radians(pie.start - 90 + 360 * (share_before + pie.wedges[index][1] / 2))
    pulled = pie.pulled[index] if pie.pulled else 0.0
    centre = step_in_direction(pie.centre, middle, pulled)
    level = (text for text in texts if text.rotation == 0)
    return next(
        (t for t in level if dist(t.centre, _find_label_centre(pie, centre, middle, t, place)) <= LABEL_OFF), None
    )


def _find_label_centre(pie: Pie, centre: Point, middle: float, text: Text, place: _Place) -> Point:
    """Return where the middle of a text lies if the text is a label of the wedge in that direction."""
    if place.beyond is None:
        return step_in_direction(centre, middle, (pie.hole + pie.radius) / 2 if pie.hole else INSIDE * pie.radius)
    x, y = step_in_direction(centre, middle, pie.radius + place.beyond)
    wide, high = text.width, float(text.box[3] - text.box[1])
    anchor = choose_anchor(middle)
    across = {"l": wide / 2, "m": 0.0, "r": -wide / 2}[anchor[0]]
    return x + across, y + {"t": high / 2, "m": 0.0, "b": -high / 2}[anchor[1]]


def describe_bars_by_value(
    group: Bars, area: PlotSides, perception: Perception, colours: ColourWords
) -> tuple[list[Statement], set[int]] | None:
    """Return bars by their values, one series a sentence, and the value labels that are told with them.

    None if the bars do not stand at the labels of an axis, or the other axis has no scale.
    """
    axis, other = (area.x, area.y) if group.upright else (area.y, area.x)
    scale = other.scale
    if scale is None or abs(scale(0) - group.base) > NEAR:
        return None
    statements, labelled = [], set[int]()
    for row in _split_series(group, axis):
        placed = _match_labels(row, axis)
        shift = _measure_shift(placed)
        if shift is None:
            return None
        words, labels = _describe_row(group, placed, shift, axis, scale, perception, colours)
        statements.append(Statement("", (words,)))
        labelled |= labels
        if alone := tuple(bar for bar in row if all(bar is not other for _, other in placed)):
            # No label was read where they stand.
            statements.append(use_plain_colours(describe_bars(replace(group, bars=alone), describe_colour), colours))
    return statements, labelled


def _split_series(group: Bars, axis: ReadAxis) -> list[list[Bar]]:
    """Return the bars in rows: by colour where they stand side by side, level by level where they are stacked."""
    if all(group.foot(bar) == group.base for bar in group.bars):
        if len(group.bars) <= len(axis.places):
            return [list(group.bars)]
        shades = dict.fromkeys(bar.colour for bar in group.bars)
        return [[bar for bar in group.bars if bar.colour == shade] for shade in shades]
    levels: list[list[Bar]] = []
    for place in axis.places:
        stack = [bar for bar in group.bars if abs((bar.start + bar.end) / 2 - place) <= (bar.end - bar.start) / 2]
        for level, bar in enumerate(sorted(stack, key=lambda bar: abs(bar.tip - group.base))):
            levels += [[]] * (level >= len(levels))
            levels[level] = [*levels[level], bar]
    return levels or [list(group.bars)]


def _match_labels(row: Sequence[Bar], axis: ReadAxis) -> list[tuple[float, Bar | None]]:
    """Return each label's place with its bar: the nearest, if it is nearer to this label than to any other."""
    placed: list[tuple[float, Bar | None]] = []
    for place in axis.places:
        nearest = min(row, key=lambda bar: abs((bar.start + bar.end) / 2 - place))
        middle = (nearest.start + nearest.end) / 2
        own = min(axis.places, key=lambda other: abs(other - middle)) == place
        placed.append((place, nearest if own else None))
    return placed


def _measure_shift(placed: Sequence[tuple[float, Bar | None]]) -> float | None:
    """Return how far the bars stand off their labels, in pixels; None if they differ in that."""
    offs = [(bar.start + bar.end) / 2 - place for place, bar in placed if bar is not None]
    if not offs or max(offs) - min(offs) > 2 * NEAR:
        return None
    mean = math.fsum(offs) / len(offs)
    return 0.0 if abs(mean) < 1.5 else mean


def _describe_row(
    group: Bars, placed: Sequence[tuple[float, Bar | None]], shift: float, axis: ReadAxis, scale: AxisScale,
    perception: Perception, colours: ColourWords,
) -> tuple[str, set[int]]:  # fmt: skip
    bars = [bar for _, bar in placed if bar is not None]
    unit = abs(scale.value(scale.start + 1) - scale.value(scale.start))
    shades = {bar.colour for bar in bars}
    labels = [_find_bar_label(group, bar, perception, axis) if bar else None for _, bar in placed]
    values = [_choose_bar_value(group, bar, scale, unit, label) if bar else "none"
              for (_, bar), label in zip(placed, labels, strict=True)]  # fmt: skip
    if len(shades) > 1:
        values = [f"{colours(bar.colour)} {value}" if bar else value
                  for value, (_, bar) in zip(values, placed, strict=True)]  # fmt: skip
    wide = math.fsum(bar.end - bar.start for bar in bars) / len(bars)
    lead = "bars" if len(shades) > 1 else f"{colours(bars[0].colour)} bars"
    stacked = any(group.foot(bar) != group.base for bar in bars)
    text = f"{'stacked ' if stacked else ''}{lead}, {wide:.0f} px {'wide' if group.upright else 'high'}"
    edges = {bar.outline for bar in bars}
    edge = next(iter(edges)) if len(edges) == 1 else None
    text += f" with a {format_number(edge[1])} px {colours(edge[0])} outline" if edge else ""
    if shift:
        ways = ("left of", "right of") if group.upright else ("above", "below")
        text += f", {format_number(abs(shift))} px {ways[shift > 0]} the labels"
    text += f": {', '.join(values)}"
    written, labelled = _describe_bar_labels(group, labels, values, axis) if None not in labels else ("", set())
    return text[0].upper() + text[1:] + written, labelled


def _choose_bar_value(group: Bars, bar: Bar, scale: AxisScale, unit: float, label: Text | None) -> str:
    """Return the value of a bar: that which is written at it if the bar is about as long, else as it is seen."""
    value = scale.value(bar.tip) - scale.value(group.foot(bar))
    if label is not None and abs(float(label.text) - value) <= AS_WRITTEN * unit:
        return label.text
    return format_rounded(value, OFF * unit)


def _describe_bar_labels(
    group: Bars, labels: Sequence[Text | None], values: Sequence[str], axis: ReadAxis
) -> tuple[str, set[int]]:
    """Return how the values are written at the bars, if they are, and the texts that are told so."""
    there = [label for label in labels if label is not None]
    alike = len({(label.size, label.rotation) for label in there}) == 1
    if not alike or any(label.text != value.split()[-1] for label, value in zip(there, values, strict=True)):
        return "", set()
    usual = max(11.0, axis.labels[0].size - 2)
    size = "" if abs(there[0].size - usual) < 0.5 else f" in letters of {format_number(there[0].size)} px"
    place = "above" if group.upright else "beside"
    upright = ", upright" if there[0].rotation == 90 else ""
    return f", with their values{size} {place}{upright}", {id(label) for label in there}


def _find_bar_label(group: Bars, bar: Bar, perception: Perception, axis: ReadAxis) -> Text | None:
    """Return the number written just beyond the tip of a bar."""
    middle, way = (bar.start + bar.end) / 2, 1 if bar.tip > group.base else -1
    for text in perception.texts:
        if text in axis.labels or not text.text.replace("-", "", 1).replace(".", "", 1).isdigit():
            continue
        low, high = (text.box[1], text.box[3]) if group.upright else (text.box[0], text.box[2])
        across = text.centre[0] if group.upright else text.centre[1]
        near = (low if way > 0 else high) - bar.tip
        if abs(across - middle) < NEAR and abs(near - 4 * way) < 2:
            return text
    return None


def describe_line(
    line: Stroke, area: PlotSides, perception: Perception, colours: ColourWords
) -> tuple[Statement, set[int]] | None:
    """Return a line by its values at the labels of the x axis; None if it does not run from label to label."""
    scale, places = area.y.scale, area.x.places
    if scale is None or line.smooth or len(line.points) < 2:
        return None
    if abs(line.points[0][0] - places[0]) > NEAR or abs(line.points[-1][0] - places[-1]) > NEAR:
        return None
    if any(min(abs(x - place) for place in places) > NEAR for x, _ in line.points):
        return None
    unit = abs(scale.value(scale.start + 1) - scale.value(scale.start))
    heights = [_interpolate_height(line.points, place) for place in places]
    values = [
        _choose_point_value(place, height, scale, unit, perception)
        for place, height in zip(places, heights, strict=True)
    ]
    written, labelled = _describe_line_labels(places, heights, values, area, perception, colours, line)
    return Statement("", (f"{_describe_style(line, colours)}: {', '.join(values)}{written}",)), labelled


def _choose_point_value(place: float, height: float, scale: AxisScale, unit: float, perception: Perception) -> str:
    """Return the value of a point: that which is written above or below it if it fits, else as it is seen."""
    value = scale.value(height)
    for text in perception.texts:
        beside = abs(text.centre[0] - place) < NEAR and 8 < abs(text.centre[1] - height) < 24
        if beside and is_number(text.text) and abs(float(text.text) - value) <= AS_WRITTEN * unit:
            return text.text
    return format_rounded(value, OFF * unit)


def _describe_style(line: Stroke, colours: ColourWords) -> str:
    dash = "" if line.dash == "solid" else f"{line.dash} "
    marks = f" with round markers of radius {format_number(line.marker)} px" if line.marker else ""
    return add_article(f"{format_number(line.width)} px {colours(line.colour)} {dash}line{marks}")


def _interpolate_height(points: Sequence[Point], place: float) -> float:
    """Return the height of a line at an abscissa."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 - NEAR <= place <= x1 + NEAR and x1 > x0:
            if abs(place - x1) <= NEAR:
                return y1
            return y0 if abs(place - x0) <= NEAR else y0 + (y1 - y0) * (place - x0) / (x1 - x0)
    return points[-1][1]


def _describe_line_labels(
    places: Sequence[float], heights: Sequence[float], values: Sequence[str], area: PlotSides, perception: Perception,
    colours: ColourWords, line: Stroke,
) -> tuple[str, set[int]]:  # fmt: skip
    """Return how the values are written beside the points of a line, if all are on one side."""
    for way, word in ((-1, "above"), (1, "below")):
        texts = [_find_value_label(place, height + 14 * way, value, perception)
                 for place, height, value in zip(places, heights, values, strict=True)]  # fmt: skip
        there = [text for text in texts if text is not None]
        if len(there) == len(places) and len({text.size for text in there}) == 1:
            off = math.fsum(abs(text.centre[1] - height)
                            for text, height in zip(there, heights, strict=True)) / len(there)  # fmt: skip
            usual = max(11.0, area.y.labels[0].size - 2)
            size = "" if abs(there[0].size - usual) < 0.5 else f" in letters of {format_number(there[0].size)} px"
            ink = "" if there[0].colour == line.colour else f" in {colours(there[0].colour)}"
            return f", with its values {format_number(off)} px {word}{size}{ink}", {id(text) for text in there}
    return "", set()


def _find_value_label(x: float, y: float, value: str, perception: Perception) -> Text | None:
    near = (text for text in perception.texts if abs(text.centre[0] - x) < NEAR and abs(text.centre[1] - y) < 6)
    return next((text for text in near if text.text == value), None)


def describe_curve(line: Stroke, area: PlotSides, colours: ColourWords) -> Statement | None:
    """Return a curve of a graph by points in the units of its axes; None without two scales."""
    across, down = area.x.scale, area.y.scale
    if across is None or down is None:
        return None
    units = [abs(scale.value(scale.start + 1) - scale.value(scale.start)) for scale in (across, down)]
    points = [
        f"({format_rounded(across.value(x), OFF * units[0])}, {format_rounded(down.value(y), OFF * units[1])})"
        for x, y in line.points
    ]
    dash = "" if line.dash == "solid" else f"{line.dash} "
    straight = "straight " if len(points) == 2 or _is_bent(line) else ""
    noun = _name_curve(line)
    text = add_article(f"{straight}{format_number(line.width)} px {colours(line.colour)} {dash}{noun}")
    return Statement("", (f"{text} through the points {', '.join(points)}",))


def _is_bent(line: Stroke) -> bool:
    """Tell whether a line is made of straight pieces; of a curve, such pieces are only how it was seen."""
    return not line.smooth and (line.likeness is None or line.likeness.family == "absolute")


def _name_curve(line: Stroke) -> str:
    if len(line.points) == 2:
        return "line"
    family = line.likeness.family if line.likeness is not None else ""
    named = {"parabola": "parabola", "hyperbola": "hyperbola", "sine": "wave"}
    return named.get(family, "path" if _is_bent(line) else "curve")
