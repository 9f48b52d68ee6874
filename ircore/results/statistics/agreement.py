"""Agreement of raters: correlations, percentage agreement, Cohen's κ and Krippendorff's α, each with its interval.

Every measure but Krippendorff's α is of the matched values of two raters: where one of the two is missing, the other
counts for nothing. Krippendorff's α is of any number of raters, of whom not everyone rated everything. A measure that
is not defined is None with a reason; nothing here returns NaN or warns.

Ratings of the same instance resemble one another, so intervals come from drawing whole instances again, not ratings.
The 95 % intervals are percentile intervals, their levels widened for few instances (``resamples.widen_levels``). They
say what other instances would change; the raters are taken as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircore.results.statistics.bootstrap import RESAMPLES, SEED
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.statistics.resamples import Floats, count_draws, divide, widen_levels

FEWEST_PAIRS = 3
"""With two pairs every correlation is 1, −1 or undefined."""

UNDEFINED_SHARE = 0.05
"""If the measure is undefined in more of the resamples than this, what is left of them is no interval."""

WORK = 20_000_000
"""Cost limit where ranks are recomputed in each resample: distinct ratings × resamples."""

ROWS = 4096
"""Distinct pairs of ratings that are multiplied at once, which stay in the processor's cache."""

FEWEST_RESAMPLES = 500
"""Minimum number of resamples, even where ``WORK`` allows fewer."""


@dataclass(frozen=True)
class Agreement:
    """One measure of agreement."""

    value: float | None
    """The measure, in −1 to 1 (percentage agreement: 0 to 1); None where it is not defined."""

    low: float | None
    """Lower end of the 95 % interval; None where there is none."""

    high: float | None
    """Upper end; None exactly when ``low`` is."""

    n: int
    """Matched pairs of ratings; for Krippendorff's α, units that at least two raters rated."""

    clusters: int
    """Instances that these come from: what is drawn again."""

    reason: str | None
    """Reason why there is no value or no interval; None where there are both."""


@dataclass(frozen=True)
class _Pairs:
    """Two raters' values where both are known."""

    one: Floats
    other: Floats
    clusters: NDArray[np.intp]
    """Instance of each pair, counted from 0."""

    @property
    def size(self) -> int:
        return int(self.clusters.max(initial=-1)) + 1

    def sums(self, *columns: Floats) -> Floats:
        """Add up values of pairs by instance, shape (instances, columns)."""
        return np.stack([np.bincount(self.clusters, column, self.size) for column in columns], axis=1)

    def result(self, value: float | None, reason: str | None) -> Agreement:
        return Agreement(value, None, None, len(self.one), self.size, reason)


