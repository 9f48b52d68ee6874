"""Peak signal-to-noise ratio."""

from math import log10

import numpy as np

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.pairs import at_size_of

CHUNK = 32_000
"""Values taken at a time: the sum of their squared differences is sure to fit 32 bits, 32 000 · 255² < 2³¹."""


def psnr(target: Pixels, image: Pixels) -> float:
    """Return 10 · log10(255² / MSE) in dB, the mean squared error taken over all pixels and channels.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: The pictures are identical (the ratio is infinite) or smaller than 11 pixels a side.
    """
    x, y = target.ravel(), at_size_of(target, image).ravel()
    squares = 0
    for start in range(0, x.size, CHUNK):
        difference = np.subtract(x[start : start + CHUNK], y[start : start + CHUNK], dtype=np.int32)
        squares += int(np.dot(difference, difference))
    if squares == 0:
        raise MetricUnavailableError("identical pictures: infinite")
    return 10 * log10(255**2 * x.size / squares)


METRIC = Metric(
    name="psnr",
    title="PSNR",
    unit="dB",
    higher_is_better=True,
    low=0.0,
    high=None,
    source="10·log10(255²/MSE) over all pixels and channels; as published by ConvGenVisMo",
    compute=psnr,
    trap="Infinite, so without a value, for identical pictures; a shift by few pixels costs more than a wrong colour.",
)
