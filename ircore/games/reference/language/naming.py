"""Naming divergence and segmentation agreement of annotations (Ji et al., EMNLP 2022, section 4).

The formulas are the paper's, the details those of the published code, whose values are met to 1e-12: repeated words
count each time, an annotation without content words has divergence 0 and still counts, and part names are unique
before cleaning.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import fsum, log2
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ircore.games.reference.language.annotations import Annotation

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer

SMOOTHING = 0.01
"""k of the smoothed unigram model."""

PUBLISHED_VOCABULARY = 2651
"""The constant that stands for the vocabulary's size in the published code."""

EASY_BELOW, HARD_ABOVE = 0.80, 0.95
"""Shape naming divergence of easy and of hard tangrams."""


class Naming(NamedTuple):
    """Measures of a picture's annotations; None where a measure is not defined (see ``naming``).

    >>> naming([Annotation(whole="a dog"), Annotation(whole="the dog")]).snd
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


def naming(annotations: Sequence[Annotation]) -> Naming:
    """Return the measures of a picture's annotations.

    Divergence needs two annotations, since it compares each with the others; part measures need names of the pieces
    in all of them.
    """
    n = len(annotations)
    if n < 2:
        return Naming(n, None, None, None)
    snd = divergence([content_words(annotation.whole) for annotation in annotations])
    if not all(annotation.part for annotation in annotations):
        return Naming(n, snd, None, None)
    parts = [tuple(word for name in annotation.parts() for word in content_words(name)) for annotation in annotations]
    return Naming(n, snd, divergence(parts), mean_agreement(annotations))


def divergence(descriptions: Sequence[Sequence[str]]) -> float:
    """Return the mean divergence of descriptions from each other, 0–1 (SND and PND).

    The divergence of a word is 1 − (other descriptions that contain it) / (n − 1); of a description, the mean over
    its words.

    Args:
        descriptions: Content words of at least two descriptions.

    >>> divergence([("dog",), ("dog",), ("cat", "dog")])
    0.16666666666666666
    """
    others = len(descriptions) - 1
    holders = Counter(word for words in descriptions for word in set(words))
    means = [
        fsum(1 - (holders[word] - 1) / others for word in words) / len(words) if words else 0.0
        for words in descriptions
    ]
    return fsum(means) / len(descriptions)


def mean_agreement(annotations: Sequence[Annotation]) -> float:
    """Return how many of seven pieces two people put into the same parts, the mean over all pairs of people (PSA).

    Parts are matched in pairs, whatever they are called: the assignment that shares most pieces counts.

    Args:
        annotations: At least two.
    """
    masks = [_part_masks(annotation) for annotation in annotations]
    agreements = [_shared_pieces(first, second) for first, second in combinations(masks, 2)]
    return sum(agreements) / len(agreements)


def _part_masks(annotation: Annotation) -> tuple[int, ...]:
    """Return the pieces of each part as the bits of a number; names do not count, so the order is the numbers' own."""
    return tuple(sorted(sum(1 << int(piece) for piece in pieces) for pieces in annotation.parts().values()))


# The same pairs of divisions occur again and again: with them remembered, 1,000 tangrams take 5 s.
@lru_cache(maxsize=1 << 16)
def _shared_pieces(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Return the most pieces that two divisions share with parts matched in pairs."""
    from scipy.optimize import linear_sum_assignment

    shared = np.array([[(part & other).bit_count() for other in second] for part in first])
    rows, columns = linear_sum_assignment(shared, maximize=True)
    return int(shared[rows, columns].sum())


def log_perplexity(
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
    stems = [content_words(annotation.whole) for annotation in annotations]
    words = stems if stemmed else [tokens(annotation.whole) for annotation in annotations]
    if len(annotations) < 2 or not all(words):
        return None
    counts = Counter(stem for description in stems for stem in description)
    bits = [_bits(sought, counts - Counter(own), vocabulary) for sought, own in zip(words, stems, strict=True)]
    return fsum(bits) / len(bits)


def _bits(words: Iterable[str], others: Counter[str], vocabulary: int) -> float:
    total = sum(others.values()) + SMOOTHING * vocabulary
    bits = [-log2((others[word] + SMOOTHING) / total) for word in words]
    return fsum(bits) / len(bits)


STOP_WORDS = frozenset((Path(__file__).parent / "stopwords.txt").read_text(encoding="utf-8").split())
"""NLTK's list of 179 English stop words as of 2021; the longer list of today gives the same measures."""


@cache
def _tools() -> "tuple[NLTKWordTokenizer, PorterStemmer]":
    # NLTK takes a second to import, and most commands never need it.
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer(), PorterStemmer()


@cache
def _stem(token: str) -> str:
    return str(_tools()[1].stem(token))


@lru_cache(maxsize=1 << 16)
def tokens(text: str) -> tuple[str, ...]:
    """Return the lower-case tokens of a text that are words and no stop words, unstemmed.

    Sentences are not split first (NLTK's ``preserve_line``): that changes no published value.

    >>> tokens("A person's head, kneeling")
    ('person', "'s", 'head', 'kneeling')
    """
    words = _tools()[0].tokenize(text.lower())
    return tuple(word for word in words if word not in STOP_WORDS and (word.islower() or word.isalnum()))


def content_words(text: str) -> tuple[str, ...]:
    """Return the Porter stems of a text's content words; empty for a text of stop words and marks alone.

    >>> content_words("two loudspeakers facing different directions")
    ('two', 'loudspeak', 'face', 'differ', 'direct')
    """
    return tuple(_stem(token) for token in tokens(text))
