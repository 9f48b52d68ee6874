"""Positions, sizes, strokes and angles in a clause's plain spelling (see ``text``), and places in words."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.shapes import BoxF, clamp

N = r"(-?\d{1,7}(?:\.\d{1,6})?)"
"""A number."""

HEX = r"(#[0-9a-f]{6})"
POINT = rf"\({N}(%?),{N}(%?)\)"

_POINT = re.compile(POINT)
_COLOUR = re.compile(HEX)
LENGTH = rf"{N}(px|%)?"
_AREAS = {
    "tiny": 0.05, "very small": 0.06, "small": 0.12, "little": 0.12, "short": 0.15, "medium": 0.25, "mid": 0.25,
    "very large": 0.55, "very big": 0.55, "large": 0.4, "big": 0.4, "long": 0.5, "tall": 0.4, "wide": 0.4,
    "huge": 0.6, "giant": 0.7, "enormous": 0.7,
}  # fmt: skip
"""Sizes in words, as a share of the picture's shorter side."""

# The longest words first, since an alternation takes the first one that fits: "very small" before "small".
_SIZE_WORD = re.compile(rf"\b({'|'.join(sorted(_AREAS, key=len, reverse=True))})(?:ish|\s+sized)?\b")
_DASHES = (
    (re.compile(r"\bdashdotted\b"), (6.0, 2.0, 1.0, 2.0)),
    (re.compile(r"\bdash(?:ed|es)?\b|\bbroken\b"), (4.0, 2.0)),
    (re.compile(r"\bdotted\b|\bdots\b"), (1.0, 2.0)),
)
_PATTERN = re.compile(
    rf"\b(?:dash(?:es|ed)?|pattern|strokes?)(?:\s+of)?\s+{N}(?:px)?\s*(?:on|,|/"
    rf"|and)?\s*(?:gaps?\s+(?:of\s+)?)?{N}(?:px)?(?:\s+(?:off|gaps?))?"
)
_STROKE = (
    re.compile(rf"{N}px\s+(?:(?:wide|thick|thin|solid|dashed|dotted|{HEX})\s+){{0,4}}(?:wedge\s+)?(?:outline"
    rf"|border|edge|edges|borders|stroke|contour|rim|frame)"),
    re.compile(rf"(?:outline[ds]?|border(?:ed|s)?|edges?|stroke|contour|rim|framed?)\s+(?:(?:in|of|with|by|is|a"
    rf"|an|width|thickness|thick|line|solid|dashed|dotted|{HEX})\s+){{0,6}}{N}px"),
)  # fmt: skip
_OUTLINE = (
    re.compile(rf"{HEX}\s+(?:(?:{N}px|wide|thick|thin|solid|dashed|dotted|wedge)\s+){{0,3}}(?:outline|border|edge"
    rf"|edges|borders|stroke|contour|rim|frame)\b"),
    re.compile(rf"\b(?:outline[ds]?|border(?:ed|s)?|edged?|edges|contour|rim|framed?)\s+(?:(?:in|of|with|by|is"
    rf"|colour|a|an|solid|dashed|dotted|thin|thick|{N}px)\s+){{0,5}}{HEX}"),
)  # fmt: skip
_ANGLE = re.compile(
    rf"{N}deg(?:\s+(?:to\s+the\s+)?(counter|anti|clockwise|left|right))?|(counter"
    rf"|anti)\s?clockwise\s+by\s+{N}|(clockwise)\s+by\s+{N}"
)
_DIMENSIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("width", re.compile(rf"{LENGTH}\s+(?:wide|in width|across|broad|long)\b")),
    ("width", re.compile(rf"\b(?:width|length)\s+(?:of\s+|is\s+|to\s+|=\s*|:\s*)?{LENGTH}")),
    ("height", re.compile(rf"{LENGTH}\s+(?:high|tall|in height)\b")),
    ("height", re.compile(rf"\bheight\s+(?:of\s+|is\s+|to\s+|=\s*|:\s*)?{LENGTH}")),
    ("radius", re.compile(rf"\bradius\s*(?:of\s+|is\s+|to\s+|=\s*|:\s*|r\s+)?{LENGTH}")),
    ("radius", re.compile(rf"{LENGTH}\s+(?:in\s+)?radius\b")),
    ("diameter", re.compile(rf"\bdiameter\s*(?:of\s+|is\s+|to\s+|=\s*|:\s*)?{LENGTH}")),
    ("diameter", re.compile(rf"{LENGTH}\s+(?:in\s+)?diameter\b")),
    ("side", re.compile(rf"\b(?:sides?|edge length)\s+(?:length\s+)?(?:of\s+|is\s+|to\s+|=\s*)?(?:length )?{LENGTH}")),
    ("side", re.compile(rf"{LENGTH}\s+sides?\b")),
    ("side", re.compile(rf"\bsized?\s+(?:of\s+|is\s+|to\s+|=\s*|:\s*)?{LENGTH}(?!\s*(?:x|by)\s)")),
)  # fmt: skip
_BY = re.compile(rf"{LENGTH}\s*(?:wide\s+)?(?:x|by)\s+{LENGTH}")
_ROWS = (
    (re.compile(r"\b(?:top|upper|uppermost)\b"), 0.0),
    (re.compile(r"\b(?:bottom|lower|bottommost)\b"), 1.0),
)
_COLUMNS = (
    (re.compile(r"\b(?:left|leftmost)\b"), 0.0),
    (re.compile(r"\b(?:right|rightmost)\b"), 1.0),
)
_CENTRE = re.compile(
    r"\b(?:in|at|near|to|towards?|on|into)\s+(?:the\s+)?(?:very\s+|exact\s+)?centre\b|\bcentred\b"
    r"|\bcentral(?:ly)?\b|\bcentre (?:of the (?:picture|image|canvas)|left|right)\b|\b(?:top|bottom"
    r"|left|right|upper|lower) centre\b"
)
_SIDE_OF_ITSELF = re.compile(
    r"\b(?:bottom|top|left|right) (?:edge|corner|side|end)s? (?:is |being )?at \(|\b(?:left|right|top"
    r"|bottom) aligned\b|\bright angled?\b"
)

