"""Parts of an episode: pictures, messages with the words that correct marked, X-rays of renderings, facts of turns.

An X-ray shows the outlines of the target's marks, each in the line of its fate, numbered where faulty. The gallery's
scripts get it as data: a target's marks once in its page, fates and faults with every turn. The facts of a turn are how
many hold, and on demand the facts that became right, broke, or are wrong at the end.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from markupsafe import Markup

from ircore.core.plain_words import format_count
from ircore.core.records import Box
from ircore.core.score_records import PLACED_ALIKE, Placement
from ircore.core.untrusted_text import make_visible
from ircore.results.corrections import Correction
from leaderboard.components.markup import macro
from leaderboard.model.messages import MarkedMessage, Segment
from leaderboard.model.sentences import MarkSubject
from leaderboard.model.xray import FATES, LETTER, Cited, DrawnMark, DrawnScene, MarkFault, TurnFacts, Xray
from leaderboard.storage.output_folder import dump_compact
from leaderboard.storage.pictures import Shown
from leaderboard.words import CORRECTION_WORDS, escape_untrusted, open_words

_CLASSES: Mapping[Correction, str] = {name: f"fix fix-{name}" for name in CORRECTION_WORDS}

_BOX = Box(0, 0, 1, 1)
SAMPLE_SCENE = DrawnScene(1, 1, (DrawnMark("", _BOX, MarkSubject("", (), (), _BOX), ()),), ())
SAMPLE_XRAY = Xray(PLACED_ALIKE, ("moved",), (MarkFault("moved", 0, "", _BOX, (0.0, 0.0), None, ()),))
"""An X-ray with every part: an outline, a number and an arrow to where the mark was seen."""

MOST = 40
"""Faults of a rendering that the data hold."""

OPEN = "Facts that could not be told: the score if all of them are wrong, and if all are right"
"""What an interval of a score says."""


def picture(shown: Shown, alt: str, root: str, kind: str = "", eager: bool = False) -> Markup:
    """Return a picture.

    Args:
        shown: Its files.
        alt: Its content, in words.
        root: Relative address of the site's root.
        kind: Its class.
        eager: Whether it is fetched at once, rather than when it comes into view.
    """
    # A picture on another server has an absolute address, which must not get the site's root.
    large = shown.large if "://" in shown.large else root + shown.large
    return macro("picture")(kind, root + shown.small, large, shown.width, shown.height, eager, alt)


def render_comparable(picture: Markup, key: str, place: int, score: float | None, xray: Xray | None = None) -> Markup:
    """Return a rendering that ``gallery.js`` lays another picture over.

    Args:
        picture: The rendering, as ``picture`` returns it.
        key: Key of the run that drew it.
        place: Its place among the renderings of its episode, 1-based.
        score: Value, 0–10, that a replay draws over the steps; None without.
        xray: The fates of the target's marks in it; None where they are not known.
    """
    marks = "" if xray is None else dump_xray(xray)
    return macro("comparable")(key, place, "" if score is None else f"{score:.3f}", picture, marks)


def render_withheld(alt: str) -> Markup:
    """Return a place holder for a picture that must not be published.

    Args:
        alt: Content of the picture, in words.
    """
    return macro("withheld")(alt)


def message(marked: MarkedMessage) -> Markup:
    """Return a describer's message with the words that correct marked."""
    left_out = format_count(marked.left_out, "more character") if marked.left_out else ""
    return macro("message")(map(_render_segment, marked.segments), left_out)


@cache  # the legend of every target's page has all
def correction(name: Correction) -> Markup:
    """Return the name of a category of corrections on its tint."""
    return macro("correction")(_CLASSES[name], CORRECTION_WORDS[name])


