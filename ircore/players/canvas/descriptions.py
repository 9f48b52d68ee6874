"""Sentences that say what there is: one or more things, each with its words, some placed by others."""

import re
from dataclasses import dataclass, replace

from ircore.drawing import Point
from ircore.players.canvas import quantities as q
from ircore.players.canvas.charts import lone_wedge, read_chart_part
from ircore.players.canvas.kinds import NOUN, is_plural, kind_of
from ircore.players.canvas.places import RELATION, absolute_place, beside, word_place
from ircore.players.canvas.references import Target, box_of, resolve
from ircore.players.canvas.shapes import Blob, BoxF, Canvas, Item, Label, Stroke
from ircore.players.canvas.sheet import Sheet
from ircore.players.canvas.text import Clause
from ircore.players.canvas.things import STROKES, blob, label, placed, stroke

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
_PRONOUN = re.compile(r"\s+(?:it|that|this|them|which|the former|the latter)\b")
_CONTAINS = re.compile(r"\b(?:containing|contains|holding|holds|encloses|surrounded by)\s*$")
_COUNT = re.compile(r"\b(\d{1,2})\s+(?!px|high|wide|tall|pointed|sided|deg|%|by|x\b)")
_PAST_NOUNS = frozenset({"text", "x axis", "y axis", "axis", "tick", "grid", "bar", "wedge", "pie", "any"})
_BACKGROUND = re.compile(r"\bbackground\b|\b(?:picture|image|canvas)\b")


@dataclass
class _Mention:
    kind: str
    noun: str
    start: int
    after: int
    words: str = ""
    known: Target | None = None
    relation: str = ""
    other: "_Mention | Target | None" = None
    made: Item | None = None


def describe(clause: Clause, sheet: Sheet) -> bool:
    """Add what a clause describes; return whether anything was understood."""
    if _background(clause.words, sheet):
        return True
    if read_chart_part(clause, sheet):
        return True
    if re.search(r'"\d+"', clause.words) and _texts(clause, sheet):
        return True
    return _things(clause, sheet)


def _background(words: str, sheet: Sheet) -> bool:
    """Read the picture's size and background; a clause that also speaks of things is left to others."""
    if not _BACKGROUND.search(words):
        return False
    done, canvas = False, sheet.canvas
    size = re.search(
        rf"(?:picture|image|canvas)\b[^#(]{{0,30}}?{q.N}(?:px)?\s*(?:wide\s*)?(?:by|x|and"
        rf"|,)\s*{q.N}(?:px)?|{q.N}(?:px)?\s*(?:by|x)\s*{q.N}(?:px)?\s+(?:picture|image|canvas)",
        words,
    )
    if size:
        wide, high = (min(2048, max(8, round(abs(float(value))))) for value in (size[1] or size[3], size[2] or size[4]))
        canvas, done = replace(canvas, width=wide, height=high), True
    fade = re.search(
        rf"\b(?:fade|fading|gradient|blend|shade|change|transition"
        rf"|go)\w{{0,4}}\b.{{0,60}}?{q.HEX}(.{{0,40}}?)\bto\s+(?:a\s+)?{q.HEX}(.{{0,60}})",
        words,
    )
    if fade:
        canvas, done = _faded(canvas, fade[1], fade[2], fade[3], fade[4] + " " + words[: fade.start()]), True
    elif plain := re.search(
        rf"\bbackground\b[^#]{{0,30}}{q.HEX}|{q.HEX}\s+(?:\w{{1,12}}\s+)?(?:background|picture|image"
        rf"|canvas)|(?:picture|image|canvas)\s+(?:is|in)\s+{q.HEX}",
        words,
    ):
        canvas, done = replace(canvas, background=plain[1] or plain[2] or plain[3], fade=None), True
    sheet.canvas = canvas
    rest = re.split(r"\b(?:background|picture|image|canvas)\b", words)[-1]
    return (
        done and not re.search(r"\b(?:with|and|has|there|shows)\b.{0,12}\b(?:an?|\d+)\b.{0,40}", rest)
        if NOUN.search(rest)
        else done
    )


def _faded(canvas: Canvas, first: str, where: str, second: str, after: str) -> Canvas:
    near, far = _edge_words(where), _edge_words(after)
    if "edge" in after or "outwards" in after or re.search(r"\bcentre\b", where):
        return replace(canvas, background=first, fade=second, fade_to="edges")
    if re.search(r"\bcentre\b", after):
        return replace(canvas, background=second, fade=first, fade_to="edges")
    side = far or _OPPOSITE.get(near, "") or ("right" if "horizontal" in after else "bottom")
    if side in {"top", "left", "top left", "top right"}:
        return replace(canvas, background=second, fade=first, fade_to=_OPPOSITE[side])
    return replace(canvas, background=first, fade=second, fade_to=side)


_OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left", "top left": "bottom right",
    "top right": "bottom left", "bottom left": "top right", "bottom right": "top left"}  # fmt: skip


def _edge_words(words: str) -> str:
    row = (
        "top"
        if re.search(r"\b(?:top|upper)\b", words)
        else "bottom"
        if re.search(r"\b(?:bottom|lower)\b", words)
        else ""
    )
    column = "left" if re.search(r"\bleft\b", words) else "right" if re.search(r"\bright\b", words) else ""
    return f"{row} {column}".strip()


def _texts(clause: Clause, sheet: Sheet) -> bool:
    """Add the quoted texts of a clause where they are said to be; the rest of the clause is read as things."""
    keys = [int(key) for key in re.findall(r'"(\d{1,4})"', clause.words)]
    texts = [clause.strings[key] for key in keys if key < len(clause.strings)]
    rest = re.sub(
        r"(?:\b(?:labell?ed|marked|saying|reading|with|containing)\s+)?(?:(?:the|a|an)\s+)?(?:(?:text"
        r'|label|letter|word|number|caption|title|digit)s?\s+)?"\d+"',
        " § ",
        clause.words,
    )
    nouns = [match for match in NOUN.finditer(rest) if kind_of(match[1]) not in _PAST_NOUNS]
    if nouns and nouns[0].start() < rest.find("§") and not _relation_before(rest, nouns[0]):
        return _labelled(clause, rest, texts, sheet)
    points = q.points(clause.words, sheet.space)
    if len(texts) > 1 and len(points) == len(texts):
        return sheet.add([label(text, rest, at) for text, at in zip(texts, points, strict=True)])
    return sheet.add([_placed_text(text, rest, clause, sheet) for text in texts])


def _relation_before(words: str, noun: re.Match[str]) -> bool:
    return any(match.end() < noun.start() for match in RELATION.finditer(words))


def _placed_text(text: str, words: str, clause: Clause, sheet: Sheet) -> Label:
    made = label(text, words, (sheet.canvas.width / 2, sheet.canvas.height / 2))
    left, top, right, bottom = made.box
    relation = RELATION.search(words)
    other = _referred(words[relation.end() :], clause, sheet) if relation else None
    if relation and other and not q.points(words[: relation.start()], sheet.space, 1):
        at = beside(relation.lastgroup or "", box_of(other, sheet), (right - left, bottom - top), 4.0)
        return replace(made, at=at, anchor="mm")
    found = absolute_place(words, sheet.space, (right - left, bottom - top))
    return replace(made, at=found) if found else made


def _labelled(clause: Clause, rest: str, texts: list[str], sheet: Sheet) -> bool:
    """Things with a text on them: "a red circle labelled "A"" puts it in the middle unless it says where."""
    before = len(sheet.items)
    if not _things(Clause(rest.replace("§", " "), clause.strings, clause.source), sheet):
        return False
    made = sheet.items[before:]
    tail = rest[rest.find("§") :]
    for text, item in zip(texts, made if len(texts) > 1 else made[:1], strict=False):
        written = label(text, tail, item.centre)
        if q.first_colour(tail) is None and isinstance(item, Blob) and item.fill and _dark(item.fill):
            written = replace(written, colour="#ffffff")
        relation = RELATION.search(tail)
        at = q.points(tail, sheet.space, 1)
        if at:
            written = replace(written, at=at[0])
        elif relation and relation.lastgroup in {"above", "below", "left", "right", "beside"}:
            box = written.box
            written = replace(written, at=beside(relation.lastgroup, item.box, (box[2] - box[0], box[3] - box[1]), 4.0))
        sheet.add([written])
    return True


def _dark(colour: str) -> bool:
    return sum(int(colour[i : i + 2], 16) * w for i, w in ((1, 0.299), (3, 0.587), (5, 0.114))) < 110


def _referred(words: str, clause: Clause, sheet: Sheet) -> Target | None:
    noun = NOUN.search(words[:80])
    if _PRONOUN.match(" " + words.strip()) or noun is None:
        return Target(sheet.last) if sheet.last is not None and (_PRONOUN.match(" " + words.strip())) else None
    found = resolve(words[: noun.end() + 1], clause.strings, sheet)
    return found[0] if found else None


