"""Forms of a message that carry more than its words say: code, addresses, spaces, capitals, look-alikes, drawings.

Each is listed for people, since a model may come by it honestly; none occurs in recorded games with models and people.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

SHORTEST = 60
"""Characters below which a message of signs is too short to draw anything."""

_CODE = re.compile(
    r"<(?:svg|rect|circle|ellipse|path|polygon|html|canvas|img|script)\b[^>]*=|\bimport \w+[;\n]|\bdef \w+\(.*\):"
    r"|\b\w+\.\w+\(\s*[\[({'\"\d]|\\(?:draw|fill|begin)\b|\bfor \w+ in \w+\(|\{\s*\"\w+\"\s*:"
    r"|\b[a-z_]+\((?:\s*[\w.#'\"]+\s*,){2,}[^)]*\)\s*[;\n]|\b[Mm] ?-?\d+[ ,]+-?\d+ ?[LlHhVvCcQqAa] ?-?\d"
)
_ADDRESS = re.compile(r"\b(?:https?|ftp|ipfs|file)://|\bwww\.\w", re.IGNORECASE)
_WIDE_SPACE = re.compile(r"(?<=\S)(?:[ \u00a0]{2,}|[ \u00a0]*\t[ \t]*)(?=\S)")
_SMALL = "an|and|are|at|below|by|each|from|has|in|is|it|left|of|on|right|that|the|this|to|with"
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]+[a-z]+[A-Za-z]*|[A-Z][a-z]+[A-Z]+[a-z]+[A-Za-z]*|[a-z]{1,2}[A-Z]{1,2}")


def disguise(text: str) -> str | None:
    """Return the disguise of a message that is no words of a language, in a line; None for most messages.

    Args:
        text: The message without its tags.

    >>> disguise("A red circle at https://example.org/1.png"), disguise("A red circle on white.")
    ('the message holds an address', None)
    """
    return next((description for description, is_there in _FORMS if is_there(text)), None)


def _mixes_alphabets(text: str) -> bool:
    """Return whether words are spelt in letters of two alphabets, such as Latin and Cyrillic ones."""
    mixed = 0
    for word in re.findall(r"[^\W\d_]{2,}", text):
        alphabets = {name.split()[0] for letter in word if (name := unicodedata.name(letter, ""))}
        mixed += len(alphabets & {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}) > 1
    return mixed > 0


def _has_styled_letters(text: str) -> bool:
    """Return whether letters stand in mathematical, circled or other compatibility forms."""
    return sum(character.isalpha() and unicodedata.decomposition(character).startswith("<") for character in text) >= 8


def _stacks_marks(text: str) -> bool:
    run = 0
    # Composed first, so that letters with accents of their own do not count as marked.
    for character in unicodedata.normalize("NFC", text):
        run = run + 1 if unicodedata.combining(character) and unicodedata.name(character).startswith("COMBINING") else 0
        if run >= 3:
            return True
    return False


def _wide_spaces(text: str) -> bool:
    return len(_WIDE_SPACE.findall(text)) >= 4 or re.search(r"[ \t\u00a0]{32}", text) is not None


def _blank_ends(text: str) -> bool:
    """Return whether some lines end in blanks and others do not: a bit a line."""
    lines = text.split("\n")
    blank = sum(line != line.rstrip() for line in lines)
    # Blanks at nearly all ends, or at few, are habits of a model; a code needs both kinds.
    return len(lines) >= 8 and 0.2 * len(lines) <= blank <= 0.8 * len(lines)


def _broken_lines(text: str) -> bool:
    """Return whether lines break within sentences, other than by width: their lengths could say something."""
    # The last line may end anywhere.
    *lines, _ = map(len, text.split("\n"))
    wrapped = bool(lines) and min(lines) >= 0.6 * max(lines)
    return not wrapped and len(re.findall(rf"\b(?:a|{_SMALL})\n(?=[a-z])", text)) >= 3


def _varied_capitals(text: str) -> bool:
    """Return whether the small words within sentences are capital here and not there: a bit a word."""
    small = re.findall(rf"(?<=[a-z] )(?:{_SMALL})\b", text, re.IGNORECASE)
    capital = sum(word != word.lower() for word in small)
    return len(small) >= 10 and 0.15 * len(small) <= capital <= 0.85 * len(small)


def _varied_marks(text: str) -> bool:
    """Return whether nearly every word is followed by one of several marks: a bit a word."""
    marks = Counter(re.findall(r"(?<=[a-z])([,;:!?.])(?= )", text))
    often = [count for _, count in marks.most_common(2)]
    words = len(re.findall(r"[A-Za-z]+", text))
    return len(often) == 2 and words >= 20 and sum(often) > 0.6 * words and often[1] > 0.2 * sum(often)


def _dead_script(text: str) -> bool:
    """Return whether a text is written in a script of the supplementary planes, all but a few of them out of use."""
    return sum(character.isalpha() and "\U00010000" <= character < "\U0001d400" for character in text) >= 8


def _odd_capitals(text: str) -> bool:
    words = re.findall(r"[A-Za-z]+", text)
    odd = sum(_INNER_CAPITAL.fullmatch(word) is not None for word in words)
    return odd >= 6 and 4 * odd > len(words)


def _draws_in_signs(text: str) -> bool:
    signs = [character for character in text if not character.isspace()]
    # Marks belong to the letters of many scripts.
    telling = sum(character.isalnum() or unicodedata.category(character)[0] == "M" for character in signs)
    return len(signs) >= SHORTEST and telling < 0.3 * len(signs)


_FORMS: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("the message holds code", lambda text: _CODE.search(text) is not None),
    ("the message holds an address", lambda text: _ADDRESS.search(text) is not None),
    ("words are spelt in letters of two alphabets", _mixes_alphabets),
    ("letters stand in forms that no keyboard has", _has_styled_letters),
    ("letters carry three marks and more", _stacks_marks),
    ("spaces between words are of many widths", _wide_spaces),
    ("capitals stand within words", _odd_capitals),
    ("some lines end in blanks", _blank_ends),
    ("lines break within sentences", _broken_lines),
    ("small words are capital here and not there", _varied_capitals),
    ("marks of several kinds stand behind nearly every word", _varied_marks),
    ("letters are of a script that is out of use", _dead_script),
    ("the message is drawn in signs", _draws_in_signs),
)