RELATION = re.compile(
    r"\b(?P<left>(?:(?:just|directly|immediately)\s+)?(?:to\s+|on\s+)?(?:the\s+"
    r"|its\s+)?left(?:\s+hand)?(?:\s+side)?\s+of)\b"
    r"|\b(?P<right>(?:to\s+|on\s+)?(?:the\s+|its\s+)?right(?:\s+hand)?(?:\s+side)?\s+of)\b"
    r"|\b(?P<inside>inside(?:\s+of)?|within|(?:in|at|on)\s+the\s+centre\s+of|centred\s+(?:in|on|at"
    r"|inside|within)|contained\s+(?:in|by)|in\s+the\s+interior\s+of)\b"
    r"|\b(?P<around>surrounding|enclosing|encircling|around)\b"
    r"|\b(?P<on>on\s+top\s+of|atop|standing\s+on|sitting\s+on|resting\s+on)\b"
    r"|\b(?P<above>above|over|north\s+of)\b"
    r"|\b(?P<below>below|under(?:neath)?|beneath|south\s+of)\b"
    r"|\b(?P<beside>next\s+to|beside|adjacent\s+to|alongside|touching)\b"
    r"|\b(?P<between>between)\b"
    r"|\b(?P<behind>behind)\b"
    r"|\b(?P<overlap>(?:partly\s+|partially\s+)?(?:overlapping|overlaps|intersecting))\b"
)  # fmt: skip
"""Words that place one thing by another; the group's name is the relation."""


@dataclass(frozen=True)
class Space:
    """The picture that percentages and words for places refer to: width and height in pixels.

    >>> Space(512, 384).x("25", "%")
    128.0
    """

    width: int
    height: int

    @property
    def box(self) -> BoxF:
        """The whole picture."""
        return 0.0, 0.0, float(self.width), float(self.height)

    @property
    def middle(self) -> Point:
        """Middle of the picture in pixels."""
        return self.width / 2, self.height / 2

    def x(self, value: str, unit: str | None = None) -> float:
        """Return a horizontal coordinate or length in pixels."""
        return clamp(float(value) * (self.width / 100 if unit == "%" else 1))

    def y(self, value: str, unit: str | None = None) -> float:
        """Return a vertical coordinate or length in pixels."""
        return clamp(float(value) * (self.height / 100 if unit == "%" else 1))

    def scale(self, axis: str) -> Callable[[str, str | None], float]:
        """Return the method ``x`` or ``y``, which turns numbers along an axis into pixels."""
        return self.x if axis == "x" else self.y

    def both(self, value: str, unit: str | None = None) -> float:
        """Return a length that belongs to neither direction; percent are of the shorter side."""
        return clamp(float(value) * (min(self.width, self.height) / 100 if unit == "%" else 1))


