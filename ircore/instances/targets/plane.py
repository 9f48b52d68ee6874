"""Plane geometry in pixels: y grows downwards, angles are degrees clockwise from 3 o'clock, as in ``drawing``."""

import math
from collections.abc import Sequence

from ircore.core import exact
from ircore.core.drawing import Point

Circle = tuple[Point, float]
"""Centre and radius."""


def point_along(start: Point, end: Point, part: float) -> Point:
    """Return the point ``part`` of the way from ``start`` to ``end``; beyond them for parts outside 0 to 1."""
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def centroid(*points: Point) -> Point:
    """Return the centroid of some points."""
    return math.fsum(x for x, _ in points) / len(points), math.fsum(y for _, y in points) / len(points)


def point_at_angle(centre: Point, radius: float, degrees: float) -> Point:
    """Return the point at a distance and direction from ``centre``."""
    turn = math.radians(degrees)
    return centre[0] + radius * exact.cos(turn), centre[1] + radius * exact.sin(turn)


def measure_direction(start: Point, end: Point) -> float:
    """Return the direction from a point to another, in degrees, 0 to 360."""
    return math.degrees(exact.atan2(end[1] - start[1], end[0] - start[0])) % 360


def point_ahead(start: Point, end: Point, distance: float) -> Point:
    """Return the point ``distance`` from ``start`` towards ``end``."""
    return point_along(start, end, distance / exact.dist(start, end))


def find_foot(point: Point, start: Point, end: Point) -> Point:
    """Return the foot of the perpendicular from ``point`` to the line through ``start`` and ``end``."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    part = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy)
    return point_along(start, end, part)


def intersect_lines(a: Point, b: Point, c: Point, d: Point) -> Point:
    """Return where the lines ``ab`` and ``cd`` meet; they must not be parallel."""
    abx, aby, cdx, cdy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    part = ((c[0] - a[0]) * cdy - (c[1] - a[1]) * cdx) / (abx * cdy - aby * cdx)
    return point_along(a, b, part)


def point_beside(at: Point, start: Point, end: Point, length: float) -> Point:
    """Return the point ``length`` from ``at``, at right angles to the left of the way ``start`` to ``end``."""
    distance = exact.dist(start, end)
    return at[0] + (end[1] - start[1]) / distance * length, at[1] - (end[0] - start[0]) / distance * length


def build_circumcircle(a: Point, b: Point, c: Point) -> Circle:
    """Return the circle through three points, which must not be collinear."""
    along_ab, along_ac = centroid(a, b), centroid(a, c)
    centre = intersect_lines(along_ab, point_beside(along_ab, a, b, 1), along_ac, point_beside(along_ac, a, c, 1))
    return centre, exact.dist(centre, a)


def build_incircle(a: Point, b: Point, c: Point) -> Circle:
    """Return the circle that touches the three sides of a triangle from inside."""
    sides = exact.dist(b, c), exact.dist(c, a), exact.dist(a, b)
    total = math.fsum(sides)
    centre = (
        (sides[0] * a[0] + sides[1] * b[0] + sides[2] * c[0]) / total,
        (sides[0] * a[1] + sides[1] * b[1] + sides[2] * c[1]) / total,
    )
    return centre, exact.dist(centre, find_foot(centre, a, b))


def find_orthocentre(a: Point, b: Point, c: Point) -> Point:
    """Return where the altitudes of a triangle, or their extensions, meet."""
    return intersect_lines(a, find_foot(a, b, c), b, find_foot(b, a, c))


def find_tangent_points(point: Point, circle: Circle) -> tuple[Point, Point]:
    """Return where the two tangents from an outer point touch a circle."""
    centre, radius = circle
    half = math.degrees(exact.acos(radius / exact.dist(point, centre)))
    towards = measure_direction(centre, point)
    return point_at_angle(centre, radius, towards - half), point_at_angle(centre, radius, towards + half)


def intersect_circles(first: Circle, second: Circle) -> tuple[Point, Point]:
    """Return where two circles that cross each other do so."""
    (centre, radius), distance = first, exact.dist(first[0], second[0])
    cosine = (distance * distance + radius * radius - second[1] * second[1]) / (2 * distance * radius)
    half, towards = math.degrees(exact.acos(cosine)), measure_direction(centre, second[0])
    return point_at_angle(centre, radius, towards - half), point_at_angle(centre, radius, towards + half)


def build_triangle(at_a: float, at_b: float) -> list[Point]:
    """Return a triangle with base AB of length 1 from (0, 0) and these angles in degrees; C lies above (negative y)."""
    height = 1 / (1 / exact.tan(math.radians(at_a)) + 1 / exact.tan(math.radians(at_b)))
    return [(0.0, 0.0), (1.0, 0.0), (height / exact.tan(math.radians(at_a)), -height)]


def build_regular_polygon(count: int, start: float = -90.0) -> list[Point]:
    """Return the corners of a regular polygon of circumradius 1 about (0, 0), the first in direction ``start``."""
    return [point_at_angle((0.0, 0.0), 1.0, start + 360 * k / count) for k in range(count)]


def rotate_points(points: Sequence[Point], degrees: float) -> list[Point]:
    """Return points turned clockwise about (0, 0)."""
    return [
        point_at_angle((0.0, 0.0), exact.hypot(*point), measure_direction((0.0, 0.0), point) + degrees)
        for point in points
    ]


def mirror_points(points: Sequence[Point]) -> list[Point]:
    """Return points reflected left to right."""
    return [(-x, y) for x, y in points]


def fit_points(points: Sequence[Point], within: float, centre: Point, reach: Sequence[Point] = ()) -> list[Point]:
    """Scale and move points so that they fill a square.

    Args:
        points: The points to move.
        within: Side of the square, in pixels.
        centre: Centre of the square.
        reach: More points that must lie in the square but are not returned, such as the ends of a circle.
    """
    xs, ys = zip(*points, *reach, strict=True)
    scale = within / max(max(xs) - min(xs), max(ys) - min(ys))
    x0, y0 = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return [(centre[0] + (x - x0) * scale, centre[1] + (y - y0) * scale) for x, y in points]


def find_extreme_points(circle: Circle) -> list[Point]:
    """Return the leftmost, rightmost, highest and lowest point of a circle, for ``fitted``."""
    (x, y), radius = circle
    return [(x - radius, y), (x + radius, y), (x, y - radius), (x, y + radius)]
