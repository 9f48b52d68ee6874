"""Outlines and thin regions as points: corners, circles, skeletons, and ordered paths simplified to few points."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from skimage.measure import find_contours
from skimage.morphology import skeletonize

from ircore.core import exact
from ircore.seeing.arrays import (
    EIGHT,
    Mask,
    compute_dot,
    compute_lengths,
    compute_principal_axis,
    interpolate,
    solve_linear_systems,
)
from ircore.seeing.percepts import Point

Points = npt.NDArray[np.float64]
"""N × 2: x, y in pixels."""
MAX_POINTS = 22
TOLERANCE = 1.5
"""Pixels that few points may stray from a path; more if ``MAX_POINTS`` points are not enough."""
BESIDE = 1.0
"""Pixels that a smooth curve may lie beside a function's graph, except for its farthest twentieth."""
LOOK_BACK = 9
"""Pixels over which the direction of a branch's end is measured."""

_AROUND = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""The neighbours of a pixel, those beside it before those at its corners."""


def trace_contour(mask: Mask) -> Points:
    """Return the outer edge of a mask as x, y with half-pixel accuracy, closed."""
    # Padded, so that the edge closes where the mask touches the rim.
    contours = find_contours(np.pad(mask, 1).astype(np.float64), 0.5)  # type: ignore[no-untyped-call]
    longest: Points = max(contours, key=len)
    return longest[:, ::-1] - 0.5


def approximate_path(path: Points, tolerance: float) -> Points:
    """Return the corners of a path that stray at most ``tolerance`` pixels from it (Douglas and Peucker, 1973)."""
    turning, open_ = {0, len(path) - 1}, [(0, len(path) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        off = _measure_segment_distance(path[first + 1 : last], path[first], path[last])
        worst = int(off.argmax())
        if off[worst] > tolerance:
            at = first + 1 + worst
            turning.add(at)
            open_ += [(first, at), (at, last)]
    return np.asarray(path[sorted(turning)])


def measure_path_distance(point: Point, path: Sequence[Point]) -> float:
    """Return the distance of a point from a path, in pixels."""
    corners = np.array(path)
    way, offset = np.diff(corners, axis=0), np.array(point) - corners[:-1]
    share = np.clip((offset * way).sum(1) / np.maximum(np.square(way).sum(1), 1e-9), 0, 1)
    return float(exact.hypot(*(offset - share[:, None] * way).T).min())


def sharpen_corners(corners: Points) -> Points:
    """Replace short edges that only blunt a corner by the point where their neighbours meet."""
    while len(corners) > 3:
        sides = np.roll(corners, -1, axis=0) - corners
        length = exact.hypot(sides[:, 0], sides[:, 1])
        n = int(length.argmin())
        before, after = n - 1, (n + 1) % len(corners)
        if length[n] > min(18.0, 0.35 * min(length[before], length[after])):
            break
        edge_before = (corners[before], sides[before] / max(length[before], 1e-9))
        met = _find_meeting_point(edge_before, (corners[after], sides[after] / max(length[after], 1e-9)))
        ahead = met is not None and float(compute_dot(met - corners[n], sides[before])) > 0
        if met is None or not ahead or exact.hypot(*(met - corners[n])) > 24:
            break
        corners = np.delete(corners, after, axis=0)
        corners[n if after > n else n - 1] = met
    return corners


def find_corners(edge: Points, share: float) -> Points:
    """Return the corners of a closed outline, whose last point is its first.

    They may stray by ``share`` of the outline's diagonal, and by 1.3 px at least.
    """
    diagonal = float(exact.hypot(*np.ptp(edge, axis=0)))
    # The point farthest from the middle is a corner, and so the ends of the path do not cut a side in two.
    start = int(exact.hypot(*(edge - edge.mean(axis=0)).T).argmax())
    ring = np.roll(edge[:-1], -start, axis=0)
    closed = np.vstack([ring, ring[:1]])
    rough = approximate_path(closed, max(1.3, share * diagonal))[:-1]
    return _refine_corners(closed, rough) if len(rough) >= 3 else rough


def measure_stray(edge: Points, corners: Points) -> float:
    """Return how far the outline strays from the polygon, 97th percentile in pixels."""
    start, way = corners, np.roll(corners, -1, axis=0) - corners
    offset = edge[:, None, :] - start[None]
    share = np.clip((offset * way).sum(-1) / np.maximum(np.square(way).sum(-1), 1e-9), 0, 1)
    distance = compute_lengths(offset - share[..., None] * way).min(axis=1)
    return float(np.percentile(distance, 97))


def fit_circle(points: Points) -> tuple[Point, float] | None:
    """Return centre and radius of the least-squares circle through points; None if they are collinear."""
    middle = points.mean(axis=0)
    x, y = (points - middle).T
    squares = np.array([[compute_dot(x, x), compute_dot(x, y)], [compute_dot(x, y), compute_dot(y, y)]])
    if squares[0, 0] * squares[1, 1] - squares[0, 1] * squares[0, 1] <= 1e-12 * squares.max() * squares.max():
        return None
    around = x * x + y * y
    right, down = solve_linear_systems(squares, np.array([compute_dot(around, x), compute_dot(around, y)]) / 2).tolist()
    square = float(around.mean()) + right * right + down * down
    return ((float(middle[0]) + right, float(middle[1]) + down), math.sqrt(square)) if square <= 4e6 else None


def trace_middle_lines(mask: Mask, corner: tuple[int, int]) -> list[Points]:
    """Trace the middle lines of a thin region.

    Args:
        mask: The region, cropped.
        corner: Column and row of the mask's corner in the picture.

    Returns:
        Paths in pixels, ordered from end to end, the longest first; a closed path ends where it begins.
    """
    # Padded twice: for the skeleton of pixels at the rim, and for their neighbours.
    skeleton = np.pad(skeletonize(np.pad(mask, 1)), 1)  # type: ignore[no-untyped-call]
    neighbours = ndimage.convolve(skeleton.astype(np.int8), np.ones((3, 3), np.int8), mode="constant") - 1
    junctions, _ = ndimage.label(skeleton & (neighbours >= 3), EIGHT)
    branches, count = ndimage.label(skeleton & (junctions == 0), EIGHT)
    paths = [
        _order_pixels(np.argwhere(branches[box] == index)) + np.array([box[0].start, box[1].start])
        for index, box in enumerate(ndimage.find_objects(branches), 1)
    ]
    joined = _join_branches(paths, junctions) if count else []
    offset = np.array([corner[0] - 1.5, corner[1] - 1.5])
    lines = [path[:, ::-1] + offset for path in joined if len(path) > 1]
    return sorted(lines, key=lambda path: -len(path))


def compute_end_direction(path: Points, side: int, look_back: int = LOOK_BACK) -> Points:
    """Return the unit direction in which a path leaves at its end (``side`` 1) or start (0), over its last points."""
    ordered = path if side else path[::-1]
    way = ordered[-1] - ordered[max(-len(ordered), -look_back)]
    return np.asarray(way / max(float(exact.hypot(*way)), 1e-9))


def simplify_path(path: Points) -> tuple[tuple[Point, ...], bool]:
    """Describe a path by few points.

    Args:
        path: Ordered points.

    Returns:
        The points, and whether a smooth curve through them is nearer to the path than straight lines are.
    """
    smoothed, tolerance = _smooth_path(path), TOLERANCE
    while True:
        corners = _find_corner_points(smoothed, path, tolerance)
        if len(corners) <= 5:
            break
        curve = min(_find_curve_points(smoothed, tolerance), _find_even_points(smoothed, tolerance), key=len)
        if len(curve) <= len(corners):
            if len(curve) <= MAX_POINTS:
                return _round_points(curve), True
        elif len(corners) <= MAX_POINTS:
            break
        tolerance *= 1.4
    return _round_points(corners), False


def find_smooth_points(path: Points) -> tuple[Point, ...] | None:
    """Return few points, evenly spaced along a function's graph, whose smooth curve stays close to the graph.

    Args:
        path: Points of the graph in their order along it.

    Returns:
        The points; None if ``MAX_POINTS`` points are not enough.
    """
    smoothed = _smooth_path(path if path[0, 0] <= path[-1, 0] else path[::-1])
    along = np.concatenate([[0], exact.hypot(*np.diff(smoothed, axis=0).T).cumsum()])
    slope = np.gradient(smoothed[:, 1]) / np.maximum(np.gradient(smoothed[:, 0]), 0.05)
    for count in range(4, MAX_POINTS + 1):
        at = np.linspace(0, along[-1], count)
        points = np.column_stack([interpolate(at, along, smoothed[:, side]) for side in (0, 1)])
        curve = smooth_curve(points, [16] * (count - 1))
        beside = np.abs(interpolate(smoothed[:, 0], curve[:, 0], curve[:, 1]) - smoothed[:, 1])
        off = beside / np.sqrt(1 + slope * slope)
        if float(np.percentile(off, 95)) <= BESIDE:
            return _round_points(points)
    return None


def smooth_curve(points: Points, steps: list[int]) -> Points:
    """Return points on the Catmull-Rom curve (E. Catmull and R. Rom, 1974) through ``points``.

    Args:
        points: At least two, N × 2.
        steps: How many points to return for each span.
    """
    first = np.repeat(np.arange(len(steps)), steps)
    spans = np.array(steps)
    t = ((np.arange(len(first)) - np.repeat(spans.cumsum() - spans, steps)) / np.maximum(spans, 1)[first])[:, None]
    around = np.concatenate([points[:1], points, points[-1:]])
    p0, p1, p2, p3 = (around[first + shift] for shift in range(4))
    second, third = 2 * p0 - 5 * p1 + 4 * p2 - p3, 3 * p1 - p0 - 3 * p2 + p3
    curve = 0.5 * (2 * p1 + (p2 - p0) * t + second * t * t + third * t * t * t)
    return np.concatenate([curve, points[-1:]])


def _measure_segment_distance(points: Points, start: Points, end: Points) -> Points:
    """Return how far points are from the segment between two others."""
    (x, y), (along, down) = (points - start).T, end - start
    share = np.clip((x * along + y * down) / max(float(along * along + down * down), 1e-9), 0, 1)
    return np.asarray(exact.hypot(x - share * along, y - share * down))


def _refine_corners(edge: Points, rough: Points) -> Points:
    """Move each corner to where the straight lines through its two sides meet."""
    index = [int(exact.hypot(*(edge - corner).T).argmin()) for corner in rough]
    lines = []
    for first, last in zip(index, [*index[1:], len(edge) - 1], strict=True):
        side = edge[first : last + 1]
        # Near the corners, antialiasing rounds the sides off.
        cut = max(1, len(side) // 6) if len(side) > 8 else 0
        inner = side[cut : len(side) - cut] if cut else side
        lines.append((inner.mean(axis=0), compute_principal_axis(inner)[0]))
    corners = rough.copy()
    for number in range(len(rough)):
        met = _find_meeting_point(lines[number - 1], lines[number])
        if met is not None and exact.hypot(*(met - rough[number])) < 5:
            corners[number] = met
    return corners


def _find_meeting_point(first: tuple[Points, Points], second: tuple[Points, Points]) -> Points | None:
    (a, b), (c, d) = first[1], second[1]
    turn = a * d - b * c
    if abs(float(turn)) < 0.1:
        return None
    x, y = second[0] - first[0]
    return np.asarray(first[0] + (x * d - y * c) / turn * first[1])


def _order_pixels(pixels: npt.NDArray[np.intp]) -> Points:
    """Order the pixels of a branch from one end to the other."""
    left = set(map(tuple, pixels.tolist()))
    start = min(left, key=lambda at: (sum((at[0] + down, at[1] + right) in left for down, right in _AROUND), at))
    path = [start]
    left.remove(start)
    while True:
        row, column = path[-1]
        step = next((at for down, right in _AROUND if (at := (row + down, column + right)) in left), None)
        if step is None:
            break
        path.append(step)
        left.remove(step)
    # A ring ends beside its beginning.
    if len(path) > 8 and max(abs(path[0][0] - path[-1][0]), abs(path[0][1] - path[-1][1])) <= 1:
        path.append(path[0])
    return np.array(path, np.float64)


def _join_branches(paths: list[Points], junctions: npt.NDArray[np.integer[Any]]) -> list[Points]:
    """Join branches that go straight on through a junction; short spurs are dropped."""
    ends: dict[int, list[tuple[int, int]]] = {}
    for number, path in enumerate(paths):
        for side in (0, 1):
            row, column = (int(value) for value in path[-side])
            window = junctions[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
            if window.any():
                ends.setdefault(int(window.max()), []).append((number, side))
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    for meeting in ends.values():
        real = [end for end in meeting if len(paths[end[0]]) > 4 or len(meeting) <= 2]
        for first, second in _pair_straight_ends(paths, real):
            partner[first], partner[second] = second, first
    return _follow_chains(paths, partner)


def _pair_straight_ends(
    paths: list[Points], ends: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pair the ends at a junction so that the straightest continuations are joined first."""
    ways = {end: compute_end_direction(paths[end[0]], end[1]) for end in ends}
    pairs = sorted(itertools.combinations(ends, 2), key=lambda pair: float(compute_dot(ways[pair[0]], ways[pair[1]])))
    used: set[tuple[int, int]] = set()
    chosen = []
    for first, second in pairs:
        straight = float(compute_dot(ways[first], ways[second])) < (-0.1 if len(ends) == 2 else -0.82)
        if straight and first not in used and second not in used and first[0] != second[0]:
            chosen.append((first, second))
            used |= {first, second}
    return chosen


