"""Taking metrics by name and applying them: a value, or the reason why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.images import Pixels
from ircore.core.plugins import BrokenPluginError, available, load
from ircore.scorers.metrics.base import Metric, MetricUnavailableError


@dataclass(frozen=True)
class Measurement:
    """Value of one metric for one pair of pictures."""

    value: float | None
    """Value in the metric's unit; None if there is none."""

    reason: str | None
    """Reason why there is no value; None if there is a value."""


def load_metrics(names: Sequence[str] = ()) -> tuple[dict[str, Metric], dict[str, str]]:
    """Load metrics.

    Args:
        names: Their names; all that are installed if empty.

    Returns:
        The metrics by name, in the order asked for, and for each that cannot be
        loaded the reason.

    Raises:
        InputError: There is no metric of that name; the message names the nearest one.
    """
    metrics: dict[str, Metric] = {}
    lacking: dict[str, str] = {}
    for name in dict.fromkeys(names or available("metrics")):
        try:
            metrics[name] = load("metrics", name)
        except BrokenPluginError as error:
            lacking[name] = error.problem
    return metrics, lacking


def measure(metric: Metric, target: Pixels, image: Pixels) -> Measurement:
    """Apply a metric.

    Args:
        metric: Which.
        target: Height × width × 3 RGB, 0–255.
        image: The same, not necessarily of that size.
    """
    try:
        return Measurement(metric.compute(target, image), None)
    except MetricUnavailableError as error:
        return Measurement(None, str(error))
