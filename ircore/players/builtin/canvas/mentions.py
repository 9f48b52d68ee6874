"""Things that a clause mentions, each with the words about it, at their own point, beside others or in free space."""

import itertools
import math
import re
from dataclasses import dataclass, replace

from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.items import BLACK, STROKES, build_blob, place_item, stroke
from ircore.players.builtin.canvas.quantities import (
    RELATION,
    find_absolute_place,
    find_first_colour,
    find_points,
    place_beside,
    word_place,
)
from ircore.players.builtin.canvas.shapes import (
    Blob,
    BoxF,
    Item,
    LineItem,
    PieItem,
    Slice,
    centre_at,
    clamp,
    measure_size,
)
from ircore.players.builtin.canvas.sheet import CanvasSheet, EditTarget, box_of, resolve
from ircore.players.builtin.canvas.text import NOUN, OWN_READERS, PRONOUN, Clause, find_kind, is_plural

SLICE = re.compile(rf"{q.HEX}[^#%;]{{0,40}}?{q.N}\s*(%|deg)|{q.N}\s*(%|deg)[^#%;]{{0,30}}?{q.HEX}")
_ALL_CORNERS = re.compile(
    r"\b(?:in|at) (?:(?:each|every|all|the|4|of) ?){1,4}corners?\b"
    r"(?! (?:of (?!the (?:picture|image|canvas))|at|\())"
)
"""Corners of the picture; those of another thing are its own."""

_CORNERS = ("top left", "top right", "bottom left", "bottom right")

_COUNT = re.compile(r"\b(\d{1,2})\s+(?!px|high|wide|tall|pointed|sided|deg|%|by|x\b)")
CROWD = 40
"""Things on the canvas above which no room is looked for."""
_DETERMINER = re.compile(
    r"\b(?:an?|the|another|one|some|several|this|that|its|(?<![#\d])\d{1,3}(?=\s+(?!px|high|wide|tall"
    r"|pointed|sided)[a-z#]))\s"
)
_PLACE_NOUN = re.compile(
    r"\b(?:corner|edge|side|centre|picture|image|canvas|background|top|bottom|quadrant|half|border)\b"
)
_BOUNDARY = re.compile(r",|:|\)|\b(?:and|with|of|by|to|on|in|inside|is|are|containing|from|at|there|has)\b")
_NOT_THINGS = re.compile(
    r"\b(?:through|following|data|corner|grid|with|its|round|circular|square|diamond"
    r"|triangular)\s+(?:the\s+|these\s+)?$"
)
_BLOCK_ARROW = re.compile(
    r"\b(?:outlined?|border(?:ed)?|filled|block|thick|fat|solid|tall|high|wide)\b(?! line)|\d%\s*(?:tall|wide"
    r"|high)|\bcentred at"
)
"""Words of arrows that are shapes, not lines."""

_CONTAINS = re.compile(r"\b(?:containing|contains|holding|holds|encloses|surrounded by)\s*$")


def read_pie(words: str, sheet: CanvasSheet) -> bool:
    """Add a pie or ring chart."""
    head, _, tail = words.partition(":") if ":" in words else (words, "", words)
    dimensions, space = (
        q.find_dimensions(re.sub(r"\b(?:hole|inner)\b[^,;:]{0,40}", " ", head), sheet.space),
        sheet.space,
    )
    radius = dimensions.get(
        "radius",
        dimensions.get("diameter", dimensions.get("width", 0.7 * min(space.width, space.height)))
        / (1 if "radius" in dimensions else 2),
    )
    radius = clamp(radius, 1, 4096)
    hole = re.search(rf"\b(?:hole|inner)\b[^,;:]{{0,24}}?{q.LENGTH}", head)
    inner = (
        space.both(hole[1], hole[2]) if hole else 0.55 * radius if re.search(r"\bdon?u|\bdough|\bring\b", head) else 0.0
    )
    centre = find_absolute_place(head, space, (2 * radius, 2 * radius)) or space.middle
    edge = re.search(r"\b(?:border|outline|edge|separat)", words)
    outline = (q.outline_colour(words) or q.find_first_colour(head) or "#ffffff") if edge else None
    slices = _read_slices(re.sub(r"\bstarting at [^,:;]{0,12}", " ", tail))
    pie = PieItem(
        centre, radius, _parse_start_angle(head), slices, clamp(inner, 0, radius * 0.98), outline,
        q.stroke_width(words) or 2.0,
        not q.is_counter_clockwise(head),
    )  # fmt: skip
    sheet.context = "wedges"
    return sheet.add([pie])


