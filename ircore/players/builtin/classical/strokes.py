"""Straight strokes: axes, grid lines and ticks, read off rows and columns of pixels, and dashed and dotted lines."""

import math
from dataclasses import dataclass

import numpy as np

from ircore.core import exact
from ircore.players.builtin.classical.outlines import Points
from ircore.seeing.arrays import Mask, compute_dot, compute_lengths, compute_principal_axis, dilate_along_axis
from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.percepts import Grid, Stroke, Ticks

MIN_PIECES = 4
MIN_LENGTH = 40
MAX_WIDTH = 8
MAX_TICK = 16
GRID_CONTRAST = 150.0
"""Distance in RGB, 0–441, from the background up to which three lines are a grid."""


@dataclass(frozen=True, eq=False)
class DashPiece:
    """A small component that may be a dash or a dot.

    >>> piece = measure_piece(np.ones((1, 5), bool), (10, 20), index=1)
    >>> piece.middle.tolist(), piece.solid
    ([12.5, 20.5], True)
    """

    middle: Points
    way: Points
    length: float
    width: float
    index: int
    solid: bool = True


def measure_piece(mask: Mask, corner: tuple[int, int], index: int) -> DashPiece:
    """Measure a small component.

    Args:
        mask: Pixels of the component, cropped to its box.
        corner: Column and row of the crop.
        index: By which the caller knows it.
    """
    rows, columns = np.nonzero(mask)
    points = np.stack([columns + 0.5 + corner[0], rows + 0.5 + corner[1]], axis=1)
    middle = points.mean(axis=0)
    if len(points) < 2:
        return DashPiece(middle, np.array([1.0, 0.0]), 1.0, 1.0, index)
    way, along, across = compute_principal_axis(points)
    # A pixel is no point: its own square adds 1/12 each way.
    length, thickness = math.sqrt(12 * along + 1), math.sqrt(12 * across + 1)
    # A dash fills the rectangle of its own moments; a letter does not.
    solid = len(points) > 0.8 * length * thickness
    return DashPiece(middle, way, length, len(points) / max(length, 1.0), index, solid)


def link_chains(pieces: list[DashPiece]) -> list[list[DashPiece]]:
    """Link pieces into dashed lines, end to end.

    Returns:
        Chains of at least four pieces, ordered along the line.
    """
    left = {piece.index: piece for piece in pieces}
    lines = []
    # Long pieces first: their direction is surer than that of dots.
    for piece in sorted(pieces, key=lambda piece: (-piece.length, piece.index)):
        if piece.index not in left:
            continue
        del left[piece.index]
        forward = _follow_chain(piece, piece.way, left)
        backward = _follow_chain(piece, -piece.way, left)
        chain = [*reversed(backward), piece, *forward]
        if len(chain) >= MIN_PIECES and _are_even_dashes(chain):
            lines.append(chain)
        else:
            # The other pieces may still belong to another line.
            left |= {other.index: other for other in chain if other is not piece}
    return lines


def build_chain_path(chain: list[DashPiece]) -> Points:
    """Return the line through a chain of dashes, from the outer end of the first dash to that of the last."""
    middles = np.array([piece.middle for piece in chain])
    first, last = chain[0], chain[-1]
    start = first.middle + first.way * math.copysign(
        first.length / 2, float(compute_dot(middles[0] - middles[1], first.way))
    )
    end = last.middle + last.way * math.copysign(
        last.length / 2, float(compute_dot(middles[-1] - middles[-2], last.way))
    )
    return np.vstack([start, middles, end])


def name_chain_pattern(chain: list[DashPiece]) -> str:
    """Name the pattern: dashed, dotted or dash-dot."""
    ratio = np.array([piece.length / piece.width for piece in chain])
    if float(np.percentile(ratio, 80)) < 1.7:
        return "dotted"
    return "dash-dot" if 0.3 < (ratio < 1.7).mean() < 0.7 else "dashed"


@dataclass(frozen=True)
class Straight:
    """A level (or upright) line: rows (columns) ``first`` to ``last`` inclusive, from ``low`` to ``high`` along.

    >>> Straight(1, level=True, first=10, last=11, low=0, high=100).width
    2
    """

    label: int
    level: bool
    first: int
    last: int
    low: int
    high: int

    @property
    def at(self) -> float:
        """Middle across, in pixels."""
        return (self.first + self.last + 1) / 2

    @property
    def width(self) -> int:
        """In pixels."""
        return self.last - self.first + 1

    @property
    def window(self) -> tuple[slice, slice]:
        """Rows and columns that the line covers."""
        across, along = slice(self.first, self.last + 1), slice(self.low, self.high)
        return (across, along) if self.level else (along, across)


