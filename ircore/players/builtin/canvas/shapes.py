"""Items on the canvas: frozen records, moved, resized and recoloured by making new records; boxes and points.

Coordinates and sizes are pixels as in ``ircore.core.drawing``; shapes rotate clockwise, text counter-clockwise.
"""

import math
from dataclasses import dataclass, replace

from ircore.core import exact
from ircore.core.drawing import Point, arc_points, text_size

LIMIT = 8192.0
"""Coordinates are kept within ± this many pixels."""

BoxF = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
ROUND = frozenset({"circle", "ellipse", "ring"})


def clamp(value: float, low: float = -LIMIT, high: float = LIMIT) -> float:
    """Return ``value`` within ``low`` and ``high``."""
    return min(max(value, low), high)


def compute_middle(box: BoxF) -> Point:
    """Return the middle of a box."""
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def find_extent(points: list[Point] | tuple[Point, ...]) -> BoxF:
    """Return the smallest upright box around ``points``."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def turn_point(point: Point, about: Point, degrees: float) -> Point:
    """Return ``point`` turned clockwise about another."""
    cosine, sine = exact.cos(math.radians(degrees)), exact.sin(math.radians(degrees))
    x, y = point[0] - about[0], point[1] - about[1]
    return about[0] + x * cosine - y * sine, about[1] + x * sine + y * cosine


def step_in_direction(start: Point, angle: float, far: float) -> Point:
    """Return the point at a distance from another, in a direction in radians clockwise from 3 o'clock."""
    return start[0] + far * exact.cos(angle), start[1] + far * exact.sin(angle)


def limit_font_size(text: str, size: float) -> float:
    """Return a font size that keeps the ink of ``text`` within reason, 3–300 px and shorter than 4,000 px."""
    return clamp(size, 3.0, max(3.0, min(300.0, 4000.0 / max(1, len(text)))))


def compute_font_size(text: str, ink_height: float) -> float:
    """Return the font size at which the ink of ``text`` is ``ink_height`` pixels high."""
    _, high = text_size(text, 40.0)
    return limit_font_size(text, ink_height * 40.0 / max(high, 1.0))


@dataclass(frozen=True)
class Blob:
    """A closed shape: circle, rectangle, polygon, star or bar.

    >>> Blob("circle", (100.0, 100.0), 80.0, 80.0, "#ff0000").box
    (60.0, 60.0, 140.0, 140.0)

    Attributes:
        centre: Middle of its upright box.
        width: Of the box before rotation, in pixels.
        height: Likewise.
        fill: Colour inside; None for an unfilled shape.
        rotation: Degrees clockwise about the centre.
        corners: Of a polygon, as fractions of the box from its middle (−0.5 … 0.5).
        hole: Of a ring, the inner diameter as a share of the outer.
    """

    kind: str
    centre: Point
    width: float
    height: float
    fill: str | None = None
    outline: str | None = None
    stroke: float = 2.0
    dash: tuple[float, ...] = ()
    rotation: float = 0.0
    corners: tuple[Point, ...] = ()
    hole: float = 0.0

    @property
    def colour(self) -> str | None:
        """The colour people would name."""
        return self.fill or self.outline

    @property
    def box(self) -> BoxF:
        """Smallest upright box around the shape, without the width of its edge."""
        if self.kind not in ROUND:
            return find_extent(self.path())
        (x, y), turn = self.centre, math.radians(self.rotation)
        half_wide = exact.hypot(self.width * exact.cos(turn), self.height * exact.sin(turn)) / 2
        half_high = exact.hypot(self.width * exact.sin(turn), self.height * exact.cos(turn)) / 2
        return x - half_wide, y - half_high, x + half_wide, y + half_high

    def path(self) -> list[Point]:
        """Return the corners in pixels, or enough points of a round edge."""
        if self.kind in ROUND:
            # The last point of a full turn is the first one again.
            return arc_points(self.centre, (self.width / 2, self.height / 2), 0, 360, self.rotation)[:-1]
        corners = self.corners or ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
        scaled = [(self.centre[0] + x * self.width, self.centre[1] + y * self.height) for x, y in corners]
        return [turn_point(point, self.centre, self.rotation) for point in scaled] if self.rotation else scaled

    def move(self, dx: float, dy: float) -> "Blob":
        """Return the shape moved by pixels to the right and down."""
        return replace(self, centre=(clamp(self.centre[0] + dx), clamp(self.centre[1] + dy)))

    def scale(self, across: float, down: float) -> "Blob":
        """Return the shape scaled about its middle."""
        # Never 0: later corrections divide by width and height.
        return replace(self, width=clamp(self.width * across, 0.5), height=clamp(self.height * down, 0.5))

    def recolour(self, colour: str) -> "Blob":
        """Return the shape with its fill in another colour, or its outline if the shape has no fill."""
        return replace(self, outline=colour) if self.fill is None and self.outline else replace(self, fill=colour)

    def rotate(self, degrees: float) -> "Blob":
        """Return the shape turned clockwise."""
        return replace(self, rotation=(self.rotation + degrees) % 360)


