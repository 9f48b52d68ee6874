"""Recalibration of a judge's scores to the humans' scale, with its uncertainty.

``recalibrate`` fits a monotone map from the scores of a judge to those that humans gave to the same things. It is a
regression: the map says which human score to expect, on average, of things that a judge gives some score. So it holds
for things like those that humans rated, and it draws scores towards their mean where judge and humans agree little.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ircore.core.plain_words import format_count
from ircore.results.statistics.agreement import check_ratings, number_labels
from ircore.results.statistics.bootstrap import SEED
from ircore.results.statistics.calibration_map import (
    GRID,
    HIGHEST,
    LOWEST,
    MAPS,
    STEP,
    Errors,
    Floats,
    MapCandidate,
    MapName,
    PairSpread,
    Recalibration,
    ReliabilityBin,
)
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate
from ircore.results.statistics.resamples import count_draws, divide, widen_levels

RESAMPLES = 2_000
"""Number of resamples of instances: ends of intervals then vary by some 3 % of their width with the seed."""

FEWEST_ITEMS = 30
"""Fewer rated things than this give no map: with the spread that humans and judges have around each other (about 2
points), the mean of a third of them, low, middle or high, would be unsure by more than a point (2 · 2 / √10)."""

FEWEST_INSTANCES = 10
"""Fewer instances than this give no map: the bootstrap draws from them, and with fewer its intervals are too narrow."""


@dataclass(frozen=True)
class Refusal:
    """Reason why there is no recalibration."""

    reason: str
    """One line."""

    n: int
    """Matched things."""

    instances: int
    """Instances that they come from."""


@dataclass(frozen=True)
class _Matched:
    """Things that judge and humans both rated."""

    judge: Floats
    human: Floats
    clusters: NDArray[np.intp]
    pairs: tuple[str, ...] | None

    @property
    def size(self) -> int:
        return int(self.clusters.max(initial=-1)) + 1

    def fit(self, name: MapName, weights: Floats) -> Floats:
        """Fit one kind of map to each resample, shape (resamples, len(GRID)); weights: (instances, resamples)."""
        levels, counts, sums = self.sums()
        return MAPS[name](levels, weights.T @ counts, weights.T @ sums)

    def sums(self) -> tuple[Floats, Floats, Floats]:
        """Return the levels, and how many things at each level an instance has, and the sum of their human scores."""
        # Scores to a tenth of a point: fits cost by the number of levels.
        levels, codes = np.unique(np.round(self.judge / STEP) * STEP, return_inverse=True)
        counts, sums = np.zeros((2, self.size, len(levels)))
        np.add.at(counts, (self.clusters, codes), 1)
        np.add.at(sums, (self.clusters, codes), self.human)
        return levels, counts, sums

    def cross_validate(self, name: MapName) -> Floats:
        """Return the recalibrated scores, each by the map fitted to all other instances, shape (things,)."""
        # One resample for each instance, in which all others count once.
        curves = self.fit(name, 1 - np.eye(self.size))
        # Curves are known on a grid of STEP, so that the place on the grid is the score over STEP.
        at = np.clip((self.judge - LOWEST) / STEP, 0, len(GRID) - 1)
        left = np.minimum(at.astype(np.intp), len(GRID) - 2)
        share = at - left
        scores: Floats = curves[self.clusters, left] * (1 - share) + curves[self.clusters, left + 1] * share
        return scores

    def left_out_error(self, curves: Floats, weights: Floats) -> Floats:
        """Return each resample's sum of squared errors on instances not drawn, up to a constant of the resample."""
        levels, counts, sums = self.sums()
        # An instance that a resample did not draw is new to the map that was fitted to the resample.
        left_out = (weights == 0).T.astype(np.float64)
        at = curves[:, np.round(levels / STEP).astype(np.intp)]
        # The square of the human scores, which no map changes, is left out.
        error: Floats = (at**2 * (left_out @ counts) - 2 * at * (left_out @ sums)).sum(axis=1)
        return error

    def mean(self, values: Floats, weights: Floats) -> Estimate:
        """Return the mean of values with its interval, where values of one cluster resemble each other."""
        sums = np.bincount(self.clusters, values, self.size)
        counts = np.bincount(self.clusters, minlength=self.size).astype(np.float64)
        low, high = np.quantile((sums @ weights) / (counts @ weights), widen_levels(self.size))
        return Estimate(float(values.mean()), float(low), float(high), len(values))


