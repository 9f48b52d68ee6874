"""Means of image metrics over final renderings, and their change over the turns; never mixed with ratings."""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.results.arrays import Array, arrange_values, select_condition, strata
from ircore.results.episodes import EpisodeResult
from ircore.results.image_metrics import describe_metric
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import Ratios, estimate_differences, estimate_ratios, resample
from ircore.results.statistics.intervals import Estimate, Scale


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


def estimate_metric_cells(
    results: Results, metric: str, category: str | None = None, difficulty: str | None = None
) -> tuple[MetricCell, ...]:
    """Return the values of a metric for each pair, in the order of ``results.submissions``.

    The intervals are those of scores: over instances, stratified by condition.

    Args:
        results: Of some runs.
        metric: One of ``results.metrics``.
        category: Only this category; None for all.
        difficulty: Only this difficulty; None for both.
    """
    chosen = select_condition(results.instances, category, difficulty)
    drawn = resample(strata(chosen))

    def values(value: Callable[[EpisodeResult], float | None]) -> Array:
        return arrange_values(chosen, results.episodes.values(), value)

    scale, last = describe_metric(metric).scale, values(lambda result: _find_first_and_last(result, metric)[1])
    # A change may be as large as the whole range of the metric, in either direction.
    whole = Scale(scale.lowest - scale.highest, scale.highest - scale.lowest)
    first = values(
        lambda result: _find_first_and_last(result, metric)[0] if len(result.episode.renderings) > 1 else None
    )
    finals = estimate_ratios(Ratios.means(last), drawn, scale)
    changes = estimate_differences(last - first, last, drawn, scale, whole)
    return tuple(
        MetricCell(submission.run_id, final, change)
        for submission, final, change in zip(results.submissions, finals, changes, strict=True)
    )


def _find_first_and_last(result: EpisodeResult, metric: str) -> tuple[float | None, float | None]:
    steps, values = [*result.episode.renderings], result.metrics.get(metric, {})
    return (values.get(steps[0]), values.get(steps[-1])) if steps else (None, None)
