"""X-rays as data for the gallery's scripts: a target's marks once in its page, fates and faults with every turn."""

import json
from typing import Any

from ircore.core.untrusted_text import make_visible
from leaderboard.model.xray import LETTER, Cited, DrawnScene, Fault, Xray

MOST = 40
"""Faults of a rendering that the data hold."""


def dump_marks(drawn: DrawnScene | None) -> str | None:
    """Return a target's size and marks as JSON: names, and edges of boxes or null; None without a scene."""
    if drawn is None:
        return None
    marks = [[make_visible(mark.name), mark.box] for mark in drawn.marks]
    return _dump_json({"width": drawn.width, "height": drawn.height, "marks": marks})


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
    return _dump_json(build_xray_data(xray))


def _list_fault_fields(fault: Fault) -> list[Any]:
    # The box of a mark is in the page already; only something extra has to bring a box.
    box = list(fault.box) if fault.mark is None and fault.box else None
    return [fault.mark, box, fault.drawn_at, _list_citation_fields(fault.cited) if fault.cited else None]


def _list_citation_fields(cited: Cited) -> list[Any]:
    # JavaScript counts strings in UTF-16 units, where a character beyond the first plane has two.
    return [cited.turn, cited.start, len(cited.text.encode("utf-16-le")) // 2, cited.link]


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
