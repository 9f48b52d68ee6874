"""The rule that all intervals of means share, with what few pictures allow to claim.

What varies independently is the picture (the instance). An interval of a mean reaches as far as the values that its
scale (``Scale``) allows and that nobody has seen. A mean m of n values on a scale from a to b has the interval of a
score test: its ends are the values μ that lie z standard errors from m, where the standard error is that of a variance
that fits μ, and not m (Wilson 1927, *Probable Inference, the Law of Succession, and Statistical Inference*, JASA 22,
who did so for shares). What fits a lower μ is the sample with a share q of values at the end a that nobody has seen,
(1 − q) · m + q · a = μ, whose variance is, with d = m − μ,

    V(μ) = s² + d · (m − a − s² / (m − a)) − d²,

and likewise above. Values of 0 and 1 give Wilson's interval by it exactly; so the rule extends his to any values
between two ends. How much of what was not seen is to be expected is the weight w of both terms in d:

    w = r + (1 − r) · (f + (1 − f) · |2p − 1|^1.5),  p = (m − a) / (b − a),  r = s² / ((m − a) · (b − m)).

r is 1 where all values lie at the two ends, which is where Wilson's test holds as it is, and small where they lie close
together (Bhatia and Davis 2000, American Mathematical Monthly 107, for the bound). Values that heap up near one end
rarely show the odd failure at the other, so that w is 1 there; in the middle it is f. As s² is itself unsure, its term
has Student's t instead of z, as far as r is not 1. f = 0.1 and the exponent are chosen by simulation
(``benchmarks/intervals.py``).

* With one to three failures, or successes, Wilson's interval of a share stops too soon on their side (Brown, Cai and
  DasGupta 2001, *Interval Estimation for a Binomial Proportion*, Statistical Science 16): there it reaches as far as
  that of Clopper and Pearson (1934, Biometrika 26), weighted by r⁸ so that other values are not touched.
* On a scale that lacks an end, V(μ) rises with the third moment of the values instead, as for the exponential family
  through the sample: d · (third central moment) / s².
* A difference or contrast of means has Student's interval with a term in d, too (``compute_unseen_slopes``): of its
  means that with the steepest one counts, since d is spent on one of them, times ``OF_CONTRAST``.
* n < 2: no interval. Correlations, shares of variance and spreads have intervals by bootstrap, from
  ``MINIMUM_PICTURES`` on.

No claim below ``MINIMUM_PICTURES``: however narrow the interval, so few pictures give no rank, no detectable
difference and no p, and nothing is called higher, lower or different (``clear_of``): such an interval leans on a spread
that two to four values hardly show.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import fsum, isfinite, sqrt
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Scale(NamedTuple):
    """Possible values of a number."""

    lowest: float
    """Smallest possible value; −inf if there is none."""

    highest: float
    """Largest possible value; inf if there is none."""

    @property
    def has_ends(self) -> bool:
        """Whether there is both a smallest and a largest value."""
        return isfinite(self.lowest) and isfinite(self.highest)


SCORE = Scale(0.0, 10.0)
"""Similarity of a rendering."""

DIFFERENCE = Scale(-10.0, 10.0)
"""Difference of two scores."""

SHARE = Scale(0.0, 1.0)

MAIN = Scale(0.0, 100.0)
"""Quality × played share."""

MAIN_DIFFERENCE = Scale(-100.0, 100.0)
"""Difference of two main scores."""

AMOUNT = Scale(0.0, float("inf"))
"""Tokens, turns, seconds, money."""

OPEN = Scale(-float("inf"), float("inf"))
"""Any number."""


Floats = NDArray[np.floating[Any]]

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


LOPSIDED = 1.05
"""Ratio of the halves of an interval from which on ``±`` would mislead, so that its ends are shown."""

SCALE_ENDS = frozenset({0.0, 1.0, 10.0, 100.0, -1.0, -10.0, -100.0})
"""Ends of the scales of the project: shares, scores, main scores, and differences of them."""


def find_even_half(mean: float, low: float, high: float, difference: bool = False) -> float | None:
    """Return the half of an interval that can be written as ``mean ± half``; None where its ends must be written.

    The ends must be written where the interval reaches farther to one side, and where ``±`` would claim what the
    interval does not: values beyond the end of a scale, or, of a difference, that 0 is possible.

    Args:
        mean: Point inside the interval.
        low: Lower end.
        high: Upper end.
        difference: Whether 0 stands for no difference.

    >>> find_even_half(6.0, 5.0, 7.0), find_even_half(9.71, 5.35, 10.0), find_even_half(9.0, 7.9, 10.0)
    (1.0, None, None)
    >>> find_even_half(90.4, 80.3, 99.1)  # 90.4 ± 10.1 would pass 100
    """
    below, above = mean - low, high - mean
    half = max(below, above)
    if half > LOPSIDED * min(below, above):
        return None
    # Halves that differ by rounding alone are even.
    uneven = half > (1 + 1e-9) * min(below, above)
    cut_off = uneven and (low in SCALE_ENDS or high in SCALE_ENDS)
    # Looked for only where "±" reaches beyond the interval, since boards write tens of thousands of these.
    passes_an_end = (mean + half > high or mean - half < low) and any(
        high <= end < mean + half or mean - half < end <= low for end in SCALE_ENDS
    )
    hides_a_sign = difference and (low > 0 or high < 0) and half >= abs(mean)
    return None if cut_off or passes_an_end or hides_a_sign else half


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


def are_too_few(n: int | None) -> bool:
    """Return whether n pictures are too few for a claim; estimates without n were checked before."""
    return n is not None and n < MINIMUM_PICTURES


def clear_of(interval: Interval, line: float) -> Literal[-1, 0, 1]:
    """Return 1 if an interval lies above a line, −1 if below, 0 if around the line or from too few pictures.

    >>> clear_of(Estimate(6.1, 5.2, 7.0, 42), 5), clear_of(Estimate(6.1, 5.2, 7.0, 3), 5)
    (1, 0)
    """
    if are_too_few(interval.n) or interval.low is None or interval.high is None:
        return 0
    return 1 if interval.low > line else -1 if interval.high < line else 0


ROUNDING = 1e-9
"""Differences below this, relative to the mean, are rounding: such values count as equal."""

UNSEEN_IN_THE_MIDDLE = 0.1
"""Weight f of values that were not seen, for means in the middle of their scale."""

FEW = 3
"""Up to so many values at the far end the near end of a share is that of Clopper and Pearson, if it reaches farther."""

OF_CONTRAST = 0.7
"""Factor of the term of values that were not seen in differences and contrasts of means."""


class Moments(NamedTuple):
    """Arrays of what the interval of each mean rests on, shape (columns,)."""

    points: NDArray[np.float64]
    """The means."""

    squares: NDArray[np.float64]
    """Sum of the squared influences of the values on the mean, s² / n: deviation from the stratum's mean, over n."""

    cubes: NDArray[np.float64]
    """Sum of the cubed influences; 0 on a scale with two ends, where nothing rests on it."""

    counts: NDArray[np.float64]
    """Values n; where they have unequal weights, (Σ weight)² / Σ weight² (Kish 1965, *Survey Sampling*)."""

    freedom: NDArray[np.float64]
    """Degrees of freedom: values less strata."""

    inflation: NDArray[np.float64]
    """Values over degrees of freedom: the factor from squared influences to a variance."""


