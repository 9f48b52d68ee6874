"""Reading which of the offered choices words are."""

from collections.abc import Sequence
from typing import NamedTuple

from ircore.players.base import Question

LONGEST_NOTE = 500
"""Characters of an invalid answer that are recorded."""

MARKS = "\"'`*_.,!()[]“”‘’«» \t\r\n"
"""Characters that may stand around a choice."""


class Choice(NamedTuple):
    """A choice, with a note on the words if they differ from the choice."""

    choice: str
    notes: tuple[str, ...] = ()


def choice_of(text: str, question: Question) -> Choice | None:
    """Return the choice that an answer names; ``question.unclear`` with a note if the answer names no choice.

    >>> question = Question(1, "Which one?", choices=("A", "B"), unclear="invalid", exact=True)
    >>> choice_of(" b ", question).choice, choice_of("Image B", question)
    ('B', Choice(choice='invalid', notes=('Image B',)))

    Args:
        text: The answer.
        question: The question with its choices.

    Returns:
        The choice; None if the words name none and the question has no choice for unclear answers.
    """
    choice = read_choice(text, question.choices, question.exact)
    if choice is None and question.unclear is not None:
        return Choice(question.unclear, (text.strip()[:LONGEST_NOTE],))
    return choice


def read_choice(text: str, choices: Sequence[str], exact: bool = False) -> Choice | None:
    """Return the choice that the words name; None if the words name no choice, or could name several.

    Words that differ in nothing but letter case and the marks around them are taken, with a note.

    >>> read_choice(" paper", ("rock", "paper"))
    Choice(choice='paper', notes=())
    >>> read_choice("**Paper.**", ("rock", "paper"))
    Choice(choice='paper', notes=("taken for 'paper': '**Paper.**'",))
    >>> read_choice("I choose paper", ("rock", "paper")) is None
    True

    Args:
        text: The answer.
        choices: The choices offered.
        exact: Whether marks around a choice are refused; letter case then counts for nothing and needs no note.
    """
    words = text.strip()
    if words in choices:
        return Choice(words)
    if exact:
        return next((Choice(choice) for choice in choices if choice.casefold() == words.casefold()), None)
    alike = [choice for choice in choices if _bare(choice) == _bare(words)]
    if len(alike) != 1 or not _bare(words):
        return None
    return Choice(alike[0], (f"taken for {alike[0]!r}: {words[:100]!r}",))


def _bare(words: str) -> str:
    return words.strip(MARKS).casefold()
