"""Intervals by bootstrap, clustered on instances and stratified by condition.

The unit that is drawn again is the instance: everything that hangs on one (the values of all pairs, judges and
quantities) stays together. So one set of resamples serves every column, and differences between columns are paired
without further ado. Within a stratum as many instances are drawn as it has, because a set is built with a fixed number
per condition (Davison and Hinkley 1997, *Bootstrap Methods and their Application*, section 3.2).

A resample is a row of counts that says how often each instance was drawn. Sums over resamples are then matrix products,
and there is no loop over resamples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import CONFIDENCE, Estimate

Floats = NDArray[np.floating[Any]]
Method = Literal["percentile", "bca", "student"]

RESAMPLES = 10_000
"""How often the instances are drawn again."""

SEED = 20260101
"""Of every draw: part of the method, so that the same data give the same interval."""

DEFAULT: Method = "percentile"
"""What covers best on scores like ours by ``benchmarks/intervals.py``: ``bca`` is wider and a little too cautious."""

SMALLEST = 5
"""Fewer instances than this are no stratum of their own, and fewer values than this are not resampled."""

CHUNK = 16
"""Columns that are resampled at once: bounds the memory, and what is worked on stays in the processor's cache."""

BLOCK = 50
"""Resamples of one matrix product: small ones stay in one thread. On a busy machine several of them wait for each
other for longer than they work."""

CONDITIONS = 32
"""Sets of resamples kept in memory: those of all conditions of the reconstruction game, 45 MB for 140 instances."""

ROUNDING = 1e-9
"""Differences below this, relative to the point, are rounding: such values count as equal."""

TINY = 1e-12
"""Less than any sum of denominators that is not 0."""


class Scale(NamedTuple):
    """What values are possible, and how much an interval reckons with such as were not seen.

    Scores heap up near the top of their scale, and ten rarely show the odd failure: taken as they are, intervals
    of ten such scores hold the mean in 86–90 % of cases instead of 95 %. So each end of the scale counts as a value of
    a small weight, as four more tries do with shares (Agresti and Coull 1998, The American Statistician 52). Values
    that are all the same get a width by it, too; at 140 episodes nothing is seen of it. The weights below are those
    with which ``benchmarks/intervals.py`` finds 93–97 %.
    """

    lowest: float
    """Smallest possible value; −inf if there is none."""

    highest: float
    """Largest possible value; inf if there is none."""

    unseen: float = 0.06
    """Weight of a value at either end; without effect on a scale that lacks one."""


SCORE = Scale(0.0, 10.0)
"""Similarity of a rendering."""

DIFFERENCE = Scale(-10.0, 10.0, 0.02)
"""Of two scores: its ends are farther from anything seen."""

SHARE = Scale(0.0, 1.0)

MAIN = Scale(0.0, 100.0, 0.12)
"""Quality × played share: a failure may be unseen, and so may an abort."""

AMOUNT = Scale(0.0, float("inf"))
"""Of tokens, turns, seconds, money."""


