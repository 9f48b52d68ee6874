"""A figure of named points while it is built: the points, and the items drawn between them."""

import math
from dataclasses import dataclass, field, replace

from ircore.core import exact
from ircore.core.drawing import Point, arc_points
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Pie, Slice, Stroke, polygon

LABEL_GAP = 15.0
"""Pixels between a point and the middle of its letter."""

FONT = 18.0
DASH = (7.0, 5.0)


@dataclass
class Plan:
    """Points, lines and texts of a figure so far.

    >>> plan = Plan({"A": (0.0, 0.0), "B": (60.0, 80.0)})
    >>> plan.add_segment(plan.points["A"], plan.points["B"], None)
    >>> plan.middle(), len(plan.lines)
    ((30.0, 40.0), 1)

    Attributes:
        points: Named points in pixels, in the order in which they were told.
        ink: Colour of lines and letters without a colour of their own.
        fills: Items behind everything else.
        lines: Items in front of them.
        written: Letters and texts that have been placed already.
    """

    points: dict[str, Point] = field(default_factory=dict)
    ink: str = "#222222"
    polygons: list[str] = field(default_factory=list)
    circles: list[tuple[Point, float]] = field(default_factory=list)
    segments: list[tuple[Point, Point]] = field(default_factory=list)
    fills: list[Item] = field(default_factory=list)
    lines: list[Item] = field(default_factory=list)
    texts: list[Item] = field(default_factory=list)
    written: set[str] = field(default_factory=set)

    def middle(self) -> Point:
        """Return the centroid of all points."""
        return mean(list(self.points.values()))

    def items(self) -> list[Item]:
        """Return everything, back to front."""
        return [*self.fills, *self.lines, *self.texts]

    def add_polygon(self, letters: str, fill: str | None, edge: str | None) -> None:
        """Draw the polygon through named points."""
        shape = polygon("polygon", [self.points[letter] for letter in letters])
        outline = edge or (self.ink if fill is None else None)
        self.polygons.append(letters)
        self.fills.append(replace(shape, fill=fill, outline=outline, stroke=2.0))

    def add_circle(self, centre: Point, radius: float, fill: str | None, edge: str | None) -> None:
        """Draw a circle."""
        self.circles.append((centre, radius))
        outline = edge or (self.ink if fill is None else None)
        self.fills.append(Blob("circle", centre, 2 * radius, 2 * radius, fill, outline))

    def add_segment(self, start: Point, end: Point, colour: str | None, dash: bool = False, width: float = 2.0) -> None:
        """Draw a straight line, unless the same line is drawn already."""
        if start == end or (start, end) in self.segments or (end, start) in self.segments:
            return
        self.segments.append((start, end))
        self.lines.append(Stroke("line", (start, end), colour or self.ink, width, DASH if dash else ()))

    def add_dot(self, at: Point, colour: str | None) -> None:
        """Draw a dot."""
        self.lines.append(Blob("circle", at, 8.0, 8.0, colour or self.ink))

    def add_text(self, text: str, at: Point, colour: str | None, size: float = FONT) -> None:
        """Write a text."""
        self.written.add(text)
        self.texts.append(Label(text, at, size, colour or self.ink))

    def add_angle(
        self, vertex: Point, arms: tuple[Point, Point], colour: str | None, radius: float, arcs: int, fill: str | None
    ) -> float:  # fmt: skip
        """Mark the angle below 180° between two arms with arcs; return the direction of its middle in degrees."""
        start, end = (math.degrees(exact.atan2(arm[1] - vertex[1], arm[0] - vertex[0])) for arm in arms)
        if (end - start) % 360 > 180:
            start, end = end, start
        sweep = (end - start) % 360
        if fill is not None:
            # Pies count degrees from 12 o'clock, arcs from 3 o'clock; shares above 95 would fill the whole circle.
            self.fills.append(Pie(vertex, radius, start + 90, (Slice(fill, min(95.0, sweep / 3.6)),)))
        for ring in range(arcs):
            reach = radius - 5 * ring
            path = arc_points(vertex, (reach, reach), start, start + sweep)
            self.lines.append(Stroke("arc", tuple(path), colour or self.ink, 1.5))
        return start + sweep / 2

    def add_ticks(self, start: Point, end: Point, count: int) -> None:
        """Mark a line with short strokes across its middle, as for sides of equal length."""
        length = exact.dist(start, end) or 1.0
        along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        middle = mean([start, end])
        for number in range(count):
            shift = 6.0 * (number - (count - 1) / 2)
            at = middle[0] + along[0] * shift, middle[1] + along[1] * shift
            ends = ((at[0] - 7 * along[1], at[1] + 7 * along[0]), (at[0] + 7 * along[1], at[1] - 7 * along[0]))
            self.lines.append(Stroke("tick", ends, self.ink, 1.8))

    def add_right_angle(self, vertex: Point, arms: tuple[Point, Point], colour: str | None, size: float = 12.0) -> None:
        """Mark a right angle with a small square."""
        first, second = ahead(vertex, arms[0], size), ahead(vertex, arms[1], size)
        corner = first[0] + second[0] - vertex[0], first[1] + second[1] - vertex[1]
        self.lines.append(Stroke("polyline", (first, corner, second), colour or self.ink, 1.5))

    def arms_at(self, letter: str) -> tuple[Point, Point] | None:
        """Return the neighbours of a corner, or the far ends of two lines that meet there."""
        for letters in self.polygons:
            if letter in letters:
                place = letters.index(letter)
                return self.points[letters[place - 1]], self.points[letters[(place + 1) % len(letters)]]
        vertex = self.points[letter]
        ends = [
            b if exact.dist(a, vertex) < 3 else a
            for a, b in self.segments
            if min(exact.dist(a, vertex), exact.dist(b, vertex)) < 3
        ]
        return (ends[-2], ends[-1]) if len(ends) > 1 else None

    def write_letters(self, colour: str | None) -> None:
        """Write the name of each point outside the figure, where that has not been done."""
        centre = self.middle()
        for name, at in self.points.items():
            if name in self.written:
                continue
            far = exact.dist(at, centre)
            way = ((at[0] - centre[0]) / far, (at[1] - centre[1]) / far) if far > 40 else (-0.6, 0.8)
            self.add_text(name, (at[0] + LABEL_GAP * way[0], at[1] + LABEL_GAP * way[1]), colour)


