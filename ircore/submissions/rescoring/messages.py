"""Findings in a message besides its words: data in disguise, hidden characters, names of targets.

The game is played in words. A message that carries the target as digits, letters or invisible characters, or names the
target by an id that no seat is told, holds the run; what is merely unlikely is shown to people.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log2
from typing import NamedTuple

from ircore.core.counted import counted
from ircore.core.strict_yaml import UNSEEN
from ircore.submissions.rescoring.disguises import disguise
from ircore.submissions.rescoring.prompt_injection import addresses_a_judge, readings
from ircore.submissions.rescoring.vocabulary import wordless

CHARACTERS_A_TOKEN = 12
"""Characters for each token of the budget above which a message is listed as long; English has about four."""

HIDDEN_DATA = 8
"""Characters that cannot be seen from which on a message hides data: eight of them are a byte at least."""

MANY_EMOJI = 5
"""Emoji from which on, if words are fewer, a message is written in emoji."""

BITS = 5.4
"""Bits a character from which on a text is listed as unlikely; those of the built-in describers have at most 5.02."""

LONGEST_WORD = 45
"""Letters of the longest word that large dictionaries have, English and German."""

SHORTEST_ID = 8
"""Letters and digits of an instance's id below which the id could stand in a text by chance."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_JOINERS, _STYLES = "\u200c\u200d", "\ufe0e\ufe0f"
_SEPARATORS = r"[\s,;:|/_.-]*"
_ENCODED: Sequence[tuple[str, re.Pattern[str]]] = tuple(
    (form, re.compile(pattern, re.IGNORECASE if "hexadecimal" in form else 0))
    for form, pattern in (
        ("hexadecimal digits", r"(?<![#\w])(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{24,}(?!\w)"),
        (
            "bytes in hexadecimal digits",
            rf"(?<![#\w])(?=(?:[0-9a-f]{{2}}\W+){{0,8}}(?:\d[a-f]|[a-f]\d)\b|0x|\\x)(?:(?:0x|\\x)?[0-9a-f]{{2}}\b{_SEPARATORS}){{10,}}",
        ),
        ("colours without a word between them", rf"(?:#[0-9a-fA-F]{{3,8}}\b{_SEPARATORS}){{16,}}"),
        ("base64", r"(?<![\w/+])(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[A-Za-z0-9+/_-]{40,}={0,2}"),
        ("escapes", r"(?:%[0-9A-Fa-f]{2}){4,}|(?:&#x?\w+;\s?){4,}|(?:\\u[0-9a-fA-F]{4}){4,}|(?:\\[0-7]{3}){4,}"),
        ("Morse code", r"(?=[^.\u00b7]*[.\u00b7])(?:(?<![\w.])[.\u00b7\u2013\u2014-]{1,6}(?![\w.])[\s/]*){8,}"),
        (
            "a code of letters and digits",
            r"(?<![#\w])(?:[A-Za-z]+\d+){4,}[A-Za-z]*\b|(?<![#\w])(?:\d+[A-Za-z]+){4,}\d*\b",
        ),
        ("base32", r"\b(?=\S*[2-7])[A-Z2-7]{32,}\b"),
        ("binary digits", rf"(?:[01]{_SEPARATORS}){{48,}}"),
        ("numbers without a word between them", r"(?:\d+(?:\.\d+)?[\s,;:|/]+){64,}"),
        ("letters without a word between them", rf"(?:\b[^\W\d_]\b{_SEPARATORS}){{32,}}"),
        ("data of a picture", r"data:image|\bJFIF\b|\bIHDR\b|\x89PNG|iVBORw0KGgo|/9j/4AAQ"),
        ("Braille patterns", r"[\u2801-\u28ff]{8,}"),
    )
)
"""Ways to write a picture down in digits or letters; none occurs in the words of a description."""

_VOWELS = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ"
_NO_WORD = re.compile(rf"[^{_VOWELS}]{{4,}}|.*[^{_VOWELS}]{{6,}}|.*[{_VOWELS}]{{5,}}")
_DIGITS_IN_WORD = re.compile(r"[a-z]+[013457]+[a-z]+|[a-z]*[013457][a-z]+[013457][a-z]*")

NameIn = Callable[[str], str | None]
"""Returns the id of an instance that a text names; None for most texts."""


class Remark(NamedTuple):
    """Something about a message.

    >>> [remark.rule for remark in remarks("A red circle on white.", budget=200)]
    []
    """

    rule: str
    """Which rule of the findings."""

    what: str
    """What was seen, one line."""


