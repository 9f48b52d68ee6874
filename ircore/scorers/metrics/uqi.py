"""Two indices that go by the name of universal quality index; they differ widely and are kept apart by name.

``uqi`` is the index as Wang and Bovik defined it in 2002. ``uqi_sewar`` is what ConvGenVisMo published under that name:
the formula of the package sewar, which puts window means where the index has window sums. Randomly shuffled pixels
still reach about 0.75 by it, so it is here only so that published figures can be compared.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.pairs import at_size_of, mean_of_bands, window_sums

WINDOW = 8
BAND = 64
"""Rows of windows computed at a time."""

_N = WINDOW * WINDOW
_Sums = npt.NDArray[np.float64]


def uqi_sewar(target: Pixels, image: Pixels) -> float:
    """Return sewar's variant, −1 to 1: 4(N·m(xy) − m(x)m(y))·m(x)m(y) / [(N(m(xx) + m(yy)) − s)·s], s = m(x)² + m(y)².

    m is the mean over an 8 × 8 window and N = 64; where the denominator is 0 see ``_quality``. The last row and
    column of windows are left out, as sewar's cropping does.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    fitted = at_size_of(target, image)
    return mean_of_bands(target[:-1, :-1], fitted[:-1, :-1], WINDOW, BAND, partial(_quality, divisor=_N))


def uqi(target: Pixels, image: Pixels) -> float:
    """Return the universal quality index of Wang and Bovik (2002), −1 to 1, over 8 × 8 windows and channels.

    4(N·Σxy − ΣxΣy)·ΣxΣy / [(N(Σxx + Σyy) − s)·s] with s = (Σx)² + (Σy)² and N = 64.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    return mean_of_bands(target, at_size_of(target, image), WINDOW, BAND, partial(_quality, divisor=1))


def _quality(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], divisor: int) -> _Sums:
    """Return the index of every window.

    With divisor 1 all terms are sums. With divisor N the means stand for the sums: of N·m(xy) = Σxy and
    m(x)m(y) = ΣxΣy/N² the factor N² is multiplied out, so that everything stays whole.
    Where the second bracket is 0 but s is not, the index is 2·ΣxΣy/s; where s is 0 too, it is 1.
    """
    sum_x, sum_y = window_sums(x, WINDOW), window_sums(y, WINDOW)
    scale = _N if divisor == 1 else float(divisor) ** 2
    product = sum_x.astype(np.float64) * sum_y
    squares = sum_x.astype(np.float64) ** 2 + sum_y.astype(np.float64) ** 2
    covariance = scale * window_sums(x * y, WINDOW) - product
    variance = scale * window_sums(x * x + y * y, WINDOW) - squares
    # Two black windows: 0/0, and they are equal.
    luminance = np.divide(2 * product, squares, out=np.ones_like(squares), where=squares != 0)
    # Two plain windows: only their brightness can differ.
    structure = np.divide(2 * covariance, variance, out=np.ones_like(squares), where=variance != 0)
    quality: _Sums = luminance * structure
    return quality


SEWAR_METRIC = Metric(
    name="uqi_sewar",
    title="UQI by sewar's formula (not the index of Wang and Bovik)",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="sewar's formula with window means for sums; as published by ConvGenVisMo",
    compute=uqi_sewar,
    trap="Not UQI: randomly shuffled pixels still reach about 0.75. For comparison with published values only.",
)

METRIC = replace(
    SEWAR_METRIC,
    name="uqi",
    title="UQI",
    source="Wang and Bovik 2002, 8 × 8 windows",
    compute=uqi,
    version="2",
    trap="Until version 2 this name stood for sewar's formula, now uqi_sewar; the two differ by 0.5 on average.",
)
