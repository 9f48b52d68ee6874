"""Comparison of two pairs on their common instances, with bounds for the instances that lack a rating."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import DIFFERENCE, Ratios, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import detectable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Differences between two pairs, instance by instance.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> comparison = Comparison(Estimate(0.5, 0.2, 0.8, 30), 20, 4, 6, 0.3, 0.2, 0.8, Estimate(0.5, 0.2, 0.8, 30))
        >>> comparison.n
        30
    """

    difference: Estimate
    """Mean difference of the scores on common instances; above 0 the first pair is better. Its interval is for this
    one comparison."""

    wins: int
    """Instances on which the first pair is better."""

    ties: int
    """Instances on which both are the same."""

    losses: int
    """Instances on which the second pair is better."""

    detectable: float | None
    """Difference that a comparison of this n finds with a chance of 80 %; None below ``MINIMUM_PICTURES``."""

    least: float | None
    """Mean difference over all instances if each score that is missing were the worst for the first pair, −10 to 10."""

    most: float | None
    """The same with the best for the first pair; equals ``least`` where both have every score."""

    main: Estimate
    """Difference of the main scores, −100 to 100, with the interval by which the board tells the two apart."""

    @property
    def n(self) -> int:
        """Instances that both have."""
        return self.difference.n


def compare(
    first: Floats, second: Floats, labels: Sequence[str], bounds: tuple[Floats, Floats], main: Estimate
) -> Comparison:
    """Compare two pairs.

    Args:
        first: Scores of one pair by instance, 0–10, NaN where it has none.
        second: Scores of the other, in the same order.
        labels: Condition of each instance, within which instances are drawn again.
        bounds: Least and greatest score that either may have on each instance, shape (instances, 2), NaN on instances
            that do not count.
        main: Difference of the main scores.
    """
    differences = np.asarray(first - second, np.float64)[:, None]
    means, drawn = Ratios.means(differences), resample(labels)
    (estimate,) = ratio_intervals(means, drawn, DIFFERENCE)
    known = differences[~np.isnan(differences)]
    least, most = _extremes(*bounds)
    return Comparison(
        difference=estimate,
        wins=int((known > 0).sum()),
        ties=int((known == 0).sum()),
        losses=int((known < 0).sum()),
        detectable=detectable(float(means.errors(drawn)[0]), float(means.degrees(drawn)[0])),
        least=least,
        most=most,
        main=main,
    )


def _extremes(low: Floats, high: Floats) -> tuple[float | None, float | None]:
    """Return the least and the greatest mean difference; Manski's bounds, see ``ircore.results.statistics.bounds``."""
    counted = ~np.isnan(low).any(axis=1)
    if not counted.any():
        return None, None
    least, most = low[counted, 0] - high[counted, 1], high[counted, 0] - low[counted, 1]
    return float(least.mean()), float(most.mean())
