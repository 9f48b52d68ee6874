"""A figure of named points while it is built: points by letter and coordinates, the items between them, annotations."""

import math
import re
from dataclasses import dataclass, field, replace

from ircore.core import exact
from ircore.core.drawing import Point, arc_points
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, find_colours
from ircore.players.builtin.canvas.quantities import find_first_colour
from ircore.players.builtin.canvas.shapes import (
    Blob,
    Item,
    Label,
    LineItem,
    PieItem,
    Slice,
    build_polygon,
    step_in_direction,
)

LABEL_GAP = 15.0
"""Pixels between a point and the middle of its letter."""

FONT = 18.0
DASH = (7.0, 5.0)
XY = rf"\(\s*({NUMBER})\s*(%?)(?:px)?\s*,\s*({NUMBER})\s*(%?)(?:px)?\s*\)"
NAMED = re.compile(rf"\b([A-Z])\b(?!['\w])(?!\s*[A-Z]\b)([^A-Z();\n]{{0,40}}?){XY}")
_PAIR_FROM = re.compile(rf"\b([A-Z])([A-Z])\b[^A-Z();]{{0,60}}?from\s+{XY}\s+to\s+{XY}")
MAX_POINTS = 40
FILL = re.compile(
    rf"\b(?:filled|shaded|fill(?:ed)?)\b(?: (?:with|in|is|color))*\s*:?\s*(?:\w+ )?({HEX})|({HEX}) (?:fill"
    rf"|shading|interior)\b"
)
TWO = re.compile(r"(?<![A-Z])([A-Z])([A-Z])(?![A-Za-z])")
ANGLE = re.compile(r"\b(?:arcs?|angle(?! of))\b")
_DEGREES = re.compile(r"\"?(\d{1,3}(?:\.\d+)?)\s?°\"?")
TICK = re.compile(r"\btick(?:s|ed| ?marks?)?\b|\bhatch marks?\b")

SQUARE_MARK = re.compile(r"\bsmall square\b[^.;]{0,40}\bright angle", re.IGNORECASE)
_RIGHT_ANGLE = re.compile(
    r"\bright angle(?: marks?| marker| symbol)?\s+(?:is\s+)?(?:at|in)\s+(?:vertex |corner "
    r"|point )?([A-Z])\b"
)
_SIDE_TEXT = re.compile(
    r"(?<![A-Z])([A-Z])([A-Z])\s+(?:is\s+|has\s+|measures\s+)?(?:labeled\s+|length\s+|=\s*)?\"([^\"]{1,12})\""
    r"|(?<![A-Z])([A-Z])([A-Z])\s*(?:=|is|measures|has length)\s*(\d+(?:\.\d+)?\s?(?:cm|mm|m|units)?)"
)

_SIDES = {"above left": (-0.7, -0.7), "above right": (0.7, -0.7), "below left": (-0.7, 0.7), "below right": (0.7, 0.7),
    "upper left": (-0.7, -0.7), "upper right": (0.7, -0.7), "lower left": (-0.7, 0.7), "lower right": (0.7, 0.7),
    "above": (0.0, -1.0), "below": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}  # fmt: skip


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
        shape = build_polygon("polygon", [self.points[letter] for letter in letters])
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
        self.lines.append(LineItem("line", (start, end), colour or self.ink, width, DASH if dash else ()))

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
            self.fills.append(PieItem(vertex, radius, start + 90, (Slice(fill, min(95.0, sweep / 3.6)),)))
        for ring in range(arcs):
            reach = radius - 5 * ring
            path = arc_points(vertex, (reach, reach), start, start + sweep)
            self.lines.append(LineItem("arc", tuple(path), colour or self.ink, 1.5))
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
            self.lines.append(LineItem("tick", ends, self.ink, 1.8))

    def add_right_angle(self, vertex: Point, arms: tuple[Point, Point], colour: str | None, size: float = 12.0) -> None:
        """Mark a right angle with a small square."""
        first, second = step_towards(vertex, arms[0], size), step_towards(vertex, arms[1], size)
        corner = first[0] + second[0] - vertex[0], first[1] + second[1] - vertex[1]
        self.lines.append(LineItem("polyline", (first, corner, second), colour or self.ink, 1.5))

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


