"""Sentences about the labels of a pie: "beside the wedges in black, letters of 14 px: "Coal", "Gas", none"."""

import math
import re

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.figures.wedges import anchor_of
from ircore.players.builtin.canvas.geometry import towards
from ircore.players.builtin.canvas.shapes import Item, Label, Pie, Stroke
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

OUT, LED_OUT = 10.0, 26.0
"""Pixels between the rim and a label, without and with a short line that leads to it."""
INSIDE = 0.68
"""Share of the radius at which a label inside a wedge stands, in a pie without a hole."""
_ABOUT = re.compile(r"^(beside|inside) the (?:wedges|slices)\b([^:]*):(.*)$")
_EACH = re.compile(r'"(\d{1,4})"|\bnone\b')
_LETTERS = re.compile(rf"\bletters of {q.N}px\b")


def read_wedge_labels(clause: Clause, sheet: Sheet) -> bool:
    """Write a label beside or inside each wedge of the pie that was drawn last; return whether the clause asks so."""
    match = _ABOUT.match(re.sub(r"^add\s+", "", clause.words))
    pie = next((item for item in reversed(sheet.items) if isinstance(item, Pie)), None)
    if match is None or pie is None:
        return False
    numbers = [int(each[1]) if each[1] else None for each in _EACH.finditer(match[3])]
    texts = [clause.strings[key] if key is not None and key < len(clause.strings) else "" for key in numbers]
    letters = _LETTERS.search(match[2])
    size = min(60.0, max(5.0, float(letters[1]))) if letters else 14.0
    ink, is_led = q.first_colour(match[2]) or "#222222", "short lines" in match[2]
    items = list[Item]()
    for index, text in enumerate(texts[: len(pie.slices)]):
        if text:
            items += _label(pie, index, text, size, ink, match[1] == "inside", is_led)
    return sheet.add(items)


def _label(pie: Pie, index: int, text: str, size: float, ink: str, is_inside: bool, is_led: bool) -> list[Item]:
    start, end = pie.angles()[index]
    middle = math.radians((start + end) / 2)
    centre = towards(pie.centre, middle, pie.slices[index].pulled)
    if is_inside:
        far = (pie.hole + pie.radius) / 2 if pie.hole else INSIDE * pie.radius
        return [Label(text, towards(centre, middle, far), size, ink)]
    reach = pie.radius + (LED_OUT if is_led else OUT)
    label = Label(text, towards(centre, middle, reach), size, ink, anchor_of(middle))
    if not is_led:
        return [label]
    ends = towards(centre, middle, pie.radius + 3), towards(centre, middle, reach - 5)
    return [Stroke("line", ends, ink, 1.0), label]
