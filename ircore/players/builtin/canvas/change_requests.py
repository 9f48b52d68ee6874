"""Corrections of the kind "X should be …", "change the … of X", "X is too …"."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.descriptions import describe
from ircore.players.builtin.canvas.item_changes import apply_change
from ircore.players.builtin.canvas.kinds import NOUN
from ircore.players.builtin.canvas.moves import (
    FURTHER,
    move_targets,
    shift,
    split_phrase,
    unique_items,
    without_shift,
)
from ircore.players.builtin.canvas.pies import changed_wedge
from ircore.players.builtin.canvas.places import RELATION
from ircore.players.builtin.canvas.references import Target, box_of, resolve
from ircore.players.builtin.canvas.shapes import Item, Pie
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

_ATTRIBUTE = re.compile(
    r"^(?:the\s+)?((?:(?:fill|line|outline|border|font|stroke|text|corner)\s+)?(?:colours?|radius"
    r"|diameter|width|height|size|length|position|centre|thickness|angle|rotation|side(?: length)?"
    r"|top|end|style|shape|fill|outline|border|share|text|label|hole|start|background)(?: edge| side"
    r"| end)?)\s+of\s+(.+)$"
)
_OWNED = re.compile(r"^(.{1,120}?)'s\s+(.+)$")


def change(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    """Follow "change X …", "make X …", "set the … of X to …"."""
    verb, words = match[0].split()[0], match[1]
    if re.match(
        r"(?:the\s+)?(?:picture|image|canvas|background)\b|(?:the\s+)?(?:size"
        r"|colour) of the (?:picture|image|canvas|background)\b",
        words,
    ):
        return _recast_background(words, clause, sheet)
    name = ""
    if attribute := _ATTRIBUTE.match(words):
        name, thing = attribute.groups()
    elif owned := _OWNED.match(words):
        name, to, value = owned[2].partition(" to ")
        thing = f"{owned[1]} {to}{value}"
    if name:
        phrase, rest = split_phrase(thing)
        return changed(resolve(phrase, clause.strings, sheet), f"{_verb_words(verb)} {name} {rest}", clause, sheet)
    phrase, rest = split_phrase(words)
    targets = resolve(phrase, clause.strings, sheet)
    if not targets:
        # "Make a red circle" describes a new thing.
        return None if verb in {"draw", "have", "make", "give"} and re.match(r"an?\b", words) else False
    return changed(targets, f"{_verb_words(verb)} {rest}", clause, sheet)


def _verb_words(verb: str) -> str:
    return {"enlarge": "larger", "shrink": "smaller", "increase": "increase",
            "decrease": "decrease", "reduce": "decrease",
            "widen": "wider", "shorten": "shorter", "lengthen": "longer", "thicken": "thicker",
            "double": "twice as large",
            "halve": "half as large", "grow": "larger", "extend": "extend", "fill": "filled with", "darken": "darker",
            "lighten": "lighter", "outline": "outlined"}.get(verb, "")  # fmt: skip


def _recast_background(words: str, clause: Clause, sheet: Sheet) -> bool:
    words = re.sub(r"\b(?:instead of|not|rather than|from)\s+#[0-9a-f]{6}(?!\s+(?:at|on|in)\b)(?!\s+to\b)", " ", words)
    words = re.sub(r"\bfrom\s+#[0-9a-f]{6}\s+(?=to\s+#[0-9a-f]{6}\s*$)", " ", words)
    # "Change the picture to blue" means its background, "to 400 by 300" its size.
    words += "" if "background" in words or "by" in words else " background"
    return describe(replace(clause, words=words), sheet)


def should(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
    """Follow "X should …", "X is too …"."""
    subject, verb, predicate = match.groups()
    if re.search(r"\bbackground\b", subject) or re.match(r"(?:the\s+)?(?:picture|image|canvas)\b", subject):
        return _recast_background(f"{subject} {predicate}", clause, sheet)
    if verb in {"is not", "isn't", "should not", "shouldn't"}:
        return _negated(subject, predicate, clause, sheet)
    if verb in {"is too", "are too"}:
        predicate = _opposite(predicate)
    attribute = _ATTRIBUTE.match(subject) or _OWNED.match(subject)
    if attribute:
        name, subject = (attribute[1], attribute[2]) if attribute.re is _ATTRIBUTE else (attribute[2], attribute[1])
        predicate = f"{name} {predicate}"
    targets = resolve(subject, clause.strings, sheet)
    if not targets:
        return None if re.match(r"there\b", subject) else False
    if re.match(r"(?:be\s+)?(?:removed|deleted|gone|absent|erased)", predicate):
        sheet.remove(unique_items(targets))
        return True
    if moved := re.match(r"(?:be\s+)?(?:moved|shifted|placed)\b", predicate):
        return move_targets(targets, predicate[moved.end() :], clause, sheet)
    if FURTHER.search(predicate) or any(shift(predicate, "", sheet)):
        moved_some = move_targets(targets, predicate, clause, sheet)
        rest = without_shift(predicate)
        return (changed(targets, rest, clause, sheet) if rest else False) or moved_some
    return changed(targets, predicate, clause, sheet)


def _negated(subject: str, predicate: str, clause: Clause, sheet: Sheet) -> bool | None:
    but = re.search(r"\bbut\s+(.+)$", predicate)
    targets = resolve(subject, clause.strings, sheet)
    if not targets:
        return None
    if but:
        return changed(targets, but[1], clause, sheet)
    if re.search(r"\b(?:be there|exist|be present|be in)\b", predicate):
        sheet.remove(unique_items(targets))
        return True
    negative = {"filled": "unfilled", "dashed": "solid", "dotted": "solid", "rotated": "rotated 0deg"}
    word = next((word for word in negative if word in predicate), None)
    return changed(targets, negative[word], clause, sheet) if word else False


def _opposite(predicate: str) -> str:
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


def is_so(match: re.Match[str], clause: Clause, sheet: Sheet) -> bool | None:
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
    return changed(targets, f"{verb} {predicate}", clause, sheet) or None


def changed(targets: list[Target], words: str, clause: Clause, sheet: Sheet) -> bool:
    """Apply the words to everything that is meant; return whether anything could be done."""
    done, shades = False, re.findall(q.HEX, words)
    if len(shades) == len(targets) > 1:
        # As many colours as things are meant one by one, from left to right.
        ordered = sorted(targets, key=lambda target: box_of(target, sheet)[0])
        pairs = zip(ordered, shades, strict=True)
        return all(changed([target], f"be {shade}", clause, sheet) for target, shade in pairs)
    for target in targets:
        item = sheet.items[target.index]
        if isinstance(item, Pie) and target.part is not None:
            fresh: Item | None = changed_wedge(item, target.part, words)
        else:
            fresh = apply_change(item, words, clause, sheet)
        if fresh is not None:
            sheet.put(target.index, fresh)
            done = True
    return done
