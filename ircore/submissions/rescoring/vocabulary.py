"""Whether a message is made of words: of words that stand in a dictionary, in sentences, more of them than numbers.

Data written in letters, digits or single words passes no dictionary, or has none of the small words that every sentence
needs. A language without a dictionary here, or a list of tags, is listed too: people look at it, nothing is held.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "lv", "eu", "ru", "ar", "fa")
"""Dictionaries of pyspellchecker, in the order in which a message is looked up; English first, the others if needed."""

FEW_UNKNOWN = 5
"""Unknown words up to which a message may hold names and titles."""

UNKNOWN_SHARE = 0.4
"""Share of unknown words above which a text is listed; messages of the built-in describers have at most 0.15."""

SENTENCE = 24
"""Words from which on a text with few small words is listed: captions in tags are shorter."""

SMALL_WORDS = 120
"""The most frequent words of a language that count as its small words: *the*, *of*, *with*."""

SMALL_SHARE = 1 / 12
"""Share of small words up to which a text is no sentence; longer messages of built-in describers have 0.12 and more."""

MANY_NUMBERS = 16
"""Numbers from which on a text with at most ``FEW_WORDS`` different words is listed; polygons come with four words."""

FEW_WORDS = 2

RARE_SHARE = 0.5
"""Share of rare Han and Hangul characters above which a text is listed; a third of all characters are in use."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b")
_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019][^\W\d_]+)*")
_UNITS = frozenset({"px", "pt", "cm", "mm", "deg", "rgb", "hex"})
_COMMON_BYTES = {
    "gb2312": (0xB0A1, 0xD7F9),  # level 1: 3,755 characters of simplified Chinese
    "big5": (0xA440, 0xC67E),  # level 1: 5,401 characters of traditional Chinese
    "shift_jis": (0x889F, 0x9872),  # level 1: 2,965 characters of Japanese
    "euc_kr": (0xB0A1, 0xC8FE),  # the 2,350 syllables of KS X 1001
}
"""Codes of the characters in common use, by the national standards that rank characters by use."""


def explain_wordless(text: str) -> str | None:
    """Return why a message is hardly made of words, one line; None for most messages.

    Args:
        text: The message without its tags.

    >>> numbers = " ".join(str(7 * place % 256) for place in range(60))
    >>> explain_wordless("A red circle on white."), explain_wordless(numbers)
    (None, '60 numbers and 0 different words')
    """
    # The code of a colour is neither a word nor a number of its own.
    plain = _COLOUR.sub(" ", text)
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(plain)]
    numbers = sum(character.isnumeric() for character in re.sub(r"(?<=\d)[\d.]+", "", plain) if not character.isalpha())
    different = set(words) - _UNITS
    if numbers >= MANY_NUMBERS and len(different) <= FEW_WORDS:
        return f"{numbers} numbers and {len(different)} different words"
    unknown = _find_unknown(different)
    if len(unknown) > FEW_UNKNOWN - 1 and len(unknown) > UNKNOWN_SHARE * len(different):
        return f"{len(unknown)} of {len(different)} different words stand in no dictionary"
    looked_up = [word for word in words if _has_dictionary(word)]
    if len(looked_up) >= SENTENCE and not any(_is_sentence(looked_up, language) for language in LANGUAGES):
        return f"{len(looked_up)} words, hardly any of them a small word of a sentence"
    return _explain_rare(text)


def _find_unknown(words: Iterable[str]) -> set[str]:
    """Return the words that stand in no dictionary; scripts without a dictionary are left out."""
    unknown = {word for word in words if _has_dictionary(word)}
    some = len(unknown)
    for language in LANGUAGES:
        unknown = {word for word in unknown if word not in _dictionary(language)}
        # Most messages are settled by the first dictionary, and loading each takes a while.
        if len(unknown) < FEW_UNKNOWN or len(unknown) <= UNKNOWN_SHARE * some:
            break
    return unknown


def _has_dictionary(word: str) -> bool:
    # Latin, Greek, Cyrillic and Armenian lie below U+0590, Arabic and Persian from U+0600 to U+06FF.
    return all(letter < "\u0590" or "\u0600" <= letter <= "\u06ff" for letter in word)


def _is_sentence(words: Sequence[str], language: str) -> bool:
    return sum(word in _small_words(language) for word in words) > SMALL_SHARE * len(words)


@cache
def _dictionary(language: str) -> frozenset[str]:
    return frozenset(_counts(language))


@cache
def _small_words(language: str) -> frozenset[str]:
    """Return the most frequent words of a language; numbers in words are none, since data can be written in them."""
    counts = _counts(language)
    return frozenset(sorted(counts, key=counts.__getitem__, reverse=True)[:SMALL_WORDS]) - {"one", "two"}


def _counts(language: str) -> dict[str, int]:
    """Return how often each word of a language's dictionary stands in the collection of subtitles behind it."""
    from spellchecker import SpellChecker

    return dict(SpellChecker(language=language).word_frequency.dictionary)


def _explain_rare(text: str) -> str | None:
    """Return whether a text is written in characters that hardly anybody uses."""
    characters = [c for c in text if "\u3400" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3"]
    rare = sum(not _is_in_use(character) for character in characters)
    if len(characters) >= 12 and rare > RARE_SHARE * len(characters):
        return f"{rare} of {len(characters)} characters are rare"
    return None


def _is_in_use(character: str) -> bool:
    return any(
        # A character that the standard lacks gives no bytes, and so a number below every range.
        first <= int.from_bytes(character.encode(codec, "ignore"), "big") <= last
        for codec, (first, last) in _COMMON_BYTES.items()
    )
