"""Monotone maps from one 0–10 scale to another, fitted to many resamples at once.

Each fit takes, for every resample, how many values were seen at each level of the first scale and the sum of what they
are on the second. It returns curves on ``GRID`` that never fall. There is no loop over resamples.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MapName = Literal["linear", "logistic", "isotonic"]

LOWEST, HIGHEST = 0.0, 10.0
"""Ends of both scales."""

STEP = 0.1
"""Scores are told apart to this much: far finer than two judges of one picture agree."""

GRID: Floats = np.linspace(LOWEST, HIGHEST, 101)
"""Grid on which curves are known; between its points they are straight."""

NEWTON_STEPS = 12
"""The logistic fit is convex and quadratic near its end: this many steps reach 10⁻⁸ from the start used."""

STEEPEST = 20.0
"""Steepest logistic: from 1 to 9 within a fifth of a point, a jump for all purposes."""


def linear(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit straight lines by least squares, slope ≥ 0, cut off where the scale ends.

    Args:
        levels: Distinct scores in order, shape (levels,).
        counts: How many values each level has, ≥ 0, shape (resamples, levels); each row has some.
        sums: The sums of those values, the same shape.

    Returns:
        Shape (resamples, len(GRID)).
    """
    n = counts.sum(axis=1)
    middle = counts @ levels / n
    mean = sums.sum(axis=1) / n
    spread = counts @ levels**2 / n - middle**2
    joint = sums @ levels / n - middle * mean
    # A resample may hold equal scores only: a line through them has no slope to be told.
    slope = np.where(spread > 1e-9, np.maximum(joint, 0) / np.maximum(spread, 1e-9), 0)
    lines: Floats = np.clip(mean[:, None] + slope[:, None] * (GRID - middle[:, None]), LOWEST, HIGHEST)
    return lines


def logistic(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit S-shaped curves 10 / (1 + exp(−a − b·x)), b ≥ 0, by quasi-likelihood for shares.

    The fractional logit of Papke and Wooldridge (1996), *Econometric Methods for Fractional Response Variables*,
    Journal of Applied Econometrics 11; Newton's method on all resamples together.

    Arguments and result are those of ``linear``.
    """
    from scipy.special import expit, logit

    n = counts.sum(axis=1)
    shares = sums / (HIGHEST - LOWEST)
    # Cut off, since a share of 0 or 1 has an infinite logit.
    start = logit(np.clip(shares.sum(axis=1) / n, 0.01, 0.99))
    # Around the middle of the scale the two parameters hardly depend on each other.
    x = levels - (LOWEST + HIGHEST) / 2
    a, b = start, np.zeros_like(start)
    for _ in range(NEWTON_STEPS):
        fitted = expit(a[:, None] + b[:, None] * x)
        rest, curved = shares - counts * fitted, counts * fitted * (1 - fitted)
        # A small number on the diagonal: where all fitted shares are near 0 or 1, the matrix is nearly singular.
        h0, h1, h2 = curved.sum(axis=1) + 1e-6, curved @ x, curved @ x**2 + 1e-6
        g0, g1 = rest.sum(axis=1), rest @ x
        size = np.maximum(h0 * h2 - h1 * h1, 1e-9)
        # Short steps: far from the end a whole Newton step overshoots.
        a = np.clip(a + np.clip((h2 * g0 - h1 * g1) / size, -2, 2), -50, 50)
        b = np.clip(b + np.clip((h0 * g1 - h1 * g0) / size, -1, 1), 0, STEEPEST)
    # Without a slope the best curve is level at the mean, which is where the fit began.
    a = np.where(b > 0, a, start)
    curves: Floats = HIGHEST * expit(a[:, None] + b[:, None] * (GRID - (LOWEST + HIGHEST) / 2))
    return curves


def isotonic(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit the best curves of all that never fall, by least squares; straight between levels, level beyond them.

    The fit at a level is the largest, over blocks that begin at or before it, of the smallest mean over blocks that
    end at or after it (Robertson, Wright and Dykstra 1988, *Order Restricted Statistical Inference*, theorem 1.4.4).
    At a level that a resample lacks, the curve passes midway between its neighbours.

    Arguments and result are those of ``linear``.
    """
    size = len(levels)
    # Blocks take levels² numbers a resample: parts of two million bound the memory.
    part = max(1, 2_000_000 // size**2)
    fits = [_isotonic(counts[at : at + part], sums[at : at + part]) for at in range(0, len(counts), part)]
    return np.concatenate(fits) @ interpolation(GRID, levels)


def _isotonic(counts: Floats, sums: Floats) -> Floats:
    """Return the fit at the levels, the same shape."""
    zero = np.zeros((len(counts), 1))
    n = np.concatenate([zero, np.cumsum(counts, axis=1)], axis=1)
    total = np.concatenate([zero, np.cumsum(sums, axis=1)], axis=1)
    # Blocks from level i (axis 1) to level j (axis 2); those of no weight, and j < i, are no blocks.
    weight = n[:, None, 1:] - n[:, :-1, None]
    block = weight > 1e-9
    means = np.divide(total[:, None, 1:] - total[:, :-1, None], weight, out=np.zeros_like(weight), where=block)
    smallest = np.minimum.accumulate(np.where(block, means, np.inf)[:, :, ::-1], axis=2)[:, :, ::-1]
    largest = np.maximum.accumulate(np.where(block, means, -np.inf), axis=1)
    before = np.tri(counts.shape[1], dtype=bool).T
    upper = np.where(before & np.isfinite(smallest), smallest, -np.inf).max(axis=1)
    lower = np.where(before & np.isfinite(largest), largest, np.inf).min(axis=2)
    upper, lower = np.where(np.isfinite(upper), upper, lower), np.where(np.isfinite(lower), lower, upper)
    fitted: Floats = (upper + lower) / 2
    return fitted


def interpolation(at: Floats, points: Floats) -> Floats:
    """Return the matrix that turns values at ``points`` into values at ``at``, straight in between, level beyond.

    Args:
        at: Shape (places,).
        points: In order, all different, shape (points,).

    Returns:
        Shape (points, places).
    """
    matrix = np.zeros((len(points), len(at)))
    if len(points) == 1:
        return matrix + 1
    # Places beyond the last point take the last piece, where the share is cut off at 1.
    right = np.clip(np.searchsorted(points, at), 1, len(points) - 1)
    share = np.clip((at - points[right - 1]) / (points[right] - points[right - 1]), 0, 1)
    places = np.arange(len(at))
    matrix[right - 1, places] = 1 - share
    matrix[right, places] += share
    return matrix


MAPS: Mapping[MapName, Callable[[Floats, Floats, Floats], Floats]] = {
    "linear": linear,
    "logistic": logistic,
    "isotonic": isotonic,
}
"""The simplest first: two parameters on a line, two on a curve, as many as there are levels."""
