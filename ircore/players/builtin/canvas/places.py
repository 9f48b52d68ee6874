"""Places in words, such as "top left", "near the right edge" or "left of the red circle"."""

import re

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.geometry import BoxF
from ircore.players.builtin.canvas.quantities import Space, points

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


def absolute_place(words: str, space: Space, size: Point) -> Point | None:
    """Return the middle of a thing, from its point or words such as "top left"; None if the words name no place."""
    stated = points(words, space, 1)
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
        _at_edge(left + margin * wide, right - margin * wide, size[0], column),
        _at_edge(top + margin * high, bottom - margin * high, size[1], row),
    )


def _at_edge(low: float, high: float, size: float, share: float) -> float:
    if size >= high - low:
        return (low + high) / 2
    return low + size / 2 + (high - low - size) * share


def beside(relation: str, other: BoxF, size: Point, gap: float | None) -> Point:
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
