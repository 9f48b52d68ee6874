"""Places of new things: their own point, beside another thing, in a row, or in free space."""

import math
import re
from dataclasses import dataclass

from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.geometry import BoxF
from ircore.players.builtin.canvas.item_builder import placed
from ircore.players.builtin.canvas.kinds import is_plural
from ircore.players.builtin.canvas.places import beside, word_place
from ircore.players.builtin.canvas.references import Target
from ircore.players.builtin.canvas.shapes import Blob, Item, Stroke, centred, size_of
from ircore.players.builtin.canvas.sheet import Sheet

_ALL_CORNERS = re.compile(
    r"\b(?:in|at) (?:(?:each|every|all|the|4|of) ?){1,4}corners?\b"
    r"(?! (?:of (?!the (?:picture|image|canvas))|at|\())"
)
"""Corners of the picture; those of another thing are its own."""

_CORNERS = ("top left", "top right", "bottom left", "bottom right")

_COUNT = re.compile(r"\b(\d{1,2})\s+(?!px|high|wide|tall|pointed|sided|deg|%|by|x\b)")
CROWD = 40
"""Things on the canvas above which no room is looked for."""


@dataclass
class Mention:
    """A thing that a clause speaks of.

    >>> Mention("circle", "circle", start=0, after=12, words="a red circle").relation
    ''

    Attributes:
        kind: See ``kinds``.
        start: Where its phrase begins in the clause.
        after: Where its noun ends.
        known: The items that are meant if it is there already.
        relation: How it stands to another thing, a group's name of ``places.RELATION``.
        same: The thing of the same clause that it names once more.
    """

    kind: str
    noun: str
    start: int
    after: int
    words: str = ""
    known: tuple[Target, ...] = ()
    relation: str = ""
    other: "Mention | tuple[Target, ...] | None" = None
    same: "Mention | None" = None
    made: Item | None = None


def put(item: Item, mention: Mention, other: BoxF | None, sheet: Sheet, made: list[Item]) -> Item:
    """Return an item at its place: its own point, beside another thing, a place in words, or free space."""
    words = mention.words
    if isinstance(item, Stroke) and (mention.kind != "line" or len(q.points(words, sheet.space)) >= 2 or other is None):
        return item
    if q.points(words.split(" of the ")[0], sheet.space, 1):
        if (
            isinstance(item, Blob)
            and item.kind not in {"circle", "star", "ring", "ellipse"}
            and len(q.points(words, sheet.space, 3)) > 1
        ):
            return item
        return placed(item, words, sheet.space) or item
    # A shape that is not in the middle was built from its own corners or ranges.
    if isinstance(item, Blob) and item.centre != sheet.space.middle:
        return item
    if other is not None:
        return _beside_other(item, mention, other, sheet)
    return placed(item, words, sheet.space) or _where_room_is(item, sheet, made)


def _beside_other(item: Item, mention: Mention, other: BoxF, sheet: Sheet) -> Item:
    size_said = q.dimensions(mention.words, sheet.space) or re.search(rf"{q.N}px", mention.words)
    if mention.relation == "between" and isinstance(item, Blob) and not size_said:
        fit = 0.15 * max(other[2] - other[0], other[3] - other[1]) / max(item.width, item.height)
        item = item.scaled(min(1.0, fit), min(1.0, fit))
    if mention.relation == "inside" and isinstance(item, Blob) and not size_said:
        fit = 0.5 * min(other[2] - other[0], other[3] - other[1]) / max(item.width, item.height)
        share = (q.size_word(mention.words) or 0.25) / 0.25
        item = item.scaled(fit * min(1.4, max(0.4, share)), fit * min(1.4, max(0.4, share)))
    if mention.relation in {"around", "behind"} and isinstance(item, Blob) and not size_said:
        grow = 1.4 * max((other[2] - other[0]) / item.width, (other[3] - other[1]) / item.height)
        item = item.scaled(grow, grow)
    gap = re.search(rf"{q.N}px\s+(?:to the\s+)?(?:left|right|above|below|under|over|away|from|beneath)", mention.words)
    at = beside(mention.relation, other, size_of(item), float(gap[1]) if gap else None)
    if mention.relation == "inside":
        at = word_place(mention.words, sheet.space, size_of(item), other) or at
    return centred(item, at)


def _where_room_is(item: Item, sheet: Sheet, made: list[Item]) -> Item:
    """Put a thing without a place in the middle, or in the emptiest ninth of the picture if that is taken."""
    wide, high = sheet.canvas.width, sheet.canvas.height
    if len(sheet.items) + len(made) > CROWD:
        return item
    taken = [other.box for other in [*sheet.items, *made]]
    spots = [(wide * x, high * y) for x, y in ((0.5, 0.5), (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75),
        (0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5))]  # fmt: skip
    return centred(item, min(spots, key=lambda at: math.fsum(_overlap(_box_at(item, at), box) for box in taken)))


def _box_at(item: Item, at: Point) -> BoxF:
    half_wide, half_high = (side / 2 for side in size_of(item))
    return at[0] - half_wide, at[1] - half_high, at[0] + half_wide, at[1] + half_high


def _overlap(first: BoxF, second: BoxF) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, high)


def _in_all_corners(words: str) -> bool:
    match = _ALL_CORNERS.search(words)
    return match is not None and re.search(r"each|every|all|4", match[0]) is not None


def copies(mention: Mention, item: Item, sheet: Sheet) -> list[Item]:
    """Return the item once, at each of several points, in all corners, or in a row if only a number is given."""
    if isinstance(item, Blob) and _in_all_corners(mention.words):
        corners = (word_place(f"in the {corner} corner", sheet.space, size_of(item)) for corner in _CORNERS)
        return [centred(item, at) for at in corners if at is not None]
    if not isinstance(item, Blob) or (
        item.corners and len(q.points(mention.words, sheet.space, 3)) >= 2 and "corner" in mention.words
    ):
        return [item]
    if re.search(r"\bfrom\s+\(|\bcorners\b", mention.words):
        return [item]
    places = q.points(mention.words, sheet.space)
    if len(places) > 1 and (is_plural(mention.noun) or " and (" in mention.words):
        shades = re.findall(rf"{q.HEX}[^#()]{{0,16}}\(", mention.words)
        many = [centred(item, at) for at in places]
        if len(shades) == len(many):
            many = [copy.coloured(shade) for copy, shade in zip(many, shades, strict=True)]
        return many
    count = _COUNT.search(mention.words[: mention.after - mention.start + 1]) if is_plural(mention.noun) else None
    number = min(50, int(count[1])) if count else 2 if re.match(r"(?:a )?(?:pair|couple)", mention.words) else 1
    if number < 2:
        return [item]
    upright = bool(
        re.search(
            r"\bin a column\b|\bstacked\b|\bvertical(?:ly)?\b|\babove (?:one )?(?:another|each other)", mention.words
        )
    )
    room = sheet.canvas.height if upright else sheet.canvas.width
    if not q.dimensions(mention.words, sheet.space) and not re.search(rf"{q.N}px", mention.words):
        fit = min(1.0, room / (1.5 * number) / (item.height if upright else item.width))
        item = item.scaled(fit, fit)
    gap = min(1.5 * (item.height if upright else item.width), room / (number + 0.5))
    low = -(number - 1) / 2
    return [item.moved(0 if upright else gap * (low + k), gap * (low + k) if upright else 0) for k in range(number)]
