"""Outlines as points: their corners, straight pieces and distances, and the circle through them."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from skimage.measure import find_contours

from ircore.core import exact
from ircore.seeing.algebra import axes_of, dot, length_of, solved
from ircore.seeing.masks import Mask
from ircore.seeing.percepts import Point

Points = npt.NDArray[np.float64]
"""N × 2: x, y in pixels."""


def contour(mask: Mask) -> Points:
    """Return the outer edge of a mask as x, y with half-pixel accuracy, closed."""
    # Padded, so that the edge closes where the mask touches the rim.
    contours = find_contours(np.pad(mask, 1).astype(np.float64), 0.5)  # type: ignore[no-untyped-call]
    longest: Points = max(contours, key=len)
    return longest[:, ::-1] - 0.5


def approximated(path: Points, tolerance: float) -> Points:
    """Return the corners of a path that stray at most ``tolerance`` pixels from it (Douglas and Peucker, 1973)."""
    turning, open_ = {0, len(path) - 1}, [(0, len(path) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        off = _away(path[first + 1 : last], path[first], path[last])
        worst = int(off.argmax())
        if off[worst] > tolerance:
            at = first + 1 + worst
            turning.add(at)
            open_ += [(first, at), (at, last)]
    return np.asarray(path[sorted(turning)])


def _away(points: Points, start: Points, end: Points) -> Points:
    """Return how far points are from the segment between two others."""
    (x, y), (along, down) = (points - start).T, end - start
    share = np.clip((x * along + y * down) / max(float(along * along + down * down), 1e-9), 0, 1)
    return np.asarray(exact.hypot(x - share * along, y - share * down))


def off_path(point: Point, path: Sequence[Point]) -> float:
    """Return the distance of a point from a path, in pixels."""
    corners = np.array(path)
    way, offset = np.diff(corners, axis=0), np.array(point) - corners[:-1]
    share = np.clip((offset * way).sum(1) / np.maximum(np.square(way).sum(1), 1e-9), 0, 1)
    return float(exact.hypot(*(offset - share[:, None] * way).T).min())


def sharpened(corners: Points) -> Points:
    """Replace short edges that only blunt a corner by the point where their neighbours meet."""
    while len(corners) > 3:
        sides = np.roll(corners, -1, axis=0) - corners
        length = exact.hypot(sides[:, 0], sides[:, 1])
        n = int(length.argmin())
        before, after = n - 1, (n + 1) % len(corners)
        if length[n] > min(18.0, 0.35 * min(length[before], length[after])):
            break
        edge_before = (corners[before], sides[before] / max(length[before], 1e-9))
        met = _meeting(edge_before, (corners[after], sides[after] / max(length[after], 1e-9)))
        ahead = met is not None and float(dot(met - corners[n], sides[before])) > 0
        if met is None or not ahead or exact.hypot(*(met - corners[n])) > 24:
            break
        corners = np.delete(corners, after, axis=0)
        corners[n if after > n else n - 1] = met
    return corners


def corners_of(edge: Points, share: float) -> Points:
    """Return the corners of a closed outline, whose last point is its first.

    They may stray by ``share`` of the outline's diagonal, and by 1.3 px at least.
    """
    diagonal = float(exact.hypot(*np.ptp(edge, axis=0)))
    # The point farthest from the middle is a corner, and so the ends of the path do not cut a side in two.
    start = int(exact.hypot(*(edge - edge.mean(axis=0)).T).argmax())
    ring = np.roll(edge[:-1], -start, axis=0)
    closed = np.vstack([ring, ring[:1]])
    rough = approximated(closed, max(1.3, share * diagonal))[:-1]
    return _refined(closed, rough) if len(rough) >= 3 else rough


def _refined(edge: Points, rough: Points) -> Points:
    """Move each corner to where the straight lines through its two sides meet."""
    index = [int(exact.hypot(*(edge - corner).T).argmin()) for corner in rough]
    lines = []
    for first, last in zip(index, [*index[1:], len(edge) - 1], strict=True):
        side = edge[first : last + 1]
        # Near the corners, antialiasing rounds the sides off.
        cut = max(1, len(side) // 6) if len(side) > 8 else 0
        inner = side[cut : len(side) - cut] if cut else side
        lines.append((inner.mean(axis=0), axes_of(inner)[0]))
    corners = rough.copy()
    for number in range(len(rough)):
        met = _meeting(lines[number - 1], lines[number])
        if met is not None and exact.hypot(*(met - rough[number])) < 5:
            corners[number] = met
    return corners


def _meeting(first: tuple[Points, Points], second: tuple[Points, Points]) -> Points | None:
    (a, b), (c, d) = first[1], second[1]
    turn = a * d - b * c
    if abs(float(turn)) < 0.1:
        return None
    x, y = second[0] - first[0]
    return np.asarray(first[0] + (x * d - y * c) / turn * first[1])


def stray_of(edge: Points, corners: Points) -> float:
    """Return how far the outline strays from the polygon, 97th percentile in pixels."""
    start, way = corners, np.roll(corners, -1, axis=0) - corners
    offset = edge[:, None, :] - start[None]
    share = np.clip((offset * way).sum(-1) / np.maximum(np.square(way).sum(-1), 1e-9), 0, 1)
    distance = length_of(offset - share[..., None] * way).min(axis=1)
    return float(np.percentile(distance, 97))


def circle_through(points: Points) -> tuple[Point, float] | None:
    """Return centre and radius of the least-squares circle through points; None if they are collinear."""
    middle = points.mean(axis=0)
    x, y = (points - middle).T
    squares = np.array([[dot(x, x), dot(x, y)], [dot(x, y), dot(y, y)]])
    if squares[0, 0] * squares[1, 1] - squares[0, 1] * squares[0, 1] <= 1e-12 * squares.max() * squares.max():
        return None
    around = x * x + y * y
    right, down = solved(squares, np.array([dot(around, x), dot(around, y)]) / 2).tolist()
    square = float(around.mean()) + right * right + down * down
    return ((float(middle[0]) + right, float(middle[1]) + down), math.sqrt(square)) if square <= 4e6 else None