def remarks(text: str, budget: int | None, name_in: NameIn | None = None) -> Iterator[Remark]:
    """Yield findings about a message.

    Args:
        text: The message without its tags.
        budget: Tokens it may have; None where the game sets none.
        name_in: Finds ids of targets, see ``names_in``.
    """
    hidden = hidden_characters(text)
    if len(hidden) >= HIDDEN_DATA:
        yield Remark("encoded_message", f"the message holds {counted(len(hidden), 'character')} that cannot be seen")
    elif hidden:
        shown = [f"U+{ord(character):04X}" for character in sorted(set(hidden))][:5]
        yield Remark("hidden_characters", f"the message holds {', '.join(shown)}")
    if addresses_a_judge(text):
        yield Remark("addresses_a_judge", "the message speaks to a judge; judges see pictures only")
    if name_in is not None and (name := name_in(text)) is not None:
        yield Remark("names_a_target", f"the message names {name}, which no seat is told")
    if form := next((form for form, pattern in _ENCODED if pattern.search(text)), None):
        yield Remark("encoded_message", f"the message is written in {form}")
    # Below U+2600 stand signs that descriptions use, such as © and °.
    emoji = sum(unicodedata.category(character) == "So" and character > "\u2600" for character in text)
    if emoji >= MANY_EMOJI and emoji > len(re.findall(r"[^\W\d_]{2,}", text)):
        yield Remark("encoded_message", f"the message has {emoji} emoji and fewer words")
    if budget is not None and len(text) > CHARACTERS_A_TOKEN * budget:
        yield Remark("long_message", f"the message has {len(text):,} characters; the budget is {budget} tokens")
    if how := points_at_a_target(text):
        yield Remark("points_at_a_target", f"the message {how}")
    if reason := _unlikely(text) or disguise(text) or wordless(text):
        yield Remark("unlikely_text", reason)


def hidden_characters(text: str) -> list[str]:
    r"""Return the characters of a text that show nothing or reverse its direction.

    The selector of an emoji's style, and a joiner that a script needs, show something.

    >>> len(hidden_characters("a\u200bb")), hidden_characters("\u2764\ufe0f")
    (1, [])
    """
    return [
        character
        for place, character in enumerate(text)
        if _shows_nothing(character)
        and character not in "\n\t\r"
        and not (place and _belongs_to(character, text[place - 1]))
    ]


def _shows_nothing(character: str) -> bool:
    return (
        unicodedata.category(character) in _HIDDEN
        or character in UNSEEN
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0000" <= character <= "\U000e01ef"
        or character in "\u180b\u180c\u180d\u034f"
    )


def _belongs_to(character: str, before: str) -> bool:
    """Return whether a selector or joiner changes the look of the character before it."""
    category = unicodedata.category(before)
    # Joiners shape the letters of scripts such as Persian and Hindi.
    if character in _JOINERS and category in ("Lo", "Mn", "Mc"):
        return not _shows_nothing(before)
    may_have_style = category in ("So", "Sk", "Sm") or before in "#*0123456789\u203c\u2049\ufe0f"
    return character in (*_STYLES, "\u200d") and may_have_style


def names_in(instance_ids: Sequence[str]) -> NameIn | None:
    """Return a function that finds an instance's id in a text, however its parts are separated; None without ids.

    Args:
        instance_ids: Of the set.

    >>> name_in = names_in(["geometry-easy-01"])
    >>> name_in and name_in("Draw Geometry Easy 1, please.")
    'geometry-easy-01'
    """
    # Short ids, such as pie-1, could be words of a description.
    known = {_joined(name): name for name in instance_ids if len(re.sub(r"[\W_]", "", name)) >= SHORTEST_ID}
    stems = {tuple(re.split(r"[\W_]+", name.lower())[:-1]) for name in known.values()} - {()}
    if not stems:
        return None
    # The longest first: an alternation takes the first one that fits.
    stem = "|".join(sorted((r"[\W_]*".join(map(re.escape, parts)) for parts in stems), key=len, reverse=True))
    named = re.compile(rf"(?<![a-z0-9])(?:{stem})[\W_]*[a-z0-9]+", re.IGNORECASE)

    def name_in(text: str) -> str | None:
        matches = (_joined(match[0]) for reading in (text, *readings(text)) for match in named.finditer(reading))
        return next((known[match] for match in matches if match in known), None)

    return name_in


def _joined(name: str) -> str:
    """Return an id as one word, its last number without zeros in front."""
    return re.sub(r"(?<=\D)0+(?=\d+$)", "", re.sub(r"[\W_]", "", name.lower()))