def _things(clause: Clause, sheet: Sheet) -> bool:
    mentions = _mentions(clause, sheet)
    new = [mention for mention in mentions if mention.known is None]
    made: list[Item] = []
    for mention in new:
        _make(mention, sheet, made, set())
    drawn: list[Item] = []
    for mention in new:
        if mention.made is not None:
            drawn += _copies(mention, mention.made, sheet)
    return sheet.add(drawn)


def _mentions(clause: Clause, sheet: Sheet) -> list[_Mention]:
    words = clause.words
    found: list[_Mention] = []
    for match in list(NOUN.finditer(words))[:200]:
        kind = kind_of(match[1])
        if kind in _PAST_NOUNS - {"wedge", "bar"} or (
            _NOT_THINGS.search(words[max(0, match.start() - 24) : match.start()]) and not _countable(match, words)
        ):
            continue
        found.append(
            _Mention(kind, match[1], _phrase_start(words, found[-1].after if found else 0, match.start()), match.end())
        )
    for index, mention in enumerate(found):
        following = found[index + 1].start if index + 1 < len(found) else len(words)
        mention.words = words[mention.start : following]
    _relate(found, clause, sheet)
    return found


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


def _relate(found: list[_Mention], clause: Clause, sheet: Sheet) -> None:
    """Find which mention stands in a relation to which, and which of them are things already there."""
    pending: tuple[str, _Mention | Target] | None = None
    previous: _Mention | None = None
    for mention in found:
        before = clause.words[previous.after if previous else 0 : mention.start]
        relation = _last_relation(before)
        mention.known = _known(mention, clause, sheet)
        if relation and relation[1] and previous and previous.known is None and not previous.relation:
            previous.relation, previous.other = relation[0], mention.known or mention
        elif relation and relation[1] and previous is None and mention.known:
            pending = (relation[0], mention.known)
        elif _CONTAINS.search(before) and previous:
            mention.relation, mention.other = "inside", previous.known or previous
        elif pending and mention.known is None:
            mention.relation, mention.other = pending
            pending = None
        elif relation and not relation[1] and (previous or sheet.last is not None):
            mention.relation, mention.other = (
                relation[0],
                (previous.known or previous) if previous else Target(sheet.last or 0),
            )
        _relate_to_pronoun(mention, previous, sheet)
        previous = mention if mention.known is None or previous is None else previous


def _relate_to_pronoun(mention: _Mention, previous: _Mention | None, sheet: Sheet) -> None:
    """Read "a small square inside it" and "with a square inside"."""
    if mention.relation or mention.known:
        return
    for match in RELATION.finditer(mention.words):
        tail = mention.words[match.end() :]
        if _PRONOUN.match(tail) or re.fullmatch(r"[\s,.]*(?:and|with)?\s*", tail):
            if previous is not None:
                mention.relation, mention.other = match.lastgroup or "", previous.known or previous
            elif sheet.last is not None:
                mention.relation, mention.other = match.lastgroup or "", Target(sheet.last)
            return


def _last_relation(before: str) -> tuple[str, bool] | None:
    """Return the relation in the words before a mention and whether the mention is its object ("left of | the …")."""
    matches = list(RELATION.finditer(before))
    if not matches:
        return None
    tail = before[matches[-1].end() :]
    if not tail.strip(" ,"):
        return matches[-1].lastgroup or "", not tail.strip().startswith(",")
    return (matches[-1].lastgroup or "", False) if _PRONOUN.match(tail) else None


def _known(mention: _Mention, clause: Clause, sheet: Sheet) -> Target | None:
    phrase = clause.words[mention.start : mention.after]
    if not re.match(r"(?:the|this|that|its)\b", phrase):
        return None
    found = resolve(phrase, clause.strings, sheet)
    return found[0] if found else None


def _make(mention: _Mention, sheet: Sheet, made: list[Item], busy: set[int]) -> BoxF:
    """Make a mention's item, what it is placed by first; return its box."""
    if mention.made is not None or id(mention) in busy:
        return mention.made.box if mention.made else sheet.space.box
    busy.add(id(mention))
    other: BoxF | None = None
    if isinstance(mention.other, Target):
        other = box_of(mention.other, sheet)
    elif mention.other is not None:
        other = _make(mention.other, sheet, made, busy)
    item = _built(mention, sheet)
    mention.made = _put(item, mention, other, sheet, made)
    made.append(mention.made)
    return mention.made.box


