"""Protocol of an image metric."""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.images import Pixels


class MetricUnavailableError(Exception):
    """The metric has no value for these pictures, or something it needs is not installed; the text says why."""


@dataclass(frozen=True)
class Metric:
    """A named image metric.

    Attributes:
        name: As in ``--metric`` and in scores.
        title: For tables.
        unit: Such as ``"dB"``; empty if it has none.
        higher_is_better: Direction.
        low: Smallest possible value; None if unbounded.
        high: Largest possible value; None if unbounded.
        source: Where the formula comes from.
        compute: Takes target and image, both height × width × 3 RGB 0–255, not necessarily of one size; raises
            ``MetricUnavailableError`` where it has no value.
    """

    name: str
    title: str
    unit: str
    higher_is_better: bool
    low: float | None
    high: float | None
    source: str
    compute: Callable[[Pixels, Pixels], float]