def _compute_weights(moments: Moments, scale: Scale) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return r, the share of the largest variance that the mean allows, and w, the weight of what was not seen."""
    variance, points = moments.squares * moments.counts, moments.points
    distances = points - scale.lowest, scale.highest - points
    largest = distances[0] * distances[1]
    tiny = (ROUNDING * (scale.highest - scale.lowest)) ** 2
    heaped = np.where(largest > tiny, np.minimum(1, variance / np.where(largest > tiny, largest, 1)), 0)
    off_middle = np.abs(distances[0] - distances[1]) / (scale.highest - scale.lowest)
    # Roots and products are rounded alike everywhere, powers are not: numbers must not depend on other columns.
    weight = UNSEEN_IN_THE_MIDDLE + (1 - UNSEEN_IN_THE_MIDDLE) * off_middle * np.sqrt(off_middle)
    return heaped, heaped + (1 - heaped) * weight


def compute_unseen_slopes(moments: Moments, scale: Scale) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how fast a contrast's variance grows as a mean in it falls or rises by values at the end; 0 without ends.

    A value x that turns out to be a changes a difference by x − a: in the mean by m − a, with the mean square
    s² + (m − a)². Unlike in ``compute_mean_ends`` the variance loses nothing by it, as it may be what the means have
    in common.
    """
    if not scale.has_ends:
        return np.zeros(len(moments.points)), np.zeros(len(moments.points))
    variance, weights = moments.squares * moments.counts, _compute_weights(moments, scale)[1]
    down, up = (
        weights * (distance + variance / np.where(distance > 0, distance, 1))
        for distance in (moments.points - scale.lowest, scale.highest - moments.points)
    )
    return down, up


