"""The axes of a chart or graph, read from its labels: which pixel is which value.

Where axes cross inside a graph, the numbers beside them stand on either side.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ircore.core.drawing import AxisScale
from ircore.players.builtin.classical.statements import format_number
from ircore.seeing.percepts import Grid, Percept, Perception, Shape, Stroke, Text, Ticks

ALIGNED = 1.6
"""Pixels that labels of one axis may be out of line."""
LARGE = 120
"""Least width and height of a frame or panel around a plot, in pixels."""
USUAL_GAP, WITH_MARKS = 5.0, 10.0
"""Pixels between an axis and its labels, without and with tick marks outside."""
BESIDE = 4.0, 28.0
"""Least and greatest distance of a number's middle from its axis, in pixels."""
ON_SCALE = 2.0
"""Pixels that a number may stand off its place on the scale."""
LEAST = 3
"""Numbers that must lie on a scale."""

_Sides = tuple[float, float, float, float, Shape | None, Shape | None]


@dataclass(frozen=True)
class ReadAxis:
    """An axis with its labels.

    >>> labels = tuple(Text(str(n), "#000000", 13.0, (60.0 * n, 420.0), 0.0, 9.0, (0, 415, 9, 425)) for n in range(3))
    >>> ReadAxis("x", labels, (0.0, 60.0, 120.0), level=410.0, scale=AxisScale(0, 2, 0, 120), line=None, title=None).gap
    5.0

    Attributes:
        name: ``x`` or ``y``.
        places: Pixels of the labels along the axis.
        level: Pixel at which the axis lies.
        scale: Value at each pixel; None if the labels are no numbers at even steps.
        line: Width and colour of its line; None without a line.
    """

    name: str
    labels: tuple[Text, ...]
    places: tuple[float, ...]
    level: float
    scale: AxisScale | None
    line: Stroke | Shape | None
    title: Text | None

    @property
    def gap(self) -> float:
        """Pixels between the axis and its labels."""
        boxes = [label.box for label in self.labels]
        if self.name == "x":
            return min(box[1] for box in boxes) - self.level
        return self.level - max(box[2] for box in boxes)


@dataclass(frozen=True)
class PlotSides:
    """Sides of a plot in pixels, and the marks drawn around it.

    >>> axis = ReadAxis("x", (), (), 0.0, None, None, None)
    >>> PlotSides(60.0, 460.0, 20.0, 420.0, axis, axis, frame=None, panel=None).right
    460.0
    """

    left: float
    right: float
    top: float
    bottom: float
    x: ReadAxis
    y: ReadAxis
    frame: Shape | None
    panel: Shape | None


def read_area(perception: Perception) -> PlotSides | None:
    """Return the plot area with both axes; None if no two rows of labels are seen that could be axes."""
    texts = [text for text in perception.texts if text.text.strip()]
    column = _find_aligned_texts(texts, lambda text: float(text.box[2]), lambda text: text.centre[1])
    row = _find_aligned_texts(texts, lambda text: float(text.box[1]), lambda text: text.centre[0], lowest=True)
    if len(column) < 2 or len(row) < 2:
        return None
    sides = _find_sides(perception, row, column)
    if sides is None:
        return None
    left, right, top, bottom, frame, panel = sides
    x_line, y_line = (_choose_axis_line(perception, name, frame) for name in ("x axis", "y axis"))
    x = ReadAxis(
        "x", tuple(row), tuple(_find_label_place(text) for text in row), bottom,
        _fit_scale(row, 0, (left, right)), x_line,
        _find_title(texts, row, column, "x", (left, right, top, bottom)),
    )  # fmt: skip
    y = ReadAxis(
        "y", tuple(column), tuple(text.centre[1] for text in column), left,
        _fit_scale(column, 1, (bottom, top)), y_line,
        _find_title(texts, row, column, "y", (left, right, top, bottom)),
    )  # fmt: skip
    return PlotSides(left, right, top, bottom, x, y, frame, panel)


def parse_label_value(text: Text) -> float | None:
    """Return the number that a label shows, degrees included; None if it shows words."""
    # Charts often print the minus sign, which ``float`` does not read.
    plain = text.text.replace("−", "-").removesuffix("°")
    try:
        return float(plain) if plain.replace("-", "", 1).replace(".", "", 1).isdigit() else None
    except ValueError:
        return None


def format_rounded(value: float, unit: float) -> str:
    """Return a number with as few decimals as keep within a fraction of a pixel.

    Args:
        value: In the units of the plot.
        unit: Most that the number may be off.
    """
    for decimals in range(5):
        text = f"{value:.{decimals}f}"
        if abs(float(text) - value) <= unit:
            break
    return "0" if float(text) == 0 else text


