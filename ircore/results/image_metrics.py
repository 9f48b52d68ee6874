"""Image metrics of the final renderings of each pair; never mixed with ratings."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ircore.core.errors import InputError
from ircore.core.plugins import load
from ircore.results.columns import filled
from ircore.results.conditions import strata, under
from ircore.results.episodes import EpisodeResult
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import Ratios, Scale, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate
from ircore.scorers.metrics.measure import MetricKey


@dataclass(frozen=True)
class MetricCell:
    """An image metric's values for one pair under one condition.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> MetricCell("a-b-1a2b3c4d", Estimate(0.9, 0.8, 1.0, 12), Estimate(0.1, 0.0, 0.2, 12)).final.mean
        0.9
    """

    run_id: str
    """The pair's run."""

    final: Estimate
    """Mean of the metric on the final renderings of played episodes, in the metric's unit."""

    change: Estimate
    """Mean of final minus first, over played episodes of at least two renderings."""


@dataclass(frozen=True)
class MetricFacts:
    """Title, unit, direction and range of a metric.

    Example:
        >>> metric_facts("psnr").unit
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
    """Possible values, without weight at the ends."""


def metric_facts(name: str) -> MetricFacts:
    """Return name, unit, direction and scale of a metric; the name alone if the metric is not installed."""
    key = MetricKey.parse(name)
    try:
        metric = load("metrics", key.name)
    # Runs may hold values of a metric of another package, which need not be installed, or sound, to show them.
    except InputError:
        return MetricFacts(name, name, "", True, Scale(-np.inf, np.inf, 0.0))
    title = metric.title if key.loading == "upstream" else f"{metric.title}, native loading"
    low = -np.inf if metric.low is None else metric.low
    high = np.inf if metric.high is None else metric.high
    return MetricFacts(name, title, metric.unit, metric.higher_is_better, Scale(low, high, 0.0))


def metric_cells(
    results: Results, metric: str, category: str | None = None, difficulty: str | None = None
) -> tuple[MetricCell, ...]:
    """Return the values of a metric for each pair, in the order of ``results.submissions``.

    The intervals are those of scores: bootstrap over instances, stratified by condition.

    Args:
        results: Of some runs.
        metric: One of ``results.metrics``.
        category: Only this category; None for all.
        difficulty: Only this difficulty; None for both.
    """
    chosen = under(results.instances, category, difficulty)
    drawn = resample(strata(chosen))

    def estimates(value: Callable[[EpisodeResult], float | None], scale: Scale) -> list[Estimate]:
        values = filled(chosen, results.episodes.values(), value)
        return ratio_intervals(Ratios.means(values), drawn, scale)

    scale = metric_facts(metric).scale
    finals = estimates(lambda result: _ends(result, metric)[1], scale)
    changes = estimates(
        # A change may be as large as the whole range of the metric, in either direction.
        lambda result: _change(result, metric),
        Scale(scale.lowest - scale.highest, scale.highest - scale.lowest, 0.0),
    )
    return tuple(
        MetricCell(submission.run_id, final, change)
        for submission, final, change in zip(results.submissions, finals, changes, strict=True)
    )


def _change(result: EpisodeResult, metric: str) -> float | None:
    first, final = _ends(result, metric)
    several = len(result.episode.rendered_turns) > 1
    return final - first if several and first is not None and final is not None else None


def _ends(result: EpisodeResult, metric: str) -> tuple[float | None, float | None]:
    turns, values = result.episode.rendered_turns, result.metrics.get(metric, {})
    return (values.get(turns[0].turn), values.get(turns[-1].turn)) if turns else (None, None)
