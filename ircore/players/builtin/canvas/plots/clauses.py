"""Finds out which sentence about a plot a clause is."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas.plots.axes import read_area, read_axis, read_furniture
from ircore.players.builtin.canvas.plots.marks import READERS
from ircore.players.builtin.canvas.plots.wedge_labels import read_wedge_labels
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

_ADD = re.compile(r"^(?:(?:now|also|then|please)\s+)?add\s+")


def read_plot(clause: Clause, sheet: Sheet) -> bool:
    """Draw what a clause says of a plot in its own units; return whether the clause was about that.

    Only after a sentence has told the area of the plot: "the plot spans 60 to 460 px across and 20 to 420 px down".
    """
    if read_area(clause, sheet) or read_wedge_labels(clause, sheet):
        return True
    area = sheet.area
    if area is None:
        return False
    addition = replace(clause, words=_ADD.sub("", clause.words))
    return (
        read_furniture(addition.words, area, sheet)
        or any(read(addition, area, sheet) for read in READERS)
        or (
            addition.words.startswith(("the x axis", "the y axis", "x axis", "y axis"))
            and read_axis(addition, area, sheet)
        )
    )
