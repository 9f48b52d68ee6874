"""Facts of a turn: how many hold, and on demand the facts that became right, broke, or are wrong at the end."""

from markupsafe import Markup, escape

from ircore.core.counted import counted
from leaderboard.components.markup import safe
from leaderboard.model.turn_facts import FactGroup, TurnFacts
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
    words = f'<span class="facts-held">{facts.held} of {counted(facts.decided, "fact")} right</span>'
    if facts.gained:
        words += f' <span class="facts-gained" title="became right">+{facts.gained}</span>'
    if facts.lost:
        words += f' <span class="facts-lost" title="broke">−{facts.lost}</span>'
    if facts.doubt is not None:
        words += f' <span class="facts-open half" title="{OPEN}">{escape(open_words(facts.doubt))}</span>'
    groups = "".join(map(_group, facts.groups))
    return safe(f'<details class="turn-facts"><summary>{words}</summary>{groups}</details>')


def _group(group: FactGroup) -> str:
    parts = "".join(
        f'<li><span class="fact-part">{part}</span> <span class="fact-words">{escape(sentences)}</span></li>'
        for part, sentences in group.parts
    )
    return f'<div class="fact-group"><p>{escape(group.heading)}</p><ul>{parts}</ul></div>'
