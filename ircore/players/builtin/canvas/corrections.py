"""Sentences that change things on the sheet.

A correction touches only what it names; everything else stays as it is, pixel for pixel.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.change_requests import change, changed, is_so, should
from ircore.players.builtin.canvas.descriptions import describe
from ircore.players.builtin.canvas.moves import BY, move, split_phrase, unique_items
from ircore.players.builtin.canvas.places import RELATION
from ircore.players.builtin.canvas.references import Target, resolve
from ircore.players.builtin.canvas.shapes import Blob, Pie, centred
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

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


def correct(clause: Clause, sheet: Sheet) -> bool | None:
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


def _remove(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    part = _attribute_to_remove(match[1], clause, sheet)
    if part is not None:
        return part
    phrases = re.split(r"\s*(?:,|\band)\s+(?=the\b|both\b|all\b)", match[1])
    targets = [target for phrase in phrases for target in resolve(phrase, clause.strings, sheet)]
    # All wedges of a pie at once: once one is gone, the places of those after it are others.
    for index in {target.index for target in targets if target.part is not None}:
        pie, gone = sheet.items[index], {target.part for target in targets if target.index == index}
        if isinstance(pie, Pie):
            sheet.put(index, replace(pie, slices=tuple(wedge for at, wedge in enumerate(pie.slices) if at not in gone)))
    sheet.remove([target.index for target in targets if target.part is None])
    return bool(targets)


def _attribute_to_remove(words: str, clause: Clause, sheet: Sheet) -> bool | None:
    match = re.match(
        r"(?:the\s+)?(?:#[0-9a-f]{6}\s+)?(outline|border|markers?|arrow ?heads?|fill|dashes)\s+(?:of"
        r"|from|on|around)\s+(.+)$",
        words,
    )
    if match is None:
        return None
    return changed(resolve(match[2], clause.strings, sheet), f"no {match[1]}", clause, sheet)


def _add(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool:
    part = re.match(
        r"(?:an?\s+|the\s+)?((?:[\w#%]+\s+){0,5}(?:outline|border|markers?|arrow ?head)s?)\s+(?:to|on"
        r"|around)\s+((?:the|all|it|each|both)\b.+)$",
        match[1],
    )
    if part and (targets := resolve(part[2], clause.strings, sheet)):
        return changed(targets, f"with {part[1]}", clause, sheet)
    return describe(replace(clause, words=match[1]), sheet)


def _replace(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool:
    targets = unique_items(resolve(match[1], clause.strings, sheet))
    if not targets:
        return describe(replace(clause, words=match[2]), sheet)
    index = targets[0]
    old, count = sheet.items[index], len(sheet.items)
    said_place = bool(q.points(match[2], sheet.space, 1)) or RELATION.search(match[2])
    if not describe(replace(clause, words=match[2]), sheet):
        return changed([Target(index)], match[2], clause, sheet)
    fresh = sheet.items[count:]
    del sheet.items[count:]
    # Without a place of its own, the new thing takes place, size and colour of the old one.
    if not said_place and fresh:
        item = fresh[0]
        if isinstance(old, Blob) and isinstance(item, Blob) and not q.dimensions(match[2], sheet.space):
            item = item.scaled(old.width / item.width, old.height / item.height)
        if q.first_colour(match[2]) is None and old.colour:
            item = replace(item, fill=old.colour, outline=None) if isinstance(item, Blob) else item.coloured(old.colour)
        fresh[0] = centred(item, old.centre)
    sheet.items[index : index + 1] = fresh
    sheet.last = index
    return True


def _rotate(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    phrase, rest = split_phrase(match[1])
    turn = q.angle(rest)
    if turn is None:
        bare = BY.search(rest)
        turn = float(bare[1]) * (-1 if q.counter_clockwise(rest) else 1) if bare else None
    if turn is None:
        return None
    targets = unique_items(resolve(phrase, clause.strings, sheet))
    for index in targets:
        sheet.put(index, sheet.items[index].rotated(turn))
    return bool(targets)


def _swap(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    firsts, seconds = (unique_items(resolve(words, clause.strings, sheet)) for words in (match[2], match[3]))
    if not firsts or not seconds:
        return None
    a, b = sheet.items[firsts[0]], sheet.items[seconds[0]]
    if (match[1] or "").startswith("colour"):
        if a.colour and b.colour:
            sheet.items[firsts[0]], sheet.items[seconds[0]] = a.coloured(b.colour), b.coloured(a.colour)
        return True
    dx, dy = b.centre[0] - a.centre[0], b.centre[1] - a.centre[1]
    sheet.items[firsts[0]], sheet.items[seconds[0]] = a.moved(dx, dy), b.moved(-dx, -dy)
    return True


def _order(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    targets = unique_items(resolve(match[1], clause.strings, sheet))
    if not targets:
        return None
    item = sheet.items.pop(targets[0])
    sheet.items.insert(len(sheet.items) if match[2].startswith(("front", "fore")) else 0, item)
    # The indices of all items above the moved one have shifted.
    sheet.last = None
    return True


_Rule = Callable[[re.Match[str], Clause, Sheet], bool | None]
# The first pattern that fits and whose reader does not return None decides: "bring X to the front" is no move,
# "put a star in the corner" is an addition if there is no star to move, and nearly everything fits "X is …".
_RULES: tuple[tuple[re.Pattern[str], _Rule], ...] = (
    (_ORDER, _order), (_SWAP, _swap), (_REPLACE, _replace), (_REMOVE, _remove), (_ROTATE, _rotate), (_MOVE, move),
    (_SHOULD, should), (_CHANGE, change), (_ADD, _add), (_IS, is_so),
)  # fmt: skip
