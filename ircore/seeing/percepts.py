"""Percepts: the vocabulary of seeing, wording and comparing.

All positions are pixels from the top left corner; x + 0.5 is the middle of pixel column x. Angles are degrees,
clockwise, 0 at 3 o'clock unless said otherwise. Colours are #rrggbb.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ircore.core import exact
from ircore.core.drawing import text_size

Point = tuple[float, float]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom; right and bottom are outside."""


@dataclass(frozen=True)
class Shape:
    """A closed figure, filled or drawn as an outline.

    >>> build_circle((50.0, 50.0), 20.0, 1257.0, "#ff0000").size
    (40.0, 40.0)

    Attributes:
        kind: circle, ellipse, ring, square, rectangle, triangle, regular, star or polygon.
        colour: Of the fill; None if only an outline is drawn.
        size: Width and height before rotation; for a ring its outer and inner diameter, for a star or regular polygon
            twice the outer and inner radius.
        rotation: Clockwise from upright; for a star or regular polygon, of its first corner from 12 o'clock.
        corners: In order; empty for round figures.
        outline: Colour and width of its outline, if it has one.
        area: Pixels it covers.
    """

    kind: str
    colour: str | None
    centre: Point
    size: Point
    rotation: float
    corners: tuple[Point, ...]
    outline: tuple[str, float] | None
    area: float
    box: Box


@dataclass(frozen=True)
class Likeness:
    """The function that a curve resembles.

    Attributes:
        family: parabola, cubic, sine, exponential, logarithm, root, hyperbola or absolute.
        off: Pixels that the curve is off it, at the 95th percentile.
        period: Of a sine, in pixels.
        levels: Asymptotes, or the corner of an absolute value, as axis and pixel, such as ``("y", 300.0)``.
        upward: Whether a parabola or absolute value opens upwards.
    """

    family: str
    off: float = field(compare=False)
    period: float = 0.0
    levels: tuple[tuple[str, float], ...] = ()
    upward: bool = False


