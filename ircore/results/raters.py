"""Agreement, crossed scores and recalibration of raters, computed once and shared by tables, figures and pages."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

# What computes is imported where it is asked for, since every board is made with ``Raters`` and needs none of it.
if TYPE_CHECKING:
    from ircore.results.agreement import AgreementResults, EpisodesByRun, RatedTask
    from ircore.results.statistics.calibration_map import Recalibration
    from ircore.results.statistics.recalibration import Refusal
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ircore.core.score_records import HUMAN
from ircore.results.agreement import EpisodesByRun, RatedTask
from ircore.results.episodes import EpisodeResult
from ircore.results.metric_facts import metric_facts
from ircore.results.statistics.agreement import Agreement, observed_agreement, pearson, spearman

NEAR = 1.0
"""Points apart up to which two scores count as near each other."""


@dataclass(frozen=True)
class CrossedRatings:
    """Two judges' scores of the renderings that both rated.

    Example:
        >>> CrossedRatings("gpt", "claude", {(7, 8): 3, (2, 2): 1}, renderings=4, near=1.0).counts[7, 8]
        3
    """

    first_judge: str
    """A judge."""

    second_judge: str
    """The other judge; people come last."""

    counts: Mapping[tuple[int, int], int]
    """Number of renderings by the two scores, each to the nearest whole point (a half upwards), 0–10."""

    renderings: int
    """Number of renderings that both judges rated."""

    near: float
    """Share of these on which the two are at most ``NEAR`` points apart, before rounding, 0–1."""


def crossed_ratings(task: RatedTask) -> tuple[CrossedRatings, ...]:
    """Return every two judges that rated the same renderings: judges with people first, then judges with judges.

    Args:
        task: Ratings of task 1, as ``ircore.results.agreement.rated_similarity`` collects them.
    """
    crossings = (_crossed(first, other, task) for first, other in _pairs(task))
    # Judges of different categories have no rendering in common.
    return tuple(crossed for crossed in crossings if crossed.renderings)


def _pairs(task: RatedTask) -> Iterator[tuple[str, str]]:
    machines = sorted(set(task.judges) - {HUMAN})
    if HUMAN in task.judges:
        yield from ((machine, HUMAN) for machine in machines)
    yield from combinations(machines, 2)


def _crossed(first: str, other: str, task: RatedTask) -> CrossedRatings:
    both = np.stack([task.judges[first], task.judges[other]])
    both = both[:, ~np.isnan(both).any(axis=0)]
    # Not NumPy's rint, which takes a half to the even number: 6.5 and 7.5 must both go up.
    first_scores, other_scores = np.floor(both + 0.5).astype(int)
    # One number for both: NumPy sorts rows of a table many times as slowly.
    width = int(other_scores.max(initial=0)) + 1
    codes, counts = np.unique(first_scores * width + other_scores, return_counts=True)
    by_scores = {divmod(code, width): count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
    near = float((np.abs(both[0] - both[1]) <= NEAR).mean()) if both.shape[1] else 0.0
    return CrossedRatings(first, other, by_scores, both.shape[1], near)


@dataclass(frozen=True)
class MetricAgreement:
    """A metric beside a rater.

    >>> from ircore.results.statistics.agreement import Agreement
    >>> none = Agreement(None, None, None, 0, 0, "no rendering has both")
    >>> MetricAgreement("ssim", "verified", none, none, none).metric
    'ssim'
    """

    metric: str
    """The metric."""

    rater: str
    """A judge; ``human`` is the mean of people."""

    pearson: Agreement
    """Pearson's r over renderings, −1 to 1; 1 is agreement, whatever the metric's direction."""

    spearman: Agreement
    """Spearman's ρ over the same."""

    preference: Agreement
    """Share of episodes in which both prefer the same of first and final rendering, 0–1; ties of either are left out.
    0.5 is what chance gives."""


def metric_agreements(
    episodes: EpisodesByRun, metrics: Sequence[str], raters: Sequence[str]
) -> tuple[MetricAgreement, ...]:
    """Hold every metric against every rater.

    Args:
        episodes: By run_id, all of one instance set.
        metrics: Names of image metrics.
        raters: Names of judges.

    Returns:
        One entry for each pair of metric and rater, metrics in their order.
    """
    played = [result for results in episodes.values() for result in results if result.episode.renderings]
    return tuple(_agreement(played, metric, rater) for metric in metrics for rater in raters)


def _agreement(played: Sequence[EpisodeResult], metric: str, rater: str) -> MetricAgreement:
    sign = 1.0 if metric_facts(metric).higher_is_better else -1.0
    measured, rated, renderings = [], [], []
    changes, choices, instances = [], [], []
    for result in played:
        values, judged = result.metrics.get(metric, {}), result.judged.get(rater)
        if judged is None:
            continue
        instance = result.episode.instance_id
        for turn, value in values.items():
            measured.append(_number(value) * sign)
            rated.append(_number(judged.trajectory.get(turn)))
            renderings.append(instance)
        steps = [*result.episode.renderings]
        changes.append(_choice(sign * (_number(values.get(steps[-1])) - _number(values.get(steps[0])))))
        # A tie is no choice, so that it is left out as a change of 0 is.
        choices.append(_number(judged.preference if judged.preference != 0.5 else None))
        instances.append(instance)
    return MetricAgreement(
        metric,
        rater,
        pearson(measured, rated, renderings),
        spearman(measured, rated, renderings),
        observed_agreement(changes, choices, instances),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _choice(change: float) -> float:
    """Return 1 where the final rendering is better, 0 where the first is; NaN where neither is or nothing is known."""
    return np.nan if np.isnan(change) or change == 0 else float(change > 0)


class Raters:
    """Judges and people who rated some runs.

    Args:
        episodes: By run_id, all of one instance set.
        metrics: Image metrics that are held against the judges.
        judges: These judges.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> Raters(Results.from_runs([RunFolder(Path("run"))]).episodes).agreement.annotators
        ()
    """

    def __init__(self, episodes: "EpisodesByRun", metrics: Sequence[str] = (), judges: Sequence[str] = ()) -> None:
        self._episodes = episodes
        self._metrics, self._judges = metrics, judges

    @cached_property
    def similarity(self) -> "RatedTask":
        """Ratings of renderings by every judge and annotator."""
        from ircore.results.agreement import rated_similarity

        return rated_similarity(self._episodes)

    @cached_property
    def agreement(self) -> "AgreementResults":
        """Agreement between every two raters."""
        from ircore.results.agreement import agreement_results

        return agreement_results(self._episodes, self.similarity)

    @cached_property
    def metric_agreements(self) -> "tuple[MetricAgreement, ...]":
        """Agreement of every image metric with every judge and with people."""
        return metric_agreements(self._episodes, self._metrics, self._judges)

    @cached_property
    def crossed(self) -> "tuple[CrossedRatings, ...]":
        """Crossed scores of every two judges."""
        return crossed_ratings(self.similarity)

    @cached_property
    def maps(self) -> "Mapping[str, Recalibration | Refusal]":
        """Recalibration of each judge's scores to people's scale."""
        from ircore.results.calibration import fit_maps

        return fit_maps(self._episodes)
