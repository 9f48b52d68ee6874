"""Ranks that the data allow: from paired differences, with all comparisons of a board under one error rate.

Mogstad, Romano, Shaikh and Wilhelm (2024), *Inference for Ranks with Applications to Mobility across Neighbourhoods and
Academic Achievement across Countries*, Review of Economic Studies 91: a pair's best rank is one more than the number of
pairs that are significantly better, its worst rank the number of pairs that are not significantly worse. Where the
differences of all pairs are held by simultaneous intervals in 95 % of cases, so are all ranks at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import MAIN, SEED, Ratios, Resamples
from ircore.results.statistics.intervals import (
    CONFIDENCE,
    MAIN_DIFFERENCE,
    MINIMUM_PICTURES,
    OF_CONTRAST,
    Estimate,
    compute_unseen_slopes,
    normal_quantile,
    reach,
)
from ircore.results.statistics.resamples import sum_columns

Floats = NDArray[np.float64]

RESAMPLES_USED = 2_000
"""Resamples from which the critical value is taken: that one number is known to about 1 % from a fifth of them."""

POWER = 0.8
"""Chance of finding a difference of the size that is called detectable."""


@dataclass(frozen=True)
class RankRange:
    """The ranks that a pair may have.

    >>> RankRange(best=1, worst=3).top
    True
    """

    best: int
    """1-based."""

    worst: int
    """1-based, ≥ ``best``."""

    group: int = 1
    """Group of pairs, 1-based, that ``group_means`` puts it into."""

    chance: float = 1.0
    """Chance of being the best pair, 0-1: the share of resamples, spread as the board's intervals, that it leads."""

    @property
    def top(self) -> bool:
        """Whether the pair may be the best: no other is significantly better."""
        return self.best == 1


@dataclass(frozen=True)
class Standing:
    """Standing of a board's pairs to each other: ranks and critical value.

    Example:
        >>> Standing(ranges=((1, 1), (2, 3), (2, 3)), detectable=0.4, critical=2.4).ranges[1]
        (2, 3)
    """

    ranges: tuple[RankRange | None, ...]
    """One a pair; None for a pair without a rank."""

    detectable: float | None
    """Difference that this board finds between two pairs with a chance of 80 %, by the rule of its ranks: the median
    over all couples of pairs; None if there are no two to compare."""

    critical: float | None
    """Critical value, in standard errors, for two pairs of this board; None if no two of them have ranks."""

    told: int = 0
    """Number of couples of pairs of which one is better than the other."""

    couples: int = 0
    """Number of couples of pairs that have ranks."""


def rank_pairs(least: Floats, most: Floats, drawn: Resamples) -> Standing:
    """Rank pairs by the means of their values, higher being better.

    One pair is better than another if, with what is not known taken against it, its mean is further above the other's
    than c standard errors of their paired difference. c is the 95 % point of the largest such difference of any two
    pairs over the resamples, in standard errors; its level is then looked up in Student's t, since a few instances have
    heavier tails than resamples show. Values not seen at the ends of the scale count as in every interval. Fewer than
    ``MINIMUM_PICTURES`` instances rank nobody.

    Pairs whose ranges are separate are told apart by their own comparison, too (``estimate_couples`` with the same
    c): standard errors obey the triangle inequality, so what lies between the two cannot part them where they are one.

    Args:
        least: Values, 0–100, one column a pair, all known; what is not is taken as the worst that it may be.
        most: The same with what is not known as the best that it may be.
        drawn: Resamples of the same instances.
    """
    pairs = least.shape[1]
    if len(least) < MINIMUM_PICTURES:
        return Standing((None,) * pairs, None, None)
    if pairs < 2:
        return Standing(tuple(RankRange(1, 1) for _ in range(pairs)), None, None)
    differences = _compute_differences(least, most, drawn)
    middle, fewer = (least + most) / 2, drawn.first(RESAMPLES_USED)
    resampled = Ratios.means(middle).deviations(fewer)
    # Where nothing is unknown, the least, the most and the middle are the same.
    known = np.array_equal(least, most)
    down, up = (resampled if known else Ratios.means(values).deviations(fewer) for values in (least, most))
    critical = _find_critical_value(differences, down, up)
    better = differences.gaps > differences.reach(critical)
    means = (least.mean(axis=0) + most.mean(axis=0)) / 2
    deviations = _widen_deviations(differences, critical, middle, resampled)
    places = zip(
        1 + better.sum(axis=0),
        pairs - better.sum(axis=1),
        group_means(means.tolist(), better),
        estimate_best_chances(means, deviations),
        strict=True,
    )
    ranges = tuple(RankRange(int(best), int(worst), group, chance) for best, worst, group, chance in places)
    couples = pairs * (pairs - 1) // 2
    return Standing(ranges, _compute_median_detectable(differences, critical), critical, int(better.sum()), couples)


