"""How image metrics agree with judges, people and each other's orders: the question RQ 4 of ConvGenVisMo.

Two questions are asked of every metric and rater. On the renderings that both have a value for: does the metric order
them as the rater does (correlations)? In the episodes of two renderings or more: does the metric say that the final one
is better exactly where the rater prefers it? Values of a metric for which lower is better are negated first, so that 1
always means agreement. Intervals are clustered on instances.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ircore.results.agreement import EpisodesByRun
from ircore.results.episodes import EpisodeResult
from ircore.results.metric_facts import metric_facts
from ircore.results.statistics.agreement import Agreement, observed_agreement, pearson, spearman


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
