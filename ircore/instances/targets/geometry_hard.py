"""Hard geometry: constructions of many parts, in which small differences of measure matter.

Many are constructions of the triangle: its lines, its circles, its remarkable points, and Pythagoras.
"""

import itertools
import math

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.instances.targets.base import (
    Circle,
    build_circumcircle,
    build_incircle,
    build_regular_polygon,
    build_triangle,
    compute_centroid,
    find_extreme_points,
    find_foot,
    find_orthocentre,
    find_tangent_points,
    intersect_circles,
    intersect_lines,
    measure_direction,
    mirror_points,
    point_ahead,
    point_along,
    point_at_angle,
    point_beside,
    rotate_points,
)
from ircore.instances.targets.geometry_easy import Recipe, choose_letters, name_corners, place_figure
from ircore.instances.targets.sheet import Sheet


def tangents(sheet: Sheet) -> None:
    """Two tangents from a point to a circle, with radii, the chord between the touching points and angles."""
    distance, tilt = sheet.rng.uniform(2.0, 2.7), sheet.rng.choice((0, -12, 15, -25, 165, 180, 195))
    outer, ring = point_at_angle((0, 0), distance, tilt), ((0.0, 0.0), 1.0)
    centre, point, rim = place_figure(sheet, [(0.0, 0.0), outer, (1.0, 0.0)], [outer, *find_extreme_points(ring)], 390)
    circle: Circle = (centre, exact.dist(centre, rim))
    first, second = find_tangent_points(point, circle)
    sheet.area([point, first, centre, second], sheet.style.tints[0])
    sheet.circle(*circle)
    accent = sheet.style.accents[0]
    for at in (first, second):
        sheet.segment(point, point_along(point, at, 1.22), accent)
        sheet.segment(centre, at)
        sheet.right_angle(at, centre, point, size=12)
        sheet.ticks(point, at, 2, accent)
    sheet.segment(centre, point, thin=True, dashed=True)
    sheet.segment(first, second, sheet.style.accents[1], thin=True)
    chord = intersect_lines(centre, point, first, second)
    sheet.right_angle(chord, first, point, sheet.style.accents[1], size=10)
    half = math.degrees(exact.asin(circle[1] / exact.dist(centre, point)))
    sheet.angle(point, first, second, f"{2 * half:.0f}°", accent, radius=44)
    near = point_ahead(centre, point, circle[1])
    sheet.point(centre, "M", point)
    sheet.point(point, "P", centre)
    sheet.point(first, "A", compute_centroid(centre, point))
    sheet.point(second, "B", compute_centroid(centre, point))
    sheet.point(chord, "C", first)
    sheet.point(near, "D", first)