def find_points(words: str, space: Space, most: int = 400) -> list[Point]:
    """Return all points "(x,y)" in order."""
    matches = itertools.islice(_POINT.finditer(words), most)
    return [(space.x(match[1], match[2]), space.y(match[3], match[4])) for match in matches]


def find_first_colour(words: str) -> str | None:
    """Return the first colour."""
    match = _COLOUR.search(words)
    return match[0] if match else None


def find_dimensions(words: str, space: Space) -> dict[str, float]:
    """Return the lengths that the words give for width, height, radius, diameter and side, in pixels."""
    # The width of an outline is not the width of the shape.
    words = remove_outline_words(words)
    lengths: dict[str, float] = {}
    by = _BY.search(words)
    if by:
        lengths["width"], lengths["height"] = space.x(by[1], by[2] or by[4]), space.y(by[3], by[4])
    for name, pattern in _DIMENSIONS:
        match = pattern.search(words)
        if match and name not in lengths:
            scale = {"width": space.x, "height": space.y}.get(name, space.both)
            lengths[name] = abs(scale(match[1], match[2]))
    return lengths


def find_size_word(words: str) -> float | None:
    """Return a size in words ("small", "huge") as a share of the picture's shorter side."""
    match = _SIZE_WORD.search(words)
    return _AREAS[match[1]] if match else None


def stroke_width(words: str) -> float | None:
    """Return the width of an outline in pixels; None if the words give no width."""
    for pattern in _STROKE:
        match = pattern.search(words)
        if match:
            value = next(group for group in match.groups() if group and not group.startswith("#"))
            return clamp(abs(float(value)), 0.25, 200)
    if re.search(r"\bthick\b", words):
        return 5.0
    return 1.0 if re.search(r"\b(?:thin|hairline|fine)\b", words) else None


def outline_colour(words: str) -> str | None:
    """Return the colour of an outline; None if the words give no colour."""
    for pattern in _OUTLINE:
        match = pattern.search(words)
        if match:
            return next(group for group in match.groups() if group and group.startswith("#"))
    return None


def remove_outline_words(words: str) -> str:
    """Return ``words`` with each phrase about the outline replaced by the word "outline"."""
    for pattern in (*_STROKE, *_OUTLINE):
        words = pattern.sub(" outline ", words)
    return words


def find_dash_pattern(words: str, width: float) -> tuple[float, ...] | None:
    """Return the dash pattern in pixels; empty for "solid", None if the words name no pattern."""
    explicit = _PATTERN.search(words)
    if explicit:
        return clamp(float(explicit[1]), 1, 500), clamp(abs(float(explicit[2])), 1, 500)
    for pattern, units in _DASHES:
        if pattern.search(words):
            return tuple(max(1.0, unit * max(width, 1.5)) for unit in units)
    return () if re.search(r"\bsolid\b|\bcontinuous\b", words) else None


def find_angle(words: str) -> float | None:
    """Return an angle in degrees, positive clockwise unless the words say otherwise."""
    match = _ANGLE.search(words)
    if match is None:
        return 180.0 if "upside down" in words else None
    value = clamp(float(next(group for group in (match[1], match[4], match[6]) if group is not None)), -3600, 3600)
    return -value if is_counter_clockwise(words) else value


def is_counter_clockwise(words: str) -> bool:
    """Whether a direction against the clock is named."""
    return bool(re.search(r"\b(?:counter|anti)\s?clockwise\b|deg\s+(?:to\s+the\s+)?left\b", words))


def find_listed_coordinates(words: str, axis: str, space: Space) -> list[float]:
    """Return the coordinates listed after "x" or "y": "at x 60, 120 and 180" or "x 60 to 480 every 60".

    Args:
        words: Plain spelling.
        axis: ``"x"`` or ``"y"``.
        space: The picture that percentages refer to.
    """
    scale = space.scale(axis)
    series = re.search(
        rf"\b{axis}\s*=?\s*{LENGTH}\s*(?:to|until|through|up to|-)\s*(?:{axis}\s*)?{LENGTH},?\s*"
        rf"(?:in steps of|every|each|step|spaced(?: by)?|at intervals of)\s*{LENGTH}",
        words,
    )
    if series:
        low, high = scale(series[1], series[2]), scale(series[3], series[4])
        step = abs(scale(series[5], series[6])) or abs(high - low) or 1.0
        # The small excess makes up for rounding, so that the last place is not lost.
        count = min(200, int(abs(high - low) / step + 1.001))
        return [low + index * (step if high >= low else -step) for index in range(count)]
    listed = re.search(
        rf"\b{axis}\s*=?\s*({N}(?:px|%)?(?:\s*(?:,|and|&|,\s*and)\s*{N}(?:px|%)?){{0,200}})(?![\d.])", words
    )
    if not listed:
        return []
    return [scale(match[1], match[2]) for match in re.finditer(LENGTH, listed[1])]


