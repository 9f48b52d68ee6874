"""Monotone maps from a judge's scale to the humans': their fits, their errors, and mapped scores with intervals.

A fit takes, for every resample, how many values were seen at each level of the first scale and the sum of what they are
on the second. It returns curves on ``GRID`` that never fall. There is no loop over resamples.

Everything that varies is drawn again by whole instances: the instances that humans rated make the map uncertain, the
instances of a cell make its mean uncertain, and ``Recalibration.cells`` carries both into one interval.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircore.results.statistics.agreement import check_ratings
from ircore.results.statistics.bootstrap import SCORE, Ratios, resample
from ircore.results.statistics.intervals import Estimate, compute_mean_ends, t_quantile
from ircore.results.statistics.resamples import divide, widen_levels

Floats = NDArray[np.float64]
MapName = Literal["linear", "logistic", "isotonic"]

LOWEST, HIGHEST = 0.0, 10.0
"""Ends of both scales."""

STEP = 0.1
"""Scores are told apart to this much: far finer than two judges of one picture agree."""

GRID: Floats = np.linspace(LOWEST, HIGHEST, 101)
"""Grid on which curves are known; between its points they are straight."""

NEWTON_STEPS = 12
"""The logistic fit is convex and quadratic near its end: this many steps reach 10⁻⁸ from the start used."""

STEEPEST = 20.0
"""Steepest logistic: from 1 to 9 within a fifth of a point, a jump for all purposes."""


def fit_linear(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit straight lines by least squares, slope ≥ 0, cut off where the scale ends.

    Args:
        levels: Distinct scores in order, shape (levels,).
        counts: How many values each level has, ≥ 0, shape (resamples, levels); each row has some.
        sums: The sums of those values, the same shape.

    Returns:
        Shape (resamples, len(GRID)).
    """
    n = counts.sum(axis=1)
    middle = counts @ levels / n
    mean = sums.sum(axis=1) / n
    spread = counts @ levels**2 / n - middle**2
    joint = sums @ levels / n - middle * mean
    # A resample may hold equal scores only: a line through them has no slope to be told.
    slope = np.where(spread > 1e-9, np.maximum(joint, 0) / np.maximum(spread, 1e-9), 0)
    lines: Floats = np.clip(mean[:, None] + slope[:, None] * (GRID - middle[:, None]), LOWEST, HIGHEST)
    return lines


