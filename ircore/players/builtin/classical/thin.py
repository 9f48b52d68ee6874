"""Everything thin as percepts: grids, axes and ticks, outlined figures, dashed lines, curves, dots, but no letters."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import ndimage

from ircore.core import exact
from ircore.players.builtin.classical import curves, strokes
from ircore.players.builtin.classical.line_charts import build_line_band
from ircore.players.builtin.classical.outlines import trace_contour
from ircore.players.builtin.classical.shapes import (
    CORE,
    SolidRegion,
    find_pieces,
    measure_shape,
    recognise_by_corners,
    round_figure,
)
from ircore.seeing.arrays import EIGHT, Mask, compute_correlation, dilate, erode, fill_holes, remove_rim
from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.percepts import Grid, Percept, Shape, Stroke, build_circle

SMALL = 26
"""Pixels: a component no larger is a letter, dot, tick or dash."""
MIN_PIXELS = 20
RIM = 5
"""Pixels: widest outline of a figure."""


@dataclass(eq=False)
class _Thin:
    """Percepts found among the thin strokes of a picture."""

    percepts: list[Percept] = field(default_factory=list)
    charted: list[Stroke] = field(default_factory=list)


def read_strokes(
    segmentation: Segmentation,
    thin: Labels,
    dots: list[Shape],
    charted: Callable[[list[Percept]], list[Stroke]],
) -> _Thin:
    """Read all strokes of a picture.

    Args:
        segmentation: The picture in flat colours.
        thin: Labels of the strokes' pixels, 0 elsewhere.
        dots: Small round shapes; markers on a line are removed from the list.
        charted: Finds lines of a chart, given its axes, ticks and grids; their pixels are not read again.
    """
    reading = _Thin()
    labels = segmentation.labels
    counts = np.bincount(thin.ravel(), minlength=len(segmentation.colours))
    busy = [label for label in range(1, len(counts)) if counts[label] >= MIN_PIXELS]
    lines = [line for label in busy for line in strokes.find_straight(labels, thin, label)]
    grids, lines = strokes.find_grids(lines, segmentation)
    masks = {label: _bridge_gaps(thin == label, labels) for label in busy}
    for label, mask in masks.items():
        _erase_grids(mask, label, grids, segmentation)
        _find_outlined_figures(mask, label, segmentation, reading)
        _convert_straight_lines(mask, [line for line in lines if line.label == label], segmentation, reading)
    reading.charted = charted([*grids, *reading.percepts])
    for label, mask in masks.items():
        for known in reading.charted:
            if known.colour == segmentation.hex(label):
                mask &= ~build_line_band(mask.shape, known)
        line = curves.find_broken_line(mask, segmentation.hex(label), dots)
        if line is None:
            _sort_components(mask, label, segmentation, dots, reading)
        else:
            reading.percepts.append(line)
            if line.marker:
                # They are the markers of this line now.
                dots[:] = [dot for dot in dots if dot.colour != line.colour]
    # Grids lie under everything else.
    reading.percepts[:0] = grids
    _gather_dashed_grids(reading)
    return reading


def _bridge_gaps(mask: Mask, labels: Labels) -> Mask:
    """Close the small gaps where a thin line of another colour crosses."""
    closed = ~dilate(~dilate(mask, 3), 3)
    return np.asarray(mask | (closed & (labels > 0)))


def _erase_grids(mask: Mask, label: int, grids: list[Grid], segmentation: Segmentation) -> None:
    colour = segmentation.hex(label)
    for grid in grids:
        if grid.colour != colour:
            continue
        half = grid.width / 2
        for at in grid.at:
            across = slice(max(0, round(at - half)), round(at + half))
            along = slice(max(0, round(grid.low) - 4), round(grid.high) + 4)
            mask[(across, along) if grid.horizontal else (along, across)] = False


def _find_outlined_figures(mask: Mask, label: int, segmentation: Segmentation, thin: _Thin) -> None:
    """Find closed outlines of known figures; their pixels are cleared."""
    components, _ = ndimage.label(mask, EIGHT)
    for index, box in enumerate(ndimage.find_objects(components), 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        if min(height, width) < 16:
            continue
        piece = components[box] == index
        whole = fill_holes(piece)
        if whole.sum() < 2.5 * piece.sum():
            continue
        for region, corner in _find_bodies(whole):
            top, left = box[0].start + corner[0], box[1].start + corner[1]
            shape = _classify_figure(region, (left, top), piece, corner, label, segmentation)
            if shape is not None:
                thin.percepts.append(shape)
                band = _select_rim(region, piece, corner)
                window = mask[top : top + region.shape[0], left : left + region.shape[1]]
                window[band] = False


def _find_bodies(whole: Mask) -> list[tuple[Mask, tuple[int, int]]]:
    """Return the thick parts of a filled outline, without lines that stick out."""
    return find_pieces(dilate(erode(whole, CORE // 2), CORE // 2 + 1) & whole, least=201)


def _classify_figure(
    region: Mask, at: tuple[int, int], piece: Mask, corner: tuple[int, int], label: int, segmentation: Segmentation
) -> Shape | None:  # fmt: skip
    """Classify a filled outline; None if the outline is no simple figure or its rim is not drawn."""
    band = _select_rim(region, piece, corner)
    rim = region & ~erode(region, 1)
    if (band & rim).sum() < 0.9 * rim.sum():
        return None
    shape = measure_shape(SolidRegion(label, at[0], at[1], region), segmentation)
    edge = trace_contour(region) + at
    if shape.kind == "polygon" and (recognise_by_corners(edge) is None and round_figure(edge, region) is None):
        return None
    if len(shape.corners) > 8 and shape.kind == "polygon":
        return None
    rings = _measure_rim_width(band, region)
    place = (slice(at[1], at[1] + region.shape[0]), slice(at[0], at[0] + region.shape[1]))
    width = max(1.0, round(2 * rings * float(segmentation.cover[place][band].mean())) / 2)
    corners = tuple(_move_towards(point, shape.centre, rings * 0.65) for point in shape.corners)
    size = (shape.size[0] - rings, shape.size[1] - rings)
    colour = segmentation.hex(label)
    return Shape(
        shape.kind, None, shape.centre, size, shape.rotation, corners, (colour, width), float(band.sum()), shape.box
    )


def _select_rim(region: Mask, piece: Mask, corner: tuple[int, int]) -> Mask:
    """Return the drawn pixels along the rim of a region."""
    window = piece[corner[0] : corner[0] + region.shape[0], corner[1] : corner[1] + region.shape[1]]
    return np.asarray(window & region & ~erode(region, RIM))


def _measure_rim_width(band: Mask, region: Mask) -> float:
    """Return the width of the drawn rim in pixels, at least 1."""
    inner = region
    for width in range(RIM):
        smaller = remove_rim(inner)
        rim = inner & ~smaller
        if not rim.any() or (band & rim).sum() < 0.5 * rim.sum():
            return float(max(1, width))
        inner = smaller
    return float(RIM)


def _move_towards(point: tuple[float, float], centre: tuple[float, float], by: float) -> tuple[float, float]:
    length = exact.dist(point, centre) or 1.0
    factor = max(0.0, 1 - by / length)
    return centre[0] + (point[0] - centre[0]) * factor, centre[1] + (point[1] - centre[1]) * factor


def _convert_straight_lines(mask: Mask, lines: list[strokes.Straight], segmentation: Segmentation, thin: _Thin) -> None:
    """Turn the straight lines that are still there into axes and lines, and find the ticks on them."""
    present = [line for line in lines if mask[line.window].mean() > 0.25 and mask[line.window].sum() > 30]
    for line in present:
        # All lines are cleared before ticks are looked for, so that no crossing line is taken for a tick.
        mask[line.window] = False
    levels, uprights = [line for line in present if line.level], [line for line in present if not line.level]
    for line in present:
        ticks = strokes.find_ticks(line, mask, segmentation)
        others = uprights if line.level else levels
        is_axis = ticks is not None or (len(present) == 2 and any(_are_crossing(line, other) for other in others))
        role = ("x axis" if line.level else "y axis") if is_axis else "line"
        thin.percepts.append(strokes.convert_to_stroke(line, segmentation, role))
        if ticks is not None:
            thin.percepts.append(ticks)


def _are_crossing(line: strokes.Straight, other: strokes.Straight) -> bool:
    return (
        other.low - 12 <= line.at <= other.high + 12
        and line.low - 12 <= other.at <= line.high + 12
        and line.high - line.low > 150
    )


def _sort_components(mask: Mask, label: int, segmentation: Segmentation, dots: list[Shape], thin: _Thin) -> None:
    """Sort the remaining components of a colour into dots, dashed lines, letters and free lines."""
    components, count = ndimage.label(mask, EIGHT)
    if not count:
        return
    areas = np.bincount(components.ravel())
    colour = segmentation.hex(label)
    pieces: list[strokes.DashPiece] = []
    free: list[curves.Path] = []
    boxes = ndimage.find_objects(components)
    for index, box in enumerate(boxes, 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        piece, corner = components[box] == index, (box[1].start, box[0].start)
        if max(height, width) > SMALL or _is_lone_line(piece, areas[index]):
            traces, markers = curves.trace_piece(piece, corner, float(segmentation.cover[box][piece].sum()))
            free += traces
            dots += [build_circle(middle, math.sqrt(area / math.pi), area, colour) for middle, area in markers]
        elif (dot := _recognise_dot(piece, corner, colour)) is not None:
            dots.append(dot)
        elif areas[index] >= 2:
            pieces.append(strokes.measure_piece(piece, corner, index))
    for chain in strokes.link_chains([piece for piece in pieces if piece.width < 7 and piece.solid]):
        free.append(curves.build_dashed_path(chain))
    thin.percepts += curves.build_percepts(free, colour)


def _is_lone_line(piece: Mask, area: int) -> bool:
    """A straight stroke of at least 18 px is no letter."""
    height, width = piece.shape
    long = exact.hypot(height, width)
    if long < 20 or area >= 4.5 * long or min(height, width) < 10:
        return False
    rows, columns = np.nonzero(piece)
    return bool(abs(compute_correlation(rows.astype(np.float64), columns.astype(np.float64))) > 0.97)


def _recognise_dot(piece: Mask, corner: tuple[int, int], colour: str) -> Shape | None:
    """Recognise a small disc."""
    height, width = piece.shape
    if min(height, width) < 4 or abs(height - width) > 1:
        return None
    rows, columns = np.ogrid[:height, :width]
    radius = (height + width) / 4
    disc = np.square(rows + 0.5 - height / 2) + np.square(columns + 0.5 - width / 2) <= radius * radius
    if (disc & piece).sum() < 0.88 * (disc | piece).sum():
        return None
    centre = (corner[0] + width / 2, corner[1] + height / 2)
    box = (corner[0], corner[1], corner[0] + width, corner[1] + height)
    return Shape("circle", colour, centre, (2 * radius, 2 * radius), 0.0, (), None, float(piece.sum()), box)


def _gather_dashed_grids(thin: _Thin) -> None:
    """Gather parallel level or upright dashed lines into grids; a line may come in several parts."""
    for level in (True, False):
        axis = 1 if level else 0
        lines = [
            p
            for p in thin.percepts
            if isinstance(p, Stroke) and p.dash != "solid" and len(p.points) == 2
            if abs(p.points[0][axis] - p.points[1][axis]) < 1.5
        ]
        for colour in sorted({line.colour for line in lines}):
            grid = _build_grid([line for line in lines if line.colour == colour], axis)
            if grid is not None:
                thin.percepts[:] = [p for p in thin.percepts if p not in lines or p.colour != colour]
                thin.percepts.insert(0, grid)


def _build_grid(family: list[Stroke], axis: int) -> Grid | None:
    """Make a grid of at least three parallel dashed lines that reach about equally far."""
    rows: dict[float, list[float]] = {}
    for line in sorted(family, key=lambda line: line.points[0][axis]):
        at = (line.points[0][axis] + line.points[1][axis]) / 2
        row = next((known for known in rows if abs(known - at) <= 2), at)
        rows.setdefault(row, []).extend(point[1 - axis] for point in line.points)
    low, high = min(min(ends) for ends in rows.values()), max(max(ends) for ends in rows.values())
    long = [row for row, ends in rows.items() if max(ends) - min(ends) > 0.6 * (high - low)]
    if len(long) < 3 or high - low < 60:
        return None
    at_all = tuple(round(row, 1) for row in sorted(long))
    return Grid(family[0].colour, family[0].width, axis == 1, at_all, low, high, family[0].dash)