def find_range(words: str, axis: str, space: Space) -> tuple[float, float] | None:
    """Return the range in "from x 60 to 480" in pixels; None if there is no range."""
    scale = space.scale(axis)
    match = re.search(
        rf"\b(?:from|between)\s+{axis}\s*=?\s*{LENGTH}\s*(?:up |down |out )?(?:to|and)\s+(?:{axis}\s*=?\s*)?{LENGTH}",
        words,
    )
    return (scale(match[1], match[2]), scale(match[3], match[4])) if match else None


def find_absolute_place(words: str, space: Space, size: Point) -> Point | None:
    """Return the middle of a thing, from its point or words such as "top left"; None if the words name no place."""
    stated = find_points(words, space, 1)
    if stated:
        return stated[0]
    own_x = re.search(r"\bx\s*=?\s*(-?\d{1,6}(?:\.\d{1,6})?)(px|%)?", words)
    own_y = re.search(r"\by\s*=?\s*(-?\d{1,6}(?:\.\d{1,6})?)(px|%)?", words)
    place = word_place(words, space, size)
    if own_x or own_y:
        middle = place or space.middle
        return (
            space.x(own_x[1], own_x[2]) if own_x else middle[0],
            space.y(own_y[1], own_y[2]) if own_y else middle[1],
        )
    return place


def word_place(words: str, space: Space, size: Point, near: BoxF | None = None) -> Point | None:
    """Return the point that "top left", "bottom", "centre" … mean for a thing of this size."""
    # "Left of the circle" and "its right edge is at (…)" name no side of the picture.
    words = RELATION.sub(" ", _SIDE_OF_ITSELF.sub(" ", words))
    row = next((share for pattern, share in _ROWS if pattern.search(words)), None)
    column = next((share for pattern, share in _COLUMNS if pattern.search(words)), None)
    if row is None and column is None:
        if not _CENTRE.search(words):
            return None
        row = column = 0.5
    row, column = 0.5 if row is None else row, 0.5 if column is None else column
    left, top, right, bottom = near or space.box
    hugging = re.search(r"\b(?:corner|edge|border|along)\b", words)
    margin = 0.02 if hugging else 0.06
    wide, high = right - left, bottom - top
    if not hugging and max(size[0] / max(wide, 1), size[1] / max(high, 1)) < 0.35:
        spread = 0.25 if "quarter" in words or "quadrant" in words else 0.2
        return (
            left + wide * (spread + column * (1 - 2 * spread)),
            top + high * (spread + row * (1 - 2 * spread)),
        )
    return (
        _place_at_edge(left + margin * wide, right - margin * wide, size[0], column),
        _place_at_edge(top + margin * high, bottom - margin * high, size[1], row),
    )


def _place_at_edge(low: float, high: float, size: float, share: float) -> float:
    if size >= high - low:
        return (low + high) / 2
    return low + size / 2 + (high - low - size) * share


def place_beside(relation: str, other: BoxF, size: Point, gap: float | None) -> Point:
    """Return the middle of a thing in a ``RELATION`` to another's box; ``gap`` None: a tenth of the other's size."""
    left, top, right, bottom = other
    x, y = (left + right) / 2, (top + bottom) / 2
    space = gap if gap is not None else 0.0 if relation == "on" else max(8.0, 0.1 * max(right - left, bottom - top))
    if relation == "left":
        return left - space - size[0] / 2, y
    if relation in {"right", "beside"}:
        return right + space + size[0] / 2, y
    if relation in {"above", "on"}:
        return x, top - space - size[1] / 2
    if relation == "below":
        return x, bottom + space + size[1] / 2
    if relation == "overlap":
        return x - 0.35 * (right - left), y - 0.35 * (bottom - top)
    return x, y