def reach(squares: Floats, slope: Floats, bend: Floats | float = 0.0) -> NDArray[np.float64]:
    """Return d, the half of an interval to one side: the solution of (1 + bend) · d² = squares + slope · d.

    Args:
        squares: Half of Student's interval, squared.
        slope: z² / n times the slope of the variance.
        bend: z² / n times the weight of d² in the variance.
    """
    return np.asarray((slope + np.sqrt(slope**2 + 4 * (1 + bend) * squares)) / (2 * (1 + bend)), np.float64)


def compute_mean_ends(moments: Moments, scale: Scale) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper ends of the intervals of means by the rule of this module.

    Args:
        moments: Of the values.
        scale: Which values are possible.
    """
    from scipy.special import betaincinv

    points, counts = moments.points, np.maximum(moments.counts, 1)
    per_value, student = normal_quantile() ** 2 / counts, t_quantiles(moments.freedom) ** 2 * moments.inflation
    if not scale.has_ends:
        squares = np.where(moments.squares > 0, moments.squares, 1)
        skew, base = per_value * counts * moments.cubes / squares, student * moments.squares
        return np.maximum(scale.lowest, points - reach(base, -skew)), np.minimum(
            scale.highest, points + reach(base, skew)
        )
    heaped, weights = _compute_weights(moments, scale)
    base = moments.squares * (student * (1 - heaped) + normal_quantile() ** 2 * heaped)
    halves = []
    for distance in (points - scale.lowest, scale.highest - points):
        slope = distance - moments.squares * counts / np.where(distance > 0, distance, 1)
        # Where variance falls towards the end, only shares of values at both ends are known to follow.
        weight = per_value * np.where(slope > 0, weights, heaped)
        halves.append(reach(base, weight * slope, weight))
    low, high = points - halves[0], points + halves[1]
    width = scale.highest - scale.lowest
    hits = np.clip((points - scale.lowest) / width, 0, 1) * counts
    misses = counts - hits
    tail = (1 - CONFIDENCE) / 2
    part = np.square(np.square(np.square(heaped)))
    # The exact ends take long to compute, and few intervals need them.
    near = np.flatnonzero((hits > misses) & (misses <= FEW))
    if near.size:
        above = scale.lowest + width * betaincinv(hits[near] + 1, np.maximum(misses[near], ROUNDING), 1 - tail)
        high[near] += part[near] * np.maximum(0, above - high[near])
    near = np.flatnonzero((hits < misses) & (hits <= FEW))
    if near.size:
        below = scale.lowest + width * betaincinv(np.maximum(hits[near], ROUNDING), misses[near] + 1, tail)
        low[near] -= part[near] * np.maximum(0, low[near] - below)
    # The mean stays inside where rounding would leave it out.
    return np.clip(low, scale.lowest, np.maximum(points, scale.lowest)), np.clip(high, points, scale.highest)


def are_strata(counts: Iterable[float]) -> bool:
    """Return whether strata with so many values each, 0 for one without any, are large enough to be looked at apart."""
    return all(not count or count >= MINIMUM_PICTURES for count in counts)


def estimate(values: Sequence[float | None], scale: Scale = OPEN, labels: Sequence[str] = ()) -> Estimate:
    """Estimate a mean with its 95 % interval by the rule of this module.

    Args:
        values: One an episode of one run, so one a picture, independent of each other; None is passed over.
        scale: Which values are possible.
        labels: The condition of each value's picture; without them all are of one. A set has a fixed number of pictures
            of each, so that only what varies within a condition counts. Conditions of fewer than ``MINIMUM_PICTURES``
            values are not told apart.

    Returns:
        Without an interval for fewer than two values, and for equal ones on a scale that lacks an end.
    """
    return estimate_all([values], scale, labels)[0]


def estimate_all(
    columns: Iterable[Sequence[float | None]], scale: Scale = OPEN, labels: Sequence[str] = ()
) -> list[Estimate]:
    """Estimate several means as ``estimate`` does, which takes a fraction of the time of one after the other.

    Args:
        columns: The values of each mean.
        scale: Which values are possible.
        labels: The condition of each place in every column; without them all are of one.
    """
    return estimate_grouped([_group_values(values, labels) for values in columns], scale)


def estimate_grouped(columns: Iterable[Sequence[Sequence[float]]], scale: Scale = OPEN) -> list[Estimate]:
    """Estimate several means as ``estimate_all`` does, of values that stand by condition: groups of each column."""
    moments = [_compute_moments(groups, not scale.has_ends) for groups in columns]
    ends = compute_mean_ends(
        Moments(*np.array([known for known in moments if known], np.float64).reshape(-1, 6).T), scale
    )
    lows, highs = (iter(end.tolist()) for end in ends)
    return [
        Estimate(None, None, None, 0)
        if known is None
        else build_estimate(known[0], next(lows), next(highs), int(known[3]))
        for known in moments
    ]


def _group_values(values: Sequence[float | None], labels: Sequence[str]) -> list[list[float]]:
    """Return the known values by label; in one group without labels."""
    if not labels:
        return [[value for value in values if value is not None]]
    groups: dict[str, list[float]] = {}
    for value, label in zip(values, labels, strict=True):
        if value is not None:
            groups.setdefault(label, []).append(value)
    return list(groups.values())


def _compute_moments(
    parts: Sequence[Sequence[float]], with_cubes: bool
) -> tuple[float, float, float, float, float, float] | None:
    """Return the fields of ``Moments`` of grouped values, see ``estimate``; None without a value."""
    n = sum(map(len, parts))
    if n == 0:
        return None
    if not are_strata(map(len, parts)):
        parts = [[value for part in parts for value in part]]
    mean = fsum(chain.from_iterable(parts)) / n
    influences = [(value - centre) / n for part in parts for centre in (fsum(part) / len(part),) for value in part]
    squares = fsum([part**2 for part in influences])
    cubes = fsum([part * part * part for part in influences]) if with_cubes else 0.0
    # Deviations of equal values that rounding leaves: such values have no spread.
    if squares <= (ROUNDING * mean) ** 2:
        squares = cubes = 0.0
    freedom = n - len(parts)
    return mean, squares, cubes, n, freedom, n / max(freedom, 1)


def build_estimate(mean: float, low: float, high: float, n: int) -> Estimate:
    """Return a mean with its interval, or without one where n is 1 or nothing says how far values spread."""
    if n < 2 or low == high:
        return Estimate(mean, None, None, n)
    return Estimate(mean, low, high, n)


@lru_cache(maxsize=65536)
def estimate_share(successes: int, tries: int) -> Estimate:
    """Estimate a share of independent tries, 0–1; without an interval only where there is no try.

    Args:
        successes: 0 to ``tries``.
        tries: How many.

    >>> perfect = estimate_share(14, 14)
    >>> round(perfect.low, 3), perfect.high  # Wilson's interval
    (0.785, 1.0)
    """
    if tries == 0:
        return Estimate(None, None, None, 0)
    part = successes / tries
    numbers = (part, part * (1 - part) / tries, 0.0, tries, tries - 1, 1.0)
    low, high = compute_mean_ends(Moments(*(np.array([number], np.float64) for number in numbers)), SHARE)
    return Estimate(part, float(low[0]), float(high[0]), tries)


def estimate_clustered_share(hits: Sequence[float], sizes: Sequence[int]) -> Estimate:
    """Estimate a share of tries when tries of one cluster resemble each other: one of ``estimate_clustered_shares``."""
    return estimate_clustered_shares([hits], sizes)[0]


def estimate_clustered_shares(columns: Sequence[Sequence[float]], sizes: Sequence[int]) -> list[Estimate]:
    """Estimate several shares of the same tries when tries of one cluster resemble each other.

    The share is R = Σ hits / Σ sizes. What varies are the clusters: influences are those of the linearised ratio
    estimator, (hitsᵢ − R · sizesᵢ) / Σ sizes (Cochran 1977, *Sampling Techniques*, chapter 6).

    Args:
        columns: For each share the tries in which something holds, one number a cluster: messages by episode, or
            answers by picture.
        sizes: All tries of the same clusters, each at least 1.

    Returns:
        The shares, 0–1; ``n`` is the number of clusters.
    """
    total, clusters = sum(sizes), len(sizes)
    if not total:
        return [Estimate(None, None, None, 0)] * len(columns)
    shares = [fsum(hits) / total for hits in columns]
    squares = [
        fsum([((hit - part * size) / total) ** 2 for hit, size in zip(hits, sizes, strict=True)])
        for hits, part in zip(columns, shares, strict=True)
    ]
    weighted = total**2 / sum(size**2 for size in sizes)
    freedom = clusters - 1
    numbers = [
        (part, square, 0.0, weighted, freedom, clusters / max(freedom, 1))
        for part, square in zip(shares, squares, strict=True)
    ]
    lows, highs = compute_mean_ends(Moments(*np.array(numbers, np.float64).reshape(-1, 6).T), SHARE)
    return [
        build_estimate(part, low, high, clusters)
        for part, low, high in zip(shares, lows.tolist(), highs.tolist(), strict=True)
    ]


@lru_cache(maxsize=1)
def normal_quantile() -> float:
    """Return the upper quantile of the normal distribution for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import ndtri

    return float(ndtri((1 + CONFIDENCE) / 2))


