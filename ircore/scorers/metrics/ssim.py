"""Structural similarity with a uniform window."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.pairs import SMALLEST_SIDE, at_size_of, window_sums

WINDOW = SMALLEST_SIDE
BAND = 48
"""Rows of windows computed at a time: keeps the work in the processor's cache and the memory bounded."""

_N = WINDOW * WINDOW
_C1 = (0.01 * 255) ** 2 * _N**2
_C2 = (0.03 * 255) ** 2 * _N**2


def ssim(target: Pixels, image: Pixels) -> float:
    """Return the mean structural similarity, −1 to 1, over all 11 × 11 windows and the three channels.

    Formula of Wang, Bovik, Sheikh and Simoncelli (2004), K1 0.01, K2 0.03, range 255, but with a uniform window
    instead of a Gaussian one and variances with divisor N: what ConvGenVisMo published. Only whole windows count.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    total, count = 0.0, 0
    for values in ssim_bands(target, at_size_of(target, image)):
        total += float(values.sum())
        count += values.size
    return total / count


def ssim_bands(target: Pixels, image: Pixels) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the map of SSIM values in bands of rows, top to bottom.

    Args:
        target: Height × width × 3 RGB, 0–255, at least 11 pixels a side.
        image: Of the same size.

    Yields:
        Up to ``BAND`` rows × (width − 10) × 3.
    """
    for top in range(0, target.shape[0] - WINDOW + 1, BAND):
        rows = slice(top, top + BAND + WINDOW - 1)
        yield _ssim_map(target[rows].astype(np.int32), image[rows].astype(np.int32))


def _ssim_map(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Every term is N² times the one of the formula, so that all sums are whole numbers and exact in 32 bits."""
    sum_x, sum_y = window_sums(x, WINDOW), window_sums(y, WINDOW)
    squares = _N * window_sums(x * x + y * y, WINDOW)
    mean_squares = sum_x * sum_x + sum_y * sum_y
    mean_product = sum_x * sum_y
    covariance = _N * window_sums(x * y, WINDOW) - mean_product
    top = (2 * mean_product + _C1) * (2 * covariance + _C2)
    result: npt.NDArray[np.float64] = top / ((mean_squares + _C1) * ((squares - mean_squares) + _C2))
    return result


METRIC = Metric(
    name="ssim",
    title="SSIM",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="Wang et al. 2004 with a uniform 11 × 11 window; as published by ConvGenVisMo",
    compute=ssim,
)
