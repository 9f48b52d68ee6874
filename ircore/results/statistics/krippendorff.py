"""Krippendorff's α: the agreement of any number of raters, of whom not everyone rated everything."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircore.results.statistics.agreement import (
    Agreement,
    affordable,
    checked,
    codes_of,
    mean_ranks,
    parts,
    with_interval,
)
from ircore.results.statistics.bootstrap import RESAMPLES, SEED
from ircore.results.statistics.draws import Floats, drawn_weights, quotient

Level = Literal["nominal", "ordinal", "interval"]
"""Level of measurement: ratings are the same or differ (nominal), have an order, or have distances."""


def krippendorffs_alpha(
    ratings: ArrayLike,
    level: Level,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Agreement:
    """Return Krippendorff's α = 1 − observed / expected disagreement, for any number of raters.

    From the coincidences of values within units (Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*, and
    2018, *Content Analysis*, 4th edition, chapter 12). A unit with m ratings adds its ordered pairs, each 1 / (m − 1)
    times. The difference of two values, squared, is 0 or 1 (nominal), that of the values (interval), or that of their
    mean ranks among all ratings, which is Krippendorff's Σ n_g − (n_c + n_k) / 2 (ordinal).

    The package ``krippendorff`` gives the same value to 1e-15, of one table at a time: the interval's 10,000 resamples
    would take it 7 to 60 times as long as the products of matrices here (600 units of four raters).

    Args:
        ratings: Shape (raters, units); NaN where a rater did not rate a unit.
        level: What differences mean.
        clusters: Instance of each unit, any labels; without it each unit is an instance of its own.
        resamples: How often the instances are drawn again.
        seed: Of the draws.

    Raises:
        ValueError: The shapes do not fit, or a rating is infinite.
    """
    table, labels = checked(ratings, clusters)
    # A unit with one rating has no pair, and adds nothing to either disagreement.
    paired = (~np.isnan(table)).sum(axis=0) >= 2
    units = _Units.of(table[:, paired], codes_of(labels[paired]), level)
    plain = Agreement(None, None, None, len(units.clusters), units.size, None)
    if not paired.any():
        return replace(plain, reason="no unit was rated by two raters")
    if len(units.values) == 1:
        return replace(plain, reason="all ratings are the same")
    # Every instance once: the weights of the actual data.
    value = float(units.alpha(np.ones((units.size, 1)))[0])
    # Ranks are taken anew in each resample, so that the cost goes by units and not by instances.
    cells = len(units.clusters) if level == "ordinal" else units.size
    weights = drawn_weights(units.size, affordable(resamples, cells), seed)
    draws = np.concatenate([units.alpha(part) for part in parts(weights, cells)])
    return with_interval(replace(plain, value=value), draws)


@dataclass(frozen=True)
class _Units:
    """Units with at least two ratings each."""

    level: Level
    values: Floats
    """Distinct ratings in order."""

    counts: Any
    """Sparse, shape (units, distinct values): how many raters gave it."""

    clusters: NDArray[np.intp]
    """Instance of each unit, counted from 0."""

    @property
    def size(self) -> int:
        return int(self.clusters.max(initial=-1)) + 1

    @classmethod
    def of(cls, table: Floats, clusters: NDArray[np.intp], level: Level) -> "_Units":
        from scipy.sparse import csr_array

        known = ~np.isnan(table)
        values, codes = np.unique(table[known], return_inverse=True)
        units = np.nonzero(known)[1]
        counts = csr_array((np.ones(len(units)), (units, codes)), shape=(table.shape[1], len(values)))
        return cls(level, values, counts, clusters)

    def alpha(self, weights: Floats) -> Floats:
        """Return α in each resample; weights have shape (instances, resamples)."""
        each = weights[self.clusters]
        counts: Floats = self.counts.T @ each
        n = counts.sum(axis=0)
        if self.level == "nominal":
            within, between = self._nominal(), n * n - (counts**2).sum(axis=0)
        else:
            # Ranks less their middle, which keeps rounding small.
            ranks = mean_ranks(counts) - n / 2 if self.level == "ordinal" else self._centred()
            within = self._within(ranks)
            between = 2 * (n * (counts * ranks**2).sum(axis=0) - (counts * ranks).sum(axis=0) ** 2)
        observed = np.einsum("ij,ij->j", each, np.broadcast_to(within, each.shape))
        return 1 - quotient((n - 1) * observed, between)

    def _centred(self) -> Floats:
        """Return the ratings less their middle, which keeps rounding small, shape (values, 1)."""
        centred: Floats = self.values - self.values.mean()
        return centred[:, None]

    def _raters(self) -> Floats:
        """Return the ratings of each unit, shape (units, 1)."""
        return np.asarray(self.counts.sum(axis=1), np.float64).reshape(-1, 1)

    def _nominal(self) -> Floats:
        """Return the ordered pairs of different ratings of each unit over m − 1, shape (units, 1)."""
        raters = self._raters()
        same = np.asarray(self.counts.power(2).sum(axis=1), np.float64).reshape(-1, 1)
        other: Floats = (raters**2 - same) / (raters - 1)
        return other

    def _within(self, ranks: Floats) -> Floats:
        """Return Σ (r − r′)² over ordered pairs of each unit over m − 1; ranks have shape (values, resamples or 1)."""
        raters = self._raters()
        within: Floats = 2 * (raters * (self.counts @ ranks**2) - (self.counts @ ranks) ** 2) / (raters - 1)
        return within