def _follow_chains(paths: list[Points], partner: dict[tuple[int, int], tuple[int, int]]) -> list[Points]:
    """Follow joined branches from their free ends; remaining branches are loops."""
    left = set(range(len(paths)))
    chains = []
    free = [(n, s) for n in range(len(paths)) for s in (0, 1) if (n, s) not in partner]
    # Loops have no free end, and come last.
    for number, side in [*free, *((n, 0) for n in range(len(paths)))]:
        if number not in left:
            continue
        parts, here = [], (number, side)
        while here[0] in left:
            left.remove(here[0])
            path = paths[here[0]]
            parts.append(path if here[1] == 0 else path[::-1])
            out = partner.get((here[0], 1 - here[1]))
            if out is None:
                break
            here = out
        chains.append(np.vstack(parts))
    return chains


def _round_points(points: Points) -> tuple[Point, ...]:
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points)


def _smooth_path(path: Points) -> Points:
    """Even out the staircase of pixels; the ends stay."""
    if len(path) < 7:
        return path
    even: Points = ndimage.uniform_filter1d(path, 5, axis=0, mode="nearest")
    even[0], even[-1] = path[0], path[-1]
    even[1:3], even[-3:-1] = path[1:3], path[-3:-1]
    return even


def _find_corner_points(smoothed: Points, path: Points, tolerance: float) -> Points:
    if len(path) > 8 and exact.dist(path[0], path[-1]) < 2:
        far = int(exact.hypot(*(path - path[0]).T).argmax())
        first = approximate_path(path[: far + 1], tolerance)
        return np.vstack([first[:-1], approximate_path(path[far:], tolerance)])
    return approximate_path(smoothed, tolerance)


