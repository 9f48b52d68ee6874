"""Corrections of texts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ircore.core.exact import dist
from ircore.core.images import Pixels
from ircore.players.builtin.classical.matching import cheapest
from ircore.players.builtin.classical.statements import Statement, at, in_quotes
from ircore.players.builtin.classical.wording import text_statements, weight_of
from ircore.seeing.algebra import length_of
from ircore.seeing.colours import distance, shortest_name
from ircore.seeing.percepts import Box, Perception, Text

ALREADY = 0.7
"""Share of a text's ink that must be drawn for it to count as written."""
NEAR = 26.0
"""Largest distance in pixels of two texts that are taken for the same text."""
IN_PLACE = 0.7
"""Pixels that a text may be off without a word."""
OTHER_COLOUR = 12.0
"""Distance in RGB, 0–441, from which on two colours differ."""


@dataclass(frozen=True)
class TextManner:
    """How places of texts are corrected.

    Attributes:
        in_place: Pixels that a text may be off without a word.
        by_shift: Whether to say how far to move a text rather than where to.
    """

    in_place: float = IN_PLACE
    by_shift: bool = False


EXACTLY = TextManner()
ROUGHLY = TextManner(in_place=2.5, by_shift=True)
"""As people correct: a pixel or two do not matter, and a text is moved by so much."""


def text_corrections(
    target: Perception, rendering: Perception, target_pixels: Pixels, drawn: Pixels, manner: TextManner = EXACTLY
) -> list[Statement]:
    """Return corrections of missing, different and surplus texts; unreadable text in their place is left alone.

    Arguments are those of ``compare.corrections``.
    """
    pairs = cheapest(target.texts, rendering.texts, _apart, NEAR)
    met = {id(text) for pair in pairs for text in pair}
    absent = [
        text
        for text in target.texts
        if id(text) not in met and not _covered(text.box, rendering.unread) and not _shows(text, target_pixels, drawn)
    ]
    statements = [
        replace(statement.after("Add "), order=100)
        for statement in text_statements(absent, shortest_name, target.backdrop)
    ]
    for wanted_text, drawn_text in pairs:
        statements += [
            Statement("", (words,), weight=share * weight_of(wanted_text, target.backdrop), order=80, again=again)
            for words, again, share in _changes(wanted_text, drawn_text, rendering.texts, manner)
        ]
    for text in rendering.texts:
        if id(text) not in met and not _covered(text.box, target.unread):
            weight = weight_of(text, rendering.backdrop)
            statements.append(Statement("Remove ", (_name(text, rendering.texts),), weight=weight, order=-1))
    return statements


def _apart(first: Text, second: Text) -> float:
    """Return the distance of two texts in pixels, larger if they differ in words."""
    if first.rotation != second.rotation:
        return math.inf
    # Texts of equal words are paired even if another text is a little nearer.
    return dist(first.centre, second.centre) + (0 if first.text == second.text else NEAR / 2)


def _covered(box: Box, others: Sequence[Box]) -> bool:
    """Tell whether something that could not be read is where a text should be."""
    return any(
        min(box[2], other[2]) - max(box[0], other[0]) > 0.3 * (box[2] - box[0])
        and min(box[3], other[3]) - max(box[1], other[1]) > 0.3 * (box[3] - box[1])
        for other in others
    )


def _shows(text: Text, target_pixels: Pixels, drawn: Pixels) -> bool:
    """Whether most of a text's ink is drawn, even if other things there make the text unreadable."""
    left, top, right, bottom = text.box
    wanted, made = (pixels[top:bottom, left:right].astype(np.float64) for pixels in (target_pixels, drawn))
    ground = np.median(wanted.reshape(-1, 3), axis=0)
    ink = length_of(wanted - ground)
    strong = ink > 0.5 * ink.max()
    off = length_of(wanted - made)[strong]
    return bool((off < 0.5 * ink[strong]).mean() > ALREADY)


def _changes(wanted: Text, drawn: Text, texts: Sequence[Text], manner: TextManner) -> list[tuple[str, str, float]]:
    """Return each change of a text, the same in other words, and the share of the text concerned, 0–1."""
    changes, name = [], _name(drawn, texts)
    its = f"T{name[1:]}"
    if wanted.text != drawn.text:
        changes.append((f'Change {name} to "{wanted.text}"', f'{its} should be "{wanted.text}"', 0.8))
        # Later corrections of the same message find the text under its new words.
        name, its = (words.replace(f'"{drawn.text}"', f'"{wanted.text}"') for words in (name, its))
    if abs(wanted.size - drawn.size) >= 0.5:
        changes.append(
            (f"{its} should have font size {wanted.size:g}", f"Set {name} to font size {wanted.size:g}", 0.5)
        )
    off = dist(wanted.centre, drawn.centre)
    if off >= manner.in_place:
        # Readings are exact to a quarter of a pixel; see ``typeface``.
        x, y = (round(4 * value) / 4 for value in wanted.centre)
        place = f"({x:g}, {y:g})"
        where = _shift(wanted, drawn) if manner.by_shift else f"to {place}"
        changes.append((f"Move {name} {where}", f"{its} should be centred at {place}", min(1.0, off / 4)))
    if distance(wanted.colour, drawn.colour) >= OTHER_COLOUR:
        share = distance(wanted.colour, drawn.colour) / 441
        ink = shortest_name(wanted.colour)
        changes.append((f"Change the colour of {name} to {ink}", f"The colour of {name} must be {ink}", share))
    return changes


def _shift(text: Text, drawn: Text) -> str:
    """Return how far a text is to be moved, such as ``3 px right and 2 px up``."""
    across, down = (round(wanted - made) for wanted, made in zip(text.centre, drawn.centre, strict=True))
    ways = [f"{abs(across)} px {'right' if across > 0 else 'left'}"] if across else []
    ways += [f"{abs(down)} px {'down' if down > 0 else 'up'}"] if down else []
    return " and ".join(ways)


def _name(text: Text, texts: Sequence[Text]) -> str:
    """Return the name of a text: its words, and its place if others have the same words."""
    same = sum(other.text == text.text for other in texts) > 1
    return f"the text {in_quotes(text.text)}" + (f" at {at(text.centre)}" if same else "")
