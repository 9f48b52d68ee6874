"""Texts that strangers may publish: visible, plain, and not to be taken for somebody else's text; players in one line.

A seat's player reads ``openai gpt-5.2 https://openrouter.ai/api/v1 temperature=0``.
"""

import re
import shlex
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice

from ircore.core.errors import InputError
from ircore.core.private_text import find_leaks
from ircore.core.strict_yaml import FieldPath, find_hidden_character
from ircore.submissions.findings import FieldFault
from ircore.submissions.services import is_repository

MOST_MARKS = 3
"""Combining marks that may follow one letter; some scripts need as many, pictures made of marks need more."""

_MARKUP = re.compile(r"[<>`]|\{\{|\{%|\{#|\]\(|\]\[|&#?\w+;|\b(?:javascript|vbscript):|\bdata:\w+/", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LOOKALIKE_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET")
PLAIN = "plain text of one line"


def find_text_faults(path: FieldPath, text: str) -> Iterator[FieldFault]:
    """Yield the faults of a text that people will read on the site, such as a name."""
    if fault := find_unseen_fault(path, text):
        yield fault
        return
    if (
        text != text.strip()
        or "  " in text
        or any(unicodedata.category(character) == "Zs" and character != " " for character in text)
    ):
        yield FieldFault(
            path, "spaces at an end, two in a row, or of an unusual kind", PLAIN, "Write single plain spaces."
        )
    if fault := find_markup_fault(path, text):
        yield fault
    # Boards are downloaded as CSV, which spreadsheets open.
    if text[:1] in "=+-@|%":
        yield FieldFault(
            path, f"begins with {text[0]!r}, as formulas of spreadsheets do", PLAIN, "Begin with a letter or digit."
        )
    if unicodedata.normalize("NFC", text) != text or _has_piled_marks(text):
        yield FieldFault(
            path, "letters with detached or piled-up accents", "composed letters (NFC)", "Type the text anew."
        )
    if word := find_mixed_word(text):
        yield FieldFault(
            path,
            f"the word {_format_ascii(word)} mixes alphabets whose letters look alike",
            "each word in one alphabet",
            "Type this word anew in one alphabet.",
        )
    yield from find_leak_faults(path, text)


def find_markup_fault(path: FieldPath, text: str) -> FieldFault | None:
    """Return the fault of a text that a page, a template or a Markdown reader could take for markup; None without."""
    markup = _MARKUP.search(text)
    return (
        FieldFault(path, f"holds markup or code ({markup[0]!r})", PLAIN, f"Take {markup[0]!r} out.") if markup else None
    )


def find_unseen_fault(path: FieldPath, text: str) -> FieldFault | None:
    """Return the fault of a text with an invisible character; None without."""
    hidden = find_hidden_character(text)
    if hidden is None and ("\n" in text or "\t" in text):
        hidden = 0, "U+000A or U+0009, a line break or tab"
    if hidden is None:
        return None
    return FieldFault(path, f"the character {hidden[1]}, which cannot be seen", "visible characters", "Take it out.")


def find_ascii_fault(path: FieldPath, text: str) -> FieldFault | None:
    """Return the fault of a text that must be plain ASCII, such as a model's name; None without a fault."""
    if text.isascii() and text.isprintable() and text == text.strip():
        return None
    return FieldFault(
        path,
        f"characters other than plain ASCII: {_format_ascii(text)}",
        "letters, digits and signs of ASCII",
        "Copy it from the provider's own page; this keeps look-alikes from passing for it.",
    )


def find_repository_faults(path: FieldPath, text: str) -> Iterator[FieldFault]:
    """Yield a fault if a text cannot be the name of a dataset repository."""
    if not is_repository(text):
        yield FieldFault(path, "no name of a dataset repository", "ORG/NAME", "Write the name alone, ORG/NAME.")


def find_leak_faults(path: FieldPath, text: str, is_address: bool = False) -> Iterator[FieldFault]:
    """Yield the first key, path or address in a text, which is about to be published; never repeated.

    Args:
        path: The field.
        text: What stands there.
        is_address: It is an address itself, whose host other rules judge: only keys in it count.
    """
    for leak in islice((leak for leak in find_leaks(text) if leak.is_secret or not is_address), 1):
        remedy = "Take it out, and withdraw the key: it may have been seen." if leak.is_secret else "Take it out."
        yield FieldFault(path, f"holds {leak}", "nothing that must stay secret", remedy)


def find_mixed_word(text: str) -> str | None:
    """Return the first word that mixes alphabets with look-alike letters; None if no word does.

    A letter's alphabet is the first word of its name in Unicode: ``CYRILLIC SMALL LETTER A``.
    """
    # All letters of ASCII are Latin.
    if text.isascii():
        return None
    for match in _WORD.finditer(text):
        word = match[0]
        scripts = {_find_script(character) for character in word if character.isalpha()}
        if len(scripts & set(_LOOKALIKE_SCRIPTS)) > 1:
            return word
    return None


def compute_skeleton(text: str) -> str:
    """Return the appearance of a text in plain letters: two texts of the same skeleton look alike.

    Each character is replaced by its prototype (Unicode Technical Standard 39, section 4, ``skeleton``); then case,
    spaces and signs are left out, since on a board they would hardly be noticed either.
    """
    prototypes = _load_prototypes()
    shown = "".join(prototypes.get(character, character) for character in unicodedata.normalize("NFKC", text))
    shown = "".join(prototypes.get(character, character) for character in unicodedata.normalize("NFKD", shown))
    plain = "".join(character for character in shown.casefold() if character.isalnum() or character == "+")
    # The table has I, l and 1 as one character; i joins them, since it is I in capitals.
    same = plain.replace("i", "l")
    return same.replace("vv", "w").replace("cl", "d")  # pairs of letters, which that table has only for rn


@lru_cache(maxsize=8192)
def list_name_forms(text: str) -> frozenset[str]:
    """Return the forms under which a name is compared with other names; two names look alike if they share a form."""
    folded = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset({folded, compute_skeleton(text), compute_skeleton(text.casefold())})  # m looks like rn, M does not


@lru_cache(maxsize=8192)
def build_slug_skeleton(slug: str) -> str:
    """Return the appearance of a folder's name: separators alike, 0 as o, 1 as l, rn as m, vv as w."""
    folded = slug.lower().translate(str.maketrans("01_.", "ol--"))
    return folded.replace("rn", "m").replace("vv", "w")


def split_names(text: str) -> list[str]:
    """Return the names in a list that commas part.

    >>> split_names("one, two,")
    ['one', 'two']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def _has_piled_marks(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if run > MOST_MARKS:
            return True
    return False


def _find_script(letter: str) -> str:
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "?").split(" ", 1)[0]


def _format_ascii(text: str) -> str:
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")


@cache
def _load_prototypes() -> dict[str, str]:
    """Return the characters that each look-alike character stands for."""
    from confusable_homoglyphs.confusables import confusables_data

    return {
        character: prototypes[0]["c"].strip("\u200e")
        for character, prototypes in confusables_data.items()
        # A character that looks like several others has no single prototype.
        if len(character) == 1 and len(prototypes) == 1
    }


_KEY = re.compile(r"[A-Z][A-Z0-9_]*_(KEY|TOKEN)")


def format_seat_options(seat: str, text: str) -> list[str]:
    """Return the options of ``ircore submission new`` that a line about a seat amounts to.

    Args:
        seat: Name of the seat.
        text: The player, then in any order: its model, the model's revision after it, the address of its service,
            the name of the variable that holds the key, and parameters as ``NAME=VALUE``.

    Raises:
        InputError: No player is named, or a word has no meaning.

    >>> format_seat_options("speaker", "openai gpt-5.2 seed=0")
    ['--player', 'speaker=openai', '--player', 'speaker.model=gpt-5.2', '--player', 'speaker.parameter.seed=0']
    """
    try:
        player, *words = shlex.split(text)
    except ValueError as error:
        remedy = "Write it as: openai MODEL https://ADDRESS/v1 NAME=VALUE"
        raise InputError(f"{seat}: {text!a} names no player", remedy) from error
    options = ["--player", f"{seat}={player}"]
    for field, value in _parse_fields(seat, words):
        stated = f"parameter.{value}" if field == "parameter" else f"{field}={value}"
        options += ["--player", f"{seat}.{stated}"]
    return options


def _parse_fields(seat: str, words: list[str]) -> Iterator[tuple[str, str]]:
    # Taken from the end: the first plain word is the model, the second its revision.
    names = ["revision", "model"]
    for word in words:
        if word.startswith(("https://", "http://")):
            yield "url", word
        elif "=" in word:
            yield "parameter", word
        elif _KEY.fullmatch(word):
            yield "key", word
        elif names:
            yield names.pop(), word
        else:
            raise InputError(f"{seat}: {word!a} has no meaning", "Write parameters as NAME=VALUE.")
