"""The class and measures of a solid region: circle, ellipse, rectangle, triangle, star, polygon and so on.

Each candidate figure is laid over the region; the simplest one whose edge stays within about a pixel of the region's
edge is taken. A figure partly hidden behind another is recognised by the part of its edge that is its own.
"""

import math

import numpy as np

from ircore.core import exact
from ircore.players.builtin.classical.corners import Points, circle_through, contour, corners_of, sharpened, stray_of
from ircore.players.builtin.classical.regions import Blob
from ircore.seeing.algebra import axes_of, dot
from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.masks import Mask, filled
from ircore.seeing.percepts import Point, Shape


def shape_of(blob: Blob, segmentation: Segmentation) -> Shape:
    """Classify and measure a blob."""
    mask = filled(blob.mask)
    hole = mask & ~blob.mask
    edge = contour(mask) + np.array([blob.left, blob.top])
    # From the simplest figure on: a circle is an ellipse too, and every figure is a polygon of many corners.
    figure = (
        _upright_rectangle(mask, (blob.left, blob.top))
        or round_figure(edge, mask)
        or _turned_rectangle(edge, float(mask.sum()))
        or figure_with_corners(edge)
        or _hidden(blob, mask, edge, segmentation.labels)
    )
    kind, centre, size, rotation, corners = figure or ("polygon", *_as_polygon(edge))
    if kind in {"circle", "ellipse"} and hole.sum() > 0.04 * mask.sum():
        kind, size = _maybe_ring(hole, blob, segmentation, size, kind)
    outline = None
    if blob.outline:
        outline = (segmentation.hex(blob.outline[0]), float(blob.outline[1]))
        size, corners = _widened(kind, centre, size, corners, blob.outline[1] / 2)
    return Shape(
        kind, segmentation.hex(blob.label), centre, size, rotation, corners, outline, float(mask.sum()), blob.box
    )


Figure = tuple[str, Point, Point, float, tuple[Point, ...]]


def _upright_rectangle(mask: Mask, corner: tuple[int, int]) -> Figure | None:
    height, width = mask.shape
    return _whole_box(corner, mask) if mask.sum() >= 0.97 * height * width else None


def _whole_box(corner: tuple[int, int], mask: Mask) -> Figure:
    """Return the rectangle that is as large as a mask."""
    height, width = mask.shape
    centre = (corner[0] + width / 2, corner[1] + height / 2)
    return "square" if abs(width - height) <= 1 else "rectangle", centre, (float(width), float(height)), 0.0, ()


def round_figure(edge: Points, mask: Mask) -> Figure | None:
    """Recognise a circle or an ellipse by its moments; the edge must match within about a pixel."""
    rows, columns = np.nonzero(mask)
    offset = edge.min(axis=0)
    x, y = columns + 0.5 + offset[0], rows + 0.5 + offset[1]
    centre = (float(x.mean()), float(y.mean()))
    axis, *spreads = axes_of(np.stack([x, y], axis=1))
    a, b = (2 * math.sqrt(max(spread, 1e-6)) for spread in spreads)
    way = edge - centre
    if a / b < 1.05:
        radius = math.sqrt(len(x) / math.pi)
        if np.abs(exact.hypot(way[:, 0], way[:, 1]) - radius).max() <= max(1.3, 0.03 * radius):
            return "circle", centre, (2 * radius, 2 * radius), 0.0, ()
    along, across = dot(way, axis), dot(way, np.array([-axis[1], axis[0]]))
    off = np.abs(exact.hypot(along / a, across / b) - 1) * b
    if off.max() > max(1.5, 0.04 * b):
        return None
    angle = math.degrees(exact.atan2(float(axis[1]), float(axis[0]))) % 180
    if min(angle, 180 - angle) < 2:
        return "ellipse", centre, (2 * a, 2 * b), 0.0, ()
    if abs(angle - 90) < 2:
        return "ellipse", centre, (2 * b, 2 * a), 0.0, ()
    return "ellipse", centre, (2 * a, 2 * b), angle, ()


def _turned_rectangle(edge: Points, area: float) -> Figure | None:
    corners = corners_of(edge, 0.02)
    if len(corners) != 4:
        return None
    sides = np.roll(corners, -1, axis=0) - corners
    length = exact.hypot(sides[:, 0], sides[:, 1])
    cosine = abs(float(dot(sides[0], sides[1]))) / (length[0] * length[1])
    if cosine > 0.035 or abs(length[0] - length[2]) > 0.05 * length[0] + 2 or area < 0.94 * length[0] * length[1]:
        return None
    width, height = (length[0] + length[2]) / 2, (length[1] + length[3]) / 2
    angle = math.degrees(exact.atan2(sides[0, 1], sides[0, 0])) % 180
    if angle > 45 and angle <= 135:
        angle, width, height = angle - 90, height, width
    elif angle > 135:
        angle -= 180
    centre = corners.mean(axis=0)
    square = abs(width - height) <= max(1.5, 0.02 * width)
    if square:
        width = height = (width + height) / 2
    at = (float(centre[0]), float(centre[1]))
    return "square" if square else "rectangle", at, (float(width), float(height)), float(angle), ()