@dataclass(frozen=True)
class Slice:
    """A wedge of a pie."""

    colour: str
    share: float
    pulled: float = 0.0


@dataclass(frozen=True)
class PieItem:
    """A pie or ring chart.

    >>> PieItem((100.0, 100.0), 50.0, slices=(Slice("#ff0000", 25.0), Slice("#0000ff", 75.0))).angles()
    [(-90.0, 0.0), (0.0, 270.0)]

    Attributes:
        start: Degrees clockwise from 12 o'clock where the first wedge begins.
        slices: The wedges; shares that add up to nearly 100 or more are stretched to the full circle.
        hole: Inner radius in pixels.
    """

    centre: Point
    radius: float
    start: float = 0.0
    slices: tuple[Slice, ...] = ()
    hole: float = 0.0
    outline: str | None = None
    stroke: float = 2.0
    clockwise: bool = True
    kind: str = "pie"

    @property
    def colour(self) -> str | None:
        """The first wedge's colour."""
        return self.slices[0].colour if self.slices else self.outline

    @property
    def box(self) -> BoxF:
        """Smallest upright box around the pie."""
        (x, y), r = self.centre, self.radius
        return x - r, y - r, x + r, y + r

    def angles(self) -> list[tuple[float, float]]:
        """Return start and end of each wedge in degrees clockwise from 3 o'clock, start before end."""
        total = math.fsum(part.share for part in self.slices)
        unit = 360 / total if total > 95 else 3.6
        spans, at = [], 0.0
        for part in self.slices:
            low, high = at, at + part.share * unit
            first, last = (low, high) if self.clockwise else (-high, -low)
            spans.append((first + self.start - 90, last + self.start - 90))
            at = high
        return spans

    def slice_centre(self, index: int) -> Point:
        """Return a point in the middle of a wedge."""
        start, end = self.angles()[index]
        return step_in_direction(self.centre, math.radians((start + end) / 2), (self.radius + self.hole) / 2)

    def move(self, dx: float, dy: float) -> "PieItem":
        """Return the pie moved by pixels to the right and down."""
        return replace(self, centre=(clamp(self.centre[0] + dx), clamp(self.centre[1] + dy)))

    def scale(self, across: float, down: float) -> "PieItem":
        """Return the pie scaled by the mean of both factors, so that the pie stays round."""
        factor = math.sqrt(max(0.0, across * down))
        return replace(self, radius=clamp(self.radius * factor, 1), hole=clamp(self.hole * factor, 0))

    def recolour(self, colour: str) -> "PieItem":
        """Return the pie with all wedges in one colour."""
        return replace(self, slices=tuple(replace(part, colour=colour) for part in self.slices))

    def rotate(self, degrees: float) -> "PieItem":
        """Return the pie turned clockwise."""
        return replace(self, start=self.start + degrees)


