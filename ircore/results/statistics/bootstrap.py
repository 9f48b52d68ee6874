"""Intervals by bootstrap, clustered on instances, stratified by condition: the rule of ``estimate`` for many columns.

How the instances are drawn again is said in ``resamples``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import CONFIDENCE, MINIMUM_PICTURES, Estimate
from ircore.results.statistics.resamples import BLOCK, CHUNK, RESAMPLES, SEED, Resamples, resample
from ircore.results.statistics.scales import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    OPEN,
    SCORE,
    SHARE,
    Scale,
    unseen_shift,
    unseen_spread,
)
from ircore.results.statistics.sums import column_sums

__all__ = [
    "AMOUNT", "BLOCK", "DIFFERENCE", "MAIN", "OPEN", "RESAMPLES", "ROUNDING", "SCORE", "SEED", "SHARE",
    "Ratios", "Resamples", "Scale", "centred", "contrast_intervals", "ratio_intervals",
    "resample", "resampled_ends", "unseen_spread",
]  # fmt: skip

Floats = NDArray[np.floating[Any]]
Method = Literal["percentile", "bca", "student"]
Contrasts = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Maps rows of values, shape (columns, any), linearly to their contrasts, a new array of shape (contrasts, any)."""

DEFAULT: Method = "percentile"
"""Default method: best coverage on scores like ours by ``benchmarks/intervals.py``; ``bca`` is a little too wide."""

