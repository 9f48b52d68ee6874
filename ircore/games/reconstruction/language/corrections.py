r"""Which categories of correction a message has, and where.

A category fires when a stem pattern ``\b<stem>\w{0,6}\b`` or a phrase pattern of its list matches, whatever the
letter case (arXiv 2606.01901, appendix B). Time grows linearly with the message: stems are looked up word by word, and
no phrase can repeat without bound.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from string import digits
from typing import NamedTuple

from ircore.games.reconstruction.language.lexicon import Correction, Lexicon, WordList, load_lexicon

ENDING = 6
"""Characters that a word may have after a stem."""

Span = tuple[int, int]
"""First character, and the first one after the end."""

_WORD = re.compile(r"\w+")


class Mark(NamedTuple):
    """A place in a message where a category fired.

    >>> [(mark.correction, mark.token) for mark in find_corrections("Move it to the upper-left.")]
    [('position', 'move'), ('position', 'left')]

    Attributes:
        correction: The category.
        start: Index of the first character in the message.
        end: Index of the first character after the mark.
        token: The marked text in lower case, white space as single spaces.
    """

    correction: Correction
    start: int
    end: int
    token: str


def find_corrections(message: str) -> tuple[Mark, ...]:
    """Find the corrections in a message.

    Marks of one category never overlap: a phrase is marked where no stem of its category fires inside it, so that
    tokens are words where they can be. ``top-right corner`` is three marks of position. Marks of different categories
    may overlap.

    Args:
        message: Any text, of any length.

    Returns:
        The marks by place, then in the order of the categories; none for a message that corrects nothing listed.
    """
    return _finder().find(message)


class _Finder:
    """A lexicon made ready for search."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._order = {words.correction: index for index, words in enumerate(lexicon.lists)}
        self._phrases = tuple((words.correction, _phrases(words)) for words in lexicon.lists)
        self._by_stem: dict[str, tuple[Correction, ...]] = defaultdict(tuple)
        for words in lexicon.lists:
            for stem in words.stems:
                self._by_stem[stem.text] += (words.correction,)
        self._longest = max(len(stem) for stem in self._by_stem) + ENDING
        # Words repeat: most are looked up once in a whole run.
        self._of_word = lru_cache(maxsize=65_536)(self._stems_of)

    def find(self, message: str) -> tuple[Mark, ...]:
        """Return the marks of a message; see ``find_corrections``."""
        lowered = _lowered(message)
        spans: dict[Correction, list[Span]] = defaultdict(list)
        for match in _WORD.finditer(lowered):
            start, end = match.span()
            if end - start <= self._longest:
                for correction in self._of_word(match[0]):
                    spans[correction].append((start, end))
        for correction, pattern in self._phrases:
            matches = [match.span() for match in pattern.finditer(lowered)]
            if matches:
                spans[correction] += _outside(matches, spans[correction])
        marks = [
            Mark(correction, start, end, " ".join(lowered[start:end].split()))
            for correction, places in spans.items()
            for start, end in places
        ]
        return tuple(sorted(marks, key=lambda mark: (mark.start, self._order[mark.correction])))

    def _stems_of(self, word: str) -> tuple[Correction, ...]:
        """Return the categories with a stem that ``word`` begins with and exceeds by at most ``ENDING``."""
        lengths = range(max(1, len(word) - ENDING), len(word) + 1)
        categories = {correction for length in lengths for correction in self._by_stem.get(word[:length], ())}
        return tuple(sorted(categories, key=self._order.__getitem__))


@cache
def _finder() -> _Finder:
    return _Finder(load_lexicon())


def _phrases(words: WordList) -> re.Pattern[str]:
    """Join the phrases of a list into a single pattern; longer alternatives are tried first."""
    # An alternative that is tried first wins, even where a longer one would match, too.
    texts = sorted((text for phrase in words.phrases for text in _openings(phrase.text)), key=len, reverse=True)
    # Bounded repeats: an unbounded run of white space would take quadratic time on a hostile message.
    spaced = (text.replace(" ?", r"\s{0,8}").replace(" ", r"\s{1,8}") for text in texts)
    return re.compile(f"(?:{'|'.join(_at_word_start(text) for text in spaced)})(?!\\w)")


def _openings(text: str) -> list[str]:
    """Split a phrase that begins with alternatives, or with any digit, into a phrase for each."""
    leading = re.match(r"\(\?:([a-z |]+)\)", text)
    if leading:
        return [opening + text[leading.end() :] for opening in leading[1].split("|")]
    number = r"\d{1,9}"
    if text.startswith(number):
        return [digit + r"\d{0,8}" + text.removeprefix(number) for digit in digits]
    return [text]


def _at_word_start(text: str) -> str:
    """Let a phrase begin only where a word does.

    A first character is looked behind once it has been met: patterns that all begin with a plain character are searched
    for by these characters, several times as fast as place by place.
    """
    first = re.match(r"[a-z0-9#]|\\\(", text)
    return rf"{first[0]}(?<!\w{first[0]}){text[first.end() :]}" if first else rf"(?<!\w){text}"


def _lowered(message: str) -> str:
    """Return the message in lower case, character by character, so that positions do not move."""
    lowered = message.lower()
    # A few letters, such as İ, become two in lower case.
    if len(lowered) == len(message):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in message)


def _outside(phrases: Sequence[Span], stems: Sequence[Span]) -> list[Span]:
    """Return the phrases that no stem overlaps; both lists are in order and without overlaps of their own."""
    ends = [end for _, end in stems]
    after = [(start, end, bisect_right(ends, start)) for start, end in phrases]
    return [(start, end) for start, end, index in after if index == len(stems) or stems[index][0] >= end]
