"""The labels of a pie in plain words: by their wedges."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.exact import dist
from ircore.players.builtin.canvas.figures.wedges import anchor_of
from ircore.players.builtin.canvas.geometry import towards
from ircore.players.builtin.canvas.plots.wedge_labels import INSIDE, LED_OUT, OUT
from ircore.players.builtin.classical.plain.colour_words import ColourWords
from ircore.players.builtin.classical.statements import Statement, in_quotes, number
from ircore.seeing.percepts import Pie, Point, Text

OFF = 3.5
"""Pixels that a label may stand off its usual place."""


@dataclass(frozen=True)
class _Place:
    """Where labels stand: inside the wedges, or so many pixels beyond the rim."""

    words: str
    beyond: float | None


_PLACES = (
    _Place("Beside the wedges", OUT),
    _Place("Beside the wedges on short lines", LED_OUT),
    _Place("Inside the wedges", None),
)


def wedge_statements(pie: Pie, texts: Sequence[Text], colours: ColourWords) -> tuple[list[Statement], list[Text]]:
    """Return sentences that give each wedge its label, and the texts that they tell."""
    statements, label_texts = list[Statement](), list[Text]()
    for place in _PLACES:
        labels = [_label_of(pie, index, texts, place) for index in range(len(pie.wedges))]
        for colour, size in dict.fromkeys((label.colour, label.size) for label in labels if label is not None):
            own = [
                label if label is not None and (label.colour, label.size) == (colour, size) else None
                for label in labels
            ]
            listed = ", ".join(in_quotes(label.text) if label else "none" for label in own)
            words = f"{place.words} in {colours(colour)}, letters of {number(size)} px: {listed}"
            statements.append(Statement("", (words,)))
            label_texts += [label for label in own if label is not None]
    return statements, label_texts


def _label_of(pie: Pie, index: int, texts: Sequence[Text], place: _Place) -> Text | None:
    """Return the text that stands where a label of a wedge would stand."""
    share_before = math.fsum(share for _, share in pie.wedges[:index])
    # Pies count degrees from 12 o'clock, angles from 3 o'clock.
    middle = math.radians(pie.start - 90 + 360 * (share_before + pie.wedges[index][1] / 2))
    pulled = pie.pulled[index] if pie.pulled else 0.0
    centre = towards(pie.centre, middle, pulled)
    level = (text for text in texts if text.rotation == 0)
    return next((t for t in level if dist(t.centre, _centre(pie, centre, middle, t, place)) <= OFF), None)


def _centre(pie: Pie, centre: Point, middle: float, text: Text, place: _Place) -> Point:
    """Return where the middle of a text lies if the text is a label of the wedge in that direction."""
    if place.beyond is None:
        return towards(centre, middle, (pie.hole + pie.radius) / 2 if pie.hole else INSIDE * pie.radius)
    x, y = towards(centre, middle, pie.radius + place.beyond)
    wide, high = text.width, float(text.box[3] - text.box[1])
    anchor = anchor_of(middle)
    across = {"l": wide / 2, "m": 0.0, "r": -wide / 2}[anchor[0]]
    return x + across, y + {"t": high / 2, "m": 0.0, "b": -high / 2}[anchor[1]]
