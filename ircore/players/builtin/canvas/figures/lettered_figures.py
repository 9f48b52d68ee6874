"""Figures told by the letters of their points: "triangle ABC with A (20%, 80%) …, diagonals AC and BD"."""

import re

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.annotations import (
    ANGLE,
    FILL,
    SQUARE_MARK,
    TICK,
    TWO,
    label_side,
    mark_angle,
    mark_equal_sides,
    mark_points,
    mark_right_angles,
    write_letters,
)
from ircore.players.builtin.canvas.figures.constructions import construct
from ircore.players.builtin.canvas.figures.named_points import NAMED, XY, named_points, pixels
from ircore.players.builtin.canvas.figures.plan import Plan, circumcircle, incircle
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, colours

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


def read_letters(sentences: list[str], size: tuple[int, int], ink: str) -> tuple[Plan, set[int]] | None:
    """Return the figure of named points and the indices of its sentences; None if there is no such figure."""
    text = "\n".join(sentences)
    points = named_points(text, size)
    if len(points) < 2 or not _GEOMETRY.search(text):
        return None
    plan, used = Plan(points, ink), set[int]()
    # Polygons first: angles, tick marks and circles are drawn at their corners.
    _polygons(plan, sentences, used)
    _circles(plan, sentences, size, used)
    for index, sentence in enumerate(sentences):
        # A sentence is understood if it adds anything to the plan.
        before = (len(plan.lines), len(plan.fills), len(plan.texts), len(plan.points))
        _segments(plan, sentence, size)
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


def _polygons(plan: Plan, sentences: list[str], used: set[int]) -> None:
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
            plan.add_polygon(letters, _fill(telling), _edge(telling))
            used.add(index)
            used |= {number for number, other in enumerate(sentences) if short.match(other)}


def _is_first(plan: Plan, count: int) -> bool:
    """Whether there are points A, B, C … for all corners."""
    return sorted(plan.points)[:count] == [chr(ord("A") + step) for step in range(count)]


def _fill(sentences: list[str]) -> str | None:
    for sentence in sentences:
        match = FILL.search(sentence)
        if match and not re.search(r"\bcircle\b", sentence[: match.start()]) and not ANGLE.search(sentence):
            return match[1] or match[2]
    return None


def _edge(sentences: list[str]) -> str | None:
    shades = (match[1] or match[2] for sentence in sentences if (match := _EDGE.search(sentence)))
    shade = next(shades, None)
    return "#222222" if shade == "dark" else shade


def _circles(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Draw the circle that the text speaks of: by centre and radius, or about or inside a triangle."""
    telling = [
        index for index, sentence in enumerate(sentences) if _CIRCLE.search(sentence) or _RADIUS.search(sentence)
    ]
    own = [sentences[index] for index in telling if not ANGLE.search(sentences[index])]
    text = "\n".join(own)
    if not _CIRCLE.search(text):
        return
    circle = _told_circle(plan, text, size) or _circle_of_triangle(plan, text)
    if circle is None:
        return
    alone = [
        re.sub(r"\b(?:triangle|quadrilateral)\b.*", "", sentence) if not sentence.startswith("The triangle") else ""
        for sentence in own
    ]
    shade = next((m for sentence in own if (m := _CIRCLE_COLOUR.search(sentence))), None)
    edge = (shade[1] or shade[2]) if shade else _edge([sentence for sentence in alone if _CIRCLE.search(sentence)])
    filled = next((m for sentence in alone if _CIRCLE.search(sentence) and (m := FILL.search(sentence))), None)
    is_unfilled = filled is None or any(_NO_FILL.search(sentence) for sentence in alone)
    plan.add_circle(*circle, None if is_unfilled or filled is None else filled[1] or filled[2], edge)
    used |= {index for index in telling if _CIRCLE.search(sentences[index]) and "background" not in sentences[index]}


def _told_circle(plan: Plan, text: str, size: tuple[int, int]) -> tuple[Point, float] | None:
    radius_words = _RADIUS.search(text)
    if radius_words is None:
        return None
    value, unit = (radius_words[1], radius_words[2]) if radius_words[1] else (radius_words[3], radius_words[4])
    radius = float(value) * (size[0] / 100 if unit == "%" else 1) / (1 if radius_words[1] else 2)
    named = re.search(r"\bcenter(?:ed)?\W+(?:at\W+|is\W+|point\W+|labeled\W+)*([A-Z])\b", text)
    if named and named[1] in plan.points:
        return plan.points[named[1]], radius
    at = re.search(rf"\bcenter(?:ed)?\b[^();]{{0,24}}{XY}", text)
    return (pixels(at.groups(), size, False), radius) if at else None


def _circle_of_triangle(plan: Plan, text: str) -> tuple[Point, float] | None:
    corners = next(
        ([plan.points[letter] for letter in letters] for letters in plan.polygons if len(letters) == 3), None
    )
    if corners is None:
        return None
    if re.search(r"\bincircle|\binscribed circle", text, re.IGNORECASE):
        return incircle(*corners)
    return circumcircle(*corners) if re.search(r"\bcircum", text, re.IGNORECASE) else None


def _segments(plan: Plan, sentence: str, size: tuple[int, int]) -> None:
    """Draw the lines between letters that a sentence names."""
    dash = bool(re.search(r"\bdashed|\bdotted|\bdashes", sentence))
    origin = re.search(r"\bfrom ([A-Z])\b", sentence)
    for match in _RAY.finditer(sentence):
        if origin and origin[1] in plan.points:
            start, end = plan.points[origin[1]], pixels(match.groups()[1:], size, False)
            plan.add_segment(start, end, _shade_at(sentence, match.start()), dash)
            plan.add_text(match[1], (end[0] + 2, end[1] + 18), None)
    if TICK.search(sentence) or not _NOUN.search(sentence):
        return
    pairs = [(m[1], m[2], m.start()) for pattern in (_BETWEEN, _TO) for m in pattern.finditer(sentence)]
    pairs += [(m[1], m[2], m.start()) for m in TWO.finditer(sentence)]
    for first, second, place in pairs:
        if first in plan.points and second in plan.points:
            plan.add_segment(plan.points[first], plan.points[second], _shade_at(sentence, place), dash)


def _shade_at(sentence: str, place: int) -> str | None:
    """Return the colour of the thing named at an index, as in "AC and BD are red", or the last colour before."""
    after = re.match(rf"[^;:#]{{0,60}}?\b(?:are|is|in)\s+(?:\w+ )?({HEX})", sentence[place:])
    before = colours(sentence[:place])
    if after and not (before and re.search(rf"{HEX}[^,;#]{{0,40}}$", sentence[:place])):
        return after[1]
    return before[-1] if before else None
