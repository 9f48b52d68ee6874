"""The X-ray of a rendering: the outlines of the target's marks, each in the line of its fate, numbered where faulty."""

from markupsafe import Markup, escape

from ircore.core.fact_records import PLACED_ALIKE, Placement
from ircore.core.records import Box
from leaderboard.components.markup import safe
from leaderboard.model.sentences import Subject
from leaderboard.model.xray import FATES, LINKS, DrawnMark, DrawnScene, Fault, Xray
from leaderboard.words.untrusted_text import inert

_BOX = Box(0, 0, 1, 1)
SAMPLE_SCENE = DrawnScene(1, 1, (DrawnMark("", _BOX, Subject("", (), (), _BOX), ()),), ())
SAMPLE_XRAY = Xray(PLACED_ALIKE, ("moved",), (Fault("moved", 0, "", _BOX, (0.0, 0.0), None, ()),))
"""An X-ray with every part: an outline, a number and an arrow to where the mark was seen."""


def xray_overlay(drawn: DrawnScene, xray: Xray) -> Markup:
    """Return the outlines as an SVG to be laid over the rendering; its words are in ``xray_faults``.

    Args:
        drawn: Marks of the target.
        xray: Their fates in the rendering.
    """
    outlines = [
        _rectangle(mark.box, fate)
        for mark, fate in zip(drawn.marks, xray.fates, strict=True)
        if mark.box and fate == "right"
    ]
    # Faults are drawn after right marks, so that faults lie on top.
    outlines += [
        _rectangle(fault.box, fault.fate) + _arrow(fault) + _number(fault.box, number, drawn.height)
        for number, fault in enumerate(xray.faults, 1)
        if fault.box is not None
    ]
    matrix = " ".join(f"{value:.5g}" for value in matrix_of(xray.transform, drawn.width, drawn.height))
    return safe(
        f'<svg class="xray" viewBox="0 0 {drawn.width} {drawn.height}" preserveAspectRatio="none" aria-hidden="true">'
        f'<g transform="matrix({matrix})">{"".join(outlines)}</g></svg>'
    )


def matrix_of(transform: Placement, width: int, height: int) -> Placement:
    """Return the matrix ``a b c d e f`` of SVG that lays a target of this size over a rendering.

    >>> matrix_of((0.5, 0.0, 0.0, 1.0, 0.1, 0.0), 100, 100)  # half as wide about the middle, 10 pixels to the right
    (0.5, 0.0, 0.0, 1.0, 35.0, 0.0)
    """
    a, b, c, d, x, y = transform
    return a, b, c, d, (x + (1 - a) / 2) * width - c * height / 2, (y + (1 - d) / 2) * height - b * width / 2


def xray_faults(xray: Xray, most: int = 6) -> Markup:
    """Return the faults as a numbered list, each with the sentence that it hangs together with.

    Args:
        xray: Of a rendering.
        most: Faults that are listed; further faults are counted.
    """
    items = "".join(f'<li class="fate-{fault.fate}">{_words(fault)}</li>' for fault in xray.faults[:most])
    left = len(xray.faults) - most
    more = f'<li class="muted">and {left} more</li>' if left > 0 else ""
    return safe(f'<ol class="xray-faults">{items}{more}</ol>' if xray.faults else "")


def _words(fault: Fault) -> str:
    words = f"<strong>{FATES[fault.fate]}</strong> {inert(fault.name)}"
    cited = fault.cited
    if cited is None:
        return f'{words} <span class="muted">no sentence speaks of it</span>'
    return f'{words} <span class="muted">{LINKS[cited.link]}</span> <q><bdi>{inert(cited.text)}</bdi></q>'


def xray_legend() -> Markup:
    """Return the legend of the fates."""
    fates = "".join(
        f'<span class="fate-name fate-{fate}">{words}</span> ' for fate, words in FATES.items() if fate != "unsure"
    )
    return safe(f'<p class="xray-legend"><span class="muted">X-ray:</span> {fates}</p>')


def _rectangle(box: Box, fate: str) -> str:
    width, height = box.right - box.left, box.bottom - box.top
    return f'<rect class="fate-{escape(fate)}" x="{box.left}" y="{box.top}" width="{width}" height="{height}"/>'


def _arrow(fault: Fault) -> str:
    if fault.drawn_at is None or fault.box is None:
        return ""
    middle = (fault.box.left + fault.box.right) / 2, (fault.box.top + fault.box.bottom) / 2
    return f'<path class="fate-moved" d="M{middle[0]:g} {middle[1]:g}L{fault.drawn_at[0]:g} {fault.drawn_at[1]:g}"/>'


def _number(box: Box, number: int, height: int) -> str:
    size = height / 18
    # A number above a box at the upper edge would leave the picture.
    return f'<text x="{box.left}" y="{max(size, box.top - size / 5):g}" font-size="{size:g}">{number}</text>'
