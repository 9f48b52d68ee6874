"""Strangers' words on pages: messages cut into segments by the corrections that they make, as pages tint them.

Messages and manifests are data, never markup: a stranger's text becomes HTML that does nothing.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import NamedTuple

from markupsafe import Markup, escape

from ircore.core.untrusted_text import make_visible
from ircore.results.language.corrections import CORRECTIONS, Correction, find_corrections

LONGEST = 4000
"""Characters of a message that a page shows; nobody reads more under a picture, and pages stay bounded."""

CORRECTION_WORDS: Mapping[Correction, str] = {
    "position": "position",
    "size": "size",
    "colour": "colour",
    "add_remove": "add or remove",
    "shape": "shape",
    "label": "label",
    "style": "style",
    "comparison": "comparison",
    "numeric": "number",
    "acknowledgement": "acknowledgement",
}
"""Names of the correction categories on pages, in the order of the legend."""

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
        message: As the describer wrote it; of a very long one only the first ``LONGEST`` characters are shown.
        turn: Its turn, 1-based. On turn 1 there is nothing yet to correct, so nothing is marked.
    """
    shown = message[:LONGEST]
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


def render_untrusted(text: str) -> Markup:
    """Return a stranger's text as HTML that does nothing: escaped, hidden characters shown, direction isolated.

    Line breaks become character references, so that the text never adds a line to the page's source.
    """
    return Markup(f'<bdi dir="auto">{escape_untrusted(text)}</bdi>')  # noqa: S704 - inert escapes


def escape_untrusted(text: str) -> Markup:
    """Return a piece of a stranger's text as HTML that does nothing, for use within a ``bdi`` that holds all pieces."""
    safe = str(escape(make_visible(text))).replace("\n", "&#10;").replace("\t", "&#9;")
    return Markup(safe)  # noqa: S704 - escaped one line above
