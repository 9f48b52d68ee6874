"""Constructions by their names: midpoints, perpendiculars, bisectors, medians, altitudes, tangents, parallels."""

import re

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.plan import Plan, ahead, circumcircle, crossing, foot, mean, touching
from ircore.players.builtin.canvas.quantities import first_colour

_LETTER = r"(?:point )?\"?([A-Z])\"?"
_LINE = r"(?:line |segment |side |the )*([A-Z])([A-Z])"
_MIDPOINT = re.compile(
    rf"\b{_LETTER}\s+(?:is|be|at|as)\s+(?:at )?the (?:midpoint|middle) of {_LINE}\b|\bmidpoint {_LETTER} of {_LINE}\b"
)
_MEETING = re.compile(
    rf"\b{_LETTER}\s+(?:is|be|at|as)\s+(?:at )?the (?:intersection|crossing)(?: point)? of {_LINE} and {_LINE}\b"
)
_PERPENDICULAR = re.compile(
    rf"\b(?:perpendicular|altitude|height)\b(?: line| segment)? from {_LETTER} (?:on)?to {_LINE}\b"
)
_THROUGH = re.compile(rf"\b(parallel|perpendicular)\b(?: line)? to {_LINE} through {_LETTER}\b")
_BISECTOR = re.compile(rf"\bperpendicular bisectors? of {_LINE}\b")
_TANGENTS = re.compile(rf"\btangents?\b(?: lines?)? from {_LETTER}\b")


def construct(plan: Plan, sentence: str) -> None:
    """Draw the constructions of a sentence, such as medians, from points that are known."""
    shade, dash = first_colour(sentence), "dashed" in sentence
    _define(plan, sentence)
    for match in _PERPENDICULAR.finditer(sentence):
        if ends := _known(plan, *match.groups()):
            base = foot(*ends)
            plan.add_segment(ends[0], base, shade, dash)
            plan.add_right_angle(base, (ends[0], ends[2]), shade)
    for match in _BISECTOR.finditer(sentence):
        if ends := _known(plan, *match.groups()):
            _bisect(plan, ends[0], ends[1], shade, dash)
    for match in _THROUGH.finditer(sentence):
        if ends := _known(plan, match[2], match[3], match[4]):
            _through(plan, ends, match[1] == "parallel", shade, dash)
    for match in _TANGENTS.finditer(sentence):
        ends = _known(plan, match[1])
        touched = touching(ends[0], plan.circles[-1]) if ends and plan.circles else None
        for at in touched or ():
            # A tangent goes on beyond the point where it touches.
            plan.add_segment(ends[0], ahead(ends[0], at, exact.dist(ends[0], at) + 30), shade, dash)
    _of_triangle(plan, sentence, shade, dash)


def _known(plan: Plan, *letters: str) -> list[Point]:
    """Return the points of letters; empty if any letter is unknown."""
    return [plan.points[letter] for letter in letters] if all(letter in plan.points for letter in letters) else []


def _define(plan: Plan, sentence: str) -> None:
    """Give names to midpoints and crossings."""
    for match in _MIDPOINT.finditer(sentence):
        name, first, second = match.groups()[:3] if match[1] else match.groups()[3:]
        if name not in plan.points and (ends := _known(plan, first, second)):
            plan.points[name] = mean(ends)
    for match in _MEETING.finditer(sentence):
        ends = _known(plan, *match.groups()[1:])
        at = crossing(*ends) if len(ends) == 4 else None
        if at and match[1] not in plan.points:
            plan.points[match[1]] = at


def _bisect(plan: Plan, first: Point, second: Point, shade: str | None, dash: bool) -> None:
    """Draw the perpendicular bisector of a line; for a side of a triangle it passes through the circumcentre."""
    middle = mean([first, second])
    triangle = next((letters for letters in plan.polygons if len(letters) == 3), "")
    circle = circumcircle(*(plan.points[letter] for letter in triangle)) if triangle else None
    if circle and exact.dist(circle[0], middle) > 1:
        start, end = ahead(circle[0], middle, -22), ahead(circle[0], middle, exact.dist(circle[0], middle) + 26)
    else:
        way = second[1] - first[1], first[0] - second[0]
        start, end = (middle[0] - way[0] / 2, middle[1] - way[1] / 2), (middle[0] + way[0] / 2, middle[1] + way[1] / 2)
    plan.add_segment(start, end, shade, dash, 1.5)
    plan.add_right_angle(middle, (first, end), shade, 10.0)


def _through(plan: Plan, ends: list[Point], is_parallel: bool, shade: str | None, dash: bool) -> None:
    (ax, ay), (bx, by), (x, y) = ends
    dx, dy = (bx - ax, by - ay) if is_parallel else (ay - by, bx - ax)
    plan.add_segment((x - dx / 2, y - dy / 2), (x + dx / 2, y + dy / 2), shade, dash)


def _of_triangle(plan: Plan, sentence: str, shade: str | None, dash: bool) -> None:
    """Draw all medians, altitudes or bisectors of the triangle that the text speaks of."""
    letters = next((letters for letters in plan.polygons if len(letters) == 3), "")
    low = sentence.lower()
    if not letters or re.search(r"\b(?:of|from)\s+(?:side )?[A-Z]{1,2}\b", sentence):
        return
    corners = [plan.points[letter] for letter in letters]
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        if "perpendicular bisectors" in low:
            _bisect(plan, b, c, shade, dash)
        elif re.search(r"\bmedians\b", low):
            plan.add_segment(corner, mean([b, c]), shade, dash)
        elif re.search(r"\baltitudes\b|\bheights\b", low):
            base = foot(corner, b, c)
            plan.add_segment(corner, base, shade, dash)
            plan.add_right_angle(base, (corner, c), shade, 10.0)
        elif re.search(r"\bangle bisectors\b|(?<!perpendicular )\bbisectors\b", low):
            share = exact.dist(corner, b) / ((exact.dist(corner, b) + exact.dist(corner, c)) or 1.0)
            plan.add_segment(corner, (b[0] + (c[0] - b[0]) * share, b[1] + (c[1] - b[1]) * share), shade, dash)
