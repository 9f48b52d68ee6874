"""Algebra of small arrays, in an order of operations that is the same on every machine.

NumPy hands products of matrices, norms and least squares to BLAS and LAPACK, whose order of adding differs from one
processor to the next, and with it the last bits. Here sums run along one axis by NumPy's own pairwise addition, and
everything else is done element by element; see ``ircore.core.exact``.
"""

import numpy as np
import numpy.typing as npt

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
