"""Figures told by the letters of their points: "triangle ABC with A (20%, 80%) …, diagonals AC and BD"."""

import math
import re

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.constructions import construct
from ircore.players.builtin.canvas.figures.plan import LABEL_GAP, Plan, circumcircle, incircle, mean
from ircore.players.builtin.canvas.figures.prose import NUMBER, colours
from ircore.players.builtin.canvas.quantities import first_colour

_HEX = r"#[0-9a-f]{6}"
_XY = rf"\(\s*({NUMBER})\s*(%?)(?:px)?\s*,\s*({NUMBER})\s*(%?)(?:px)?\s*\)"
_NAMED = re.compile(rf"\b([A-Z])\b(?!['\w])(?!\s*[A-Z]\b)([^A-Z();\n]{{0,40}}?){_XY}")
_PAIR_FROM = re.compile(rf"\b([A-Z])([A-Z])\b[^A-Z();]{{0,60}}?from\s+{_XY}\s+to\s+{_XY}")
_CORNERS = {
    "triangle": 3, "quadrilateral": 4, "rectangle": 4, "square": 4, "rhombus": 4, "kite": 4, "trapezoid": 4,
    "trapezium": 4, "parallelogram": 4, "pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "polygon": 0,
}  # fmt: skip
_SHAPE = re.compile(rf"\b({'|'.join(_CORNERS)})\b(?:\s+([A-Z]{{3,8}})\b)?", re.IGNORECASE)
_FILL = re.compile(
    rf"\b(?:filled|shaded|fill(?:ed)?)\b(?: (?:with|in|is|color))*\s*:?\s*(?:\w+ )?({_HEX})|({_HEX}) (?:fill"
    rf"|shading|interior)\b"
)
_NO_FILL = re.compile(r"\bno fill|\bunfilled|\bnot filled|\bhollow|\bwithout fill")
_EDGE = re.compile(
    rf"({_HEX}|\bdark)(?: \w+)? (?:edges|outlines?|borders?|sides|lines)\b|\boutline[ds]?\b(?: (?:in|with"
    rf"|color))*\s*:?\s*(?:\w+ )?({_HEX})"
)
_CIRCLE = re.compile(r"\bcircles?\b|\bcircum(?:scribed )?circle\b|\bincircle\b", re.IGNORECASE)
_CIRCLE_COLOUR = re.compile(rf"({_HEX})(?: \w+)? circle|circle (?:is |looks |in )+(?:a )?(?:thin |thick )?({_HEX})")
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
_TWO = re.compile(r"(?<![A-Z])([A-Z])([A-Z])(?![A-Za-z])")
_RAY = re.compile(rf"\b(?:ray|line|arm)\s+\"?([a-z])\"?\s+(?:goes |runs |ends )?(?:to|at)\s+{_XY}")
_ANGLE = re.compile(r"\b(?:arcs?|angle(?! of))\b")
_DEGREES = re.compile(r"\"?(\d{1,3}(?:\.\d+)?)\s?°\"?")
_TICK = re.compile(r"\btick(?:s|ed| ?marks?)?\b|\bhatch marks?\b")
_GEOMETRY = re.compile(
    r"\b(?:triangle|quadrilateral|pentagon|hexagon|polygon|circle|geometry|rays?|angle|vertex|vertices|diagonals?|chord|radius|parallel|bisector"
    r"|segment|tangent)\b", re.IGNORECASE,
)  # fmt: skip
MAX_POINTS = 40


def named_points(text: str, size: tuple[int, int]) -> dict[str, Point]:
    """Return the points that have a letter and coordinates; bare numbers are pixels unless "%" is spoken of."""
    in_percent = bool(
        re.search(r"\bin %|\bpercent(?:age)?s? of|% of (?:the )?(?:width|image)", text)
    ) and not re.search(r"\d\s?px", text)
    points: dict[str, Point] = {}
    for match in _PAIR_FROM.finditer(text):
        points.setdefault(match[1], _pixels(match.groups()[2:6], size, in_percent))
        points.setdefault(match[2], _pixels(match.groups()[6:10], size, in_percent))
    for match in _NAMED.finditer(text):
        if match[1] not in {"I"} or "(" in match[0][:4]:
            points.setdefault(match[1], _pixels(match.groups()[2:], size, in_percent))
    return dict(list(points.items())[:MAX_POINTS])


