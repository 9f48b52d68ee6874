"""The X-ray of a rendering: the outlines of the target's marks, each in the line of its fate, numbered where faulty."""

from markupsafe import Markup

from ircore.core.records import Box
from ircore.core.score_records import PLACED_ALIKE, Placement
from leaderboard.components.markup import macro
from leaderboard.model.sentences import Subject
from leaderboard.model.xray import FATES, LINKS, DrawnMark, DrawnScene, Fault, Xray
from leaderboard.words.untrusted_text import escape_untrusted

_BOX = Box(0, 0, 1, 1)
SAMPLE_SCENE = DrawnScene(1, 1, (DrawnMark("", _BOX, Subject("", (), (), _BOX), ()),), ())
SAMPLE_XRAY = Xray(PLACED_ALIKE, ("moved",), (Fault("moved", 0, "", _BOX, (0.0, 0.0), None, ()),))
"""An X-ray with every part: an outline, a number and an arrow to where the mark was seen."""


def xray_overlay(drawn: DrawnScene, xray: Xray) -> Markup:
    """Return the outlines as an SVG to be laid over the rendering; its words are in ``render_faults``.

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


def render_faults(xray: Xray, most: int = 6) -> Markup:
    """Return the faults as a numbered list, each with the sentence that it hangs together with.

    Args:
        xray: Of a rendering.
        most: Faults that are listed; further faults are counted.
    """
    if not xray.faults:
        return Markup()
    return macro("xray_faults")(map(_describe_fault, xray.faults[:most]), len(xray.faults) - most)


def _describe_fault(fault: Fault) -> tuple[str, str, Markup, str, Markup | None]:
    """Return a fault's fate, the fate in words, the mark, and the sentence with its link."""
    cited = fault.cited
    link, sentence = (
        ("no sentence speaks of it", None) if cited is None else (LINKS[cited.link], escape_untrusted(cited.text))
    )
    return fault.fate, FATES[fault.fate], escape_untrusted(fault.name), link, sentence


def xray_legend() -> Markup:
    """Return the legend of the fates."""
    return macro("xray_legend")([(fate, words) for fate, words in FATES.items() if fate != "unsure"])


def _draw_arrow(fault: Fault) -> str:
    if fault.drawn_at is None or fault.box is None:
        return ""
    middle = (fault.box.left + fault.box.right) / 2, (fault.box.top + fault.box.bottom) / 2
    return f"M{middle[0]:g} {middle[1]:g}L{fault.drawn_at[0]:g} {fault.drawn_at[1]:g}"