def format_step(axis: ReadAxis) -> str | None:
    """Return the step of evenly spaced numbers as it would be said, such as ``0.5``; None if the labels follow none."""
    texts = [label.text.replace("−", "-").removesuffix("°") for label in axis.labels]
    values = [parse_label_value(label) for label in axis.labels]
    if axis.scale is None or None in values or len(values) < 3:
        return None
    ordered = sorted(value for value in values if value is not None)
    step = ordered[1] - ordered[0]
    decimals = max(len(text.partition(".")[2]) for text in texts)
    even = all(abs(high - low - step) < 1e-6 for low, high in itertools.pairwise(ordered))
    low, high = sorted((axis.scale.low, axis.scale.high))
    whole = math.ceil(low / step - 0.02) * step, math.floor(high / step + 0.02) * step
    ends = abs(whole[0] - ordered[0]) < 1e-6 and abs(whole[1] - ordered[-1]) < 1e-6
    alike = all(len(text.partition(".")[2]) == decimals or float(text) == 0 for text in texts)
    return f"{step:.{decimals}f}" if even and ends and alike and step > 0 else None


def has_marks(axis: ReadAxis, percepts: Sequence[Percept]) -> str:
    """Return "outside", "inside" or "" for the tick marks of an axis."""
    if abs(axis.gap - WITH_MARKS) <= 2.5:
        return "outside"
    inside = any(isinstance(p, Ticks) and p.axis == axis.name and p.side == "inside" for p in percepts)
    return "inside" if inside else ""


def read_crossed(perception: Perception) -> PlotSides | None:
    """Return a graph's area with its scales, without labels; None unless two axes with numbers are seen."""
    lines = {
        role: max(
            (p for p in perception.percepts if isinstance(p, Stroke) and p.role == role),
            key=lambda line: line.area, default=None,
        )
        for role in ("x axis", "y axis")
    }  # fmt: skip
    level, upright = lines["x axis"], lines["y axis"]
    if level is None or upright is None:
        return None
    y0, x0 = level.points[0][1], upright.points[0][0]
    left, right = sorted(point[0] for point in (level.points[0], level.points[-1]))
    top, bottom = sorted(point[1] for point in (upright.points[0], upright.points[-1]))
    numbers = [(text.centre, value) for text in perception.texts if (value := parse_label_value(text)) is not None]
    across = _find_crossed_scale([(x, value) for (x, y), value in numbers if _is_beside(y - y0)], (left, right))
    down = _find_crossed_scale([(y, value) for (x, y), value in numbers if _is_beside(x - x0)], (bottom, top))
    if across is None or down is None or right - left < 60 or bottom - top < 60:
        return None
    x = ReadAxis("x", (), (), y0, across, level, None)
    y = ReadAxis("y", (), (), x0, down, upright, None)
    return PlotSides(left, right, top, bottom, x, y, None, None)


def describe_scale(area: PlotSides) -> str:
    """Say where a graph lies and which values its axes span."""
    across = f"{format_number(area.left)} to {format_number(area.right)} px across"
    down = f"{format_number(area.top)} to {format_number(area.bottom)} px down"
    return f"The plot spans {across} and {down}. {_format_range(area.x)} {_format_range(area.y)}"


def _find_label_place(text: Text) -> float:
    """Return where along the x axis a label stands: its middle, or its end if it slants upwards to there."""
    return float(text.box[2]) - 5 if 20 < text.rotation < 70 else text.centre[0]


def _find_aligned_texts(
    texts: Sequence[Text], line: Callable[[Text], float], along: Callable[[Text], float], lowest: bool = False
) -> list[Text]:
    """Return the largest group of texts of one size and look in one line, in order along the line."""
    groups = [
        [other for other in texts if abs(line(other) - line(text)) <= ALIGNED and _are_alike(other, text)]
        for text in texts
        if lowest or text.rotation == 0
    ]
    # Of equally long rows, labels stand in the lowest one, and in the leftmost of such columns.
    way = 1 if lowest else -1
    best = max(groups, key=lambda group: (len(group), way * line(group[0])), default=[])
    return sorted(best, key=along)


def _are_alike(first: Text, second: Text) -> bool:
    return abs(first.size - second.size) < 0.6 and first.rotation == second.rotation


def _find_sides(perception: Perception, row: list[Text], column: list[Text]) -> _Sides | None:
    """Return left, right, top and bottom, the frame and the panel."""
    large = [p for p in perception.percepts if isinstance(p, Shape) and p.kind in {"rectangle", "square"}]
    large = [p for p in large if min(p.size) > LARGE and not p.rotation]
    frame = next((p for p in large if p.colour is None and p.outline), None)
    panel = next((p for p in large if p.colour is not None), None)
    upright = _find_axis_line(perception.percepts, "y axis", max(text.box[2] for text in column))
    level = _find_axis_line(perception.percepts, "x axis", min(text.box[1] for text in row))
    box = _find_frame_middle(frame) if frame else tuple(map(float, panel.box)) if panel else None
    grids = [p for p in perception.percepts if isinstance(p, Grid)]
    lying = next((grid for grid in grids if grid.horizontal), None)
    standing = next((grid for grid in grids if not grid.horizontal), None)
    if frame is not None:
        # A frame hides the axis lines, and tells where they stand.
        upright = level = None
    left = (
        _find_line_place(upright, 0)
        if upright
        else box[0]
        if box
        else lying.low
        if lying
        else _find_line_place(level, 0, first=True)
    )
    bottom = (
        _find_line_place(level, 1)
        if level
        else box[3]
        if box
        else standing.high
        if standing
        else _find_line_end(upright, 1, max)
    )
    right = box[2] if box else _find_line_end(level, 0, max) if level else lying.high if lying else None
    top = (
        box[1]
        if box
        else _find_line_end(upright, 1, min)
        if upright
        else standing.low
        if standing
        else column[0].centre[1]
    )
    if left is None or bottom is None or right is None or top is None or right - left < 60 or bottom - top < 60:
        return None
    return float(math.floor(left)), float(round(right)), float(round(top)), float(math.floor(bottom)), frame, panel


