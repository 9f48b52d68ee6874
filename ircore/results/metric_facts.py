"""Title, unit, direction and range of image metrics, as runs name them."""

from dataclasses import dataclass

import numpy as np

from ircore.core.errors import InputError
from ircore.core.plugins import load
from ircore.results.statistics.scales import OPEN, Scale
from ircore.scorers.metrics.measure import MetricKey


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
    """Possible values."""


def metric_facts(name: str) -> MetricFacts:
    """Return name, unit, direction and scale of a metric; the name alone if the metric is not installed."""
    key = MetricKey.parse(name)
    try:
        metric = load("metrics", key.name)
    # Runs may hold values of a metric of another package, which need not be installed, or sound, to show them.
    except InputError:
        return MetricFacts(name, name, "", True, OPEN)
    title = metric.title if key.loading == "upstream" else f"{metric.title}, native loading"
    low = -np.inf if metric.low is None else metric.low
    high = np.inf if metric.high is None else metric.high
    return MetricFacts(name, title, metric.unit, metric.higher_is_better, Scale(low, high))