def find_straight(labels: Labels, thin: Labels, label: int) -> list[Straight]:
    """Return the level and upright lines of one colour, continued where other things cover a line.

    ``labels`` holds all drawn colours, ``thin`` those of strokes only.
    """
    mask = thin == label
    foreign = (labels != label) & (labels > 0)
    lines = _find_level_lines(mask, foreign, label, True)
    return lines + _find_level_lines(mask.T, foreign.T, label, False)


def find_grids(lines: list[Straight], segmentation: Segmentation) -> tuple[list[Grid], list[Straight]]:
    """Gather parallel lines of one colour and extent into grids.

    Returns:
        The grids, and the remaining lines.
    """
    grids, rest = [], list(lines)
    for level in (True, False):
        for label in {line.label for line in lines}:
            group = [line for line in rest if line.level == level and line.label == label]
            family = _select_family(group)
            # Three dark parallels in a figure are lines of their own, not a grid.
            contrast = float(compute_lengths(segmentation.colours[label] - segmentation.colours[0]))
            if len(family) < 3 or (len(family) == 3 and contrast > GRID_CONTRAST):
                continue
            rest = [line for line in rest if line not in family]
            low, high = float(np.median([f.low for f in family])), float(np.median([f.high for f in family]))
            sizes = [measure_line(line, segmentation) for line in family]
            width = float(np.median([wide for _, wide in sizes]))
            at = tuple(sorted(middle for middle, _ in sizes))
            grids.append(Grid(segmentation.hex(label), width, level, at, low, high))
    return grids, rest


def find_ticks(line: Straight, mask: Mask, segmentation: Segmentation) -> Ticks | None:
    """Find the short strokes across an axis; they are cleared in ``mask``, the pixels of its colour without it."""
    view = mask if line.level else mask.T
    above = view[max(0, line.first - 2) : line.first, line.low : line.high]
    below = view[line.last + 1 : line.last + 3, line.low : line.high]
    if above.shape[0] < 2 or below.shape[0] < 2:
        return None
    touching = np.asarray(above.all(axis=0) | below.all(axis=0))
    spots = [(start + line.low, end + line.low) for start, end in _find_stretches(touching) if end - start <= 4]
    strokes_across = [
        (spot, reach)
        for spot in spots
        if 0 < sum(reach := _measure_reach(view, line, spot)) <= MAX_TICK + 4  # exact: counts pixels
    ]
    strokes_across = [(spot, reach) for spot, reach in strokes_across if max(reach) <= MAX_TICK]
    if len(strokes_across) < 2:
        return None
    usual = np.median([reach for _, reach in strokes_across], axis=0)
    usual_strokes = [(spot, reach) for spot, reach in strokes_across if np.abs(np.array(reach) - usual).max() <= 2]
    if len(usual_strokes) < 2:
        return None
    for (start, end), (up, down) in usual_strokes:
        view[line.first - up : line.last + 1 + down, start:end] = False
    at = tuple((start + end) / 2 for (start, end), _ in usual_strokes)
    length = float(usual.sum()) + (line.width if usual.min() > 0 else 0)
    low, high = line.first - int(usual[0]), line.last + 1 + int(usual[1])
    box = (int(at[0]) - 1, low, int(at[-1]) + 2, high) if line.level else (low, int(at[0]) - 1, high, int(at[-1]) + 2)
    # Up from an x axis is inside; so is right of a y axis, which is the second of the two there.
    inward, outward = (usual[0], usual[1]) if line.level else (usual[1], usual[0])
    side = "across" if usual.min() > 0 else "inside" if inward > outward else "outside"
    return Ticks(segmentation.hex(line.label), length, "x" if line.level else "y", at, box, side)


def convert_to_stroke(line: Straight, segmentation: Segmentation, role: str) -> Stroke:
    """Return a straight line as a percept, measured by its coverage of each pixel."""
    at, width = measure_line(line, segmentation)
    ends = ((float(line.low), at), (float(line.high), at))
    points = ends if line.level else tuple((y, x) for x, y in ends)
    return Stroke(segmentation.hex(line.label), width, points, role=role)


def measure_line(line: Straight, segmentation: Segmentation) -> tuple[float, float]:
    """Return a line's middle across and its width, in pixels."""
    own = segmentation.labels[line.window] == line.label
    across = np.where(own, segmentation.cover[line.window], 0).sum(axis=1 if line.level else 0)
    length = max(1, int(own.any(axis=0 if line.level else 1).sum()))
    width = max(1.0, round(2 * float(across.sum()) / length) / 2)
    rows = np.arange(line.first, line.last + 1) + 0.5
    return round(float(compute_dot(across, rows) / max(float(across.sum()), 1e-9)), 1), width


