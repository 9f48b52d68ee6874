"""Messages in, canvas out: every message is read anew at every turn, so no state is kept between turns.

Points may get names: "point A is at (120, 300)"; from then on "from point A to point B" says where.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.corrections import correct
from ircore.players.builtin.canvas.descriptions import describe
from ircore.players.builtin.canvas.figures.figure_reader import change_figure, read_figure, replace_names_by_places
from ircore.players.builtin.canvas.plots import READERS, read_area, read_axis, read_furniture, read_wedge_labels
from ircore.players.builtin.canvas.shapes import Canvas, clamp
from ircore.players.builtin.canvas.sheet import MAX_ITEMS, MAX_NOTES, CanvasSheet
from ircore.players.builtin.canvas.text import MAX_MESSAGE, Clause, split_clauses

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
_NOTHING = re.compile(
    r"(?:there (?:is|are) |with |it has |contains? )?(?:no|without|nothing)\b(?:(?!\d|#).){0,120}$"
    r"|(?:an? )?(?:simple|flat|minimalist|clean|crisp|textbook style)\b(?:(?!\d|#).){0,80}$"
    r"|(?:shapes|background|elements|objects|layout|details|labels|axes|curves?|points?|notes?|style|colours?|overview"
    r"|composition|(?:top|middle|centre|bottom|left|right) (?:row|column|half|part|side))$"
)
"""Clauses with nothing to draw: absent things, moods of the picture, and headings."""
_ADD = re.compile(r"^(?:(?:now|also|then|please)\s+)?add\s+")


def replace_named_points(clause: Clause, sheet: CanvasSheet) -> Clause:
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
    words = _THROUGH.sub(lambda match: _format_circle(match, sheet), words)
    words = _BESIDE.sub(lambda match: _format_place_beside(match, sheet), words)
    return replace(clause, words=_POINTS.sub(lambda match: _format_listed_points(match, sheet), words))


def _format_point(point: Point) -> str:
    return f"({point[0]:.6g},{point[1]:.6g})"


def _format_circle(match: re.Match[str], sheet: CanvasSheet) -> str:
    centre, rim = sheet.points.get(match[1]), sheet.points.get(match[2])
    if centre is None or rim is None:
        return match[0]
    return f"of radius {exact.dist(centre, rim):.6g}px centred at {_format_point(centre)}"


def _format_place_beside(match: re.Match[str], sheet: CanvasSheet) -> str:
    """Return the place of "19 px above and 3 px left of point A"."""
    point = sheet.points.get(match[5])
    if point is None or not (match[1] or match[3]):
        return match[0]
    down = float(match[1] or 0) * (-1 if match[2] == "above" else 1)
    across = float(match[3] or 0) * (-1 if match[4] == "left" else 1)
    return f"at {_format_point((clamp(point[0] + across), clamp(point[1] + down)))}"


def _format_listed_points(match: re.Match[str], sheet: CanvasSheet) -> str:
    """Return "points a, b and c" with pixels; unchanged if any name is unknown."""
    names = re.findall(rf"(?<![\w']){_NAME}(?![\w'])", re.sub(r"\b(?:points?|and|to)\b", " ", match[0]))
    if not names or any(name not in sheet.points for name in names):
        return match[0]
    words = re.sub(r"\bpoints?\s+", "", match[0])
    return re.sub(rf"(?<![\w']){_NAME}(?![\w'])", lambda name: _format_point(sheet.points[name[1]]), words)


def read(messages: Sequence[str], corrections: bool = True) -> tuple[Canvas, tuple[str, ...]]:
    """Read a dialogue.

    Args:
        messages: The describer's messages, oldest first; text from anyone.
        corrections: Whether a clause may change what is there; otherwise everything is read as a description.

    Returns:
        The canvas after the last message, and a note for each clause of the last message that was not understood,
        at most 20 of at most 200 characters.
    """
    sheet = CanvasSheet(naive=not corrections)
    for message in messages:
        # Notes are about the last message only.
        sheet.notes = []
        if len(message) > MAX_MESSAGE:
            sheet.notes.append(f"only the first {MAX_MESSAGE:,} characters were read")
        # Once the area of a plot is known, its sentences give values and would look like a whole new figure.
        left = None if sheet.area else read_figure(message, sheet)
        for clause in split_clauses(message if left is None else "\n".join(left)):
            _read_clause(clause, sheet, corrections)
    if len(sheet.items) >= MAX_ITEMS:
        sheet.notes.insert(0, f"only the first {MAX_ITEMS:,} things were taken")
    return sheet.finish(), tuple(sheet.notes[:MAX_NOTES])


def _read_clause(clause: Clause, sheet: CanvasSheet, corrections: bool) -> None:
    if corrections and change_figure(clause.source, sheet):
        return
    clause = replace_named_points(clause, sheet)
    if not clause.words or _read_plot(clause, sheet):
        return
    clause = replace_names_by_places(clause, sheet) if corrections else clause
    # "; #ff7f0e …" goes on with a list of bars or wedges.
    goes_on = clause.continues and sheet.context and clause.words.startswith("#")
    understood = correct(clause, sheet) if corrections and not goes_on else None
    if understood is None:
        understood = describe(clause, sheet)
    if not understood and not _NOTHING.match(clause.words):
        sheet.note(f'not understood: "{clause.source}"')


def _read_plot(clause: Clause, sheet: CanvasSheet) -> bool:
    """Draw a clause about a plot in its own units; return whether the clause was about that.

    Only after a sentence has told the area of the plot: "the plot spans 60 to 460 px across and 20 to 420 px down".
    """
    if read_area(clause, sheet) or read_wedge_labels(clause, sheet):
        return True
    area = sheet.area
    if area is None:
        return False
    # In a later turn the same sentences are said as additions.
    addition = replace(clause, words=_ADD.sub("", clause.words))
    return (
        read_furniture(addition.words, area, sheet)
        or any(read(addition, area, sheet) for read in READERS)
        or (
            addition.words.startswith(("the x axis", "the y axis", "x axis", "y axis"))
            and read_axis(addition, area, sheet)
        )
    )
