"""Axes: value ↔ pixel, round tick values, and drawing of frame, gridlines, ticks and their labels."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ircore.core import exact
from ircore.core.drawing import AxisScale, Drawing, PlotArea, Point, text_size
from ircore.core.records import Box, Element, Scene
from ircore.instances.targets.base import MARGIN, SIZE, Drawn, SceneDrawing
from ircore.instances.targets.palettes import Paper, mix_colours

EDGE = 14
"""Pixels left free at least between the outermost text and the picture's edge."""

GAP = 5
"""Pixels between a tick and its label, and between labels and the axis' name."""

DASHES: tuple[tuple[float, ...], ...] = ((), (6, 4), (2, 3))
"""Solid, dashed and dotted gridlines."""

Frame = Literal["box", "corner", "bottom", "left"]
TickMarks = Literal["out", "in", "none"]

SHAPES = ("circle", "square", "triangle", "diamond", "ring")
"""A ring is a circle filled with the colour beneath."""

ATTEMPTS = 60


@dataclass(frozen=True)
class AxisPlan:
    """The values and labels of an axis, before the axis has a place.

    >>> [label for value, label in build_numeric_axis(0, 10, most=6).ticks]
    ['0', '2', '4', '6', '8', '10']

    Attributes:
        low: Data value at the left or bottom end.
        high: Data value at the other end.
        ticks: Value and label of each tick; the n-th of several names has value n.
        name: Written along the axis; may be empty.
        rotation: Rotation of the labels, in degrees counter-clockwise: 0, 45 or 90.
        minor: Values that get a fine gridline only.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    name: str = ""
    rotation: float = 0.0
    minor: tuple[float, ...] = ()


@dataclass(frozen=True)
class AxesStyle:
    """How axes look.

    >>> from ircore.instances.targets.palettes import WHITE
    >>> AxesStyle(WHITE, font=13.0, frame="box", marks="out", grid="y", dash=(), width=1.0).paper.ink
    '#222222'

    Attributes:
        paper: Colours.
        font: Size of labels in pixels.
        frame: Drawn sides of the area.
        marks: Place of the tick marks.
        grid: Axes with gridlines: ``""``, ``"x"``, ``"y"`` or ``"xy"``.
        dash: Dash pattern of the gridlines.
        width: Width of the axes' lines, in pixels.
    """

    paper: Paper
    font: float
    frame: Frame
    marks: TickMarks
    grid: str
    dash: tuple[float, ...]
    width: float


@dataclass(frozen=True)
class Plot(PlotArea):
    """Two axes in their places; the sides of the area between them lie at whole pixels.

    >>> from ircore.instances.targets.palettes import WHITE
    >>> axis, style = build_numeric_axis(0, 10, most=6), AxesStyle(WHITE, 13.0, "box", "out", "y", (), 1.0)
    >>> plot = Plot(AxisScale(0, 10, 60, 460), AxisScale(0, 10, 420, 20), axis, axis, style)
    >>> plot.x(5), plot.y(5)
    (260.0, 220.0)
    """

    x_axis: AxisPlan
    y_axis: AxisPlan
    style: AxesStyle


def pick_style(rng: random.Random, paper: Paper, frames: tuple[Frame, ...], grids: tuple[str, ...]) -> AxesStyle:
    """Draw a look for axes; on a panel there is always a full grid and no frame but at the bottom."""
    return AxesStyle(
        paper=paper,
        font=rng.choice((12.0, 13.0, 14.0, 15.0)),
        frame="bottom" if paper.panel and "bottom" in frames else rng.choice(frames),
        marks=rng.choice(("out", "out", "in", "none")),
        grid=max(grids, key=len) if paper.panel else rng.choice(grids),
        dash=() if paper.panel else rng.choice(DASHES),
        width=rng.choice((1.0, 1.0, 2.0)),
    )


def round_steps(low: float, high: float, most: int, factors: tuple[float, ...] = (1, 2, 2.5, 5)) -> tuple[float, ...]:
    """Return round values from ``low`` to ``high``, at most ``most`` and at least two.

    They are multiples of one of the factors times a power of ten (after P. Heckbert, "Nice numbers for graph labels",
    Graphics Gems, 1990): of the finest such step that keeps to ``most``, or a coarser one if that meets both ends and
    leaves four values.
    """
    steps = round_numbers((high - low) / most, factors)
    fitting = [ticks for step in steps if 2 <= len(ticks := _list_multiples(low, high, step)) <= most]
    meeting = [ticks for ticks in fitting if (ticks[0], ticks[-1]) == (low, high) and len(ticks) >= 4]
    return (meeting or fitting)[0]


def round_numbers(near: float, factors: Sequence[float]) -> list[float]:
    """Return the factors times the power of ten at or below a number, then times the next power."""
    power = math.floor(exact.log10(near))
    return [factor * exact.power_of_ten(exponent) for exponent in (power, power + 1) for factor in factors]


def format_number(value: float) -> str:
    """Return a number as a label, such as ``-2``, ``0.5`` or ``1200``."""
    text = f"{round(value, 6):.6f}".rstrip("0").rstrip(".")
    # Rounding a small negative number leaves a sign that no axis shows.
    return "0" if text == "-0" else text


def format_numbers(values: Sequence[float]) -> list[str]:
    """Return numbers as the labels of a row: all with as many decimals as the longest of them needs."""
    decimals = max(len(format_number(value).partition(".")[2]) for value in values)
    return [format_number(value) if value == 0 else f"{value:.{decimals}f}" for value in values]


def build_numeric_axis(
    low: float, high: float, most: int, name: str = "", factors: tuple[float, ...] = (1, 2, 2.5, 5)
) -> AxisPlan:
    """Return an axis with round numbers at the ticks; see ``round_steps``."""
    values = round_steps(low, high, most, factors)
    return AxisPlan(low, high, tuple(zip(values, format_numbers(values), strict=True)), name)


def build_names_axis(words: list[str], name: str = "", rotation: float = 0.0, pad: float = 0.5) -> AxisPlan:
    """Return an axis with words at 0, 1, 2 …, and ``pad`` units beyond the first and the last."""
    ticks = tuple((float(index), word) for index, word in enumerate(words))
    return AxisPlan(-pad, len(words) - 1 + pad, ticks, name, rotation)


def align_to_pixels(at: float, width: float) -> float:
    """Return where near ``at`` an upright line of this width fills whole pixels."""
    # A line of odd width is centred on a pixel, one of even width between two.
    return math.floor(at) + 0.5 if round(width) % 2 else float(round(at))


def find_line_ends(plot: Plot, orientation: str, value: float, width: float = 1.0) -> list[Point]:
    """Return the ends of a crisp line across the area at a value of the x- or y-axis."""
    if orientation == "x":
        at = align_to_pixels(plot.x(value), width)
        return [(at, plot.top), (at, plot.bottom)]
    at = align_to_pixels(plot.y(value), width)
    return [(plot.left, at), (plot.right, at)]


def place_axes(rng: random.Random, x_axis: AxisPlan, y_axis: AxisPlan, style: AxesStyle) -> Plot:
    """Give the axes a place: as large as labels allow, less some free space at chance."""
    mark = 5 if style.marks == "out" else 0
    x_labels = [_measure_rotated(label, style.font, x_axis.rotation) for _, label in x_axis.ticks]
    y_labels = [text_size(label, style.font) for _, label in y_axis.ticks]
    left = EDGE + max(width for width, _ in y_labels) + GAP + mark + _compute_name_room(y_axis, style)
    # Labels turned by 45° end at their ticks, so the first one reaches far to the left.
    if x_axis.rotation == 45:
        left = max(left, EDGE + x_labels[0][0])
    bottom = SIZE - EDGE - max(height for _, height in x_labels) - GAP - mark - _compute_name_room(x_axis, style)
    # Half of a level label reaches beyond the last tick; a turned one ends near its tick.
    right = SIZE - EDGE - (x_labels[-1][0] / 2 if x_axis.rotation == 0 else 8)
    left, right = left + rng.uniform(0, 24), right - rng.uniform(0, 36)
    # Half of the topmost label reaches above the area.
    top, bottom = EDGE + style.font / 2 + rng.uniform(0, 44), bottom - rng.uniform(0, 20)
    return Plot(
        AxisScale(x_axis.low, x_axis.high, float(round(left)), float(round(right))),
        AxisScale(y_axis.low, y_axis.high, float(round(bottom)), float(round(top))),
        x_axis, y_axis, style,
    )  # fmt: skip


def draw_ground(scene: SceneDrawing, plot: Plot) -> None:
    """Draw the background of the data: panel and gridlines, the fine gridlines first."""
    paper = plot.style.paper
    if paper.panel:
        box = scene.drawing.rectangle(plot.left, plot.top, plot.right, plot.bottom, paper.panel)
        scene.add("panel", box, paper.panel)
    fine = mix_colours(paper.grid, paper.surface, 0.5)
    for value in plot.x_axis.minor:
        _draw_gridline(scene, plot, "x", value, fine, ())
    for value in plot.y_axis.minor:
        _draw_gridline(scene, plot, "y", value, fine, ())
    for orientation, axis in (("x", plot.x_axis), ("y", plot.y_axis)):
        for value, _ in axis.ticks if orientation in plot.style.grid else ():
            _draw_gridline(scene, plot, orientation, value, paper.grid, plot.style.dash)


def draw_axes(scene: SceneDrawing, plot: Plot) -> None:
    """Draw frame, ticks, labels and names of the axes."""
    _draw_frame(scene, plot)
    for value, label in plot.x_axis.ticks:
        _draw_x_tick(scene, plot, value, label)
    for value, label in plot.y_axis.ticks:
        _draw_y_tick(scene, plot, value, label)
    draw_names(scene, plot)


def draw_names(scene: SceneDrawing, plot: Plot) -> None:
    """Write the names of the axes along the picture's lower and left edge."""
    size, ink = plot.style.font, plot.style.paper.ink
    if plot.x_axis.name:
        middle = (plot.left + plot.right) / 2
        # The labels are drawn by now, and the name begins where they end.
        lowest = max(element.box.bottom for element in scene.elements if element.parameters.get("axis") == "x")
        at: Point = (middle, lowest + GAP + 2)
        scene.text("axis_label", at, plot.x_axis.name, size, ink, "mt", axis="x")
    if plot.y_axis.name:
        leftmost = min(element.box.left for element in scene.elements if element.parameters.get("axis") == "y")
        at = (leftmost - GAP - 2, (plot.top + plot.bottom) / 2)
        scene.text("axis_label", at, plot.y_axis.name, size, ink, "rm", rotation=90, axis="y")


