"""Captions of KiloGram's conditions: a name for the whole, alone or with the names of its parts."""

import re
from collections.abc import Sequence

_PLURALS = {"children", "feet", "geese", "men", "mice", "people", "teeth", "women"}
_ARTICLE = re.compile(r"an?\s+(?=\S)", re.IGNORECASE)
_VOWEL_SOUND = re.compile(
    r"(?!(?-i:UNKNOWN)|eu|on(e|ce)\b|uni|us[aeiu]|ut[aei])[aeiou]|hono|hour|heir|[fhlmnrsx]\b", re.IGNORECASE
)


def caption_with_parts(whole: str, parts: Sequence[str]) -> str:
    """Return the caption of the PARTS conditions, ``<whole> with <part>, …, and <part>``.

    The published program asks the package ``inflect`` for each article; this is a short rule in its place, which
    differs on rare plurals and sounds.

    >>> caption_with_parts("bat", ["ears", "open mouth", "head"])
    'a bat with ears, an open mouth, and a head'
    >>> caption_with_parts("axe", ["blade"])
    'an axe with a blade'

    Args:
        whole: Name of the whole; it gets an article, too.
        parts: Names of the parts, in order; the caption is the whole's name if there are none.
    """
    if not parts:
        return _with_article(whole)
    *others, last = map(_with_article, parts)
    listed = f"{', '.join(others)}, and {last}" if others else last
    return f"{_with_article(whole)} with {listed}"


def _with_article(phrase: str) -> str:
    """Put "a" or "an" before a phrase that does not end in a plural; an article that is there is corrected."""
    bare = _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase
    if bare == phrase and _is_plural(phrase.split()[-1].lower() if phrase.split() else ""):
        return phrase
    return f"{'an' if _VOWEL_SOUND.match(bare) else 'a'} {bare}"


def _is_plural(word: str) -> bool:
    return word in _PLURALS or word.endswith("fish") or (word.endswith("s") and not word.endswith("ss"))
