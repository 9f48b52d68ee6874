"""Annotations of pictures by people in KiloGram's layout: naming divergence and agreement on segments.

An annotation is a name for the whole and a name for each of seven pieces. The formulas are those of Ji et al. (EMNLP
2022, section 4), the details those of the published code, whose values are met to 1e-12: repeated words count each
time, an annotation without content words has divergence 0 and still counts, and part names are unique before cleaning.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import fsum, log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, StringConstraints

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.records import Record
from ircore.core.validation import convert_validation_errors

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer

PIECES = ("1", "2", "3", "4", "5", "6", "7")
RANGES = {"snd": (0, 1), "pnd": (0, 1), "psa": (1, len(PIECES))}
"""Least and greatest value of each measure of naming."""

MAX_BYTES = 512 * 1024 * 1024
MAX_TEXT = 1000

Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]

SMOOTHING = 0.01
"""k of the smoothed unigram model."""

PUBLISHED_VOCABULARY = 2651
"""The constant that stands for the vocabulary's size in the published code."""

EASY_BELOW, HARD_ABOVE = 0.80, 0.95
"""Shape naming divergence of easy and of hard tangrams."""

STOP_WORDS = frozenset((Path(__file__).parent / "stopwords.txt").read_text(encoding="utf-8").split())
"""NLTK's list of 179 English stop words as of 2021; the longer list of today gives the same measures."""


class Annotation(Record):
    """One person's names for a picture.

    >>> Annotation(whole="dog", part={"1": "head"} | {piece: "body" for piece in PIECES[1:]}).parts()["head"]
    frozenset({'1'})

    Attributes:
        whole: Name of the whole.
        part: Name of each piece, ``"1"`` to ``"7"``; pieces with the same name are one part.
    """

    whole: Text
    part: dict[str, Text] = Field(default_factory=dict)

    def parts(self) -> dict[str, frozenset[str]]:
        """Return the pieces of each part by its name, in the order of the first piece."""
        parts: dict[str, set[str]] = {}
        for piece in sorted(self.part):
            parts.setdefault(self.part[piece], set()).add(piece)
        return {name: frozenset(pieces) for name, pieces in parts.items()}


def read_annotations(path: Path) -> dict[str, tuple[Annotation, ...]]:
    """Read the annotations of pictures from a JSON file of KiloGram's layout.

    Accepts ``{picture: {"annotations": [{"whole": {"wholeAnnotation": text}, "part": {"1": text, …}}, …]}}`` as
    published, and the plain form ``{picture: [{"whole": text, "part": {…}}, …]}``.

    Args:
        path: The file.

    Returns:
        Annotations by picture, in the file's order.

    Raises:
        InputError: The file cannot be read, or a field is wrong; the line names file, picture, annotation and field.
    """
    document = _read_document(path)
    return {picture: _parse_annotations(path, picture, entry) for picture, entry in document.items()}


def read_stated_measures(path: Path) -> dict[str, dict[str, float]]:
    """Read the measures that a file of KiloGram's layout states beside the annotations, as its published files do.

    Args:
        path: The file.

    Returns:
        ``snd``, ``pnd`` and ``psa`` by picture, as far as they are stated; pictures without any are left out.

    Raises:
        InputError: The file cannot be read, or a measure is no number in its range; the line names file and picture.
    """
    stated = {picture: _check_stated_measures(path, picture, entry) for picture, entry in _read_document(path).items()}
    return {picture: measures for picture, measures in stated.items() if measures}


class Naming(NamedTuple):
    """Measures of a picture's annotations; None where a measure is not defined (see ``naming``).

    >>> compute_naming([Annotation(whole="a dog"), Annotation(whole="the dog")]).snd
    0.0

    Attributes:
        n: Annotations.
        snd: Shape naming divergence, 0 (everybody uses the same words) to 1 (no word is shared).
        pnd: Part naming divergence, 0–1.
        psa: Part segmentation agreement, 1–7 pieces.
    """

    n: int
    snd: float | None
    pnd: float | None
    psa: float | None


def compute_naming(annotations: Sequence[Annotation]) -> Naming:
    """Return the measures of a picture's annotations.

    Divergence needs two annotations, since it compares each with the others; part measures need names of the pieces
    in all of them.
    """
    n = len(annotations)
    if n < 2:
        return Naming(n, None, None, None)
    snd = compute_divergence([list_content_stems(annotation.whole) for annotation in annotations])
    if not all(annotation.part for annotation in annotations):
        return Naming(n, snd, None, None)
    parts = [
        tuple(word for name in annotation.parts() for word in list_content_stems(name)) for annotation in annotations
    ]
    return Naming(n, snd, compute_divergence(parts), compute_mean_agreement(annotations))


def compute_divergence(descriptions: Sequence[Sequence[str]]) -> float:
    """Return the mean divergence of descriptions from each other, 0–1 (SND and PND).

    The divergence of a word is 1 − (other descriptions that contain it) / (n − 1); of a description, the mean over
    its words.

    Args:
        descriptions: Content words of at least two descriptions.

    >>> compute_divergence([("dog",), ("dog",), ("cat", "dog")])
    0.16666666666666666
    """
    others = len(descriptions) - 1
    holders = Counter(word for words in descriptions for word in set(words))
    means = [
        fsum(1 - (holders[word] - 1) / others for word in words) / len(words) if words else 0.0
        for words in descriptions
    ]
    return fsum(means) / len(descriptions)


def compute_mean_agreement(annotations: Sequence[Annotation]) -> float:
    """Return how many of seven pieces two people put into the same parts, the mean over all pairs of people (PSA).

    Parts are matched in pairs, whatever they are called: the assignment that shares most pieces counts.

    Args:
        annotations: At least two.
    """
    masks = [_build_part_masks(annotation) for annotation in annotations]
    agreements = [_count_shared_pieces(first, second) for first, second in combinations(masks, 2)]
    return sum(agreements) / len(agreements)