def mean(points: list[Point]) -> Point:
    """Return the centroid of points."""
    count = max(1, len(points))
    return math.fsum(x for x, _ in points) / count, math.fsum(y for _, y in points) / count


def ahead(start: Point, end: Point, distance: float) -> Point:
    """Return the point ``distance`` from ``start`` towards ``end``."""
    length = exact.dist(start, end) or 1.0
    return start[0] + (end[0] - start[0]) / length * distance, start[1] + (end[1] - start[1]) / length * distance


def foot(point: Point, start: Point, end: Point) -> Point:
    """Return the foot of the perpendicular from a point to a line."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy or 1.0
    part = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length
    return start[0] + part * dx, start[1] + part * dy


def crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Return the point where the lines ``ab`` and ``cd`` meet; None if they are parallel."""
    abx, aby, cdx, cdy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    across = abx * cdy - aby * cdx
    if abs(across) < 1e-6:
        return None
    part = ((c[0] - a[0]) * cdy - (c[1] - a[1]) * cdx) / across
    return a[0] + part * abx, a[1] + part * aby


def circumcircle(a: Point, b: Point, c: Point) -> tuple[Point, float] | None:
    """Return the circle through three points; None if they are collinear."""
    m, n = mean([a, b]), mean([a, c])
    centre = crossing(m, (m[0] - (b[1] - a[1]), m[1] + b[0] - a[0]), n, (n[0] - (c[1] - a[1]), n[1] + c[0] - a[0]))
    return (centre, exact.dist(centre, a)) if centre else None


def incircle(a: Point, b: Point, c: Point) -> tuple[Point, float]:
    """Return the circle that touches the sides of a triangle from inside."""
    sides = exact.dist(b, c), exact.dist(c, a), exact.dist(a, b)
    total = math.fsum(sides) or 1.0
    centre = (
        (sides[0] * a[0] + sides[1] * b[0] + sides[2] * c[0]) / total,
        (sides[0] * a[1] + sides[1] * b[1] + sides[2] * c[1]) / total,
    )
    return centre, exact.dist(centre, foot(centre, a, b))


def touching(point: Point, circle: tuple[Point, float]) -> tuple[Point, Point] | None:
    """Return the points where the tangents from a point touch a circle; None if the point lies inside."""
    centre, radius = circle
    far = exact.dist(point, centre)
    if far <= radius:
        return None
    half, towards = exact.acos(radius / far), exact.atan2(point[1] - centre[1], point[0] - centre[0])
    first, second = ((centre[0] + radius * exact.cos(towards + turn), centre[1] + radius * exact.sin(towards + turn))
                  for turn in (-half, half))  # fmt: skip
    return first, second
