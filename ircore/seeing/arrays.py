"""Algebra of small arrays, the same on every machine, and masks of pixels grown, shrunk and filled.

NumPy hands products of matrices, norms and least squares to BLAS and LAPACK, whose order of adding differs from one
processor to the next, and with it the last bits. Here sums run along one axis by NumPy's own pairwise addition, and
everything else is done element by element; see ``ircore.core.exact``.

Masks are shifted as a whole: ``scipy.ndimage`` grows and shrinks them for any neighbourhood, and takes ten times as
long.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact

Floats = npt.NDArray[np.float64]


def compute_dot(first: npt.NDArray[np.generic], second: npt.NDArray[np.generic]) -> Floats:
    """Return the scalar products of vectors along the last axis; the other axes are broadcast."""
    # Small integers, as pictures are made of, would overflow.
    product: Floats = np.multiply(first, second, dtype=np.float64).sum(axis=-1)
    return product


def compute_lengths(vectors: npt.NDArray[np.generic]) -> Floats:
    """Return the lengths of vectors along the last axis."""
    return np.sqrt(compute_dot(vectors, vectors))


def compute_principal_axis(points: Floats) -> tuple[Floats, float, float]:
    """Return the principal axis of a cloud of points, from the eigenvalues of its covariance in closed form.

    Args:
        points: N × 2, at least two.

    Returns:
        The unit vector of the largest spread, the variance along it and the variance across it.
    """
    offset = points - points.mean(axis=0)
    x, y = offset.T
    a, b, c = (float(compute_dot(first, second)) / (len(points) - 1) for first, second in ((x, x), (x, y), (y, y)))
    mean, half = (a + c) / 2, exact.hypot((a - c) / 2, b)
    turn = exact.atan2(2 * b, a - c) / 2
    return np.array([exact.cos(turn), exact.sin(turn)]), mean + half, max(mean - half, 0.0)


def fit_line(x: npt.NDArray[np.floating], y: npt.NDArray[np.floating]) -> tuple[Floats, Floats]:
    """Return slope and start of the least-squares line y = start + slope · x, for each column of ``y``."""
    middle = x.mean()
    offset = x - middle
    slope = compute_dot(offset, y.T - y.T.mean(axis=-1, keepdims=True)) / compute_dot(offset, offset)
    return slope, y.T.mean(axis=-1) - slope * middle


def solve_linear_systems(matrices: Floats, right: Floats) -> Floats:
    """Solve systems of linear equations whose matrices are symmetric and positive definite, by elimination.

    Args:
        matrices: … × N × N.
        right: … × N.
    """
    matrices, values = matrices.copy(), right.copy()
    size = values.shape[-1]
    for row in range(size):
        for lower in range(row + 1, size):
            factor = matrices[..., lower, row] / matrices[..., row, row]
            matrices[..., lower, :] -= factor[..., None] * matrices[..., row, :]
            values[..., lower] -= factor * values[..., row]
    for row in reversed(range(size)):
        known = compute_dot(matrices[..., row, row + 1 :], values[..., row + 1 :])
        values[..., row] = (values[..., row] - known) / matrices[..., row, row]
    return values


def interpolate(at: Floats, x: Floats, y: Floats) -> Floats:
    """Return the heights of a line through points at some places; beyond the ends, the height of the end point.

    Args:
        at: Places.
        x: Of the points, never falling.
        y: Of the points.
    """
    before = np.searchsorted(x, at, side="right").clip(1, len(x) - 1) - 1
    wide = x[before + 1] - x[before]
    share = ((at - x[before]) / np.where(wide > 0, wide, 1.0)).clip(0, 1)
    heights: Floats = y[before] + share * (y[before + 1] - y[before])
    return heights


def are_inside_polygon(points: Floats, corners: Floats) -> npt.NDArray[np.bool_]:
    """Tell which points lie inside a polygon: a ray from each to the right crosses an odd number of sides."""
    inside = np.zeros(len(points), bool)
    x, y = points.T
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        # A level side is met by no level ray, or all along; its neighbours count instead.
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside


def compute_correlation(first: Floats, second: Floats) -> float:
    """Return Pearson's correlation of two rows of numbers; nan if one row is constant."""
    x, y = first - first.mean(), second - second.mean()
    spread = float(compute_dot(x, x)) * float(compute_dot(y, y))
    return float(compute_dot(x, y)) / float(np.sqrt(spread)) if spread else float("nan")


Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer[Any]]
EIGHT = np.ones((3, 3), bool)
"""The neighbours of a pixel by sides and corners, for ``scipy.ndimage.label``."""


def dilate_along_axis(mask: Mask, reach: int, axis: int) -> Mask:
    """Return the pixels within ``reach`` pixels of a mask along one axis, 0 down or 1 across."""
    result, done = mask, 0
    while done < reach:
        # A mask spread this far can be shifted by one more pixel without leaving a gap.
        step = min(done + 1, reach - done)
        before, result = result, result.copy()
        late, early = slice(step, None), slice(-step)
        if axis == 0:
            result[late] |= before[early]
            result[early] |= before[late]
        else:
            result[:, late] |= before[:, early]
            result[:, early] |= before[:, late]
        done += step
    return result


def dilate(mask: Mask, down: int, across: int | None = None) -> Mask:
    """Return the pixels within ``down`` rows and ``across`` columns (by default as many) of a mask."""
    return dilate_along_axis(dilate_along_axis(mask, down if across is None else across, 1), down, 0)


def erode(mask: Mask, down: int, across: int | None = None) -> Mask:
    """Return the pixels that have only mask within ``down`` rows and ``across`` columns; outside counts as blank.

    Both numbers are 1 at least.
    """
    result = ~dilate(~mask, down, across)
    across = down if across is None else across
    result[:down] = result[-down:] = result[:, :across] = result[:, -across:] = False
    return result


def mark_uniform_pixels(numbers: npt.NDArray[np.integer[Any]]) -> Mask:
    """Mark the pixels whose 3 × 3 neighbours inside the picture all have the same number."""
    odd = np.zeros(numbers.shape, bool)
    odd[:, 1:] = numbers[:, 1:] != numbers[:, :-1]
    odd[:, :-1] |= odd[:, 1:]
    beside = dilate_along_axis(odd, 1, 0)
    changed = numbers[1:] != numbers[:-1]
    beside[1:] |= changed
    beside[:-1] |= changed
    return ~beside


def add_direct_neighbours(mask: Mask) -> Mask:
    """Return a mask with the pixels above, below, left and right of it."""
    return dilate_along_axis(mask, 1, 0) | dilate_along_axis(mask, 1, 1)


def remove_rim(mask: Mask) -> Mask:
    """Return the pixels of a mask whose four neighbours belong to the mask."""
    result = ~add_direct_neighbours(~mask)
    result[0] = result[-1] = result[:, 0] = result[:, -1] = False
    return result


def fill_holes(mask: Mask) -> Mask:
    """Return a mask with its holes filled: background that is not connected to the rim by sides."""
    # Padded, so that all background around the mask is connected.
    outside, _ = ndimage.label(~np.pad(mask, 1))
    return np.asarray(outside != outside[0, 0])[1:-1, 1:-1]
