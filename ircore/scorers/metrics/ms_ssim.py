"""Structural similarity over five scales."""

import numpy as np

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.pairs import at_size_of
from ircore.scorers.metrics.ssim import WINDOW, Floats, gaussian_terms

EXPONENTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Weight of each scale, finest first (Wang, Simoncelli and Bovik 2003, section 3.2)."""

SMALLEST_SIDE = WINDOW * 2 ** (len(EXPONENTS) - 1)
"""Pixels: 176, so that the coarsest scale holds a whole window."""


def ms_ssim(target: Pixels, image: Pixels) -> float:
    """Return multi-scale structural similarity, 0 to 1: contrast and structure at five scales, luminance at the last.

    The product of eq. 7 of Wang, Simoncelli and Bovik (2003) for each channel, then the mean of the channels. A scale
    has half the size of the one before, by means of 2 × 2 pixels. A negative factor, which no power is defined for,
    counts as 0.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: The target is smaller than 176 pixels a side, or the image than 11.
    """
    y = at_size_of(target, image).astype(np.float64)
    height, width = target.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise MetricUnavailableError(f"{width} × {height} pixels: smaller than {SMALLEST_SIDE} pixels a side")
    x = target.astype(np.float64)
    product = np.ones(x.shape[2])
    for scale, exponent in enumerate(EXPONENTS, start=1):
        luminance, contrast = gaussian_terms(x, y)
        last = scale == len(EXPONENTS)
        factors = (luminance * contrast if last else contrast).mean(axis=(0, 1))
        product *= np.maximum(factors, 0) ** exponent
        x, y = _halved(x), _halved(y)
    return float(product.mean())


def _halved(values: Floats) -> Floats:
    """Return the means of 2 × 2 pixels; a last odd row or column is left out."""
    height, width = values.shape[0] // 2 * 2, values.shape[1] // 2 * 2
    even = values[:height, :width]
    halves: Floats = (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4
    return halves


METRIC = Metric(
    name="ms_ssim",
    title="MS-SSIM",
    unit="",
    higher_is_better=True,
    low=0.0,
    high=1.0,
    source="Wang, Simoncelli and Bovik 2003, five scales, Gaussian windows",
    compute=ms_ssim,
    trap="Needs 176 pixels a side; lies far above SSIM for the same pictures.",
)