@dataclass(frozen=True)
class LineItem:
    """A line: straight, through points, curved, an axis, a tick, a grid line, an arrow.

    >>> LineItem("line", ((0.0, 0.0), (30.0, 40.0))).centre
    (15.0, 20.0)

    Attributes:
        points: At least two, in pixels.
        smooth: Whether it curves through its points.
        arrow: Heads at ``"end"``, ``"both"`` or ``""``.
        marker: Kind of the markers on its points; empty for none.
        marker_size: Half their width in pixels.
    """

    kind: str
    points: tuple[Point, ...]
    colour: str = "#000000"
    stroke: float = 2.0
    dash: tuple[float, ...] = ()
    smooth: bool = False
    arrow: str = ""
    marker: str = ""
    marker_size: float = 4.0
    marker_colour: str | None = None

    @property
    def centre(self) -> Point:
        """Middle of the box."""
        return compute_middle(self.box)

    @property
    def box(self) -> BoxF:
        """Smallest upright box around the points."""
        return find_extent(self.points)

    def move(self, dx: float, dy: float) -> "LineItem":
        """Return the line moved by pixels to the right and down."""
        return replace(self, points=tuple((clamp(x + dx), clamp(y + dy)) for x, y in self.points))

    def scale(self, across: float, down: float) -> "LineItem":
        """Return the line scaled about its middle."""
        x0, y0 = self.centre
        points = ((clamp(x0 + (x - x0) * across), clamp(y0 + (y - y0) * down)) for x, y in self.points)
        return replace(self, points=tuple(points))

    def recolour(self, colour: str) -> "LineItem":
        """Return the line and its markers in another colour."""
        return replace(self, colour=colour, marker_colour=None)

    def rotate(self, degrees: float) -> "LineItem":
        """Return the line turned clockwise about its middle."""
        return replace(self, points=tuple(turn_point(point, self.centre, degrees) for point in self.points))


@dataclass(frozen=True)
class Label:
    """A line of text.

    >>> Label("A", (10.0, 20.0)).move(5, 0).at
    (15.0, 20.0)

    Attributes:
        at: The point that ``anchor`` names, in pixels.
        rotation: Degrees counter-clockwise; 90 reads upwards.
    """

    text: str
    at: Point
    size: float = 16.0
    colour: str = "#000000"
    anchor: str = "mm"
    rotation: float = 0.0
    kind: str = "text"

    @property
    def box(self) -> BoxF:
        """Smallest upright box around the ink."""
        wide, high = text_size(self.text, self.size)
        turn = math.radians(self.rotation)
        wide, high = (
            abs(wide * exact.cos(turn)) + abs(high * exact.sin(turn)),
            abs(wide * exact.sin(turn)) + abs(high * exact.cos(turn)),
        )
        left = self.at[0] - {"l": 0.0, "m": wide / 2, "r": wide}[self.anchor[0]]
        top = self.at[1] - {"t": 0.0, "m": high / 2, "b": high}[self.anchor[1]]
        return left, top, left + wide, top + high

    @property
    def centre(self) -> Point:
        """Middle of the box."""
        return compute_middle(self.box)

    def move(self, dx: float, dy: float) -> "Label":
        """Return the text moved by pixels to the right and down."""
        return replace(self, at=(clamp(self.at[0] + dx), clamp(self.at[1] + dy)))

    def scale(self, across: float, down: float) -> "Label":
        """Return the text in another size."""
        return replace(self, size=limit_font_size(self.text, self.size * math.sqrt(max(0.0, across * down))))

    def recolour(self, colour: str) -> "Label":
        """Return the text in another colour."""
        return replace(self, colour=colour)

    def rotate(self, degrees: float) -> "Label":
        """Return the text turned clockwise."""
        return replace(self, rotation=(self.rotation - degrees) % 360)


Item = Blob | PieItem | LineItem | Label


@dataclass(frozen=True)
class Canvas:
    """All that is to be drawn, back to front.

    >>> Canvas(items=(Label("A", (10.0, 20.0)),)).width
    512

    Attributes:
        fade: Second colour of a fading background; None if plain.
        fade_to: The side where ``fade`` is reached; ``"edges"`` fades from the middle.
    """

    width: int = 512
    height: int = 512
    background: str = "#ffffff"
    fade: str | None = None
    fade_to: str = "bottom"
    items: tuple[Item, ...] = ()


def build_polygon(kind: str, points: list[Point], **style: object) -> Blob:
    """Return a closed shape with these corners in pixels."""
    left, top, right, bottom = find_extent(points)
    # Points on one line would make a box without width, by which the corners are divided.
    wide, high = max(right - left, 0.5), max(bottom - top, 0.5)
    middle = compute_middle((left, top, right, bottom))
    corners = tuple(((x - middle[0]) / wide, (y - middle[1]) / high) for x, y in points)
    return replace(Blob(kind, middle, wide, high, corners=corners), **style)  # type: ignore[arg-type]


def measure_size(item: Item) -> Point:
    """Return width and height of an item's box, in pixels."""
    left, top, right, bottom = item.box
    return right - left, bottom - top


def centre_at(item: Item, at: Point) -> Item:
    """Return ``item`` with its middle moved to a point."""
    return item.move(at[0] - item.centre[0], at[1] - item.centre[1])