def figure_with_corners(edge: Points) -> Figure | None:
    """Recognise a triangle, star, regular polygon, or a polygon with few corners."""
    corners = sharpened(corners_of(edge, 0.015))
    if not 3 <= len(corners) <= 14 or stray_of(edge, corners) > 2.2:
        return None
    centre, size, turned, points = _as_given(corners)
    if len(corners) == 3:
        return "triangle", centre, size, turned, points
    way = corners - corners.mean(axis=0)
    radius = exact.hypot(way[:, 0], way[:, 1])
    middle = (float(corners[:, 0].mean()), float(corners[:, 1].mean()))
    if len(corners) >= 5 and np.ptp(radius) < max(2.5, 0.05 * radius.mean()) and _even(way):
        first = int(np.abs(_from_noon(way)).argmin())
        size = (2 * float(radius.mean()), 2 * float(radius.mean()))
        return "regular", middle, size, float(_from_noon(way)[first]), points
    # A star has as many inner as outer corners.
    if len(corners) in (8, 10, 12, 14):
        # The farthest corner is an outer one; every second corner is of its kind.
        outer, inner = radius[radius.argmax() % 2 :: 2], radius[1 - radius.argmax() % 2 :: 2]
        if (
            np.ptp(outer) < 0.12 * outer.mean() + 1
            and np.ptp(inner) < 0.15 * outer.mean() + 1
            and inner.max() < 0.85 * outer.min()
        ):
            noon = _from_noon(way[radius.argmax() % 2 :: 2])
            size = (2 * float(outer.mean()), 2 * float(inner.mean()))
            return "star", middle, size, float(noon[np.abs(noon).argmin()]), points
    return "polygon", centre, size, turned, points


def _even(way: Points) -> bool:
    angles = np.sort(np.degrees(exact.atan2(way[:, 1], way[:, 0])))
    return bool(np.ptp(np.diff(angles)) < 6)


def _from_noon(way: Points) -> Points:
    """Return the angles of vectors, clockwise from 12 o'clock, -180 to 180."""
    return np.asarray(np.degrees(exact.atan2(way[:, 0], -way[:, 1])))


def _as_given(corners: Points) -> tuple[Point, Point, float, tuple[Point, ...]]:
    low, high = corners.min(axis=0), corners.max(axis=0)
    points = tuple((float(x), float(y)) for x, y in corners)
    return (
        (float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2),
        (float(high[0] - low[0]), float(high[1] - low[1])),
        0.0,
        points,
    )


def _as_polygon(edge: Points) -> tuple[Point, Point, float, tuple[Point, ...]]:
    """Describe any outline by at most about a dozen corners."""
    for share in (0.015, 0.025, 0.04, 0.06):
        corners = corners_of(edge, share)
        if len(corners) <= 12:
            break
    return _as_given(corners if len(corners) >= 3 else edge[:: max(1, len(edge) // 4)])


def _hidden(blob: Blob, mask: Mask, edge: Points, labels: Labels) -> Figure | None:
    """Recognise a circle or upright rectangle of which a part is covered by other things."""
    for figure in (_hidden_circle(edge), _hidden_rectangle(blob, mask)):
        if figure is None:
            continue
        missing = _drawn(figure, labels.shape) & (labels != blob.label)
        covered = missing & (labels > 0)
        inside = int(missing.sum())
        if inside and covered.sum() > 0.93 * inside and mask.sum() > 0.35 * (mask.sum() + inside):
            return figure
    return None


def _hidden_circle(edge: Points) -> Figure | None:
    """Fit a circle to most of an outline: the best of many circles through three of its points."""
    ring = edge[:-1:2]
    count = len(ring)
    if count < 24:
        return None
    best: tuple[float, Point, float] = (0.0, (0.0, 0.0), 0.0)
    for step in range(40):
        i = step * count // 40
        three = ring[[i, (i + count // 7) % count, (i + count // 3) % count]]
        circle = circle_through(three)
        if circle is None:
            continue
        on = np.abs(exact.hypot(*(ring - circle[0]).T) - circle[1]) < 1.2
        if on.mean() > best[0]:
            best = (float(on.mean()), *circle)
    if best[0] < 0.5:
        return None
    return "circle", best[1], (2 * best[2], 2 * best[2]), 0.0, ()


def _hidden_rectangle(blob: Blob, mask: Mask) -> Figure | None:
    height, width = mask.shape
    rows, columns = mask.sum(axis=1), mask.sum(axis=0)
    straight = (rows[:2].max() + rows[-2:].max()) / width + (columns[:2].max() + columns[-2:].max()) / height
    return _whole_box((blob.left, blob.top), mask) if straight >= 2 else None


def _drawn(figure: Figure, size: tuple[int, ...]) -> Mask:
    """Return the pixels of an upright rectangle or circle."""
    kind, (x, y), (wide, high), _, _ = figure
    rows, columns = np.ogrid[: size[0], : size[1]]
    if kind == "circle":
        return np.asarray(np.square(rows + 0.5 - y) + np.square(columns + 0.5 - x) < exact.square(wide / 2 - 1))
    return np.asarray((abs(rows + 0.5 - y) < high / 2 - 1) & (abs(columns + 0.5 - x) < wide / 2 - 1))


def _maybe_ring(hole: Mask, blob: Blob, segmentation: Segmentation, size: Point, kind: str) -> tuple[str, Point]:
    """Return kind and size of a ring, or of a disc that something covers."""
    inside = segmentation.labels[blob.top :, blob.left :][: hole.shape[0], : hole.shape[1]][hole]
    if (inside == 0).mean() < 0.5 or kind != "circle":
        return kind, size
    return "ring", (size[0], 2 * math.sqrt(hole.sum() / math.pi))


def _widened(
    kind: str, centre: Point, size: Point, corners: tuple[Point, ...], by: float
) -> tuple[Point, tuple[Point, ...]]:
    """Return size and corners grown by ``by`` pixels: an outline hides half its own width of the fill."""
    grown = []
    for x, y in corners:
        length = exact.hypot(x - centre[0], y - centre[1]) or 1.0
        factor = 1 + by * 1.3 / length
        grown.append((centre[0] + (x - centre[0]) * factor, centre[1] + (y - centre[1]) * factor))
    inner = size[1] - 2 * by if kind == "ring" else size[1] + 2 * by
    return (size[0] + 2 * by, inner), tuple(grown)