def compute_log_perplexity(
    annotations: Sequence[Annotation], vocabulary: int = PUBLISHED_VOCABULARY, stemmed: bool = True
) -> float | None:
    """Return the mean log2 perplexity of each annotation under a unigram model of the others.

    p(word) = (count + k) / (total + k·V), k = 0.01. The paper looks words up as they were counted, as stems; the
    published code counts stems and looks up unstemmed words, so that every inflected word is unseen.

    Args:
        annotations: Of one picture.
        vocabulary: V; the published code takes the constant 2651.
        stemmed: True as in the paper, False as in the published code.

    Returns:
        Bits per word; None if there are fewer than two annotations, or one is without content words (the code divides
        by zero).
    """
    stems = [list_content_stems(annotation.whole) for annotation in annotations]
    words = stems if stemmed else [split_into_tokens(annotation.whole) for annotation in annotations]
    if len(annotations) < 2 or not all(words):
        return None
    counts = Counter(stem for description in stems for stem in description)
    bits = [_compute_bits(sought, counts - Counter(own), vocabulary) for sought, own in zip(words, stems, strict=True)]
    return fsum(bits) / len(bits)


@lru_cache(maxsize=1 << 16)
def split_into_tokens(text: str) -> tuple[str, ...]:
    """Return the lower-case tokens of a text that are words and no stop words, unstemmed.

    Sentences are not split first (NLTK's ``preserve_line``): that changes no published value.

    >>> split_into_tokens("A person's head, kneeling")
    ('person', "'s", 'head', 'kneeling')
    """
    words = _load_tools()[0].tokenize(text.lower())
    return tuple(word for word in words if word not in STOP_WORDS and (word.islower() or word.isalnum()))


def list_content_stems(text: str) -> tuple[str, ...]:
    """Return the Porter stems of a text's content words; empty for a text of stop words and marks alone.

    >>> list_content_stems("two loudspeakers facing different directions")
    ('two', 'loudspeak', 'face', 'differ', 'direct')
    """
    return tuple(_stem_token(token) for token in split_into_tokens(text))


def _read_document(path: Path) -> dict[str, Any]:
    document = read_json(path, MAX_BYTES, "Name a JSON file of annotations, as UTF-8.")
    if not isinstance(document, dict) or not document:
        raise InputError(f"{path}: is not an object of pictures", "Write {picture: {annotations: […]}}.")
    return document


def _check_stated_measures(path: Path, picture: str, entry: Any) -> dict[str, float]:
    # The plain form is a list of annotations, and states no measures.
    stated = entry if isinstance(entry, Mapping) else {}
    measures = {key: stated[key] for key in RANGES if stated.get(key) is not None}
    for key, value in measures.items():
        low, high = RANGES[key]
        # A bool is an int in Python, and true is no measure.
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise InputError(
                f"{path}: {picture}: {key}: {value!r} is out of range", f"Write a number from {low} to {high}, or null."
            )
    return measures


def _parse_annotations(path: Path, picture: str, entry: Any) -> tuple[Annotation, ...]:
    rows = entry.get("annotations") if isinstance(entry, Mapping) else entry
    if not isinstance(rows, list):
        raise InputError(f"{path}: {picture}: annotations is not a list", "Write {picture: {annotations: […]}}.")
    return tuple(
        _parse_annotation(f"{path}: {picture}: annotation {number}", row) for number, row in enumerate(rows, 1)
    )


def _parse_annotation(place: str, row: Any) -> Annotation:
    if not isinstance(row, Mapping):
        raise InputError(f"{place}: is not an object", "Write {whole: …, part: {…}}.")
    whole = row.get("whole")
    if isinstance(whole, Mapping):
        whole = whole.get("wholeAnnotation")
    with convert_validation_errors(place, "Mend the annotation."):
        annotation = Annotation(whole=whole, part=row.get("part") or {})
    unknown = sorted(set(annotation.part) - set(PIECES))
    missing = sorted(set(PIECES) - set(annotation.part)) if annotation.part else []
    if unknown or missing:
        fault = f"unknown piece {unknown[0]!r}" if unknown else f"piece {missing[0]!r} has no name"
        raise InputError(f"{place}: part: {fault}", 'Name all seven pieces "1" to "7", or remove part.')
    return annotation


def _build_part_masks(annotation: Annotation) -> tuple[int, ...]:
    """Return the pieces of each part as the bits of a number; names do not count, so the order is the numbers' own."""
    return tuple(sorted(sum(1 << int(piece) for piece in pieces) for pieces in annotation.parts().values()))


# The same pairs of divisions occur again and again: with them remembered, 1,000 tangrams take 5 s.
@lru_cache(maxsize=1 << 16)
def _count_shared_pieces(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Return the most pieces that two divisions share with parts matched in pairs."""
    from scipy.optimize import linear_sum_assignment

    shared = np.array([[(part & other).bit_count() for other in second] for part in first])
    rows, columns = linear_sum_assignment(shared, maximize=True)
    return int(shared[rows, columns].sum())


def _compute_bits(words: Iterable[str], others: Counter[str], vocabulary: int) -> float:
    total = sum(others.values()) + SMOOTHING * vocabulary
    bits = [-log2((others[word] + SMOOTHING) / total) for word in words]
    return fsum(bits) / len(bits)


@cache
def _load_tools() -> "tuple[NLTKWordTokenizer, PorterStemmer]":
    # NLTK takes a second to import, and most commands never need it.
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer(), PorterStemmer()


@cache
def _stem_token(token: str) -> str:
    return str(_load_tools()[1].stem(token))
