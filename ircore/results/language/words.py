"""Words of a message, and how many of them are new.

A word is a run of letters and digits, in lower case, with the apostrophes inside it; a final 's is dropped. Hyphens and
all other characters part words. Nothing is stemmed: ``circle`` and ``circles`` are two words. This suits languages
that put spaces between words; the stop words are English.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in order, in lower case."""
    return [word.removesuffix("'s") for word in _WORD.findall(text.lower().replace("’", "'"))]


@cache
def stop_words() -> frozenset[str]:
    """Return the words that carry no content of their own."""
    text = (files(__package__) / "stop_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def novelty(message: frozenset[str], earlier: Iterable[frozenset[str]]) -> float | None:
    """Return the share of a message's distinct content words that no earlier message of the episode used.

    Args:
        message: Content words of the message.
        earlier: Content words of each message before it.

    Returns:
        0 (nothing new) to 1 (all new); None for a message without content words.
    """
    return len(message.difference(*earlier)) / len(message) if message else None


def similarity(message: frozenset[str], previous: frozenset[str]) -> float | None:
    """Return how much two messages share: |A ∩ B| / |A ∪ B| of their content words (Jaccard 1901).

    Returns:
        0 (no word in common) to 1 (the same words); None if neither has content words.
    """
    union = message | previous
    return len(message & previous) / len(union) if union else None