def step_towards(start: Point, end: Point, distance: float) -> Point:
    """Return the point ``distance`` from ``start`` towards ``end``."""
    length = exact.dist(start, end) or 1.0
    return start[0] + (end[0] - start[0]) / length * distance, start[1] + (end[1] - start[1]) / length * distance


def find_foot(point: Point, start: Point, end: Point) -> Point:
    """Return the foot of the perpendicular from a point to a line."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy or 1.0
    part = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length
    return start[0] + part * dx, start[1] + part * dy


def find_crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Return the point where the lines ``ab`` and ``cd`` meet; None if they are parallel."""
    abx, aby, cdx, cdy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    across = abx * cdy - aby * cdx
    if abs(across) < 1e-6:
        return None
    part = ((c[0] - a[0]) * cdy - (c[1] - a[1]) * cdx) / across
    return a[0] + part * abx, a[1] + part * aby


def find_circumcircle(a: Point, b: Point, c: Point) -> tuple[Point, float] | None:
    """Return the circle through three points; None if they are collinear."""
    m, n = mean([a, b]), mean([a, c])
    centre = find_crossing(m, (m[0] - (b[1] - a[1]), m[1] + b[0] - a[0]), n, (n[0] - (c[1] - a[1]), n[1] + c[0] - a[0]))
    return (centre, exact.dist(centre, a)) if centre else None


def find_incircle(a: Point, b: Point, c: Point) -> tuple[Point, float]:
    """Return the circle that touches the sides of a triangle from inside."""
    sides = exact.dist(b, c), exact.dist(c, a), exact.dist(a, b)
    total = math.fsum(sides) or 1.0
    centre = (
        (sides[0] * a[0] + sides[1] * b[0] + sides[2] * c[0]) / total,
        (sides[0] * a[1] + sides[1] * b[1] + sides[2] * c[1]) / total,
    )
    return centre, exact.dist(centre, find_foot(centre, a, b))


def find_tangent_points(point: Point, circle: tuple[Point, float]) -> tuple[Point, Point] | None:
    """Return the points where the tangents from a point touch a circle; None if the point lies inside."""
    centre, radius = circle
    far = exact.dist(point, centre)
    if far <= radius:
        return None
    half, towards = exact.acos(radius / far), exact.atan2(point[1] - centre[1], point[0] - centre[0])
    first, second = ((centre[0] + radius * exact.cos(towards + turn), centre[1] + radius * exact.sin(towards + turn))
                  for turn in (-half, half))  # fmt: skip
    return first, second


def find_named_points(text: str, size: tuple[int, int]) -> dict[str, Point]:
    """Return the points that have a letter and coordinates; bare numbers are pixels unless "%" is spoken of."""
    in_percent = bool(
        re.search(r"\bin %|\bpercent(?:age)?s? of|% of (?:the )?(?:width|image)", text)
    ) and not re.search(r"\d\s?px", text)
    points: dict[str, Point] = {}
    for match in _PAIR_FROM.finditer(text):
        points.setdefault(match[1], convert_to_pixels(match.groups()[2:6], size, in_percent))
        points.setdefault(match[2], convert_to_pixels(match.groups()[6:10], size, in_percent))
    for match in NAMED.finditer(text):
        # "I" is a pronoun unless its coordinates follow at once.
        if match[1] not in {"I"} or "(" in match[0][:4]:
            points.setdefault(match[1], convert_to_pixels(match.groups()[2:], size, in_percent))
    return dict(list(points.items())[:MAX_POINTS])


