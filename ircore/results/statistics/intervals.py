"""The one place where a mean gets its interval: every mean that is shown comes from here."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt

CONFIDENCE = 0.95
"""Coverage that the intervals aim at."""


@dataclass(frozen=True)
class Estimate:
    """A mean over episodes and how sure it is."""

    mean: float | None
    """Arithmetic mean; None when there is no value."""

    low: float | None
    """Lower end of the interval, in the unit of the mean; None when there are fewer than two values."""

    high: float | None
    """Upper end of the interval; None exactly when ``low`` is."""

    n: int
    """How many values, one an episode."""

    @property
    def half_width(self) -> float | None:
        """Distance from the mean to the end that was not cut off by the scale; None without an interval."""
        if self.mean is None or self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean)


def estimate(values: Sequence[float], lowest: float = -inf, highest: float = inf) -> Estimate:
    """Estimate a mean with its 95 % interval.

    The interval is Student's, two-sided: mean ± t(0.975, n − 1) · s / √n with the sample standard deviation s
    (divisor n − 1), cut off where the scale ends. It treats the values as independent.

    Args:
        values: One an episode.
        lowest: Smallest value that the scale allows.
        highest: Largest value that the scale allows.
    """
    n = len(values)
    if n == 0:
        return Estimate(None, None, None, 0)
    mean = sum(values) / n
    if n == 1:
        return Estimate(mean, None, None, 1)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    half = _t_quantile(n - 1) * deviation / sqrt(n)
    return Estimate(mean, max(lowest, mean - half), min(highest, mean + half), n)


def wilson(successes: float, n: int) -> Estimate:
    """Estimate a share with its 95 % interval, Wilson's score interval (Wilson 1927, JASA 22).

    Unlike mean ± error it stays within 0 and 1 and has a width where all or none succeed.

    Args:
        successes: 0 to ``n``; a tie may count as half a success.
        n: How many tries, independent of each other.

    Returns:
        The share, 0–1; without an interval only where ``n`` is 0.
    """
    if n == 0:
        return Estimate(None, None, None, 0)
    share, z = successes / n, _normal_quantile()
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)), n)


@lru_cache(maxsize=1)
def _normal_quantile() -> float:
    """Return the upper quantile of the normal distribution for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import ndtri

    return float(ndtri((1 + CONFIDENCE) / 2))


@lru_cache(maxsize=4096)
def _t_quantile(degrees: int) -> float:
    """Return the upper quantile of Student's t for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