@dataclass(frozen=True)
class Resamples:
    """How often each instance was drawn, the same for every column."""

    weights: NDArray[np.float64]
    """Counts in blocks, shape (resamples / BLOCK, instances, BLOCK)."""

    strata: NDArray[np.intp]
    """Stratum of each instance, counted from 0, shape (instances,)."""

    @property
    def size(self) -> int:
        """Number of instances."""
        return len(self.strata)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up each resample's values.

        Args:
            values: Shape (instances, columns).

        Returns:
            Shape (columns, resamples).
        """
        blocks, columns = len(self.weights), values.shape[1]
        first = values[:1]
        if len(values) and (values == first).all():
            # As many instances are drawn as there are: the sum is the same in every resample.
            return np.repeat(first.T * len(values), blocks * BLOCK, axis=1)
        sums = np.empty((columns, blocks, BLOCK))
        for start in range(0, columns, CHUNK):
            some = slice(start, start + CHUNK)
            np.matmul(values.T[some], self.weights, out=sums[some].transpose(1, 0, 2))
        return sums.reshape(columns, blocks * BLOCK)


def resample(labels: Sequence[str], resamples: int = RESAMPLES, seed: int = SEED) -> Resamples:
    """Draw the instances again.

    A stratum's draws depend on its label, its size and the seed alone. Where a stratum has fewer than ``SMALLEST``
    instances, all are drawn from together: drawn alone, one or two instances would seem to leave no doubt.

    Args:
        labels: The stratum of each instance, such as its condition.
        resamples: How many resamples, a multiple of ``BLOCK``.
        seed: Of the draws.
    """
    return _resample(tuple(labels), resamples, seed)


@lru_cache(maxsize=CONDITIONS)
def _resample(labels: Sequence[str], resamples: int, seed: int) -> Resamples:
    """Draw; every run is resampled in the same way under every condition."""
    sizes = {label: labels.count(label) for label in dict.fromkeys(labels)}
    if sizes and min(sizes.values()) < SMALLEST:
        sizes, labels = {"": len(labels)}, [""] * len(labels)
    weights = np.empty((len(labels), resamples), np.float64)
    order = {label: index for index, label in enumerate(sizes)}
    strata = np.array([order[label] for label in labels], np.intp)
    for label, size in sizes.items():
        draws = np.random.default_rng((seed, crc32(label.encode()))).integers(size, size=(resamples, size))
        cells = draws + size * np.arange(resamples)[:, None]
        counts = np.bincount(cells.ravel(), minlength=resamples * size).reshape(resamples, size)
        weights[strata == order[label]] = counts.T
    blocks = weights.reshape(len(labels), -1, BLOCK).transpose(1, 0, 2)
    weights = np.ascontiguousarray(blocks)
    weights.flags.writeable = strata.flags.writeable = False
    return Resamples(weights, strata)


@dataclass(frozen=True)
class Ratios:
    """Ratios of two sums over instances, one a column: means over what is known, and rates.

    A mean over known values has the value as numerator and 1 as denominator where there is one, and 0 for both where
    there is none.
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
        return np.where(totals > 0, self.numerators.sum(axis=0) / np.where(totals > 0, totals, 1), np.nan)

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many instances count for each column."""
        counts: NDArray[np.intp] = (self.denominators > 0).sum(axis=0)
        return counts

    def residuals(self) -> NDArray[np.float64]:
        """Return numerator − ratio · denominator, shape (instances, columns); 0 where nothing is known."""
        return self.numerators - np.nan_to_num(self.points) * self.denominators

    def influence(self) -> NDArray[np.float64]:
        """Return how far each instance moves the ratio, to first order: residual over the sum of denominators."""
        return self.residuals() / np.where(self.totals > 0, self.totals, 1)

    def degrees(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the degrees of freedom of each column: instances that count less strata that have one."""
        known = self.denominators > 0
        used = [known[drawn.strata == stratum].any(axis=0) for stratum in range(drawn.strata.max(initial=-1) + 1)]
        return np.asarray(known.sum(axis=0) - np.sum(used, axis=0), np.float64)

    def errors(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return the standard errors, √(Σ influence² · n / degrees of freedom): for one stratum s / √n.

        Shape (columns,); infinite without a degree of freedom.
        """
        squares, freedom = (centred(self.influence(), drawn) ** 2).sum(axis=0), self.degrees(drawn)
        errors = np.sqrt(squares * self.counts / np.maximum(freedom, 1))
        return np.where(freedom > 0, errors, np.inf)

    def deviations(self, drawn: Resamples) -> NDArray[np.float64]:
        """Return resampled minus actual ratios, shape (columns, resamples); 0 in resamples without a value."""
        sums, totals = drawn.sums(self.residuals()), drawn.sums(self.denominators)
        np.maximum(totals, TINY, out=totals)
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
            column of fewer than ``SMALLEST`` values gets the last in any case.

    Returns:
        One estimate a column; ``n`` counts the instances that have a value. There is no interval with fewer than two
        of them, nor where all are the same on a scale without ends.
    """
    found: list[Estimate] = []
    for columns in _chunks(ratios):
        part = ratios.chosen(columns)
        moved = part.deviations(drawn)
        found += _estimates(part.points, 1.0, part.influence(), part, moved, drawn, scale, method)
    return found


def product_intervals(
    ratios: Ratios, others: Ratios, drawn: Resamples, scale: Scale, method: Method = DEFAULT
) -> list[Estimate]:
    """Estimate the product of two ratios, column by column, both from the same resamples.

    Args:
        ratios: Such as mean scores; ``n`` of the estimates is theirs.
        others: Such as played shares.
        drawn: Resamples of the same instances.
        scale: Of the first ratio; the second is at most 1.
        method: As in ``ratio_intervals``.

    Returns:
        One estimate a column; n counts the instances that have a value of the first ratio.
    """
    found: list[Estimate] = []
    for columns in _chunks(ratios):
        one, other = ratios.chosen(columns), others.chosen(columns)
        first, second = one.points, other.points
        a, b = one.deviations(drawn), other.deviations(drawn)
        moved = a * second[:, None] + b * np.nan_to_num(first)[:, None] + a * b
        influence = one.influence() * second + other.influence() * np.nan_to_num(first)
        found += _estimates(first, second, influence, one, moved, drawn, scale, method)
    return found


def _chunks(ratios: Ratios) -> Iterator[slice]:
    columns = ratios.numerators.shape[1]
    return (slice(start, start + CHUNK) for start in range(0, columns, CHUNK))


def centred(influence: Floats, drawn: Resamples) -> NDArray[np.float64]:
    """Return the influence less its mean in the instance's stratum: what stratified drawing lets vary."""
    result = np.array(influence, np.float64)
    for stratum in range(drawn.strata.max(initial=-1) + 1):
        rows = drawn.strata == stratum
        result[rows] -= result[rows].mean(axis=0)
    return result


def _estimates(
    means: Floats,
    part: Floats | float,
    influence: Floats,
    ratios: Ratios,
    moved: NDArray[np.float64],
    drawn: Resamples,
    scale: Scale,
    method: Method,
) -> list[Estimate]:
    """Estimate means, each times the part of it that counts; so does what is unseen of it."""
    counts, freedom, points = ratios.counts, ratios.degrees(drawn), means * part
    influence = centred(influence, drawn)
    shift, unseen = part * _unseen_shift(means, counts, scale), part**2 * unseen_spread(means, counts, scale)
    seen = (influence**2).sum(axis=0)
    seen[seen <= (ROUNDING * points) ** 2] = 0
    low, high = resampled_ends(influence, counts, freedom, moved, method)
    stretch = np.sqrt((seen + unseen) / np.where(seen > 0, seen, 1))
    few = _students(seen + unseen, counts, freedom)
    plain = (counts < SMALLEST) | (freedom < SMALLEST - 1) | (seen == 0) | (method == "student")
    low, high = np.where(plain, -few, low * stretch) + shift, np.where(plain, few, high * stretch) + shift
    return [
        _estimate(float(point), int(n), float(point + a), float(point + b), scale)
        for point, n, a, b in zip(points, counts, low, high, strict=True)
    ]


def unseen_spread(points: Floats, counts: NDArray[np.intp], scale: Scale) -> NDArray[np.float64]:
    """Return what unseen values at the ends of the scale add to Σ influence²; nothing if the scale has no ends."""
    if not np.isfinite((scale.lowest, scale.highest)).all():
        return np.zeros(points.shape)
    squares = (points - scale.lowest) ** 2 + (scale.highest - points) ** 2
    return np.asarray(scale.unseen * squares / np.maximum(counts, 1) ** 2, np.float64)


def _unseen_shift(points: Floats, counts: NDArray[np.intp], scale: Scale) -> NDArray[np.float64]:
    """Return how far unseen values at the ends of the scale move the mean."""
    if not np.isfinite((scale.lowest, scale.highest)).all():
        return np.zeros(points.shape)
    return np.asarray(
        scale.unseen * (scale.lowest + scale.highest - 2 * points) / (counts + 2 * scale.unseen), np.float64
    )


def _estimate(point: float, n: int, low: float, high: float, scale: Scale) -> Estimate:
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
        below = (moved < 0).mean(axis=1) + (moved == 0).mean(axis=1) / 2
        bias = ndtri(np.clip(below, 0.001, 0.999))
        length = np.sqrt((influence**2).sum(axis=0))
        bent = ((influence / np.where(length > 0, length, 1)) ** 3).sum(axis=0) / 6
    moved.sort(axis=1)
    ends = [ndtr(bias + (bias + z) / np.maximum(1 - bent * (bias + z), 0.1)) for z in (-wide, wide)]
    low, high = (_quantiles(moved, end) for end in ends)
    return low, high


def _quantiles(rows: NDArray[np.float64], levels: Floats) -> NDArray[np.float64]:
    """Return a quantile of each sorted row, linear between neighbours, shape (rows,)."""
    count = rows.shape[1]
    at = np.clip(levels * (count + 1) - 1, 0, count - 1)
    left = at.astype(np.intp)
    right = np.minimum(left + 1, count - 1)
    each = np.arange(len(rows))
    part = at - left
    found: NDArray[np.float64] = rows[each, left] * (1 - part) + rows[each, right] * part
    return found