def bound_differences(least: Floats, most: Floats, drawn: Resamples, critical: float | None) -> Floats:
    """Return the lower end of the interval of every pair (row) less every other (column), by the rule of a board.

    The upper end is minus the lower end of the other order. Above 0 the row's pair is better.

    Args:
        least: Values as ``rank_pairs`` takes them.
        most: The same.
        drawn: Resamples of the same instances.
        critical: Of the board.
    """
    differences = _compute_differences(least, most, drawn)
    # Without a critical value nothing is told apart.
    low = differences.gaps - differences.reach(critical) if critical else np.full(differences.gaps.shape, -np.inf)
    return np.maximum(MAIN_DIFFERENCE.lowest, low)


def estimate_couples(
    points: Sequence[float],
    couples: NDArray[np.intp],
    least: Floats,
    most: Floats,
    drawn: Resamples,
    criticals: Sequence[float | None],
) -> list[list[Estimate]]:
    """Return the differences of the means of two pairs each, with their intervals.

    Args:
        points: The difference of each couple as far as it is known.
        couples: Columns of the first and of the second pair, shape (couples, 2).
        least: Values of the pairs as ``rank_pairs`` takes them.
        most: The same.
        drawn: Resamples of the same instances.
        criticals: Of the boards that all pairs are on: then the interval leaves out 0 where the ranks of the two are
            separate. None for the interval of one comparison alone.

    Returns:
        For each critical value one difference a couple; n counts instances.
    """
    from scipy.special import stdtrit

    differences, (first, second) = _compute_differences(least, most, drawn), couples.T
    alone = float(stdtrit(differences.freedom, (1 + CONFIDENCE) / 2))
    is_known = np.isfinite(differences.errors[first, second]).tolist()
    estimates = []
    for critical in criticals:
        ends = differences.gaps - differences.reach(critical or alone)
        lows = np.maximum(MAIN_DIFFERENCE.lowest, ends[first, second]).tolist()
        highs = np.minimum(MAIN_DIFFERENCE.highest, -ends[second, first]).tolist()
        estimates.append(
            [
                Estimate(point, low if known else None, high if known else None, len(least))
                for point, known, low, high in zip(points, is_known, lows, highs, strict=True)
            ]
        )
    return estimates


@dataclass(frozen=True)
class _Differences:
    """Every pair (row) less every other (column)."""

    gaps: Floats
    """Differences of the means, what is not known taken against the row's pair."""

    spread: Floats
    """Σ of the squared influence of the instances on the difference."""

    errors: Floats
    """Standard errors; infinite where there is no telling."""

    freedom: float
    """Degrees of freedom, the same for all: every instance has a value for every pair."""

    unseen: Floats
    """z² / n times the slope of the variance with values that were not seen: low ones of the row's pair, or high ones
    of the column's."""

    def reach(self, critical: float) -> Floats:
        """Return how much more the row's mean must be to be better: the half of the difference's interval downwards.

        The standard error is that of a true difference of 0, as in all intervals (``intervals``).
        """
        # Where there is no telling errors are infinite, of which no root may be taken.
        known = np.isfinite(self.errors)
        half = reach((critical * np.where(known, self.errors, 0)) ** 2, self.unseen)
        return np.where(known, half, np.inf)


