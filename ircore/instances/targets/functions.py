"""Graphs of functions: one curve, or several with asymptotes, pieces, tangents, areas and marked points."""

import math
import random
from dataclasses import dataclass, replace
from typing import Any

from ircore.core import exact
from ircore.core.drawing import AxisScale, Point, text_size
from ircore.core.records import Difficulty
from ircore.instances.targets.axes import (
    AxesStyle,
    AxisPlan,
    Plot,
    align_to_pixels,
    build_numeric_axis,
    compute_text_box,
    describe_axis,
    draw_axes,
    draw_ground,
    draw_marker,
    draw_until_legible,
    find_line_ends,
    format_number,
    grow_box,
    is_free,
    pick_style,
    place_axes,
)
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing, round_points
from ircore.instances.targets.function_plans import HARD, Function, GraphPlan, Window, compute_branches, plan_easy
from ircore.instances.targets.palettes import Paper, mix_colours, pick_colours, pick_paper

LEAST_MARKED = 4
"""Points that the second edition tries to mark in a hard graph."""

DASHES: tuple[tuple[float, ...], ...] = ((), (9, 5), (2, 4))


@dataclass(frozen=True)
class _Pen:
    colour: str
    width: float
    dash: tuple[float, ...]


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw graphs of functions; easy: one curve, hard: two or three, or one with pieces, asymptotes, tangent, area."""
    plan = plan_easy if difficulty == "easy" else rng.choice(HARD)
    return draw_until_legible(lambda chance: _draw_graph(chance, plan(chance)), rng)


def build_annotated(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw graphs of functions as the second edition has them: hard ones bear names, points and coordinates.

    In the first edition, hard graphs bear no more writing than easy ones.
    """
    if difficulty == "easy":
        return build(difficulty, rng)
    plan = rng.choice(HARD)

    def annotated(chance: random.Random) -> Drawn:
        graph = plan(chance)
        return _draw_graph(chance, replace(graph, is_annotated=True, marked=max(graph.marked, LEAST_MARKED)))

    return draw_until_legible(annotated, rng)


def _draw_graph(rng: random.Random, graph: GraphPlan) -> Drawn:
    paper = pick_paper(rng, panels=True)
    through_origin = paper.panel is None and rng.random() < 0.55
    style = pick_style(rng, paper, ("box", "box", "corner"), ("", "xy", "xy"))
    plot = _place_centred(rng, graph.window, style) if through_origin else _place_framed(rng, graph.window, style)
    scene = SceneDrawing(paper.background)
    draw_ground(scene, plot)
    pens = _pick_pens(rng, paper, graph)
    if graph.area:
        _draw_area(scene, plot, graph, pens[0])
    if not through_origin:
        _draw_zero_lines(scene, plot)
    else:
        _draw_centred_axes(scene, plot)
    if graph.has_asymptotes:
        _draw_asymptotes(scene, plot, graph)
    for index, (function, pen) in enumerate(zip(graph.functions, pens, strict=True)):
        _draw_curve(scene, plot, graph.window, index + 1, function, pen)
    if through_origin:
        _label_centred_axes(scene, plot)
    else:
        draw_axes(scene, plot)
    _draw_points(rng, scene, plot, graph, pens)
    wants_names = len(graph.functions) > 1 and not graph.is_pieces and rng.random() < 0.6
    if wants_names or graph.is_annotated:
        _name_curves(scene, plot, graph, pens)
    return scene.finish()


def _pick_pens(rng: random.Random, paper: Paper, graph: GraphPlan) -> list[_Pen]:
    count, width = len(graph.functions), rng.choice((2.0, 2.5, 3.0))
    if graph.is_pieces:
        return [_Pen(pick_colours(rng, paper.surface, 1, 3.0)[0], width, ())] * count
    if rng.random() < 0.15:
        return [_Pen(paper.ink, width, dash) for dash in DASHES[:count]]
    dashes = DASHES[:count] if rng.random() < 0.3 else ((),) * count
    colours = pick_colours(rng, paper.surface, count, 3.0)
    return [_Pen(colour, width, dash) for colour, dash in zip(colours, dashes, strict=True)]


