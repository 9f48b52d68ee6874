r"""The words of correction: ten lists of patterns, and which of their categories a message has, and where.

A category fires when a stem pattern ``\b<stem>\w{0,6}\b`` or a phrase pattern of its list matches, whatever the letter
case (arXiv 2606.01901, appendix B). The lists are shipped as text files, versioned by their hash. Time grows linearly
with the message: stems are looked up word by word, phrases are tried only at words with which one of them begins, and
no phrase can repeat without bound.
"""

import hashlib
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import digits
from typing import Literal, NamedTuple, get_args

Correction = Literal[
    "position",
    "size",
    "colour",
    "add_remove",
    "shape",
    "label",
    "style",
    "comparison",
    "numeric",
    "acknowledgement",
]
"""Subject of a correction; an acknowledgement names parts that are right already."""

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""The ten categories in the order of the paper's Table 5; each is a file ``word_lists/stems/<category>.txt``."""

Source = Literal["paper", "ours"]
"""Origin of a pattern: Table 5 of arXiv 2606.01901, or this project where that table is only representative."""

Choice = Literal["built-in", "paper"]
"""Patterns that count: all, or those alone that the paper's Table 5 prints."""

BUILT_IN: Choice = "built-in"

ENDING = 6
"""Characters that a word may have after a stem."""

Span = tuple[int, int]
"""First character, and the first one after the end."""

_MOST_WORDS = 65_536
"""Words whose categories are remembered; beyond that all are forgotten."""

_TOKEN = re.compile(r"\w+|[#(]")
"""Words, and the other characters with which a phrase may begin."""


@dataclass(frozen=True)
class Pattern:
    """A line of a list.

    Attributes:
        text: A stem in lower case, or a regular expression in which a space stands for white space.
        source: Origin of the pattern.
    """

    text: str
    source: Source


@dataclass(frozen=True)
class WordList:
    """The patterns of a category.

    >>> [words.correction for words in load_lexicon().lists][:2]
    ['position', 'size']

    Attributes:
        correction: The category.
        stems: Each fires on a word that begins with it and has at most six more characters.
        phrases: Each fires on whole words that match it.
    """

    correction: Correction
    stems: tuple[Pattern, ...]
    phrases: tuple[Pattern, ...]


@dataclass(frozen=True)
class Lexicon:
    """All ten lists.

    >>> len(load_lexicon().lists)
    10

    Attributes:
        version: The choice of patterns and their hash; goes with every result, since another list gives other rates.
        lists: In the order of ``CORRECTIONS``.
    """

    version: str
    lists: tuple[WordList, ...]


@cache
def load_lexicon(choice: Choice = BUILT_IN) -> Lexicon:
    """Read the lists that the package ships.

    Args:
        choice: All patterns, or those of the paper's Table 5 alone: its stems and its phrases.

    >>> [words.stems[-1].text for words in load_lexicon("paper").lists][:2]
    ['parallel', 'downscal']
    """
    lists = tuple(
        _read_word_list(correction, get_args(Source) if choice == BUILT_IN else ("paper",))
        for correction in CORRECTIONS
    )
    # The parsed patterns are hashed and not the files, so that comments in the lists change no version.
    digest = hashlib.sha256(
        repr([(words.correction, words.stems, words.phrases) for words in lists]).encode()
    ).hexdigest()
    return Lexicon(f"{choice} {digest[:12]}", lists)


class CorrectionMark(NamedTuple):
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


def find_corrections(message: str, lexicon: Choice = BUILT_IN) -> tuple[CorrectionMark, ...]:
    """Find the corrections in a message.

    Marks of one category never overlap: a phrase is marked where no stem of its category fires inside it, so that
    tokens are words where they can be. ``top-right corner`` is three marks of position. Marks of different categories
    may overlap.

    Args:
        message: Any text, of any length.
        lexicon: Patterns that count: all, or the paper's alone.

    Returns:
        The marks by place, then in the order of the categories; none for a message that corrects nothing listed.
    """
    return _load_finder(lexicon).find(message)


def _read_word_list(correction: Correction, sources: tuple[Source, ...]) -> WordList:
    """Read a file: comments, and patterns under headings such as ``[stems: paper]``, those of some sources."""
    text = (files(__package__) / "word_lists" / "stems" / f"{correction}.txt").read_text(encoding="utf-8")
    sections: dict[tuple[str, Source], list[str]] = {}
    current: list[str] = []
    for line in map(str.strip, text.splitlines()):
        # A colour such as #ff0000 is a pattern, so a comment is marked by the blank behind its #.
        if not line or line.startswith("# "):
            continue
        if line.startswith("[") and line.endswith("]") and ": " in line:
            kind, source = line[1:-1].split(": ")
            current = sections.setdefault((kind, "paper" if source == "paper" else "ours"), [])
        else:
            current.append(line)
    stems, phrases = (
        tuple(Pattern(text, source) for source in sources for text in sections.get((kind, source), ()))
        for kind in ("stems", "phrases")
    )
    return WordList(correction, stems, phrases)


class _OfToken(NamedTuple):
    """What may begin with a word."""

    by_stem: tuple[Correction, ...]
    """Categories whose stems fire on it, in their order."""

    any_phrase: Callable[[str, int], object] | None
    """Tells whether any phrase matches at a place, by which most places are passed over; None if none can."""

    by_phrase: tuple[tuple[Correction, re.Pattern[str]], ...]
    """Categories with phrases that begin with it."""