def convert_to_pixels(parts: tuple[str, ...], size: tuple[int, int], in_percent: bool) -> Point:
    """Return coordinates in pixels from their four parts: x, "%" or nothing, y, "%" or nothing.

    Args:
        parts: Groups of ``XY``.
        size: Width and height of the picture in pixels.
        in_percent: Whether numbers without a unit that are at most 100 are percentages.
    """
    x, x_unit, y, y_unit = parts
    percent = bool(x_unit or y_unit) or (in_percent and max(float(x), float(y)) <= 100)
    return (float(x) * size[0] / 100, float(y) * size[1] / 100) if percent else (float(x), float(y))


def label_side(plan: Plan, sentence: str) -> None:
    """Write a text beside the middle of the line drawn last, for words such as "labeled "r" below its middle"."""
    match = re.search(
        r"\blabeled \"([^\"]{1,12})\"(?: in #\w+)?\s*(above|below|beside|next to|near|to the left"
        r"|to the right)?[^.;]{0,16}\b(?:its|the)? ?(?:middle|midpoint|center)?",
        sentence,
    )
    if (
        match is None
        or not plan.segments
        or ANGLE.search(sentence)
        or match[1] in plan.points
        or match[1] in plan.written
    ):
        return
    x, y = mean(list(plan.segments[-1]))
    shift = {"above": (0, -14), "to the left": (-14, 0), "to the right": (14, 0)}.get(match[2] or "", (4, 14))
    plan.add_text(match[1], (x + shift[0], y + shift[1]), find_first_colour(sentence))


def mark_right_angles(plan: Plan, sentence: str) -> bool:
    """Mark right angles and write lengths beside sides; return whether the sentence named any."""
    stated = False
    for match in _RIGHT_ANGLE.finditer(sentence):
        arms = plan.arms_at(match[1]) if match[1] in plan.points else None
        if arms:
            plan.add_right_angle(plan.points[match[1]], arms, None, 16.0)
            stated = True
    for match in _SIDE_TEXT.finditer(sentence):
        first, second, text = (part for part in match.groups() if part)
        if first in plan.points and second in plan.points:
            _write_beside(plan, plan.points[first], plan.points[second], text)
            stated = True
    return stated


def mark_angle(plan: Plan, sentence: str, size: tuple[int, int]) -> None:
    """Mark an angle with arcs and write its degrees."""
    if not ANGLE.search(sentence) or re.search(r"\bright.angle", sentence):
        return
    name = re.search(r"\b(?:[Aa]t|vertex|corner|point|angle)\s+(?:vertex |corner |point )?([A-Z])\b", sentence)
    letter = name[1] if name and name[1] in plan.points else _find_common_letter(plan)
    arms = plan.arms_at(letter) if letter else None
    if not letter or arms is None:
        return
    shades = find_colours(sentence)
    fill = FILL.search(sentence)
    inside = (fill[1] or fill[2]) if fill else None
    # The other colour is that of the arc.
    shade = next((colour for colour in shades if colour != inside), None)
    stated = re.search(rf"\bradius (?:of )?({NUMBER})", sentence)
    radius = float(stated[1]) if stated else 34.0
    arcs = 2 if re.search(r"\bdouble|\btwo arcs", sentence) else 1
    way = plan.add_angle(plan.points[letter], arms, shade, radius, arcs, inside)
    degrees = _DEGREES.search(sentence)
    if degrees:
        at = re.search(rf"°\"?[^();]{{0,30}}{XY}", sentence)
        vertex = plan.points[letter]
        text_at = (
            convert_to_pixels(at.groups(), size, False)
            if at
            else step_in_direction(vertex, math.radians(way), radius + 22)
        )
        plan.add_text(f"{degrees[1]}°", text_at, shade, 15.0)


