"""Everything thin as percepts: grids, axes and ticks, outlined figures, dashed lines, curves, dots, but no letters."""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import ndimage

from ircore.players.classical import dashed, paths, strokes
from ircore.players.classical.palette import Labels, Mask, Segmentation
from ircore.players.classical.percepts import Box, Grid, Percept, Shape, Stroke
from ircore.players.classical.regions import CORE, EIGHT, Blob
from ircore.players.classical.shapes import contour, figure_with_corners, round_figure, shape_of

SMALL = 26
"""Pixels: a component no larger is a letter, dot, tick or dash."""
MIN_PIXELS = 20
OCTAGON = np.ones((5, 5), bool)
OCTAGON[[0, 0, -1, -1], [0, -1, 0, -1]] = False


@dataclass(eq=False)
class Thin:
    """What was found among the thin strokes of a picture."""

    percepts: list[Percept] = field(default_factory=list)
    glyphs: list[Box] = field(default_factory=list)


def read_strokes(segmentation: Segmentation, thin: Labels, dots: list[Shape]) -> Thin:
    """Read all strokes of a picture.

    Args:
        segmentation: The picture in flat colours.
        thin: Labels of the strokes' pixels, 0 elsewhere.
        dots: Small round shapes, which may be markers on a line; those that are, are removed from the list.
    """
    found = Thin()
    labels = segmentation.labels
    counts = np.bincount(thin.ravel(), minlength=len(segmentation.colours))
    busy = [label for label in range(1, len(counts)) if counts[label] >= MIN_PIXELS]
    lines = [line for label in busy for line in strokes.find_straight(labels, thin, label)]
    grids, lines = strokes.find_grids(lines, segmentation)
    for label in busy:
        mask = _bridged(thin == label, labels)
        _erase_grids(mask, label, grids, segmentation)
        _outlined(mask, label, segmentation, found)
        _straight(mask, [line for line in lines if line.label == label], segmentation, found)
        _components(mask, label, segmentation, dots, found)
    found.percepts[:0] = grids
    _dashed_grids(found)
    return found


def _bridged(mask: Mask, labels: Labels) -> Mask:
    """Close the small gaps where a thin line of another colour crosses."""
    closed = ndimage.minimum_filter(ndimage.maximum_filter(mask, 7), 7)
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


