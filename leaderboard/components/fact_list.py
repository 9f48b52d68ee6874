"""Facts of a turn: how many hold, and on demand the facts that became right, broke, or are wrong at the end."""

from markupsafe import Markup

from ircore.core.plain_words import format_count
from leaderboard.components.markup import macro
from leaderboard.model.turn_facts import TurnFacts
from leaderboard.words.labels import open_words

OPEN = "Facts that could not be told: the score if all of them are wrong, and if all are right"
"""What an interval of a score says."""


def turn_facts(facts: TurnFacts | None) -> Markup:
    """Return the facts of a turn as HTML; empty if no facts are known.

    >>> turn_facts(TurnFacts(9, 12, 3, 1)).striptags()
    '9 of 12 facts right +3 −1'
    """
    if facts is None:
        return Markup()
    open_ends = "" if facts.doubt is None else open_words(facts.doubt)
    return macro("turn_facts")(facts, format_count(facts.decided, "fact"), open_ends, OPEN)
