"""The small-sample rule that all intervals share, and the intervals that need no resampling.

What varies independently is the picture (the instance). With n pictures and df = n − (conditions drawn from) degrees of
freedom, every interval of the project follows one rule:

* n < 2: no interval.
* 2 ≤ n < ``MINIMUM_PICTURES``: means, and differences and contrasts of means, have Student's interval, point ±
  t(0.975, df) · standard error. Anything else (correlations, shares of variance, spreads) has none.
* n ≥ ``MINIMUM_PICTURES``: bootstrap over pictures, its percentiles widened to t(0.975, df) · √(n / df)
  (``bootstrap``), or Student's interval where nothing is resampled (bands of trajectories, messages).
* Shares of episodes have Wilson's interval at every n ≥ 1: it needs no estimated spread.

No claim below ``MINIMUM_PICTURES``: however narrow the interval, so few pictures give no rank, no detectable
difference and no p, and nothing is called higher, lower or different (``clear_of``): such an interval leans on a spread
that two to four values hardly show, and on scores being normal, which they are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, isfinite, sqrt
from typing import Literal, Protocol

from ircore.results.statistics.scales import OPEN, SHARE, Scale

CONFIDENCE = 0.95
"""Coverage that the intervals aim at."""

MINIMUM_PICTURES = 5
"""Fewer independent pictures than this allow no claim; they are no stratum of their own and are not resampled."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over episodes with its interval.

    >>> Estimate(mean=6.1, low=5.2, high=7.3, n=42).half_width  # to the farther end
    1.2000000000000002
    """

    mean: float | None
    """Arithmetic mean; None when there is no value."""

    low: float | None
    """Lower end of the interval, in the unit of the mean; None when there are fewer than two values."""

    high: float | None
    """Upper end of the interval; None exactly when ``low`` is."""

    n: int
    """Number of values, one per episode."""

    @property
    def half_width(self) -> float | None:
        """Distance from the mean to the end that was not cut off by the scale; None without an interval."""
        if self.mean is None or self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean)

    def times(self, factor: float) -> "Estimate":
        """Return the estimate in another unit, such as a share in percent.

        Args:
            factor: Above 0.

        >>> Estimate(0.5, 0.25, 0.75, 12).times(100)
        Estimate(mean=50.0, low=25.0, high=75.0, n=12)
        """
        mean, low, high = (None if value is None else factor * value for value in (self.mean, self.low, self.high))
        return Estimate(mean, low, high, self.n)


LOPSIDED = 1.25
"""Ratio of the halves of an interval from which on ``±`` would mislead, so that its ends are shown."""

SCALE_ENDS = frozenset({0.0, 1.0, 10.0, 100.0, -1.0, -10.0, -100.0})
"""Ends of the scales of the project: shares, scores, main scores, and differences of them."""


def even_half(mean: float, low: float, high: float, difference: bool = False) -> float | None:
    """Return the half of an interval that can be written as ``mean ± half``; None where its ends must be written.

    The ends must be written where the interval reaches farther to one side, and where ``±`` would claim what the
    interval does not: values beyond the end of a scale, or, of a difference, that 0 is possible.

    Args:
        mean: Point inside the interval.
        low: Lower end.
        high: Upper end.
        difference: Whether 0 stands for no difference.

    >>> even_half(6.0, 5.0, 7.0), even_half(9.71, 5.35, 10.0), even_half(9.0, 7.9, 10.0)
    (1.0, None, None)
    >>> even_half(90.4, 80.3, 99.1)  # 90.4 ± 10.1 would pass 100
    """
    below, above = mean - low, high - mean
    half = max(below, above)
    # Halves that differ by rounding alone are even.
    uneven = half > (1 + 1e-9) * min(below, above)
    cut_off = uneven and (low in SCALE_ENDS or high in SCALE_ENDS)
    passes_an_end = any(high <= end < mean + half or mean - half < end <= low for end in SCALE_ENDS)
    hides_a_sign = difference and (low > 0 or high < 0) and half >= abs(mean)
    return None if half > LOPSIDED * min(below, above) or cut_off or passes_an_end or hides_a_sign else half


class Interval(Protocol):
    """Protocol of values that a claim may rest on: an ``Estimate``, or an entry of a table.

    Example:
        >>> interval: Interval = Estimate(8.0, 7.5, 8.4, 42)
        >>> interval.high - interval.low < 1
        True
    """

    @property
    def low(self) -> float | None:
        """Lower end."""
        ...

    @property
    def high(self) -> float | None:
        """Upper end."""
        ...

    @property
    def n(self) -> int | None:
        """Number of values."""
        ...


TOO_FEW = "too few to say anything"
"""Note beside an interval of fewer than ``MINIMUM_PICTURES``."""


def too_few(n: int | None) -> bool:
    """Return whether n pictures are too few for a claim; estimates without n were checked before."""
    return n is not None and n < MINIMUM_PICTURES


def clear_of(interval: Interval, line: float) -> Literal[-1, 0, 1]:
    """Return 1 if an interval lies above a line, −1 if below, 0 if around the line or from too few pictures.

    >>> clear_of(Estimate(6.1, 5.2, 7.0, 42), 5), clear_of(Estimate(6.1, 5.2, 7.0, 3), 5)
    (1, 0)
    """
    if too_few(interval.n) or interval.low is None or interval.high is None:
        return 0
    return 1 if interval.low > line else -1 if interval.high < line else 0


def estimate(values: Sequence[float], scale: Scale = OPEN) -> Estimate:
    """Estimate a mean with its 95 % interval, where nothing is resampled.

    The interval is Student's, two-sided: mean ± t(0.975, n − 1) · s / √n with the sample standard deviation s
    (divisor n − 1), cut off where the scale ends. Values at the ends of the scale that were not seen count a little
    (``Scale``). It treats the values as independent.

    Args:
        values: One an episode of one run, so one a picture.
        scale: Which values are possible.

    Returns:
        Without an interval for fewer than two values, and for equal ones on a scale that lacks an end.
    """
    n = len(values)
    if n == 0:
        return Estimate(None, None, None, 0)
    mean = fsum(values) / n
    squares = fsum((value - mean) ** 2 for value in values) / n**2
    # Deviations of equal values that rounding leaves: such values have no spread.
    if squares <= (1e-9 * mean) ** 2:
        squares = 0.0
    shift = 0.0
    if isfinite(scale.lowest) and isfinite(scale.highest):
        ends = (mean - scale.lowest) ** 2 + (scale.highest - mean) ** 2
        squares += scale.unseen * ends / n**2
        shift = scale.unseen * (scale.lowest + scale.highest - 2 * mean) / (n + 2 * scale.unseen)
    if n < 2 or squares == 0:
        return Estimate(mean, None, None, n)
    half = t_quantile(n - 1) * sqrt(squares * n / (n - 1))
    # The shift moves the interval and not the mean, which stays what was measured.
    low, high = mean + shift - half, mean + shift + half
    # The mean stays inside: at an end of the scale the shift may move the interval past it.
    return Estimate(mean, max(scale.lowest, min(mean, low)), min(scale.highest, max(mean, high)), n)


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


def clustered_share(hits: Sequence[float], sizes: Sequence[int]) -> Estimate:
    """Estimate a share of tries when tries of one cluster resemble each other.

    The share is R = Σ hits / Σ sizes. Its interval is Student's for the mean of R + (hitsᵢ − R · sizesᵢ) / mean(sizes),
    one value a cluster: the linearised ratio estimator (Cochran 1977, *Sampling Techniques*, chapter 6), which takes
    clusters as independent and not tries. Where none or all hit, these values have no spread; the interval is then
    Wilson's, with the clusters as tries, and so it is where each cluster has one try.

    Args:
        hits: Tries in which something holds, one number a cluster: messages by episode, or answers by picture.
        sizes: All tries of the same clusters, each at least 1.

    Returns:
        The share, 0–1; ``n`` is the number of clusters.
    """
    total, clusters = sum(sizes), len(sizes)
    if not total:
        return Estimate(None, None, None, 0)
    share, size = fsum(hits) / total, total / clusters
    # One cluster has no Wilson interval here: its tries are not independent of each other.
    if clusters > 1 and (share in (0, 1) or total == clusters):
        return wilson(share * clusters, clusters)
    return estimate([share + (hit - share * own) / size for hit, own in zip(hits, sizes, strict=True)], SHARE)


@lru_cache(maxsize=1)
def _normal_quantile() -> float:
    """Return the upper quantile of the normal distribution for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import ndtri

    return float(ndtri((1 + CONFIDENCE) / 2))


@lru_cache(maxsize=4096)
def t_quantile(degrees: float) -> float:
    """Return the upper quantile of Student's t for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
