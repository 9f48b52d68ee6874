"""Messages as pages tint them: cut into segments by the corrections that their words make."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import NamedTuple

from ircore.results.corrections import CORRECTIONS, Correction, find_corrections

LONGEST_MESSAGE = 4000
"""Characters of a message that a page shows; nobody reads more under a picture, and pages stay bounded."""

_BITS: Mapping[Correction, int] = {correction: 1 << place for place, correction in enumerate(CORRECTIONS)}


class Segment(NamedTuple):
    """A piece of a message."""

    text: str
    """Text of the segment, as the describer wrote it."""

    corrections: tuple[Correction, ...]
    """The categories whose words cover it, in their order; none for other words."""


class MarkedMessage(NamedTuple):
    """A message cut into the segments that pages show.

    >>> marked = mark_message("Move it to the left.", turn=2)
    >>> "".join(segment.text for segment in marked.segments), marked.left_out
    ('Move it to the left.', 0)
    >>> mark_message("A red circle at the left.", turn=1).corrections
    ()
    """

    segments: tuple[Segment, ...]
    """Segments that together give the message, or its beginning."""

    left_out: int
    """Characters at the end that are not shown."""

    corrections: tuple[Correction, ...]
    """Every category that fires in what is shown, in their order."""


def mark_message(message: str, turn: int) -> MarkedMessage:
    """Cut a message where a word of correction begins or ends (``find_corrections``).

    Args:
        message: As the describer wrote it; of a very long one only the first ``LONGEST_MESSAGE`` characters are shown.
        turn: Its turn, 1-based. On turn 1 there is nothing yet to correct, so nothing is marked.
    """
    shown = message[:LONGEST_MESSAGE]
    # Cut before the search, so that no mark reaches beyond what is shown.
    marks = find_corrections(shown) if turn > 1 else ()
    # Marks of one category never overlap: each place where one begins or ends turns the category's bit over.
    turned: dict[int, int] = defaultdict(int)
    for mark in marks:
        for place in (mark.start, mark.end):
            turned[place] ^= _BITS[mark.correction]
    segments, begun, active = [], 0, 0
    for place in sorted(turned):
        # A mark may begin the message, with no text before it.
        if place > begun:
            segments.append(Segment(shown[begun:place], _list_categories(active)))
            begun = place
        active ^= turned[place]
    if begun < len(shown):
        segments.append(Segment(shown[begun:], ()))
    every = reduce(or_, (_BITS[mark.correction] for mark in marks), 0)
    return MarkedMessage(tuple(segments), len(message) - len(shown), _list_categories(every))


@cache
def _list_categories(bits: int) -> tuple[Correction, ...]:
    """Return the categories of a set of bits, in their order."""
    return tuple(correction for correction, bit in _BITS.items() if bits & bit)