def _find_axis_line(percepts: Sequence[Percept], role: str, near: float) -> Stroke | None:
    """Return the axis line of a role that lies nearest to its labels."""
    place = 0 if role == "y axis" else 1
    lines = [p for p in percepts if isinstance(p, Stroke) and p.role == role]
    return min(lines, key=lambda line: abs(line.points[0][place] - near), default=None)


def _find_frame_middle(frame: Shape) -> tuple[float, ...]:
    """Return the middle of a frame's line as left, top, right and bottom."""
    (x, y), (wide, high) = frame.centre, frame.size
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _find_line_place(line: Stroke | None, place: int, first: bool = False) -> float | None:
    if line is None:
        return None
    return min(point[place] for point in line.points) if first else line.points[0][place]


def _find_line_end(line: Stroke | None, place: int, which: Callable[[Sequence[float]], float]) -> float | None:
    return which([point[place] for point in line.points]) if line else None


def _choose_axis_line(perception: Perception, role: str, frame: Shape | None) -> Stroke | Shape | None:
    lines = [p for p in perception.percepts if isinstance(p, Stroke) and p.role == role]
    return frame or max(lines, key=lambda line: line.area, default=None)


def _fit_scale(labels: Sequence[Text], along: int, ends: tuple[float, float]) -> AxisScale | None:
    """Return the linear scale on which the labels lie, from end to end; None if they lie on no line."""
    pairs = [(text.centre[along], value) for text in labels if (value := parse_label_value(text)) is not None]
    # One label may be misread.
    if len(pairs) < 2 or len(pairs) < len(labels) - 1:
        return None
    count = len(pairs)
    mean_at, mean = math.fsum(at for at, _ in pairs) / count, math.fsum(value for _, value in pairs) / count
    spread = math.fsum((at - mean_at) * (at - mean_at) for at, _ in pairs)
    if not spread:
        return None
    slope = math.fsum((at - mean_at) * (value - mean) for at, value in pairs) / spread
    if not slope or any(abs((value - mean) / slope - (at - mean_at)) > 2.5 for at, value in pairs):
        return None
    low, high = (mean + slope * (end - mean_at) for end in ends)
    return AxisScale(low, high, *ends)


def _find_title(
    texts: list[Text], row: list[Text], column: list[Text], name: str, sides: tuple[float, float, float, float]
) -> Text | None:
    """Return the text beyond the labels that is centred along an axis."""
    left, right, top, bottom = sides
    low, first = max(label.box[3] for label in row) - 1, min(label.box[0] for label in column) + 1
    for text in texts:
        across, down = abs(text.centre[0] - (left + right) / 2), abs(text.centre[1] - (top + bottom) / 2)
        beyond = text.centre[1] > low if name == "x" else text.rotation == 90 and text.centre[0] < first
        if text not in row and text not in column and beyond and (across if name == "x" else down) < 3:
            return text
    return None


def _is_beside(off: float) -> bool:
    return BESIDE[0] <= abs(off) <= BESIDE[1]


def _find_crossed_scale(pairs: Sequence[tuple[float, float]], ends: tuple[float, float]) -> AxisScale | None:
    """Return the linear scale on which most numbers lie, from end to end; None if fewer than three do."""
    best: tuple[int, AxisScale] | None = None
    # Every pair of numbers proposes a scale, since some numbers may be misread or belong to something else.
    for (at, value), (other, other_value) in itertools.combinations(pairs, 2):
        if abs(at - other) < 20 or value == other_value:
            continue
        slope = (other_value - value) / (other - at)
        scale = AxisScale(value + slope * (ends[0] - at), value + slope * (ends[1] - at), *ends)
        count = sum(abs(scale(each) - place) <= ON_SCALE for place, each in pairs)
        if best is None or count > best[0]:
            best = count, scale
    return best[1] if best is not None and best[0] >= LEAST else None


def _format_range(axis: ReadAxis) -> str:
    scale = axis.scale
    assert scale is not None  # noqa: S101 - read_crossed gives both
    return f"The {axis.name} axis runs from {scale.low:.2f} to {scale.high:.2f}."