def xray_overlay(drawn: DrawnScene, xray: Xray) -> Markup:
    """Return the outlines as an SVG to be laid over the rendering.

    Args:
        drawn: Marks of the target.
        xray: Their fates in the rendering.
    """
    right = [mark.box for mark, fate in zip(drawn.marks, xray.fates, strict=True) if mark.box and fate == "right"]
    size = drawn.height / 18
    # A number above a box at the upper edge would leave the picture.
    faults = [
        (fault, number, _draw_arrow(fault), f"{max(size, fault.box.top - size / 5):g}")
        for number, fault in enumerate(xray.faults, 1)
        if fault.box is not None
    ]
    matrix = " ".join(f"{value:.5g}" for value in compute_placement(xray.transform, drawn.width, drawn.height))
    return macro("xray_overlay")(drawn, matrix, right, faults, f"{size:g}")


def compute_placement(transform: Placement, width: int, height: int) -> Placement:
    """Return the matrix ``a b c d e f`` of SVG that lays a target of this size over a rendering.

    >>> compute_placement((0.5, 0.0, 0.0, 1.0, 0.1, 0.0), 100, 100)
    (0.5, 0.0, 0.0, 1.0, 35.0, 0.0)
    """
    a, b, c, d, x, y = transform
    return a, b, c, d, (x + (1 - a) / 2) * width - c * height / 2, (y + (1 - d) / 2) * height - b * width / 2


def xray_legend() -> Markup:
    """Return the legend of the fates."""
    return macro("xray_legend")([(fate, words) for fate, words in FATES.items() if fate != "unsure"])


def dump_marks(drawn: DrawnScene | None) -> str | None:
    """Return a target's size and marks as JSON: names, and edges of boxes or null; None without a scene."""
    if drawn is None:
        return None
    marks = [[make_visible(mark.name), mark.box] for mark in drawn.marks]
    return dump_compact({"width": drawn.width, "height": drawn.height, "marks": marks})


def build_xray_data(xray: Xray) -> dict[str, Any]:
    """Return a turn's X-ray: transform, a letter for each mark's fate, and the faults.

    A fault is ``[mark, box, seen, cited]``: the mark's place or null for something extra, which alone has a box here;
    the point where it was seen instead, or null; and turn, start and length of a sentence in UTF-16 units with its
    link, or null.
    """
    return {
        "transform": list(xray.transform),
        "fates": "".join(LETTER[fate] for fate in xray.fates),
        "faults": [_list_fault_fields(fault) for fault in xray.faults[:MOST]],
    }


def dump_xray(xray: Xray) -> str:
    """Return a turn's X-ray as JSON, for an attribute of the turn."""
    return dump_compact(build_xray_data(xray))


def turn_facts(facts: TurnFacts | None) -> Markup:
    """Return the facts of a turn as HTML; empty if no facts are known.

    >>> turn_facts(TurnFacts(9, 12, 3, 1)).striptags()
    '9 of 12 facts right +3 −1'
    """
    if facts is None:
        return Markup()
    open_ends = "" if facts.doubt is None else open_words(facts.doubt)
    return macro("turn_facts")(facts, format_count(facts.decided, "fact"), open_ends, OPEN)


def _render_segment(segment: Segment) -> tuple[str, str, Markup]:
    """Return the class and the names of the corrections that a piece was marked with, empty without, and its text."""
    colour = _CLASSES[segment.corrections[0]] if segment.corrections else ""
    return colour, ", ".join(CORRECTION_WORDS[name] for name in segment.corrections), escape_untrusted(segment.text)


def _draw_arrow(fault: MarkFault) -> str:
    if fault.drawn_at is None or fault.box is None:
        return ""
    middle = (fault.box.left + fault.box.right) / 2, (fault.box.top + fault.box.bottom) / 2
    return f"M{middle[0]:g} {middle[1]:g}L{fault.drawn_at[0]:g} {fault.drawn_at[1]:g}"


def _list_fault_fields(fault: MarkFault) -> list[Any]:
    # The box of a mark is in the page already; only something extra has to bring a box.
    box = list(fault.box) if fault.mark is None and fault.box else None
    return [fault.mark, box, fault.drawn_at, _list_citation_fields(fault.cited) if fault.cited else None]


def _list_citation_fields(cited: Cited) -> list[Any]:
    # JavaScript counts strings in UTF-16 units, where a character beyond the first plane has two.
    return [cited.turn, cited.start, len(cited.text.encode("utf-16-le")) // 2, cited.link]