def _compute_differences(least: Floats, most: Floats, drawn: Resamples) -> _Differences:
    size = len(least)
    low, high = least.mean(axis=0), most.mean(axis=0)
    # The worst case of the row's pair against the best case of the column's.
    gaps = low[:, None] - high[None, :]
    freedom = float(size - len(np.unique(drawn.strata)))
    spread = _spread(least, most, drawn)
    is_known = size >= MINIMUM_PICTURES and freedom > 0
    errors = np.sqrt(spread * size / freedom) if is_known else np.full(gaps.shape, np.inf)
    down, up = (
        compute_unseen_slopes(Ratios.means(values).moments(drawn, MAIN), MAIN)[side]
        for side, values in enumerate((least, most))
    )
    unseen = OF_CONTRAST * normal_quantile() ** 2 / max(size, 1) * np.maximum(down[:, None], up[None, :])
    np.fill_diagonal(unseen, 0)
    return _Differences(gaps, spread, errors, max(freedom, 1.0), unseen)


def _widen_deviations(differences: _Differences, critical: float, values: Floats, deviations: Floats) -> Floats:
    """Return resampled minus actual means, as far apart as the board's own intervals are wide; (pairs, resamples).

    What was not seen adds noise of its own to each pair. So a pair is above another in more than 97.5 % of the
    resamples about where the board tells the two apart.
    """
    apart = ~np.eye(len(differences.gaps), dtype=bool)
    typical = float(np.median(differences.reach(critical)[apart]))
    # Half a couple's unseen term is each pair's, at the difference that the board typically tells apart.
    unseen = np.sqrt(np.where(apart, differences.unseen, 0).max(axis=1) / 2 * typical) / critical
    # The values themselves seed the noise: it hangs on no order, and pairs with equal values stay equal.
    noise = np.empty_like(deviations)
    for row, column in zip(noise, np.ascontiguousarray(values.T), strict=True):
        np.random.default_rng((SEED, crc32(column.tobytes()))).standard_normal(out=row)
    inflation = len(values) / differences.freedom
    # In place: the arrays have pairs × resamples numbers.
    noise *= unseen[:, None]
    noise += inflation**0.5 * deviations
    noise *= critical / normal_quantile()
    return noise


def _spread(least: Floats, most: Floats, drawn: Resamples) -> Floats:
    """Return the largest spread that the difference can have, given the unknown ratings."""
    known = np.array_equal(least, most)
    ends = [_centre_values(values / len(values), drawn) for values in ((least,) if known else (least, most))]
    if known:
        return _spread_between(ends[0], ends[0])
    return np.asarray(np.max([_spread_between(end, other) for end in ends for other in ends], axis=0), np.float64)


def _centre_values(values: Floats, drawn: Resamples) -> Floats:
    """Return values less their mean in the instance's stratum: the part that varies in stratified drawing."""
    result = np.array(values - values.mean(axis=0), np.float64)
    for stratum in np.unique(drawn.strata):
        rows = drawn.strata == stratum
        # Rounded once, so that the mean does not depend on other columns.
        result[rows] -= sum_columns(result[rows]) / np.count_nonzero(rows)
    return result


def _spread_between(end: Floats, other: Floats) -> Floats:
    squares = (end**2).sum(axis=0)[:, None] + (other**2).sum(axis=0)[None, :]
    spread: Floats = np.maximum(squares - 2 * (end.T @ other), 0)
    # Two pairs with equal scores differ by rounding alone, which would look like a certain difference.
    spread[spread <= 1e-12 * squares] = 0
    return spread


def _find_critical_value(differences: _Differences, down: Floats, up: Floats) -> float:
    """Return how many standard errors apart two means must be; arguments as of ``_find_largest_difference``."""
    from scipy.special import ndtr, stdtrit

    # The level that the resamples' point has in the normal distribution, looked up in Student's t.
    level = 2 * float(ndtr(-_find_largest_difference(differences, down, up)))
    return float(stdtrit(differences.freedom, 1 - level / 2))