def pearson(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return Pearson's product-moment correlation r.

    Args:
        first: Ratings of one rater, shape (pairs,); NaN where missing.
        second: The other's ratings of the same things.
        clusters: Instance of each pair, any labels; without it each pair is an instance of its own.
        resamples: How often the instances are drawn again.
        seed: Of the draws.

    Raises:
        ValueError: The shapes differ, or a rating is infinite.
    """
    pairs = _match_pairs(first, second, clusters)
    reason = _explain_too_few(pairs) or _explain_constant(pairs)
    if reason:
        return pairs.result(None, reason)
    # r does not change, but the sums of squares lose fewer digits.
    x, y = pairs.one - pairs.one.mean(), pairs.other - pairs.other.mean()
    sums = pairs.sums(np.ones_like(x), x, y, x * x, y * y, x * y)
    value = float(_compute_correlation(sums.sum(axis=0)))
    return add_interval(
        pairs.result(value, None), _compute_correlation(count_draws(pairs.size, resamples, seed).T @ sums)
    )


def spearman(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return Spearman's rank correlation ρ: Pearson's r of the ranks, ties having their mean rank.

    Ranks are taken anew in each resample. Where there are so many distinct ratings that this would take long, there
    are fewer resamples (``WORK``), at least ``FEWEST_RESAMPLES``. Arguments and errors are those of ``pearson``.
    """
    pairs = _match_pairs(first, second, clusters)
    reason = _explain_too_few(pairs) or _explain_constant(pairs)
    if reason:
        return pairs.result(None, reason)
    cells = _Crossed.of(pairs)
    value = float(cells.rank_correlation(np.ones((pairs.size, 1)))[0])
    weights = count_draws(pairs.size, limit_resamples(resamples, cells.size), seed)
    draws = np.concatenate([cells.rank_correlation(part) for part in split_resamples(weights, cells.size)])
    return add_interval(pairs.result(value, None), draws)


def observed_agreement(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return the share of pairs in which both raters say the same, 0–1 (the percentage agreement over 100).

    Arguments and errors are those of ``pearson``, with categories as numbers for ratings.
    """
    pairs = _match_pairs(first, second, clusters)
    if reason := _explain_too_few(pairs):
        return pairs.result(None, reason)
    same = (pairs.one == pairs.other).astype(np.float64)
    sums = count_draws(pairs.size, resamples, seed).T @ pairs.sums(same, np.ones_like(same))
    return add_interval(pairs.result(float(same.mean()), None), sums[:, 0] / sums[:, 1])


def cohens_kappa(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return Cohen's κ = (p − e) / (1 − e): agreement p beyond what the raters' own frequencies make by chance, e.

    Unweighted (Cohen 1960, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement
    20). Not defined where both raters always choose one and the same category. ``cohen_kappa_score`` of scikit-learn
    gives the same value, of one table at a time; importing it takes seconds, and the interval needs 10,000 tables.
    Arguments and errors are those of ``pearson``, with categories as numbers for ratings.
    """
    pairs = _match_pairs(first, second, clusters)
    if reason := _explain_too_few(pairs):
        return pairs.result(None, reason)
    names, codes = np.unique(np.concatenate([pairs.one, pairs.other]), return_inverse=True)
    if len(names) == 1:
        return pairs.result(None, "both raters chose the same category throughout")
    categories, other_categories = codes.reshape(2, -1)
    square = len(names) ** 2
    # One number for instance and both categories: a single count fills the tables of all instances.
    crossed = np.bincount(
        pairs.clusters * square + categories * len(names) + other_categories, minlength=pairs.size * square
    )
    tables = crossed.reshape(pairs.size, square).astype(np.float64)
    value = float(_compute_kappa(tables.sum(axis=0)[None], len(names))[0])
    draws = _compute_kappa(count_draws(pairs.size, resamples, seed).T @ tables, len(names))
    return add_interval(pairs.result(value, None), draws)


def weighted_kappa(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return Cohen's κ with quadratic weights: 1 less the mean squared difference over what chance gives.

    Cohen 1968, *Weighted kappa*, Psychological Bulletin 70. Of ratings that are numbers it is Lin's concordance
    (Fleiss and Cohen 1973): unlike Pearson's r it is lowered by a bias and by a scale that is used otherwise.
    Arguments and errors are those of ``pearson``.
    """
    pairs = _match_pairs(first, second, clusters)
    reason = _explain_too_few(pairs) or (_explain_constant(pairs) if np.array_equal(pairs.one, pairs.other) else None)
    if reason:
        return pairs.result(None, reason)
    # Differences do not change, but the sums of squares lose fewer digits.
    middle = pairs.one.mean()
    x, y = pairs.one - middle, pairs.other - middle
    sums = pairs.sums(np.ones_like(x), x, y, x * x, y * y, x * y)
    value = float(_compute_concordance(sums.sum(axis=0)))
    return add_interval(
        pairs.result(value, None), _compute_concordance(count_draws(pairs.size, resamples, seed).T @ sums)
    )


def bias(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Agreement:
    """Return by how much the first rater's ratings lie above the second's on average, in the ratings' unit.

    Arguments and errors are those of ``pearson``.
    """
    pairs = _match_pairs(first, second, clusters)
    if reason := _explain_too_few(pairs):
        return pairs.result(None, reason)
    off = pairs.one - pairs.other
    sums = count_draws(pairs.size, resamples, seed).T @ pairs.sums(off, np.ones_like(off))
    return add_interval(pairs.result(float(off.mean()), None), sums[:, 0] / sums[:, 1])


def check_ratings(ratings: ArrayLike, clusters: ArrayLike | None) -> tuple[Floats, NDArray[Any]]:
    """Return the ratings, shape (raters, units), and the units' instances."""
    table = np.atleast_2d(np.asarray(ratings, np.float64))
    labels = np.arange(table.shape[1]) if clusters is None else np.asarray(clusters)
    if table.ndim != 2 or labels.shape != (table.shape[1],):
        raise ValueError(f"ratings of shape {table.shape} do not go with instances of shape {labels.shape}")
    if np.isinf(table).any():
        raise ValueError("a rating is infinite")
    return table, labels


def _match_pairs(ratings: ArrayLike, other_ratings: ArrayLike, clusters: ArrayLike | None) -> _Pairs:
    first, second = np.asarray(ratings, np.float64), np.asarray(other_ratings, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"two raters' values must match one to one, got shapes {first.shape} and {second.shape}")
    table, labels = check_ratings([first, second], clusters)
    known = ~np.isnan(table).any(axis=0)
    return _Pairs(table[0, known], table[1, known], number_labels(labels[known]))


def number_labels(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Number the distinct labels from 0 in their order, shape (labels,)."""
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _explain_too_few(pairs: _Pairs) -> str | None:
    n = len(pairs.one)
    if n == 0:
        return "nothing was rated by both"
    return f"fewer than {FEWEST_PAIRS} matched pairs" if n < FEWEST_PAIRS else None


def _explain_constant(pairs: _Pairs) -> str | None:
    for which, values in (("first", pairs.one), ("second", pairs.other)):
        if np.ptp(values) == 0:
            return f"all matched ratings of the {which} rater are the same"
    return None


def limit_resamples(resamples: int, cells: int) -> int:
    """Return how many of the resamples are worth the time where each costs this many cells."""
    return min(resamples, max(FEWEST_RESAMPLES, WORK // max(cells, 1)))


def split_resamples(weights: Floats, cells: int) -> Iterator[Floats]:
    """Cut resamples into parts of about a million cells, which bounds the memory."""
    step = max(32, 1_000_000 // max(cells, 1))
    return (weights[:, start : start + step] for start in range(0, weights.shape[1], step))


def _compute_correlation(sums: Floats) -> Floats:
    """Return r from sums of 1, x, y, x², y², xy along the last axis."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    across, down = n * xx - x * x, n * yy - y * y
    # What rounding leaves of a variance of zero is no variance.
    alive = (across > 1e-12 * n * xx) & (down > 1e-12 * n * yy)
    # No root of a negative number that rounding left.
    product = np.where(alive, across * down, 0.0)
    return np.clip(divide(n * xy - x * y, np.sqrt(product)), -1, 1)


def _compute_concordance(sums: Floats) -> Floats:
    """Return quadratically weighted κ from sums of 1, x, y, x², y², xy along the last axis."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    seen = (xx + yy - 2 * xy) / n
    chance = (xx + yy) / n - 2 * x * y / (n * n)
    return 1 - divide(seen, chance, 1e-12)


def _compute_kappa(tables: Floats, size: int) -> Floats:
    """Return κ of each table of counts, shape (tables, size²)."""
    shares = tables.reshape(-1, size, size) / tables.sum(axis=1)[:, None, None]
    agreed = np.trace(shares, axis1=1, axis2=2)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    # Where chance alone explains everything, κ is not defined.
    return divide(agreed - chance, 1 - chance, 1e-12)


def compute_mean_ranks(counts: Floats) -> Floats:
    """Return the mean rank of each value, less a constant: counts have shape (values in order, resamples)."""
    middle: Floats = np.cumsum(counts, axis=0) - counts / 2
    return middle


@dataclass(frozen=True)
class _Crossed:
    """Pairs of ratings, equal pairs counted together."""

    counts: Any
    """Sparse, shape (distinct pairs, instances)."""

    rows: tuple[NDArray[np.intp], NDArray[np.intp]]
    """Indices of each distinct pair of ratings among the first and the second rater's distinct values."""

    values: tuple[Any, Any]
    """Sparse, shape (distinct values, instances), for the one and the other."""

    @property
    def size(self) -> int:
        return len(self.rows[0])

    @classmethod
    def of(cls, pairs: _Pairs) -> "_Crossed":
        from scipy.sparse import csr_array

        codes_of_first, codes_of_second = number_labels(pairs.one), number_labels(pairs.other)
        width = int(codes_of_second.max()) + 1
        # One number for both ratings: equal pairs are counted together.
        distinct, which = np.unique(codes_of_first * width + codes_of_second, return_inverse=True)
        ones = np.ones(len(codes_of_first))
        counts, first, second = (
            csr_array((ones, (codes.reshape(-1), pairs.clusters)), shape=(codes.max() + 1, pairs.size))
            for codes in (which, codes_of_first, codes_of_second)
        )
        return cls(counts, (distinct // width, distinct % width), (first, second))

    def rank_correlation(self, weights: Floats) -> Floats:
        """Return ρ in each resample; weights have shape (instances, resamples)."""
        ranks, squares = [], []
        for values in self.values:
            counts = values @ weights
            rank = compute_mean_ranks(counts) - counts.sum(axis=0) / 2
            ranks.append(rank)
            squares.append((counts * rank * rank).sum(axis=0))
        products: Floats = self.counts @ weights
        for start in range(0, self.size, ROWS):
            part = slice(start, start + ROWS)
            for rank, rows in zip(ranks, self.rows, strict=True):
                products[part] *= rank.take(rows[part], axis=0)
        return np.clip(divide(products.sum(axis=0), np.sqrt(squares[0] * squares[1])), -1, 1)


def add_interval(agreement: Agreement, draws: Floats) -> Agreement:
    """Add the bootstrap interval of a measure, or the reason why the measure has no interval."""
    # A resample may draw instances whose ratings are all the same: there the measure is not defined.
    known = draws[np.isfinite(draws)]
    if agreement.clusters < MINIMUM_PICTURES:
        return replace(agreement, reason=f"no interval from fewer than {MINIMUM_PICTURES} instances")
    if len(known) < (1 - UNDEFINED_SHARE) * len(draws):
        return replace(agreement, reason="no interval: resamples of the instances often leave it undefined")
    # Such as two raters who agree in everything: the resamples cannot show any doubt.
    if np.ptp(known) < 1e-12:
        return replace(agreement, reason="no interval: no difference between instances to draw on")
    low, high = np.quantile(known, widen_levels(agreement.clusters))
    return replace(agreement, low=float(low), high=float(high))


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
    table, labels = check_ratings(ratings, clusters)
    # A unit with one rating has no pair, and adds nothing to either disagreement.
    paired = (~np.isnan(table)).sum(axis=0) >= 2
    units = _Units.of(table[:, paired], number_labels(labels[paired]), level)
    plain = Agreement(None, None, None, len(units.clusters), units.size, None)
    if not paired.any():
        return replace(plain, reason="no unit was rated by two raters")
    if len(units.values) == 1:
        return replace(plain, reason="all ratings are the same")
    # Every instance once: the weights of the actual data.
    value = float(units.alpha(np.ones((units.size, 1)))[0])
    # Ranks are taken anew in each resample, so that the cost goes by units and not by instances.
    cells = len(units.clusters) if level == "ordinal" else units.size
    weights = count_draws(units.size, limit_resamples(resamples, cells), seed)
    draws = np.concatenate([units.alpha(part) for part in split_resamples(weights, cells)])
    return add_interval(replace(plain, value=value), draws)


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
            within, between = self._count_disagreements(), n * n - (counts**2).sum(axis=0)
        else:
            # Ranks less their middle, which keeps rounding small.
            ranks = compute_mean_ranks(counts) - n / 2 if self.level == "ordinal" else self._centre_ratings()
            within = self._sum_squares(ranks)
            between = 2 * (n * (counts * ranks**2).sum(axis=0) - (counts * ranks).sum(axis=0) ** 2)
        observed = np.einsum("ij,ij->j", each, np.broadcast_to(within, each.shape))
        return 1 - divide((n - 1) * observed, between)

    def _centre_ratings(self) -> Floats:
        """Return the ratings less their middle, which keeps rounding small, shape (values, 1)."""
        centred: Floats = self.values - self.values.mean()
        return centred[:, None]

    def _count_ratings(self) -> Floats:
        """Return the ratings of each unit, shape (units, 1)."""
        return np.asarray(self.counts.sum(axis=1), np.float64).reshape(-1, 1)

    def _count_disagreements(self) -> Floats:
        """Return the ordered pairs of different ratings of each unit over m − 1, shape (units, 1)."""
        raters = self._count_ratings()
        same = np.asarray(self.counts.power(2).sum(axis=1), np.float64).reshape(-1, 1)
        other: Floats = (raters**2 - same) / (raters - 1)
        return other

    def _sum_squares(self, ranks: Floats) -> Floats:
        """Return Σ (r − r′)² over ordered pairs of each unit over m − 1; ranks have shape (values, resamples or 1)."""
        raters = self._count_ratings()
        within: Floats = 2 * (raters * (self.counts @ ranks**2) - (self.counts @ ranks) ** 2) / (raters - 1)
        return within
