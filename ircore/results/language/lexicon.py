"""The words by which a correction is told: ten lists, shipped as text files, versioned by their hash."""

import hashlib
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

Choice = Literal["built-in", "paper"]
"""Patterns that count: all, or those alone that the paper's Table 5 prints."""

BUILT_IN: Choice = "built-in"


@dataclass(frozen=True)
class Pattern:
    """A line of a list.

    Attributes:
        text: A stem in lower case, or a regular expression in which a space stands for white space.
        source: Origin of the pattern.
    """

    text: str
    source: Source


@dataclass(frozen=True)
class WordList:
    """The patterns of a category.

    >>> [words.correction for words in load_lexicon().lists][:2]
    ['position', 'size']

    Attributes:
        correction: The category.
        stems: Each fires on a word that begins with it and has at most six more characters.
        phrases: Each fires on whole words that match it.
    """

    correction: Correction
    stems: tuple[Pattern, ...]
    phrases: tuple[Pattern, ...]


@dataclass(frozen=True)
class Lexicon:
    """All ten lists.

    >>> len(load_lexicon().lists)
    10

    Attributes:
        version: The choice of patterns and their hash; goes with every result, since another list gives other rates.
        lists: In the order of ``CORRECTIONS``.
    """

    version: str
    lists: tuple[WordList, ...]


@cache
def load_lexicon(choice: Choice = BUILT_IN) -> Lexicon:
    """Read the lists that the package ships.

    Args:
        choice: All patterns, or those of the paper's Table 5 alone: its stems and its phrases.

    >>> [words.stems[-1].text for words in load_lexicon("paper").lists][:2]
    ['parallel', 'downscal']
    """
    lists = tuple(
        _read(correction, get_args(Source) if choice == BUILT_IN else ("paper",)) for correction in CORRECTIONS
    )
    # The parsed patterns are hashed and not the files, so that comments in the lists change no version.
    digest = hashlib.sha256(
        repr([(words.correction, words.stems, words.phrases) for words in lists]).encode()
    ).hexdigest()
    return Lexicon(f"{choice} {digest[:12]}", lists)


def _read(correction: Correction, sources: tuple[Source, ...]) -> WordList:
    """Read a file: comments, and patterns under headings such as ``[stems: paper]``, those of some sources."""
    text = (files(__package__) / "stems" / f"{correction}.txt").read_text(encoding="utf-8")
    sections: dict[tuple[str, Source], list[str]] = {}
    current: list[str] = []
    for line in map(str.strip, text.splitlines()):
        # A colour such as #ff0000 is a pattern, so a comment is marked by the blank behind its #.
        if not line or line.startswith("# "):
            continue
        if line.startswith("[") and line.endswith("]") and ": " in line:
            kind, source = line[1:-1].split(": ")
            current = sections.setdefault((kind, "paper" if source == "paper" else "ours"), [])
        else:
            current.append(line)
    stems, phrases = (
        tuple(Pattern(text, source) for source in sources for text in sections.get((kind, source), ()))
        for kind in ("stems", "phrases")
    )
    return WordList(correction, stems, phrases)
