"""Which thing of a rendering is which of the target, and which of the target's things show in its pixels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ircore.core import exact
from ircore.core.images import Pixels
from ircore.players.builtin.classical.outlines import Points, smooth_curve
from ircore.seeing.arrays import Mask, are_inside_polygon, compute_dot, compute_lengths
from ircore.seeing.colours import measure_rgb_distance
from ircore.seeing.flat_colours import parse_rgb_array
from ircore.seeing.percepts import Bars, Grid, Percept, Perception, Pie, Shape, Stroke, Text, Ticks, compute_middle

T = TypeVar("T")
SAME_COLOUR, OTHER_COLOUR = 60.0, 12.0
"""Distances in RGB, 0–441, up to which colours are alike, and from which on they are not the same."""
ALIKE = 36.0
"""Distance in RGB up to which two pixels look the same."""


@dataclass(frozen=True, eq=False)
class NamedThing:
    """A thing that a correction can name: a percept, or a single bar of a chart.

    >>> from ircore.seeing.percepts import build_circle
    >>> NamedThing(build_circle((50.0, 50.0), 20.0, 1257.0, "#ff0000")).colour
    '#ff0000'

    Attributes:
        percept: The percept; for a bar, its rectangle.
        bars: The group a bar belongs to, and its number there.
    """

    percept: Percept
    bars: tuple[Bars, int] | None = None

    @property
    def colour(self) -> str | None:
        """Colour of the thing; None if the thing has several colours."""
        if isinstance(self.percept, Shape):
            return self.percept.colour or (self.percept.outline[0] if self.percept.outline else None)
        return None if isinstance(self.percept, (Pie, Bars)) else self.percept.colour

    @property
    def middle(self) -> tuple[float, float]:
        """Middle of the thing's box."""
        return compute_middle(self.percept.box)


def list_items(perception: Perception) -> list[NamedThing]:
    """Return all percepts but texts as items, with an item for each bar."""
    items = []
    for percept in perception.percepts:
        if isinstance(percept, Bars):
            items += [NamedThing(_build_bar_rectangle(percept, n), (percept, n)) for n in range(len(percept.bars))]
        elif not isinstance(percept, Text):
            items.append(NamedThing(percept))
    return items


def _build_bar_rectangle(group: Bars, index: int) -> Shape:
    bar = group.bars[index]
    low, high = sorted((bar.tip, group.foot(bar)))
    left, right, top, bottom = (bar.start, bar.end, low, high) if group.upright else (low, high, bar.start, bar.end)
    size = (right - left, bottom - top)
    centre = ((left + right) / 2, (top + bottom) / 2)
    return Shape("rectangle", bar.colour, centre, size, 0.0, (), bar.outline, size[0] * size[1], bar.box)


def pair_items(targets: list[NamedThing], renderings: list[NamedThing]) -> list[tuple[NamedThing, NamedThing]]:
    """Pair the things of target and rendering that are the same thing, the surest pairs first."""
    return match_cheapest(targets, renderings, _compute_cost, 1.0)


def match_cheapest(
    ones: Sequence[T], others: Sequence[T], cost: Callable[[T, T], float], most: float
) -> list[tuple[T, T]]:
    """Pair things of two lists, each at most once, cheapest pairs first and no pair above ``most``."""
    # Equal costs are decided by the order of the lists, so that the same pictures always give the same pairs.
    costs = sorted((cost(first, second), i, j) for i, first in enumerate(ones) for j, second in enumerate(others))
    left = set(range(len(ones))), set(range(len(others)))
    pairs = []
    for spent, i, j in costs:
        if spent <= most and i in left[0] and j in left[1]:
            left[0].remove(i)
            left[1].remove(j)
            pairs.append((ones[i], others[j]))
    return pairs


