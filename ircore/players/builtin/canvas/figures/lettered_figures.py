"""Figures told by the letters of their points: "triangle ABC with A (20%, 80%) …, diagonals AC and BD".

Constructions go by their names: midpoints, perpendiculars, bisectors, medians, altitudes, tangents, parallels.
"""

import re

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.plan import (
    ANGLE,
    FILL,
    NAMED,
    SQUARE_MARK,
    TICK,
    TWO,
    XY,
    Plan,
    convert_to_pixels,
    find_circumcircle,
    find_crossing,
    find_foot,
    find_incircle,
    find_named_points,
    find_tangent_points,
    label_side,
    mark_angle,
    mark_equal_sides,
    mark_points,
    mark_right_angles,
    mean,
    step_towards,
    write_letters,
)
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, find_colours
from ircore.players.builtin.canvas.quantities import find_first_colour

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
_CORNERS = {
    "triangle": 3, "quadrilateral": 4, "rectangle": 4, "square": 4, "rhombus": 4, "kite": 4, "trapezoid": 4,
    "trapezium": 4, "parallelogram": 4, "pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "polygon": 0,
}  # fmt: skip
_SHAPE = re.compile(rf"\b({'|'.join(_CORNERS)})\b(?:\s+([A-Z]{{3,8}})\b)?", re.IGNORECASE)
_NO_FILL = re.compile(r"\bno fill|\bunfilled|\bnot filled|\bhollow|\bwithout fill")
_EDGE = re.compile(
    rf"({HEX}|\bdark)(?: \w+)? (?:edges|outlines?|borders?|sides|lines)\b|\boutline[ds]?\b(?: (?:in|with"
    rf"|color))*\s*:?\s*(?:\w+ )?({HEX})"
)
_CIRCLE = re.compile(r"\bcircles?\b|\bcircum(?:scribed )?circle\b|\bincircle\b", re.IGNORECASE)
_CIRCLE_COLOUR = re.compile(rf"({HEX})(?: \w+)? circle|circle (?:is |looks |in )+(?:a )?(?:thin |thick )?({HEX})")
_RADIUS = re.compile(
    rf"\bradius\b[^.;,%\d]{{0,20}}({NUMBER})\s*(%|px)?|\bdiameter\b[^.;,%\d]{{0,20}}({NUMBER})\s*(%|px)?"
)
_NOUN = re.compile(
    r"\b(?:diagonals?|lines?|segments?|chords?|radi(?:us|i)|ones|medians?|altitudes?|heights?|edges|rays?|legs?|connect\w*|join\w*)\b"
)
_BETWEEN = re.compile(
    r"\b(?:from|connects?|connecting|between|joins?|joining)\s+(?:the )?(?:points? "
    r"|center )?([A-Z])\b(?:\s*\([^)]*\))?(?:[^.;A-Z]{0,40}?)\s"
    r"(?:to|with|and)\s+(?:the )?(?:points? |center )?([A-Z])\b"
)
_TO = re.compile(r"\b([A-Z]) to ([A-Z])\b")
_RAY = re.compile(rf"\b(?:ray|line|arm)\s+\"?([a-z])\"?\s+(?:goes |runs |ends )?(?:to|at)\s+{XY}")
_GEOMETRY = re.compile(
    r"\b(?:triangle|quadrilateral|pentagon|hexagon|polygon|circle|geometry|rays?|angle|vertex|vertices|diagonals?|chord|radius|parallel|bisector"
    r"|segment|tangent)\b", re.IGNORECASE,
)  # fmt: skip


