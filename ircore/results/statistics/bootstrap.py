"""Means over instances with their intervals, for many columns at once: the rule of ``intervals``.

What ranks, spreads and ratios need besides, resamples of the instances, is drawn in ``resamples``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    MINIMUM_PICTURES,
    OF_CONTRAST,
    OPEN,
    ROUNDING,
    SCORE,
    SHARE,
    Estimate,
    Moments,
    Scale,
    build_estimate,
    compute_mean_ends,
    compute_unseen_slopes,
    normal_quantile,
    reach,
    t_quantiles,
)
from ircore.results.statistics.resamples import BLOCK, RESAMPLES, SEED, Resamples, resample, round_to_grid, sum_columns

__all__ = [
    "AMOUNT",
    "BLOCK",
    "DIFFERENCE",
    "MAIN",
    "OPEN",
    "RESAMPLES",
    "ROUNDING",
    "SCORE",
    "SEED",
    "SHARE",
    "Ratios",
    "Resamples",
    "Scale",
    "compute_couple_moments",
    "compute_half_interval",
    "estimate_contrasts",
    "estimate_differences",
    "estimate_ratios",
    "resample",
]  # fmt: skip

Floats = NDArray[np.floating[Any]]
Numbers = NDArray[Any]
Contrasts = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Maps rows of values, shape (columns, any), linearly to their contrasts, a new array of shape (contrasts, any)."""

TINY = 1e-12
"""Less than any sum of denominators that is not 0."""