def _pixels(parts: tuple[str, ...], size: tuple[int, int], in_percent: bool) -> Point:
    x, x_unit, y, y_unit = parts
    percent = bool(x_unit or y_unit) or (in_percent and max(float(x), float(y)) <= 100)
    return (float(x) * size[0] / 100, float(y) * size[1] / 100) if percent else (float(x), float(y))


def read_letters(sentences: list[str], size: tuple[int, int], ink: str) -> tuple[Plan, set[int]] | None:
    """Return the figure that sentences tell by letters, and which sentences these are; none if they tell none."""
    text = "\n".join(sentences)
    points = named_points(text, size)
    if len(points) < 2 or not _GEOMETRY.search(text):
        return None
    plan, used = Plan(points, ink), set[int]()
    _polygons(plan, sentences, used)
    _circles(plan, sentences, size, used)
    for index, sentence in enumerate(sentences):
        before = (len(plan.lines), len(plan.fills), len(plan.texts), len(plan.points))
        _segments(plan, sentence, size)
        construct(plan, sentence)
        _side_label(plan, sentence)
        if _right_angles(plan, sentence) or _SQUARE_MARK.search(sentence):
            used.add(index)
        _angles(plan, sentence, size)
        _ticks(plan, sentence)
        if before != (len(plan.lines), len(plan.fills), len(plan.texts), len(plan.points)) or _NAMED.search(sentence):
            used.add(index)
    _dots(plan, sentences, used)
    _letters(plan, sentences, size, used)
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
            short = re.compile(rf"^(?:{_HEX} )?(?:\w+ )?(?:fill|outline)[^.]{{0,40}}$", re.IGNORECASE)
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
        match = _FILL.search(sentence)
        if match and not re.search(r"\bcircle\b", sentence[: match.start()]) and not _ANGLE.search(sentence):
            return match[1] or match[2]
    return None


def _edge(sentences: list[str]) -> str | None:
    for sentence in sentences:
        match = _EDGE.search(sentence)
        if match:
            shade = match[1] or match[2]
            return "#222222" if shade == "dark" else shade
    return None