def mark_equal_sides(plan: Plan, sentence: str) -> None:
    """Put tick strokes across equal sides: the sides that are named, or the two equal sides of a triangle."""
    if not TICK.search(sentence):
        return
    low = sentence.lower()
    double = re.search(r"\bdouble|\bpair|\btwo (?:small )?(?:tick|hatch|stroke)", low)
    count = 3 if re.search(r"\btriple|\bthree", low) else 2 if double else 1
    sides = [(m[1], m[2]) for m in TWO.finditer(sentence) if m[1] in plan.points and m[2] in plan.points]
    if not sides and plan.polygons and len(plan.polygons[0]) == 3:
        sides = _find_equal_sides(plan, plan.polygons[0])
    for first, second in sides:
        plan.add_ticks(plan.points[first], plan.points[second], count)


def mark_points(plan: Plan, sentences: list[str], used: set[int]) -> None:
    """Put dots on the points that a sentence names, or on all points."""
    done: set[str] = set()
    for index, sentence in enumerate(sentences):
        match = re.search(rf"({HEX}|\bdark|\bsmall)?\s*(?:\w+ )?\bdots?\b|\bmarked\b", sentence)
        if match is None:
            continue
        letters = [letter for letter in re.findall(r"\b([A-Z])\b", sentence) if letter in plan.points]
        shade = next((part for part in re.findall(rf"{HEX}(?=(?: \w+)? dots?)", sentence)), None)
        for name in letters if letters and "all" not in sentence else list(plan.points):
            if name not in done:
                plan.add_dot(plan.points[name], shade)
                done.add(name)
        used.add(index)


def write_letters(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Write the letters: where a sentence says, else outside the figure."""
    shade: str | None = None
    for index, sentence in enumerate(sentences):
        for match in re.finditer(rf"\"([A-Za-z]'?)\"[^\";]{{0,60}}?{XY}", sentence):
            if match[1] not in plan.written:
                plan.add_text(match[1], convert_to_pixels(match.groups()[1:], size, False), None)
        for match in re.finditer(rf"(?:\"([A-Z])\"|\b([A-Z])\b) (?:\(|to the )?({'|'.join(_SIDES)})\b", sentence):
            name = match[1] or match[2]
            if name in plan.points and name not in plan.written and re.search(r"\b[Ll]abels?\b", sentence):
                (x, y), way = plan.points[name], _SIDES[match[3]]
                plan.add_text(name, (x + LABEL_GAP * way[0], y + LABEL_GAP * way[1]), None)
        if re.search(r"\blabel", sentence, re.IGNORECASE):
            used.add(index)
            stated = re.search(rf"\blabels?\b[^.;#]{{0,80}}\bin ({HEX})", sentence)
            shade = stated[1] if stated else shade
    plan.write_letters(shade)


def _write_beside(plan: Plan, start: Point, end: Point, text: str) -> None:
    """Write a text beside the middle of a side, away from the figure's middle."""
    centre, middle = plan.middle(), mean([start, end])
    length = exact.dist(start, end) or 1.0
    across = (end[1] - start[1]) / length, (start[0] - end[0]) / length
    away = 1 if (middle[0] - centre[0]) * across[0] + (middle[1] - centre[1]) * across[1] >= 0 else -1
    # A text is wider than high, so it stands farther off an upright side than off a level one.
    far = 14.0 + 3.0 * len(text) * abs(across[0])
    plan.add_text(text, (middle[0] + away * across[0] * far, middle[1] + away * across[1] * far), None, 15.0)


def _find_common_letter(plan: Plan) -> str:
    """Return the point where the two lines meet that were drawn last."""
    if len(plan.segments) < 2:
        return ""
    shared = set(plan.segments[-1]) & set(plan.segments[-2])
    return next((name for name, at in plan.points.items() if at in shared), "")


def _find_equal_sides(plan: Plan, letters: str) -> list[tuple[str, str]]:
    sides = [(letters[k - 1], letters[k]) for k in range(3)]
    lengths = [exact.dist(plan.points[first], plan.points[second]) for first, second in sides]
    apart = [abs(lengths[k - 1] - lengths[k]) for k in range(3)]
    best = apart.index(min(apart))
    return [sides[best - 1], sides[best]]
