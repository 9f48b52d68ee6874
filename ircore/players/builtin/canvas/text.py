"""Messages split into clauses in one plain spelling, so that all later patterns can be simple, and the known nouns.

In a clause's ``words`` everything is lower case; quoted strings are ``"0"``, ``"1"`` … (their text is in ``strings``);
colours are ``#rrggbb``; numbers are digits with ``px``, ``%`` or ``deg`` attached; points are ``(120,200)`` or
``(25%,50%)``; hyphens between words are gone; British spelling.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.files import read_table
from ircore.core.untrusted_text import format_plain_line
from ircore.seeing.colours import replace_colour_words

_TABLE = read_table("ircore.players.builtin.canvas", "words")
KINDS: dict[str, str] = {noun: kind for kind, nouns in _TABLE["kinds"].items() for noun in nouns}
"""Noun in the singular → kind. ``any`` is for references only."""

_PLURALS: dict[str, str] = _TABLE["plurals"]
MAX_MESSAGE = 20_000
"""Characters of a message that are read."""

MAX_CLAUSE = 4_000
"""Characters of a clause that are read."""

MAX_CLAUSES = 1_000
MAX_STRINGS = 300

_QUOTED = re.compile(r'"([^"\n]{0,200})"|“([^”\n]{0,200})”|(?<!\w)[\'‘]([^\'’\n]{1,80})[\'’](?!\w)')
_WORD_NAMED = re.compile(r"\b((?i:words?|text)) ([A-Z][A-Z0-9]+)\b")
"""A word in capitals, called a word, is meant as if it stood in quotes: "the word CAT"."""

_MASK = re.compile(r'"(\d+)"')
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*•–]|\d{1,3}[.)]|#{1,6}(?= ))[ \t]+")
_ABBREVIATIONS = re.compile(r"\b((?i:approx|e\.g|i\.e|ca|vs|etc|resp|deg|incl|pt|px))\.(?=\s+[a-z0-9(#])")
_END = re.compile(r"(;)|[\n!?]+|\.(?=[\s\"A-Z]|$)")

_DIGITS: dict[str, int] = read_table("ircore.players.builtin.canvas", "words")["digits"]
_WORD = "|".join([*sorted(_DIGITS, key=len, reverse=True), "one", "a"])
_NUMBER_WORDS = re.compile(
    rf"\b(?:(?:{_WORD})\s+hundred(?:\s+(?:and\s+)?)?)?(?:(?:{'|'.join(_DIGITS)})(?:\s+(?:one|{'|'.join(_DIGITS)}))?)?\b"
)
_NUMBER = r"(-?\d{1,7}(?:\.\d{1,6})?)"

_PARTS = {"half": "50%", "third": "33%", "quarter": "25%", "fifth": "20%", "tenth": "10%"}

ALIKE = (
    {"circle", "ellipse", "dot", "ring", "semicircle"},
    {"square", "rectangle", "bar", "trapezoid", "parallelogram", "diamond", "polygon"},
    {"triangle", "polygon"},
    {"pentagon", "hexagon", "heptagon", "octagon", "polygon", "star"},
    {"line", "curve", "polyline", "arrow", "arc", "x axis", "y axis", "axis", "tick", "grid"},
    {"wedge", "pie", "ring"},
    {"cross", "star", "heart"},
)
"""Kinds that people mix up."""
OWN_READERS = frozenset({"text", "x axis", "y axis", "axis", "tick", "grid", "bar", "wedge", "pie", "any"})
"""Kinds that are read by modules of their own, or only referred to."""

PRONOUN = re.compile(r"\s+(?:it|that|this|them|which|the former|the latter)\b")
"""A word that stands for the thing spoken of last."""


def _form_plural(noun: str) -> str:
    head, _, last = noun.rpartition(" ")
    return f"{head} {_PLURALS.get(last, last + 's')}".strip()


_WORDS = {**{_form_plural(noun): kind for noun, kind in KINDS.items()}, **KINDS}
# The longest nouns first, since an alternation takes the first one that fits.
NOUN = re.compile(rf"\b({'|'.join(sorted(_WORDS, key=len, reverse=True))})\b")
"""A noun of the lexicon, singular or plural."""


def find_kind(noun: str) -> str:
    """Return the kind that a noun matched by ``NOUN`` names."""
    return _WORDS[noun]


def is_plural(noun: str) -> bool:
    """Whether a noun matched by ``NOUN`` is in the plural."""
    return noun not in KINDS


def rate_mismatch(wanted_kind: str, kind: str) -> float:
    """Return 0 for the same kind, 1 for kinds that people mix up, infinity for others."""
    if wanted_kind in {kind, "any", ""}:
        return 0.0
    if wanted_kind == "axis" and kind in {"x axis", "y axis"}:
        return 0.0
    return 1.0 if any({wanted_kind, kind} <= group for group in ALIKE) else float("inf")


@dataclass(frozen=True)
class Clause:
    """A part of a message that makes one statement.

    >>> [clause.words for clause in split_clauses("A red circle; a blue dot.")]
    ['a #ff0000 circle', 'a #0000ff dot']

    Attributes:
        words: In the plain spelling of this module.
        strings: The quoted strings of the whole message.
        continues: Whether it goes on after a semicolon of the same sentence.
    """

    words: str
    strings: tuple[str, ...]
    source: str
    continues: bool = False


def split_clauses(message: str) -> list[Clause]:
    """Split a message at full stops, semicolons and line ends, outside quotes, brackets and numbers."""
    strings: list[str] = []

    def mask(match: re.Match[str]) -> str:
        text = next((group for group in match.groups() if group is not None), "")
        if len(strings) == MAX_STRINGS or not text.strip():
            return " "
        strings.append(text)
        return f' "{len(strings) - 1}" '

    text = message[:MAX_MESSAGE].replace("\r", "\n").replace("\t", " ")
    text = _QUOTED.sub(mask, _WORD_NAMED.sub(r'\1 "\2"', text))
    text = _ABBREVIATIONS.sub(lambda match: match[1].replace(".", ""), _BULLET.sub("", text))
    quoted = tuple(strings)
    split: list[Clause] = []
    continues = False
    for piece, semicolon in _split_pieces(text.replace("*", "").replace("`", "")):
        if any(character.isalnum() for character in piece) and len(split) < MAX_CLAUSES:
            split.append(Clause(_normalise_words(piece), quoted, _restore_strings(piece, quoted), continues))
        continues = semicolon
    return split


def _convert_edge_distances(match: re.Match[str]) -> str:
    """Write "37% from the left and 62% from the top" as a point."""
    return f"at ({match[1]}{match[2].removeprefix('px')},{match[3]}{match[4].removeprefix('px')})"


_PLAIN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        # Patterns of numbers take seven digits; the rest of a longer number would be read as another number.
        (r"\d{8,}", "9999999"),
        (r"(\d\s?(?:px|pixels|%)?)\s?[x×✕]\s?(?=\d)", r"\1 by "),
        (r"[°º]", " deg "),
        (r"(?<=\d)\s*[–—]\s*(?=\d)", " to "),
        (r"[−–—]", "-"),
        (r"['’]s\b", "'s"),
        (r"(?<=[a-z\d])-(?=[a-z])", " "),
        (r"(?<=\d)-(?=\d)", " to "),
        (r"\bcent(?:re|er)(e?d)\b", "centred"),
        (r"\bcent(?:re|er)\b|\bmiddle\b", "centre"),
        (r"\b(?:in|at) its (?:very )?centre\b", "inside it"),
        (r"\b(un|re)?colou?r", r"\1colour"),
        (r"\bgray(ish)?", r"grey\1"),
        (r"\bdash(?:ed)?\s*(?:and|/|,)?\s*dot(?:ted)?\b|\bdot(?:ted)?\s+dash(?:ed)?\b", "dashdotted"),
        (r"\((?:like|similar to|as in|i\.?e)\b[^()]{0,40}\)", " "),
        (r"\b(?:a|one) (third|quarter|half|fifth|tenth) of (?:the |its )?(?:image|picture"
            r"|canvas)(?:'s)?(?= width| size| height|\b)",
         lambda match: _PARTS[match[1]]),
        (r"\b(?:about|roughly|approximately|approx|circa|exactly|precisely|nearly|almost|just|please"
        r"|kindly)\b|[~≈]", " "),
        (r"\baround\s+(?=[\d])", " "),
        (r"\baround\s+(?=\()", "at "),
        (r"(?<=\d)\s*(?:px|pixels?|pts?)(?![a-z])", "px"),
        (r"(?<=\d)\s*(?:%|percent\b|per cent\b)", "%"),
        (r"(?<=\d)\s*(?:deg|degrees?)(?![a-z])", "deg"),
        (rf"[(\[]\s*(?:x\s*[=:]?\s*)?{_NUMBER}(?:px)?(%?)\s*[,;]\s*(?:y\s*[=:]?\s*)?{_NUMBER}(?:px)?(%?)\s*[)\]]",
         r"(\1\2,\3\4)"),
        (rf"\bx\s*[=:]?\s*{_NUMBER}(?:px)?(%?)\s*(?:,|and|,\s*and|/|\s)\s*y\s*[=:]?\s*{_NUMBER}(?:px)?(%?)(?![\d.])",
         r"(\1\2,\3\4)"),
        (rf"\b(at|on|to|near|from)\s+(?:position\s+|point\s+|coordinates?\s+)?{_NUMBER}(?:px)?(%?)\s*,\s*"
         rf"{_NUMBER}(?:px)?(%?)(?=[^\d.%,p]|$)(?!\s*(?:and\s+)?[\d-])", r"\1 (\2\3,\4\5)"),
        (rf"{_NUMBER}(px|%)\s+(?:(?:in|away|across)\s+)?from\s+(?:the\s+)?left(?:\s+edge)?\s*(?:,|and|,\s*and)\s*"
         rf"{_NUMBER}(px|%)\s+(?:(?:in|away|down)\s+)?from\s+(?:the\s+)?top(?:\s+edge)?\b", _convert_edge_distances),
        (r"\b(?:an?\s+)?(?:\w{4,10}\s+)?(?:row|line)\s+of\s+(?=\d)", " "),
        (r"\b(?:an?\s+)?(?:vertical\s+)?(?:column|stack)\s+of\s+(\d{1,2})\b", r"\1 stacked"),
        (r"\s+", " "),
    )
)  # fmt: skip


def _split_pieces(text: str) -> list[tuple[str, bool]]:
    """Cut at ends of clauses that are not inside brackets; a bracket that never closes does not count."""
    pieces, start = [], 0
    for end in _END.finditer(text):
        opened = text.rfind("(", start, end.start())
        if end[1] and opened > text.rfind(")", start, end.start()) and 0 < text.find(")", end.start()) - opened < 30:
            continue
        pieces.append((text[start : end.start()], bool(end[1])))
        start = end.end()
    return [*pieces, (text[start:], False)]


def _normalise_words(piece: str) -> str:
    words = piece[:MAX_CLAUSE].lower()
    words = re.sub(r"[\x00-\x1f\x7f]", " ", words)
    for index, (pattern, plain) in enumerate(_PLAIN):
        # Hyphens and dashes are gone by then, and the later patterns expect digits and hex values.
        if index == 10:
            words = replace_colour_words(_NUMBER_WORDS.sub(_convert_number_words, re.sub(r"\s+", " ", words)))
        words = pattern.sub(plain, words)
    return words.strip(" ,:-")


def _convert_number_words(match: re.Match[str]) -> str:
    if not match[0]:
        return ""
    total, space = 0, " " if match[0].endswith(" ") else ""
    for word in match[0].split():
        if word == "hundred":
            total = max(1, total) * 100
        elif word in {"a", "one"}:
            total += 1
        else:
            total += _DIGITS.get(word, 0)
    return f"{total}{space}"


def _restore_strings(piece: str, strings: tuple[str, ...]) -> str:
    shown = _MASK.sub(lambda match: f'"{strings[int(match[1])]}"' if int(match[1]) < len(strings) else match[0], piece)
    return format_plain_line(shown)