def add_wedges(words: str, sheet: CanvasSheet) -> bool:
    """Add wedges to the pie that was mentioned last."""
    slices = _read_slices(words)
    last = [] if sheet.last is None else [sheet.last]
    # The pie spoken of last, else the front one.
    at = next((n for n in (*last, *range(len(sheet.items) - 1, -1, -1)) if isinstance(sheet.items[n], PieItem)), None)
    if not slices or at is None or not isinstance(pie := sheet.items[at], PieItem):
        return False
    sheet.put(at, replace(pie, slices=pie.slices + slices))
    return True


def build_lone_wedge(words: str, sheet: CanvasSheet) -> PieItem | None:
    """Return a single wedge with angles: "a red wedge of radius 40 px centred at (…) from 30 to 90 degrees"."""
    span = re.search(rf"\bfrom\s+{q.N}(?:deg)?\s+to\s+{q.N}deg", words)
    dimensions = q.find_dimensions(re.sub(r"\b(?:hole|inner)\b[^,;:]{0,40}", " ", words), sheet.space)
    if span is None or "radius" not in dimensions:
        return None
    low, high = sorted((float(span[1]), float(span[2])))
    centres = q.find_points(words, sheet.space, 1) or [sheet.space.middle]
    # Shares above 95 would be stretched to the whole circle.
    share = clamp((high - low) / 3.6, 0.1, 95)
    colour = q.find_first_colour(q.remove_outline_words(words)) or BLACK
    edge = q.outline_colour(words)
    return PieItem(
        centres[0],
        clamp(dimensions["radius"], 1, 4096),
        # Pies count from 12 o'clock, the angles of the message from 3 o'clock.
        low + 90,
        (Slice(colour, share),),
        hole=_parse_hole(words, sheet),
        outline=edge,
        stroke=q.stroke_width(words) or 2.0,
    )


def change_wedge(pie: PieItem, part: int, words: str) -> PieItem | None:
    """Return a pie with one wedge changed; None if the words name neither a share nor a colour."""
    old = pie.slices[part]
    words = re.sub(r"\b(?:from|not|instead of|rather than)\s+(?:#[0-9a-f]{6}|-?[\d.]+\s*%)", " ", words)
    share = re.search(rf"{q.N}\s*(%|deg)", words)
    colour = q.find_first_colour(words)
    if share is None and colour is None:
        return None
    amount = abs(float(share[1])) / (3.6 if share[2] == "deg" else 1) if share else old.share
    if share and (relative := re.search(r"%\s+(?:points?\s+)?(larger|bigger|wider|smaller|narrower)", words)):
        amount = old.share * (1 + amount / 100 * (1 if relative[1] in {"larger", "bigger", "wider"} else -1))
    fresh = Slice(colour or old.colour, min(1000.0, max(0.0, amount)))
    return replace(pie, slices=(*pie.slices[:part], fresh, *pie.slices[part + 1 :]))


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
    known: tuple[EditTarget, ...] = ()
    relation: str = ""
    other: "Mention | tuple[EditTarget, ...] | None" = None
    same: "Mention | None" = None
    made: Item | None = None


def put(item: Item, mention: Mention, other: BoxF | None, sheet: CanvasSheet, made: list[Item]) -> Item:
    """Return an item at its place: its own point, beside another thing, a place in words, or free space."""
    words = mention.words
    if isinstance(item, LineItem) and (
        mention.kind != "line" or len(q.find_points(words, sheet.space)) >= 2 or other is None
    ):
        return item
    if q.find_points(words.split(" of the ")[0], sheet.space, 1):
        if (
            isinstance(item, Blob)
            and item.kind not in {"circle", "star", "ring", "ellipse"}
            and len(q.find_points(words, sheet.space, 3)) > 1
        ):
            return item
        return place_item(item, words, sheet.space) or item
    # A shape that is not in the middle was built from its own corners or ranges.
    if isinstance(item, Blob) and item.centre != sheet.space.middle:
        return item
    if other is not None:
        return _place_beside_other(item, mention, other, sheet)
    return place_item(item, words, sheet.space) or _place_where_room_is(item, sheet, made)


