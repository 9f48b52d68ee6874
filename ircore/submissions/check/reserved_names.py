"""Names that would mislead readers about an entry: reserved words, and names of providers without proof."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.strict_yaml import FieldPath, read_mapping
from ircore.submissions.findings import Fault
from ircore.submissions.texts import alike

LIST = Path(__file__).with_name("reserved.yaml")
_WORD = re.compile(r"[^\W_]+")
_Words = tuple[frozenset[str], ...]


class _Provider(NamedTuple):
    """A provider of models, with the words that are taken for it and the accounts that prove it."""

    name: str
    words: tuple[_Words, ...]
    whole: tuple[_Words, ...]
    accounts: tuple[str, ...]


def reserved_fault(path: FieldPath, text: str) -> Fault | None:
    """Return the fault of a name with a claim that only this project makes; None without such a claim.

    Args:
        path: The field; empty for the folder's name.
        text: The name.
    """
    subject = "" if path else f"the folder's name {text!r} "
    if sign := next((character for character in text if character in _signs()), None):
        problem = f"{subject}holds the sign U+{ord(sign):04X}, as medals and marks of the site"
        return Fault(path, problem, "a name without it", "Take it out.")
    shapes = _shapes(text)
    for phrase, whole in _reserved():
        words = _shapes(phrase)
        if _holds(shapes, words) and not (whole and len(words) < len(shapes)):
            problem = f"{subject}holds {phrase!r}, which only this project says of an entry"
            return Fault(path, problem, "a name that claims no rank or standing", "Choose other words.")
    return None


def provider_fault(path: FieldPath, text: str, fork: str | None) -> Fault | None:
    """Return the fault of an author or folder that names a provider of models without proof; None without.

    Args:
        path: The field; empty for the folder's name.
        text: The author or folder.
        fork: Owner of the fork that the pull request comes from, which proves it; None if there is none yet, so that
            it is a warning.
    """
    shapes = _shapes(text)
    for provider in _providers():
        whole = any(len(words) == len(shapes) and _holds(shapes, words) for words in provider.whole)
        if not (whole or any(_holds(shapes, words) for words in provider.words)):
            continue
        # Names of accounts do not differ by case at GitHub.
        if fork is not None and fork.casefold() in (account.casefold() for account in provider.accounts):
            return None
        problem = (
            f"is taken for {provider.name}" if path else f"the folder's name {text!r} is taken for {provider.name}"
        )
        forks = " or ".join(provider.accounts)
        proof = f"open the pull request from a fork of {forks}" if forks else "a maintainer asks them"
        remedy = f"Write your own name{'' if path else ' for the folder'}, or prove it: {proof}."
        return Fault(
            path, f"{problem}, without proof", "a name of your own", remedy, "warning" if fork is None else "error"
        )
    return None


@lru_cache(maxsize=8192)
def _shapes(text: str) -> _Words:
    """Return the words of a text by the look of their letters; single letters in a row are one word."""
    words: list[str] = []
    alone = False
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        is_letter = len(match[0]) == 1 and match[0].isalpha()
        # Otherwise "G P T" would pass where "GPT" is refused.
        if is_letter and alone:
            words[-1] += match[0]
        else:
            words.append(match[0])
        alone = is_letter
    return tuple(alike(word) for word in words)


def _holds(text: _Words, phrase: _Words) -> bool:
    """Return whether a phrase stands in a text, word for word."""
    return any(
        # A word has several forms, see alike; one in common is enough.
        all(word & other for word, other in zip(text[start:], phrase, strict=False))
        for start in range(len(text) - len(phrase) + 1)
    )


@cache
def _reserved() -> Sequence[tuple[str, bool]]:
    """Return each reserved phrase, and whether it counts only as the whole of a name."""
    return tuple((str(word), key == "whole") for key in ("words", "whole") for word in _document()[key])


@cache
def _signs() -> frozenset[str]:
    return frozenset(_document()["signs"])


@cache
def _providers() -> Sequence[_Provider]:
    return tuple(
        _Provider(
            entry["name"],
            tuple(map(_shapes, entry.get("words", ()))),
            tuple(map(_shapes, entry.get("whole", ()))),
            tuple(entry["accounts"]),
        )
        for entry in _document()["providers"]
    )


@cache
def _document() -> dict[str, Any]:
    return read_mapping(LIST, "Install the package again.", "")
