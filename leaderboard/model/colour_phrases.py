"""Colours that a sentence says, and which of several marks it means by them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ircore.seeing.colours import compute_delta_e94, name_colour, replace_colour_words
from leaderboard.words.alt_text import colour_name

NEAR = 15.0
"""Difference (ΔE*94) up to which a phrase such as "chestnut" says a colour that goes by another name."""
ALIKE = 4.0
"""Difference below which two colours are one to a reader."""

_HEX = re.compile(r"#[0-9a-f]{6}")


def match_marks(sentence: str, colours: Sequence[tuple[str, ...]]) -> tuple[bool, ...]:
    """Return which marks a sentence means by its colours: for each colour said, the marks that are nearest to it.

    Args:
        sentence: Of a message.
        colours: Of each mark, its colours as ``#rrggbb``.

    >>> match_marks("A dark blue line.", [("#003f5c",), ("#2a78b0",), ("#d62728",)])
    (True, False, False)
    """
    chosen: set[int] = set()
    for phrase in _find_phrases(sentence):
        off = {
            mark: min(_measure_distance(phrase, colour) for colour in own)
            for mark, own in enumerate(colours)
            if any(_can_stand_for(sentence, phrase, colour) for colour in own)
        }
        chosen |= {mark for mark, distance in off.items() if distance <= min(off.values()) + ALIKE}
    return tuple(mark in chosen for mark in range(len(colours)))


def _measure_distance(phrase: str, colour: str) -> float:
    """Return how far a colour is from a phrase; farther where another shade, such as "dark blue", would name it."""
    off = compute_delta_e94(phrase, colour)
    return off if off <= NEAR or name_colour(phrase) == name_colour(colour) else off + NEAR


@lru_cache(maxsize=16384)
def _find_phrases(sentence: str) -> tuple[str, ...]:
    """Return the colours of a sentence, each phrase once, as ``#rrggbb``."""
    return tuple(dict.fromkeys(_HEX.findall(replace_colour_words(sentence.lower()))))


@lru_cache(maxsize=65536)
def _can_stand_for(sentence: str, phrase: str, colour: str) -> bool:
    """Return whether a phrase may stand for a colour: it is near, or goes by the same name."""
    if compute_delta_e94(phrase, colour) <= NEAR or _name_hue(phrase) == _name_hue(colour):
        return True
    # Of "purple" and "brown" the value has another hue than most colours that people call so.
    is_odd = not _has_word(sentence, _name_hue(phrase))
    return is_odd and any(_has_word(sentence, name) for name in (_name_hue(colour), colour_name(colour)))


def _name_hue(colour: str) -> str:
    return name_colour(colour).rpartition(" ")[2]


def _has_word(sentence: str, word: str) -> bool:
    return re.search(rf"\b{word}\b", sentence.lower()) is not None
