"""The scales of a plot area, which map values to pixels and back."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A linear axis in pixels: the value ``low`` lies at pixel ``start``, ``high`` at pixel ``end``.

    >>> scale = Scale(low=0, high=10, start=50, end=450)
    >>> scale(5), scale.value(90)
    (250.0, 1.0)
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel coordinate of a data value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def value(self, pixel: float) -> float:
        """Return the data value at a pixel coordinate."""
        return self.low + (pixel - self.start) / (self.end - self.start) * (self.high - self.low)


@dataclass(frozen=True)
class PlotArea:
    """Two scales at right angles; where they begin and end are the sides of the area, in pixels.

    >>> area = PlotArea(Scale(0, 10, 50, 450), Scale(0, 5, 400, 40))
    >>> area.left, area.top
    (50, 40)
    """

    x: Scale
    y: Scale

    @property
    def left(self) -> float:
        """Left side."""
        return self.x.start

    @property
    def right(self) -> float:
        """Right side."""
        return self.x.end

    @property
    def top(self) -> float:
        """Upper side."""
        return self.y.end

    @property
    def bottom(self) -> float:
        """Lower side."""
        return self.y.start