def _follow_chain(piece: DashPiece, way: Points, left: dict[int, DashPiece]) -> list[DashPiece]:
    """Take the next piece straight ahead, again and again."""
    chain: list[DashPiece] = []
    here, reach = piece, 2.2 * piece.length + 8
    others = list(left.values())
    middles, ways = np.array([other.middle for other in others]), np.array([other.way for other in others])
    long = np.array([other.length > 2 * other.width for other in others])
    free = np.ones(len(others), bool)
    while free.any():
        offset = middles - here.middle
        distance = exact.hypot(offset[:, 0], offset[:, 1])
        ahead = compute_dot(offset, way) / np.maximum(distance, 1e-9)
        # Dots have no direction, so only long pieces must point along the line.
        fits = free & (distance <= reach) & (ahead > 0.9) & (~long | (np.abs(compute_dot(ways, way)) > 0.85))
        if not fits.any():
            break
        best = int(np.where(fits, distance, np.inf).argmin())
        following, free[best] = others[best], False
        del left[following.index]
        way = offset[best] / distance[best]
        chain.append(following)
        here = following
    return chain


def _are_even_dashes(chain: list[DashPiece]) -> bool:
    """Tell dashes from letters: the pieces are thin, and their distances alike."""
    widths = [piece.width for piece in chain]
    middles = np.array([piece.middle for piece in chain])
    gaps = exact.hypot(*np.diff(middles, axis=0).T)
    if float(np.percentile(widths, 85)) > 1.5 * float(np.percentile(widths, 15)) + 0.5:
        return False
    return max(widths) < 7 and float(np.percentile(gaps, 75)) < 1.9 * float(np.percentile(gaps, 25)) + 2


def _find_level_lines(mask: Mask, foreign: Mask, label: int, level: bool) -> list[Straight]:
    # Antialiasing leaves a pixel or two of neither colour beside what covers the line.
    bridges = dilate_along_axis(foreign, 2, 1)
    rows = np.flatnonzero(mask.sum(axis=1) >= MIN_LENGTH * 0.75)
    runs = [(int(row), low, high) for row in rows for low, high in _find_row_runs(mask[row], bridges[row])]
    lines: list[Straight] = []
    used: set[int] = set()
    for number, (row, low, high) in enumerate(runs):
        if number in used:
            continue
        last = row
        members = [(low, high)]
        for other in range(number + 1, len(runs)):
            next_row, next_low, next_high = runs[other]
            if next_row > last + 1:
                break
            if next_row == last + 1 and abs(next_low - low) <= 5 and abs(next_high - high) <= 5:
                last = next_row
                members.append((next_low, next_high))
                used.add(other)
        low, high = min(m[0] for m in members), max(m[1] for m in members)
        line = Straight(label, level, row, last, low, high)
        if line.width <= MAX_WIDTH and _is_alone(mask, line):
            lines.append(line)
    return lines


def _find_row_runs(row: Mask, bridges: Mask) -> list[tuple[int, int]]:
    """Return start and end of long runs in a row; things in front do not interrupt a run."""
    bridged = row | bridges
    runs = []
    for start, end in _find_stretches(bridged):
        own = np.flatnonzero(row[start:end])
        if not len(own):
            continue
        low, high = int(start + own[0]), int(start + own[-1]) + 1
        if high - low >= MIN_LENGTH and len(own) >= 0.3 * (high - low):
            runs.append((low, high))
    return runs


def _find_stretches(row: Mask) -> list[tuple[int, int]]:
    """Return start and end of each unbroken stretch of a row."""
    edges: list[int] = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]]))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _is_alone(mask: Mask, line: Straight) -> bool:
    """Whether a line stands alone: a flat stretch of a curve has pixels beside it or past its ends."""
    length = line.high - line.low
    rows = slice(max(0, line.first - 2), line.last + 3)
    before, after = mask[rows, max(0, line.low - 4) : max(0, line.low - 1)], mask[rows, line.high + 1 : line.high + 4]
    beside = max(
        mask[row, line.low : line.high].sum() if 0 <= row < len(mask) else 0 for row in (line.first - 1, line.last + 1)
    )
    alone = not (before.any() or after.any()) or (length > 80 and beside < 0.12 * length)
    return alone and beside <= 0.3 * length


def _select_family(group: list[Straight]) -> list[Straight]:
    """Return the largest set of lines with about the same ends and width."""

    def is_alike(line: Straight, other: Straight) -> bool:
        ends = max(abs(other.low - line.low), abs(other.high - line.high))
        return ends <= 8 and abs(other.width - line.width) <= 1

    return max(([other for other in group if is_alike(line, other)] for line in group), key=len, default=[])


def _measure_reach(view: Mask, line: Straight, spot: tuple[int, int]) -> tuple[int, int]:
    """Return how far a stroke across a line reaches above and below the line."""
    column = np.asarray(view[:, spot[0] : spot[1]].any(axis=1))
    up = down = 0
    while up <= MAX_TICK and line.first - up - 1 >= 0 and column[line.first - up - 1]:
        up += 1
    while down <= MAX_TICK and line.last + down + 1 < len(column) and column[line.last + down + 1]:
        down += 1
    return up, down
