"""Corrections that move things, and how a sentence names them."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.item_changes import apply_change
from ircore.players.builtin.canvas.kinds import NOUN, kind_of
from ircore.players.builtin.canvas.places import RELATION, beside
from ircore.players.builtin.canvas.references import Target, box_of, resolve
from ircore.players.builtin.canvas.shapes import Item, Stroke, centred, size_of
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

_SHIFT = re.compile(
    rf"{q.N}(px|%)?\s+(?:\w{{1,10}}\s+)?(?:to(?:wards)?\s+the\s+)?(left|right|up|down|upwards?"
    rf"|downwards?|higher|lower|leftwards?|rightwards?|top|bottom)\b"
)
_SHIFT_BACK = re.compile(
    rf"\b(left|right|up|down|upwards?|downwards?|leftwards?|rightwards?|higher|lower)\s+by\s+{q.N}(px|%)?"
)
BY = re.compile(rf"\bby\s+\(?{q.N}(px|%)?")
_SLIGHT = re.compile(r"\b(left|right|up|down|upwards?|downwards?|leftwards?|rightwards?|higher|lower)\b")
FURTHER = re.compile(
    r"\b(further|farther|more|slightly|a bit|a little)\s+(?:to(?:wards)?\s+)?(?:the\s+)?"
    r"(left|right|up|down|higher|lower|top|bottom)\b"
)
"""A direction without a distance."""
_NOUN_TAIL = re.compile(
    r'^(?:\s*"\d+")?(?:\s*,?\s*(?:at|near|around|in|on|with|from|through|of'
    r"|standing on|whose|that is|which is|centred at|located at"
    r"|labelled)\s+(?:the\s+)?(?:\([^()]{1,40}\)(?:\s*(?:to|,|and)\s*\([^()]{1,40}\))*|(?:(?:top"
    r"|upper|bottom|lower|left|right|centre|far)\s*){1,3}(?:hand\s+)?(?:corner|side|edge|half"
    r'|quadrant)?|"\d+"|[xy]\s*-?\d+(?:\.\d+)?))?'
)


def split_phrase(words: str) -> tuple[str, str]:
    """Cut "the red circle at (10,20) 40px left" after the noun phrase that names a thing."""
    noun = NOUN.search(words)
    pronoun = re.match(r"(?:it|this|that|them)\b", words)
    if pronoun or noun is None:
        end = pronoun.end() if pronoun else _end_without_noun(words)
    else:
        end = noun.end()
        second = NOUN.match(words, end + 1)
        end = second.end() if second else end
        shade = re.match(r"\s+#[0-9a-f]{6}", words[end:]) if kind_of(noun[1]) in {"wedge", "bar"} else None
        end += shade.end() if shade else 0
    tail = _NOUN_TAIL.match(words[end:])
    end += tail.end() if tail else 0
    return words[:end], words[end:]


def _end_without_noun(words: str) -> int:
    match = re.match(r'(?:the\s+)?(?:#[0-9a-f]{6}\s*(?:one)?|"\d+"|(?:\w{2,12}\s+)?one\b)', words)
    return match.end() if match else 0


def move(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    """Follow "move X …"."""
    phrase, rest = split_phrase(match[1])
    verb = match[0].split()[0]
    targets = unique_items(resolve(phrase, clause.strings, sheet))
    # "Put a star in the corner" adds a star.
    if not targets and verb in {"put", "place"}:
        return None
    destination = re.search(r"(?:\b(?:to|at|onto|into|in|so|until|towards)\b|→)", rest)
    for index in targets:
        item, (dx, dy) = sheet.items[index], shift(rest, verb, sheet)
        if dx or dy:
            moved: Item | None = item.moved(dx, dy)
        else:
            moved = moved_to(item, rest, clause, sheet) if destination or RELATION.search(rest) else None
        # A direction without a distance moves a little.
        if moved is None and (hint := _SLIGHT.search(rest)):
            moved = item.moved(*_direction(hint[1], 10.0))
        if moved is None:
            return False
        sheet.put(index, moved)
    return bool(targets)


def shift(rest: str, verb: str, sheet: Sheet) -> tuple[float, float]:
    """Return how far "40px left and 10px down" moves, in pixels."""
    dx = dy = 0.0
    shifts = [(m[1], m[2], m[3]) for m in _SHIFT.finditer(rest)] or [
        (m[2], m[3], m[1]) for m in _SHIFT_BACK.finditer(rest)
    ]
    if not shifts and verb in {"raise", "lift", "lower"} and (by := BY.search(rest)):
        shifts = [(by[1], by[2], "down" if verb == "lower" else "up")]
    for amount, unit, word in shifts[:4]:
        across = word.startswith(("left", "right"))
        length = sheet.space.x(amount, unit) if across else sheet.space.y(amount, unit)
        step = _direction(word, length)
        dx, dy = dx + step[0], dy + step[1]
    return dx, dy


def without_shift(words: str) -> str:
    """Return ``words`` without "40px left"."""
    return _SHIFT_BACK.sub(" ", _SHIFT.sub(" ", words)).strip()


def _direction(word: str, length: float) -> tuple[float, float]:
    if word.startswith(("left", "right")):
        return (-length if word.startswith("left") else length), 0.0
    return 0.0, length if word.startswith(("down", "low", "bottom")) else -length


def moved_to(item: Item, words: str, clause: Clause, sheet: Sheet) -> Item | None:
    """Return ``item`` at the place that the words name; None if the words name no place."""
    ends = q.points(words, sheet.space)
    if isinstance(item, Stroke) and len(ends) > 1:
        return replace(item, points=tuple(ends))
    relation = RELATION.search(words)
    if relation and not ends:
        others = resolve(words[relation.end() :], clause.strings, sheet)
        if others:
            return centred(item, beside(relation.lastgroup or "", box_of(others[0], sheet), size_of(item), None))
    return apply_change(item, words, clause, sheet, only="place")


def unique_items(targets: list[Target]) -> list[int]:
    """Return the indices of the items that are meant, once each."""
    return list(dict.fromkeys(target.index for target in targets))


def move_targets(targets: list[Target], words: str, clause: Clause, sheet: Sheet) -> bool:
    """Move the items as the words ask; return whether that could be done."""
    for index in unique_items(targets):
        dx, dy = shift(words, "", sheet)
        if not (dx or dy) and (hint := FURTHER.search(words)):
            is_slight = any(word in hint[1] for word in ("slight", "bit", "little"))
            dx, dy = _direction(hint[2], 10.0 if is_slight else 20.0)
        item = sheet.items[index]
        moved = item.moved(dx, dy) if dx or dy else moved_to(item, words, clause, sheet)
        if moved is None:
            return False
        sheet.put(index, moved)
    return True
