"""A chart or graph as it was described, before it has a place in the picture: plain data."""

from dataclasses import dataclass, field

from ircore.players.builtin.canvas.described_figure import Kind


@dataclass
class DescribedAxis:
    """An axis as it was described.

    >>> DescribedAxis("Sales", low=0, high=40, step=10).words
    ()

    Attributes:
        name: Title; empty for none.
        low: Value at the left or lower end; None if unknown.
        high: Value at the other end; None if unknown.
        words: Categories in order; empty for an axis of numbers.
        is_drawn: Whether the axis has a line; None if unknown.
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
    """A wedge of a pie.

    >>> Wedge(25.0, "#ff0000", "Coal").pulled
    0.0
    """

    share: float
    colour: str | None = None
    name: str = ""
    pulled: float = 0.0


@dataclass
class Look:
    """Properties that hold for a whole figure.

    >>> Look(background="#ffffff").has_frame
    False
    """

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
    """A chart or graph as described.

    >>> days = DescribedAxis(words=("Mon", "Tue"))
    >>> Figure("bar", days, DescribedAxis("Sales"), Look(), [Series([12, 30])]).is_stacked
    False
    """

    kind: Kind
    x: DescribedAxis
    y: DescribedAxis
    look: Look
    series: list[Series] = field(default_factory=list)
    is_lying: bool = False
    is_stacked: bool = False
