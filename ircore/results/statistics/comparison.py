"""Comparison of two pairs on their common instances, with bounds for the instances that lack a rating.

Nothing is assumed about why a value is missing. The mean lies between the one with every missing value at the low end
of the scale and the one with all at the high end (Manski 1989, *Anatomy of the Selection Problem*, Journal of Human
Resources 24; Horowitz and Manski 2000, Journal of the American Statistical Association 95). The interval reaches from
the lower end of the first one's interval to the upper end of the second one's, and so holds whatever lies between them
at least as often as either (Imbens and Manski 2004, *Confidence Intervals for Partially Identified Parameters*,
Econometrica 72, whose interval is a little shorter).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import (
    DIFFERENCE,
    SCORE,
    Ratios,
    Resamples,
    Scale,
    estimate_differences,
    estimate_ratios,
    resample,
)
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import compute_detectable

Floats = NDArray[np.float64]

TIE = 0.05
"""Difference of two scores, 0–10, below which neither is better: with one decimal, as scores are shown, it is 0.0."""


@dataclass(frozen=True)
class PairComparison:
    """Differences between two pairs, instance by instance.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> main, alone = Estimate(5.0, -1.0, 11.0, 30), Estimate(5.0, 1.0, 9.0, 30)
        >>> PairComparison(Estimate(0.5, 0.2, 0.8, 30), 20, 4, 6, 0.3, 0.2, 0.8, main, alone).n
        30
    """

    difference: Estimate
    """Mean difference of the scores on common instances; above 0 the first pair is better. Its interval is for this
    one comparison."""

    wins: int
    """Instances on which the first pair is better."""

    ties: int
    """Instances on which the scores differ by less than ``TIE``."""

    losses: int
    """Instances on which the second pair is better."""

    detectable: float | None
    """Difference that a comparison of this n finds with a chance of 80 %; None below ``MINIMUM_PICTURES``."""

    least: float | None
    """Mean difference over all instances if each score that is missing were the worst for the first pair, −10 to 10."""

    most: float | None
    """The same with the best for the first pair; equals ``least`` where both have every score."""

    main: Estimate
    """Difference of the main scores, −100 to 100, with the interval by which the board tells the two apart: all of the
    board's comparisons hold at once in 95 % of cases."""

    alone: Estimate
    """The same difference with the interval of this one comparison, as if no other pair were on the board."""

    @property
    def n(self) -> int:
        """Instances that both have."""
        return self.difference.n

    @property
    def turned(self) -> "PairComparison":
        """The comparison of the second pair with the first.

        >>> difference = Estimate(0.5, 0.2, 0.9, 30)
        >>> first, second = Estimate(5, 2, 9, 30), Estimate(5, 3, 8, 30)
        >>> comparison = PairComparison(difference, 20, 4, 6, 0.3, 0.1, 1.0, first, second)
        >>> comparison.turned.difference.low, comparison.turned.wins, comparison.turned.most
        (-0.9, 6, -0.1)
        """
        return PairComparison(
            difference=_negate(self.difference),
            wins=self.losses,
            ties=self.ties,
            losses=self.wins,
            detectable=self.detectable,
            least=None if self.most is None else -self.most,
            most=None if self.least is None else -self.least,
            main=_negate(self.main),
            alone=_negate(self.alone),
        )


def _negate(estimate: Estimate) -> Estimate:
    mean, low, high = (None if value is None else -value for value in (estimate.mean, estimate.high, estimate.low))
    return Estimate(mean, low, high, estimate.n)


def compare(
    scores: Sequence[Floats],
    labels: Sequence[str],
    bounds: Sequence[tuple[Floats, Floats]],
    mains: Sequence[Estimate],
    alone: Sequence[Estimate] | None = None,
) -> list[PairComparison]:
    """Compare couples of pairs.

    Args:
        scores: For each couple the scores of its pairs, 0–10, NaN where one has none; shape (instances, 2).
        labels: Condition of each instance, within which instances are drawn again.
        bounds: For each couple the least and greatest score that either pair may have on each instance, shape
            (instances, 2), NaN on instances that do not count.
        mains: For each couple the difference of the main scores, by the board's rule.
        alone: The same differences, each with the interval of its one comparison; ``mains`` where there is no board.

    Returns:
        First minus second pair of each couple.
    """
    first, second = (np.array([couple[:, side] for couple in scores]).T.reshape(len(labels), -1) for side in (0, 1))
    differences, drawn = first - second, resample(labels)
    estimates = estimate_differences(differences, first, drawn, SCORE, DIFFERENCE)
    moments = Ratios.means(differences).moments(drawn, DIFFERENCE)
    errors = np.sqrt(moments.squares * moments.inflation)
    comparisons = []
    for place, (estimate, main, single) in enumerate(zip(estimates, mains, alone or mains, strict=True)):
        column = differences[:, place]
        least, most = _bound_means(*bounds[place])
        comparisons.append(
            PairComparison(
                difference=estimate,
                wins=int((column >= TIE).sum()),
                ties=int((abs(column) < TIE).sum()),
                losses=int((column <= -TIE).sum()),
                detectable=compute_detectable(estimate.half_width or np.nan, errors[place], moments.freedom[place]),
                least=least,
                most=most,
                main=main,
                alone=single,
            )
        )
    return comparisons


def _bound_means(low: Floats, high: Floats) -> tuple[float | None, float | None]:
    """Return the least and the greatest mean difference; Manski's bounds."""
    counted = ~np.isnan(low).any(axis=1)
    if not counted.any():
        return None, None
    # The worst case takes the first pair at its least and the second at its greatest.
    least, most = low[counted, 0] - high[counted, 1], high[counted, 0] - low[counted, 1]
    return float(least.mean()), float(most.mean())


def estimate_bounded_means(
    least: Floats, most: Floats, points: Floats, counts: Sequence[int], drawn: Resamples, scale: Scale
) -> list[Estimate]:
    """Estimate means, column by column.

    Args:
        least: Values with what is missing at its lowest, NaN where there is nothing to know; (instances, columns).
        most: The same with what is missing at its highest; the same array's values where nothing is missing.
        points: The means to be shown, NaN for none, shape (columns,).
        counts: How many values are known, shape (columns,).
        drawn: Resamples of the same instances.
        scale: Of the values.

    Returns:
        One estimate a column. Where nothing is missing it is that of ``estimate_ratios``.
    """
    lows = estimate_ratios(Ratios.means(least), drawn, scale)
    # Only columns with unknown values are resampled a second time.
    missing = np.flatnonzero(((least != most) & ~np.isnan(least)).any(axis=0))
    highs = estimate_ratios(Ratios.means(most[:, missing]), drawn, scale)
    upper = dict(zip(missing.tolist(), highs, strict=True))
    return [
        _join_bounds(low, upper[column], float(points[column]), int(counts[column])) if column in upper else low
        for column, low in enumerate(lows)
    ]


def _join_bounds(low: Estimate, high: Estimate, point: float, count: int) -> Estimate:
    if np.isnan(point):
        return Estimate(None, None, None, count)
    if low.low is None or high.high is None:
        return Estimate(point, None, None, count)
    # The point lies between the two bounds, but need not lie within their resampled ends.
    return Estimate(point, min(low.low, point), max(high.high, point), count)
