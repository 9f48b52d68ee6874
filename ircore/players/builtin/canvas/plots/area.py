"""The area of a plot and its axes, kept while the sentences about a plot are read."""

from dataclasses import dataclass, replace

from ircore.core.drawing import Point
from ircore.core.plot_area import Scale


@dataclass(frozen=True)
class Area:
    """The area of a plot as far as it was described; sides in pixels.

    >>> area = Area(60.0, 460.0, 20.0, 420.0).with_range("x", 0, 10)
    >>> area.scale("x")(5)
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
    ranges: tuple[tuple[str, float, float], ...] = ()
    places: tuple[tuple[str, tuple[float, ...]], ...] = ()
    labelled: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def with_range(self, axis: str, low: float, high: float) -> "Area":
        """Return the area with the values at both ends of an axis."""
        return replace(self, ranges=(*(entry for entry in self.ranges if entry[0] != axis), (axis, low, high)))

    def with_places(self, axis: str, places: tuple[float, ...]) -> "Area":
        """Return the area with the pixels of an axis's categories."""
        return replace(self, places=(*(entry for entry in self.places if entry[0] != axis), (axis, places)))

    def with_labels(self, axis: str, places: tuple[float, ...]) -> "Area":
        """Return the area with the pixels of an axis's labels."""
        return replace(self, labelled=(*(entry for entry in self.labelled if entry[0] != axis), (axis, places)))

    def scale(self, axis: str) -> Scale | None:
        """Return the scale of an axis of numbers; None if its range was not told."""
        ends = (self.left, self.right) if axis == "x" else (self.bottom, self.top)
        return next((Scale(low, high, *ends) for name, low, high in self.ranges if name == axis and low != high), None)

    def categories(self, axis: str) -> tuple[float, ...]:
        """Return the pixels of the categories of an axis; empty for an axis of numbers."""
        return dict(self.places).get(axis, ())

    def labels_at(self, axis: str) -> tuple[float, ...]:
        """Return the pixels of the labels of an axis."""
        return dict(self.labelled).get(axis, ())

    def point(self, x: float, y: float) -> Point | None:
        """Return the pixels of a point in the units of the plot; None if a range is unknown."""
        across, down = self.scale("x"), self.scale("y")
        return None if across is None or down is None else (across(x), down(y))