def recalibrate(
    judge: ArrayLike,
    human: ArrayLike,
    clusters: ArrayLike,
    *,
    fitted_for: str,
    groups: Iterable[str] = (),
    pairs: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Recalibration | Refusal:
    """Fit a monotone map from a judge's scores to the humans'.

    Straight line, logistic curve and isotonic steps are compared by cross-validation that leaves out one instance at a
    time. Taken is the simplest whose mean squared error is above the best one's by no more than one standard error of
    that difference, over instances (after Breiman and others 1984, *Classification and Regression Trees*, section
    3.4.3).

    Args:
        judge: Scores of the judge, 0–10, shape (things,); NaN where missing.
        human: Mean scores that humans gave to the same things.
        clusters: Instance of each thing, any labels.
        fitted_for: Name of the judge.
        groups: Categories of the things.
        pairs: The pair that made each thing, such as its run; without it, how far single pairs may be off is not in the
            intervals.
        resamples: How often the instances are drawn again.
        seed: Of the draws.

    Returns:
        The map, or why there is none: fewer than ``FEWEST_ITEMS`` things or ``FEWEST_INSTANCES`` instances rated by
        both, constant scores, or a judge whose scores do not rise with the humans'.

    Raises:
        ValueError: The shapes differ, or a score is outside 0–10.
    """
    matched = _match_scores(judge, human, clusters, pairs)
    if reason := _explain_unfit(matched):
        return Refusal(reason, len(matched.judge), matched.size)
    candidates, method = _choose(matched)
    weights = count_draws(matched.size, resamples, seed)
    scores = matched.cross_validate(method)
    return Recalibration(
        fitted_for=fitted_for,
        groups=frozenset(groups),
        method=method,
        candidates=candidates,
        n=len(matched.judge),
        instances=matched.size,
        range=(float(matched.judge.min()), float(matched.judge.max())),
        before=_measure_errors(matched, matched.judge, weights),
        after=_measure_errors(matched, scores, weights),
        reliability=_bin_reliability(matched, weights),
        pairs=None if matched.pairs is None else PairSpread.of(scores - matched.human, matched.pairs),
        curve=matched.fit(method, np.ones((matched.size, 1)))[0],
        draws=_fit_resampled_maps(matched, weights),
    )


def _match_scores(judge: ArrayLike, human: ArrayLike, clusters: ArrayLike, pairs: Sequence[str] | None) -> _Matched:
    first, second = np.asarray(judge, np.float64), np.asarray(human, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"scores must match one to one, got shapes {first.shape} and {second.shape}")
    table, labels = check_ratings([first, second], clusters)
    if np.nanmin(table, initial=LOWEST) < LOWEST or np.nanmax(table, initial=HIGHEST) > HIGHEST:
        raise ValueError(f"a score is outside {LOWEST:g} to {HIGHEST:g}")
    known = ~np.isnan(table[0] + table[1])
    rated = None if pairs is None else tuple(name for name, both in zip(pairs, known.tolist(), strict=True) if both)
    return _Matched(table[0, known], table[1, known], number_labels(labels[known]), rated)


def _explain_unfit(matched: _Matched) -> str | None:
    n = len(matched.judge)
    if n < FEWEST_ITEMS:
        return f"{format_count(n, 'rendering')} rated by both judge and humans; at least {FEWEST_ITEMS} are needed"
    if matched.size < FEWEST_INSTANCES:
        return f"ratings of {matched.size} instances; at least {FEWEST_INSTANCES} are needed"
    if np.ptp(matched.judge) == 0:
        return "the judge gives everything the same score"
    if np.ptp(matched.human) == 0:
        return "humans give everything the same score"
    # A map that never falls could only be level: it would say nothing of the judge.
    if np.cov(matched.judge, matched.human)[0, 1] <= 0:
        return "the judge's scores do not rise with those of humans"
    return None


def _choose(matched: _Matched) -> tuple[tuple[MapCandidate, ...], MapName]:
    n, size = len(matched.judge), matched.size
    squares = {name: (matched.cross_validate(name) - matched.human) ** 2 for name in MAPS}
    best = min(squares, key=lambda name: float(squares[name].mean()))
    candidates = []
    for name, square in squares.items():
        more = np.bincount(matched.clusters, square - squares[best], size)
        # The standard error of a sum over instances, since things of one instance resemble each other.
        deviation = float(np.sqrt(size / (size - 1) * ((more - more.mean()) ** 2).sum()) / n)
        candidates.append(MapCandidate(name, float(np.sqrt(square.mean())), float(more.sum() / n), deviation))
    # The best one has an excess of 0, so that there is always one; the simplest comes first.
    return tuple(candidates), next(
        candidate.name for candidate in candidates if candidate.excess <= candidate.excess_error
    )


def _fit_resampled_maps(matched: _Matched, weights: Floats) -> Floats:
    """Fit a map to each resample, shape (resamples, len(GRID)).

    The kind is chosen anew each time, by the error on the instances that the resample left out, so that the doubt about
    the kind is part of the spread.
    """
    fits = np.stack([matched.fit(name, weights) for name in MAPS])
    errors = np.stack([matched.left_out_error(curves, weights) for curves in fits])
    best = errors.argmin(axis=0)
    drawn: Floats = fits[best, np.arange(len(best))]
    return drawn


def _measure_errors(matched: _Matched, scores: Floats, weights: Floats) -> Errors:
    error = scores - matched.human
    squared = matched.mean(error**2, weights)
    mean, low, high = (
        None if end is None else float(np.sqrt(end)) for end in (squared.mean, squared.low, squared.high)
    )
    root = Estimate(mean, low, high, squared.n)
    return Errors(matched.mean(error, weights), matched.mean(np.abs(error), weights), root)


def _bin_reliability(matched: _Matched, weights: Floats) -> tuple[ReliabilityBin, ...]:
    whole = np.round(matched.judge)
    return tuple(_build_bin(matched, whole == score, weights) for score in np.unique(whole))


def _build_bin(matched: _Matched, chosen: NDArray[np.bool_], weights: Floats) -> ReliabilityBin:
    human = matched.human[chosen]
    counts = np.bincount(matched.clusters[chosen], minlength=matched.size).astype(np.float64)
    sums = np.bincount(matched.clusters[chosen], human, matched.size)
    size = int(np.count_nonzero(counts))
    low = high = None
    if size >= MINIMUM_PICTURES:
        # Some resamples draw none of the instances of this bin: there the mean is not defined.
        draws = divide(sums @ weights, counts @ weights)
        low, high = (float(end) for end in np.nanquantile(draws, widen_levels(size)))
    return ReliabilityBin(
        float(matched.judge[chosen].mean()), Estimate(float(human.mean()), low, high, len(human)), size
    )
