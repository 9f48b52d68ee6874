"""Bootstrap draws of instances for agreement and recalibration, and the intervals read from them."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import CONFIDENCE, MINIMUM_PICTURES

Floats = NDArray[np.float64]


@lru_cache(maxsize=16)
def drawn_weights(size: int, resamples: int, seed: int) -> Floats:
    """Return how often each instance was drawn, shape (instances, resamples); read only, since it is kept."""
    weights = np.ascontiguousarray(
        np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples).T, np.float64
    )
    # Cached: a caller that wrote into the array would change the intervals of all later callers.
    weights.flags.writeable = False
    return weights


def merged_strata(labels: Sequence[str]) -> tuple[int, ...]:
    """Number strata from 0; merge all into stratum 0 if any stratum has fewer than ``MINIMUM_PICTURES`` pictures."""
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    # Drawn alone, one or two pictures would seem to leave no doubt.
    few = any(labels.count(label) < MINIMUM_PICTURES for label in codes)
    return tuple(0 if few else codes[label] for label in labels)


def widened(clusters: int) -> tuple[float, float]:
    """Return the levels of a percentile interval that makes up for few clusters.

    Hesterberg 2015, *What Teachers Should Know About the Bootstrap*, The American Statistician 69, section 4.1.2.
    """
    from scipy.special import ndtr, stdtrit

    # The normal tail at t · √(n / (n − 1)): resamples vary by (n − 1) / n too little and do not know t.
    tail = float(ndtr(-stdtrit(clusters - 1, (1 + CONFIDENCE) / 2) * np.sqrt(clusters / (clusters - 1))))
    return tail, 1 - tail


def quotient(top: Floats, bottom: Floats, least: float = 0.0) -> Floats:
    """Divide; NaN where the divisor is not above ``least``."""
    result = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=result, where=bottom > least)
    return result
