"""Annotations of a figure of named points: angles, equal sides, dots, letters and lengths."""

import math
import re

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.named_points import XY, pixels
from ircore.players.builtin.canvas.figures.plan import LABEL_GAP, Plan, mean
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, colours
from ircore.players.builtin.canvas.geometry import towards
from ircore.players.builtin.canvas.quantities import first_colour

FILL = re.compile(
    rf"\b(?:filled|shaded|fill(?:ed)?)\b(?: (?:with|in|is|color))*\s*:?\s*(?:\w+ )?({HEX})|({HEX}) (?:fill"
    rf"|shading|interior)\b"
)
TWO = re.compile(r"(?<![A-Z])([A-Z])([A-Z])(?![A-Za-z])")
ANGLE = re.compile(r"\b(?:arcs?|angle(?! of))\b")
_DEGREES = re.compile(r"\"?(\d{1,3}(?:\.\d+)?)\s?°\"?")
TICK = re.compile(r"\btick(?:s|ed| ?marks?)?\b|\bhatch marks?\b")


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
    plan.add_text(match[1], (x + shift[0], y + shift[1]), first_colour(sentence))


SQUARE_MARK = re.compile(r"\bsmall square\b[^.;]{0,40}\bright angle", re.IGNORECASE)
_RIGHT_ANGLE = re.compile(
    r"\bright angle(?: marks?| marker| symbol)?\s+(?:is\s+)?(?:at|in)\s+(?:vertex |corner "
    r"|point )?([A-Z])\b"
)
_SIDE_TEXT = re.compile(
    r"(?<![A-Z])([A-Z])([A-Z])\s+(?:is\s+|has\s+|measures\s+)?(?:labeled\s+|length\s+|=\s*)?\"([^\"]{1,12})\""
    r"|(?<![A-Z])([A-Z])([A-Z])\s*(?:=|is|measures|has length)\s*(\d+(?:\.\d+)?\s?(?:cm|mm|m|units)?)"
)


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


def _write_beside(plan: Plan, start: Point, end: Point, text: str) -> None:
    """Write a text beside the middle of a side, away from the figure's middle."""
    centre, middle = plan.middle(), mean([start, end])
    length = exact.dist(start, end) or 1.0
    across = (end[1] - start[1]) / length, (start[0] - end[0]) / length
    away = 1 if (middle[0] - centre[0]) * across[0] + (middle[1] - centre[1]) * across[1] >= 0 else -1
    # A text is wider than high, so it stands farther off an upright side than off a level one.
    far = 14.0 + 3.0 * len(text) * abs(across[0])
    plan.add_text(text, (middle[0] + away * across[0] * far, middle[1] + away * across[1] * far), None, 15.0)


def mark_angle(plan: Plan, sentence: str, size: tuple[int, int]) -> None:
    """Mark an angle with arcs and write its degrees."""
    if not ANGLE.search(sentence) or re.search(r"\bright.angle", sentence):
        return
    name = re.search(r"\b(?:[Aa]t|vertex|corner|point|angle)\s+(?:vertex |corner |point )?([A-Z])\b", sentence)
    letter = name[1] if name and name[1] in plan.points else _common_letter(plan)
    arms = plan.arms_at(letter) if letter else None
    if not letter or arms is None:
        return
    shades = colours(sentence)
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
        text_at = pixels(at.groups(), size, False) if at else towards(vertex, math.radians(way), radius + 22)
        plan.add_text(f"{degrees[1]}°", text_at, shade, 15.0)


def _common_letter(plan: Plan) -> str:
    """Return the point where the two lines meet that were drawn last."""
    if len(plan.segments) < 2:
        return ""
    shared = set(plan.segments[-1]) & set(plan.segments[-2])
    return next((name for name, at in plan.points.items() if at in shared), "")


def mark_equal_sides(plan: Plan, sentence: str) -> None:
    """Put tick strokes across equal sides: the sides that are named, or the two equal sides of a triangle."""
    if not TICK.search(sentence):
        return
    low = sentence.lower()
    double = re.search(r"\bdouble|\bpair|\btwo (?:small )?(?:tick|hatch|stroke)", low)
    count = 3 if re.search(r"\btriple|\bthree", low) else 2 if double else 1
    sides = [(m[1], m[2]) for m in TWO.finditer(sentence) if m[1] in plan.points and m[2] in plan.points]
    if not sides and plan.polygons and len(plan.polygons[0]) == 3:
        sides = _equal_sides(plan, plan.polygons[0])
    for first, second in sides:
        plan.add_ticks(plan.points[first], plan.points[second], count)


def _equal_sides(plan: Plan, letters: str) -> list[tuple[str, str]]:
    sides = [(letters[k - 1], letters[k]) for k in range(3)]
    lengths = [exact.dist(plan.points[first], plan.points[second]) for first, second in sides]
    apart = [abs(lengths[k - 1] - lengths[k]) for k in range(3)]
    best = apart.index(min(apart))
    return [sides[best - 1], sides[best]]


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


_SIDES = {"above left": (-0.7, -0.7), "above right": (0.7, -0.7), "below left": (-0.7, 0.7), "below right": (0.7, 0.7),
    "upper left": (-0.7, -0.7), "upper right": (0.7, -0.7), "lower left": (-0.7, 0.7), "lower right": (0.7, 0.7),
    "above": (0.0, -1.0), "below": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}  # fmt: skip


def write_letters(plan: Plan, sentences: list[str], size: tuple[int, int], used: set[int]) -> None:
    """Write the letters: where a sentence says, else outside the figure."""
    shade: str | None = None
    for index, sentence in enumerate(sentences):
        for match in re.finditer(rf"\"([A-Za-z]'?)\"[^\";]{{0,60}}?{XY}", sentence):
            if match[1] not in plan.written:
                plan.add_text(match[1], pixels(match.groups()[1:], size, False), None)
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
