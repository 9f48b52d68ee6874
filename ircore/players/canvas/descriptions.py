"""Sentences that say what there is."""

import re

from ircore.players.canvas.backgrounds import read_background
from ircore.players.canvas.charts import read_chart_part
from ircore.players.canvas.mentions import read_things
from ircore.players.canvas.sheet import Sheet
from ircore.players.canvas.text import Clause
from ircore.players.canvas.written import read_texts


def describe(clause: Clause, sheet: Sheet) -> bool:
    """Add what a clause describes; return whether anything was understood."""
    if read_background(clause.words, sheet):
        return True
    if read_chart_part(clause, sheet):
        return True
    if re.search(r'"\d+"', clause.words) and read_texts(clause, sheet):
        return True
    return read_things(clause, sheet)