ROUNDING = 1e-9
"""Differences below this, relative to the point, are rounding: such values count as equal."""

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

    @property
    def totals(self) -> NDArray[np.float64]:
        """Sum of the denominators, shape (columns,)."""
        total: NDArray[np.float64] = self.denominators.sum(axis=0)
        return total

    @property
    def points(self) -> NDArray[np.float64]:
        """The ratios, shape (columns,); NaN where nothing is known."""
        totals = self.totals
        # The inner choice keeps NumPy from dividing by 0 where nothing is known.
        return np.where(totals > 0, column_sums(self.numerators) / np.where(totals > 0, totals, 1), np.nan)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of instances that count for each column."""
        counts: NDArray[np.intp] = (self.denominators > 0).sum(axis=0)
        return counts

    def residuals(self) -> NDArray[np.float64]:
        """Return numerator − ratio · denominator, shape (instances, columns); 0 where nothing is known."""
        return self.numerators - np.nan_to_num(self.points) * self.denominators

    def influence(self) -> NDArray[np.float64]:
        """Return how far each instance moves the ratio, to first order: residual over the sum of denominators."""
        return self.residuals() / np.where(self.totals > 0, self.totals, 1)

    def degrees(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the degrees of freedom of each column: instances that count, less strata with such an instance."""
        known = self.denominators > 0
        used = [known[rows].any(axis=0) for rows in drawn.members]
        return np.asarray(known.sum(axis=0) - np.sum(used, axis=0), np.float64)

    def errors(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the standard errors, √(Σ influence² · n / degrees of freedom): for one stratum s / √n.

        Shape (columns,); infinite without a degree of freedom.
        """
        squares, freedom = column_sums(centred(self.influence(), drawn) ** 2), self.degrees(drawn)
        errors = np.sqrt(squares * self.counts / np.maximum(freedom, 1))
        return np.where(freedom > 0, errors, np.inf)

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

    def chosen(self, columns: slice) -> "Ratios":
        """Return some of the columns."""
        return Ratios(self.numerators[:, columns], self.denominators[:, columns])


def ratio_intervals(ratios: Ratios, drawn: Resamples, scale: Scale, method: Method = DEFAULT) -> list[Estimate]:
    """Estimate each ratio with its interval.

    Args:
        ratios: What is estimated.
        drawn: Resamples of the same instances.
        scale: Of the ratios.
        method: ``percentile`` or ``bca``, both widened for few values, or ``student``: mean ± t · standard error. A
            column of fewer than ``MINIMUM_PICTURES`` values gets the last in any case.

    Returns:
        One estimate a column; ``n`` counts the instances that have a value. There is no interval with fewer than two
        of them, nor where all are the same on a scale without ends.
    """
    estimates: list[Estimate] = []
    for columns in _chunks(ratios):
        part = ratios.chosen(columns)
        moved = part.deviations(drawn)
        estimates += _estimates(part.points, part.influence(), _Support.of(part, drawn), moved, drawn, scale, method)
    return estimates


def contrast_intervals(
    ratios: Ratios, moved: NDArray[np.float64], contrasts: Contrasts, drawn: Resamples, scale: Scale
) -> list[Estimate]:
    """Estimate sums of ratios, each times a weight, such as a mean over columns or the difference of two.

    Args:
        ratios: What is combined.
        moved: Their ``deviations``, shape (columns, resamples).
        contrasts: Combines them.
        drawn: Resamples of the same instances.
        scale: Of the contrasts.

    Returns:
        One estimate a contrast; ``n`` is that of the column with the fewest values: every contrast rests on all.
    """
    support, points = _Support.of(ratios, drawn), contrasts(ratios.points[:, None])[:, 0]
    fewest = _Support(*(np.full(len(points), numbers.min()) for numbers in (support.counts, support.freedom)))
    influence = contrasts(ratios.influence().T).T
    return _estimates(points, influence, fewest, contrasts(moved), drawn, scale, DEFAULT)


class _Support(NamedTuple):
    """Data behind each column: its instances and their number."""

    counts: NDArray[np.intp]
    """Instances that count for it."""

    freedom: NDArray[np.float64]
    """Degrees of freedom."""

    @classmethod
    def of(cls, ratios: Ratios, drawn: Resamples) -> "_Support":
        return cls(ratios.counts, ratios.degrees(drawn))


def _chunks(ratios: Ratios) -> Iterator[slice]:
    columns = ratios.numerators.shape[1]
    return (slice(start, start + CHUNK) for start in range(0, columns, CHUNK))


def centred(influence: Floats, drawn: Resamples) -> NDArray[np.float64]:
    """Return the influence less its mean in the instance's stratum: the part that varies in stratified drawing."""
    result = np.array(influence, np.float64)
    for rows in drawn.members:
        # Rounded once, so that the mean does not depend on other columns.
        result[rows] -= column_sums(result[rows]) / len(rows)
    return result


def _estimates(
    points: Floats,
    influence: Floats,
    support: _Support,
    moved: NDArray[np.float64],
    drawn: Resamples,
    scale: Scale,
    method: Method,
) -> list[Estimate]:
    """Return means with their intervals."""
    counts, freedom = support
    influence = centred(influence, drawn)
    shift, unseen = unseen_shift(points, counts, scale), unseen_spread(points, counts, scale)
    seen_spread = column_sums(influence**2)
    # Equal values leave influences that are rounding errors, which are no spread.
    seen_spread[seen_spread <= (ROUNDING * points) ** 2] = 0
    low, high = resampled_ends(influence, counts, freedom, moved, method)
    # Resamples show the seen spread alone: their interval is widened by the unseen one.
    stretch = np.sqrt((seen_spread + unseen) / np.where(seen_spread > 0, seen_spread, 1))
    few = _students(seen_spread + unseen, counts, freedom)
    # Without any seen spread there is nothing to stretch, so that Student's interval stands alone.
    plain = (counts < MINIMUM_PICTURES) | (freedom < MINIMUM_PICTURES - 1) | (seen_spread == 0) | (method == "student")
    low, high = np.where(plain, -few, low * stretch) + shift, np.where(plain, few, high * stretch) + shift
    return [
        _estimate(float(point), int(n), float(point + a), float(point + b), scale)
        for point, n, a, b in zip(points, counts, low, high, strict=True)
    ]


def _estimate(point: float, n: int, low: float, high: float, scale: Scale) -> Estimate:
    # Equal ends: all values are the same on a scale without ends, which says nothing of others.
    if n < 2 or low == high:
        return Estimate(None if n == 0 else point, None, None, n)
    return Estimate(point, max(scale.lowest, min(low, point)), min(scale.highest, max(high, point)), n)


def _students(squares: Floats, counts: NDArray[np.intp], freedom: Floats) -> NDArray[np.float64]:
    """Return the half widths of Student's intervals, shape (columns,)."""
    from scipy.special import stdtrit

    some = np.maximum(freedom, 1)
    return np.asarray(stdtrit(some, (1 + CONFIDENCE) / 2) * np.sqrt(squares * counts / some), np.float64)


def resampled_ends(
    influence: Floats, counts: NDArray[np.intp], freedom: Floats, moved: NDArray[np.float64], method: Method
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper end of each column, as distances from the point.

    Bootstrap intervals are too narrow for few values, since resamples vary by (n − 1) / n too little and know nothing
    of Student's t. Both are made up for in the level: that of the normal quantile t(0.975, df) · √(n / df) (Hesterberg
    2015, *What Teachers Should Know About the Bootstrap*, The American Statistician 69, section 4.1.2; here with
    degrees of freedom df = n − strata).

    ``bca`` moves the levels for bias and skewness (Efron 1987, JASA 82); the acceleration is that of the jackknife to
    first order, Σu³ / (6 (Σu²)^1.5) with the influences u.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    freedom = np.maximum(freedom, 1)
    wide = stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(counts / freedom)
    bias, bent = np.zeros(len(counts)), np.zeros(len(counts))
    if method == "bca":
        # Resamples equal to the point count half to either side.
        below = (moved < 0).mean(axis=1) + (moved == 0).mean(axis=1) / 2
        # Cut off, since a point beyond all resamples would have an infinite bias.
        bias = ndtri(np.clip(below, 0.001, 0.999))
        length = np.sqrt(column_sums(influence**2))
        bent = column_sums((influence / np.where(length > 0, length, 1)) ** 3) / 6
    # The divisor of Efron's formula may reach 0 with few, very skew values.
    levels = [ndtr(bias + (bias + z) / np.maximum(1 - bent * (bias + z), 0.1)) for z in (-wide, wide)]
    low, high = _quantiles(moved, np.array(levels))
    return low, high


def _quantiles(rows: NDArray[np.float64], levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quantiles of each row, linear between neighbours; the rows are reordered.

    Args:
        rows: Shape (rows, values).
        levels: Levels of the quantiles of each row, shape (quantiles, rows), as the result has it.
    """
    count = rows.shape[1]
    at = np.clip(levels * (count + 1) - 1, 0, count - 1)
    left = at.astype(np.intp)
    right = np.minimum(left + 1, count - 1)
    # Only the values beside a level have to be in their places: that takes half as long as sorting.
    rows.partition(np.unique((left, right)), axis=1)
    each, part = np.arange(len(rows)), at - left
    quantiles: NDArray[np.float64] = rows[each, left] * (1 - part) + rows[each, right] * part
    return quantiles
