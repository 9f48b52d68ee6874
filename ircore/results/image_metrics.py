"""Image metrics: title, unit, direction and range, and how they agree with judges and people.

How image metrics agree with judges, people and each other's orders: the question RQ 4 of ConvGenVisMo.

Two questions are asked of every metric and rater. On the renderings that both have a value for: does the metric order
them as the rater does (correlations)? In the episodes of two renderings or more: does the metric say that the final one
is better exactly where the rater prefers it? Values of a metric for which lower is better are negated first, so that 1
always means agreement. Intervals are clustered on instances.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ircore.core.errors import InputError
from ircore.core.plugins import load_plugin
from ircore.results.agreement import EpisodesByRun
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.agreement import Agreement, observed_agreement, pearson, spearman
from ircore.results.statistics.intervals import OPEN, Scale
from ircore.scorers.metrics.base import MetricKey


@dataclass(frozen=True)
class MetricFacts:
    """Title, unit, direction and range of a metric.

    Example:
        >>> describe_metric("psnr").unit
        'dB'
    """

    name: str
    """Name of the metric, as in scores."""

    title: str
    """Title of the metric, for people."""

    unit: str
    """Unit, such as ``dB``; empty if the metric has no unit, or none is known."""

    higher_is_better: bool
    """Direction; higher for a metric that is not installed here."""

    scale: Scale
    """Possible values."""


def describe_metric(name: str) -> MetricFacts:
    """Return name, unit, direction and scale of a metric; the name alone if the metric is not installed."""
    key = MetricKey.parse(name)
    try:
        metric = load_plugin("metrics", key.name)
    # Runs may hold values of a metric of another package, which need not be installed, or sound, to show them.
    except InputError:
        return MetricFacts(name, name, "", True, OPEN)
    title = metric.title if key.loading == "upstream" else f"{metric.title}, native loading"
    low = -np.inf if metric.low is None else metric.low
    high = np.inf if metric.high is None else metric.high
    return MetricFacts(name, title, metric.unit, metric.higher_is_better, Scale(low, high))


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


def compare_metrics(
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
    return tuple(_compare_metric(played, metric, rater) for metric in metrics for rater in raters)


def _compare_metric(played: Sequence[EpisodeResult], metric: str, rater: str) -> MetricAgreement:
    sign = 1.0 if describe_metric(metric).higher_is_better else -1.0
    measured, rated, renderings = [], [], []
    changes, choices, instances = [], [], []
    for result in played:
        values, judged = result.metrics.get(metric, {}), result.judged.get(rater)
        if judged is None:
            continue
        instance = result.episode.instance_id
        for turn, value in values.items():
            measured.append(_convert_number(value) * sign)
            rated.append(_convert_number(judged.trajectory.get(turn)))
            renderings.append(instance)
        steps = [*result.episode.renderings]
        changes.append(
            _encode_choice(sign * (_convert_number(values.get(steps[-1])) - _convert_number(values.get(steps[0]))))
        )
        # A tie is no choice, so that it is left out as a change of 0 is.
        choices.append(_convert_number(judged.preference if judged.preference != 0.5 else None))
        instances.append(instance)
    return MetricAgreement(
        metric,
        rater,
        pearson(measured, rated, renderings),
        spearman(measured, rated, renderings),
        observed_agreement(changes, choices, instances),
    )


def _convert_number(value: float | None) -> float:
    return np.nan if value is None else value


def _encode_choice(change: float) -> float:
    """Return 1 where the final rendering is better, 0 where the first is; NaN where neither is or nothing is known."""
    return np.nan if np.isnan(change) or change == 0 else float(change > 0)