def _find_largest_difference(differences: _Differences, down: Floats, up: Floats) -> float:
    """Return the 95 % point of the largest standardised difference over the resamples.

    Args:
        differences: Of the pairs.
        down: Resampled minus actual means of the least values, shape (pairs, resamples).
        up: The same of the most; the same array where nothing is unknown.
    """
    from scipy.special import ndtri

    known = (differences.spread > 0) & (differences.freedom > 1)
    # Single precision is enough: the critical value is known to about 1 %.
    scale = np.where(known, 1 / np.sqrt(np.where(known, differences.spread, 1)), 0).astype(np.float32)
    worst, best = (part.astype(np.float32) for part in (down, up))
    largest: NDArray[Any] = np.zeros(worst.shape[1], np.float32)
    room = np.empty_like(worst)
    # Where nothing is unknown, either order of two pairs says the same.
    for first, other in ((worst, best),) if up is down else ((worst, best), (best, worst)):
        # Row by row: all couples at once would take pairs² · resamples numbers.
        for index in range(len(first) - 1):
            apart = np.subtract(first[index + 1 :], other[index], out=room[index + 1 :])
            np.abs(apart, out=apart)
            apart *= scale[index, index + 1 :, None]
            np.maximum(largest, apart.max(axis=0), out=largest)
    # Never below the value of a single comparison, which resamples of few instances may fall short of.
    single = float(ndtri((1 + CONFIDENCE) / 2))
    return max(single, float(np.quantile(largest, CONFIDENCE)))


def compute_detectable(half: float, error: float, freedom: float) -> float | None:
    """Return the difference that would be found with a chance of 80 %.

    Half of the interval + t(0.80, df) · standard error (Bloom 1995, *Minimum Detectable Effects*, Evaluation
    Review 19).

    Args:
        half: Half of the difference's interval, to the side that reaches farther.
        error: Standard error of the difference, in its unit.
        freedom: Degrees of freedom; None is returned where fewer than ``MINIMUM_PICTURES`` instances leave so few.
    """
    from scipy.special import stdtrit

    if freedom < MINIMUM_PICTURES - 1 or not np.isfinite(half + error):
        return None
    return float(half + stdtrit(freedom, POWER) * error)


def _compute_median_detectable(differences: _Differences, critical: float) -> float | None:
    couples = ~np.eye(len(differences.gaps), dtype=bool)
    halves, errors = (np.median(part[couples]) for part in (differences.reach(critical), differences.errors))
    return compute_detectable(float(halves), float(errors), differences.freedom)


def group_means(means: Sequence[float], better: NDArray[np.bool_]) -> list[int]:
    """Return the group of each pair, 1 being the best.

    The first group is every pair than which none is better: the pairs that may be the best. Of the others, in the order
    of their means, a group begins with the first pair that the first pair of the group above is better than. That two
    pairs are in one group does not say that they are equal.

    Args:
        means: Main scores, one a pair.
        better: Whether the pair of the row is significantly better than the pair of the column.
    """
    beaten = np.flatnonzero(np.any(better, axis=0)).tolist()
    groups = [0 if pair in beaten else 1 for pair in range(len(means))]
    group, leader = 1, None
    for pair in sorted((pair for pair, own in enumerate(groups) if not own), key=lambda index: -means[index]):
        # Against the leader and not the neighbour: chains of undecided neighbours would make one group of all.
        if leader is None or better[leader, pair]:
            group, leader = group + 1, pair
        groups[pair] = group
    return groups


def estimate_best_chances(means: NDArray[Any], deviations: NDArray[Any]) -> list[float]:
    """Return the share of resamples in which each pair has the highest mean, 0-1; pairs that tie share a resample.

    Args:
        means: Main scores, one a pair.
        deviations: Resampled minus actual means, shape (pairs, resamples).
    """
    drawn = means[:, None] + deviations
    # Means of equal values differ by rounding errors alone.
    leads = drawn >= drawn.max(axis=0) - 1e-6
    shares: list[float] = (leads @ (1 / leads.sum(axis=0)) / len(leads[0])).tolist()
    return shares