def _built(mention: _Mention, sheet: Sheet) -> Item:
    if mention.kind in STROKES:
        return stroke(mention.kind, mention.words, sheet.space)
    if mention.kind == "wedge" and (wedge := lone_wedge(mention.words, sheet)):
        return wedge
    return blob("circle" if mention.kind == "wedge" else mention.kind, mention.words, sheet.space)


def _put(item: Item, mention: _Mention, other: BoxF | None, sheet: Sheet, made: list[Item]) -> Item:
    """Move an item to its place: its own point, beside another thing, a place in words, or where there is room."""
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
    if isinstance(item, Blob) and item.centre != (sheet.canvas.width / 2, sheet.canvas.height / 2):
        return item
    if other is not None:
        return _beside_other(item, mention, other, sheet)
    return placed(item, words, sheet.space) or _where_room_is(item, sheet, made)


def _beside_other(item: Item, mention: _Mention, other: BoxF, sheet: Sheet) -> Item:
    size_said = q.dimensions(mention.words, sheet.space) or re.search(rf"{q.N}px", mention.words)
    if mention.relation in {"inside", "between"} and isinstance(item, Blob) and not size_said:
        fit = 0.5 * min(other[2] - other[0], other[3] - other[1]) / max(item.width, item.height)
        share = (q.size_word(mention.words) or 0.25) / 0.25
        item = item.scaled(fit * min(1.4, max(0.4, share)), fit * min(1.4, max(0.4, share)))
    if mention.relation in {"around", "behind"} and isinstance(item, Blob) and not size_said:
        grow = 1.4 * max((other[2] - other[0]) / item.width, (other[3] - other[1]) / item.height)
        item = item.scaled(grow, grow)
    left, top, right, bottom = item.box
    gap = re.search(rf"{q.N}px\s+(?:to the\s+)?(?:left|right|above|below|under|over|away|from|beneath)", mention.words)
    at = beside(mention.relation, other, (right - left, bottom - top), float(gap[1]) if gap else None)
    if mention.relation == "inside":
        at = word_place(mention.words, sheet.space, (right - left, bottom - top), other) or at
    return item.moved(at[0] - item.centre[0], at[1] - item.centre[1])


def _where_room_is(item: Item, sheet: Sheet, made: list[Item]) -> Item:
    """Put a thing without a place in the middle, or in the emptiest ninth of the picture if that is taken."""
    wide, high = sheet.canvas.width, sheet.canvas.height
    taken = [other.box for other in [*sheet.items[-40:], *made]]
    spots = [(wide * x, high * y) for x, y in ((0.5, 0.5), (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75),
        (0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5))]  # fmt: skip
    best = min(spots, key=lambda spot: sum(_overlap(_box_at(item, spot), box) for box in taken))
    return item.moved(best[0] - item.centre[0], best[1] - item.centre[1])


def _box_at(item: Item, at: Point) -> BoxF:
    left, top, right, bottom = item.box
    half_wide, half_high = (right - left) / 2, (bottom - top) / 2
    return at[0] - half_wide, at[1] - half_high, at[0] + half_wide, at[1] + half_high


def _overlap(one: BoxF, other: BoxF) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)


def _copies(mention: _Mention, item: Item, sheet: Sheet) -> list[Item]:
    """Return the item once, at each of several points, or in a row if only a number is given."""
    if not isinstance(item, Blob) or (
        item.corners and len(q.points(mention.words, sheet.space, 3)) >= 2 and "corner" in mention.words
    ):
        return [item]
    if re.search(r"\bfrom\s+\(|\bcorners\b", mention.words):
        return [item]
    given = q.points(mention.words, sheet.space)
    if len(given) > 1 and (is_plural(mention.noun) or " and (" in mention.words):
        return [item.moved(x - item.centre[0], y - item.centre[1]) for x, y in given]
    count = _COUNT.search(mention.words[: mention.after - mention.start + 1]) if is_plural(mention.noun) else None
    number = min(50, int(count[1])) if count else 2 if re.match(r"(?:a )?(?:pair|couple)", mention.words) else 1
    if number < 2 or given:
        return [item]
    upright = bool(
        re.search(r"\bcolumn\b|\bstacked\b|\bvertical(?:ly)?\b|\babove (?:one )?(?:another|each other)", mention.words)
    )
    room = sheet.canvas.height if upright else sheet.canvas.width
    gap = min(1.5 * (item.height if upright else item.width), room / (number + 0.5))
    low = -(number - 1) / 2
    return [item.moved(0 if upright else gap * (low + k), gap * (low + k) if upright else 0) for k in range(number)]
