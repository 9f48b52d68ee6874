"""Every installed metric, of this package or of another package."""

from ircore.core.plugins import BrokenPluginError, available, load
from ircore.scorers.metrics.base import Metric


def installed_metrics() -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the installed metrics by name, and for each that cannot be imported the reason."""
    metrics: dict[str, Metric] = {}
    broken: dict[str, str] = {}
    for name in available("metrics"):
        try:
            metrics[name] = load("metrics", name)
        except BrokenPluginError as error:
            broken[name] = error.problem
    return metrics, broken