def construct(plan: Plan, sentence: str) -> None:
    """Draw the constructions of a sentence, such as medians, from points that are known."""
    shade, dash = find_first_colour(sentence), "dashed" in sentence
    _define_points(plan, sentence)
    for match in _PERPENDICULAR.finditer(sentence):
        if ends := _find_known_points(plan, *match.groups()):
            base = find_foot(*ends)
            plan.add_segment(ends[0], base, shade, dash)
            plan.add_right_angle(base, (ends[0], ends[2]), shade)
    for match in _BISECTOR.finditer(sentence):
        if ends := _find_known_points(plan, *match.groups()):
            _draw_bisector(plan, ends[0], ends[1], shade, dash)
    for match in _THROUGH.finditer(sentence):
        if ends := _find_known_points(plan, match[2], match[3], match[4]):
            _draw_line_through(plan, ends, match[1] == "parallel", shade, dash)
    for match in _TANGENTS.finditer(sentence):
        ends = _find_known_points(plan, match[1])
        touched = find_tangent_points(ends[0], plan.circles[-1]) if ends and plan.circles else None
        for at in touched or ():
            # A tangent goes on beyond the point where it touches.
            plan.add_segment(ends[0], step_towards(ends[0], at, exact.dist(ends[0], at) + 30), shade, dash)
    _draw_triangle_lines(plan, sentence, shade, dash)


def _find_known_points(plan: Plan, *letters: str) -> list[Point]:
    """Return the points of letters; empty if any letter is unknown."""
    return [plan.points[letter] for letter in letters] if all(letter in plan.points for letter in letters) else []


def _define_points(plan: Plan, sentence: str) -> None:
    """Give names to midpoints and crossings."""
    for match in _MIDPOINT.finditer(sentence):
        name, first, second = match.groups()[:3] if match[1] else match.groups()[3:]
        if name not in plan.points and (ends := _find_known_points(plan, first, second)):
            plan.points[name] = mean(ends)
    for match in _MEETING.finditer(sentence):
        ends = _find_known_points(plan, *match.groups()[1:])
        at = find_crossing(*ends) if len(ends) == 4 else None
        if at and match[1] not in plan.points:
            plan.points[match[1]] = at


def _draw_bisector(plan: Plan, first: Point, second: Point, shade: str | None, dash: bool) -> None:
    """Draw the perpendicular bisector of a line; for a side of a triangle it passes through the circumcentre."""
    middle = mean([first, second])
    triangle = next((letters for letters in plan.polygons if len(letters) == 3), "")
    circle = find_circumcircle(*(plan.points[letter] for letter in triangle)) if triangle else None
    if circle and exact.dist(circle[0], middle) > 1:
        start, end = (
            step_towards(circle[0], middle, -22),
            step_towards(circle[0], middle, exact.dist(circle[0], middle) + 26),
        )
    else:
        way = second[1] - first[1], first[0] - second[0]
        start, end = (middle[0] - way[0] / 2, middle[1] - way[1] / 2), (middle[0] + way[0] / 2, middle[1] + way[1] / 2)
    plan.add_segment(start, end, shade, dash, 1.5)
    plan.add_right_angle(middle, (first, end), shade, 10.0)


def _draw_line_through(plan: Plan, ends: list[Point], is_parallel: bool, shade: str | None, dash: bool) -> None:
    (ax, ay), (bx, by), (x, y) = ends
    dx, dy = (bx - ax, by - ay) if is_parallel else (ay - by, bx - ax)
    plan.add_segment((x - dx / 2, y - dy / 2), (x + dx / 2, y + dy / 2), shade, dash)


def _draw_triangle_lines(plan: Plan, sentence: str, shade: str | None, dash: bool) -> None:
    """Draw all medians, altitudes or bisectors of the triangle that the text speaks of."""
    letters = next((letters for letters in plan.polygons if len(letters) == 3), "")
    low = sentence.lower()
    if not letters or re.search(r"\b(?:of|from)\s+(?:side )?[A-Z]{1,2}\b", sentence):
        return
    corners = [plan.points[letter] for letter in letters]
    for index, corner in enumerate(corners):
        b, c = corners[(index + 1) % 3], corners[(index + 2) % 3]
        if "perpendicular bisectors" in low:
            _draw_bisector(plan, b, c, shade, dash)
        elif re.search(r"\bmedians\b", low):
            plan.add_segment(corner, mean([b, c]), shade, dash)
        elif re.search(r"\baltitudes\b|\bheights\b", low):
            base = find_foot(corner, b, c)
            plan.add_segment(corner, base, shade, dash)
            plan.add_right_angle(base, (corner, c), shade, 10.0)
        elif re.search(r"\bangle bisectors\b|(?<!perpendicular )\bbisectors\b", low):
            share = exact.dist(corner, b) / ((exact.dist(corner, b) + exact.dist(corner, c)) or 1.0)
            plan.add_segment(corner, (b[0] + (c[0] - b[0]) * share, b[1] + (c[1] - b[1]) * share), shade, dash)


