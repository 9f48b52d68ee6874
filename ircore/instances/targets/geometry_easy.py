"""Easy geometry: a figure with few labels, as in the first chapters of a school book."""

import math
from collections.abc import Callable

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.instances.targets.base import (
    build_regular_polygon,
    build_triangle,
    compute_centroid,
    find_foot,
    fit_points,
    intersect_lines,
    measure_direction,
    mirror_points,
    point_ahead,
    point_along,
    point_at_angle,
    point_beside,
    rotate_points,
)
from ircore.instances.targets.sheet import Sheet

Recipe = Callable[[Sheet], None]
"""Draws one kind of figure with its measures chosen by the sheet's generator."""

ALPHABETS = ("ABCDEFGH", "ABCDEFGH", "PQRSTUVW", "KLMNOPQR", "DEFGHIJK")


def choose_letters(sheet: Sheet) -> str:
    """Choose the letters of a figure."""
    return sheet.rng.choice(ALPHABETS)


def place_figure(sheet: Sheet, points: list[Point], reach: list[Point] | None = None, within: int = 340) -> list[Point]:
    """Fit a figure into the picture, not always exactly centred."""
    centre = (256.0 + sheet.rng.randint(-16, 16), 256.0 + sheet.rng.randint(-16, 16))
    return fit_points(points, within - sheet.rng.choice((0, 0, 30)), centre, reach or ())


def choose_triangle(sheet: Sheet) -> tuple[list[Point], list[int]]:
    """Choose a triangle without very sharp angles; return its placed corners and its angles in degrees."""
    at_a = sheet.rng.randint(38, 80)
    # The third angle is then 40° to 88°: neither sharp nor to be taken for a right one.
    at_b = sheet.rng.randint(max(38, 92 - at_a), min(80, 140 - at_a))
    corners = rotate_points(build_triangle(at_a, at_b), sheet.rng.choice((0, 0, -8, 10, 20)))
    if sheet.rng.random() < 0.3:
        corners = mirror_points(corners)
    return place_figure(sheet, corners), [at_a, at_b, 180 - at_a - at_b]


def choose_fill(sheet: Sheet) -> str | None:
    """Choose a light colour, or None for no filling."""
    return sheet.style.tints[0] if sheet.rng.random() < 0.6 else None


def name_corners(sheet: Sheet, corners: list[Point], letters: str) -> None:
    """Name the corners of a polygon on the outside."""
    centre = compute_centroid(*corners)
    # There are more letters than corners.
    for corner, letter in zip(corners, letters, strict=False):
        sheet.point(corner, letter, centre)


def scalene(sheet: Sheet) -> None:
    """A triangle with one or two of its angles."""
    corners, angles = choose_triangle(sheet)
    sheet.polygon(corners, fill=choose_fill(sheet))
    accent = sheet.style.accents[0]
    for index in sheet.rng.sample(range(3), sheet.rng.choice((1, 2))):
        before, after = corners[index - 1], corners[(index + 1) % 3]
        sheet.angle(corners[index], before, after, f"{angles[index]}°", accent, radius=34)
    name_corners(sheet, corners, choose_letters(sheet))


def right_triangle(sheet: Sheet) -> None:
    """A right triangle with the mark of its right angle and the lengths of its sides."""
    # Pythagorean triples: all three lengths are whole.
    short, long, slant = sheet.rng.choice(((3, 4, 5), (6, 8, 10), (5, 12, 13), (8, 15, 17), (9, 12, 15)))
    shape: list[Point] = [(0, 0), (long, 0), (0, -short)]
    if sheet.rng.random() < 0.5:
        shape = mirror_points(shape)
    right, b, c = corners = place_figure(sheet, shape)
    sheet.polygon(corners, fill=choose_fill(sheet))
    sheet.right_angle(right, b, c, size=18)
    centre = compute_centroid(*corners)
    for start, end, length in ((right, b, long), (right, c, short), (b, c, slant)):
        sheet.beside(start, end, f"{length} cm", centre)
    name_corners(sheet, corners, choose_letters(sheet))


