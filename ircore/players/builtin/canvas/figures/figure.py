"""A chart or graph as it was described, before it has a place in the picture: plain data."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["bar", "line", "pie", "graph"]


@dataclass
class AxisTold:
    """An axis as it was described.

    Attributes:
        name: Its title; empty if none.
        low: Value at its left or lower end.
        high: Value at its other end.
        step: Between ticks.
        ticks: Values of the ticks.
        words: Categories in order, if it has such.
        colour: Of its line.
        is_drawn: Whether it has a line; None if nothing is said.
        has_arrow: Whether the line ends in an arrow.
    """

    name: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    ticks: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    colour: str | None = None
    is_drawn: bool | None = None
    has_arrow: bool = False


@dataclass
class Series:
    """A series of a chart: bars of one layer, or a line."""

    values: list[float | None]
    colour: str | None = None
    colours: list[str | None] = field(default_factory=list)
    dash: str = ""
    marker: str = ""
    name: str = ""
    is_labelled: bool = False


@dataclass
class Wedge:
    """A wedge of a pie."""

    share: float
    colour: str | None = None
    name: str = ""
    pulled: float = 0.0


@dataclass
class Look:
    """Properties that hold for a whole figure."""

    background: str | None = None
    panel: str | None = None
    grid: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Axis whose ticks have grid lines → colour and dash words."""
    has_frame: bool = False
    frame_colour: str | None = None
    outline: str | None = None
    is_filled: bool = False
    fill: str | None = None
    has_value_labels: bool = False


@dataclass
class Figure:
    """A chart or graph as told."""

    kind: Kind
    x: AxisTold
    y: AxisTold
    look: Look
    series: list[Series] = field(default_factory=list)
    is_lying: bool = False
    is_stacked: bool = False