def all_diagonals(sheet: Sheet) -> None:
    """A polygon with all its diagonals, one inner polygon tinted."""
    count = sheet.rng.choice((5, 6, 6, 7))
    corners = place_figure(
        sheet, build_regular_polygon(count, sheet.rng.choice((-90.0, -90.0 + 180 / count))), within=390
    )
    if count == 6 and sheet.rng.random() < 0.5:
        corners = [(x + sheet.rng.uniform(-22, 22), y + sheet.rng.uniform(-22, 22)) for x, y in corners]
    star = [(corners[k], corners[(k + 2) % count]) for k in range(count)]
    inner = [intersect_lines(*star[k], *star[(k + 1) % count]) for k in range(count)]
    sheet.area(inner, sheet.style.tints[0])
    for gap in range(2, count // 2 + 1):
        # A diagonal between opposite corners would be drawn twice, from either end.
        for k in range(count if 2 * gap != count else gap):
            sheet.segment(corners[k], corners[(k + gap) % count], sheet.style.accents[gap - 2], thin=True)
    sheet.polygon(corners)
    name_corners(sheet, corners, "ABCDEFG")


def transversals(sheet: Sheet) -> None:
    """Parallel lines cut by two transversals, with several angles marked in different ways."""
    lean, other_lean = sheet.rng.randint(65, 75), sheet.rng.randint(104, 113)
    heights = [150.0, 256.0, 362.0] if sheet.rng.random() < 0.5 else [176.0, 340.0]
    lines = [((48.0, y), (464.0, y)) for y in heights]
    apex = (256.0 + sheet.rng.randint(-16, 16), 66.0)
    cuts = [(apex, point_at_angle(apex, 386.0 / exact.sin(math.radians(d)), d)) for d in (other_lean, lean)]
    meets = [[intersect_lines(*cut, *line) for cut in cuts] for line in lines]
    first, last = meets[0], meets[-1]
    sheet.angle(apex, cuts[0][1], cuts[1][1], f"{other_lean - lean}°", sheet.style.accents[2], radius=40)
    sheet.angle(
        first[0], lines[0][0], cuts[0][1], f"{180 - other_lean}°", sheet.style.accents[0], tint=sheet.style.tints[0]
    )
    sheet.angle(last[0], lines[-1][1], apex, f"{180 - other_lean}°", sheet.style.accents[0], tint=sheet.style.tints[0])
    sheet.angle(first[1], lines[0][1], cuts[1][1], f"{lean}°", sheet.style.accents[1], arcs=2)
    sheet.angle(last[1], lines[-1][0], apex, f"{lean}°", sheet.style.accents[1], arcs=2)
    for line, name in zip(lines, "ghk", strict=False):
        sheet.segment(*line)
        sheet.arrowhead(*line)
        sheet.label(line[0], name, -70, size=-1)
    for cut, name in zip(cuts, "st", strict=True):
        sheet.segment(*cut, sheet.style.ink)
        sheet.label(cut[1], name, 0 if name == "t" else 180, size=-1)
    letters = iter("ABCDEF")
    for pair in meets:
        for at in pair:
            sheet.point(at, next(letters), compute_centroid(*pair))
    sheet.point(apex, "S", (256.0, 256.0))


def thales(sheet: Sheet) -> None:
    """Several right angles over one diameter of a circle."""
    radius = sheet.rng.randint(165, 185)
    centre = (256.0, 256.0 + sheet.rng.randint(-8, 8))
    tilt = sheet.rng.choice((0, 0, -10, 12))
    a, b = point_at_angle(centre, radius, tilt + 180), point_at_angle(centre, radius, tilt)
    tops = sorted(sheet.rng.sample(range(-150, -25, 14), 3))
    points = [point_at_angle(centre, radius, tilt + degrees) for degrees in tops]
    if sheet.rng.random() < 0.5:
        points[-1] = point_at_angle(centre, radius, tilt + sheet.rng.randrange(40, 140, 10))
    sheet.area([a, points[0], b], sheet.style.tints[0])
    sheet.circle(centre, radius)
    for index, at in enumerate(points):
        accent = sheet.style.accents[index]
        sheet.segment(a, at, accent)
        sheet.segment(b, at, accent)
        sheet.right_angle(at, a, b, accent, size=12)
    sheet.segment(a, b)
    sheet.segment(centre, points[0], thin=True, dashed=True)
    for part in ((a, centre), (centre, b), (centre, points[0])):
        sheet.ticks(*part)
    sheet.point(a, "A", centre)
    sheet.point(b, "B", centre)
    for at, letter in zip(points, "CDE", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(centre, "M", points[0])


def cyclic(sheet: Sheet) -> None:
    """A quadrilateral in a circle with its diagonals and its four angles in degrees."""
    # Four even arcs that make 360°: the angles, halves of sums of two, are whole degrees.
    arcs = sheet.rng.choice(([70, 96, 110, 84], [64, 112, 78, 106], [92, 68, 120, 80], [76, 118, 64, 102]))
    turn = sheet.rng.randrange(180, 280, 10)
    radius, centre = sheet.rng.randint(165, 188), (256.0, 256.0)
    corners = [point_at_angle(centre, radius, turn + math.fsum(arcs[:k])) for k in range(4)]
    sheet.circle(centre, radius, sheet.style.accents[3])
    sheet.polygon(corners, fill=sheet.style.tints[0])
    for first, second in ((0, 2), (1, 3)):
        sheet.segment(corners[first], corners[second], sheet.style.accents[2], thin=True)
    for k, corner in enumerate(corners):
        before, after = corners[k - 1], corners[(k + 1) % 4]
        # The inscribed angle is half the arc it stands on, the two arcs that do not touch the corner.
        degrees = (arcs[(k + 1) % 4] + arcs[(k + 2) % 4]) / 2
        sheet.angle(corner, before, after, f"{degrees:.0f}°", sheet.style.accents[k % 2], radius=28, arcs=1 + k % 2)
    name_corners(sheet, corners, "ABCD")
    sheet.point(intersect_lines(corners[0], corners[2], corners[1], corners[3]), "E", corners[0])
    sheet.point(centre, "M", corners[2])


def two_circles(sheet: Sheet) -> None:
    """Two circles that cross, with centres, common chord, radii and a common tangent."""
    other_radius, distance = sheet.rng.uniform(0.6, 0.85), sheet.rng.uniform(1.15, 1.35)
    shape: list[Point] = [(0.0, 0.0), (distance, 0.0), (1.0, 0.0), (distance + other_radius, 0.0)]
    tilt = sheet.rng.choice((0, -15, 20, 160, 180))
    shape = rotate_points(shape, tilt)
    reach = [*find_extreme_points((shape[0], 1.0)), *find_extreme_points((shape[1], other_radius))]
    m, n, rim, other_rim = place_figure(sheet, shape, reach, 410)
    first, second = (m, exact.dist(m, rim)), (n, exact.dist(n, other_rim))
    sheet.disc(*first, sheet.style.tints[0])
    sheet.circle(*first)
    sheet.circle(*second)
    p, q = intersect_circles(first, second)
    sheet.segment(p, q, sheet.style.accents[0])
    sheet.segment(m, n)
    for centre, accent in ((m, sheet.style.accents[1]), (n, sheet.style.accents[2])):
        for at in (p, q):
            sheet.segment(centre, at, accent, thin=True, dashed=at is q)
    cross = intersect_lines(p, q, m, n)
    sheet.right_angle(cross, p, n, sheet.style.accents[0], size=12)
    # A common tangent meets both radii at right angles, so both point the same way.
    side = sheet.rng.choice((-1, 1)) * math.degrees(exact.acos((first[1] - second[1]) / exact.dist(m, n)))
    towards = measure_direction(m, n) + side
    t, u = point_at_angle(m, first[1], towards), point_at_angle(n, second[1], towards)
    sheet.segment(point_along(t, u, -0.15), point_along(t, u, 1.15), sheet.style.accents[3])
    for at, centre in ((t, m), (u, n)):
        sheet.segment(centre, at, thin=True)
        sheet.right_angle(at, centre, u if at is t else t, size=10)
    for at, letter, away in ((m, "M", n), (n, "N", m), (p, "P", q), (q, "Q", p), (t, "T", m), (u, "U", n)):
        sheet.point(at, letter, away)
    sheet.point(cross, "S", p)


def intercept(sheet: Sheet) -> None:
    """Rays from one point cut by parallel lines, with lengths."""
    spread, ratio = sheet.rng.randint(22, 32), sheet.rng.choice((0.45, 0.5, 0.6))
    tips = [
        point_at_angle((0, 0), 1.0, 8),
        point_at_angle((0, 0), 1.15, 8 - spread),
        point_at_angle((0, 0), 1.3, 8 - 1.7 * spread),
    ]
    shape: list[Point] = [(0.0, 0.0), *tips]
    if sheet.rng.random() < 0.5:
        shape = mirror_points(shape)
    origin, *tips = place_figure(sheet, shape, within=370)
    a, b = point_along(origin, tips[0], 0.9), point_along(origin, tips[-1], 0.9)
    outer = [intersect_lines(origin, tip, a, b) for tip in tips]
    inner = [point_along(origin, at, ratio) for at in outer]
    sheet.area([origin, *inner], sheet.style.tints[0])
    sheet.area([inner[0], *outer, *inner[::-1]], sheet.style.tints[1])
    for tip in tips:
        sheet.segment(origin, tip)
    accent = sheet.style.accents[0]
    for line in (inner, outer):
        sheet.segment(point_along(line[0], line[-1], -0.12), point_along(line[0], line[-1], 1.12), accent)
    lower = point_beside(origin, outer[0], outer[-1], 400)
    sheet.beside(origin, inner[0], f"{10 * ratio:g} cm", outer[-1])
    sheet.beside(inner[0], outer[0], f"{10 - 10 * ratio:g} cm", outer[-1])
    for at, letter in zip(inner, "ABC", strict=True):
        sheet.point(at, letter, lower)
    for at, letter in zip(outer, "DEF", strict=True):
        sheet.point(at, letter, origin)
    sheet.point(origin, "S", compute_centroid(*outer))


def midpoints(sheet: Sheet) -> None:
    """A quadrilateral, the parallelogram of its midpoints, and its diagonals."""
    jitter = [(sheet.rng.uniform(-0.16, 0.16), sheet.rng.uniform(-0.16, 0.16)) for _ in range(4)]
    base = [(-1.0, 0.62), (0.95, 0.8), (0.7, -0.6), (-0.55, -0.95)]
    corners = place_figure(sheet, [(x + dx, y + dy) for (x, y), (dx, dy) in zip(base, jitter, strict=True)], within=380)
    halves = [compute_centroid(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    sheet.area(halves, sheet.style.tints[0])
    for first, second in ((0, 2), (1, 3)):
        sheet.segment(corners[first], corners[second], sheet.style.accents[1], thin=True, dashed=True)
    sheet.polygon(corners)
    sheet.polygon(halves, sheet.style.accents[0])
    for k in range(4):
        sheet.ticks(corners[k], halves[k], 1 + k)
        sheet.ticks(halves[k], corners[(k + 1) % 4], 1 + k)
    letters = choose_letters(sheet)
    name_corners(sheet, corners, letters)
    name_corners(sheet, halves, letters[4:])


def both_circles(sheet: Sheet) -> None:
    """A regular polygon between its inscribed and circumscribed circles, with radius, apothem and central angle."""
    count = sheet.rng.choice((5, 6, 8))
    start = sheet.rng.choice((-90.0, -90.0 + 180 / count))
    # The circle about the polygon has to fit into the picture, too.
    *corners, centre = place_figure(
        sheet, [*build_regular_polygon(count, start), (0.0, 0.0)], find_extreme_points(((0.0, 0.0), 1.0)), 370
    )
    k = sheet.rng.randrange(count)
    first, second = corners[k], corners[(k + 1) % count]
    apothem = compute_centroid(first, second)
    sheet.area([centre, first, second], sheet.style.tints[0])
    sheet.circle(centre, exact.dist(centre, first), sheet.style.accents[0])
    sheet.polygon(corners)
    sheet.circle(centre, exact.dist(centre, apothem), sheet.style.accents[1])
    for corner in corners:
        sheet.segment(centre, corner, thin=True, dashed=corner not in (first, second))
    sheet.segment(centre, apothem, sheet.style.accents[2])
    sheet.right_angle(apothem, centre, first, sheet.style.accents[2], size=10)
    sheet.angle(centre, first, second, colour=sheet.style.accents[3], radius=40)
    third, fourth = corners[k - 2], corners[k - 1]
    sheet.angle(centre, third, fourth, f"{360 / count:g}°", sheet.style.accents[3], radius=32)
    name_corners(sheet, corners, "ABCDEFGH")
    sheet.point(centre, "M", apothem)
    sheet.label(compute_centroid(centre, first), "R", measure_direction(centre, first) - 90, size=-2)
    sheet.label(
        compute_centroid(centre, apothem), "r", measure_direction(centre, first) - 90, sheet.style.accents[2], size=-2
    )


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
    centre = compute_centroid(*corners)
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
        at = compute_centroid(b, c)
        sheet.segment(corner, at, sheet.style.accents[0], thin=True)
        for part in ((b, at), (at, c)):
            sheet.ticks(*part, index + 1)
        halves.append(at)
    if sheet.rng.random() < 0.6:
        for first, second in itertools.combinations(halves, 2):
            sheet.segment(first, second, sheet.style.accents[1], thin=True, dashed=True)
    centre = compute_centroid(*corners)
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
        at = compute_centroid(corner, b)
        beyond = point_ahead(centre, at, exact.dist(centre, at) + 26)
        sheet.segment(point_ahead(at, centre, exact.dist(at, centre) + 22), beyond, sheet.style.accents[1], thin=True)
        sheet.right_angle(at, corner, beyond, sheet.style.accents[1], size=10)
        for part in ((corner, at), (at, b)):
            sheet.ticks(*part, index + 1)
    if sheet.rng.random() < 0.6:
        for corner in corners:
            sheet.segment(centre, corner, sheet.style.accents[2], thin=True, dashed=True)
    name_corners(sheet, corners, "ABC")
    sheet.point(centre, "U", compute_centroid(corners[0], corners[1]))


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
        middle_of = compute_centroid(start, end, flat[2 * index], flat[2 * index + 1])
        sheet.label((middle_of[0] + 14, middle_of[1]), "cab"[index], 0, size=2, centred=True)
    sheet.polygon([a, b, c])
    base = find_foot(c, a, b)
    accent = sheet.style.accents[0]
    sheet.segment(c, intersect_lines(c, base, flat[0], flat[1]), accent, thin=True, dashed=True)
    sheet.right_angle(base, b, c, accent, size=10)
    sheet.right_angle(c, a, b, size=12)
    sheet.point(a, "A", compute_centroid(b, c))
    sheet.point(b, "B", compute_centroid(a, c))
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
    halves = [compute_centroid(corners[k - 2], corners[k - 1]) for k in range(3)]
    h, u, s = find_orthocentre(*corners), circle[0], compute_centroid(*corners)
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


RECIPES: tuple[Recipe, ...] = (
    *TRIANGLES, tangents, all_diagonals, transversals, thales, cyclic, two_circles, intercept, midpoints, both_circles,
)  # fmt: skip


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
