"""From flat colours to solid shapes with class and measures, and the thin strokes that are left.

Each colour's pixels fall into connected components. Where a component is thick (a 7 × 7 square fits) it is a blob; what
sticks out far from a blob, and all components that are thin everywhere, are strokes. Candidate figures are laid over a
blob; the simplest one whose edge stays within about a pixel of the blob's edge is taken. A figure partly hidden behind
another is recognised by the part of its edge that is its own.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from ircore.core import exact
from ircore.players.builtin.classical.outlines import (
    Points,
    find_corners,
    fit_circle,
    measure_stray,
    sharpen_corners,
    trace_contour,
)
from ircore.seeing.arrays import (
    EIGHT,
    Mask,
    add_direct_neighbours,
    compute_dot,
    compute_principal_axis,
    dilate,
    fill_holes,
    mark_uniform_pixels,
)
from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.percepts import Box, Point, Shape

CORE = 7
MAX_OUTLINE = 8
"""Pixels; a wider rim is a shape of its own."""
PAD = 10
RUN = 6
"""Pixels over which a line continues past a blob; an outline ends with its blob."""

Figure = tuple[str, Point, Point, float, tuple[Point, ...]]


@dataclass(frozen=True, eq=False)
class SolidRegion:
    """A solid region of one colour.

    >>> SolidRegion(1, left=10, top=20, mask=np.ones((5, 8), bool)).box
    (10, 20, 18, 25)

    Attributes:
        left: Column of the mask's first column in the picture.
        top: Row of the mask's first row in the picture.
        mask: Pixels of the blob, cropped to its box.
        outline: Label and width in pixels of the rim around it, if it has one.
    """

    label: int
    left: int
    top: int
    mask: Mask
    outline: tuple[int, float] | None = None

    @property
    def box(self) -> Box:
        """Smallest box around the blob."""
        height, width = self.mask.shape
        return self.left, self.top, self.left + width, self.top + height

    @property
    def area(self) -> int:
        """Number of pixels."""
        return int(self.mask.sum())


def split_picture(segmentation: Segmentation) -> tuple[list[SolidRegion], Labels]:
    """Separate a picture into blobs and thin strokes.

    Returns:
        The blobs, largest first, and the labels of the pixels that belong to strokes (0 elsewhere).
    """
    labels = segmentation.labels
    # ``uniform`` already takes a pixel on each side.
    core = ~dilate(~mark_uniform_pixels(labels), CORE // 2 - 1) & (labels > 0)
    thin = labels.copy()
    blobs: list[SolidRegion] = []
    boxes = ndimage.find_objects(labels)
    for label in np.unique(labels[core]):
        blobs += _find_blobs(int(label), boxes[label - 1], labels, core, thin)
    blobs = [_add_outline(blob, segmentation, thin) for blob in blobs]
    return sorted(blobs, key=lambda blob: -blob.area), thin


def find_pieces(mask: Mask, least: int) -> list[tuple[Mask, tuple[int, int]]]:
    """Return the connected pieces of a mask that hold ``least`` pixels, with top and left of each."""
    labels, _ = ndimage.label(mask, EIGHT)
    pieces = ((labels[box] == index, box) for index, box in enumerate(ndimage.find_objects(labels), 1))
    return [(piece, (box[0].start, box[1].start)) for piece, box in pieces if piece.sum() >= least]


def measure_shape(blob: SolidRegion, segmentation: Segmentation) -> Shape:
    """Classify and measure a blob."""
    mask = fill_holes(blob.mask)
    hole = mask & ~blob.mask
    edge = trace_contour(mask) + np.array([blob.left, blob.top])
    # From the simplest figure on: a circle is an ellipse too, and every figure is a polygon of many corners.
    figure = (
        _recognise_upright_rectangle(mask, (blob.left, blob.top))
        or round_figure(edge, mask)
        or _recognise_turned_rectangle(edge, float(mask.sum()))
        or recognise_by_corners(edge)
        or _recognise_hidden(blob, mask, edge, segmentation.labels)
    )
    kind, centre, size, rotation, corners = figure or ("polygon", *_fit_polygon(edge))
    if kind in {"circle", "ellipse"} and hole.sum() > 0.04 * mask.sum():
        kind, size = _recognise_ring(hole, blob, segmentation, size, kind)
    outline = None
    if blob.outline:
        outline = (segmentation.hex(blob.outline[0]), float(blob.outline[1]))
        size, corners = _widen_figure(kind, centre, size, corners, blob.outline[1] / 2)
    return Shape(
        kind, segmentation.hex(blob.label), centre, size, rotation, corners, outline, float(mask.sum()), blob.box
    )


def round_figure(edge: Points, mask: Mask) -> Figure | None:
    """Recognise a circle or an ellipse by its moments; the edge must match within about a pixel."""
    rows, columns = np.nonzero(mask)
    offset = edge.min(axis=0)
    x, y = columns + 0.5 + offset[0], rows + 0.5 + offset[1]
    centre = (float(x.mean()), float(y.mean()))
    axis, *spreads = compute_principal_axis(np.stack([x, y], axis=1))
    a, b = (2 * math.sqrt(max(spread, 1e-6)) for spread in spreads)
    way = edge - centre
    if a / b < 1.05:
        radius = math.sqrt(len(x) / math.pi)
        if np.abs(exact.hypot(way[:, 0], way[:, 1]) - radius).max() <= max(1.3, 0.03 * radius):
            return "circle", centre, (2 * radius, 2 * radius), 0.0, ()
    along, across = compute_dot(way, axis), compute_dot(way, np.array([-axis[1], axis[0]]))
    off = np.abs(exact.hypot(along / a, across / b) - 1) * b
    if off.max() > max(1.5, 0.04 * b):
        return None
    angle = math.degrees(exact.atan2(float(axis[1]), float(axis[0]))) % 180
    if min(angle, 180 - angle) < 2:
        return "ellipse", centre, (2 * a, 2 * b), 0.0, ()
    if abs(angle - 90) < 2:
        return "ellipse", centre, (2 * b, 2 * a), 0.0, ()
    return "ellipse", centre, (2 * a, 2 * b), angle, ()


def recognise_by_corners(edge: Points) -> Figure | None:
    """Recognise a triangle, star, regular polygon, or a polygon with few corners."""
    corners = sharpen_corners(find_corners(edge, 0.015))
    if not 3 <= len(corners) <= 14 or measure_stray(edge, corners) > 2.2:
        return None
    centre, size, turned, points = _build_free_polygon(corners)
    if len(corners) == 3:
        return "triangle", centre, size, turned, points
    way = corners - corners.mean(axis=0)
    radius = exact.hypot(way[:, 0], way[:, 1])
    middle = (float(corners[:, 0].mean()), float(corners[:, 1].mean()))
    if len(corners) >= 5 and np.ptp(radius) < max(2.5, 0.05 * radius.mean()) and _are_even(way):
        first = int(np.abs(_compute_noon_angles(way)).argmin())
        size = (2 * float(radius.mean()), 2 * float(radius.mean()))
        return "regular", middle, size, float(_compute_noon_angles(way)[first]), points
    # A star has as many inner as outer corners.
    if len(corners) in (8, 10, 12, 14):
        # The farthest corner is an outer one; every second corner is of its kind.
        outer, inner = radius[radius.argmax() % 2 :: 2], radius[1 - radius.argmax() % 2 :: 2]
        if (
            np.ptp(outer) < 0.12 * outer.mean() + 1
            and np.ptp(inner) < 0.15 * outer.mean() + 1
            and inner.max() < 0.85 * outer.min()
        ):
            noon = _compute_noon_angles(way[radius.argmax() % 2 :: 2])
            size = (2 * float(outer.mean()), 2 * float(inner.mean()))
            return "star", middle, size, float(noon[np.abs(noon).argmin()]), points
    return "polygon", centre, size, turned, points


def _find_blobs(label: int, box: tuple[slice, slice], labels: Labels, core: Mask, thin: Labels) -> list[SolidRegion]:
    """Return the blobs of one colour in a box; the blobs' pixels are cleared in ``thin``."""
    components, _ = ndimage.label(labels[box] == label, EIGHT)
    places = ndimage.find_objects(components)
    blobs = []
    for index in np.unique(components[core[box]]):
        if not index:
            continue
        place = places[index - 1]
        component = components[place] == index
        solid = _select_solid_part(component, core[box][place] & component)
        for part, corner in find_pieces(solid, least=40):
            top, left = (window.start + own.start + at for window, own, at in zip(box, place, corner, strict=True))
            blobs.append(SolidRegion(label, left, top, part))
            thin[top : top + part.shape[0], left : left + part.shape[1]][part] = 0
    return blobs