def _build_axes(rng: random.Random, window: Window, most: int) -> tuple[AxisPlan, AxisPlan]:
    """Return axes with ticks at whole numbers, or at round angles and, then, perhaps halves upwards."""
    y_most = min(most, 9) if window.is_degrees else _count_ticks(window.y_low, window.y_high, most)
    y_axis = build_numeric_axis(window.y_low, window.y_high, y_most, factors=(1, 2, 5))
    if not window.is_degrees:
        x_most = _count_ticks(window.x_low, window.x_high, most)
        return build_numeric_axis(window.x_low, window.x_high, x_most, factors=(1, 2, 5)), y_axis
    step = 90 if window.x_high - window.x_low > 400 or rng.random() < 0.5 else 60
    values = range(int(window.x_low), int(window.x_high) + 1, step)
    return AxisPlan(window.x_low, window.x_high, tuple((float(value), f"{value}°") for value in values)), y_axis


def _count_ticks(low: float, high: float, most: int) -> int:
    """Return the largest number of ticks whose step is a whole number of at least 1."""
    return min(most, round(high - low) + 1)


def _place_framed(rng: random.Random, window: Window, style: AxesStyle) -> Plot:
    x_axis, y_axis = _build_axes(rng, window, rng.choice((7, 9, 11, 13)))
    if rng.random() < 0.5:
        x_axis, y_axis = replace(x_axis, name="x"), replace(y_axis, name="y")
    return place_axes(rng, x_axis, y_axis, style)


def _place_centred(rng: random.Random, window: Window, style: AxesStyle) -> Plot:
    """Give axes through the origin a place; units are equal on both where that leaves enough height."""
    x_axis, y_axis = _build_axes(rng, window, rng.choice((9, 11, 13)))
    if style.grid and not window.is_degrees and window.x_high - window.x_low <= 12 and rng.random() < 0.4:
        halves = [0.5 + at for at in range(math.floor(window.x_low), math.ceil(window.x_high))]
        x_axis = replace(x_axis, minor=tuple(half for half in halves if window.x_low < half < window.x_high))
    left, top = (52.0 if window.x_low >= 0 else 30.0), 38.0
    right, bottom = SIZE - 38.0, SIZE - (48.0 if window.y_low >= 0 else 30.0)
    shrink = rng.uniform(0.84, 1.0)
    width, height = (right - left) * shrink, (bottom - top) * shrink
    wanted = width * (window.y_high - window.y_low) / (window.x_high - window.x_low)
    if not window.is_degrees and wanted <= height and wanted > 0.6 * height:
        height = wanted
    left, top = (
        left + rng.uniform(0.2, 0.8) * (right - left - width),
        top + rng.uniform(0.2, 0.8) * (bottom - top - height),
    )
    return Plot(
        AxisScale(window.x_low, window.x_high, float(round(left)), float(round(left + width))),
        AxisScale(window.y_low, window.y_high, float(round(top + height)), float(round(top))),
        x_axis, y_axis, replace(style, width=rng.choice((1.0, 2.0))),
    )  # fmt: skip


def _draw_zero_lines(scene: SceneDrawing, plot: Plot) -> None:
    """Draw x = 0 and y = 0 thinly inside a frame."""
    ink = mix_colours(plot.style.paper.surface, plot.style.paper.ink, 0.55)
    if plot.x.low < 0 < plot.x.high:
        scene.line("zero_line", find_line_ends(plot, "x", 0), ink, 1.0, axis="y")
    if plot.y.low < 0 < plot.y.high:
        scene.line("zero_line", find_line_ends(plot, "y", 0), ink, 1.0, axis="x")


def _find_origin(plot: Plot) -> Point:
    return align_to_pixels(plot.x(0), plot.style.width), align_to_pixels(plot.y(0), plot.style.width)


def _draw_centred_axes(scene: SceneDrawing, plot: Plot) -> None:
    """Draw axes through the origin with arrow heads, a little longer than the window, and their ticks."""
    (x, y), ink, width = _find_origin(plot), plot.style.paper.ink, plot.style.width
    right, top = plot.right + 14, plot.top - 14
    scene.line("axis", [(plot.left, y), (right - 4, y)], ink, width, **describe_axis("x", plot.x))
    scene.add("arrow_head", scene.drawing.polygon([(right - 9, y - 4.5), (right, y), (right - 9, y + 4.5)], ink), ink)
    scene.line("axis", [(x, plot.bottom), (x, top + 4)], ink, width, **describe_axis("y", plot.y))
    scene.add("arrow_head", scene.drawing.polygon([(x - 4.5, top + 9), (x, top), (x + 4.5, top + 9)], ink), ink)
    for value, _ in plot.x_axis.ticks:
        at = align_to_pixels(plot.x(value), 1)
        if value and value < plot.x.high:
            scene.line("tick", [(at, y - 4), (at, y + 4)], ink, 1.0, axis="x", value=value)
    for value, _ in plot.y_axis.ticks:
        at = align_to_pixels(plot.y(value), 1)
        if value and value < plot.y.high:
            scene.line("tick", [(x - 4, at), (x + 4, at)], ink, 1.0, axis="y", value=value)