@dataclass(frozen=True)
class Stroke:
    """A line or curve.

    >>> Stroke("#000000", 2.0, ((0.0, 0.0), (30.0, 40.0))).area
    100.0

    Attributes:
        points: Two for a straight line; the corners of a polyline; points a smooth curve passes.
        smooth: Whether the points are joined by a smooth curve.
        dash: solid, dashed, dotted or dash-dot.
        marker: Radius of the round markers on its points, if it has any.
        role: line, x axis, y axis, or curve.
    """

    colour: str
    width: float
    points: tuple[Point, ...]
    smooth: bool = False
    dash: str = "solid"
    marker: float | None = None
    role: str = "line"
    likeness: Likeness | None = None

    @property
    def area(self) -> float:
        """Number of pixels covered, roughly."""
        return self.width * math.fsum(exact.dist(first, second) for first, second in itertools.pairwise(self.points))

    @property
    def box(self) -> Box:
        """Smallest box around the line."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        half = self.width / 2
        return int(min(xs) - half), int(min(ys) - half), int(max(xs) + half) + 1, int(max(ys) + half) + 1


@dataclass(frozen=True)
class Grid:
    """Parallel lines of one colour.

    >>> Grid("#d3d3d3", 1.0, True, (100.0, 150.0), 60.0, 480.0).area
    840.0
    """

    colour: str
    width: float
    horizontal: bool
    at: tuple[float, ...]
    low: float
    high: float
    dash: str = "solid"

    @property
    def area(self) -> float:
        """Number of pixels covered, roughly."""
        return self.width * len(self.at) * (self.high - self.low)

    @property
    def box(self) -> Box:
        """Smallest box around the grid."""
        first, last = int(min(self.at)) - 1, int(max(self.at)) + 2
        low, high = int(self.low), int(self.high) + 1
        return (low, first, high, last) if self.horizontal else (first, low, last, high)


@dataclass(frozen=True)
class Ticks:
    """Short strokes on an axis at ``at`` (x of an x axis, y of a y axis), ``length`` pixels long.

    ``side`` is where they reach: outside (down or left), inside, or across it.

    >>> Ticks("#000000", 6.0, "x", (60.0, 120.0), (60, 400, 121, 406)).area
    18.0
    """

    colour: str
    length: float
    axis: str
    at: tuple[float, ...]
    box: Box
    side: str = "outside"

    @property
    def area(self) -> float:
        """Pixels they cover, about."""
        return 1.5 * self.length * len(self.at)


@dataclass(frozen=True)
class Bar:
    """A bar of a chart."""

    colour: str
    start: float
    end: float
    tip: float
    box: Box
    outline: tuple[str, float] | None = None


@dataclass(frozen=True)
class Bars:
    """Bars on one baseline, back to front.

    >>> bar = Bar("#ff0000", start=80.0, end=120.0, tip=220.0, box=(80, 220, 120, 450))
    >>> Bars(upright=True, base=450.0, bars=(bar,)).foot(bar)
    450.0
    """

    upright: bool
    base: float
    bars: tuple[Bar, ...]

    def foot(self, bar: Bar) -> float:
        """Return the coordinate where a bar begins: on the baseline, or on the bar below."""
        low, high = (bar.box[1], bar.box[3]) if self.upright else (bar.box[0], bar.box[2])
        foot = low if abs(low - bar.tip) > abs(high - bar.tip) else high
        # Outlines and antialiasing make the foot of a bar uncertain by some pixels.
        return self.base if abs(foot - self.base) <= 4 else float(foot)

    @property
    def area(self) -> float:
        """Pixels they cover, about."""
        return math.fsum((bar.box[2] - bar.box[0]) * (bar.box[3] - bar.box[1]) for bar in self.bars)

    @property
    def box(self) -> Box:
        """Smallest box around all."""
        return join_boxes([bar.box for bar in self.bars])


@dataclass(frozen=True)
class Pie:
    """Wedges clockwise from ``start`` degrees (0 at 12 o'clock): colours and shares of the whole, which sum to 1.

    ``pulled`` says how many pixels each wedge is pulled out; empty if none is.

    >>> wedges = (("#ff0000", 0.25), ("#0000ff", 0.75))
    >>> Pie((50.0, 50.0), 40.0, 0.0, 0.0, wedges, border=None, box=(10, 10, 90, 90)).pulled
    ()
    """

    centre: Point
    radius: float
    hole: float
    start: float
    wedges: tuple[tuple[str, float], ...]
    border: tuple[str, float] | None
    box: Box
    pulled: tuple[float, ...] = ()

    @property
    def area(self) -> float:
        """Number of pixels covered."""
        return 3.14159 * (self.radius * self.radius - self.hole * self.hole)


@dataclass(frozen=True)
class Text:
    """A line of writing.

    >>> Text("Mon", "#000000", 13.0, (50.0, 20.0), rotation=90.0, area=40.0, box=(44, 4, 56, 36)).width
    12.0

    Attributes:
        size: Of the font, in pixels.
        rotation: Counter-clockwise; 90 reads upwards.
        area: Pixels of ink.
    """

    text: str
    colour: str
    size: float
    centre: Point
    rotation: float
    area: float
    box: Box

    @property
    def width(self) -> float:
        """Width of the ink in pixels, to a quarter of a pixel for the built-in font."""
        return _measure_ink_width(self.text, self.size) if not self.rotation else float(self.box[2] - self.box[0])


@lru_cache(maxsize=4096)
def _measure_ink_width(text: str, size: float) -> float:
    """Return the width of a text's ink in pixels; cached, since measuring means drawing."""
    return text_size(text, size)[0]


@dataclass(frozen=True)
class Backdrop:
    """The background of a picture.

    >>> Backdrop("#ffffff", last="#0000ff").direction
    'down'
    """

    colour: str
    last: str | None = None
    direction: str = "down"


Percept = Shape | Stroke | Grid | Ticks | Bars | Pie | Text


@dataclass(frozen=True)
class Perception:
    """Everything perceived in a picture, in the order of painting.

    >>> Perception(64, 64, Backdrop("#ffffff"), ()).texts
    ()
    """

    width: int
    height: int
    backdrop: Backdrop
    percepts: tuple[Percept, ...]
    photo: bool = False
    unread: tuple[Box, ...] = ()
    """Where something seems to be written that could not be read."""

    @property
    def texts(self) -> tuple[Text, ...]:
        """The texts among the percepts."""
        return tuple(percept for percept in self.percepts if isinstance(percept, Text))


def split_series(group: Bars) -> list[Bars]:
    """Split bars into a group for each colour, if each colour has several bars and no bar covers another."""
    colours: dict[str, list[Bar]] = defaultdict(list)
    for bar in group.bars:
        colours[bar.colour].append(bar)
    spans = sorted((bar.start, bar.end) for bar in group.bars)
    # Bars of one stack lie over each other along the axis.
    stacked = any(later[0] < earlier[1] - 3 for earlier, later in itertools.pairwise(spans))
    if len(colours) == 1 or stacked or min(len(bars) for bars in colours.values()) < 3:
        return [group]
    return [Bars(group.upright, group.base, tuple(bars)) for bars in colours.values()]


def join_boxes(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around all ``boxes``."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def compute_middle(box: Box) -> Point:
    """Return the middle of a box."""
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def build_circle(
    centre: Point, radius: float, area: float, colour: str | None = None, outline: tuple[str, float] | None = None
) -> Shape:  # fmt: skip
    """Return a circle, filled or drawn as an outline, that covers ``area`` pixels."""
    (x, y), side = centre, 2 * radius
    box = (int(x - radius), int(y - radius), int(x + radius) + 1, int(y + radius) + 1)
    return Shape("circle", colour, centre, (side, side), 0.0, (), outline, area, box)


def build_upright_shape(kind: str, colour: str, box: Box) -> Shape:
    """Return a shape without outline that fills an upright box."""
    left, top, right, bottom = box
    size = (float(right - left), float(bottom - top))
    return Shape(kind, colour, compute_middle(box), size, 0.0, (), None, size[0] * size[1], box)