class _Finder:
    """A lexicon made ready for search."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._order = {words.correction: index for index, words in enumerate(lexicon.lists)}
        # Longer phrases are tried first: the first that matches wins.
        self._phrases = {
            words.correction: sorted(_expand_phrases(words), key=len, reverse=True) for words in lexicon.lists
        }
        self._by_stem: dict[str, tuple[Correction, ...]] = defaultdict(tuple)
        for words in lexicon.lists:
            for stem in words.stems:
                self._by_stem[stem.text] += (words.correction,)
        self._longest = max(len(stem) for stem in self._by_stem) + ENDING
        # Words repeat: most are looked up once in a whole run.
        self._known: dict[str, _OfToken] = {}

    def find(self, message: str) -> tuple[CorrectionMark, ...]:
        """Return the marks of a message; see ``find_corrections``."""
        lowered = _lower_case(message)
        marks: list[CorrectionMark] = []
        phrases: dict[Correction, list[Span]] = {}
        known = self._known
        for token in _TOKEN.finditer(lowered):
            word = token[0]
            by_stem, any_phrase, by_phrase = known.get(word) or self._look_up(word)
            if by_stem:
                start, end = token.span()
                marks += [CorrectionMark(correction, start, end, word) for correction in by_stem]
            if any_phrase is None or not any_phrase(lowered, token.start()):
                continue
            for correction, pattern in by_phrase:
                earlier = phrases.setdefault(correction, [])
                # Phrases of one category do not overlap: the first of them wins.
                if not earlier or earlier[-1][1] <= token.start():
                    match = pattern.match(lowered, token.start())
                    if match:
                        earlier.append(match.span())
        for correction, matches in phrases.items():
            stems = [(mark.start, mark.end) for mark in marks if mark.correction == correction]
            marks += [
                CorrectionMark(correction, start, end, " ".join(lowered[start:end].split()))
                for start, end in _drop_overlaps(matches, stems)
            ]
        # Those of stems are in order already.
        return tuple(sorted(marks, key=lambda mark: (mark.start, self._order[mark.correction])) if phrases else marks)

    def _look_up(self, word: str) -> _OfToken:
        # A word longer than any stem with its ending is cut, so that no word fills the memory.
        token = word[: self._longest + 1]
        if token not in self._known:
            if len(self._known) >= _MOST_WORDS:
                self._known.clear()
            self._known[token] = self._find_categories(token)
        return self._known[token]

    def _find_categories(self, token: str) -> _OfToken:
        """Return the categories whose stems fire on ``token``, and those with phrases that may begin there."""
        lengths = range(max(1, len(token) - ENDING), len(token) + 1)
        stems = {correction for length in lengths for correction in self._by_stem.get(token[:length], ())}
        phrases = (
            (correction, tuple(text for text in texts if f"{token} ".startswith(_list_openings(text))))
            for correction, texts in self._phrases.items()
        )
        begun = [(correction, texts) for correction, texts in phrases if texts]
        return _OfToken(
            tuple(sorted(stems, key=self._order.__getitem__)),
            _join_phrases(tuple(text for _, texts in begun for text in texts)).match if begun else None,
            tuple((correction, _join_phrases(texts)) for correction, texts in begun),
        )


@cache
def _load_finder(lexicon: Choice) -> _Finder:
    return _Finder(load_lexicon(lexicon))


@cache
def _join_phrases(phrases: Sequence[str]) -> re.Pattern[str]:
    """Join phrases into a single pattern; earlier ones are tried first."""
    # Bounded repeats: an unbounded run of white space would take quadratic time on a hostile message.
    spaced = (phrase.replace(" ?", r"\s{0,8}").replace(" ", r"\s{1,8}") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)")


def _expand_phrases(words: WordList) -> Iterator[str]:
    """Yield the phrases of a list; a phrase that begins with alternatives is yielded once for each."""
    for phrase in words.phrases:
        leading = re.match(r"\(\?:([a-z |]+)\)", phrase.text)
        if leading:
            yield from (opening + phrase.text[leading.end() :] for opening in leading[1].split("|"))
        else:
            # Only the digits 0 to 9 begin a number; \d would take those of other scripts, too.
            yield re.sub(r"^\\d\{1,9\}", r"[0-9]\\d{0,8}", phrase.text)


@cache
def _list_openings(text: str) -> tuple[str, ...]:
    """Return what a token may begin with where a match of a phrase begins; a space ends a whole word.

    >>> _list_openings("hues?"), _list_openings("#[0-9a-f]{6}"), _list_openings("a bit")
    (('hue',), ('#',), ('a ',))
    """
    if text.startswith("[0-9]"):
        return tuple(digits)
    # A letter before a quantifier may be missing in the match, and so may a space.
    opening = re.match(r"[a-z]+(?![?*{])(?: (?!\?))?|[0-9#]|\\\(", text)
    if opening is None:
        raise ValueError(f"a phrase begins with a letter, a digit, # or (, not as {text!r} does")
    return (opening[0].removeprefix("\\"),)


def _lower_case(message: str) -> str:
    """Return the message in lower case, character by character, so that positions do not move."""
    lowered = message.lower()
    # A few letters, such as İ, become two in lower case.
    if len(lowered) == len(message):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in message)


def _drop_overlaps(phrases: Sequence[Span], stems: Sequence[Span]) -> list[Span]:
    """Return the phrases that no stem overlaps; both lists are in order and without overlaps of their own."""
    ends = [end for _, end in stems]
    after = [(start, end, bisect_right(ends, start)) for start, end in phrases]
    return [(start, end) for start, end, index in after if index == len(stems) or stems[index][0] >= end]