def _label_centred_axes(scene: SceneDrawing, plot: Plot) -> None:
    """Write numbers beside the axes where no curve is, on the other side if need be."""
    (x, y), size, ink = _find_origin(plot), plot.style.font - 1, plot.style.paper.ink
    for value, label in plot.x_axis.ticks:
        if value and value < plot.x.high:
            at, half = plot.x(value), text_size(label, size)[0] / 2 + 5
            places = [(at, y + 14), (at, y - 14), (at + half, y + 14), (at - half, y + 14)]
            _write_where_free(scene, plot, label, places, axis="x", value=value)
    for value, label in plot.y_axis.ticks:
        if value and value < plot.y.high:
            # Farther off on the right, where a tick before a number would look like a minus sign.
            at, half = plot.y(value), text_size(label, size)[0] / 2
            _write_where_free(scene, plot, label, [(x - half - 8, at), (x + half + 12, at)], axis="y", value=value)
    _write_where_free(scene, plot, "0", [(x - 11, y + 13)], axis="x", value=0)
    scene.text("axis_label", (plot.right + 14, y - 15), "x", size + 1, ink, "mm", axis="x")
    scene.text("axis_label", (x + 15, plot.top - 14), "y", size + 1, ink, "mm", axis="y")


def _write_where_free(scene: SceneDrawing, plot: Plot, text: str, places: list[Point], **parameters: Any) -> None:
    """Write a tick's label at the first place that is free, on a patch if there are gridlines; else not at all."""
    size, paper = plot.style.font - 1, plot.style.paper
    for at in places:
        box = compute_text_box(at, text, size)
        # Numbers of one row stay farther apart than numbers of one column.
        aside = 5 if parameters["axis"] == "x" else 0
        if is_free(scene, box._replace(left=box.left - aside, right=box.right + aside), _list_ground_colours(paper)):
            if plot.style.grid:
                left, top, right, bottom = grow_box(box, 1)
                scene.add("patch", scene.drawing.rectangle(left, top, right, bottom, paper.surface), paper.surface)
            scene.text("tick_label", at, text, size, paper.ink, **parameters)
            return


def _list_ground_colours(paper: Paper) -> tuple[str, ...]:
    return paper.surface, paper.background, paper.grid, mix_colours(paper.grid, paper.surface, 0.5)


def _draw_curve(scene: SceneDrawing, plot: Plot, window: Window, index: int, function: Function, pen: _Pen) -> None:
    for branch, path in enumerate(compute_branches(function, window, plot), start=1):
        scene.line(
            "curve", path, pen.colour, pen.width, pen.dash, function=index, branch=branch, family=function.family,
            formula=f"y = {function.formula}", coefficients=function.coefficients,
            angle_unit="degree" if window.is_degrees else "radian",
        )  # fmt: skip


def _draw_area(scene: SceneDrawing, plot: Plot, graph: GraphPlan, pen: _Pen) -> None:
    assert graph.area  # noqa: S101 - the caller asks first
    piece = replace(graph.functions[0], domain=graph.area)
    level = plot.y(min(max(0.0, plot.y.low), plot.y.high))
    rim = [point for part in compute_branches(piece, graph.window, plot) for point in part]
    outline = [(rim[0][0], level), *rim, (rim[-1][0], level)]
    tint = mix_colours(plot.style.paper.surface, pen.colour, 0.3)
    box = scene.drawing.polygon(outline, tint)
    scene.add("area", box, tint, points=round_points(outline), x_range=list(graph.area))


def _draw_asymptotes(scene: SceneDrawing, plot: Plot, graph: GraphPlan) -> None:
    """Draw the first function's asymptotes, except on top of an axis."""
    ink = mix_colours(plot.style.paper.surface, plot.style.paper.ink, 0.7)
    for value in filter(None, graph.functions[0].vertical):
        scene.line("asymptote", find_line_ends(plot, "x", value), ink, 1.0, (6, 4), x=value)
    for value in filter(None, graph.functions[0].horizontal):
        scene.line("asymptote", find_line_ends(plot, "y", value), ink, 1.0, (6, 4), y=value)


