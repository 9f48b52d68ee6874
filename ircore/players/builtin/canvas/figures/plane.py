"""Graphs turned into items: a plane with axes, curves, points and areas."""

import math
import re
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.core.plot_area import Scale
from ircore.players.builtin.canvas.described_figure import Place
from ircore.players.builtin.canvas.figures.curves import Curve, Graph
from ircore.players.builtin.canvas.figures.figure import Figure
from ircore.players.builtin.canvas.figures.frame import (
    DASHES,
    FONT,
    PALETTE,
    frame_lines,
    ground,
    ink_on,
    mixed,
    span_of,
    ticks_of,
    titles,
)
from ircore.players.builtin.canvas.figures.prose import NUMBER, decimals, written
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Stroke, polygon

SAMPLES = 400
LINE = 2.2
_AXIS_PIXELS = re.compile(
    rf"\b([xy]) axis from \(\s*({NUMBER})\s*,\s*({NUMBER})\s*\) to \(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"
)
_UNIT = re.compile(rf"\b(?:one|1) unit\s*(?:=|is|equals)\s*({NUMBER})\s*(?:px)?", re.IGNORECASE)
_CENTRED = re.compile(
    r"\barrow|\bcross(?:ing)? (?:at|in) the (?:origin|center)|\baxes (?:through|meet)|\bcoordinate system",
    re.IGNORECASE,
)


def graph_place(figure: Figure, graph: Graph, sentences: list[str], size: tuple[int, int]) -> Place:
    """Return the plot area of a graph: as described in pixels, else the middle of the picture."""
    ink = ink_on(figure.look.background or "#ffffff")
    text = "\n".join(sentences)
    axes = {m[1]: [float(value) for value in m.groups()[1:]] for m in _AXIS_PIXELS.finditer(text)}
    unit = _UNIT.search(text)
    if len(axes) == 2 and unit and float(unit[1]) > 0:
        return _in_pixels(axes, float(unit[1]), ink)
    points = [point for curve in graph.curves for point in curve.points] + [mark.at for mark in graph.marks]
    x_low, x_high = span_of(figure.x, [x for x, _ in points], from_zero=False)
    if figure.x.low is None and not points and not figure.x.ticks:
        x_low, x_high = -5.0, 5.0
    heights = [y for _, y in points] or [y for curve in graph.curves for y in _values(curve, x_low, x_high)]
    y_low, y_high = span_of(figure.y, heights if figure.y.low is None else [], from_zero=False)
    wide, high = size
    margin = 0.08 if _CENTRED.search(text) else 0.1
    return Place(
        Scale(x_low, x_high, margin * wide, 0.94 * wide), Scale(y_low, y_high, (1 - margin) * high, 0.07 * high), ink
    )  # fmt: skip


def _in_pixels(ends: dict[str, list[float]], unit: float, ink: str) -> Place:
    left, right = sorted((ends["x"][0], ends["x"][2]))
    top, bottom = sorted((ends["y"][1], ends["y"][3]))
    x0, y0 = ends["y"][0], ends["x"][1]
    return Place(
        Scale((left - x0) / unit, (right - x0) / unit, left, right),
        Scale((y0 - bottom) / unit, (y0 - top) / unit, bottom, top), ink,
    )  # fmt: skip