def isosceles(sheet: Sheet) -> None:
    """An isosceles or equilateral triangle with its equal sides marked."""
    base = sheet.rng.choice((50, 55, 60, 65, 70))
    a, b, c = corners = place_figure(sheet, build_triangle(base, base))
    sheet.polygon(corners, fill=choose_fill(sheet))
    # With base angles of 60° the triangle is equilateral.
    for start, end in ((a, c), (b, c), *(((a, b),) if base == 60 else ())):
        sheet.ticks(start, end, 1 if base == 60 else 2)
    sheet.angle(a, b, c, f"{base}°", sheet.style.accents[0], radius=36)
    name_corners(sheet, corners, choose_letters(sheet))


def rectangle(sheet: Sheet) -> None:
    """A rectangle or square with its sides named, with or without a diagonal."""
    wide, high = sheet.rng.choice(((4, 3), (5, 2), (6, 4), (3, 3), (3, 4), (7, 4)))
    a, b, c, d = corners = place_figure(sheet, [(0, 0), (wide, 0), (wide, -high), (0, -high)])
    sheet.polygon(corners, fill=choose_fill(sheet))
    if sheet.rng.random() < 0.6:
        sheet.segment(a, c, sheet.style.accents[0])
        sheet.label(compute_centroid(a, c), "d", measure_direction(a, c) + 90, sheet.style.accents[0], size=-2)
    sheet.right_angle(a, b, d)
    sheet.right_angle(c, b, d)
    centre = compute_centroid(*corners)
    sheet.beside(a, b, f"{wide} cm", centre)
    sheet.beside(b, c, f"{high} cm", centre)
    name_corners(sheet, corners, choose_letters(sheet))


def parallelogram(sheet: Sheet) -> None:
    """A parallelogram with equal sides marked and one angle."""
    lean, angle = sheet.rng.uniform(0.5, 0.7), sheet.rng.randrange(50, 80, 5)
    x, y = point_at_angle((0, 0), lean, -angle)
    a, b, c, d = corners = place_figure(sheet, [(0, 0), (1, 0), (1 + x, y), (x, y)])
    sheet.polygon(corners, fill=choose_fill(sheet))
    for start, end, count in ((a, b, 1), (d, c, 1), (b, c, 2), (a, d, 2)):
        sheet.ticks(start, end, count)
    sheet.angle(a, b, d, f"{angle}°", sheet.style.accents[1], radius=38)
    name_corners(sheet, corners, choose_letters(sheet))


def trapezoid(sheet: Sheet) -> None:
    """A trapezoid with its height."""
    left, top = sheet.rng.uniform(0.15, 0.35), sheet.rng.uniform(0.35, 0.5)
    a, b, _, d = corners = place_figure(sheet, [(0, 0), (1, 0), (left + top, -0.55), (left, -0.55)])
    sheet.polygon(corners, fill=choose_fill(sheet))
    base, accent = find_foot(d, a, b), sheet.style.accents[0]
    sheet.segment(d, base, accent, dashed=True)
    sheet.right_angle(base, b, d, accent)
    sheet.beside(d, base, "h", a, accent)
    name_corners(sheet, corners, choose_letters(sheet))


def rhombus(sheet: Sheet) -> None:
    """A rhombus or kite with its diagonals at right angles."""
    left, right, high = sheet.rng.choice(((0.9, 0.9, 0.55), (0.6, 0.6, 0.9), (0.5, 1.1, 0.55), (0.45, 1.0, 0.6)))
    a, b, c, d = corners = place_figure(sheet, [(-left, 0), (0, high), (right, 0), (0, -high)])
    sheet.polygon(corners, fill=choose_fill(sheet))
    accent = sheet.style.accents[0]
    sheet.segment(a, c, accent, dashed=True)
    sheet.segment(b, d, accent, dashed=True)
    sheet.right_angle(intersect_lines(a, c, b, d), c, d, accent)
    # A rhombus has four equal sides, a kite two pairs.
    far = 1 if left == right else 2
    for start, end, count in ((a, b, 1), (a, d, 1), (b, c, far), (c, d, far)):
        sheet.ticks(start, end, count)
    name_corners(sheet, corners, choose_letters(sheet))


