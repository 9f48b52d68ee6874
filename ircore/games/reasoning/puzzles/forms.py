"""Coloured forms that stand for things: drawn, named, and seen again in any picture."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ircore.core.drawing import Drawing
from ircore.core.images import Pixels
from ircore.games.reasoning.puzzles.attributes import Area, Areas
from ircore.games.reasoning.verifiers.detections import SCALE, Box, Detections

SIDE = 512
FORMS = ("circle", "square", "triangle")
COLOURS: Mapping[str, str] = {
    "red": "#e02020",
    "blue": "#2040e0",
    "green": "#20a040",
    "orange": "#f08010",
    "purple": "#8030b0",
    "black": "#101010",
}
"""Colours that differ in their plain names, with the one that is drawn."""
ALSO = {"purple": ("pink",)}
"""Plain names that are taken for a colour, too: the purple of CSS, #800080, is a dark pink by its name."""
FILLED = {"circle": (0.7, 0.85), "square": (0.9, 1.0), "triangle": (0.4, 0.62)}
"""Share of its box that a form fills: a disc π / 4 = 0.785, a square 1, a triangle 1 / 2."""
SQUARE = (0.7, 1.43)
"""Height of the box by its width."""


class Form(NamedTuple):
    """A coloured form.

    >>> Form("red", "circle").label
    'red circle'
    """

    colour: str
    shape: str

    @property
    def label(self) -> str:
        """Colour and shape in words."""
        return f"{self.colour} {self.shape}"


class Placed(NamedTuple):
    """A form at a place: its centre and half its side, in pixels.

    >>> Placed(Form("red", "circle"), x=100, y=100, radius=40).form.label
    'red circle'
    """

    form: Form
    x: float
    y: float
    radius: float


def draw_forms(placed: Iterable[Placed]) -> Drawing:
    """Draw forms on white."""
    drawing = Drawing(SIDE, SIDE)
    for (colour, shape), x, y, radius in placed:
        fill = COLOURS[colour]
        if shape == "circle":
            drawing.ellipse((x, y), (radius, radius), fill=fill)
        elif shape == "square":
            drawing.rectangle(x - radius, y - radius, x + radius, y + radius, fill=fill)
        else:
            drawing.polygon([(x, y - radius), (x + radius, y + radius), (x - radius, y + radius)], fill=fill)
    return drawing


def scattered(forms: Sequence[Form], rng: random.Random, a_row: int) -> list[Placed]:
    """Place forms apart from each other, a cell of a grid each."""
    cell = SIDE / a_row
    # A form takes up 0.64 of its cell's width, so neighbours never touch.
    places = rng.sample(range(a_row * a_row), len(forms))
    return [
        Placed(form, (place % a_row + 0.5) * cell, (place // a_row + 0.5) * cell, 0.32 * cell)
        for form, place in zip(forms, places, strict=True)
    ]


def seen_forms(pixels: Pixels) -> Detections:
    """Return the coloured forms of a picture, with boxes; a form of another outline is an ``odd`` thing of its colour.

    >>> seen = seen_forms(draw_forms([Placed(Form("red", "circle"), 100, 100, 40)]).pixels)
    >>> {label: len(boxes) for label, boxes in seen.boxes.items()}
    {'red circle': 1}
    """
    areas = Areas(pixels)
    things = list(areas.things(ALSO))
    coloured = [area for _, area in things]
    # A light area within a coloured thing is the thing's highlight.
    things += [("pale", pale) for pale in areas.pale_things() if not any(area.holds(pale) for area in coloured)]
    boxes: dict[str, list[Box]] = {}
    for colour, area in things:
        boxes.setdefault(f"{colour} {_shape_of(area)}", []).append(_box(area))
    return Detections({label: tuple(places) for label, places in boxes.items()})


def _shape_of(area: Area) -> str:
    tall = (area.bottom - area.top) / (area.right - area.left)
    if SQUARE[0] < tall < SQUARE[1]:
        for shape, (low, high) in FILLED.items():
            if low <= area.enclosed <= high:
                return shape
    return "odd"


def _box(area: Area) -> Box:
    return SCALE * area.left, SCALE * area.top, SCALE * area.right, SCALE * area.bottom
