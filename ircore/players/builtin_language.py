"""The language of the built-in players, for all who need it without playing: what they say and what they draw.

Reference describers, invented dialogues and the reading of messages come here; nothing above this floor imports the
players themselves.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ircore.core.images import Picture
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.classical.curves import build_curve
from ircore.players.builtin.classical.describer import write_first_message, write_message
from ircore.players.builtin.classical.perceive import perceive_picture
from ircore.players.builtin.classical.statements import format_point, pack_statements
from ircore.players.builtin.classical.wording import AFTER_ALL, describe_percept, describe_perception
from ircore.seeing.arrays import Floats
from ircore.seeing.colours import describe_colour, find_shortest_name
from ircore.seeing.percepts import Bars, Grid, Perception, Pie, Shape, Stroke, Text, Ticks

LARGEST_DOT = 120
"""Pixels of a dot: larger ones are seen by a comparison of pictures."""

_KINDS: dict[str, tuple[type, ...]] = {
    "bars": (Bars,), "pie": (Pie,), "scale": (Grid, Ticks), "line": (Stroke,), "text": (Text,), "shape": (Shape,),
}  # fmt: skip


class PictureSentence(NamedTuple):
    """A sentence about a picture."""

    kind: str
    """Kind of thing that it tells of: bars, pie, scale, line, text or shape."""

    text: str
    """The sentence, colours by name and value."""


def draw_messages(messages: Sequence[str]) -> Picture:
    """Return what the generator ``canvas`` draws from messages, oldest first.

    >>> draw_messages(["A red circle of radius 40 px centred at (100, 100)."]).pixels[100, 100].tolist()
    [255, 0, 0]
    """
    return answer(*read(messages)).picture


def describe_picture(picture: Picture, budget: int) -> TextAnswer:
    """Return the first message of the describer ``classical`` about a picture, in at most ``budget`` tokens."""
    return TextAnswer.from_message(write_first_message(perceive_picture(picture), budget))


def describe_percepts(target: Perception, view: DescriberView) -> TextAnswer:
    """Return the message of a turn that the describer ``classical`` would write if it had perceived the target so.

    Args:
        target: What the target shows.
        view: Of the turn.
    """
    return TextAnswer.from_message(write_message(target, view) or _describe_unsaid_dots(target, view))


def _describe_unsaid_dots(target: Perception, view: DescriberView) -> str:
    """Return a message about the dots that no message has named yet; empty if all were named.

    A dot on the corner of a shape changes so few pixels that a comparison of pictures passes it over, but it is a fact.
    """
    shapes = [percept for percept in target.percepts if isinstance(percept, Shape)]
    dots = [shape for shape in shapes if shape.kind == "circle" and shape.area <= LARGEST_DOT]
    unsaid = [
        dot for dot in dots if not any(f"centred at {format_point(dot.centre)}" in message for message in view.messages)
    ]
    return pack_statements(
        [describe_percept(dot, find_shortest_name).after("Add ") for dot in unsaid], view.token_budget
    )


def tell_percepts(perception: Perception) -> list[PictureSentence]:
    """Return a sentence for each thing of a picture: the ground first, then things as they are painted, texts last."""
    kinds = [next(kind for kind, types in _KINDS.items() if isinstance(thing, types)) for thing in perception.percepts]
    statements = sorted(describe_perception(perception, describe_colour), key=lambda statement: statement.order)
    sentences = [
        PictureSentence("text" if statement.order == AFTER_ALL else kinds[statement.order], statement.text)
        for statement in statements
    ]
    opening = f"The picture has a {describe_colour(perception.backdrop.colour)} background."
    return [PictureSentence(sentences[0].kind if sentences else "shape", opening), *sentences]


def name_curve(path: Floats, colour: str, width: float, dash: str) -> Stroke:
    """Return a path as a line or curve of few points, with the function that the path resembles.

    Args:
        path: Points × 2, x and y in pixels.
        colour: As #rrggbb.
        width: In pixels.
        dash: solid, dashed, dotted or dash-dot.
    """
    return build_curve(path, colour, width, dash)