def _select_solid_part(component: Mask, core: Mask) -> Mask:
    """Return a component without long thin parts that stick out."""
    rest, count = ndimage.label(component & ~dilate(core, CORE // 2 + 1), EIGHT)
    if not count:
        return component
    solid = component.copy()
    for index, box in enumerate(ndimage.find_objects(rest), 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        piece = rest[box] == index
        long_side = max(height, width)
        if long_side > 26 and piece.sum() < 6.5 * long_side and not _is_tapering(piece):
            solid[box][piece] = False
    return solid


def _is_tapering(piece: Mask) -> bool:
    """Tell whether a thin piece narrows steadily, as the tip of a triangle or star does."""
    along = piece.sum(axis=0 if piece.shape[1] >= piece.shape[0] else 1)
    third = max(1, len(along) // 3)
    ends = sorted((float(along[:third].mean()), float(along[-third:].mean())))
    return ends[1] > 1.8 * ends[0] and piece.sum() > 2 * len(along)


def _mark_continuing_lines(ink: Mask, filled: Mask, ground: Mask) -> Mask:
    """Mark the rows and columns of a rim in which a line runs on over the background, as an axis under bars does."""
    marked = np.zeros(ink.shape, bool)
    # Rows as they are, then columns as rows; the marks of the turned view are those of ``marked`` itself.
    for along, free, solid, marks in ((ink, ground, filled, marked), (ink.T, ground.T, filled.T, marked.T)):
        inside = np.flatnonzero(solid.any(axis=0))
        first, last = int(inside[0]) - 2, int(inside[-1]) + 3
        for part in (slice(max(0, first - RUN), max(0, first)), slice(last, last + RUN)):
            if part.stop - part.start < RUN or part.stop > along.shape[1]:
                continue
            whole = along[:, part].all(axis=1)
            open_ = np.pad(free[:, part].mean(axis=1) > 0.8, 3)
            beside = np.asarray(open_[:-6] & open_[6:])
            marks[whole & beside] = True
    return marked


def _add_outline(blob: SolidRegion, segmentation: Segmentation, thin: Labels) -> SolidRegion:
    """Return a blob with its outline, if any; the outline's pixels are cleared in ``thin``."""
    top, left = max(0, blob.top - PAD), max(0, blob.left - PAD)
    height, width = blob.mask.shape
    view = (slice(top, blob.top + height + PAD), slice(left, blob.left + width + PAD))
    around = segmentation.labels[view]
    inside = np.zeros(around.shape, bool)
    inside[blob.top - top :, blob.left - left :][:height, :width] = fill_holes(blob.mask)
    rim_label, rims, wider = _grow_rims(inside, around)
    # A rim of background is no outline.
    if rim_label in (0, blob.label) or not rims:
        return blob
    window = thin[view]
    cleared = dilate(wider, 1) & ~inside & (window == rim_label)
    window[cleared & ~_mark_continuing_lines(window == rim_label, inside, around == 0)] = 0
    mean_cover = float(np.mean([segmentation.cover[view][rim & (around == rim_label)].mean() for rim in rims]))
    line = max(1.0, round(2 * len(rims) * mean_cover) / 2)
    return replace(blob, outline=(rim_label, line))


def _grow_rims(inside: Mask, around: Labels) -> tuple[int, list[Mask], Mask]:
    """Grow a blob pixel by pixel as long as a single colour surrounds the blob.

    Returns:
        The label of that colour, the pixels of each step, none if it goes on for more than an outline would, and blob
        and outline together.
    """
    rim_label, rims = 0, []
    for step in range(1, MAX_OUTLINE + 2):
        # In turn by sides and by corners too, which keeps the growing rim about as round as the blob.
        larger = add_direct_neighbours(inside) if step % 2 else dilate(inside, 1)
        rim = larger & ~inside
        values = np.bincount(around[rim], minlength=rim_label + 1)
        if step == 1:
            rim_label = int(values.argmax())
        if not values.sum() or values[rim_label] < (0.72 if step < 3 else 0.5) * values.sum():
            break
        if not rim_label or step > MAX_OUTLINE:
            return rim_label, [], inside
        rims.append(rim)
        inside = larger
    return rim_label, rims, inside


def _recognise_upright_rectangle(mask: Mask, corner: tuple[int, int]) -> Figure | None:
    height, width = mask.shape
    return _build_whole_box(corner, mask) if mask.sum() >= 0.97 * height * width else None


def _build_whole_box(corner: tuple[int, int], mask: Mask) -> Figure:
    """Return the rectangle that is as large as a mask."""
    height, width = mask.shape
    centre = (corner[0] + width / 2, corner[1] + height / 2)
    return "square" if abs(width - height) <= 1 else "rectangle", centre, (float(width), float(height)), 0.0, ()


def _recognise_turned_rectangle(edge: Points, area: float) -> Figure | None:
    corners = find_corners(edge, 0.02)
    if len(corners) != 4:
        return None
    sides = np.roll(corners, -1, axis=0) - corners
    length = exact.hypot(sides[:, 0], sides[:, 1])
    cosine = abs(float(compute_dot(sides[0], sides[1]))) / (length[0] * length[1])
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


def _are_even(way: Points) -> bool:
    angles = np.sort(np.degrees(exact.atan2(way[:, 1], way[:, 0])))
    return bool(np.ptp(np.diff(angles)) < 6)


def _compute_noon_angles(way: Points) -> Points:
    """Return the angles of vectors, clockwise from 12 o'clock, -180 to 180."""
    return np.asarray(np.degrees(exact.atan2(way[:, 0], -way[:, 1])))


def _build_free_polygon(corners: Points) -> tuple[Point, Point, float, tuple[Point, ...]]:
    low, high = corners.min(axis=0), corners.max(axis=0)
    points = tuple((float(x), float(y)) for x, y in corners)
    return (
        (float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2),
        (float(high[0] - low[0]), float(high[1] - low[1])),
        0.0,
        points,
    )


def _fit_polygon(edge: Points) -> tuple[Point, Point, float, tuple[Point, ...]]:
    """Describe any outline by at most about a dozen corners."""
    for share in (0.015, 0.025, 0.04, 0.06):
        corners = find_corners(edge, share)
        if len(corners) <= 12:
            break
    return _build_free_polygon(corners if len(corners) >= 3 else edge[:: max(1, len(edge) // 4)])


def _recognise_hidden(blob: SolidRegion, mask: Mask, edge: Points, labels: Labels) -> Figure | None:
    """Recognise a circle or upright rectangle of which a part is covered by other things."""
    for figure in (_fit_hidden_circle(edge), _fit_hidden_rectangle(blob, mask)):
        if figure is None:
            continue
        missing = _draw_figure_mask(figure, labels.shape) & (labels != blob.label)
        covered = missing & (labels > 0)
        inside = int(missing.sum())
        if inside and covered.sum() > 0.93 * inside and mask.sum() > 0.35 * (mask.sum() + inside):
            return figure
    return None


def _fit_hidden_circle(edge: Points) -> Figure | None:
    """Fit a circle to most of an outline: the best of many circles through three of its points."""
    ring = edge[:-1:2]
    count = len(ring)
    if count < 24:
        return None
    best: tuple[float, Point, float] = (0.0, (0.0, 0.0), 0.0)
    for step in range(40):
        i = step * count // 40
        three = ring[[i, (i + count // 7) % count, (i + count // 3) % count]]
        circle = fit_circle(three)
        if circle is None:
            continue
        on = np.abs(exact.hypot(*(ring - circle[0]).T) - circle[1]) < 1.2
        if on.mean() > best[0]:
            best = (float(on.mean()), *circle)
    if best[0] < 0.5:
        return None
    return "circle", best[1], (2 * best[2], 2 * best[2]), 0.0, ()


def _fit_hidden_rectangle(blob: SolidRegion, mask: Mask) -> Figure | None:
    height, width = mask.shape
    rows, columns = mask.sum(axis=1), mask.sum(axis=0)
    straight = (rows[:2].max() + rows[-2:].max()) / width + (columns[:2].max() + columns[-2:].max()) / height
    return _build_whole_box((blob.left, blob.top), mask) if straight >= 2 else None


def _draw_figure_mask(figure: Figure, size: tuple[int, ...]) -> Mask:
    """Return the pixels of an upright rectangle or circle."""
    kind, (x, y), (wide, high), _, _ = figure
    rows, columns = np.ogrid[: size[0], : size[1]]
    if kind == "circle":
        return np.asarray(np.square(rows + 0.5 - y) + np.square(columns + 0.5 - x) < exact.square(wide / 2 - 1))
    return np.asarray((abs(rows + 0.5 - y) < high / 2 - 1) & (abs(columns + 0.5 - x) < wide / 2 - 1))


def _recognise_ring(
    hole: Mask, blob: SolidRegion, segmentation: Segmentation, size: Point, kind: str
) -> tuple[str, Point]:
    """Return kind and size of a ring, or of a disc that something covers."""
    inside = segmentation.labels[blob.top :, blob.left :][: hole.shape[0], : hole.shape[1]][hole]
    if (inside == 0).mean() < 0.5 or kind != "circle":
        return kind, size
    return "ring", (size[0], 2 * math.sqrt(hole.sum() / math.pi))


def _widen_figure(
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