def polygon(sheet: Sheet) -> None:
    """A regular polygon, with its centre and one central angle or without."""
    count = sheet.rng.choice((5, 6, 8))
    # The centre is placed with the corners, and taken from the list again.
    corners = place_figure(
        sheet, [*build_regular_polygon(count, sheet.rng.choice((-90.0, -90.0 + 180 / count))), (0.0, 0.0)], within=350
    )
    centre = corners.pop()
    sheet.polygon(corners, fill=choose_fill(sheet))
    if sheet.rng.random() < 0.7:
        accent = sheet.style.accents[0]
        sheet.segment(centre, corners[0], accent)
        sheet.segment(centre, corners[1], accent)
        sheet.angle(centre, corners[0], corners[1], f"{360 // count}°", accent, radius=34)
        sheet.point(centre, "M", compute_centroid(corners[0], corners[1]))
    name_corners(sheet, corners, "ABCDEFGH")


def circle_radius(sheet: Sheet) -> None:
    """A circle with its centre, a radius and perhaps a diameter or chord."""
    radius = sheet.rng.randint(120, 180)
    centre = (256.0 + sheet.rng.randint(-30, 30), 256.0 + sheet.rng.randint(-30, 30))
    tint, accent = choose_fill(sheet), sheet.style.accents[0]
    if tint:
        sheet.disc(centre, radius, tint)
    sheet.circle(centre, radius)
    at = sheet.rng.randrange(0, 360, 10)
    rim = point_at_angle(centre, radius, at)
    sheet.segment(centre, rim, accent)
    sheet.label(compute_centroid(centre, rim), "r", at + 90, accent, size=-2)
    if sheet.rng.random() < 0.6:
        start, end = (
            point_at_angle(centre, radius, at + 100),
            point_at_angle(centre, radius, at + sheet.rng.randrange(180, 270, 10)),
        )
        sheet.segment(start, end, sheet.style.accents[1])
        sheet.point(start, "A", centre)
        sheet.point(end, "B", centre)
    sheet.point(centre, "M", rim)
    sheet.point(rim, "P", centre)


def sector(sheet: Sheet) -> None:
    """A sector of a circle with its central angle."""
    radius, degrees = sheet.rng.randint(130, 180), sheet.rng.randrange(40, 160, 5)
    centre, start = (256.0, 256.0), sheet.rng.randrange(0, 360, 15)
    start_point, end_point = point_at_angle(centre, radius, start), point_at_angle(centre, radius, start + degrees)
    accent = sheet.style.accents[0]
    box = sheet.scene.drawing.wedge(centre, radius, start, start + degrees, sheet.style.tints[0])
    sheet.scene.add("sector", box, sheet.style.tints[0], centre=list(centre), radius=radius, degrees=degrees)
    sheet.circle(centre, radius)
    sheet.segment(centre, start_point, accent)
    sheet.segment(centre, end_point, accent)
    sheet.angle(centre, start_point, end_point, f"{degrees}°", accent, radius=40)
    sheet.point(centre, "O", point_at_angle(centre, 1, start + degrees / 2))
    sheet.point(start_point, "A", centre)
    sheet.point(end_point, "B", centre)


def angle(sheet: Sheet) -> None:
    """Two rays from one point and the angle between them."""
    degrees, start = sheet.rng.randrange(25, 155, 5), sheet.rng.randrange(-40, 10, 5)
    rays = [point_at_angle((0, 0), 1, start), point_at_angle((0, 0), 1, start - degrees)]
    vertex, first, second = place_figure(sheet, [(0.0, 0.0), *rays], within=330)
    accent = sheet.style.accents[0]
    # First, because the tint would cover the rays.
    sheet.angle(vertex, first, second, f"{degrees}°", accent, radius=60, tint=sheet.style.tints[0])
    sheet.segment(vertex, first)
    sheet.segment(vertex, second)
    sheet.point(vertex, "S", compute_centroid(first, second))
    for ray, name, on in ((first, "g", "A"), (second, "h", "B")):
        sheet.point(point_along(vertex, ray, 0.7), on, compute_centroid(first, second))
        sheet.label(
            point_ahead(vertex, ray, exact.dist(vertex, ray) * 0.97), name, measure_direction(vertex, ray) + 90, size=-2
        )


