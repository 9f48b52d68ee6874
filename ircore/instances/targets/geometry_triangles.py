"""Hard geometry of the triangle: its lines, its circles, its remarkable points, and Pythagoras."""

import itertools

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.instances.targets.geometry_easy import Recipe, name_corners, place_figure
from ircore.instances.targets.plane import (
    build_circumcircle,
    build_incircle,
    build_triangle,
    centroid,
    find_extreme_points,
    find_foot,
    find_orthocentre,
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


def choose_acute_triangle(sheet: Sheet, within: int = 360, *, reach_of_circumcircle: bool = False) -> list[Point]:
    """Choose an acute triangle that is clearly not isosceles and put it in place."""
    at_a = sheet.rng.randint(45, 52)
    at_b = at_a + sheet.rng.randint(14, 22)
    corners = rotate_points(build_triangle(at_a, at_b), sheet.rng.choice((0, 0, -6, 7)))
    if sheet.rng.random() < 0.5:
        a, b, c = mirror_points(corners)
        # Exchanged, so that A still lies to the left of B.
        corners = [b, a, c]
    reach = find_extreme_points(build_circumcircle(*corners)) if reach_of_circumcircle else None
    return place_figure(sheet, corners, reach, within)


def altitudes(sheet: Sheet) -> None:
    """The three altitudes with their feet and the orthocentre."""
    corners = choose_acute_triangle(sheet)
    sheet.polygon(corners, fill=sheet.style.tints[0] if sheet.rng.random() < 0.4 else None)
    one_colour = sheet.rng.random() < 0.5
    feet = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        at, accent = find_foot(corner, b, c), sheet.style.accents[0 if one_colour else index]
        sheet.segment(corner, at, accent, thin=True, dashed=sheet.rng.random() < 0.3)
        sheet.right_angle(at, b, corner, accent, size=11)
        feet.append(at)
    centre = centroid(*corners)
    name_corners(sheet, corners, "ABC")
    for at, letter in zip(feet, "DEF", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(find_orthocentre(*corners), "H", feet[0])
    if sheet.rng.random() < 0.5:
        for first, second in itertools.combinations(feet, 2):
            sheet.segment(first, second, sheet.style.accents[3], thin=True)


def medians(sheet: Sheet) -> None:
    """The three medians with equal halves marked, the centroid and perhaps the midpoint triangle."""
    corners = choose_acute_triangle(sheet)
    sheet.polygon(corners)
    halves = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        at = centroid(b, c)
        sheet.segment(corner, at, sheet.style.accents[0], thin=True)
        for part in ((b, at), (at, c)):
            sheet.ticks(*part, index + 1)
        halves.append(at)
    if sheet.rng.random() < 0.6:
        for first, second in itertools.combinations(halves, 2):
            sheet.segment(first, second, sheet.style.accents[1], thin=True, dashed=True)
    centre = centroid(*corners)
    name_corners(sheet, corners, "ABC")
    for at, letter in zip(halves, "DEF", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(centre, "S", corners[0])


def circumscribed(sheet: Sheet) -> None:
    """A triangle with its circumcircle, the perpendicular bisectors and radii to the corners."""
    corners = choose_acute_triangle(sheet, 380, reach_of_circumcircle=True)
    centre, radius = build_circumcircle(*corners)
    sheet.circle(centre, radius, sheet.style.accents[0])
    sheet.polygon(corners)
    for index, corner in enumerate(corners):
        b = corners[(index + 1) % 3]
        at = centroid(corner, b)
        beyond = point_ahead(centre, at, exact.dist(centre, at) + 26)
        sheet.segment(point_ahead(at, centre, exact.dist(at, centre) + 22), beyond, sheet.style.accents[1], thin=True)
        sheet.right_angle(at, corner, beyond, sheet.style.accents[1], size=10)
        for part in ((corner, at), (at, b)):
            sheet.ticks(*part, index + 1)
    if sheet.rng.random() < 0.6:
        for corner in corners:
            sheet.segment(centre, corner, sheet.style.accents[2], thin=True, dashed=True)
    name_corners(sheet, corners, "ABC")
    sheet.point(centre, "U", centroid(corners[0], corners[1]))


def inscribed(sheet: Sheet) -> None:
    """A triangle with its incircle, angle bisectors, touching points and radii."""
    corners = choose_acute_triangle(sheet)
    centre, radius = build_incircle(*corners)
    sheet.disc(centre, radius, sheet.style.tints[0])
    sheet.polygon(corners)
    sheet.circle(centre, radius, sheet.style.accents[0])
    touches = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        sheet.segment(corner, intersect_lines(corner, centre, b, c), sheet.style.accents[1], thin=True, dashed=True)
        for other in (b, c):
            sheet.angle(corner, other, centre, colour=sheet.style.accents[1], radius=30 + 5 * (other is c), arcs=1)
        touches.append(find_foot(centre, b, c))
    for at, corner in zip(touches, corners[1:] + corners[:1], strict=True):
        sheet.segment(centre, at, sheet.style.accents[2])
        sheet.right_angle(at, corner, centre, sheet.style.accents[2], size=10)
    name_corners(sheet, corners, "ABC")
    for at, letter in zip(touches, "KLM", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(centre, "I", touches[2])


def pythagoras(sheet: Sheet) -> None:
    """A right triangle with the squares on its sides, the altitude and the two rectangles that it cuts off."""
    angle = sheet.rng.choice((30, 34, 37, 53, 56, 60))
    a, b, c = rotate_points(build_triangle(angle, 90 - angle), sheet.rng.choice((0, 0, -8, 8)))
    squares = []
    for start, end in ((a, b), (b, c), (c, a)):
        side = exact.dist(start, end)
        squares.append([point_beside(end, start, end, -side), point_beside(start, start, end, -side)])
    flat = [point for square in squares for point in square]
    a, b, c, *flat = place_figure(sheet, [a, b, c, *flat], within=420)
    tints = sheet.style.tints
    for index, (start, end) in enumerate(((a, b), (b, c), (c, a))):
        sheet.polygon([start, end, flat[2 * index], flat[2 * index + 1]], fill=tints[index])
        middle_of = centroid(start, end, flat[2 * index], flat[2 * index + 1])
        sheet.label((middle_of[0] + 14, middle_of[1]), "cab"[index], 0, size=2, centred=True)
    sheet.polygon([a, b, c])
    base = find_foot(c, a, b)
    accent = sheet.style.accents[0]
    sheet.segment(c, intersect_lines(c, base, flat[0], flat[1]), accent, thin=True, dashed=True)
    sheet.right_angle(base, b, c, accent, size=10)
    sheet.right_angle(c, a, b, size=12)
    sheet.point(a, "A", centroid(b, c))
    sheet.point(b, "B", centroid(a, c))
    sheet.point(c, "C", base)
    sheet.point(base, "D", point_at_angle(base, 10, measure_direction(c, a)))
    if sheet.rng.random() < 0.5:
        # The sharper angle has more room before the altitude.
        vertex, other, sharper = (a, b, angle) if angle < 45 else (b, a, 90 - angle)
        sheet.angle(vertex, other, c, f"{sharper}°", sheet.style.accents[1], radius=26)


def nine_points(sheet: Sheet) -> None:
    """Circumcentre, centroid and orthocentre on one line, with the circle through the midpoints of the sides."""
    corners = choose_acute_triangle(sheet, 390, reach_of_circumcircle=True)
    circle = build_circumcircle(*corners)
    halves = [centroid(corners[k - 2], corners[k - 1]) for k in range(3)]
    h, u, s = find_orthocentre(*corners), circle[0], centroid(*corners)
    sheet.circle(*circle, sheet.style.accents[3], thin=True)
    sheet.polygon(corners)
    for corner, half in zip(corners, halves, strict=True):
        sheet.segment(corner, half, sheet.style.accents[1], thin=True, dashed=True)
        sheet.segment(
            corner, find_foot(corner, *[c for c in corners if c is not corner]), sheet.style.accents[2], thin=True
        )
    sheet.circle(*build_circumcircle(halves[0], halves[1], halves[2]), sheet.style.accents[0])
    sheet.segment(point_along(u, h, -0.5), point_along(u, h, 1.5), sheet.ink)
    name_corners(sheet, corners, "ABC")
    for at, letter in ((h, "H"), (s, "G"), (u, "O")):
        sheet.point(at, letter, point_at_angle(at, 10, measure_direction(u, h) + 90))


TRIANGLES: tuple[Recipe, ...] = (altitudes, medians, circumscribed, inscribed, nine_points, pythagoras)