def describe_axis(orientation: str, scale: AxisScale) -> dict[str, Any]:
    """Return the parameters of an axis element: the axis's name, and which values lie at which pixels."""
    return {
        "axis": orientation,
        "data_range": [scale.low, scale.high],
        "pixel_range": [scale.start, scale.end],
    }


def draw_marker(
    scene: SceneDrawing, centre: Point, shape: str, size: float, colour: str, surface: str, **parameters: Any
) -> Element:
    """Draw a marker and add it to the scene.

    Args:
        scene: The picture.
        centre: In pixels.
        shape: One of ``SHAPES``.
        size: Diameter of a circle, in pixels; the other shapes are made to look as large.
        colour: Colour of the marker, or of a ring's rim.
        surface: Colour inside a ring.
        parameters: Added to the element's own: centre, shape and size.
    """
    box = _draw_mark(scene.drawing, centre, shape, size / 2, colour, surface)
    at = [round(centre[0], 2), round(centre[1], 2)]
    return scene.add("marker", box, colour, shape=shape, centre=at, size=size, **parameters)


def draw_until_legible(draw: Callable[[random.Random], Drawn], rng: random.Random) -> Drawn:
    """Return the first drawn target whose texts do not overlap.

    Layouts are made to fit; once in a while labels of chance lengths meet all the same.
    """
    for _ in range(ATTEMPTS):
        drawn = draw(rng)
        if not has_overlapping_texts(drawn.scene):
            return drawn
    raise AssertionError(f"no legible picture in {ATTEMPTS} attempts")