def copy_item(mention: Mention, item: Item, sheet: CanvasSheet) -> list[Item]:
    """Return the item once, at each of several points, in all corners, or in a row if only a number is given."""
    if isinstance(item, Blob) and _is_in_all_corners(mention.words):
        corners = (word_place(f"in the {corner} corner", sheet.space, measure_size(item)) for corner in _CORNERS)
        return [centre_at(item, at) for at in corners if at is not None]
    if not isinstance(item, Blob) or (
        item.corners and len(q.find_points(mention.words, sheet.space, 3)) >= 2 and "corner" in mention.words
    ):
        return [item]
    if re.search(r"\bfrom\s+\(|\bcorners\b", mention.words):
        return [item]
    places = q.find_points(mention.words, sheet.space)
    if len(places) > 1 and (is_plural(mention.noun) or " and (" in mention.words):
        shades = re.findall(rf"{q.HEX}[^#()]{{0,16}}\(", mention.words)
        many = [centre_at(item, at) for at in places]
        if len(shades) == len(many):
            many = [copy.recolour(shade) for copy, shade in zip(many, shades, strict=True)]
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
    if not q.find_dimensions(mention.words, sheet.space) and not re.search(rf"{q.N}px", mention.words):
        fit = min(1.0, room / (1.5 * number) / (item.height if upright else item.width))
        item = item.scale(fit, fit)
    gap = min(1.5 * (item.height if upright else item.width), room / (number + 0.5))
    low = -(number - 1) / 2
    return [item.move(0 if upright else gap * (low + k), gap * (low + k) if upright else 0) for k in range(number)]


def has_relation_before(words: str, noun: re.Match[str]) -> bool:
    """Whether a relation such as "left of" stands before a noun."""
    return any(match.end() < noun.start() for match in RELATION.finditer(words))


def read_things(clause: Clause, sheet: CanvasSheet) -> bool:
    """Add all new things that a clause speaks of; return whether there were any."""
    mentions = _find_mentions(clause, sheet)
    if sheet.naive:
        for mention in mentions:
            mention.known = ()
    new = [mention for mention in mentions if not mention.known and mention.same is None]
    made: list[Item] = []
    for mention in new:
        _make_item(mention, sheet, made, set())
    drawn = [copy_item(mention, mention.made, sheet) for mention in new if mention.made is not None]
    return sheet.add([item for items in drawn for item in items])


def _read_slices(words: str) -> tuple[Slice, ...]:
    slices = []
    matches = list(SLICE.finditer(words))[:100]
    for index, match in enumerate(matches):
        colour, amount, unit = (match[1], match[2], match[3]) if match[1] else (match[6], match[4], match[5])
        until = matches[index + 1].start() if index + 1 < len(matches) else len(words)
        share = clamp(float(amount) / (3.6 if unit == "deg" else 1), 0, 1000)
        slices.append(Slice(colour, share, _parse_pull(words[match.end() : until])))
    return tuple(slices)


def _parse_pull(words: str) -> float:
    """Return how far a wedge is pulled out, in pixels, from the words after the wedge's share."""
    match = re.search(rf"\b(?:pulled|exploded|detached|slid|offset)(?:\s+out)?(?:\s+(?:by\s+)?{q.N}px)?", words)
    if match is None:
        return 0.0
    return clamp(abs(float(match[1])), 0, 200) if match[1] else 14.0


def _parse_start_angle(head: str) -> float:
    """Degrees clockwise from 12 o'clock."""
    clock = re.search(r"\b(\d{1,2})(?::00)? ?o.?clock", head)
    turn = re.search(
        rf"\b(?:start(?:ing|s)?|from|begin(?:ning|s)?)\s+(?:at|from|with)?\s*(?:an angle of\s+)?{q.N}deg", head
    )
    if turn:
        return clamp(float(turn[1]), -720, 720)
    return float(int(clock[1]) % 12 * 30) if clock else 0.0


def _parse_hole(words: str, sheet: CanvasSheet) -> float:
    match = re.search(rf"\b(?:hole|inner)\b[^,;:]{{0,24}}?{q.LENGTH}", words)
    return clamp(abs(sheet.space.both(match[1], match[2])), 0, 4000) if match else 0.0


def _place_beside_other(item: Item, mention: Mention, other: BoxF, sheet: CanvasSheet) -> Item:
    size_said = q.find_dimensions(mention.words, sheet.space) or re.search(rf"{q.N}px", mention.words)
    if mention.relation == "between" and isinstance(item, Blob) and not size_said:
        fit = 0.15 * max(other[2] - other[0], other[3] - other[1]) / max(item.width, item.height)
        item = item.scale(min(1.0, fit), min(1.0, fit))
    if mention.relation == "inside" and isinstance(item, Blob) and not size_said:
        fit = 0.5 * min(other[2] - other[0], other[3] - other[1]) / max(item.width, item.height)
        share = (q.find_size_word(mention.words) or 0.25) / 0.25
        item = item.scale(fit * min(1.4, max(0.4, share)), fit * min(1.4, max(0.4, share)))
    if mention.relation in {"around", "behind"} and isinstance(item, Blob) and not size_said:
        grow = 1.4 * max((other[2] - other[0]) / item.width, (other[3] - other[1]) / item.height)
        item = item.scale(grow, grow)
    gap = re.search(rf"{q.N}px\s+(?:to the\s+)?(?:left|right|above|below|under|over|away|from|beneath)", mention.words)
    at = place_beside(mention.relation, other, measure_size(item), float(gap[1]) if gap else None)
    if mention.relation == "inside":
        at = word_place(mention.words, sheet.space, measure_size(item), other) or at
    return centre_at(item, at)


