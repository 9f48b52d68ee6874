"""Sentences that change things on the sheet: "move X", "X should be …", "change the … of X", "X is too …".

A correction touches only what it names; everything else stays as it is, pixel for pixel.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.descriptions import describe
from ircore.players.builtin.canvas.item_changes import apply_change
from ircore.players.builtin.canvas.mentions import change_wedge
from ircore.players.builtin.canvas.quantities import RELATION, place_beside
from ircore.players.builtin.canvas.shapes import Blob, Item, LineItem, PieItem, centre_at, measure_size
from ircore.players.builtin.canvas.sheet import CanvasSheet, EditTarget, box_of, resolve
from ircore.players.builtin.canvas.text import NOUN, Clause, find_kind

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
_ATTRIBUTE = re.compile(
    r"^(?:the\s+)?((?:(?:fill|line|outline|border|font|stroke|text|corner)\s+)?(?:colours?|radius"
    r"|diameter|width|height|size|length|position|centre|thickness|angle|rotation|side(?: length)?"
    r"|top|end|style|shape|fill|outline|border|share|text|label|hole|start|background)(?: edge| side"
    r"| end)?)\s+of\s+(.+)$"
)
_OWNED = re.compile(r"^(.{1,120}?)'s\s+(.+)$")
_POLITE = re.compile(
    r"^(?:(?:now|then|also|next|finally|instead|and|but|in addition|additionally|first|please"
    r"|you should|you need to|i would|let's|lastly)\b,?\s*)+"
)
_MOVE = re.compile(
    r"^(?:move|shift|nudge|push|slide|bring|drag|raise|lift|lower|translate|relocate|reposition|put|place)\s+(.+)$"
)
_REMOVE = re.compile(r"^(?:remove|delete|erase|drop|omit|take away|get rid of|eliminate|clear)\s+(.+)$")
_ADD = re.compile(
    r"^(?:add|draw|include|insert|create|put|place|there (?:is|are|should be|must be)|there's"
    r"|we (?:need|have)|you (?:see|need)|show|display|it shows|also)\s+(.+)$"
)
_REPLACE = re.compile(r"^(?:replace|substitute|exchange)\s+(.+?)\s+(?:with|by)\s+(.+)$")
_ROTATE = re.compile(r"^(?:rotate|turn|tilt|spin)\s+(.+)$")
_SWAP = re.compile(
    r"^(?:swap|switch|exchange)\s+(?:the\s+)?(?:(colours?|positions?|places?)\s+of\s+)?(.+?)\s+(?:and|with)\s+(.+)$"
)
_ORDER = re.compile(
    r"^(?:bring|send|move|put)\s+(.+?)\s+(?:to|in|into)\s+(?:the\s+)?(front|back|foreground|background)$"
)
_CHANGE = re.compile(
    r"^(?:change|make|set|let|resize|enlarge|increase|decrease|reduce|shrink|scale|widen|extend"
    r"|stretch|shorten|lengthen|recolour|paint|fill|outline|thicken|adjust|correct|fix|grow|have|give"
    r"|draw|colour|double|halve|darken|lighten|turn)\s+(.+)$"
)
_SHOULD = re.compile(
    r"^(.{1,400}?)\s+(should(?:n't| not)?(?: actually| instead| only)?|must|needs? to|ought to|has to"
    r"|have to|is supposed to|are supposed to|is too|are too|is not|isn't)\s+(.+)$"
)
_IS = re.compile(
    r"^((?:the|its|it|this|that)\b.{0,300}?)\s+(is|are|has|have|lies|sits|stands|reads|ends|starts"
    r"|spans|reaches|centred|at|with)\s+(.+)$"
)

_Rule = Callable[[re.Match[str], Clause, CanvasSheet], bool | None]


def split_phrase(words: str) -> tuple[str, str]:
    """Cut "the red circle at (10,20) 40px left" after the noun phrase that names a thing."""
    noun = NOUN.search(words)
    pronoun = re.match(r"(?:it|this|that|them)\b", words)
    if pronoun or noun is None:
        end = pronoun.end() if pronoun else _find_end_without_noun(words)
    else:
        end = noun.end()
        second = NOUN.match(words, end + 1)
        end = second.end() if second else end
        shade = re.match(r"\s+#[0-9a-f]{6}", words[end:]) if find_kind(noun[1]) in {"wedge", "bar"} else None
        end += shade.end() if shade else 0
    tail = _NOUN_TAIL.match(words[end:])
    end += tail.end() if tail else 0
    return words[:end], words[end:]


def move(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    """Follow "move X …"."""
    phrase, rest = split_phrase(match[1])
    verb = match[0].split()[0]
    targets = select_unique_items(resolve(phrase, clause.strings, sheet))
    # "Put a star in the corner" adds a star.
    if not targets and verb in {"put", "place"}:
        return None
    destination = re.search(r"(?:\b(?:to|at|onto|into|in|so|until|towards)\b|→)", rest)
    for index in targets:
        item, (dx, dy) = sheet.items[index], shift(rest, verb, sheet)
        if dx or dy:
            moved: Item | None = item.move(dx, dy)
        else:
            moved = move_to_words(item, rest, clause, sheet) if destination or RELATION.search(rest) else None
        # A direction without a distance moves a little.
        if moved is None and (hint := _SLIGHT.search(rest)):
            moved = item.move(*_parse_direction(hint[1], 10.0))
        if moved is None:
            return False
        sheet.put(index, moved)
    return bool(targets)


def shift(rest: str, verb: str, sheet: CanvasSheet) -> tuple[float, float]:
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
        step = _parse_direction(word, length)
        dx, dy = dx + step[0], dy + step[1]
    return dx, dy


def remove_shift(words: str) -> str:
    """Return ``words`` without "40px left"."""
    return _SHIFT_BACK.sub(" ", _SHIFT.sub(" ", words)).strip()


def move_to_words(item: Item, words: str, clause: Clause, sheet: CanvasSheet) -> Item | None:
    """Return ``item`` at the place that the words name; None if the words name no place."""
    ends = q.find_points(words, sheet.space)
    if isinstance(item, LineItem) and len(ends) > 1:
        return replace(item, points=tuple(ends))
    relation = RELATION.search(words)
    if relation and not ends:
        others = resolve(words[relation.end() :], clause.strings, sheet)
        if others:
            return centre_at(
                item, place_beside(relation.lastgroup or "", box_of(others[0], sheet), measure_size(item), None)
            )
    return apply_change(item, words, clause, sheet, only="place")


def select_unique_items(targets: list[EditTarget]) -> list[int]:
    """Return the indices of the items that are meant, once each."""
    return list(dict.fromkeys(target.index for target in targets))


def move_targets(targets: list[EditTarget], words: str, clause: Clause, sheet: CanvasSheet) -> bool:
    """Move the items as the words ask; return whether that could be done."""
    for index in select_unique_items(targets):
        dx, dy = shift(words, "", sheet)
        if not (dx or dy) and (hint := FURTHER.search(words)):
            is_slight = any(word in hint[1] for word in ("slight", "bit", "little"))
            dx, dy = _parse_direction(hint[2], 10.0 if is_slight else 20.0)
        item = sheet.items[index]
        moved = item.move(dx, dy) if dx or dy else move_to_words(item, words, clause, sheet)
        if moved is None:
            return False
        sheet.put(index, moved)
    return True


def change(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    """Follow "change X …", "make X …", "set the … of X to …"."""
    verb, words = match[0].split()[0], match[1]
    if re.match(
        r"(?:the\s+)?(?:picture|image|canvas|background)\b|(?:the\s+)?(?:size"
        r"|colour) of the (?:picture|image|canvas|background)\b",
        words,
    ):
        return _change_background(words, clause, sheet)
    name = ""
    if attribute := _ATTRIBUTE.match(words):
        name, thing = attribute.groups()
    elif owned := _OWNED.match(words):
        name, to, value = owned[2].partition(" to ")
        thing = f"{owned[1]} {to}{value}"
    if name:
        phrase, rest = split_phrase(thing)
        return change_meant_items(
            resolve(phrase, clause.strings, sheet), f"{_translate_verb(verb)} {name} {rest}", clause, sheet
        )
    phrase, rest = split_phrase(words)
    targets = resolve(phrase, clause.strings, sheet)
    if not targets:
        # "Make a red circle" describes a new thing.
        return None if verb in {"draw", "have", "make", "give"} and re.match(r"an?\b", words) else False
    return change_meant_items(targets, f"{_translate_verb(verb)} {rest}", clause, sheet)


def should(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    """Follow "X should …", "X is too …"."""
    subject, verb, predicate = match.groups()
    if re.search(r"\bbackground\b", subject) or re.match(r"(?:the\s+)?(?:picture|image|canvas)\b", subject):
        return _change_background(f"{subject} {predicate}", clause, sheet)
    if verb in {"is not", "isn't", "should not", "shouldn't"}:
        return _apply_negation(subject, predicate, clause, sheet)
    if verb in {"is too", "are too"}:
        predicate = _find_opposite(predicate)
    attribute = _ATTRIBUTE.match(subject) or _OWNED.match(subject)
    if attribute:
        name, subject = (attribute[1], attribute[2]) if attribute.re is _ATTRIBUTE else (attribute[2], attribute[1])
        predicate = f"{name} {predicate}"
    targets = resolve(subject, clause.strings, sheet)
    if not targets:
        return None if re.match(r"there\b", subject) else False
    if re.match(r"(?:be\s+)?(?:removed|deleted|gone|absent|erased)", predicate):
        sheet.remove(select_unique_items(targets))
        return True
    if moved := re.match(r"(?:be\s+)?(?:moved|shifted|placed)\b", predicate):
        return move_targets(targets, predicate[moved.end() :], clause, sheet)
    if FURTHER.search(predicate) or any(shift(predicate, "", sheet)):
        moved_some = move_targets(targets, predicate, clause, sheet)
        rest = remove_shift(predicate)
        return (change_meant_items(targets, rest, clause, sheet) if rest else False) or moved_some
    return change_meant_items(targets, predicate, clause, sheet)


def is_so(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    """A statement about something that is there: "the red circle is at (130,200)"."""
    subject, verb, predicate = match.groups()
    if (
        '"' in subject
        or re.search(r"\bbackground|\bpicture|\bimage|\bcanvas|\baxis\b", subject)
        or RELATION.search(subject)
    ):
        return None
    targets = resolve(subject, clause.strings, sheet)
    if not targets or NOUN.search(predicate):
        return None
    return change_meant_items(targets, f"{verb} {predicate}", clause, sheet) or None


def change_meant_items(targets: list[EditTarget], words: str, clause: Clause, sheet: CanvasSheet) -> bool:
    """Apply the words to everything that is meant; return whether anything could be done."""
    done, shades = False, re.findall(q.HEX, words)
    if len(shades) == len(targets) > 1:
        # As many colours as things are meant one by one, from left to right.
        ordered = sorted(targets, key=lambda target: box_of(target, sheet)[0])
        pairs = zip(ordered, shades, strict=True)
        return all(change_meant_items([target], f"be {shade}", clause, sheet) for target, shade in pairs)
    for target in targets:
        item = sheet.items[target.index]
        if isinstance(item, PieItem) and target.part is not None:
            fresh: Item | None = change_wedge(item, target.part, words)
        else:
            fresh = apply_change(item, words, clause, sheet)
        if fresh is not None:
            sheet.put(target.index, fresh)
            done = True
    return done


def correct(clause: Clause, sheet: CanvasSheet) -> bool | None:
    """Follow a correction.

    Returns:
        Whether the correction could be followed; None if the clause is no correction.
    """
    words = _POLITE.sub("", clause.words)
    for pattern, follow in _RULES:
        match = pattern.search(words)
        if match is not None:
            followed = follow(match, clause, sheet)
            if followed is not None:
                return followed
    return None


def _find_end_without_noun(words: str) -> int:
    match = re.match(r'(?:the\s+)?(?:#[0-9a-f]{6}\s*(?:one)?|"\d+"|(?:\w{2,12}\s+)?one\b)', words)
    return match.end() if match else 0


def _parse_direction(word: str, length: float) -> tuple[float, float]:
    if word.startswith(("left", "right")):
        return (-length if word.startswith("left") else length), 0.0
    return 0.0, length if word.startswith(("down", "low", "bottom")) else -length


def _translate_verb(verb: str) -> str:
    return {"enlarge": "larger", "shrink": "smaller", "increase": "increase",
            "decrease": "decrease", "reduce": "decrease",
            "widen": "wider", "shorten": "shorter", "lengthen": "longer", "thicken": "thicker",
            "double": "twice as large",
            "halve": "half as large", "grow": "larger", "extend": "extend", "fill": "filled with", "darken": "darker",
            "lighten": "lighter", "outline": "outlined"}.get(verb, "")  # fmt: skip


def _change_background(words: str, clause: Clause, sheet: CanvasSheet) -> bool:
    words = re.sub(r"\b(?:instead of|not|rather than|from)\s+#[0-9a-f]{6}(?!\s+(?:at|on|in)\b)(?!\s+to\b)", " ", words)
    words = re.sub(r"\bfrom\s+#[0-9a-f]{6}\s+(?=to\s+#[0-9a-f]{6}\s*$)", " ", words)
    # "Change the picture to blue" means its background, "to 400 by 300" its size.
    words += "" if "background" in words or "by" in words else " background"
    return describe(replace(clause, words=words), sheet)


def _apply_negation(subject: str, predicate: str, clause: Clause, sheet: CanvasSheet) -> bool | None:
    but = re.search(r"\bbut\s+(.+)$", predicate)
    targets = resolve(subject, clause.strings, sheet)
    if not targets:
        return None
    if but:
        return change_meant_items(targets, but[1], clause, sheet)
    if re.search(r"\b(?:be there|exist|be present|be in)\b", predicate):
        sheet.remove(select_unique_items(targets))
        return True
    negative = {"filled": "unfilled", "dashed": "solid", "dotted": "solid", "rotated": "rotated 0deg"}
    word = next((word for word in negative if word in predicate), None)
    return change_meant_items(targets, negative[word], clause, sheet) if word else False


def _find_opposite(predicate: str) -> str:
    words = {"small": "larger", "little": "larger", "large": "smaller", "big": "smaller", "wide": "narrower",
             "narrow": "wider",
             "high": "10px lower", "low": "10px higher", "tall": "shorter", "short": "longer", "thick": "thinner",
             "thin": "thicker", "dark": "lighter", "light": "darker", "bright": "darker"}  # fmt: skip
    for word, better in words.items():
        if re.match(rf"(?:\w{{1,10}}\s+)?{word}\b", predicate):
            return better + " " + predicate.replace(word, "", 1)
    side = re.match(r"far\s+(?:to the\s+)?(left|right|up|down|high|low)", predicate)
    opposite = {"left": "right", "right": "left", "up": "down", "down": "up", "high": "down", "low": "up"}
    return f"10px {opposite[side[1]]}" if side else predicate


def _apply_removal(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    part = _remove_attribute(match[1], clause, sheet)
    if part is not None:
        return part
    phrases = re.split(r"\s*(?:,|\band)\s+(?=the\b|both\b|all\b)", match[1])
    targets = [target for phrase in phrases for target in resolve(phrase, clause.strings, sheet)]
    # All wedges of a pie at once: once one is gone, the places of those after it are others.
    for index in {target.index for target in targets if target.part is not None}:
        pie, gone = sheet.items[index], {target.part for target in targets if target.index == index}
        if isinstance(pie, PieItem):
            sheet.put(index, replace(pie, slices=tuple(wedge for at, wedge in enumerate(pie.slices) if at not in gone)))
    sheet.remove([target.index for target in targets if target.part is None])
    return bool(targets)


def _remove_attribute(words: str, clause: Clause, sheet: CanvasSheet) -> bool | None:
    match = re.match(
        r"(?:the\s+)?(?:#[0-9a-f]{6}\s+)?(outline|border|markers?|arrow ?heads?|fill|dashes)\s+(?:of"
        r"|from|on|around)\s+(.+)$",
        words,
    )
    if match is None:
        return None
    return change_meant_items(resolve(match[2], clause.strings, sheet), f"no {match[1]}", clause, sheet)


def _apply_addition(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool:
    part = re.match(
        r"(?:an?\s+|the\s+)?((?:[\w#%]+\s+){0,5}(?:outline|border|markers?|arrow ?head)s?)\s+(?:to|on"
        r"|around)\s+((?:the|all|it|each|both)\b.+)$",
        match[1],
    )
    if part and (targets := resolve(part[2], clause.strings, sheet)):
        return change_meant_items(targets, f"with {part[1]}", clause, sheet)
    return describe(replace(clause, words=match[1]), sheet)


def _apply_replacement(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool:
    targets = select_unique_items(resolve(match[1], clause.strings, sheet))
    if not targets:
        return describe(replace(clause, words=match[2]), sheet)
    index = targets[0]
    old, count = sheet.items[index], len(sheet.items)
    said_place = bool(q.find_points(match[2], sheet.space, 1)) or RELATION.search(match[2])
    if not describe(replace(clause, words=match[2]), sheet):
        return change_meant_items([EditTarget(index)], match[2], clause, sheet)
    fresh = sheet.items[count:]
    del sheet.items[count:]
    # Without a place of its own, the new thing takes place, size and colour of the old one.
    if not said_place and fresh:
        item = fresh[0]
        if isinstance(old, Blob) and isinstance(item, Blob) and not q.find_dimensions(match[2], sheet.space):
            item = item.scale(old.width / item.width, old.height / item.height)
        if q.find_first_colour(match[2]) is None and old.colour:
            item = replace(item, fill=old.colour, outline=None) if isinstance(item, Blob) else item.recolour(old.colour)
        fresh[0] = centre_at(item, old.centre)
    sheet.items[index : index + 1] = fresh
    sheet.last = index
    return True


def _apply_rotation(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    phrase, rest = split_phrase(match[1])
    turn = q.find_angle(rest)
    if turn is None:
        bare = BY.search(rest)
        turn = float(bare[1]) * (-1 if q.is_counter_clockwise(rest) else 1) if bare else None
    if turn is None:
        return None
    targets = select_unique_items(resolve(phrase, clause.strings, sheet))
    for index in targets:
        sheet.put(index, sheet.items[index].rotate(turn))
    return bool(targets)


def _apply_swap(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    firsts, seconds = (select_unique_items(resolve(words, clause.strings, sheet)) for words in (match[2], match[3]))
    if not firsts or not seconds:
        return None
    a, b = sheet.items[firsts[0]], sheet.items[seconds[0]]
    if (match[1] or "").startswith("colour"):
        if a.colour and b.colour:
            sheet.items[firsts[0]], sheet.items[seconds[0]] = a.recolour(b.colour), b.recolour(a.colour)
        return True
    dx, dy = b.centre[0] - a.centre[0], b.centre[1] - a.centre[1]
    sheet.items[firsts[0]], sheet.items[seconds[0]] = a.move(dx, dy), b.move(-dx, -dy)
    return True


def _apply_order(match: re.Match[str], clause: Clause, sheet: CanvasSheet) -> bool | None:
    targets = select_unique_items(resolve(match[1], clause.strings, sheet))
    if not targets:
        return None
    item = sheet.items.pop(targets[0])
    sheet.items.insert(len(sheet.items) if match[2].startswith(("front", "fore")) else 0, item)
    # The indices of all items above the moved one have shifted.
    sheet.last = None
    return True


# The first pattern that fits and whose reader does not return None decides: "bring X to the front" is no move,
# "put a star in the corner" is an addition if there is no star to move, and nearly everything fits "X is …".
_RULES: tuple[tuple[re.Pattern[str], _Rule], ...] = (
    (_ORDER, _apply_order), (_SWAP, _apply_swap), (_REPLACE, _apply_replacement), (_REMOVE, _apply_removal),
    (_ROTATE, _apply_rotation), (_MOVE, move),
    (_SHOULD, should), (_CHANGE, change), (_ADD, _apply_addition), (_IS, is_so),
)  # fmt: skip
