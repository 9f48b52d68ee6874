"""Things that a clause mentions, each with the words about it; relations place some things beside others."""

import itertools
import re

from ircore.players.builtin.canvas.geometry import BoxF
from ircore.players.builtin.canvas.item_builder import STROKES, blob, stroke
from ircore.players.builtin.canvas.kinds import NOUN, OWN_READERS, PRONOUN, kind_of
from ircore.players.builtin.canvas.pies import lone_wedge
from ircore.players.builtin.canvas.places import RELATION, absolute_place
from ircore.players.builtin.canvas.placing import Mention, copies, put
from ircore.players.builtin.canvas.quantities import first_colour, points
from ircore.players.builtin.canvas.references import Target, box_of, resolve
from ircore.players.builtin.canvas.shapes import Item
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

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


def relation_before(words: str, noun: re.Match[str]) -> bool:
    """Whether a relation such as "left of" stands before a noun."""
    return any(match.end() < noun.start() for match in RELATION.finditer(words))


def read_things(clause: Clause, sheet: Sheet) -> bool:
    """Add all new things that a clause speaks of; return whether there were any."""
    mentions = _mentions(clause, sheet)
    if sheet.naive:
        for mention in mentions:
            mention.known = ()
    new = [mention for mention in mentions if not mention.known and mention.same is None]
    made: list[Item] = []
    for mention in new:
        _make(mention, sheet, made, set())
    drawn = [copies(mention, mention.made, sheet) for mention in new if mention.made is not None]
    return sheet.add([item for items in drawn for item in items])


def _mentions(clause: Clause, sheet: Sheet) -> list[Mention]:
    words = clause.words
    mentions: list[Mention] = []
    for match in list(NOUN.finditer(words))[:200]:
        kind = kind_of(match[1])
        # "Square markers" belong to a line.
        if re.match(r"\s+(?:data )?markers?\b", words[match.end() :]):
            continue
        if kind in OWN_READERS - {"wedge", "bar"} or (
            _NOT_THINGS.search(words[max(0, match.start() - 24) : match.start()]) and not _countable(match, words)
        ):
            continue
        start = _phrase_start(words, mentions[-1].after if mentions else 0, match.start())
        mentions.append(Mention(kind, match[1], start, match.end()))
    for index, mention in enumerate(mentions):
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(words)
        mention.words = words[mention.start : following]
    followers = itertools.pairwise([*mentions, None])
    mentions = [mention for mention, following in followers if mention and not _is_named(mention, following, words)]
    if mentions:
        _give_leading_place(mentions[0], words, sheet)
    _relate(mentions, clause, sheet)
    return mentions


def _is_named(first: Mention, following: Mention | None, words: str) -> bool:
    """Whether a noun only names the next thing, as in "the sun is a yellow circle"."""
    return following is not None and words[first.after : following.start].strip() in {"is", "are"}


def _named_before(mention: Mention, mentions: list[Mention], words: str) -> Mention | None:
    """Return the thing of the same clause that "the square" means."""
    if not re.match(r"(?:the|this|that|its)\b", words[mention.start : mention.after]):
        return None
    colour = first_colour(words[mention.start : mention.after])
    alike = (m for m in mentions[: mentions.index(mention)] if m.kind == mention.kind and m.same is None)
    return next((other for other in alike if colour in {None, first_colour(other.words)}), None)


def _give_leading_place(first: Mention, words: str, sheet: Sheet) -> None:
    """Read "in the lower left corner there is a square" as if the place came last."""
    lead = RELATION.sub(" ", words[: first.start])
    if absolute_place(first.words, sheet.space, (0, 0)) is None and absolute_place(lead, sheet.space, (0, 0)):
        first.words += f" , {lead}"


def _countable(match: re.Match[str], words: str) -> bool:
    """Whether "with circles at …" is meant rather than "with round markers" on a line."""
    return kind_of(match[1]) not in {"dot"} and not words[: match.start()].rstrip().endswith(
        ("through", "through the", "round")
    )


def _phrase_start(words: str, low: int, high: int) -> int:
    """Return where the noun phrase begins whose noun is at ``high``."""
    chunk = words[low:high]
    for match in reversed(list(_DETERMINER.finditer(chunk))):
        if not _PLACE_NOUN.search(chunk[match.start() :]):
            return low + match.start()
    ends = [match.end() for match in _BOUNDARY.finditer(chunk)]
    return low + (ends[-1] if ends else 0)


def _relate(mentions: list[Mention], clause: Clause, sheet: Sheet) -> None:
    """Find which mention stands in a relation to which, and which of them are things already there."""
    pending: tuple[str, tuple[Target, ...]] | None = None
    previous: Mention | None = None
    for mention in mentions:
        before = clause.words[previous.after if previous else 0 : mention.start]
        relation = _last_relation(before)
        mention.same = _named_before(mention, mentions, clause.words)
        mention.known = () if mention.same else _known(mention, clause, sheet)
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
            mention.other = (previous.known or previous) if previous else (Target(sheet.last or 0),)
        _relate_to_pronoun(mention, previous, mention is mentions[-1], sheet)
        previous = mention if not (mention.known or mention.same) or previous is None else previous


def _relate_to_pronoun(mention: Mention, previous: Mention | None, is_last: bool, sheet: Sheet) -> None:
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
                mention.relation, mention.other = match.lastgroup or "", (Target(sheet.last),)
            return


def _last_relation(before: str) -> tuple[str, bool] | None:
    """Return the relation before a mention, and whether the mention is the relation's object; None if no relation."""
    matches = list(RELATION.finditer(before))
    if not matches:
        return None
    tail = before[matches[-1].end() :]
    if not tail.strip(" ,"):
        return matches[-1].lastgroup or "", not tail.strip().startswith(",")
    return (matches[-1].lastgroup or "", False) if PRONOUN.match(tail) else None


def _known(mention: Mention, clause: Clause, sheet: Sheet) -> tuple[Target, ...]:
    phrase = clause.words[mention.start : mention.after]
    if not re.match(r"(?:the|this|that|its)\b", phrase):
        return ()
    return tuple(resolve(phrase, clause.strings, sheet)[:20])


def _make(mention: Mention, sheet: Sheet, made: list[Item], busy: set[int]) -> BoxF:
    """Make the item of a mention, after the item beside which it stands; return the new item's box."""
    # Two things may each be placed by the other; the second request ends with the box of the whole picture.
    if mention.made is not None or id(mention) in busy:
        return mention.made.box if mention.made else sheet.space.box
    busy.add(id(mention))
    other: BoxF | None = None
    if isinstance(mention.other, tuple):
        other = _around_all([box_of(target, sheet) for target in mention.other])
    elif mention.other is not None:
        other = _make(mention.other, sheet, made, busy)
    item = _built(mention, sheet)
    mention.made = put(item, mention, other, sheet, made)
    made.append(mention.made)
    return mention.made.box


def _around_all(boxes: list[BoxF]) -> BoxF:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _built(mention: Mention, sheet: Sheet) -> Item:
    has_ends = len(points(mention.words, sheet.space, 2)) > 1
    if mention.kind == "arrow" and not has_ends and _BLOCK_ARROW.search(mention.words):
        return blob("arrow", mention.words, sheet.space)
    if mention.kind in STROKES:
        return stroke(mention.kind, mention.words, sheet.space)
    if mention.kind == "wedge" and (wedge := lone_wedge(mention.words, sheet)):
        return wedge
    return blob("circle" if mention.kind == "wedge" else mention.kind, mention.words, sheet.space)
