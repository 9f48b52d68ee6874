"""Sentences of a message that speak of a mark of the target: by its text, its place, or its kind and colour.

A colour that a sentence says may stand for several marks; it means those that are nearest to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ircore.core.records import Box
from ircore.seeing.colours import compute_delta_e94, name_colour, replace_colour_words
from leaderboard.model.alt_texts import colour_name

NEAR = 15.0
"""Difference (ΔE*94) up to which a phrase such as "chestnut" says a colour that goes by another name."""
ALIKE = 4.0
"""Difference below which two colours are one to a reader."""

_HEX = re.compile(r"#[0-9a-f]{6}")

LEAST = 2.0
"""Points from which a sentence may speak of a mark: a colour alone is not enough."""

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
    "picture": ("picture", "plot", "panel", "frame"),
    "background": ("background",),
    "ground": ("background", "stripe", "ground"),
    "half_circle": ("half circle", "semicircle", "half-circle"),
}
"""Words for a kind of mark, besides the kind itself."""

_WRITTEN = frozenset({*(kind for kind in _NOUNS if kind.endswith("label")), "title"})
"""Kinds of texts: they are spoken of wherever their words stand, as values do in a sentence on bars."""

_SHAPES = frozenset({"circle", "sector", "polygon", "segment"})
"""Nouns that say nothing of a kind: whoever does not know what a target shows calls a wedge a polygon."""

_HEADS = sorted({noun for nouns in _NOUNS.values() for noun in nouns} - _SHAPES, key=lambda noun: (-len(noun), noun))
_HEAD = re.compile(rf"(?<![-\w])({'|'.join(_HEADS)})(e?s)?(?![-\w])")
"""The first such noun is what a sentence speaks of; an ``s`` says that it speaks of several."""

NO_KIND = ""
"""Kind of what is in a rendering and not in the target: a sentence on any kind may speak of its place."""


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


@dataclass(frozen=True)
class MarkSubject:
    """A mark, with the words by which a sentence may mean it.

    Example:
        >>> cats = MarkSubject("bar", texts=("Cats",), colours=("#d62728",), box=Box(10, 20, 40, 90))
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

    axis: str = ""
    """``x`` or ``y`` for a part of an axis."""

    @property
    def nouns(self) -> tuple[str, ...]:
        """Words for its kind."""
        return _NOUNS.get(self.kind, (self.kind.replace("_", " "),) if self.kind else ())


@dataclass(frozen=True)
class Span:
    """A sentence of a message: the text and where it begins.

    >>> [span.text for span in split_sentences("A red bar. It is tall.")]
    ['A red bar.', 'It is tall.']
    """

    start: int
    """Place of its first character, counted from 0."""

    text: str


@lru_cache(maxsize=4096)
def split_sentences(message: str) -> tuple[Span, ...]:
    """Return the sentences of a message in order; a full stop within a number ends none."""
    made, begun = [], 0
    for gap in (*_BREAK.finditer(message), None):
        end = gap.start() if gap else len(message)
        text = message[begun:end]
        if text.strip():
            made.append(Span(begun + len(text) - len(text.lstrip()), text.strip()))
        begun = gap.end() if gap else end
    return tuple(made)


@lru_cache(maxsize=16384)
def score_marks(sentence: str, group: tuple[MarkSubject, ...]) -> tuple[float, ...]:
    """Return how clearly a sentence speaks of each mark of a kind; 0 where it does not.

    A sentence on another kind speaks of none. The noun alone is enough for the only mark of a kind. What fits several
    marks equally well speaks of them in the plural only: "a blue bar" among three blue bars speaks of none.

    Args:
        sentence: Of a message.
        group: All marks of a kind in a target.

    >>> score_marks('The bar for "Cats" is red.', (MarkSubject("bar", ("Cats",), ("#d62728",), None),))
    (7.0,)
    """
    read = _parse_sentence(sentence)
    if _is_of_another_kind(read, group[0]):
        return (0.0,) * len(group)
    written = [any(_has_text(read, text.lower()) for text in subject.texts) for subject in group]
    coloured = match_marks(sentence, [subject.colours for subject in group])
    if group[0].kind in _WRITTEN and len(group) > 1:
        coloured = (False,) * len(group)  # texts are black wherever they stand
    points = [
        _TEXT * text + _score_place(read, subject) + _NOUN * _is_about_kind(read, subject) + _COLOUR * colour
        for subject, text, colour in zip(group, written, coloured, strict=True)
    ]
    top = max(points)
    is_clear = points.count(top) == 1 or read.is_plural
    fits_best = [
        is_clear and (own == top or (read.is_plural and colour)) for own, colour in zip(points, coloured, strict=True)
    ]
    texts = [text for subject in group for text in set(subject.texts)]
    own_words = [
        any(_has_text(read, text.lower()) and texts.count(text) == 1 for text in subject.texts) for subject in group
    ]
    least = LEAST if len(group) == 1 else LEAST + 0.5
    return tuple(
        own if own >= least and (fits or named) else 0.0
        for own, fits, named in zip(points, fits_best, own_words, strict=True)
    )


