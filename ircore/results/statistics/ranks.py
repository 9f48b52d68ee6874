"""Which ranks the data allow: from paired differences, with all comparisons of a board under one error rate.

Mogstad, Romano, Shaikh and Wilhelm (2024), *Inference for Ranks with Applications to Mobility across Neighbourhoods and
Academic Achievement across Countries*, Review of Economic Studies 91: a pair's best rank is one more than the number of
pairs that are significantly better, its worst rank the number of pairs that are not significantly worse. Where the
differences of all pairs are held by simultaneous intervals in 95 % of cases, so are all ranks at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import BLOCK, DIFFERENCE, Ratios, Resamples, centred, unseen_spread
from ircore.results.statistics.intervals import CONFIDENCE

RESAMPLES_USED = 2_000
"""Resamples from which the critical value is taken: that one number is known to about 1 % from a fifth of them."""

POWER = 0.8
"""Chance of finding a difference of the size that is called detectable."""


@dataclass(frozen=True)
class RankRange:
    """The ranks that a pair may have."""

    best: int
    """1-based."""

    worst: int
    """1-based, ≥ ``best``."""

    @property
    def top(self) -> bool:
        """Whether the pair may be the best: no other is significantly better."""
        return self.best == 1


@dataclass(frozen=True)
class Standing:
    """How the pairs of a board stand to each other."""

    ranges: tuple[RankRange | None, ...]
    """One a pair; None for a pair without a score."""

    detectable: float | None
    """Median over pairs of pairs of the difference that so many instances find; None if there is none to compare."""


def standing(scores: Ratios, drawn: Resamples) -> Standing:
    """Rank pairs by their mean scores, higher being better.

    Two pairs are different if their means are further apart than c standard errors of their paired difference. c is the
    95 % point of the largest such difference of any two pairs over the resamples, in standard errors; its level is
    then looked up in Student's t, since a few instances have heavier tails than resamples show. Values not seen at the
    ends of the scale count as in every interval. A pair with one score could be anywhere.

    Args:
        scores: Mean scores, 0–10, one column a pair.
        drawn: Resamples of the same instances.
    """
    rated = np.flatnonzero(scores.counts > 0)
    some = Ratios(scores.numerators[:, rated], scores.denominators[:, rated])
    ranges: list[RankRange | None] = [None] * len(scores.counts)
    if len(rated) == 0:
        return Standing(tuple(ranges), None)
    differences = _differences(some, drawn)
    better = differences.gaps > critical(differences, some, drawn) * differences.errors
    for index, best, worst in zip(rated, 1 + better.sum(axis=0), len(rated) - better.sum(axis=1), strict=True):
        ranges[index] = RankRange(int(best), int(worst))
    return Standing(tuple(ranges), _median_detectable(differences))


@dataclass(frozen=True)
class _Differences:
    """Every pair (row) less every other (column)."""

    gaps: NDArray[np.float64]
    """Differences of the means."""

    spread: NDArray[np.float64]
    """Σ of the squared influence of the instances on the difference."""

    errors: NDArray[np.float64]
    """Standard errors; infinite where there is no telling."""

    freedom: NDArray[np.float64]
    """Degrees of freedom."""

    factor: NDArray[np.float64]
    """What makes a sum of squared influences a variance: instances over degrees of freedom."""


def _differences(scores: Ratios, drawn: Resamples) -> _Differences:
    influence = centred(scores.influence(), drawn)
    products = influence.T @ influence
    squares = np.diag(products)
    spread = np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0)
    spread[spread <= 1e-12 * (squares[:, None] + squares[None, :])] = 0
    gaps = scores.points[:, None] - scores.points[None, :]
    counts = np.minimum(scores.counts[:, None], scores.counts[None, :])
    each = scores.degrees(drawn)
    freedom = np.maximum(np.minimum(each[:, None], each[None, :]), 0)
    factor = counts / np.maximum(freedom, 1)
    unseen = unseen_spread(gaps, counts, DIFFERENCE)
    errors = np.where(freedom > 0, np.sqrt((spread + unseen) * factor), np.inf)
    return _Differences(gaps, spread, errors, np.maximum(freedom, 1), factor)


def critical(differences: _Differences, scores: Ratios, drawn: Resamples) -> NDArray[np.float64]:
    """Return how many standard errors apart two means must be, for each two pairs."""
    from scipy.special import ndtr, stdtrit

    level = 2 * ndtr(-_largest(differences, scores, drawn))
    # Most pairs have the same degrees of freedom, and the quantile takes longer than all else here.
    different, place = np.unique(differences.freedom, return_inverse=True)
    quantiles = np.asarray(stdtrit(different, 1 - level / 2), np.float64)
    return quantiles[place].reshape(differences.freedom.shape)


def _largest(differences: _Differences, scores: Ratios, drawn: Resamples) -> float:
    """Return the 95 % point of the largest standardised difference over the resamples."""
    from scipy.special import ndtri

    fewer = Resamples(drawn.weights[: RESAMPLES_USED // BLOCK], drawn.strata)
    moved = scores.deviations(fewer).astype(np.float32)
    known = (differences.spread > 0) & (differences.freedom > 1)
    scale = np.where(known, 1 / np.sqrt(np.where(known, differences.spread, 1)), 0).astype(np.float32)
    largest: NDArray[Any] = np.zeros(moved.shape[1], np.float32)
    for index in range(len(moved) - 1):
        apart = moved[index + 1 :] - moved[index]
        np.abs(apart, out=apart)
        apart *= scale[index, index + 1 :, None]
        np.maximum(largest, apart.max(axis=0), out=largest)
    single = float(ndtri((1 + CONFIDENCE) / 2))
    return max(single, float(np.quantile(largest, CONFIDENCE)))


def detectable(error: float, freedom: float) -> float | None:
    """Return the difference that would be found with a chance of 80 % in a single comparison at the 95 % level.

    (t(0.975, df) + t(0.80, df)) · standard error (Bloom 1995, *Minimum Detectable Effects*, Evaluation Review 19).

    Args:
        error: Standard error of the difference, in its unit.
        freedom: Degrees of freedom; None is returned below 1.
    """
    from scipy.special import stdtrit

    if freedom < 1 or not np.isfinite(error):
        return None
    return float((stdtrit(freedom, (1 + CONFIDENCE) / 2) + stdtrit(freedom, POWER)) * error)


def _median_detectable(differences: _Differences) -> float | None:
    rows, columns = np.triu_indices(len(differences.gaps), 1)
    known = np.isfinite(differences.errors[rows, columns])
    if not known.any():
        return None
    rows, columns = rows[known], columns[known]
    errors = np.sqrt(differences.spread * differences.factor)[rows, columns]
    return detectable(float(np.median(errors)), float(np.median(differences.freedom[rows, columns])))
