"""The figure that was described last, and its plot area."""

from dataclasses import dataclass
from typing import Literal

from ircore.core.plot_area import PlotArea

Kind = Literal["bar", "line", "pie", "graph"]


@dataclass(frozen=True)
class Place(PlotArea):
    """The plot area of a figure, and the colour of its axes and labels.

    >>> from ircore.core.plot_area import Scale
    >>> Place(Scale(0, 10, 50, 450), Scale(0, 100, 400, 20), "#222222").x(5)
    250.0
    """

    ink: str


@dataclass(frozen=True)
class DescribedFigure:
    """The figure that was described last, kept for corrections in its own terms."""

    kind: Kind
    words: tuple[str, ...]
    place: Place | None = None
    is_lying: bool = False
