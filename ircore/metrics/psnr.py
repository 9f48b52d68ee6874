"""Peak signal-to-noise ratio."""

from math import log10

import numpy as np

from ircore.images import Pixels
from ircore.metrics.base import Metric, MetricUnavailableError
from ircore.metrics.pairs import at_size_of


def psnr(target: Pixels, image: Pixels) -> float:
    """Return 10 · log10(255² / MSE) in dB, the mean squared error taken over all pixels and channels.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: The pictures are identical (the ratio is infinite) or smaller than 11 pixels a side.
    """
    difference = np.subtract(target, at_size_of(target, image), dtype=np.int32).ravel()
    squares = sum(int(np.dot(part, part)) for part in np.array_split(difference, 1 + difference.size // _CHUNK))
    if squares == 0:
        raise MetricUnavailableError("identical pictures: infinite")
    return 10 * log10(255**2 * difference.size / squares)


_CHUNK = 32_000
"""Of so many differences the sum of squares is sure to fit 32 bits: 32 000 · 255² < 2³¹."""

METRIC = Metric(
    name="psnr",
    title="PSNR",
    unit="dB",
    higher_is_better=True,
    low=0.0,
    high=None,
    source="10·log10(255²/MSE) over all pixels and channels; as published by ConvGenVisMo",
    compute=psnr,
)
