"""The area of a plot and its axes, kept while the sentences about a plot are read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ircore.core.drawing import Point
from ircore.core.plot_area import Scale


@dataclass(frozen=True)
class Area:
    """The area of a plot as far as it was described; sides in pixels.

    >>> Area(60.0, 460.0, 20.0, 420.0, ranges={"x": (0, 10)}).scale("x")(5)
    260.0

    Attributes:
        ranges: Values at both ends of an axis of numbers, by axis.
        places: Pixels of the categories of an axis of words, by axis.
        labelled: Pixels of the labels of an axis, by axis.
    """

    left: float
    right: float
    top: float
    bottom: float
    letters: float = 13.0
    ink: str = "#222222"
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    places: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    labelled: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def scale(self, axis: str) -> Scale | None:
        """Return the scale of an axis of numbers; None if its range was not told."""
        ends = (self.left, self.right) if axis == "x" else (self.bottom, self.top)
        low, high = self.ranges.get(axis, (0.0, 0.0))
        return Scale(low, high, *ends) if low != high else None

    def point(self, x: float, y: float) -> Point | None:
        """Return the pixels of a point in the units of the plot; None if a range is unknown."""
        across, down = self.scale("x"), self.scale("y")
        return None if across is None or down is None else (across(x), down(y))