def _place_where_room_is(item: Item, sheet: CanvasSheet, made: list[Item]) -> Item:
    """Put a thing without a place in the middle, or in the emptiest ninth of the picture if that is taken."""
    wide, high = sheet.canvas.width, sheet.canvas.height
    if len(sheet.items) + len(made) > CROWD:
        return item
    taken = [other.box for other in [*sheet.items, *made]]
    spots = [(wide * x, high * y) for x, y in ((0.5, 0.5), (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75),
        (0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5))]  # fmt: skip
    return centre_at(
        item, min(spots, key=lambda at: math.fsum(_compute_overlap(_compute_box_at(item, at), box) for box in taken))
    )


def _compute_box_at(item: Item, at: Point) -> BoxF:
    half_wide, half_high = (side / 2 for side in measure_size(item))
    return at[0] - half_wide, at[1] - half_high, at[0] + half_wide, at[1] + half_high


def _compute_overlap(first: BoxF, second: BoxF) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, high)


def _is_in_all_corners(words: str) -> bool:
    match = _ALL_CORNERS.search(words)
    return match is not None and re.search(r"each|every|all|4", match[0]) is not None


def _find_mentions(clause: Clause, sheet: CanvasSheet) -> list[Mention]:
    words = clause.words
    mentions: list[Mention] = []
    for match in list(NOUN.finditer(words))[:200]:
        kind = find_kind(match[1])
        # "Square markers" belong to a line.
        if re.match(r"\s+(?:data )?markers?\b", words[match.end() :]):
            continue
        if kind in OWN_READERS - {"wedge", "bar"} or (
            _NOT_THINGS.search(words[max(0, match.start() - 24) : match.start()]) and not _is_countable(match, words)
        ):
            continue
        start = _find_phrase_start(words, mentions[-1].after if mentions else 0, match.start())
        mentions.append(Mention(kind, match[1], start, match.end()))
    for index, mention in enumerate(mentions):
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(words)
        mention.words = words[mention.start : following]
    followers = itertools.pairwise([*mentions, None])
    mentions = [mention for mention, following in followers if mention and not _is_named(mention, following, words)]
    if mentions:
        _give_leading_place(mentions[0], words, sheet)
    _relate_mentions(mentions, clause, sheet)
    return mentions


def _is_named(first: Mention, following: Mention | None, words: str) -> bool:
    """Whether a noun only names the next thing, as in "the sun is a yellow circle"."""
    return following is not None and words[first.after : following.start].strip() in {"is", "are"}


def _find_named_before(mention: Mention, mentions: list[Mention], words: str) -> Mention | None:
    """Return the thing of the same clause that "the square" means."""
    if not re.match(r"(?:the|this|that|its)\b", words[mention.start : mention.after]):
        return None
    colour = find_first_colour(words[mention.start : mention.after])
    alike = (m for m in mentions[: mentions.index(mention)] if m.kind == mention.kind and m.same is None)
    return next((other for other in alike if colour in {None, find_first_colour(other.words)}), None)


def _give_leading_place(first: Mention, words: str, sheet: CanvasSheet) -> None:
    """Read "in the lower left corner there is a square" as if the place came last."""
    lead = RELATION.sub(" ", words[: first.start])
    if find_absolute_place(first.words, sheet.space, (0, 0)) is None and find_absolute_place(lead, sheet.space, (0, 0)):
        first.words += f" , {lead}"


def _is_countable(match: re.Match[str], words: str) -> bool:
    """Whether "with circles at …" is meant rather than "with round markers" on a line."""
    return find_kind(match[1]) not in {"dot"} and not words[: match.start()].rstrip().endswith(
        ("through", "through the", "round")
    )


def _find_phrase_start(words: str, low: int, high: int) -> int:
    """Return where the noun phrase begins whose noun is at ``high``."""
    chunk = words[low:high]
    for match in reversed(list(_DETERMINER.finditer(chunk))):
        if not _PLACE_NOUN.search(chunk[match.start() :]):
            return low + match.start()
    ends = [match.end() for match in _BOUNDARY.finditer(chunk)]
    return low + (ends[-1] if ends else 0)