@lru_cache(maxsize=8192)
def find_best_sentences(message: str, group: tuple[MarkSubject, ...]) -> tuple[Span | None, ...]:
    """Return for each mark of a kind the sentence that speaks most clearly of it, the first of equals; else None.

    Args:
        message: Of a turn.
        group: All marks of a kind in a target.
    """
    sentences = split_sentences(message)
    rated = [score_marks(span.text, group) for span in sentences]
    chosen: list[Span | None] = []
    for mark in range(len(group)):
        place = max(range(len(rated)), key=lambda at: rated[at][mark], default=None)
        chosen.append(None if place is None or not rated[place][mark] else sentences[place])
    return tuple(chosen)


def read_point(stored: str) -> tuple[float, float] | None:
    """Return the point that a stored observation ``[x, y]`` gives; None for any other observation.

    >>> read_point("[12.5, 40.0]"), read_point('"red"')
    ((12.5, 40.0), None)
    """
    match = re.fullmatch(r"\[(-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\]", stored)
    return (float(match[1]), float(match[2])) if match else None


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


@dataclass(frozen=True)
class _Read:
    words: str
    quoted: frozenset[str]
    points: tuple[tuple[float, float], ...]
    head: str
    """The noun that it speaks of; empty if it has none."""
    is_plural: bool


@lru_cache(maxsize=16384)
def _parse_sentence(sentence: str) -> _Read:
    points = tuple((float(match[1]), float(match[2])) for match in _POINT.finditer(sentence))
    quoted = frozenset(text.lower() for text in _QUOTED.findall(sentence))
    head = _HEAD.search(_QUOTED.sub(" ", sentence).lower())
    return _Read(sentence.lower(), quoted, points, head[1] if head else "", head is not None and head[2] is not None)


def _is_of_another_kind(read: _Read, subject: MarkSubject) -> bool:
    return bool(read.head) and subject.kind not in {*_WRITTEN, NO_KIND} and not _is_about_kind(read, subject)


def _is_about_kind(read: _Read, subject: MarkSubject) -> bool:
    """Return whether a sentence speaks of this kind: its head does, or, where it has none, a word for a shape."""
    if subject.axis and re.search(rf"\b{'y' if subject.axis == 'x' else 'x'}[ -]ax[ie]s\b", read.words):
        return False
    if read.head:
        return read.head in subject.nouns
    return any(re.search(rf"\b{noun}(e?s)?\b", read.words) for noun in subject.nouns)


def _score_place(read: _Read, subject: MarkSubject) -> float:
    """Return the points for a place: the more of the points of a sentence lie in the mark, the more."""
    box = subject.box
    inside = [point for point in read.points if box is not None and _is_inside(point, box)]
    return _PLACE - 1 + len(inside) / len(read.points) if inside else 0.0


def _has_text(read: _Read, text: str) -> bool:
    """Return whether a text stands in a sentence; of one or two characters only in quotation marks."""
    return text in read.quoted or (len(text) > 2 and re.search(rf"\b{re.escape(text)}\b", read.words) is not None)


def _is_inside(point: tuple[float, float], box: Box) -> bool:
    across = box.left - _SLACK <= point[0] <= box.right + _SLACK
    return across and box.top - _SLACK <= point[1] <= box.bottom + _SLACK