def _compute_cost(first: NamedThing, second: NamedThing) -> float:
    """Return how unlike two things are; above 1 they cannot be the same."""
    family = _name_family(first.percept)
    if family != _name_family(second.percept):
        return math.inf
    away = exact.dist(first.middle, second.middle)
    boxes = first.percept.box, second.percept.box
    sizes = [max(right - left, bottom - top, 1) for left, top, right, bottom in boxes]
    unlike = abs(exact.log(sizes[0] / sizes[1])) / 2
    off_colour = measure_rgb_distance(first.colour, second.colour) / 441 if first.colour and second.colour else 0.0
    # Things of unlike colours are the same thing only at the same place.
    if off_colour > OTHER_COLOUR / 441 and away > (0.5 if off_colour < SAME_COLOUR / 441 else 0.3) * sizes[0]:
        return math.inf
    # A hidden or blurred shape may be taken for another kind.
    kinds = 0.15 if getattr(first.percept, "kind", "") != getattr(second.percept, "kind", "") else 0.0
    return away / max(120.0 if sizes[0] > 20 else 30.0, 1.5 * sizes[0]) + unlike + off_colour + kinds


def _name_family(percept: Percept) -> str:
    if isinstance(percept, Shape):
        return "filled" if percept.colour else "outlined"
    if isinstance(percept, Stroke) and len(percept.points) == 2:
        horizontal = abs(percept.points[0][1] - percept.points[1][1]) < abs(percept.points[0][0] - percept.points[1][0])
        return f"line {horizontal}"
    return type(percept).__name__


def list_probes(percept: Percept) -> Points:
    """Return points, x and y, spread over the pixels that a percept covers."""
    if isinstance(percept, Stroke):
        return _sample_along(percept)
    if isinstance(percept, Grid):
        steps = np.arange(percept.low + 2, percept.high - 2, 4.0)
        rows = [np.column_stack([steps, np.full(len(steps), at)]) for at in percept.at]
        points = np.vstack(rows)
        return points if percept.horizontal else points[:, ::-1]
    if isinstance(percept, Ticks):
        middle = (percept.box[1] + percept.box[3]) / 2 if percept.axis == "x" else (percept.box[0] + percept.box[2]) / 2
        points = np.array(
            [(at, middle + shift) for at in percept.at for shift in (-percept.length / 4, percept.length / 4)]
        )
        return points if percept.axis == "x" else points[:, ::-1]
    if isinstance(percept, Bars):
        return np.vstack([_sample_box(bar.box, 5) for bar in percept.bars])
    if isinstance(percept, Pie):
        return _sample_pie(percept)
    if isinstance(percept, Text):
        return _sample_box(percept.box, 8)
    return _sample_shape(percept)


def _sample_along(stroke: Stroke) -> Points:
    points = np.array(stroke.points)
    lengths = exact.hypot(*np.diff(points, axis=0).T)
    steps = [max(2, int(length / 3)) for length in lengths]
    if stroke.smooth:
        return smooth_curve(points, steps)
    pieces = [
        points[i] + (np.arange(count) / count)[:, None] * (points[i + 1] - points[i]) for i, count in enumerate(steps)
    ]
    return np.vstack([*pieces, points[-1:]])


def _sample_box(box: tuple[int, int, int, int], steps: int) -> Points:
    left, top, right, bottom = box
    inset = min(2.0, (right - left) / 6, (bottom - top) / 6)
    xs, ys = np.linspace(left + inset, right - inset, steps), np.linspace(top + inset, bottom - inset, 3 * steps)
    return np.column_stack([np.repeat(xs, len(ys)), np.tile(ys, len(xs))])


def _sample_pie(pie: Pie) -> Points:
    angles = np.linspace(0, 2 * math.pi, 120, endpoint=False)
    radii = np.linspace(pie.hole + 0.1 * (pie.radius - pie.hole), pie.radius - 3, 6)
    return np.array(
        [(pie.centre[0] + r * exact.sin(a), pie.centre[1] - r * exact.cos(a)) for a in angles for r in radii]
    )


def _sample_shape(shape: Shape) -> Points:
    if shape.colour is None:
        return _sample_rim(shape)
    points = _sample_box(shape.box, 13)
    return points[_find_points_inside(shape, points)]