def parallels(sheet: Sheet) -> None:
    """Two parallel lines, a transversal and one pair of equal angles."""
    tilt, lean = sheet.rng.choice((0, 0, -8, 8)), sheet.rng.randrange(50, 130, 5)
    top, bottom = 180.0 + sheet.rng.randint(-10, 10), 332.0 + sheet.rng.randint(-10, 10)
    slope = exact.tan(math.radians(tilt)) * 196
    lines = [((60.0, y - slope), (452.0, y + slope)) for y in (top, bottom)]
    centre = (256.0, (top + bottom) / 2)
    across = point_at_angle(centre, 175, tilt - lean), point_at_angle(centre, 175, tilt - lean + 180)
    crossings = [intersect_lines(*across, *line) for line in lines]
    accent = sheet.style.accents[0]
    for at, line in zip(crossings, lines, strict=True):
        sheet.angle(at, line[1], across[0], f"{lean}°", accent, radius=32, tint=sheet.style.tints[0])
    for line, name in zip(lines, "gh", strict=True):
        sheet.segment(*line)
        sheet.arrowhead(*line)
        sheet.label(line[0], name, 90, size=-1)
    sheet.segment(*across, sheet.style.accents[1])
    sheet.label(across[0], "t", 0, sheet.style.accents[1], size=-1)


def bisector(sheet: Sheet) -> None:
    """A segment with its perpendicular bisector."""
    tilt, half = sheet.rng.choice((0, -15, 20, -30)), sheet.rng.randint(130, 170)
    centre = (256.0, 256.0)
    a, b = point_at_angle(centre, half, tilt + 180), point_at_angle(centre, half, tilt)
    top, bottom = point_beside(centre, a, b, 150), point_beside(centre, a, b, -150)
    accent = sheet.style.accents[0]
    sheet.segment(a, b)
    sheet.segment(top, bottom, accent, dashed=sheet.rng.random() < 0.5)
    sheet.right_angle(centre, b, top, accent)
    for part in ((a, centre), (centre, b)):
        sheet.ticks(*part)
    sheet.label(top, "m", 0, accent)
    sheet.point(centre, "M", compute_centroid(b, top))
    sheet.point(a, "A", b)
    sheet.point(b, "B", a)


def cuboid(sheet: Sheet) -> None:
    """A cuboid in oblique view with its hidden edges dashed."""
    wide, high, deep = sheet.rng.choice(((4, 3, 2), (3, 3, 3), (5, 2, 2), (3, 4, 2), (4, 2, 3)))
    dx, dy = deep * 0.42, -deep * 0.42
    front = [(0.0, 0.0), (float(wide), 0.0), (float(wide), -float(high)), (0.0, -float(high))]
    points = place_figure(sheet, [*front, *((x + dx, y + dy) for x, y in front)])
    a, b, c, d, e, f, g, h = points
    tint = choose_fill(sheet)
    if tint:
        sheet.area([a, b, c, d], tint)
    for start, end in ((a, b), (b, c), (c, d), (d, a), (b, f), (c, g), (d, h), (f, g), (g, h)):
        sheet.segment(start, end)
    # The edges at the corner that the cuboid itself hides.
    for start, end in ((a, e), (e, f), (e, h)):
        sheet.segment(start, end, thin=True, dashed=True)
    centre = compute_centroid(*points)
    for start, end, length in ((a, b, wide), (a, d, high), (b, f, deep)):
        sheet.beside(start, end, f"{length} cm", centre)


RECIPES: tuple[Recipe, ...] = (
    scalene, right_triangle, isosceles, rectangle, parallelogram, trapezoid, rhombus, polygon, circle_radius, sector,
    angle, parallels, bisector, cuboid,
)  # fmt: skip
