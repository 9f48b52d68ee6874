"""A monotone map from a judge's scale to the humans', and mapped scores with their intervals.

Everything that varies is drawn again by whole instances: the instances that humans rated make the map uncertain, the
instances of a cell make its mean uncertain, and ``Recalibration.cells`` carries both into one interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircore.results.statistics.agreement import checked
from ircore.results.statistics.bootstrap import SCORE, Ratios, resample
from ircore.results.statistics.draws import quotient, widened
from ircore.results.statistics.intervals import Estimate, mean_ends, t_quantile
from ircore.results.statistics.monotone import GRID, HIGHEST, LOWEST, STEP, Floats, MapName, interpolation


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


class Candidate(NamedTuple):
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
    ratings leave unsure, says how far. It is taken for rated pairs too, whose own error the map does not take out.
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

    candidates: tuple[Candidate, ...]
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
        return np.interp(np.clip(plain, *self.range), GRID, self.curve), self._outside(plain)

    def map(self) -> tuple[Point, ...]:
        """Return the map with its band, from one end of ``range`` to the other in steps of ``STEP``."""
        low, high = np.quantile(self.draws, widened(self.instances), axis=0)
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
        table, _ = checked(scores, None)
        known = ~np.isnan(table[0])
        x, belongs = table[0, known], members[known].astype(np.float64)
        counts = belongs.sum(axis=0)
        points = interpolation(np.clip(x, *self.range), GRID)
        used = points.any(axis=1)
        mapped, drawn_maps = self.curve @ points, self.draws[:, used] @ points[used]
        fixed = quotient(drawn_maps @ belongs, np.broadcast_to(counts, (len(self.draws), len(counts))))
        ratios = Ratios(mapped[:, None] * belongs, belongs)
        conditions = [label for label, is_known in zip(labels, known.tolist(), strict=True) if is_known]
        ends = mean_ends(ratios.moments(resample(conditions)), SCORE)
        outside = self._outside(x) @ belongs
        return [
            self._recalibrated(float(value), int(count), int(beyond), (float(low), float(high)), fixed[:, at])
            for at, (value, count, beyond, low, high) in enumerate(
                zip(ratios.points, counts, outside, *ends, strict=True)
            )
        ]

    def _recalibrated(
        self, value: float, n: int, outside: int, ends: tuple[float, float], draws: Floats
    ) -> Recalibrated:
        if n == 0:
            return Recalibrated(None, None, None, 0, 0)
        pair = 0.0 if self.pairs is None else self.pairs.reach
        if n < 2 or pair is None:
            return Recalibrated(value, None, None, n, outside)
        maps = np.quantile(draws, widened(self.instances))
        below = float(np.sqrt((value - ends[0]) ** 2 + max(0.0, value - maps[0]) ** 2 + pair**2))
        above = float(np.sqrt((ends[1] - value) ** 2 + max(0.0, maps[1] - value) ** 2 + pair**2))
        return Recalibrated(value, max(LOWEST, value - below), min(HIGHEST, value + above), n, outside)

    def _outside(self, scores: Floats) -> NDArray[np.bool_]:
        return np.asarray((scores < self.range[0] - 1e-9) | (scores > self.range[1] + 1e-9))