def _draw_points(rng: random.Random, scene: SceneDrawing, plot: Plot, graph: GraphPlan, pens: list[_Pen]) -> None:
    """Mark ends of pieces, the point of contact, and some special points with their names or coordinates."""
    surface = plot.style.paper.surface
    if graph.is_pieces:
        _draw_ends(scene, plot, graph, pens[0])
    points = [(graph.tangent_at, graph.functions[0].at(graph.tangent_at))] if graph.tangent_at is not None else []
    candidates = [(x, function.at(x)) for function in graph.functions for x in function.special]
    rng.shuffle(candidates)
    points += [candidate for candidate in candidates if _can_be_marked(graph, plot, candidate)][: graph.marked]
    chosen: list[Point] = []
    for point in points:
        at = plot.x(point[0]), plot.y(point[1])
        # Nearer points would have their labels on top of each other.
        if all(exact.dist(at, other) > 40 for other in chosen):
            chosen.append(at)
            draw_marker(scene, at, "circle", 8.0, plot.style.paper.ink, surface, x=point[0], y=round(point[1], 6))
    coordinates = (rng.random() < 0.35 or graph.is_annotated) and not graph.window.is_degrees
    names = list("PQRS" if rng.random() < 0.5 else "ABCD")
    for at in chosen:
        x, y = (format_number(round(coordinate, 1)) for coordinate in (plot.x.value(at[0]), plot.y.value(at[1])))
        text = f"({x}, {y})" if coordinates else names[0]
        if _write_near(scene, plot, text, at, plot.style.paper.ink, "point_label"):
            names.pop(0)


def _draw_ends(scene: SceneDrawing, plot: Plot, graph: GraphPlan, pen: _Pen) -> None:
    """Draw a filled dot where a piece begins and a ring where the piece before ends, as books do."""
    surface = plot.style.paper.surface
    for before, after in zip(graph.functions, graph.functions[1:], strict=False):
        x = after.domain[0]
        ends = [(before.at(x), "ring"), (after.at(x), "circle")]
        # Where two pieces meet, a ring under the dot would say that the function jumps.
        same = abs(plot.y(ends[0][0]) - plot.y(ends[1][0])) < 9
        for y, shape in ends[1:] if same else ends:
            draw_marker(scene, (plot.x(x), plot.y(y)), shape, 9.0, pen.colour, surface, x=x, y=round(y, 6))


def _can_be_marked(graph: GraphPlan, plot: Plot, point: Point) -> bool:
    """Return whether a point lies well inside the window, on a curve that is drawn, at coordinates of few digits."""
    x, y = point
    if graph.is_pieces or not math.isfinite(y):
        return False
    inside = plot.left + 8 < plot.x(x) < plot.right - 8 and plot.top + 8 < plot.y(y) < plot.bottom - 8
    # Halves and whole numbers, so that a label of one decimal is exact.
    return inside and abs(y * 2 - round(y * 2)) < 1e-6 and (abs(x * 2 - round(x * 2)) < 1e-6)


def _name_curves(scene: SceneDrawing, plot: Plot, graph: GraphPlan, pens: list[_Pen]) -> None:
    """Write f, g, h beside the curves, in their colours."""
    for name, function, pen in zip("fgh", graph.functions, pens, strict=False):
        path = max(compute_branches(function, graph.window, plot), key=len)
        for share in (0.9, 0.1, 0.75, 0.25, 0.5):
            if _write_near(scene, plot, name, path[round(share * (len(path) - 1))], pen.colour, "curve_label"):
                break


def _write_near(scene: SceneDrawing, plot: Plot, text: str, at: Point, colour: str, kind: str) -> bool:
    """Write a text beside a point where only gridlines lie; return whether such a place was free."""
    size = plot.style.font
    box = compute_text_box(at, text, size)
    wide, high = (box.right - box.left) / 2 + 10, (box.bottom - box.top) / 2 + 10
    for across, down in ((1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1.4), (0, 1.4), (1.4, 0), (-1.4, 0)):
        centre = at[0] + across * wide, at[1] + down * high
        needed = grow_box(compute_text_box(centre, text, size), 6)
        is_inside = plot.left < needed.left and needed.right < plot.right and plot.top < needed.top
        if is_inside and needed.bottom < plot.bottom and is_free(scene, needed, _list_ground_colours(plot.style.paper)):
            scene.text(kind, centre, text, size, colour)
            return True
    return False