def read_letters(sentences: list[str], size: tuple[int, int], ink: str) -> tuple[Plan, set[int]] | None:
    """Return the figure of named points and the indices of its sentences; None if there is no such figure."""
    text = "\n".join(sentences)
    points = find_named_points(text, size)
    if len(points) < 2 or not _GEOMETRY.search(text):
        return None
    plan, used = Plan(points, ink), set[int]()
    # Polygons first: angles, tick marks and circles are drawn at their corners.
    _draw_polygons(plan, sentences, used)
    _draw_circles(plan, sentences, size, used)
    for index, sentence in enumerate(sentences):
        # A sentence is understood if it adds anything to the plan.
        before = (len(plan.lines), len(plan.fills), len(plan.texts), len(plan.points))
        _draw_segments(plan, sentence, size)
        construct(plan, sentence)
        label_side(plan, sentence)
        if mark_right_angles(plan, sentence) or SQUARE_MARK.search(sentence):
            used.add(index)
        mark_angle(plan, sentence, size)
        mark_equal_sides(plan, sentence)
        if before != (len(plan.lines), len(plan.fills), len(plan.texts), len(plan.points)) or NAMED.search(sentence):
            used.add(index)
    mark_points(plan, sentences, used)
    write_letters(plan, sentences, size, used)
    return (plan, used) if plan.items() else None


def _draw_polygons(plan: Plan, sentences: list[str], used: set[int]) -> None:
    """Draw polygons named by letters, or by how many corners they have."""
    for index, sentence in enumerate(sentences):
        for match in _SHAPE.finditer(sentence):
            letters, count = match[2] or "", _CORNERS[match[1].lower()]
            if not letters and not plan.polygons and not re.search(r"\b(?:inner|small)\s+$", sentence[: match.start()]):
                letters = "".join(sorted(plan.points)[:count]) if count and _is_first(plan, count) else ""
            if len(letters) < 3 or letters in plan.polygons or any(letter not in plan.points for letter in letters):
                continue
            short = re.compile(rf"^(?:{HEX} )?(?:\w+ )?(?:fill|outline)[^.]{{0,40}}$", re.IGNORECASE)
            telling = [
                sentence
                for sentence in sentences
                if re.search(rf"\b{match[1]}\b", sentence, re.IGNORECASE) or short.match(sentence)
            ]
            plan.add_polygon(letters, _find_fill_colour(telling), _find_edge_colour(telling))
            used.add(index)
            used |= {number for number, other in enumerate(sentences) if short.match(other)}


def _is_first(plan: Plan, count: int) -> bool:
    """Whether there are points A, B, C … for all corners."""
    return sorted(plan.points)[:count] == [chr(ord("A") + step) for step in range(count)]


def _find_fill_colour(sentences: list[str]) -> str | None:
    for sentence in sentences:
        match = FILL.search(sentence)
        if match and not re.search(r"\bcircle\b", sentence[: match.start()]) and not ANGLE.search(sentence):
            return match[1] or match[2]
    return None


def _find_edge_colour(sentences: list[str]) -> str | None:
    shades = (match[1] or match[2] for sentence in sentences if (match := _EDGE.search(sentence)))
    shade = next(shades, None)
    return "#222222" if shade == "dark" else shade