def _relate_mentions(mentions: list[Mention], clause: Clause, sheet: CanvasSheet) -> None:
    """Find which mention stands in a relation to which, and which of them are things already there."""
    pending: tuple[str, tuple[EditTarget, ...]] | None = None
    previous: Mention | None = None
    for mention in mentions:
        before = clause.words[previous.after if previous else 0 : mention.start]
        relation = _find_last_relation(before)
        mention.same = _find_named_before(mention, mentions, clause.words)
        mention.known = () if mention.same else _find_known_targets(mention, clause, sheet)
        if mention.known and pending and pending[0] == "between":
            pending = ("between", pending[1] + mention.known)
        elif mention.known and previous and previous.relation == "between" and isinstance(previous.other, tuple):
            previous.other += mention.known
        elif relation and relation[1] and previous and not previous.known and not previous.relation:
            previous.relation, previous.other = relation[0], mention.known or mention.same or mention
        elif relation and relation[1] and previous is None and mention.known:
            pending = (relation[0], mention.known)
        elif _CONTAINS.search(before) and previous:
            mention.relation, mention.other = "inside", previous.known or previous
        elif pending and not mention.known:
            mention.relation, mention.other = pending
            pending = None
        elif relation and not relation[1] and (previous or sheet.last is not None):
            mention.relation = relation[0]
            mention.other = (previous.known or previous) if previous else (EditTarget(sheet.last or 0),)
        _relate_to_pronoun(mention, previous, mention is mentions[-1], sheet)
        previous = mention if not (mention.known or mention.same) or previous is None else previous


def _relate_to_pronoun(mention: Mention, previous: Mention | None, is_last: bool, sheet: CanvasSheet) -> None:
    """Read relations to a pronoun ("a small square inside it") or without an object ("with a square inside")."""
    if mention.relation or mention.known or mention.same:
        return
    for match in RELATION.finditer(mention.words):
        tail = mention.words[match.end() :]
        bare = re.fullmatch(r"[\s,.]*(?:and|with)?\s*", tail) and (is_last or tail.strip())
        if PRONOUN.match(tail) or bare:
            if previous is not None:
                mention.relation, mention.other = match.lastgroup or "", previous.known or previous
            elif sheet.last is not None:
                mention.relation, mention.other = match.lastgroup or "", (EditTarget(sheet.last),)
            return


def _find_last_relation(before: str) -> tuple[str, bool] | None:
    """Return the relation before a mention, and whether the mention is the relation's object; None if no relation."""
    matches = list(RELATION.finditer(before))
    if not matches:
        return None
    tail = before[matches[-1].end() :]
    if not tail.strip(" ,"):
        return matches[-1].lastgroup or "", not tail.strip().startswith(",")
    return (matches[-1].lastgroup or "", False) if PRONOUN.match(tail) else None


def _find_known_targets(mention: Mention, clause: Clause, sheet: CanvasSheet) -> tuple[EditTarget, ...]:
    phrase = clause.words[mention.start : mention.after]
    if not re.match(r"(?:the|this|that|its)\b", phrase):
        return ()
    return tuple(resolve(phrase, clause.strings, sheet)[:20])


def _make_item(mention: Mention, sheet: CanvasSheet, made: list[Item], busy: set[int]) -> BoxF:
    """Make the item of a mention, after the item beside which it stands; return the new item's box."""
    # Two things may each be placed by the other; the second request ends with the box of the whole picture.
    if mention.made is not None or id(mention) in busy:
        return mention.made.box if mention.made else sheet.space.box
    busy.add(id(mention))
    other: BoxF | None = None
    if isinstance(mention.other, tuple):
        other = _merge_boxes([box_of(target, sheet) for target in mention.other])
    elif mention.other is not None:
        other = _make_item(mention.other, sheet, made, busy)
    item = _build_item(mention, sheet)
    mention.made = put(item, mention, other, sheet, made)
    made.append(mention.made)
    return mention.made.box


def _merge_boxes(boxes: list[BoxF]) -> BoxF:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _build_item(mention: Mention, sheet: CanvasSheet) -> Item:
    has_ends = len(find_points(mention.words, sheet.space, 2)) > 1
    if mention.kind == "arrow" and not has_ends and _BLOCK_ARROW.search(mention.words):
        return build_blob("arrow", mention.words, sheet.space)
    if mention.kind in STROKES:
        return stroke(mention.kind, mention.words, sheet.space)
    if mention.kind == "wedge" and (wedge := build_lone_wedge(mention.words, sheet)):
        return wedge
    return build_blob("circle" if mention.kind == "wedge" else mention.kind, mention.words, sheet.space)
