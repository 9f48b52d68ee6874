"""Protocol of an image metric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ircore.core.images import Pixels

Over = Literal["pair", "set"]
"""A metric of one pair of pictures, or of two sets of pictures."""


class MetricUnavailableError(Exception):
    """The metric has no value for these pictures, or a package or file is missing; the text says why.

    Example:
        >>> raise MetricUnavailableError("identical pictures")
        Traceback (most recent call last):
            ...
        ircore.scorers.metrics.base.MetricUnavailableError: identical pictures
    """


def report_no_obstacle() -> str | None:
    """Return None: the metric needs only the package itself."""
    return None


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
        version: Of the definition and of the code; another one whenever a value may differ. Recorded with every value,
            so that values of an older version are computed again.
        over: ``pair``, or ``set`` for a metric that has no value for two pictures alone.
        reference: Whether it looks at the target at all.
        needs: What it needs beyond the package, for people, such as ``"extra clip, IRCORE_CLIP_MODEL"``; empty if
            nothing. What needs something is computed only where it is asked for by name.
        obstacle: Returns the reason why it cannot be computed here, such as missing weights; None if it can.
        trap: What is easily misread about its values; empty if nothing is.
        weights: Returns which weights it computes with, to be recorded beside the version; None if it has none.

    Example:
        >>> import numpy as np
        >>> def largest(target, image):
        ...     return float(np.abs(target.astype(int) - image).max())
        >>> metric = Metric(
        ...     "largest", "Largest difference", "", False, low=0, high=255, source="by hand", compute=largest
        ... )
        >>> metric.compute(np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 9, np.uint8))
        9.0
    """

    name: str
    title: str
    unit: str
    higher_is_better: bool
    low: float | None
    high: float | None
    source: str
    compute: Callable[[Pixels, Pixels], float]
    version: str = "1"
    over: Over = "pair"
    reference: bool = True
    needs: str = ""
    obstacle: Callable[[], str | None] = report_no_obstacle
    trap: str = ""
    weights: Callable[[], str | None] = report_no_obstacle

    @property
    def full_version(self) -> str:
        """Version of the definition and, if there are weights, which: the version that is recorded with a value."""
        weights = self.weights()
        return self.version if weights is None else f"{self.version}, {weights}"
