"""Hard geometry of the triangle: its lines, its circles, its remarkable points, and Pythagoras."""

import itertools

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.instances.targets.geometry_easy import Recipe, name_corners, place
from ircore.instances.targets.plane import (
    ahead,
    along,
    circumcircle,
    crossing,
    direction,
    ends,
    foot,
    incircle,
    middle,
    mirrored,
    orthocentre,
    perpendicular,
    polar,
    triangle,
    turned,
)
from ircore.instances.targets.sheet import Sheet


def acute(sheet: Sheet, within: int = 360, *, reach_of_circumcircle: bool = False) -> list[Point]:
    """Choose an acute triangle that is clearly not isosceles and put it in place."""
    at_a = sheet.rng.randint(45, 52)
    at_b = at_a + sheet.rng.randint(14, 22)
    corners = turned(triangle(at_a, at_b), sheet.rng.choice((0, 0, -6, 7)))
    if sheet.rng.random() < 0.5:
        a, b, c = mirrored(corners)
        # Exchanged, so that A still lies to the left of B.
        corners = [b, a, c]
    reach = ends(circumcircle(*corners)) if reach_of_circumcircle else None
    return place(sheet, corners, reach, within)


def altitudes(sheet: Sheet) -> None:
    """The three altitudes with their feet and the orthocentre."""
    corners = acute(sheet)
    sheet.polygon(corners, fill=sheet.style.tints[0] if sheet.rng.random() < 0.4 else None)
    one_colour = sheet.rng.random() < 0.5
    feet = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        at, accent = foot(corner, b, c), sheet.style.accents[0 if one_colour else index]
        sheet.segment(corner, at, accent, thin=True, dashed=sheet.rng.random() < 0.3)
        sheet.right_angle(at, b, corner, accent, size=11)
        feet.append(at)
    centre = middle(*corners)
    name_corners(sheet, corners, "ABC")
    for at, letter in zip(feet, "DEF", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(orthocentre(*corners), "H", feet[0])
    if sheet.rng.random() < 0.5:
        for first, second in itertools.combinations(feet, 2):
            sheet.segment(first, second, sheet.style.accents[3], thin=True)


def medians(sheet: Sheet) -> None:
    """The three medians with equal halves marked, the centroid and perhaps the midpoint triangle."""
    corners = acute(sheet)
    sheet.polygon(corners)
    halves = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        at = middle(b, c)
        sheet.segment(corner, at, sheet.style.accents[0], thin=True)
        for part in ((b, at), (at, c)):
            sheet.ticks(*part, index + 1)
        halves.append(at)
    if sheet.rng.random() < 0.6:
        for first, second in itertools.combinations(halves, 2):
            sheet.segment(first, second, sheet.style.accents[1], thin=True, dashed=True)
    centre = middle(*corners)
    name_corners(sheet, corners, "ABC")
    for at, letter in zip(halves, "DEF", strict=True):
        sheet.point(at, letter, centre)
    sheet.point(centre, "S", corners[0])


def circumscribed(sheet: Sheet) -> None:
    """A triangle with its circumcircle, the perpendicular bisectors and radii to the corners."""
    corners = acute(sheet, 380, reach_of_circumcircle=True)
    centre, radius = circumcircle(*corners)
    sheet.circle(centre, radius, sheet.style.accents[0])
    sheet.polygon(corners)
    for index, corner in enumerate(corners):
        b = corners[(index + 1) % 3]
        at = middle(corner, b)
        beyond = ahead(centre, at, exact.dist(centre, at) + 26)
        sheet.segment(ahead(at, centre, exact.dist(at, centre) + 22), beyond, sheet.style.accents[1], thin=True)
        sheet.right_angle(at, corner, beyond, sheet.style.accents[1], size=10)
        for part in ((corner, at), (at, b)):
            sheet.ticks(*part, index + 1)
    if sheet.rng.random() < 0.6:
        for corner in corners:
            sheet.segment(centre, corner, sheet.style.accents[2], thin=True, dashed=True)
    name_corners(sheet, corners, "ABC")
    sheet.point(centre, "U", middle(corners[0], corners[1]))


def inscribed(sheet: Sheet) -> None:
    """A triangle with its incircle, angle bisectors, touching points and radii."""
    corners = acute(sheet)
    centre, radius = incircle(*corners)
    sheet.disc(centre, radius, sheet.style.tints[0])
    sheet.polygon(corners)
    sheet.circle(centre, radius, sheet.style.accents[0])
    touches = []
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        sheet.segment(corner, crossing(corner, centre, b, c), sheet.style.accents[1], thin=True, dashed=True)
        for other in (b, c):
            sheet.angle(corner, other, centre, colour=sheet.style.accents[1], radius=30 + 5 * (other is c), arcs=1)
        touches.append(foot(centre, b, c))
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
    a, b, c = turned(triangle(angle, 90 - angle), sheet.rng.choice((0, 0, -8, 8)))
    squares = []
    for start, end in ((a, b), (b, c), (c, a)):
        side = exact.dist(start, end)
        squares.append([perpendicular(end, start, end, -side), perpendicular(start, start, end, -side)])
    flat = [point for square in squares for point in square]
    a, b, c, *flat = place(sheet, [a, b, c, *flat], within=420)
    tints = sheet.style.tints
    for index, (start, end) in enumerate(((a, b), (b, c), (c, a))):
        sheet.polygon([start, end, flat[2 * index], flat[2 * index + 1]], fill=tints[index])
        middle_of = middle(start, end, flat[2 * index], flat[2 * index + 1])
        sheet.label((middle_of[0] + 14, middle_of[1]), "cab"[index], 0, size=2, centred=True)
    sheet.polygon([a, b, c])
    base = foot(c, a, b)
    accent = sheet.style.accents[0]
    sheet.segment(c, crossing(c, base, flat[0], flat[1]), accent, thin=True, dashed=True)
    sheet.right_angle(base, b, c, accent, size=10)
    sheet.right_angle(c, a, b, size=12)
    sheet.point(a, "A", middle(b, c))
    sheet.point(b, "B", middle(a, c))
    sheet.point(c, "C", base)
    sheet.point(base, "D", polar(base, 10, direction(c, a)))
    if sheet.rng.random() < 0.5:
        # The sharper angle has more room before the altitude.
        vertex, other, sharper = (a, b, angle) if angle < 45 else (b, a, 90 - angle)
        sheet.angle(vertex, other, c, f"{sharper}°", sheet.style.accents[1], radius=26)


def nine_points(sheet: Sheet) -> None:
    """Circumcentre, centroid and orthocentre on one line, with the circle through the midpoints of the sides."""
    corners = acute(sheet, 390, reach_of_circumcircle=True)
    circle = circumcircle(*corners)
    halves = [middle(corners[k - 2], corners[k - 1]) for k in range(3)]
    h, u, s = orthocentre(*corners), circle[0], middle(*corners)
    sheet.circle(*circle, sheet.style.accents[3], thin=True)
    sheet.polygon(corners)
    for corner, half in zip(corners, halves, strict=True):
        sheet.segment(corner, half, sheet.style.accents[1], thin=True, dashed=True)
        sheet.segment(corner, foot(corner, *[c for c in corners if c is not corner]), sheet.style.accents[2], thin=True)
    sheet.circle(*circumcircle(halves[0], halves[1], halves[2]), sheet.style.accents[0])
    sheet.segment(along(u, h, -0.5), along(u, h, 1.5), sheet.ink)
    name_corners(sheet, corners, "ABC")
    for at, letter in ((h, "H"), (s, "G"), (u, "O")):
        sheet.point(at, letter, polar(at, 10, direction(u, h) + 90))


TRIANGLES: tuple[Recipe, ...] = (altitudes, medians, circumscribed, inscribed, nine_points, pythagoras)
