"""The words by which a correction is told: ten lists, shipped as text files, versioned by their hash."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

Correction = Literal[
    "position",
    "size",
    "colour",
    "add_remove",
    "shape",
    "label",
    "style",
    "comparison",
    "numeric",
    "acknowledgement",
]
"""Subject of a correction; an acknowledgement names parts that are right already."""

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""The ten categories in the order of the paper's Table 5; each is a file ``stems/<category>.txt``."""

Source = Literal["paper", "ours"]
"""Origin of a pattern: Table 5 of arXiv 2606.01901, or this project where that table is only representative."""


@dataclass(frozen=True)
class Pattern:
    """A line of a list.

    >>> Pattern("shrink", "paper").source
    'paper'
    """

    text: str
    """A stem in lower case, or a regular expression in which a space stands for white space."""

    source: Source
    """Origin of the pattern."""


@dataclass(frozen=True)
class WordList:
    """The patterns of a category.

    >>> [words.correction for words in load_lexicon().lists][:2]
    ['position', 'size']
    """

    correction: Correction
    """The category."""

    stems: tuple[Pattern, ...]
    """Each fires on a word that begins with it and has at most six more characters."""

    phrases: tuple[Pattern, ...]
    """Each fires on whole words that match it."""


@dataclass(frozen=True)
class Lexicon:
    """All ten lists.

    >>> len(load_lexicon().lists)
    10
    """

    version: str
    """``built-in`` and a hash of the patterns; goes with every result, since another list gives other rates."""

    lists: tuple[WordList, ...]
    """In the order of ``CORRECTIONS``."""


@cache
def load_lexicon() -> Lexicon:
    """Read the lists that the package ships."""
    lists = tuple(_parse(correction, _text(correction)) for correction in CORRECTIONS)
    digest = hashlib.sha256(
        repr([(words.correction, words.stems, words.phrases) for words in lists]).encode()
    ).hexdigest()
    return Lexicon(f"built-in {digest[:12]}", lists)


def _text(correction: Correction) -> str:
    return (files("ircore.games.reconstruction.language") / "stems" / f"{correction}.txt").read_text(encoding="utf-8")


def _parse(correction: Correction, text: str) -> WordList:
    """Read a file: comments, and patterns under headings such as ``[stems: paper]``."""
    sections: dict[tuple[str, Source], list[str]] = {}
    current: list[str] = []
    for line in _lines(text):
        if line.startswith("[") and line.endswith("]") and ": " in line:
            kind, source = line[1:-1].split(": ")
            current = sections.setdefault((kind, "paper" if source == "paper" else "ours"), [])
        else:
            current.append(line)
    return WordList(correction, _patterns(sections, "stems"), _patterns(sections, "phrases"))


def _lines(text: str) -> Iterator[str]:
    stripped = (line.strip() for line in text.splitlines())
    return (line for line in stripped if line and not line.startswith("# "))


def _patterns(sections: dict[tuple[str, Source], list[str]], kind: str) -> tuple[Pattern, ...]:
    sources: tuple[Source, ...] = get_args(Source)
    return tuple(Pattern(text, source) for source in sources for text in sections.get((kind, source), ()))
