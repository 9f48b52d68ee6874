"""Records of marks, which are the things that a picture shows, and of facts about them, with their words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ircore.core.records import Element, Scene
from ircore.core.score_records import PARTS as PARTS
from ircore.core.score_records import Part as Part
from ircore.seeing.colours import name_colour

Form = Literal["region", "stroke", "text", "dots", "group", "other"]
"""How the eye looks for a mark: an area of one colour, a line, writing, small dots along a line, many marks, or
whatever has the mark's colour at its place, where nothing else is known of it."""


@dataclass(frozen=True)
class Mark:
    """A thing that a target shows: one element of the scene, or several that a person sees as one (a grid).

    Attributes:
        key: Unique in the scene, such as ``bar-3``.
        kind: ``bar``, ``wedge``, ``line``, ``curve``, ``axis``, ``grid``, ``tick_label``, ``segment``, ``circle`` …
        form: How the eye looks for it.
        name: The mark as the subject of a sentence, such as ``the bar for "May"``.
        elements: Positions of its elements in the scene.
    """

    key: str
    kind: str
    form: Form
    name: str
    elements: tuple[int, ...]


@dataclass(frozen=True)
class Fact:
    """Something true of a target that a rendering can get right or wrong.

    Attributes:
        key: Unique in the scene, such as ``bar-3/value``.
        mark: Key of the mark that it is about; of a count, the kind.
        kind: Kind of the mark, as ``Mark.kind``.
        attribute: ``presence``, ``text``, ``colour``, ``shape``, ``whole``, ``fill``, ``outline``, ``line_style``,
            ``markers``, ``value``, ``size``, ``angle``, ``place``, ``relation`` or ``count``.
        part: Part of the score in which it counts.
        expected: The true value: a text, ``#rrggbb``, a number in the figure's own units, a place in pixels …
        tolerance: Largest difference that still holds, in the unit of ``expected``; None if it holds or fails.
        weight: How much it counts: percent of all facts of the scene, once ``list_facts`` weighed them; 0 for a fact
            that is not asked of renderings.
        sentence: The fact in plain English.
        details: What the eye needs to know beside it: the place of a value on its line, the other mark of a relation.

    Example:
        >>> fact = Fact("bar-1/value", "bar-1", "bar", "value", "value", 12.5, 0.25, 1.0, "The first bar is 12.5 high.")
        >>> fact.expected
        12.5
    """

    key: str
    mark: str
    kind: str
    attribute: str
    part: Part
    expected: Any
    tolerance: float | None
    weight: float
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)


PART_OF: dict[str, Part] = {
    "presence": "presence",
    "shape": "presence",
    "whole": "presence",
    "line_style": "presence",
    "markers": "presence",
    "text": "text",
    "colour": "colour",
    "fill": "colour",
    "outline": "colour",
    "value": "value",
    "size": "value",
    "angle": "value",
    "place": "place",
    "relation": "place",
    "count": "count",
}
"""The part of the score in which a fact of each attribute counts."""


def append_mark(marks: list[Mark], kind: str, form: Form, name: str, index: int) -> None:
    """Append the mark of one element; marks of a kind are numbered from 1 in their keys."""
    count = sum(mark.kind == kind for mark in marks) + 1
    marks.append(Mark(f"{kind}-{count}", kind, form, name, (index,)))


def build_fact(
    mark: Mark, attribute: str, expected: Any, weight: float, sentence: str, tolerance: float | None = None,
    suffix: str = "", **details: Any,
) -> Fact:  # fmt: skip
    """Return a fact about a mark; ``suffix`` tells apart facts of one attribute, such as the values of a line."""
    key = f"{mark.key}/{attribute}" + (f"/{suffix}" if suffix else "")
    sentence = sentence[0].upper() + sentence[1:]
    tolerance = None if tolerance is None else round(tolerance, 6)
    return Fact(key, mark.key, mark.kind, attribute, PART_OF[attribute], expected, tolerance, weight, sentence, details)


def describe_colour(colour: str | None) -> str:
    """Return a colour in words and as #rrggbb, such as ``dark blue (#1e3a5f)``."""
    return "of one colour" if colour is None else f"{name_colour(colour)} ({colour})"


def format_number(value: float) -> str:
    """Return a number for people: at most three decimals, without trailing zeros."""
    text = f"{round(value, 3):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def describe_place(scene: Scene, element: Element) -> str:
    """Return where the middle of an element lies, in percent of the picture."""
    box = element.box
    return describe_point(scene, ((box.left + box.right) / 2, (box.top + box.bottom) / 2))


def describe_point(scene: Scene, point: tuple[float, float]) -> str:
    """Return where a point of the target lies, in percent of the picture."""
    x, y = round(100 * point[0] / scene.width), round(100 * point[1] / scene.height)
    return f"at {x} % from the left and {y} % from the top"
