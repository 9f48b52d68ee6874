"""Lines of charts: those whose corners stand above common columns, and those with equal dots on them.

The columns are ticks, upright grid lines, labels or markers. Where the corners stand is known before the lines are
read, so a line may be dashed, dotted, covered in parts, have hollow markers, or share its colour with others. Of all
ways from column to column the one with most ink on it is found by dynamic programming; its ink is taken away, and the
next line is looked for.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.players.builtin.classical.curves import find_likeness
from ircore.players.builtin.classical.outlines import approximate_path, measure_path_distance
from ircore.players.builtin.classical.shapes import SolidRegion
from ircore.seeing.arrays import Floats, Mask, dilate, erode
from ircore.seeing.flat_colours import Segmentation
from ircore.seeing.percepts import Grid, Percept, Point, Shape, Stroke, Text, Ticks

MOST_COLUMNS = 24
IN_ROW = 2.0
"""Pixels that the middles of two labels of a row may differ."""
LEAST_LABELS = 4
EDGE = 2.0
"""Pixels from the upper edge within which graph paper begins."""
MAX_MARKER = 20
"""Pixels across."""
LEAST_INK = 0.34
"""Share of the way between two corners that must be drawn; of a dotted line about half is."""
MEAN_INK = 0.45
MOST_LINES = 6
MOST_CORNERS = 30
BEND = 22.0
"""Degrees by which a line of a chart bends at some corner, other than a curve does."""
LARGE = 500
"""Pixels of a solid that is no marker."""
THICK = 13
"""Pixels across; no line is as thick, nor are its markers."""
BULGE = 0.9
"""Pixels between a curve and the middle of its chord from which on it is no straight piece."""
BAND = 4.0
STRAIGHT_ON = 0.8
"""Pixels that a point may lie beside the line between its neighbours to be left out."""


def is_ruled(percepts: Sequence[Percept]) -> bool:
    """Tell whether ticks or upright grid lines say where the columns are."""
    return len(find_columns(percepts, (), 0)) >= 3


def find_columns(percepts: Sequence[Percept], dots: Sequence[Shape], width: int) -> list[float]:
    """Return x of the columns in pixels, from left to right; empty if neither ticks, grid, labels nor markers show any.

    Args:
        percepts: Axes, ticks, grids, lines and texts of the picture.
        dots: Small round shapes, which may be markers.
        width: Of the picture in pixels.
    """
    ticks = [percept for percept in percepts if isinstance(percept, Ticks) and percept.axis == "x"]
    # Lines from edge to edge are graph paper; a chart's grid has a margin.
    upright = [percept for percept in percepts if isinstance(percept, Grid) and not percept.horizontal]
    grids = [grid for grid in upright if grid.low > EDGE]
    for at in [*(tick.at for tick in ticks), *(grid.at for grid in grids)]:
        if len(at) >= 3:
            return sorted(at)
    marked = [dot.centre for dot in dots]
    for percept in percepts:
        if isinstance(percept, Stroke) and percept.marker:
            marked += percept.points
    places = sorted(x for x, _ in marked)
    return _find_columns_at_labels(percepts, places) or _space_regularly(places, width)


def _find_columns_at_labels(percepts: Sequence[Percept], places: list[float]) -> list[float]:
    """Return the middles of the lowest row of texts, if they are evenly spaced and markers stand above them."""
    texts = [percept for percept in percepts if isinstance(percept, Text)]
    rows = [[other.centre[0] for other in texts if abs(other.centre[1] - text.centre[1]) <= IN_ROW] for text in texts]
    for row in sorted((sorted(row) for row in rows if len(row) >= LEAST_LABELS), key=len, reverse=True):
        steps = np.diff(row)
        above = sum(any(abs(place - x) < 3 for x in row) for place in places)
        if np.ptp(steps) <= 2.5 and above >= max(LEAST_LABELS, 0.7 * len(places)):
            return [float(x) for x in np.linspace(row[0], row[-1], len(row))]
    return []


def _space_regularly(places: list[float], width: int) -> list[float]:
    """Return evenly spaced columns in which most places stand; empty if most places stand in no such columns."""
    groups: list[list[float]] = []
    for x in places:
        if groups and x - groups[-1][-1] < 2.5:
            groups[-1].append(x)
        else:
            groups.append([x])
    middles = [float(np.mean(group)) for group in groups]
    if len(middles) < 3:
        return []
    step = float(np.median(np.diff(middles)))
    count = round((middles[-1] - middles[0]) / step) if step > 9 else 0
    if not 2 <= count < MOST_COLUMNS:
        return []
    even = np.linspace(middles[0], middles[-1], count + 1)
    off = [float(np.abs(even - x).min()) for x in middles]
    if max(off) >= 2.5:
        return []
    # Markers that melt into a thick line are not seen, so columns go on to both sides.
    step = (middles[-1] - middles[0]) / count
    before = [middles[0] - step * n for n in range(1, 9) if middles[0] - step * n > 20]
    after = [middles[-1] + step * n for n in range(1, 9) if middles[-1] + step * n < width - 10]
    return [*before[::-1], *(float(x) for x in even), *after]


def join_series(percepts: list[Percept], dots: list[Shape]) -> tuple[list[Percept], list[Shape]]:
    """Return the percepts with strokes and dots of one colour joined to a line with markers, and the remaining dots."""
    by_colour: dict[str, list[Shape]] = defaultdict(list)
    for dot in dots:
        by_colour[dot.colour or ""].append(dot)
    rest, loose = list(percepts), []
    for colour, group in by_colour.items():
        strokes = [p for p in rest if isinstance(p, Stroke) and p.colour == colour and p.role in {"line", "curve"}]
        markers = _select_alike(group)
        line = _build_series(strokes, markers) if len(markers) >= 3 else None
        if line is not None:
            rest = [percept for percept in rest if not any(percept is stroke for stroke in strokes)]
            rest.append(line)
            loose += [dot for dot in group if not any(dot is marker for marker in markers)]
            continue
        for stroke in strokes:
            own = [dot for dot in group if measure_path_distance(dot.centre, stroke.points) <= 4]
            line = _build_series([stroke], _select_alike(own)) if len(own) >= 3 else None
            if line is not None:
                rest = [line if percept is stroke else percept for percept in rest]
                group = [dot for dot in group if not any(dot is marker for marker in own)]
        loose += group
    return rest, loose


def _select_alike(group: list[Shape]) -> list[Shape]:
    usual = float(np.median([min(dot.size) for dot in group]))
    return [dot for dot in group if abs(min(dot.size) - usual) <= max(2.0, 0.3 * usual) and usual <= MAX_MARKER]


def _build_series(strokes: list[Stroke], markers: list[Shape]) -> Stroke | None:
    """Return one line through the markers from left to right; None if the strokes do not run between them."""
    ordered = sorted(markers, key=lambda dot: dot.centre[0])
    centres = [dot.centre for dot in ordered]
    if len(centres) < 3 or not strokes or min(b[0] - a[0] for a, b in itertools.pairwise(centres)) < 4:
        return None
    near = sum(measure_path_distance(point, centres) <= 7 for stroke in strokes for point in stroke.points)
    if near < 0.7 * sum(len(stroke.points) for stroke in strokes):
        return None
    length = math.fsum(exact.dist(a, b) for a, b in itertools.pairwise(centres))
    drawn = math.fsum(exact.dist(a, b) for s in strokes for a, b in itertools.pairwise(s.points))
    # Dots that only happen to lie in a row are joined by no line.
    if drawn < 0.45 * length:
        return None
    widest = max(strokes, key=lambda stroke: stroke.area)
    radius = round(float(np.median([min(dot.size) for dot in ordered]))) / 2
    points = tuple((round(x, 1), round(y, 1)) for x, y in centres)
    return Stroke(widest.colour, widest.width, points, False, widest.dash, radius, "curve")


@dataclass(eq=False)
class _Ink:
    """Pixels of a colour, and pixels of other things that may hide it."""

    own: Mask
    hidden: Mask
    cover: npt.NDArray[np.floating[Any]]


def find_lines(
    percepts: Sequence[Percept], dots: Sequence[Shape], blobs: Sequence[SolidRegion], segmentation: Segmentation
) -> list[Stroke]:
    """Return the lines of a chart; empty if there are no columns or no line bends at them."""
    columns = find_columns(percepts, dots, segmentation.labels.shape[1])
    if not 3 <= len(columns) <= MOST_COLUMNS or min(b - a for a, b in itertools.pairwise(columns)) < 9:
        return []
    room = _find_line_room(percepts, columns, segmentation)
    grids = {percept.colour for percept in percepts if isinstance(percept, Grid)}
    large = np.zeros(segmentation.labels.shape, bool)
    for blob in blobs:
        if blob.area > LARGE and erode(blob.mask, THICK // 2).any():
            left, top, right, bottom = blob.box
            large[top:bottom, left:right] |= blob.mask
    lines: list[Stroke] = []
    counts = np.bincount(segmentation.labels[room & ~large], minlength=len(segmentation.colours))
    for label in range(1, len(segmentation.colours)):
        if counts[label] >= 60 and segmentation.hex(label) not in grids:
            own = (segmentation.labels == label) & room & ~large
            hidden = (segmentation.labels > 0) & ~own
            ink = _Ink(own, hidden, segmentation.cover)
            lines += _find_lines(ink, columns, segmentation.hex(label))
    return lines if any(_is_bent(line.points) for line in lines) else []


def build_line_band(size: tuple[int, ...], line: Stroke) -> Mask:
    """Return the pixels that a line and its markers may cover."""
    return _build_path_band(size, list(line.points), max(BAND, line.width / 2 + 1, (line.marker or 0.0) + 1.5))


def remove_line_parts(percepts: Sequence[Percept], lines: Sequence[Stroke]) -> list[Percept]:
    """Return the percepts that are no parts of the lines."""
    return [percept for percept in percepts if not any(_is_part(percept, line) for line in lines)]


def _is_part(percept: Percept, line: Stroke) -> bool:
    if isinstance(percept, Stroke):
        points = list(percept.points)
        if percept.role in {"x axis", "y axis"} or percept.colour != line.colour:
            return False
    elif isinstance(percept, Shape):
        colour = percept.colour or (percept.outline[0] if percept.outline else "")
        if colour != line.colour or (percept.area > LARGE and not percept.corners):
            return False
        points = list(percept.corners) or [percept.centre]
    else:
        return False
    return sum(measure_path_distance(point, line.points) < 9 for point in points) >= 0.7 * len(points)


def _find_line_room(percepts: Sequence[Percept], columns: list[float], segmentation: Segmentation) -> Mask:
    """Return where lines may run: above the x axis, from the first to the last column, but not on an axis."""
    room = np.zeros(segmentation.labels.shape, bool)
    room[:, max(0, int(columns[0]) - 6) : int(columns[-1]) + 8] = True
    for percept in percepts:
        if isinstance(percept, Stroke) and len(percept.points) == 2 and percept.dash == "solid":
            (x0, y0), (x1, y1) = percept.points
            half = math.ceil(percept.width / 2)
            if abs(y0 - y1) < 1 and abs(x0 - x1) > 0.6 * (columns[-1] - columns[0]):
                room[int(y0) - half : int(y0) + half + 1] = False
                if percept.role == "x axis":
                    room[int(y0) :] = False
            elif abs(x0 - x1) < 1 and percept.role == "y axis":
                room[:, max(0, int(x0) - half) : int(x0) + half + 1] = False
    return room


def _find_lines(ink: _Ink, columns: list[float], colour: str) -> list[Stroke]:
    """Return the lines of one colour, the most complete first; their pixels are removed from ``ink``."""
    lines = []
    used = np.flatnonzero(ink.own.any(axis=0))
    columns = [x for x in columns if used[0] - 4 <= x <= used[-1] + 4]
    if len(columns) < 3:
        return []
    for _ in range(MOST_LINES):
        path = _find_best_path(ink, columns)
        if path is None:
            break
        path = _refine_corners(ink, path)
        band = _build_path_band(ink.own.shape, path)
        if np.ptp([y for _, y in path]) >= 5:
            line = _measure_stroke(ink, path, band, colour)
            if line.marker or not _is_curved(ink.own & band, path):
                lines.append(line)
        # What was taken by one line may hide the next one behind it.
        ink.hidden |= band & ink.own
        ink.own &= ~band
    return lines


def _is_curved(drawn: Mask, path: list[Point]) -> bool:
    """Whether a line is a curve: between the corners, its ink lies beside the chord."""
    rows, columns = np.nonzero(drawn)
    off = []
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        third = (x1 - x0) / 3
        middle = (columns + 0.5 > x0 + third) & (columns + 0.5 < x1 - third)
        if middle.sum() < 4:
            continue
        slope = (y1 - y0) / (x1 - x0)
        beside = rows[middle] + 0.5 - (y0 + slope * (columns[middle] + 0.5 - x0))
        off.append(abs(float(np.median(beside))) / exact.hypot(1, slope) > BULGE)
    return bool(off) and float(np.mean(off)) > 0.4


def _find_corner_rows(near: Mask, column: float) -> Floats:
    """Return the rows at which a line may have a corner in a column."""
    rows: set[float] = set()
    for reach in (1, 6):
        low, high = max(0, int(column) - reach), int(column) + reach + 1
        runs, _ = ndimage.label(near[:, low:high].any(axis=1))
        for (span,) in ndimage.find_objects(runs):
            first, last = span.start + 1.5, span.stop - 1.5
            rows |= {(first + last) / 2}
            # A steep line fills many rows of the column, and its corner may be at any of them.
            if last - first > 3:
                rows |= {first, last, *np.arange(first, last, 4.0)}
        if len(rows) > MOST_CORNERS:
            break
    return np.array(sorted(rows)[: 2 * MOST_CORNERS])


def _find_best_path(ink: _Ink, columns: list[float]) -> list[Point] | None:
    """Return the path from column to column with most ink; None if there is too little ink."""
    near = dilate(ink.own, 1)
    rows = [_find_corner_rows(near, column) for column in columns]
    gain = [np.zeros(len(ys)) for ys in rows]
    origin = [np.full(len(ys), -1) for ys in rows]
    for k in range(1, len(columns)):
        if not len(rows[k]) or not len(rows[k - 1]):
            continue
        share = _compute_drawn_share(near, ink.hidden, columns[k - 1], rows[k - 1], columns[k], rows[k])
        through = gain[k - 1][:, None] + np.where(share >= LEAST_INK, share - 0.2, -9.0)
        best = through.argmax(axis=0)
        value = through[best, np.arange(len(rows[k]))]
        gain[k] = np.maximum(value, 0.0)
        origin[k] = np.where(value > 0, best, -1)
    ends = [(float(values.max()), k) for k, values in enumerate(gain) if len(values)]
    if not ends:
        return None
    _, k = max(ends)
    index, path = int(gain[k].argmax()), []
    total = float(gain[k].max())
    while index >= 0:
        path.append((float(columns[k]), float(rows[k][index])))
        index, k = int(origin[k][index]), k - 1
    long = len(path) >= max(3, 0.6 * len(columns))
    return path[::-1] if long and total / (len(path) - 1) + 0.2 >= MEAN_INK else None


def _compute_drawn_share(near: Mask, hidden: Mask, x0: float, above: Floats, x1: float, below: Floats) -> Floats:
    """Return the share of the visible pixels of each straight path that are drawn."""
    fine = len(above) == 1 or len(below) == 1
    steps = max(8, int(x1 - x0), int(min(80.0, np.ptp([*above, *below])))) if fine else 22
    shares = (np.arange(steps) + 0.5) / steps
    columns = (x0 + (x1 - x0) * shares).astype(int).clip(0, near.shape[1] - 1)
    ys = above[:, None, None] * (1 - shares) + below[None, :, None] * shares
    rows = ys.astype(int).clip(0, near.shape[0] - 1)
    hits = near[rows, columns]
    open_ = hits | ~hidden[rows, columns]
    return np.asarray(hits.sum(axis=2) / np.maximum(open_.sum(axis=2), 0.35 * steps))


def _refine_corners(ink: _Ink, path: list[Point]) -> list[Point]:
    """Move each corner up or down to where the paths beside it have most ink."""
    ys = [y for _, y in path]
    xs = [x for x, _ in path]
    for reach in (4.0, 2.0, 1.0):
        for k, y in enumerate(ys):
            options = y + np.linspace(-reach, reach, 9)
            value = -0.002 * np.abs(options - y)
            if k:
                value = (
                    value
                    + _compute_drawn_share(ink.own, ink.hidden, xs[k - 1], np.array([ys[k - 1]]), xs[k], options)[0]
                )
            if k + 1 < len(ys):
                after = _compute_drawn_share(ink.own, ink.hidden, xs[k], options, xs[k + 1], np.array([ys[k + 1]]))
                value = value + after[:, 0]
            # Of equally good rows the middle one, so that the corner does not drift to one side.
            best = options[value >= value.max() - 1e-9]
            ys[k] = float(best[np.abs(best - best.mean()).argmin()])
    return list(zip(xs, ys, strict=True))


def _build_path_band(size: tuple[int, ...], path: list[Point], reach: float = BAND) -> Mask:
    """Return the pixels near a path."""
    band = np.zeros(size, bool)
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        low, high = int(min(x0, x1) - reach), int(max(x0, x1) + reach) + 1
        top, bottom = max(0, int(min(y0, y1) - reach)), int(max(y0, y1) + reach) + 1
        rows, columns = np.mgrid[top : min(bottom, size[0]), max(0, low) : min(high, size[1])] + 0.5
        length = max(exact.dist((x0, y0), (x1, y1)), 1e-9)
        share = np.clip(((columns - x0) * (x1 - x0) + (rows - y0) * (y1 - y0)) / (length * length), 0, 1)
        away = exact.hypot(columns - x0 - share * (x1 - x0), rows - y0 - share * (y1 - y0))
        band[top : min(bottom, size[0]), max(0, low) : min(high, size[1])] |= away <= reach
    return band


def _measure_stroke(ink: _Ink, path: list[Point], band: Mask, colour: str) -> Stroke:
    """Measure width, markers and dashes of a line."""
    at_corners = np.zeros(band.shape, bool)
    for x, y in path:
        at_corners[max(0, int(y) - 7) : int(y) + 8, max(0, int(x) - 7) : int(x) + 8] = True
    hits, between = _sample_along_path(ink.own, ink.hidden, path)
    near, clear = _sample_along_path(dilate(ink.own, 1), ink.hidden, path)
    drawn = max(1.0, float((hits & between).sum()))
    width = float((ink.cover * (ink.own & band & ~at_corners)).sum()) / drawn
    width = max(1.0, round(2 * width) / 2)
    solid = not clear.any() or float(near[clear].mean()) > 0.93
    dash = "solid" if solid else _name_dash_pattern(hits, between, width)
    marker = _measure_marker(ink, path, width * (1.0 if dash == "solid" else 0.6))
    # Points at which the line goes straight on are left out.
    corners = path if marker else [(float(x), float(y)) for x, y in approximate_path(np.array(path), STRAIGHT_ON)]
    points = tuple((round(x, 1), round(y, 1)) for x, y in corners)
    like = find_likeness(np.array(path)) if len(corners) == 3 else None
    return Stroke(colour, width, points, False, dash, marker, "curve", like)


def _sample_along_path(own: Mask, hidden: Mask, path: list[Point]) -> tuple[Mask, Mask]:
    """Return for each pixel of a path whether it is drawn, and whether it is clear of corners and other things."""
    hits, between = [], []
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        length = exact.dist((x0, y0), (x1, y1))
        at = np.arange(0.5, length)
        columns = (x0 + (x1 - x0) * at / length).astype(int).clip(0, own.shape[1] - 1)
        rows = (y0 + (y1 - y0) * at / length).astype(int).clip(0, own.shape[0] - 1)
        hits.append(own[rows, columns])
        between.append((at > 8) & (at < length - 8) & ~hidden[rows, columns])
    return np.concatenate(hits), np.concatenate(between)


def _name_dash_pattern(hits: Mask, between: Mask, width: float) -> str:
    """Name the dash pattern from the runs of drawn pixels."""
    runs, _ = ndimage.label(hits & between)
    lengths = np.bincount(runs.ravel())[1:]
    if not len(lengths):
        return "solid"
    short = lengths <= max(3.0, 1.8 * width)
    if short.mean() > 0.8:
        return "dotted"
    return "dash-dot" if short.mean() > 0.3 else "dashed"


def _measure_marker(ink: _Ink, path: list[Point], width: float) -> float | None:
    """Return the radius of the markers; None if most corners have no marker."""
    sizes = []
    for x, y in path:
        rows, columns = np.mgrid[max(0, int(y) - 8) : int(y) + 9, max(0, int(x) - 8) : int(x) + 9]
        rows, columns = rows.clip(0, ink.own.shape[0] - 1), columns.clip(0, ink.own.shape[1] - 1)
        disc = exact.hypot(rows + 0.5 - y, columns + 0.5 - x) <= 8
        sizes.append(float((ink.own[rows, columns] & disc).sum()))
    # Two arms of the line, 16 px long with the marker upon them, and the marker: a = πr² + (16 − 2r)·w, solved for r.
    rest = width * width + math.pi * (float(np.median(sizes)) - 16 * width)
    radius = (width + math.sqrt(max(0.0, rest))) / math.pi
    return round(2 * radius) / 2 if radius >= max(2.6, 1.15 * width) else None


def _is_bent(path: Sequence[Point]) -> bool:
    """Whether a line bends at some corner more than a curve does."""
    ways = [math.degrees(exact.atan2(y1 - y0, x1 - x0)) for (x0, y0), (x1, y1) in itertools.pairwise(path)]
    return any(abs(b - a) >= BEND for a, b in itertools.pairwise(ways))