def _circles(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Draw the circle that the text speaks of: by centre and radius, or about or inside a triangle."""
    telling = [
        index for index, sentence in enumerate(sentences) if _CIRCLE.search(sentence) or _RADIUS.search(sentence)
    ]
    own = [sentences[index] for index in telling if not _ANGLE.search(sentences[index])]
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
    fill = None if any(_NO_FILL.search(sentence) for sentence in alone) else _circle_fill(alone)
    plan.add_circle(*circle, fill, edge)
    used |= {index for index in telling if _CIRCLE.search(sentences[index]) and "background" not in sentences[index]}


def _circle_fill(sentences: list[str]) -> str | None:
    match = next((m for sentence in sentences if _CIRCLE.search(sentence) and (m := _FILL.search(sentence))), None)
    return (match[1] or match[2]) if match else None


def _told_circle(plan: Plan, text: str, size: tuple[int, int]) -> tuple[Point, float] | None:
    told = _RADIUS.search(text)
    if told is None:
        return None
    value, unit = (told[1], told[2]) if told[1] else (told[3], told[4])
    radius = float(value) * (size[0] / 100 if unit == "%" else 1) / (1 if told[1] else 2)
    named = re.search(r"\bcenter(?:ed)?\W+(?:at\W+|is\W+|point\W+|labeled\W+)*([A-Z])\b", text)
    if named and named[1] in plan.points:
        return plan.points[named[1]], radius
    at = re.search(rf"\bcenter(?:ed)?\b[^();]{{0,24}}{_XY}", text)
    return (_pixels(at.groups(), size, False), radius) if at else None


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
            start, end = plan.points[origin[1]], _pixels(match.groups()[1:], size, False)
            plan.add_segment(start, end, _shade_at(sentence, match.start()), dash)
            plan.add_text(match[1], (end[0] + 2, end[1] + 18), None)
    if _TICK.search(sentence) or not _NOUN.search(sentence):
        return
    pairs = [(m[1], m[2], m.start()) for pattern in (_BETWEEN, _TO) for m in pattern.finditer(sentence)]
    pairs += [(m[1], m[2], m.start()) for m in _TWO.finditer(sentence)]
    for one, other, place in pairs:
        if one in plan.points and other in plan.points:
            plan.add_segment(plan.points[one], plan.points[other], _shade_at(sentence, place), dash)


def _shade_at(sentence: str, place: int) -> str | None:
    """Return the colour of what is named at a place: "AC and BD are red", or the last colour before."""
    after = re.match(rf"[^;:#]{{0,60}}?\b(?:are|is|in)\s+(?:\w+ )?({_HEX})", sentence[place:])
    before = colours(sentence[:place])
    if after and not (before and re.search(rf"{_HEX}[^,;#]{{0,40}}$", sentence[:place])):
        return after[1]
    return before[-1] if before else None


def _side_label(plan: Plan, sentence: str) -> None:
    """Write a text beside the middle of the line that was drawn last: "labeled "r" below its middle"."""
    match = re.search(
        r"\blabeled \"([^\"]{1,12})\"(?: in #\w+)?\s*(above|below|beside|next to|near|to the left"
        r"|to the right)?[^.;]{0,16}\b(?:its|the)? ?(?:middle|midpoint|center)?",
        sentence,
    )
    if (
        match is None
        or not plan.segments
        or _ANGLE.search(sentence)
        or match[1] in plan.points
        or match[1] in plan.written
    ):
        return
    x, y = mean(list(plan.segments[-1]))
    shift = {"above": (0, -14), "to the left": (-14, 0), "to the right": (14, 0)}.get(match[2] or "", (4, 14))
    plan.add_text(match[1], (x + shift[0], y + shift[1]), first_colour(sentence))


_SQUARE_MARK = re.compile(r"\bsmall square\b[^.;]{0,40}\bright angle", re.IGNORECASE)
_RIGHT_ANGLE = re.compile(
    r"\bright angle(?: marks?| marker| symbol)?\s+(?:is\s+)?(?:at|in)\s+(?:vertex |corner "
    r"|point )?([A-Z])\b"
)
_SIDE_TEXT = re.compile(
    r"(?<![A-Z])([A-Z])([A-Z])\s+(?:is\s+|has\s+|measures\s+)?(?:labeled\s+|length\s+|=\s*)?\"([^\"]{1,12})\""
    r"|(?<![A-Z])([A-Z])([A-Z])\s*(?:=|is|measures|has length)\s*(\d+(?:\.\d+)?\s?(?:cm|mm|m|units)?)"
)


def _right_angles(plan: Plan, sentence: str) -> bool:
    """Mark right angles, and write lengths beside sides; return whether the sentence told such."""
    told = False
    for match in _RIGHT_ANGLE.finditer(sentence):
        arms = plan.arms_at(match[1]) if match[1] in plan.points else None
        if arms:
            plan.add_right_angle(plan.points[match[1]], arms, None, 16.0)
            told = True
    for match in _SIDE_TEXT.finditer(sentence):
        one, other, text = (part for part in match.groups() if part)
        if one in plan.points and other in plan.points:
            _write_beside(plan, plan.points[one], plan.points[other], text)
            told = True
    return told


def _write_beside(plan: Plan, start: Point, end: Point, text: str) -> None:
    """Write a text beside the middle of a side, away from the figure's middle."""
    centre, middle = plan.middle(), mean([start, end])
    length = exact.dist(start, end) or 1.0
    across = (end[1] - start[1]) / length, (start[0] - end[0]) / length
    away = 1 if (middle[0] - centre[0]) * across[0] + (middle[1] - centre[1]) * across[1] >= 0 else -1
    far = 14.0 + 3.0 * len(text) * abs(across[0])
    plan.add_text(text, (middle[0] + away * across[0] * far, middle[1] + away * across[1] * far), None, 15.0)


def _angles(plan: Plan, sentence: str, size: tuple[int, int]) -> None:
    """Mark an angle with arcs and write its size."""
    if not _ANGLE.search(sentence) or re.search(r"\bright.angle", sentence):
        return
    name = re.search(r"\b(?:[Aa]t|vertex|corner|point|angle)\s+(?:vertex |corner |point )?([A-Z])\b", sentence)
    letter = name[1] if name and name[1] in plan.points else _common_letter(plan)
    arms = plan.arms_at(letter) if letter else None
    if not letter or arms is None:
        return
    shades = colours(sentence)
    fill = _FILL.search(sentence)
    inside = (fill[1] or fill[2]) if fill else None
    shade = next((colour for colour in shades if colour != inside), None)
    told = re.search(rf"\bradius (?:of )?({NUMBER})", sentence)
    radius = float(told[1]) if told else 34.0
    arcs = 2 if re.search(r"\bdouble|\btwo arcs", sentence) else 1
    way = plan.add_angle(plan.points[letter], arms, shade, radius, arcs, inside)
    degrees = _DEGREES.search(sentence)
    if degrees:
        at = re.search(rf"°\"?[^();]{{0,30}}{_XY}", sentence)
        vertex = plan.points[letter]
        text_at = _pixels(at.groups(), size, False) if at else _towards(vertex, way, radius + 22)
        plan.add_text(f"{degrees[1]}°", text_at, shade, 15.0)


def _towards(start: Point, degrees: float, far: float) -> Point:
    return start[0] + far * exact.cos(math.radians(degrees)), start[1] + far * exact.sin(math.radians(degrees))


def _common_letter(plan: Plan) -> str:
    """Return the point where the two lines meet that were drawn last."""
    if len(plan.segments) < 2:
        return ""
    shared = set(plan.segments[-1]) & set(plan.segments[-2])
    return next((name for name, at in plan.points.items() if at in shared), "")


def _ticks(plan: Plan, sentence: str) -> None:
    """Put strokes across equal sides: those named, or the two equal ones of a triangle."""
    if not _TICK.search(sentence):
        return
    low = sentence.lower()
    count = (
        3
        if re.search(r"\btriple|\bthree", low)
        else 2
        if re.search(r"\bdouble|\bpair|\btwo (?:small )?(?:tick|hatch|stroke)", low)
        else 1
    )
    sides = [(m[1], m[2]) for m in _TWO.finditer(sentence) if m[1] in plan.points and m[2] in plan.points]
    if not sides and plan.polygons and len(plan.polygons[0]) == 3:
        sides = _equal_sides(plan, plan.polygons[0])
    for one, other in sides:
        plan.add_ticks(plan.points[one], plan.points[other], count, None)


def _equal_sides(plan: Plan, letters: str) -> list[tuple[str, str]]:
    sides = [(letters[k - 1], letters[k]) for k in range(3)]
    lengths = [exact.dist(plan.points[one], plan.points[other]) for one, other in sides]
    apart = [abs(lengths[k - 1] - lengths[k]) for k in range(3)]
    best = apart.index(min(apart))
    return [sides[best - 1], sides[best]]


def _dots(plan: Plan, sentences: list[str], used: set[int]) -> None:
    """Put dots on the points that a sentence marks: those it names, or all."""
    done: set[str] = set()
    for index, sentence in enumerate(sentences):
        match = re.search(rf"({_HEX}|\bdark|\bsmall)?\s*(?:\w+ )?\bdots?\b|\bmarked\b", sentence)
        if match is None:
            continue
        letters = [letter for letter in re.findall(r"\b([A-Z])\b", sentence) if letter in plan.points]
        shade = next((part for part in re.findall(rf"{_HEX}(?=(?: \w+)? dots?)", sentence)), None)
        for name in letters if letters and "all" not in sentence else list(plan.points):
            if name not in done:
                plan.add_dot(plan.points[name], shade)
                done.add(name)
        used.add(index)


_SIDES = {"above left": (-0.7, -0.7), "above right": (0.7, -0.7), "below left": (-0.7, 0.7), "below right": (0.7, 0.7),
    "upper left": (-0.7, -0.7), "upper right": (0.7, -0.7), "lower left": (-0.7, 0.7), "lower right": (0.7, 0.7),
    "above": (0.0, -1.0), "below": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}  # fmt: skip


def _letters(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Write the letters: where a sentence says, else outside the figure."""
    shade: str | None = None
    for index, sentence in enumerate(sentences):
        for match in re.finditer(rf"\"([A-Za-z]'?)\"[^\";]{{0,60}}?{_XY}", sentence):
            if match[1] not in plan.written:
                plan.add_text(match[1], _pixels(match.groups()[1:], size, False), None)
        for match in re.finditer(rf"(?:\"([A-Z])\"|\b([A-Z])\b) (?:\(|to the )?({'|'.join(_SIDES)})\b", sentence):
            name = match[1] or match[2]
            if name in plan.points and name not in plan.written and re.search(r"\b[Ll]abels?\b", sentence):
                (x, y), way = plan.points[name], _SIDES[match[3]]
                plan.add_text(name, (x + LABEL_GAP * way[0], y + LABEL_GAP * way[1]), None)
        if re.search(r"\blabel", sentence, re.IGNORECASE):
            used.add(index)
            told = re.search(rf"\blabels?\b[^.;#]{{0,80}}\bin ({_HEX})", sentence)
            shade = told[1] if told else shade
    plan.write_letters(shade)
