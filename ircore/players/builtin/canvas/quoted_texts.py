"""Quoted texts: alone, in lists, or on things."""

import math
import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.item_builder import label
from ircore.players.builtin.canvas.kinds import NOUN, OWN_READERS, PRONOUN, kind_of
from ircore.players.builtin.canvas.mentions import read_things, relation_before
from ircore.players.builtin.canvas.places import RELATION, absolute_place, beside
from ircore.players.builtin.canvas.references import Target, box_of, resolve
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, size_of
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause


def read_texts(clause: Clause, sheet: Sheet) -> bool:
    """Add the quoted texts of a clause where they are said to be; the rest of the clause is read as things."""
    keys = [int(key) for key in re.findall(r'"(\d{1,4})"', clause.words)]
    texts = [clause.strings[key] for key in keys if key < len(clause.strings)]
    rest = re.sub(
        r"(?:\b(?:labell?ed|marked|saying|reading|with|containing)\s+)?(?:(?:the|a|an)\s+)?(?:(?:text"
        r'|label|letter|word|number|caption|title|digit)s?\s+)?"\d+"',
        " § ",
        clause.words,
    )
    nouns = [match for match in NOUN.finditer(rest) if kind_of(match[1]) not in OWN_READERS]
    if nouns and nouns[0].start() < rest.find("§") and not relation_before(rest, nouns[0]):
        return _labelled(clause, rest, texts, sheet)
    points = q.points(clause.words, sheet.space)
    if len(texts) > 1 and len(points) == len(texts):
        return sheet.add([label(text, rest, at) for text, at in zip(texts, points, strict=True)])
    return sheet.add([_placed_text(text, rest, clause, sheet) for text in texts])


def _placed_text(text: str, words: str, clause: Clause, sheet: Sheet) -> Label:
    made = label(text, words, sheet.space.middle)
    relation = RELATION.search(words)
    other = _referred(words[relation.end() :], clause, sheet) if relation else None
    if relation and other and not q.points(words[: relation.start()], sheet.space, 1):
        at = beside(relation.lastgroup or "", box_of(other, sheet), size_of(made), 4.0)
        return replace(made, at=at, anchor="mm")
    place = absolute_place(words, sheet.space, size_of(made))
    return replace(made, at=place) if place else made


def _labelled(clause: Clause, rest: str, texts: list[str], sheet: Sheet) -> bool:
    """Add things with a text on them: in "a red circle labelled "A"" the text stands in the middle."""
    before = len(sheet.items)
    if not read_things(Clause(rest.replace("§", " "), clause.strings, clause.source), sheet):
        return False
    made = sheet.items[before:]
    tail = rest[rest.find("§") :]
    for text, item in zip(texts, made if len(texts) > 1 else made[:1], strict=False):
        sheet.add([_label_on(item, text, tail, before > 0, sheet)])
    sheet.last = before
    return True


def _label_on(item: Item, text: str, tail: str, others: bool, sheet: Sheet) -> Label:
    """Return a text on an item; "below it" means below the item, unless it may mean another item."""
    written = label(text, tail, item.centre)
    at, relation = q.points(tail, sheet.space, 1), RELATION.search(tail)
    # "Below it" is below the thing mentioned before, if there is any.
    own = relation is not None and not (others and PRONOUN.match(tail[relation.end() :]))
    if at:
        return replace(written, at=at[0])
    if relation and own and relation.lastgroup in {"above", "below", "left", "right", "beside"}:
        return replace(written, at=beside(relation.lastgroup, item.box, size_of(written), 4.0))
    if q.first_colour(tail) is None and isinstance(item, Blob) and item.fill and _dark(item.fill):
        return replace(written, colour="#ffffff")
    return written


def _dark(colour: str) -> bool:
    return math.fsum(int(colour[i : i + 2], 16) * w for i, w in ((1, 0.299), (3, 0.587), (5, 0.114))) < 110


def _referred(words: str, clause: Clause, sheet: Sheet) -> Target | None:
    noun = NOUN.search(words[:80])
    if PRONOUN.match(" " + words.strip()) or noun is None:
        return Target(sheet.last) if sheet.last is not None and (PRONOUN.match(" " + words.strip())) else None
    targets = resolve(words[: noun.end() + 1], clause.strings, sheet)
    return targets[0] if targets else None
