"""Points that got names: "point A is at (120, 300)"; from then on "from point A to point B" says where."""

import re
from dataclasses import replace

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.geometry import bounded
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

MOST_POINTS = 100
_NAME = r"([a-z]\d?)"
_DEFINED = re.compile(rf"\bpoint {_NAME} (?:is |lies )?at {q.POINT}")
_THROUGH = re.compile(rf"\b(?:around|about|with centre|centred (?:at|on)) point {_NAME} through point {_NAME}(?!\w)")
_NEXT = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+to\s+)(?:points?\s+)?[a-z]\d?(?![\w'])"
_POINTS = re.compile(rf"\bpoints?\s+[a-z]\d?(?![\w'])(?:{_NEXT})*")
_BESIDE = re.compile(
    rf"\b(?:{q.N}px (above|below))?(?: and )?(?:{q.N}px (?:to the )?(left|right))?(?: of)? point {_NAME}(?![\w'])"
)
_REMARK = re.compile(r",?\s*(?:a tangent that|which|and) touch(?:es|ing) the circle at point [a-z]\d?(?!\w)")


def with_points(clause: Clause, sheet: Sheet) -> Clause:
    """Return a clause with pixels in the place of named points; the points that it names are kept.

    A clause that only names points becomes empty.
    """
    words = clause.words
    if "point" not in words:
        return clause
    defined = list(_DEFINED.finditer(words))
    for match in defined:
        if len(sheet.points) < MOST_POINTS:
            x, y = sheet.space.x(match[2], match[3]), sheet.space.y(match[4], match[5])
            sheet.points[match[1]] = (x, y)
    if defined:
        left = re.sub(r"\b(?:and|the|also|add)\b|[,\s]+", " ", _DEFINED.sub(" ", words)).strip()
        return replace(clause, words="" if not left else _DEFINED.sub(" ", words).strip())
    if not sheet.points:
        return clause
    # That a line touches a circle follows from its points; the second point would be a third end of the line.
    words = _REMARK.sub("", words)
    words = _THROUGH.sub(lambda match: _circle(match, sheet), words)
    words = _BESIDE.sub(lambda match: _beside(match, sheet), words)
    return replace(clause, words=_POINTS.sub(lambda match: _listed(match, sheet), words))


def _written(point: Point) -> str:
    return f"({point[0]:.6g},{point[1]:.6g})"


def _circle(match: re.Match[str], sheet: Sheet) -> str:
    centre, rim = sheet.points.get(match[1]), sheet.points.get(match[2])
    if centre is None or rim is None:
        return match[0]
    return f"of radius {exact.dist(centre, rim):.6g}px centred at {_written(centre)}"


def _beside(match: re.Match[str], sheet: Sheet) -> str:
    """Return the place of "19 px above and 3 px left of point A"."""
    point = sheet.points.get(match[5])
    if point is None or not (match[1] or match[3]):
        return match[0]
    down = float(match[1] or 0) * (-1 if match[2] == "above" else 1)
    across = float(match[3] or 0) * (-1 if match[4] == "left" else 1)
    return f"at {_written((bounded(point[0] + across), bounded(point[1] + down)))}"


def _listed(match: re.Match[str], sheet: Sheet) -> str:
    """Return "points a, b and c" with pixels; unchanged if any name is unknown."""
    names = re.findall(rf"(?<![\w']){_NAME}(?![\w'])", re.sub(r"\b(?:points?|and|to)\b", " ", match[0]))
    if not names or any(name not in sheet.points for name in names):
        return match[0]
    words = re.sub(r"\bpoints?\s+", "", match[0])
    return re.sub(rf"(?<![\w']){_NAME}(?![\w'])", lambda name: _written(sheet.points[name[1]]), words)