def _find_curve_points(path: Points, tolerance: float) -> Points:
    """Return points of a path, added where the smooth curve strays most, until the curve stays close to the path."""
    chosen = [0, len(path) // 2, len(path) - 1]
    steps = np.arange(len(path))
    while len(chosen) < min(len(path), 40):
        curve = smooth_curve(path[chosen], [b - a for a, b in itertools.pairwise(chosen)])
        off = exact.hypot(*(curve - path).T)
        if off.max() <= tolerance:
            break
        away = np.abs(steps[:, None] - np.array(chosen)).min(axis=1)
        # Two points side by side would bend the curve between them.
        off[away < 3] = 0
        if off.max() <= tolerance:
            break
        worst = int(off.argmax())
        chosen = sorted({*chosen, worst})
    return np.asarray(path[chosen])


def _find_even_points(path: Points, tolerance: float) -> Points:
    """Return the fewest evenly spaced points of a path whose smooth curve stays close to the path."""
    along = np.concatenate([[0], exact.hypot(*np.diff(path, axis=0).T).cumsum()])
    for count in range(4, MAX_POINTS + 1):
        chosen = np.searchsorted(along, np.linspace(0, along[-1], count)).clip(0, len(path) - 1)
        steps = np.diff(chosen)
        if (steps < 1).any():
            break
        curve = smooth_curve(path[chosen], [int(step) for step in steps])
        if exact.hypot(*(curve - path).T).max() <= tolerance + 0.7:
            return np.asarray(path[chosen])
    return path