def _values(curve: Curve, low: float, high: float) -> list[float]:
    """Return the middle nine tenths of the values of a formula, for an axis without a range."""
    if curve.function is None:
        return []
    # Values near a pole would stretch the axis until the rest of the curve is flat.
    values = sorted(y for step in range(81) if not math.isnan(y := curve.function(low + (high - low) * step / 80)))
    return values[len(values) // 20 : len(values) - len(values) // 20]


def graph_items(figure: Figure, graph: Graph, place: Place, sentences: list[str]) -> list[Item]:
    """Return everything of a graph, back to front."""
    centred = bool(_CENTRED.search("\n".join(sentences)))
    items = [*ground(figure, place), *_area(figure, graph, place)]
    if not centred:
        items += _zero_lines(graph, place)
    items += _axes(figure, place, centred)
    for index, curve in enumerate(graph.curves):
        items += _curve_items(curve, index, place)
    return [*items, *_mark_items(figure, graph, place)]


def _axes(figure: Figure, place: Place, centred: bool) -> list[Item]:
    """Return axes through the origin with arrows, or at the left and below, with ticks and labels."""
    inside = centred and place.x.low <= 0 <= place.x.high and place.y.low <= 0 <= place.y.high
    level, upright = (place.y(0), place.x(0)) if inside else (place.bottom, place.left)
    # Arrows reach beyond the last tick.
    more = 12.0 if inside else 0.0
    x_ink, y_ink = figure.x.colour or place.ink, figure.y.colour or figure.x.colour or place.ink
    x_axis = Stroke("x axis", ((place.left, level), (place.right + more, level)), x_ink, 1.4)
    y_axis = Stroke("y axis", ((upright, place.bottom), (upright, place.top - more)), y_ink, 1.4)
    if inside:
        x_axis, y_axis = replace(x_axis, arrow="end"), replace(y_axis, arrow="end")
    items: list[Item] = [x_axis, y_axis]
    if not inside:
        items += frame_lines(figure.look, place)
    items += _ticks(figure, place, (upright, level), inside)
    if not inside:
        return [*items, *titles(figure, place, items)]
    for name, at in ((figure.x.name, (place.right + 14, level - 14)), (figure.y.name, (upright + 15, place.top - 8))):
        if name:
            items.append(Label(name, at, FONT, place.ink))
    return items


def _ticks(figure: Figure, place: Place, cross: Point, inside: bool) -> list[Item]:
    items = list[Item]()
    xs, ys = ticks_of(figure.x, place.x.low, place.x.high), ticks_of(figure.y, place.y.low, place.y.high)
    half = 4.0 if inside else 0.0
    for value in (x for x in xs if place.x.low <= x <= place.x.high and (x or not inside)):
        at = place.x(value)
        items.append(Stroke("tick", ((at, cross[1] - half), (at, cross[1] + 5)), place.ink, 1.0))
        items.append(Label(written(value, decimals(xs)), (at, cross[1] + 8), FONT - 1, place.ink, "mt"))
    for value in (y for y in ys if place.y.low <= y <= place.y.high and (y or not inside)):
        at = place.y(value)
        items.append(Stroke("tick", ((cross[0] - 5, at), (cross[0] + half, at)), place.ink, 1.0))
        items.append(Label(written(value, decimals(ys)), (cross[0] - 8, at), FONT - 1, place.ink, "rm"))
    return items


def _zero_lines(graph: Graph, place: Place) -> list[Item]:
    items = list[Item]()
    if "x" in graph.zero_lines and place.x.low < 0 < place.x.high:
        items.append(Stroke("line", ((place.x(0), place.top), (place.x(0), place.bottom)), "#8c8c8c", 1.0))
    if "y" in graph.zero_lines and place.y.low < 0 < place.y.high:
        items.append(Stroke("line", ((place.left, place.y(0)), (place.right, place.y(0))), "#8c8c8c", 1.0))
    return items


def _pixels(points: list[Point], place: Place) -> tuple[Point, ...]:
    return tuple((place.x(x), place.y(y)) for x, y in points)


def _curve_items(curve: Curve, index: int, place: Place) -> list[Item]:
    colour = curve.colour or PALETTE[index % len(PALETTE)]
    items = list[Item]()
    if curve.function is None:
        kind = "line" if len(curve.points) == 2 else "polyline" if curve.is_straight else "curve"
        items.append(Stroke(kind, _pixels(curve.points, place), colour, LINE, DASHES[curve.dash], kind == "curve"))
    else:
        for part in _branches(curve, place):
            items.append(Stroke("polyline", _pixels(part, place), colour, LINE, DASHES[curve.dash]))
    if curve.name and items:
        path = items[-1].points if isinstance(items[-1], Stroke) else ((0.0, 0.0),)
        x, y = path[int(0.8 * (len(path) - 1))]
        items.append(Label(curve.name, (x + 14, y - 8), FONT + 1, colour))
    return items


def _branches(curve: Curve, place: Place) -> list[list[Point]]:
    """Return the parts of a curve inside the plot area, cut where it leaves the area, jumps or is undefined."""
    low, high, rim = place.x.low, place.x.high, place.y.high - place.y.low
    parts: list[list[Point]] = [[]]
    assert curve.function is not None  # noqa: S101 - the caller asks first
    for step in range(SAMPLES + 1):
        x = low + (high - low) * step / SAMPLES
        y = curve.function(x)
        inside = not math.isnan(y) and place.y.low - 0.02 * rim <= y <= place.y.high + 0.02 * rim
        # Between two samples no smooth curve climbs half the height; there is a pole between them.
        jumps = bool(parts[-1]) and abs(y - parts[-1][-1][1]) > 0.5 * rim
        if not inside or jumps:
            parts.append([])
        if inside:
            parts[-1].append((x, min(max(y, place.y.low), place.y.high)))
    return [part for part in parts if len(part) > 1]


def _area(figure: Figure, graph: Graph, place: Place) -> list[Item]:
    if graph.area is None or not graph.curves:
        return []
    low, high = graph.area
    curve = graph.curves[0]
    if curve.function is not None:
        xs = [low + (high - low) * step / 60 for step in range(61)]
        rim = [(x, y) for x in xs if not math.isnan(y := curve.function(x))]
    else:
        rim = [point for point in curve.points if low <= point[0] <= high]
    if len(rim) < 2:
        return []
    shade = graph.area_colour or mixed(figure.look.background, curve.colour or PALETTE[0])
    return [polygon("polygon", list(_pixels([(rim[0][0], 0.0), *rim, (rim[-1][0], 0.0)], place)), fill=shade)]


def _mark_items(figure: Figure, graph: Graph, place: Place) -> list[Item]:
    items = list[Item]()
    paper = figure.look.panel or figure.look.background or "#ffffff"
    for mark in graph.marks:
        x, y = place.x(mark.at[0]), place.y(mark.at[1])
        colour = mark.colour or (graph.curves[0].colour if mark.is_open and graph.curves else None) or place.ink
        dot = Blob("circle", (x, y), 9.0, 9.0, paper if mark.is_open else colour)
        items.append(replace(dot, outline=colour, stroke=2.0) if mark.is_open else dot)
        if mark.text:
            items.append(Label(mark.text, (x - 12, y - 13), FONT, place.ink))
    return items
