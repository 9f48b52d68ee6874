"""Two pairs on the instances that both have."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import DIFFERENCE, Ratios, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import detectable


@dataclass(frozen=True)
class Comparison:
    """One pair less another, instance by instance."""

    difference: Estimate
    """Mean difference; above 0 the first pair is better. Its interval is for this one comparison."""

    wins: int
    """Instances on which the first pair is better."""

    ties: int
    """Instances on which both are the same."""

    losses: int
    """Instances on which the second pair is better."""

    detectable: float | None
    """Difference that a comparison of this n finds with a chance of 80 %; None with fewer than two instances."""

    @property
    def n(self) -> int:
        """Instances that both have."""
        return self.difference.n


def compare(first: NDArray[np.float64], second: NDArray[np.float64], labels: Sequence[str]) -> Comparison:
    """Compare two pairs.

    Args:
        first: Scores of one pair by instance, 0–10, NaN where it has none.
        second: Scores of the other, in the same order.
        labels: Condition of each instance, within which instances are drawn again.
    """
    differences = np.asarray(first - second, np.float64)[:, None]
    means, drawn = Ratios.means(differences), resample(labels)
    (estimate,) = ratio_intervals(means, drawn, DIFFERENCE)
    known = differences[~np.isnan(differences)]
    return Comparison(
        difference=estimate,
        wins=int((known > 0).sum()),
        ties=int((known == 0).sum()),
        losses=int((known < 0).sum()),
        detectable=detectable(float(means.errors(drawn)[0]), float(means.degrees(drawn)[0])),
    )