def has_overlapping_texts(scene: Scene, gap: int = 2) -> bool:
    """Return whether two texts are nearer than ``gap`` pixels to each other."""
    boxes = [element.box for element in scene.elements if element.text is not None]
    return any(grow_box(box, gap).overlaps(other) for index, box in enumerate(boxes) for other in boxes[:index])


def grow_box(box: Box, by: int) -> Box:
    """Return a box with ``by`` more pixels on each side."""
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def compute_text_box(centre: Point, text: str, size: float) -> Box:
    """Return the box that a text centred on a point needs."""
    width, height = text_size(text, size)
    left, top = int(centre[0] - width / 2), int(centre[1] - height / 2)
    return Box(left, top, left + int(width) + 2, top + int(height) + 2)


def is_free(scene: SceneDrawing, box: Box, over: Iterable[str]) -> bool:
    """Return whether a box lies inside the margin and on nothing but the colours in ``over``."""
    width, height = scene.drawing.width, scene.drawing.height
    if min(box.left, box.top, width - box.right, height - box.bottom) < MARGIN:
        return False
    allowed = {tuple(bytes.fromhex(colour[1:])) for colour in over}
    # More colours than are allowed give None, which is cheaper than a look at every pixel.
    colours = scene.drawing.image.crop((box.left, box.top, box.right, box.bottom)).getcolors(maxcolors=len(allowed))
    return colours is not None and all(colour in allowed for _, colour in colours)