@dataclass(frozen=True)
class Ratios:
    """Ratios of two sums over instances, one ratio for each column: means over known values, and rates.

    A mean over known values has the value as numerator and 1 as denominator where there is one, and 0 for both where
    there is none.

    Example:
        >>> import numpy as np
        >>> Ratios(np.array([[6.0, 0.0], [10.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])).points.tolist()
        [8.0, nan]
    """

    numerators: NDArray[np.float64]
    """Shape (instances, columns)."""

    denominators: NDArray[np.float64]
    """The same shape, ≥ 0; an instance counts for a column where this is above 0."""

    @classmethod
    def means(cls, values: Floats) -> "Ratios":
        """Make the means over the values that are not NaN, shape (instances, columns)."""
        known = ~np.isnan(values)
        return cls(np.where(known, values, 0.0).astype(np.float64), known.astype(np.float64))

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Sum of the denominators, shape (columns,)."""
        total: NDArray[np.float64] = self.denominators.sum(axis=0)
        return total

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """The ratios, shape (columns,); NaN where nothing is known."""
        totals = self.totals
        # The inner choice keeps NumPy from dividing by 0 where nothing is known.
        return np.where(totals > 0, sum_columns(self.numerators) / np.where(totals > 0, totals, 1), np.nan)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Number of instances that count for each column."""
        counts: NDArray[np.intp] = (self.denominators > 0).sum(axis=0)
        return counts

    def residuals(self) -> NDArray[np.float64]:
        """Return numerator − ratio · denominator, shape (instances, columns); 0 where nothing is known."""
        return self.numerators - np.where(self.totals > 0, self.points, 0.0) * self.denominators

    def influence(self) -> NDArray[np.float64]:
        """Return how far each instance moves the ratio, to first order: residual over the sum of denominators."""
        return self.residuals() / np.where(self.totals > 0, self.totals, 1)

    def moments(self, drawn: Resamples, scale: Scale) -> Moments:
        """Return what the intervals rest on.

        Args:
            drawn: Its conditions are strata of each column in which all have enough instances with a value.
            scale: Of the ratios.
        """
        parts, weighted = _Strata.of(self, drawn), self._compute_effective_size()
        return _compute_moments(self.points, parts.varying, weighted, self.counts, parts.freedom, scale)

    def centred(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the influence less its mean in the instance's stratum: the part that varies in stratified drawing."""
        return _Strata.of(self, drawn).varying

    def _compute_effective_size(self) -> NDArray[np.float64]:
        squares = (self.denominators**2).sum(axis=0)
        return np.asarray(self.totals**2 / np.where(squares > 0, squares, 1), np.float64)

    def degrees(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the degrees of freedom of each column: instances that count, less strata with such an instance."""
        return _Strata.of(self, drawn).freedom

    def deviations(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return resampled minus actual ratios, shape (columns, resamples); 0 in resamples without a value."""
        sums, known = drawn.sums(self.residuals()), self.denominators[:1]
        if (self.denominators == known).all():
            # As many instances are drawn as there are: the total of a column is the same in every resample.
            totals = known.T * len(self.denominators)
        else:
            totals = drawn.sums(self.denominators)
        # A resample may draw no instance with a value: then the residuals add up to 0 as well.
        np.maximum(totals, TINY, out=totals)
        # In place: the array has columns × 10,000 numbers.
        np.divide(sums, totals, out=sums)
        return sums


@dataclass(frozen=True)
class _Strata:
    """Conditions of instances as strata of columns."""

    are_apart: NDArray[np.bool_]
    """Whether conditions are strata of a column: all that have a value have enough of them."""

    varying: NDArray[np.float64]
    """Influence of each instance, less its mean in the instance's condition where conditions are strata."""

    freedom: NDArray[np.float64]

    @classmethod
    def of(cls, ratios: Ratios, drawn: Resamples) -> "_Strata":
        known = ratios.denominators > 0
        # Of no instance there is no condition, and the shape must still say how many columns there are.
        inside = np.zeros((len(drawn.members), known.shape[1]), np.intp)
        for place, rows in enumerate(drawn.members):
            np.add.reduce(known[rows], axis=0, dtype=np.intp, out=inside[place])
        are_apart = ((inside == 0) | (inside >= MINIMUM_PICTURES)).all(axis=0)
        varying = ratios.influence()
        if are_apart.any():
            whole = varying.copy()
            for rows, counts in zip(drawn.members, inside, strict=True):
                # Rounded once, so that the mean does not depend on other columns.
                varying[rows] -= known[rows] * (sum_columns(varying[rows]) / np.maximum(counts, 1))
            varying = np.where(are_apart, varying, whole)
        strata = np.where(are_apart, (inside > 0).sum(axis=0), 1)
        return cls(are_apart, varying, np.maximum(known.sum(axis=0) - strata, 0).astype(np.float64))


def _compute_moments(
    points: Floats, influence: Floats, weighted: Floats, counts: Numbers, freedom: Floats, scale: Scale
) -> Moments:
    squares = sum_columns(influence**2)
    # No interval on a scale with two ends rests on the third moment.
    cubes = np.zeros(len(points)) if scale.has_ends else sum_columns(influence * influence * influence)
    # Equal values leave influences that are rounding errors, which are no spread.
    equal = squares <= (ROUNDING * np.nan_to_num(points)) ** 2
    squares[equal] = cubes[equal] = 0
    inflation = counts / np.maximum(freedom, 1)
    return Moments(*(np.asarray(part, np.float64) for part in (points, squares, cubes, weighted, freedom, inflation)))


def compute_couple_moments(values: NDArray[np.float64]) -> Moments:
    """Return what the intervals of the mean differences of every two columns rest on, instances not told apart.

    Args:
        values: NaN where there is none, shape (instances, columns).

    Returns:
        Of the first less the second column on instances that have both, in the order of ``itertools.combinations``.
    """
    known = ~np.isnan(values)
    # On a grid sums are exact: columns with equal values have a difference of 0.
    values, ones = round_to_grid(np.where(known, values, 0), len(values)), known.astype(np.float64)
    couples = np.triu_indices(values.shape[1], 1)
    counts, sums, squares = ((part.T @ ones) for part in (ones, values, values**2))
    counts, gaps, most = (part[couples] for part in (counts, sums - sums.T, squares + squares.T))
    shared = np.maximum(counts, 1)
    spread = most - 2 * (values.T @ values)[couples] - gaps**2 / shared
    # Differences that are all the same leave rounding errors, which would look like a spread.
    spread = np.where(spread <= 1e-12 * most, 0, spread)
    points, freedom = np.where(counts > 0, gaps / shared, np.nan), np.maximum(counts - 1, 0)
    return Moments(points, spread / shared**2, np.zeros_like(points), counts, freedom, counts / np.maximum(freedom, 1))


def estimate_ratios(ratios: Ratios, drawn: Resamples, scale: Scale) -> list[Estimate]:
    """Estimate each ratio with its interval.

    Args:
        ratios: What is estimated.
        drawn: Says of which condition each instance is.
        scale: Of the ratios.

    Returns:
        One estimate a column; ``n`` counts the instances that have a value. There is no interval with fewer than two
        of them, nor where all are the same on a scale without ends.
    """
    low, high = compute_mean_ends(ratios.moments(drawn, scale), scale)
    return _build_estimates(ratios.points, low, high, ratios.counts)


def estimate_contrasts(
    ratios: Ratios,
    contrasts: Contrasts,
    drawn: Resamples,
    scale: Scale,
    scale_of_contrasts: Scale,
    points: Floats | None = None,
) -> list[Estimate]:
    """Estimate sums of ratios, each times a weight, such as a mean over columns or the difference of two.

    Args:
        ratios: What is combined.
        contrasts: Combines them.
        drawn: Says of which condition each instance is.
        scale: Of the ratios.
        scale_of_contrasts: Of the contrasts.
        points: The contrasts, where they are known to more digits than those of the ratios give.

    Returns:
        One estimate a contrast; ``n`` is that of its column with the fewest values.
    """
    weights = contrasts(np.eye(len(ratios.totals)))
    used = weights != 0
    parts, columns = _Strata.of(ratios, drawn), ratios.moments(drawn, scale)

    def fewest(numbers: Numbers) -> NDArray[np.float64]:
        return np.asarray(np.where(used, numbers, np.inf).min(axis=1, initial=np.inf), np.float64)

    are_apart = (parts.are_apart | ~used).all(axis=1)
    influence = np.where(are_apart, contrasts(parts.varying.T).T, contrasts(ratios.influence().T).T)
    counts = fewest(ratios.counts)
    points = contrasts(ratios.points[:, None])[:, 0] if points is None else points
    moments = _compute_moments(points, influence, fewest(columns.counts), counts, fewest(parts.freedom), scale)
    # What is lost in rounding is a part of what is combined, which may be much more than what is left of it.
    largest = (np.abs(weights) * np.nan_to_num(np.abs(ratios.points))).max(axis=1, initial=0)
    squares = np.where(moments.squares <= (ROUNDING * largest) ** 2, 0, moments.squares)
    # Columns without a value have no slope, and no contrast may rest on them.
    down, up = map(np.nan_to_num, compute_unseen_slopes(columns, scale))
    errors = np.sqrt(squares * moments.inflation)
    # A column with a negative weight moves the contrast down by moving up.
    below = np.maximum(np.maximum(weights, 0) * down, np.maximum(-weights, 0) * up).max(axis=1, initial=0)
    above = np.maximum(np.maximum(weights, 0) * up, np.maximum(-weights, 0) * down).max(axis=1, initial=0)
    low = np.maximum(scale_of_contrasts.lowest, points - _compute_half(errors, moments, below))
    high = np.minimum(scale_of_contrasts.highest, points + _compute_half(errors, moments, above))
    return _build_estimates(points, low, high, counts)


def estimate_differences(
    differences: Floats, first: Floats, drawn: Resamples, scale: Scale, scale_of_differences: Scale
) -> list[Estimate]:
    """Estimate mean differences, first less second value, column by column, of instances that have both.

    Args:
        differences: NaN where a value is missing, shape (instances, columns).
        first: The first values, of the same shape.
        drawn: Says of which condition each instance is.
        scale: Of the values.
        scale_of_differences: Of their differences.
    """
    columns = first.shape[1]
    values = np.hstack([np.where(np.isnan(differences), np.nan, part) for part in (first, first - differences)])
    return estimate_contrasts(
        Ratios.means(values),
        lambda rows: rows[:columns] - rows[columns:],
        drawn,
        scale,
        scale_of_differences,
        # The sum of the differences is rounded once, their means' difference three times.
        Ratios.means(differences).points,
    )


def compute_half_interval(errors: Floats, moments: Moments, scale: Scale) -> NDArray[np.float64]:
    """Return half of the interval of the difference to a mean like each of these, to the side that reaches farther.

    Args:
        errors: Standard errors of the differences.
        moments: Of the means.
        scale: Of the values.
    """
    return _compute_half(errors, moments, np.maximum(*compute_unseen_slopes(moments, scale)))


def _compute_half(errors: Floats, moments: Moments, slopes: Floats) -> NDArray[np.float64]:
    per_value = OF_CONTRAST * normal_quantile() ** 2 / np.maximum(moments.counts, 1)
    return reach((t_quantiles(moments.freedom) * errors) ** 2, per_value * slopes)


def _build_estimates(points: Floats, low: Floats, high: Floats, counts: Numbers) -> list[Estimate]:
    return [
        build_estimate(float(point), float(a), float(b), int(n)) if n else Estimate(None, None, None, 0)
        for point, a, b, n in zip(points, low, high, counts, strict=True)
    ]
