"""Content words of a description, as KiloGram's published measures count them.

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022). The paper speaks of lemmas; the
published values follow from Porter stems (NLTK's default mode), with stop words left out before stemming, which
is what this module does.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer

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