def fit_logistic(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit S-shaped curves 10 / (1 + exp(−a − b·x)), b ≥ 0, by quasi-likelihood for shares.

    The fractional logit of Papke and Wooldridge (1996), *Econometric Methods for Fractional Response Variables*,
    Journal of Applied Econometrics 11; Newton's method on all resamples together.

    Arguments and result are those of ``linear``.
    """
    from scipy.special import expit, logit

    n = counts.sum(axis=1)
    shares = sums / (HIGHEST - LOWEST)
    # Cut off, since a share of 0 or 1 has an infinite logit.
    start = logit(np.clip(shares.sum(axis=1) / n, 0.01, 0.99))
    # Around the middle of the scale the two parameters hardly depend on each other.
    x = levels - (LOWEST + HIGHEST) / 2
    a, b = start, np.zeros_like(start)
    for _ in range(NEWTON_STEPS):
        fitted = expit(a[:, None] + b[:, None] * x)
        rest, curved = shares - counts * fitted, counts * fitted * (1 - fitted)
        # A small number on the diagonal: where all fitted shares are near 0 or 1, the matrix is nearly singular.
        h0, h1, h2 = curved.sum(axis=1) + 1e-6, curved @ x, curved @ x**2 + 1e-6
        g0, g1 = rest.sum(axis=1), rest @ x
        size = np.maximum(h0 * h2 - h1 * h1, 1e-9)
        # Short steps: far from the end a whole Newton step overshoots.
        a = np.clip(a + np.clip((h2 * g0 - h1 * g1) / size, -2, 2), -50, 50)
        b = np.clip(b + np.clip((h0 * g1 - h1 * g0) / size, -1, 1), 0, STEEPEST)
    # Without a slope the best curve is level at the mean, which is where the fit began.
    a = np.where(b > 0, a, start)
    curves: Floats = HIGHEST * expit(a[:, None] + b[:, None] * (GRID - (LOWEST + HIGHEST) / 2))
    return curves


def fit_isotonic(levels: Floats, counts: Floats, sums: Floats) -> Floats:
    """Fit the best curves of all that never fall, by least squares; straight between levels, level beyond them.

    The fit at a level is the largest, over blocks that begin at or before it, of the smallest mean over blocks that
    end at or after it (Robertson, Wright and Dykstra 1988, *Order Restricted Statistical Inference*, theorem 1.4.4).
    At a level that a resample lacks, the curve passes midway between its neighbours.

    Arguments and result are those of ``linear``.
    """
    size = len(levels)
    # Blocks take levels² numbers a resample: parts of two million bound the memory.
    part = max(1, 2_000_000 // size**2)
    fits = [_fit_isotonic_levels(counts[at : at + part], sums[at : at + part]) for at in range(0, len(counts), part)]
    return np.concatenate(fits) @ build_interpolation(GRID, levels)


def _fit_isotonic_levels(counts: Floats, sums: Floats) -> Floats:
    """Return the fit at the levels, the same shape."""
    zero = np.zeros((len(counts), 1))
    n = np.concatenate([zero, np.cumsum(counts, axis=1)], axis=1)
    total = np.concatenate([zero, np.cumsum(sums, axis=1)], axis=1)
    # Blocks from level i (axis 1) to level j (axis 2); those of no weight, and j < i, are no blocks.
    weight = n[:, None, 1:] - n[:, :-1, None]
    block = weight > 1e-9
    means = np.divide(total[:, None, 1:] - total[:, :-1, None], weight, out=np.zeros_like(weight), where=block)
    smallest = np.minimum.accumulate(np.where(block, means, np.inf)[:, :, ::-1], axis=2)[:, :, ::-1]
    largest = np.maximum.accumulate(np.where(block, means, -np.inf), axis=1)
    before = np.tri(counts.shape[1], dtype=bool).T
    upper = np.where(before & np.isfinite(smallest), smallest, -np.inf).max(axis=1)
    lower = np.where(before & np.isfinite(largest), largest, np.inf).min(axis=2)
    upper, lower = np.where(np.isfinite(upper), upper, lower), np.where(np.isfinite(lower), lower, upper)
    fitted: Floats = (upper + lower) / 2
    return fitted


def build_interpolation(at: Floats, points: Floats) -> Floats:
    """Return the matrix that turns values at ``points`` into values at ``at``, straight in between, level beyond.

    Args:
        at: Shape (places,).
        points: In order, all different, shape (points,).

    Returns:
        Shape (points, places).
    """
    matrix = np.zeros((len(points), len(at)))
    if len(points) == 1:
        return matrix + 1
    # Places beyond the last point take the last piece, where the share is cut off at 1.
    right = np.clip(np.searchsorted(points, at), 1, len(points) - 1)
    share = np.clip((at - points[right - 1]) / (points[right] - points[right - 1]), 0, 1)
    places = np.arange(len(at))
    matrix[right - 1, places] = 1 - share
    matrix[right, places] += share
    return matrix


MAPS: Mapping[MapName, Callable[[Floats, Floats, Floats], Floats]] = {
    "linear": fit_linear,
    "logistic": fit_logistic,
    "isotonic": fit_isotonic,
}
"""The simplest first: two parameters on a line, two on a curve, as many as there are levels."""


class Errors(NamedTuple):
    """Differences of scores from the humans' scores, in points of the scale, over all matched things.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> zero = Estimate(0.0, 0.0, 0.0, 50)
        >>> Errors(bias=zero, absolute=zero, squared=zero).bias.mean
        0.0
    """

    bias: Estimate
    """Mean of score − human score; above 0 the scores are too high. n counts matched things."""

    absolute: Estimate
    """Mean absolute error, ≥ 0; lower is better."""

    squared: Estimate
    """Root of the mean squared error, ≥ 0; lower is better."""


class MapCandidate(NamedTuple):
    """One kind of map as cross-validation sees it."""

    name: MapName
    """Kind of the candidate."""

    error: float
    """Root of the mean squared error on instances that the map was not fitted to."""

    excess: float
    """Mean squared error less that of the best candidate, ≥ 0, in squared points."""

    excess_error: float
    """Standard error of ``excess``, over instances; 0 for the best candidate."""


class ReliabilityBin(NamedTuple):
    """Things that the judge gives about the same score: a point of the reliability diagram.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> ReliabilityBin(judge=8.0, human=Estimate(6.4, 6.0, 6.8, 31), instances=20).human.mean
        6.4
    """

    judge: float
    """Mean score of the judge."""

    human: Estimate
    """Mean score of the humans; n counts things, the interval is clustered on instances."""

    instances: int
    """Instances that these things come from."""


class PairSpread(NamedTuple):
    """Spread of single pairs' mean errors once the map is applied: judge and humans like pairs differently.

    The mean error of one rated pair's things is a draw from those of all pairs. So a pair's mean on the humans' scale
    is off by a draw of the same kind: the spread of the rated pairs' mean errors, which also holds what their few
    ratings leave unsure, says how far. It is taken for rated pairs, whose own error the map does not take out; nothing
    says that a pair that nobody rated is like them.
    """

    names: frozenset[str]
    """The pairs that humans rated something of."""

    deviation: float
    """Standard deviation of their mean errors, divisor one less than their number, in points; 0 for a single pair."""

    @classmethod
    def of(cls, errors: Floats, names: Sequence[str]) -> "PairSpread":
        """Return the spread of errors of things, score less human's, by the pair that made each."""
        known = sorted(set(names))
        each = np.array(names)
        means = [float(errors[each == name].mean()) for name in known]
        return cls(frozenset(known), float(np.std(means, ddof=1)) if len(known) > 1 else 0.0)

    @property
    def reach(self) -> float | None:
        """Half the 95 % interval of another pair's mean error, t(0.975, k − 1) · s · √(1 + 1/k); None for one pair."""
        k = len(self.names)
        return t_quantile(k - 1) * self.deviation * (1 + 1 / k) ** 0.5 if k > 1 else None


class Point(NamedTuple):
    """A point of the map."""

    judge: float
    """Score of the judge, 0–10."""

    human: float
    """Expected score of humans, 0–10."""

    low: float
    """Lower end of the band, point by point, by bootstrap over instances."""

    high: float
    """Upper end of the band."""


@dataclass(frozen=True)
class Recalibrated:
    """The mean of a cell on the humans' scale."""

    value: float | None
    """0–10; None for a cell without scores."""

    low: float | None
    """Lower end of the interval that carries the cell's and the calibration's uncertainty; None if there is none."""

    high: float | None
    """Upper end; None exactly when ``low`` is."""

    n: int
    """Scores."""

    outside: int
    """Number of scores outside the range that the judge gave where humans rated too: the map's end was used."""


@dataclass(frozen=True)
class Recalibration:
    """A monotone map from a judge's scale to the humans'.

    Example:
        >>> from ircore.results.statistics.recalibration import recalibrate
        >>> rng = np.random.default_rng(0)
        >>> judge = rng.integers(0, 11, 200)
        >>> fitted = recalibrate(judge, judge / 2, np.arange(200), fitted_for="gpt")
        >>> bool(fitted.apply([8.0])[0][0] < 6)
        True
    """

    fitted_for: str
    """The judge whose scores it maps."""

    groups: frozenset[str]
    """The categories that were among the rated things."""

    method: MapName
    """The kind of map that was chosen."""

    candidates: tuple[MapCandidate, ...]
    """All kinds that were tried, the simplest first."""

    n: int
    """Matched things it was fitted to."""

    instances: int
    """Instances that they come from."""

    range: tuple[float, float]
    """Lowest and highest score of the judge among them; beyond it the map is level."""

    before: Errors
    """Errors of the judge's scores before recalibration."""

    after: Errors
    """Errors of recalibrated scores, each by a map that was not fitted to the score's instance."""

    reliability: tuple[ReliabilityBin, ...]
    """Judge's scores rounded to whole points, lowest first."""

    pairs: PairSpread | None
    """Spread between pairs; None where pairs are unknown and all things count as of one pair."""

    curve: Floats = field(repr=False)
    """The map on ``GRID``, shape (len(GRID),)."""

    draws: Floats = field(repr=False)
    """The map fitted to each resample, shape (resamples, len(GRID))."""

    def apply(self, scores: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
        """Map single scores.

        Args:
            scores: Of the judge, finite, any shape.

        Returns:
            The expected human scores, and which of the scores lie outside ``range``; both of the shape of ``scores``.
        """
        plain = np.asarray(scores, np.float64)
        if not np.isfinite(plain).all():
            raise ValueError("a score is not finite")
        return np.interp(np.clip(plain, *self.range), GRID, self.curve), self._are_outside(plain)

    def map(self) -> tuple[Point, ...]:
        """Return the map with its band, from one end of ``range`` to the other in steps of ``STEP``."""
        low, high = np.quantile(self.draws, widen_levels(self.instances), axis=0)
        first, last = (round(end / STEP) for end in self.range)
        inside = slice(first, last + 1)
        return tuple(
            Point(*(float(value) for value in point))
            for point in zip(GRID[inside], self.curve[inside], low[inside], high[inside], strict=True)
        )

    def mean(self, scores: ArrayLike) -> Recalibrated:
        """Return the mean of scores on the humans' scale: ``cells`` of one cell.

        Args:
            scores: Of the judge, one an instance, shape (scores,); NaN where missing.
        """
        plain = np.asarray(scores, np.float64)
        return self.cells(plain, np.ones((len(plain), 1), np.bool_), [""] * len(plain))[0]

    def cells(self, scores: ArrayLike, members: NDArray[np.bool_], labels: Sequence[str]) -> list[Recalibrated]:
        """Return the means of cells on the humans' scale, with intervals for all that is uncertain about them.

        Three things are unsure, each by its own: the mean of the mapped scores, with the interval of every mean
        (``intervals``); the map, with the percentiles of the means that maps fitted to resamples give; and how far a
        pair may be off the map. To either side they add up in quadrature (Zou and Donner 2008, Statistics in Medicine
        27). Of the ratings of a single pair the last is unknown, and there is no interval, as for a cell of one
        instance.

        Args:
            scores: Of the judge, one an instance, shape (instances,); NaN where missing.
            members: Which instances belong to which cell, shape (instances, cells).
            labels: The stratum of each instance, such as its condition; a set has a fixed number of each.

        Raises:
            ValueError: A score is infinite.
        """
        table, _ = check_ratings(scores, None)
        known = ~np.isnan(table[0])
        x, belongs = table[0, known], members[known].astype(np.float64)
        counts = belongs.sum(axis=0)
        points = build_interpolation(np.clip(x, *self.range), GRID)
        used = points.any(axis=1)
        mapped, drawn_maps = self.curve @ points, self.draws[:, used] @ points[used]
        fixed = divide(drawn_maps @ belongs, np.broadcast_to(counts, (len(self.draws), len(counts))))
        ratios = Ratios(mapped[:, None] * belongs, belongs)
        conditions = [label for label, is_known in zip(labels, known.tolist(), strict=True) if is_known]
        ends = compute_mean_ends(ratios.moments(resample(conditions), SCORE), SCORE)
        outside = self._are_outside(x) @ belongs
        return [
            self._recalibrate_mean(float(value), int(count), int(beyond), (float(low), float(high)), fixed[:, at])
            for at, (value, count, beyond, low, high) in enumerate(
                zip(ratios.points, counts, outside, *ends, strict=True)
            )
        ]

    def _recalibrate_mean(
        self, value: float, n: int, outside: int, ends: tuple[float, float], draws: Floats
    ) -> Recalibrated:
        if n == 0:
            return Recalibrated(None, None, None, 0, 0)
        pair = 0.0 if self.pairs is None else self.pairs.reach
        if n < 2 or pair is None:
            return Recalibrated(value, None, None, n, outside)
        maps = np.quantile(draws, widen_levels(self.instances))
        below = float(np.sqrt((value - ends[0]) ** 2 + max(0.0, value - maps[0]) ** 2 + pair**2))
        above = float(np.sqrt((ends[1] - value) ** 2 + max(0.0, maps[1] - value) ** 2 + pair**2))
        return Recalibrated(value, max(LOWEST, value - below), min(HIGHEST, value + above), n, outside)

    def _are_outside(self, scores: Floats) -> NDArray[np.bool_]:
        return np.asarray((scores < self.range[0] - 1e-9) | (scores > self.range[1] + 1e-9))