def _draw_circles(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Draw the circle that the text speaks of: by centre and radius, or about or inside a triangle."""
    telling = [
        index for index, sentence in enumerate(sentences) if _CIRCLE.search(sentence) or _RADIUS.search(sentence)
    ]
    own = [sentences[index] for index in telling if not ANGLE.search(sentences[index])]
    text = "\n".join(own)
    if not _CIRCLE.search(text):
        return
    circle = _read_circle(plan, text, size) or _find_triangle_circle(plan, text)
    if circle is None:
        return
    alone = [
        re.sub(r"\b(?:triangle|quadrilateral)\b.*", "", sentence) if not sentence.startswith("The triangle") else ""
        for sentence in own
    ]
    shade = next((m for sentence in own if (m := _CIRCLE_COLOUR.search(sentence))), None)
    edge = (
        (shade[1] or shade[2])
        if shade
        else _find_edge_colour([sentence for sentence in alone if _CIRCLE.search(sentence)])
    )
    filled = next((m for sentence in alone if _CIRCLE.search(sentence) and (m := FILL.search(sentence))), None)
    is_unfilled = filled is None or any(_NO_FILL.search(sentence) for sentence in alone)
    plan.add_circle(*circle, None if is_unfilled or filled is None else filled[1] or filled[2], edge)
    used |= {index for index in telling if _CIRCLE.search(sentences[index]) and "background" not in sentences[index]}


def _read_circle(plan: Plan, text: str, size: tuple[int, int]) -> tuple[Point, float] | None:
    radius_words = _RADIUS.search(text)
    if radius_words is None:
        return None
    value, unit = (radius_words[1], radius_words[2]) if radius_words[1] else (radius_words[3], radius_words[4])
    radius = float(value) * (size[0] / 100 if unit == "%" else 1) / (1 if radius_words[1] else 2)
    named = re.search(r"\bcenter(?:ed)?\W+(?:at\W+|is\W+|point\W+|labeled\W+)*([A-Z])\b", text)
    if named and named[1] in plan.points:
        return plan.points[named[1]], radius
    at = re.search(rf"\bcenter(?:ed)?\b[^();]{{0,24}}{XY}", text)
    return (convert_to_pixels(at.groups(), size, False), radius) if at else None


def _find_triangle_circle(plan: Plan, text: str) -> tuple[Point, float] | None:
    corners = next(
        ([plan.points[letter] for letter in letters] for letters in plan.polygons if len(letters) == 3), None
    )
    if corners is None:
        return None
    if re.search(r"\bincircle|\binscribed circle", text, re.IGNORECASE):
        return find_incircle(*corners)
    return find_circumcircle(*corners) if re.search(r"\bcircum", text, re.IGNORECASE) else None


def _draw_segments(plan: Plan, sentence: str, size: tuple[int, int]) -> None:
    """Draw the lines between letters that a sentence names."""
    dash = bool(re.search(r"\bdashed|\bdotted|\bdashes", sentence))
    origin = re.search(r"\bfrom ([A-Z])\b", sentence)
    for match in _RAY.finditer(sentence):
        if origin and origin[1] in plan.points:
            start, end = plan.points[origin[1]], convert_to_pixels(match.groups()[1:], size, False)
            plan.add_segment(start, end, _find_colour_at(sentence, match.start()), dash)
            plan.add_text(match[1], (end[0] + 2, end[1] + 18), None)
    if TICK.search(sentence) or not _NOUN.search(sentence):
        return
    pairs = [(m[1], m[2], m.start()) for pattern in (_BETWEEN, _TO) for m in pattern.finditer(sentence)]
    pairs += [(m[1], m[2], m.start()) for m in TWO.finditer(sentence)]
    for first, second, place in pairs:
        if first in plan.points and second in plan.points:
            plan.add_segment(plan.points[first], plan.points[second], _find_colour_at(sentence, place), dash)


def _find_colour_at(sentence: str, place: int) -> str | None:
    """Return the colour of the thing named at an index, as in "AC and BD are red", or the last colour before."""
    after = re.match(rf"[^;:#]{{0,60}}?\b(?:are|is|in)\s+(?:\w+ )?({HEX})", sentence[place:])
    before = find_colours(sentence[:place])
    if after and not (before and re.search(rf"{HEX}[^,;#]{{0,40}}$", sentence[:place])):
        return after[1]
    return before[-1] if before else None