def _unlikely(text: str) -> str | None:
    """Return why a text does not look like words of a language; None for most texts."""
    # The code of a colour is no word, and would count as a strange one.
    words = re.findall(r"[^\W_]+", re.sub(r"#[0-9a-fA-F]{3,8}\b", "", text))
    plain = [word for word in words if word.isalpha() and len(word) >= 4 and word.isascii()]
    strange = [word for word in plain if _NO_WORD.match(word.lower())]
    # Some names and abbreviations have no vowels either.
    if len(strange) >= 6 and 4 * len(strange) > len(words):
        return f"{len(strange)} of {len(words)} words are no words"
    if longest := max((len(word) for word in words if word.isalpha() and word.isascii()), default=0) // LONGEST_WORD:
        return f"a word of more than {longest * LONGEST_WORD} letters"
    mixed = [word for word in words if _DIGITS_IN_WORD.fullmatch(word.lower())]
    if len(mixed) >= 4 and 5 * len(mixed) > len(words):
        return f"{len(mixed)} of {len(words)} words have digits for letters"
    if len(text) >= 80 and (bits := _entropy(text)) > BITS:
        return f"{bits:.1f} bits a character"
    letters = [word.lower() for word in words if word.isalpha()]
    if len(letters) >= 60 and len(set(letters)) < len(letters) / 12:
        return f"{len(letters)} words, of which {len(set(letters))} differ"
    return None


def _entropy(text: str) -> float:
    """Return the entropy of a text's characters in bits, after Shannon (1948), section 6."""
    return -sum(count / len(text) * log2(count / len(text)) for count in Counter(text).values())


_NUMBER = (
    r"(?:\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|[ivx]+)"
)
_CATEGORY = (
    r"(?:geometr(?:y|ies)|geometrical figures?|bar (?:graph|chart)s?|pie(?: (?:graph|chart))?s?|line (?:graph|chart)s?"
    r"|functions?|simple shapes?|photo(?:graph)?s?)"
)
_PICTURE = r"(?:target|image|picture|instance|item|example|sample|episode|puzzle|task|figure|drawing)s?"
_WHOLE = r"(?:set|benchmark|dataset|data set|collection|list|folder|series|archive|leaderboard|game|season)"
_LEVEL = r"(?:easy|hard)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (description, re.compile(pattern, re.IGNORECASE))
    for description, pattern in (
        (
            "names a category, a difficulty and a number",
            rf"\b{_NUMBER}\W+(?:of\W+)?(?:the\W+)?{_LEVEL}\W+{_CATEGORY}\b"
            rf"|\b{_NUMBER}\W+{_CATEGORY}\W+(?:{_LEVEL})\b"
            rf"|\b(?:{_LEVEL}\W+{_CATEGORY}|{_CATEGORY}\W+{_LEVEL})[\s.,#-]+(?:target\W+)?(?:no|nr|number)?[\s.,#-]*{_NUMBER}\b(?!\s*px)",
        ),
        (
            "speaks of the set of targets",
            rf"\b{_PICTURE}\b[\w\s#.-]{{0,20}}\b(?:of|from|in)\s+(?:the|this|our|your)\s+(?:\w+\s+)?{_WHOLE}\b"
            rf"|\b{_PICTURE}\s+(?:no\.?|nr\.?|number|#)\s*\d+\b|\b(?:benchmark|dataset|leaderboard)\b",
        ),
        ("names a file", r"\b[\w-]+\.(?:png|jpe?g|webp|gif|svg|bmp|tiff?)\b"),
        ("gives a seed", r"\bseed\b\W{0,3}(?:is\s+|of\s+|number\s+)?\d+"),
        (
            "gives a hash",
            r"\b(?=[0-9a-f]*\d[a-f]+\d)(?=[0-9a-f]*[a-f]\d+[a-f])[0-9a-f]{8,}\b|\b(?:sha-?\d+|md5|uuid)\b",
        ),
        (
            "refers to what is not in the message",
            r"\b(?:as|which|that)\s+(?:we|you and i)\s+(?:have\s+)?agreed\b|\byou know which\b|\bas\s+last\s+time\b"
            r"|\bfrom\s+(?:your|our)\s+(?:memory|training)\b|\b(?:code\s?book|code\s?word|secret (?:word|sign))\b",
        ),
    )
)


def points_at_a_target(text: str) -> str | None:
    """Return how a message points at a target in place of describing it; None for most messages.

    Args:
        text: The message without its tags.

    >>> points_at_a_target("Draw the third easy geometry target.")
    'names a category, a difficulty and a number'
    >>> points_at_a_target("An easy geometry: 1 triangle.") is None
    True
    """
    return next((description for description, pattern in _FORMS if pattern.search(text)), None)