def _find_points_inside(shape: Shape, points: Points) -> Mask:
    if shape.corners:
        return are_inside_polygon(points, np.array(shape.corners))
    turn = math.radians(shape.rotation)
    offset = points - shape.centre
    along = compute_dot(offset, np.array([exact.cos(turn), exact.sin(turn)]))
    across = compute_dot(offset, np.array([-exact.sin(turn), exact.cos(turn)]))
    half = max(shape.size[0] / 2 - 2, 1), max(shape.size[1] / 2 - 2, 1)
    if shape.kind in {"circle", "ellipse"}:
        return np.asarray(np.square(along / half[0]) + np.square(across / half[1]) <= 1)
    if shape.kind == "ring":
        away = exact.hypot(along, across)
        return np.asarray((away < half[0]) & (away > half[1] + 2))
    return np.asarray((abs(along) <= half[0]) & (abs(across) <= half[1]))


def _sample_rim(shape: Shape) -> Points:
    if shape.corners:
        ring = (*shape.corners, shape.corners[0])
    else:
        turn = math.radians(shape.rotation)
        a, b = shape.size[0] / 2, shape.size[1] / 2
        if shape.kind in {"square", "rectangle"}:
            flat = [(-a, -b), (a, -b), (a, b), (-a, b), (-a, -b)]
        else:
            flat = [(a * exact.cos(t), b * exact.sin(t)) for t in np.linspace(0, 2 * math.pi, 60)]
        ring = tuple(
            (
                shape.centre[0] + x * exact.cos(turn) - y * exact.sin(turn),
                shape.centre[1] + x * exact.sin(turn) + y * exact.cos(turn),
            )
            for x, y in flat
        )
    return _sample_along(Stroke("#000000", 1.0, ring))


def measure_missing(percept: Percept, colour: str | None, shown: Pixels, other: Pixels) -> float:
    """Return the share, 0–1, of a percept's visible points at which another picture looks different.

    Args:
        percept: A percept of ``shown``.
        colour: Its colour, if it has only one: points of other colours are covered and not counted.
        shown: The picture in which it was seen.
        other: The picture to check, of the same size.
    """
    thin = isinstance(percept, (Stroke, Grid, Ticks)) or (isinstance(percept, Shape) and percept.colour is None)
    points = np.floor(list_probes(percept)).astype(int)
    height, width = shown.shape[:2]
    inside = (points[:, 0] >= 0) & (points[:, 0] < width) & (points[:, 1] >= 0) & (points[:, 1] < height)
    columns, rows = points[inside, 0], points[inside, 1]
    if not len(rows):
        return 0.0
    wanted = shown[rows, columns].astype(np.float64)
    if colour is not None:
        if thin:
            wanted = np.broadcast_to(parse_rgb_array(colour), wanted.shape)
        # Where another colour is seen, something lies in front; such points say nothing.
        visible_points = _find_nearest(shown, rows, columns, parse_rgb_array(colour), 1 if thin else 0) < ALIKE
        if visible_points.sum() < 3:
            return 0.0
        rows, columns, wanted = rows[visible_points], columns[visible_points], wanted[visible_points]
    beside = shown[np.clip(rows + 5, 0, height - 1), np.clip(columns + 5, 0, width - 1)].astype(np.float64)
    # A pale figure is missing where only the background is to be seen.
    around = beside if thin else shown[2, 2].astype(np.float64)
    contrast = float(np.median(compute_lengths(wanted - around)))
    if not thin and contrast < 16:
        contrast = 2 * ALIKE
    alike = max(8.0, min(ALIKE * (2 if thin else 1), 0.5 * contrast))
    # The dashes of the rendering may begin elsewhere along the line.
    reach, stride = (6, 2) if getattr(percept, "dash", "solid") != "solid" else (int(thin), 1)
    return float((_find_nearest(other, rows, columns, wanted, reach, stride) >= alike).mean())


def _find_nearest(
    pixels: Pixels,
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    wanted: Points,
    reach: int,
    stride: int = 1,
) -> Points:
    """Return how near, within ``reach`` pixels, a picture comes to the wanted colours."""
    shifts = np.arange(-reach, reach + 1, stride)
    down, across = np.clip(rows + shifts[:, None], 0, pixels.shape[0] - 1), columns + shifts[:, None]
    there = pixels[down[:, None], np.clip(across, 0, pixels.shape[1] - 1)[None]]
    off = there - wanted
    return np.asarray(compute_lengths(off).min(axis=(0, 1)))