def _list_multiples(low: float, high: float, step: float) -> tuple[float, ...]:
    # The slack keeps an end that is a multiple but for the error of its division.
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(index * step, 9) for index in range(first, last + 1))


def _draw_frame(scene: SceneDrawing, plot: Plot) -> None:
    frame, width, ink = plot.style.frame, plot.style.width, plot.style.paper.ink
    left, right = align_to_pixels(plot.left, width), align_to_pixels(plot.right, width)
    top, bottom = align_to_pixels(plot.top, width), align_to_pixels(plot.bottom, width)
    if frame == "box":
        scene.line("frame", [(left, top), (right, top)], ink, width, side="top")
        scene.line("frame", [(right, top), (right, bottom)], ink, width, side="right")
    if frame != "left":
        _draw_axis_line(scene, plot, "x", ((left, bottom), (right, bottom)))
    if frame != "bottom":
        _draw_axis_line(scene, plot, "y", ((left, bottom), (left, top)))


def _draw_axis_line(scene: SceneDrawing, plot: Plot, orientation: str, ends: tuple[tuple[float, float], ...]) -> None:
    scale = plot.x if orientation == "x" else plot.y
    scene.line("axis", ends, plot.style.paper.ink, plot.style.width, **describe_axis(orientation, scale))


def _draw_gridline(
    scene: SceneDrawing, plot: Plot, orientation: str, value: float, colour: str, dash: tuple[float, ...]
) -> None:
    scene.line("gridline", find_line_ends(plot, orientation, value), colour, 1.0, dash, axis=orientation, value=value)


def _draw_x_tick(scene: SceneDrawing, plot: Plot, value: float, label: str) -> None:
    style, ink, at = plot.style, plot.style.paper.ink, plot.x(value)
    # A frame of the left side alone has no line below that marks could start from.
    if style.marks != "none" and style.frame != "left":
        ends = [
            (align_to_pixels(at, 1), plot.bottom),
            (align_to_pixels(at, 1), plot.bottom + (5 if style.marks == "out" else -5)),
        ]
        scene.line("tick", ends, ink, 1.0, axis="x", value=value)
    below = plot.bottom + GAP + (5 if style.marks == "out" else 0)
    if plot.x_axis.rotation == 45:
        scene.text("tick_label", (at + 5, below), label, style.font, ink, "rt", 45, axis="x", value=value)
    else:
        rotation = plot.x_axis.rotation
        scene.text("tick_label", (at, below), label, style.font, ink, "mt", rotation, axis="x", value=value)


def _draw_y_tick(scene: SceneDrawing, plot: Plot, value: float, label: str) -> None:
    style, ink, at = plot.style, plot.style.paper.ink, plot.y(value)
    if style.marks != "none" and style.frame != "bottom":
        ends = [
            (plot.left, align_to_pixels(at, 1)),
            (plot.left + (5 if style.marks == "in" else -5), align_to_pixels(at, 1)),
        ]
        scene.line("tick", ends, ink, 1.0, axis="y", value=value)
    beside = plot.left - GAP - (5 if style.marks == "out" else 0)
    scene.text("tick_label", (beside, at), label, style.font, ink, "rm", axis="y", value=value)


def _compute_name_room(axis: AxisPlan, style: AxesStyle) -> float:
    return style.font + GAP + 2 if axis.name else 0.0


def _measure_rotated(text: str, font: float, rotation: float) -> tuple[float, float]:
    width, height = text_size(text, font)
    turn = math.radians(rotation)
    return (
        width * exact.cos(turn) + height * exact.sin(turn),
        width * exact.sin(turn) + height * exact.cos(turn),
    )


def _draw_mark(drawing: Drawing, centre: Point, shape: str, half: float, colour: str, surface: str) -> Box:
    x, y = centre
    if shape == "circle":
        return drawing.ellipse(centre, (half, half), colour)
    if shape == "ring":
        drawing.ellipse(centre, (half, half), surface)
        return drawing.ellipse(centre, (half, half), outline=colour, width=2.0)
    if shape == "square":
        half *= 0.9
        return drawing.rectangle(x - half, y - half, x + half, y + half, colour)
    if shape == "triangle":
        return drawing.polygon([(x, y - half * 1.25), (x + half * 1.2, y + half), (x - half * 1.2, y + half)], colour)
    half *= 1.25
    return drawing.polygon([(x, y - half), (x + half, y), (x, y + half), (x - half, y)], colour)
