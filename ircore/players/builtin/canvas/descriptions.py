"""Sentences that describe new things."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas.backgrounds import read_background
from ircore.players.builtin.canvas.charts import read_chart_part
from ircore.players.builtin.canvas.kinds import NOUN, OWN_READERS, kind_of
from ircore.players.builtin.canvas.mentions import read_things
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause
from ircore.players.builtin.canvas.written import read_texts

_BACKGROUND_FIRST = re.compile(
    r"((?:on|against|over|with|there is)?\s*(?:an?|the)?\s*(?:plain |solid )?#[0-9a-f]{6} background)"
    r"\s*(?::|,|\bwith\b|\bthere (?:is|are)\b|\bhas\b)\s*(.+)$"
)
_BACKGROUND_AFTER = re.compile(
    r"(.+?)\s*\b(?:on|against|over|in|of)\s+"
    r"((?:an?|the)\s+(?:plain |solid |otherwise )?#[0-9a-f]{6} (?:background|picture|image|canvas))\b(.*)$"
)
_NEXT_PART = re.compile(r",\s*(?:and\s+)?(?=(?:an?|some)\s+[a-z#]|\d{1,2}\s+(?:#|[a-z]+s\b)|(?:ticks?|grid)\b)")
_MOST_PARTS = 100


def describe(clause: Clause, sheet: Sheet) -> bool:
    """Add the things that a clause describes; return whether any part of the clause was understood."""
    parts = _parts(clause.words)
    if len(parts) == 1:
        return _describe_part(clause, sheet)
    understood = [_describe_part(replace(clause, words=part, continues=False), sheet) for part in parts]
    return any(understood)


def _parts(words: str) -> list[str]:
    """Split "on a white background: three bars, an x axis, ticks" into parts if each part has a reader of its own."""
    first, rest = _background_apart(words)
    listed = [part for part in _NEXT_PART.split(rest) if part.strip()]
    nouns = [NOUN.search(part) for part in listed]
    charts = any(noun and kind_of(noun[1]) in OWN_READERS - {"text", "any"} for noun in nouns)
    if (
        len(listed) > 1
        and charts
        and all(nouns)
        and "(" not in rest
        and "label" not in rest
        and len(listed) <= _MOST_PARTS
    ):
        return first + listed
    return [*first, rest]


def _background_apart(words: str) -> tuple[list[str], str]:
    """Return the words on the background, if others stand beside them, and the rest: "a dot", "on a black picture"."""
    if (match := _BACKGROUND_FIRST.match(words)) and NOUN.search(match[2]):
        return [match[1]], match[2]
    if (match := _BACKGROUND_AFTER.match(words)) and NOUN.search(match[1]):
        return [match[2]], match[1] + match[3]
    return [], words


def _describe_part(clause: Clause, sheet: Sheet) -> bool:
    return (
        read_background(clause.words, sheet)
        or read_chart_part(clause, sheet)
        or (re.search(r'"\d+"', clause.words) is not None and read_texts(clause, sheet))
        or read_things(clause, sheet)
    )