def t_quantiles(degrees: Floats) -> NDArray[np.float64]:
    """Return the upper quantiles of Student's t for a two-sided interval of ``CONFIDENCE``; from 1 degree on."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(degrees, 1), (1 + CONFIDENCE) / 2), np.float64)


@lru_cache(maxsize=4096)
def t_quantile(degrees: float) -> float:
    """Return the upper quantile of Student's t for a two-sided interval of ``CONFIDENCE``."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def subtract_estimates(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent means, with its interval from theirs.

    The interval recovers the variances from the two intervals, which need not be symmetric (MOVER: Zou and Donner,
    *Construction of confidence limits about effect measures*, Statistics in Medicine 27, 2008, equation 3).

    >>> gap = subtract_estimates(Estimate(80, 77, 83, 40), Estimate(70, 66, 74, 40))
    >>> gap.mean, gap.low, gap.high
    (10, 5.0, 15.0)
    """
    if first.mean is None or second.mean is None:
        return Estimate(None, None, None, 0)
    gap, count = first.mean - second.mean, min(first.n, second.n)
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Estimate(gap, None, None, count)
    below = sqrt((first.mean - first.low) ** 2 + (second.high - second.mean) ** 2)
    above = sqrt((first.high - first.mean) ** 2 + (second.mean - second.low) ** 2)
    return Estimate(gap, gap - below, gap + above, count)
