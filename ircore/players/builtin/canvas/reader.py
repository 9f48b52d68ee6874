"""Messages in, canvas out: every message is read anew at every turn, so no state is kept between turns."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ircore.players.builtin.canvas.corrections import correct
from ircore.players.builtin.canvas.descriptions import describe
from ircore.players.builtin.canvas.figures.figure_corrections import change_figure, in_place
from ircore.players.builtin.canvas.figures.figure_reader import read_figure
from ircore.players.builtin.canvas.plots.axes import read_area, read_axis, read_furniture
from ircore.players.builtin.canvas.plots.marks import READERS
from ircore.players.builtin.canvas.plots.wedge_labels import read_wedge_labels
from ircore.players.builtin.canvas.points_by_name import with_points
from ircore.players.builtin.canvas.shapes import Canvas
from ircore.players.builtin.canvas.sheet import MAX_ITEMS, MAX_NOTES, Sheet
from ircore.players.builtin.canvas.text import MAX_MESSAGE, Clause, clauses

_NOTHING = re.compile(
    r"(?:there (?:is|are) |with |it has |contains? )?(?:no|without|nothing)\b(?:(?!\d|#).){0,120}$"
    r"|(?:an? )?(?:simple|flat|minimalist|clean|crisp|textbook style)\b(?:(?!\d|#).){0,80}$"
    r"|(?:shapes|background|elements|objects|layout|details|labels|axes|curves?|points?|notes?|style|colours?|overview"
    r"|composition|(?:top|middle|centre|bottom|left|right) (?:row|column|half|part|side))$"
)
"""Clauses with nothing to draw: absent things, moods of the picture, and headings."""
_ADD = re.compile(r"^(?:(?:now|also|then|please)\s+)?add\s+")


def read(messages: Sequence[str], corrections: bool = True) -> tuple[Canvas, tuple[str, ...]]:
    """Read a dialogue.

    Args:
        messages: The describer's messages, oldest first; text from anyone.
        corrections: Whether a clause may change what is there; otherwise everything is read as a description.

    Returns:
        The canvas after the last message, and a note for each clause of the last message that was not understood,
        at most 20 of at most 200 characters.
    """
    sheet = Sheet(naive=not corrections)
    for message in messages:
        # Notes are about the last message only.
        sheet.notes = []
        if len(message) > MAX_MESSAGE:
            sheet.notes.append(f"only the first {MAX_MESSAGE:,} characters were read")
        # Once the area of a plot is known, its sentences give values and would look like a whole new figure.
        left = None if sheet.area else read_figure(message, sheet)
        for clause in clauses(message if left is None else "\n".join(left)):
            _read_clause(clause, sheet, corrections)
    if len(sheet.items) >= MAX_ITEMS:
        sheet.notes.insert(0, f"only the first {MAX_ITEMS:,} things were taken")
    return sheet.finished(), tuple(sheet.notes[:MAX_NOTES])


def _read_clause(clause: Clause, sheet: Sheet, corrections: bool) -> None:
    if corrections and change_figure(clause.source, sheet):
        return
    clause = with_points(clause, sheet)
    if not clause.words or _read_plot(clause, sheet):
        return
    clause = in_place(clause, sheet) if corrections else clause
    # "; #ff7f0e …" goes on with a list of bars or wedges.
    goes_on = clause.continues and sheet.context and clause.words.startswith("#")
    understood = correct(clause, sheet) if corrections and not goes_on else None
    if understood is None:
        understood = describe(clause, sheet)
    if not understood and not _NOTHING.match(clause.words):
        sheet.note(f'not understood: "{clause.source}"')


def _read_plot(clause: Clause, sheet: Sheet) -> bool:
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