def _outlined(mask: Mask, label: int, segmentation: Segmentation, found: Thin) -> None:
    """Find closed outlines of known figures; their pixels are cleared."""
    components, _ = ndimage.label(mask, EIGHT)
    for index, box in enumerate(ndimage.find_objects(components), 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        if min(height, width) < 16:
            continue
        piece = components[box] == index
        filled = ndimage.binary_fill_holes(piece)
        if filled.sum() < 2.5 * piece.sum():
            continue
        for region, corner in _bodies(filled):
            shape = _figure_of(
                region, (box[1].start + corner[1], box[0].start + corner[0]), piece, corner, label, segmentation
            )
            if shape is not None:
                found.percepts.append(shape)
                band = _band(region, piece, corner)
                top, left = box[0].start + corner[0], box[1].start + corner[1]
                window = mask[top : top + region.shape[0], left : left + region.shape[1]]
                window[band] = False


def _bodies(filled: Mask) -> list[tuple[Mask, tuple[int, int]]]:
    """Return the thick parts of a filled outline, without lines that stick out."""
    padded = np.pad(filled, CORE)
    opened = ndimage.maximum_filter(ndimage.minimum_filter(padded, CORE), CORE + 2)[CORE:-CORE, CORE:-CORE] & filled
    parts, _ = ndimage.label(opened, EIGHT)
    bodies = []
    for index, box in enumerate(ndimage.find_objects(parts), 1):
        body = parts[box] == index
        if body.sum() > 200:
            bodies.append((body, (box[0].start, box[1].start)))
    return bodies


def _figure_of(
    region: Mask, at: tuple[int, int], piece: Mask, corner: tuple[int, int], label: int, segmentation: Segmentation
) -> Shape | None:  # fmt: skip
    """Classify a filled outline; none if it is no simple figure or its rim is not drawn."""
    band = _band(region, piece, corner)
    inner = ndimage.binary_erosion(np.pad(region, 1), EIGHT)[1:-1, 1:-1]
    rim = region & ~inner
    if (band & rim).sum() < 0.9 * rim.sum():
        return None
    shape = shape_of(Blob(label, at[0], at[1], region), segmentation)
    edge = contour(region) + at
    if shape.kind == "polygon" and (figure_with_corners(edge) is None and round_figure(edge, region) is None):
        return None
    if len(shape.corners) > 8 and shape.kind == "polygon":
        return None
    rings = _rim_width(band, region)
    place = (slice(at[1], at[1] + region.shape[0]), slice(at[0], at[0] + region.shape[1]))
    width = max(1.0, round(2 * rings * float(segmentation.cover[place][band].mean())) / 2)
    shrunk = tuple(_towards(point, shape.centre, rings * 0.65) for point in shape.corners)
    size = (shape.size[0] - rings, shape.size[1] - rings)
    colour = segmentation.hex(label)
    return Shape(
        shape.kind, None, shape.centre, size, shape.rotation, shrunk, (colour, width), float(band.sum()), shape.box
    )


def _band(region: Mask, piece: Mask, corner: tuple[int, int]) -> Mask:
    """Return the drawn pixels along the rim of a region."""
    inner = ndimage.binary_erosion(np.pad(region, 6), EIGHT, iterations=5)[6:-6, 6:-6]
    window = piece[corner[0] : corner[0] + region.shape[0], corner[1] : corner[1] + region.shape[1]]
    return np.asarray(window & region & ~inner)


def _rim_width(band: Mask, region: Mask) -> float:
    inner = region
    sizes: list[int] = []
    for _ in range(5):
        smaller = ndimage.binary_erosion(np.pad(inner, 1), None)[1:-1, 1:-1]
        rim = inner & ~smaller
        if not rim.any() or (band & rim).sum() < 0.5 * rim.sum():
            break
        sizes.append(1)
        inner = smaller
    return float(max(1, len(sizes)))


def _towards(point: tuple[float, float], centre: tuple[float, float], by: float) -> tuple[float, float]:
    length = math.dist(point, centre) or 1.0
    factor = max(0.0, 1 - by / length)
    return centre[0] + (point[0] - centre[0]) * factor, centre[1] + (point[1] - centre[1]) * factor


def _straight(mask: Mask, lines: list[strokes.Straight], segmentation: Segmentation, found: Thin) -> None:
    """Turn the straight lines that are still there into axes and lines, and find the ticks on them."""
    present = [line for line in lines if mask[line.window].mean() > 0.25 and mask[line.window].sum() > 30]
    for line in present:
        mask[line.window] = False
    levels, uprights = [line for line in present if line.level], [line for line in present if not line.level]
    for line in present:
        ticks = strokes.find_ticks(line, mask, segmentation)
        others = uprights if line.level else levels
        is_axis = ticks is not None or (len(present) == 2 and any(_cross(line, other) for other in others))
        role = ("x axis" if line.level else "y axis") if is_axis else "line"
        found.percepts.append(strokes.as_stroke(line, segmentation, role))
        if ticks is not None:
            found.percepts.append(ticks)


def _cross(line: strokes.Straight, other: strokes.Straight) -> bool:
    return (
        other.low - 12 <= line.at <= other.high + 12
        and line.low - 12 <= other.at <= line.high + 12
        and line.high - line.low > 150
    )


def _components(mask: Mask, label: int, segmentation: Segmentation, dots: list[Shape], found: Thin) -> None:
    """Sort what is left of a colour into dots, dashed lines, letters and free lines or curves."""
    components, count = ndimage.label(mask, EIGHT)
    if not count:
        return
    areas = np.bincount(components.ravel())
    colour = segmentation.hex(label)
    pieces: list[dashed.Piece] = []
    boxes = ndimage.find_objects(components)
    for index, box in enumerate(boxes, 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        piece = components[box] == index
        if max(height, width) > SMALL or _is_lone_line(piece, areas[index]):
            ink = float(segmentation.cover[box][piece].sum())
            _free_lines(piece, (box[1].start, box[0].start), ink, colour, dots, found)
        elif (dot := _dot(piece, (box[1].start, box[0].start), colour)) is not None:
            dots.append(dot)
        elif areas[index] >= 2:
            pieces.append(dashed.piece_of(piece, (box[1].start, box[0].start), index))
    used: set[int] = set()
    for chain in dashed.chains([piece for piece in pieces if piece.width < 7]):
        used |= {piece.index for piece in chain}
        found.percepts.append(_dashed_stroke(chain, colour))
    for piece in pieces:
        if piece.index not in used:
            rows, columns = boxes[piece.index - 1]
            found.glyphs.append((columns.start, rows.start, columns.stop, rows.stop))


def _is_lone_line(piece: Mask, area: int) -> bool:
    """A straight stroke of at least 18 px is no letter."""
    height, width = piece.shape
    return (
        math.hypot(height, width) >= 20
        and area < 4.5 * math.hypot(height, width)
        and min(height, width) >= 10
        and (_along_diagonal(piece))
    )


def _along_diagonal(piece: Mask) -> bool:
    rows, columns = np.nonzero(piece)
    correlation = np.corrcoef(rows, columns)[0, 1]
    return bool(abs(correlation) > 0.97)


def _dot(piece: Mask, corner: tuple[int, int], colour: str) -> Shape | None:
    """Recognise a small disc."""
    height, width = piece.shape
    if min(height, width) < 4 or abs(height - width) > 1:
        return None
    rows, columns = np.ogrid[:height, :width]
    radius = (height + width) / 4
    disc = (rows + 0.5 - height / 2) ** 2 + (columns + 0.5 - width / 2) ** 2 <= radius**2
    if (disc & piece).sum() < 0.88 * (disc | piece).sum():
        return None
    centre = (corner[0] + width / 2, corner[1] + height / 2)
    box = (corner[0], corner[1], corner[0] + width, corner[1] + height)
    return Shape("circle", colour, centre, (2 * radius, 2 * radius), 0.0, (), None, float(piece.sum()), box)


def _dashed_stroke(chain: list[dashed.Piece], colour: str) -> Stroke:
    path = dashed.path_of(chain)
    width = float(max(1.0, round(float(np.median([piece.width for piece in chain])))))
    points, smooth = _described(path, width)
    return Stroke(colour, width, points, smooth, dashed.pattern_of(chain), role="curve" if len(points) > 2 else "line")


def _free_lines(piece: Mask, corner: tuple[int, int], ink: float, colour: str, dots: list[Shape], found: Thin) -> None:
    """Trace a component into lines and curves; round thickenings on it are markers."""
    traced = paths.trace(piece, corner)
    if not traced:
        return
    length = sum(float(np.hypot(*np.diff(path, axis=0).T).sum()) for path in traced)
    markers = _markers(piece, corner) if length > 60 else []
    width = max(1.0, round(2 * (ink - sum(a for *_, a in markers) * 0.7) / max(length, 1)) / 2)
    for path in traced:
        long = float(np.hypot(*np.diff(path, axis=0).T).sum())
        if long < 12 or (long < 0.04 * length and len(traced) > 4):
            continue
        points, smooth = _described(path, width)
        role = "curve" if len(points) > 2 else "line"
        found.percepts.append(Stroke(colour, width, points, smooth, role=role))
    for x, y, area in markers:
        radius = math.sqrt(area / math.pi)
        box = (int(x - radius), int(y - radius), int(x + radius) + 1, int(y + radius) + 1)
        dots.append(Shape("circle", colour, (x, y), (2 * radius, 2 * radius), 0.0, (), None, area, box))


def _described(path: paths.Points, width: float) -> tuple[tuple[tuple[float, float], ...], bool]:
    """Return two points if the path is straight, else as few as describe it."""
    chord = path[-1] - path[0]
    length = float(np.hypot(*chord))
    if length > 6:
        off = np.abs((path - path[0]) @ np.array([-chord[1], chord[0]])) / length
        if off.max() <= max(1.6, 0.5 * width + 0.6):
            ends = np.round(path[[0, -1]], 1)
            return ((float(ends[0, 0]), float(ends[0, 1])), (float(ends[1, 0]), float(ends[1, 1]))), False
    return paths.simplify(path)


def _markers(piece: Mask, corner: tuple[int, int]) -> list[tuple[float, float, float]]:
    """Return middle and area of the round thickenings of a stroke."""
    core = ndimage.binary_erosion(np.pad(piece, 2), OCTAGON)
    spots, _ = ndimage.label(core, EIGHT)
    found = []
    for index, box in enumerate(ndimage.find_objects(spots), 1):
        core_piece = np.pad(spots[box] == index, 3)
        opened = ndimage.binary_dilation(core_piece, OCTAGON)
        height, width = opened.shape[0] - 2, opened.shape[1] - 2
        if max(height, width) > 20 or abs(height - width) > 3:
            continue
        rows, columns = np.nonzero(opened)
        x = corner[0] - 2 + box[1].start - 3 + float(columns.mean()) + 0.5
        y = corner[1] - 2 + box[0].start - 3 + float(rows.mean()) + 0.5
        found.append((x, y, float(opened.sum())))
    return found


def _dashed_grids(found: Thin) -> None:
    """Gather parallel level or upright dashed lines into grids."""
    for level in (True, False):
        axis = 1 if level else 0
        lines = [
            p
            for p in found.percepts
            if isinstance(p, Stroke) and p.dash != "solid" and len(p.points) == 2
            if abs(p.points[0][axis] - p.points[1][axis]) < 1.5
        ]
        for colour in sorted({line.colour for line in lines}):
            family = [line for line in lines if line.colour == colour]
            if len(family) < 3:
                continue
            ends = np.array([sorted(point[1 - axis] for point in line.points) for line in family])
            if np.ptp(ends[:, 0]) > 25 or np.ptp(ends[:, 1]) > 25:
                continue
            found.percepts[:] = [p for p in found.percepts if not any(p is line for line in family)]
            at = tuple(sorted(round((line.points[0][axis] + line.points[1][axis]) / 2, 1) for line in family))
            low, high = (float(value) for value in np.median(ends, axis=0))
            found.percepts.insert(0, Grid(colour, family[0].width, level, at, low, high, family[0].dash))
