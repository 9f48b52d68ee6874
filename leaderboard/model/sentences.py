"""Sentences of a message that speak of a mark of the target: by its text, its place, or its kind and colour."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache

from PIL import ImageColor

from ircore.core.records import Box
from leaderboard.words.alt_text import HUE_NAMES, colour_name

LEAST = 2
"""Points from which a sentence counts as speaking of a mark that is alone of its kind: the noun is enough."""

AMONG_OTHERS = 3
"""Points from which a sentence speaks of a mark among others of its kind: also its text, its place or its colour."""

_TEXT, _PLACE, _NOUN, _COLOUR = 4, 3, 2, 1
_SLACK = 8.0
"""Pixels around a mark within which a stated point counts as its place."""

_BREAK = re.compile(r"(?<=[.!?;])\s+|\n+")
_POINT = re.compile(r"\(\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)")
_QUOTED = re.compile(r"[\"“”'‘’]([^\"“”]{1,60}?)[\"“”'’]")

_NOUNS: dict[str, tuple[str, ...]] = {
    "bar": ("bar", "column"),
    "wedge": ("wedge", "slice", "sector", "pie"),
    "pie": ("pie", "circle"),
    "line": ("line", "polyline", "series"),
    "curve": ("curve", "polyline", "graph"),
    "dot": ("dot", "marker", "point"),
    "segment": ("segment", "line"),
    "circle": ("circle", "ring"),
    "sector": ("sector", "polygon"),
    "angle": ("angle", "arc"),
    "axis": ("axis", "axes"),
    "grid": ("grid",),
    "squares": ("grid", "squared paper"),
    "tick_label": ("tick label", "tick"),
    "axis_label": ("axis title", "axis label"),
    "title": ("title", "heading"),
    **dict.fromkeys(("value_label", "wedge_label", "point_label", "curve_label"), ("label", "text")),
    "label": ("label", "text", "letter"),
    "background": ("background",),
    "ground": ("background", "stripe", "ground"),
    "half_circle": ("half circle", "semicircle", "half-circle"),
}
"""Words for a kind of mark, besides the kind itself."""

_EVERY_NOUN = frozenset(noun for nouns in _NOUNS.values() for noun in nouns)

_OTHER_COLOURS = {"chestnut": "brown", "mauve": "purple", "lilac": "purple", "ochre": "yellow", "amber": "orange"}
"""Names of colours that are no names of CSS colours, with a plain name each."""


@dataclass(frozen=True)
class Subject:
    """What a sentence may say of a mark.

    Example:
        >>> cats = Subject("bar", texts=("Cats",), colours=("#d62728",), box=Box(10, 20, 40, 90))
        >>> cats.nouns
        ('bar', 'column')
    """

    kind: str
    """Kind of the mark, such as ``bar``."""

    texts: tuple[str, ...]
    """Texts that name it: its own, or that of its label."""

    colours: tuple[str, ...]
    """Its colours, ``#rrggbb``."""

    box: Box | None
    """Its place, in pixels of the target; None for what is everywhere."""

    alone: bool = True
    """Whether the target has no other mark of this kind."""

    @property
    def nouns(self) -> tuple[str, ...]:
        """Words for its kind."""
        return _NOUNS.get(self.kind, (self.kind.replace("_", " "),))


@dataclass(frozen=True)
class Span:
    """A sentence of a message: the text and where it begins.

    >>> [span.text for span in spans("A red bar. It is tall.")]
    ['A red bar.', 'It is tall.']
    """

    start: int
    """Place of its first character, counted from 0."""

    text: str


@lru_cache(maxsize=4096)
def spans(message: str) -> tuple[Span, ...]:
    """Return the sentences of a message in order; a full stop within a number ends none."""
    made, begun = [], 0
    for gap in (*_BREAK.finditer(message), None):
        end = gap.start() if gap else len(message)
        text = message[begun:end]
        if text.strip():
            made.append(Span(begun + len(text) - len(text.lstrip()), text.strip()))
        begun = gap.end() if gap else end
    return tuple(made)


@dataclass(frozen=True)
class _Read:
    words: str
    of_a_kind: bool
    colours: frozenset[str]
    quoted: frozenset[str]
    points: tuple[tuple[float, float], ...]


@lru_cache(maxsize=16384)
def _read(sentence: str) -> _Read:
    points = tuple((float(match[1]), float(match[2])) for match in _POINT.finditer(sentence))
    words = sentence.lower()
    colours = frozenset(name for word in re.findall(r"[a-z]+", words) if (name := _plain_colour(word)))
    of_a_kind = _pattern(_EVERY_NOUN).search(words) is not None
    return _Read(words, of_a_kind, colours, frozenset(text.lower() for text in _QUOTED.findall(sentence)), points)


@cache
def _pattern(nouns: Collection[str]) -> re.Pattern[str]:
    """Return the pattern of nouns as words, one or several: no angle is in a rectangle."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(nouns)))})(?:e?s)?\b")


@lru_cache(maxsize=4096)
def _plain_colour(word: str) -> str:
    """Return the plain name of a colour's name: ``teal`` of ``turquoise``; empty for a word that names no colour."""
    if word in _OTHER_COLOURS:
        return _OTHER_COLOURS[word]
    known = ImageColor.colormap.get(word)
    # A plain name stands for itself: CSS has a green and a teal of its own.
    return word if word in HUE_NAMES else colour_name(known) if isinstance(known, str) else ""


def about(sentence: str, subject: Subject) -> int:
    """Return how clearly a sentence speaks of a mark: not at all (0), or from ``LEAST`` on.

    A sentence with the noun of another kind and not its own, as one about an axis and its labels, speaks of that kind.

    >>> about('The bar for "Cats" is red.', Subject("bar", ("Cats",), ("#d62728",), None))
    7
    """
    read = _read(sentence)
    named = _pattern(subject.nouns).search(read.words) is not None
    if not named and read.of_a_kind:
        return 0
    points = _TEXT * any(_says(read, text.lower()) for text in subject.texts)
    points += _PLACE * (subject.box is not None and any(_inside(point, subject.box) for point in read.points))
    points += _COLOUR * any(colour in read.words or _name(colour) in read.colours for colour in subject.colours)
    return points + _NOUN * named


@lru_cache(maxsize=8192)
def best(message: str, subject: Subject) -> Span | None:
    """Return the sentence that speaks most clearly of a mark, the first of equals; None if none does."""
    rated = [(about(span.text, subject), -span.start, span) for span in spans(message)]
    points, _, span = max(rated, key=lambda entry: entry[:2], default=(0, 0, None))
    return span if points >= (LEAST if subject.alone else AMONG_OTHERS) else None


def _says(read: _Read, text: str) -> bool:
    """Return whether a text stands in a sentence; of one or two characters only in quotation marks."""
    return text in read.quoted or (len(text) > 2 and re.search(rf"\b{re.escape(text)}\b", read.words) is not None)


def _inside(point: tuple[float, float], box: Box) -> bool:
    across = box.left - _SLACK <= point[0] <= box.right + _SLACK
    return across and box.top - _SLACK <= point[1] <= box.bottom + _SLACK


@lru_cache(maxsize=1024)
def _name(colour: str) -> str:
    return colour_name(colour)


def points_in(stored: str) -> tuple[float, float] | None:
    """Return the point that a stored observation ``[x, y]`` gives; None for any other observation.

    >>> points_in("[12.5, 40.0]"), points_in('"red"')
    ((12.5, 40.0), None)
    """
    match = re.fullmatch(r"\[(-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\]", stored)
    return (float(match[1]), float(match[2])) if match else None
