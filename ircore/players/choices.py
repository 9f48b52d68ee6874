"""Reading which of the offered choices words are."""

from collections.abc import Sequence
from typing import NamedTuple

MARKS = "\"'`*_.,!()[]“”‘’«» \t\r\n"
"""What may stand around a choice."""


class Choice(NamedTuple):
    """A choice, and how its words were taken if they were not the choice itself."""

    choice: str
    notes: tuple[str, ...] = ()


def read_choice(text: str, choices: Sequence[str]) -> Choice | None:
    """Return the choice that words are; None if they are none, or could be several.

    Words that differ in nothing but letter case and the marks around them are taken, with a note.

    >>> read_choice(" paper", ("rock", "paper"))
    Choice(choice='paper', notes=())
    >>> read_choice("**Paper.**", ("rock", "paper"))
    Choice(choice='paper', notes=("taken for 'paper': '**Paper.**'",))
    >>> read_choice("I choose paper", ("rock", "paper")) is None
    True

    Args:
        text: What was answered.
        choices: What was offered.
    """
    words = text.strip()
    if words in choices:
        return Choice(words)
    alike = [choice for choice in choices if _bare(choice) == _bare(words)]
    if len(alike) != 1 or not _bare(words):
        return None
    return Choice(alike[0], (f"taken for {alike[0]!r}: {words[:100]!r}",))


def _bare(words: str) -> str:
    return words.strip(MARKS).casefold()
