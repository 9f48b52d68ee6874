"""Structural similarity: with the uniform window of published values, and with its definition's Gaussian window."""

import functools
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.pairs import SMALLEST_SIDE, at_size_of, mean_of_bands, window_sums

WINDOW = SMALLEST_SIDE
BAND = 48
"""Rows of windows computed at a time: keeps the work in the processor's cache and the memory bounded."""

SIGMA = 1.5
"""Of the Gaussian window, in pixels."""

Floats = npt.NDArray[np.float64]

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
    return mean_of_bands(target, at_size_of(target, image), WINDOW, BAND, _ssim_map)


def _ssim_map(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Every term is N² times the formula's term, so that all sums are whole numbers and exact in 32 bits."""
    sum_x, sum_y = window_sums(x, WINDOW), window_sums(y, WINDOW)
    # At most 121² · 2 · 255², about 1.9 · 10⁹, which is below 2³¹.
    squares = _N * window_sums(x * x + y * y, WINDOW)
    mean_squares = sum_x * sum_x + sum_y * sum_y
    mean_product = sum_x * sum_y
    covariance = _N * window_sums(x * y, WINDOW) - mean_product
    top = (2 * mean_product + _C1) * (2 * covariance + _C2)
    result: npt.NDArray[np.float64] = top / ((mean_squares + _C1) * ((squares - mean_squares) + _C2))
    return result


def ssim_gaussian(target: Pixels, image: Pixels) -> float:
    """Return the mean structural similarity, −1 to 1, with the Gaussian window of Wang et al. (2004).

    11 × 11 pixels, σ 1.5, K1 0.01, K2 0.03, range 255; only whole windows count; mean over channels. It lies about 0.09
    above the uniform window's value on photographs.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    luminance, contrast = gaussian_terms(target.astype(np.float64), at_size_of(target, image).astype(np.float64))
    return float((luminance * contrast).mean())


def gaussian_terms(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the two factors of SSIM in every whole Gaussian window.

    Args:
        x: Height × width × channels, 0–255, at least 11 pixels a side.
        y: Of the same shape.

    Returns:
        Luminance (2μxμy + C1) / (μx² + μy² + C1) and contrast with structure (2σxy + C2) / (σx² + σy² + C2), each
        (height − 10) × (width − 10) × channels.
    """
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_x, mean_y = _smoothed(x), _smoothed(y)
    product, squares = mean_x * mean_y, mean_x**2 + mean_y**2
    covariance, variances = _smoothed(x * y) - product, _smoothed(x * x + y * y) - squares
    return (2 * product + c1) / (squares + c1), (2 * covariance + c2) / (variances + c2)


def _smoothed(values: Floats) -> Floats:
    """Weigh every whole window by a Gaussian of σ 1.5, one axis after the other."""
    offsets = np.arange(WINDOW) - WINDOW // 2
    weights = np.exp(-(offsets**2) / (2 * SIGMA**2))
    weights /= weights.sum()
    for axis in (0, 1):
        count = values.shape[axis] - WINDOW + 1
        parts = (weight * values.take(range(at, at + count), axis) for at, weight in enumerate(weights))
        values = functools.reduce(np.add, parts)
    return values


METRIC = Metric(
    name="ssim",
    title="SSIM",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="Wang et al. 2004 with a uniform 11 × 11 window; as published by ConvGenVisMo",
    compute=ssim,
    trap="A uniform window, as published; the Gaussian one of Wang et al. is ssim_gaussian.",
)

GAUSSIAN_METRIC = replace(
    METRIC,
    name="ssim_gaussian",
    title="SSIM with a Gaussian window",
    source="Wang, Bovik, Sheikh and Simoncelli 2004, 11 × 11 Gaussian window of σ 1.5",
    compute=ssim_gaussian,
    trap="What papers cite as SSIM; ConvGenVisMo's published values are those of ssim, about 0.09 lower.",
)
