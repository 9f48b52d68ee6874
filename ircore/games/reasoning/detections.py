"""What a picture shows: detections in GIR-Bench's format, and coloured forms that stand for things.

Detections are a vision model's counts, boxes and missing objects. Coloured forms are drawn, named, and seen again in
any picture.
"""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ircore.core.drawing import Drawing
from ircore.core.elements import ElementList, SeenElement
from ircore.core.images import Pixels
from ircore.games.reasoning.attributes import Areas, ColourArea

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, each 0–1000 of the picture's width or height."""

SCALE = 1000
MOST_BOXES = 1000
"""Per class; an answer with more is not used."""

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


class DetectionError(Exception):
    """An answer that cannot be read; the text says why.

    Example:
        >>> raise DetectionError("no JSON object in the reply")
        Traceback (most recent call last):
            ...
        ircore.games.reasoning.detections.DetectionError: no JSON object in the reply
    """


@dataclass(frozen=True)
class Detections:
    """One picture as a detector reported it.

    Example:
        >>> seen = Detections({"duck": ((0, 0, 10, 10), (20, 0, 30, 10))}, counts={"duck": 3})
        >>> seen.found("duck")
        3

    Attributes:
        boxes: Boxes by label, in lower case.
        counts: Counts as reported, which may differ from the number of boxes.
        missing: Labels that were asked for and reported as not there.
    """

    boxes: Mapping[str, tuple[Box, ...]]
    counts: Mapping[str, int] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()

    def found(self, label: str) -> int:
        """Return how many of a class there are by GIR-Bench's rule: the larger of count and boxes, 0 if missing."""
        if label in self.missing:
            return 0
        # GIR-Bench takes the larger of both, which may contradict each other in an answer.
        return max(self.counts.get(label, 0), len(self.boxes.get(label, ())))

    @classmethod
    def of_elements(cls, elements: ElementList) -> "Detections":
        """Return elements with their boxes in thousandths of the picture; an element without a box is only counted."""
        across, down = SCALE / elements.width, SCALE / elements.height
        boxes: dict[str, tuple[Box, ...]] = {}
        for element in elements.elements:
            if element.box is not None:
                left, top, right, bottom = element.box
                box = (left * across, top * down, right * across, bottom * down)
                boxes[element.label] = (*boxes.get(element.label, ()), box)
        return cls(boxes, dict(elements.counts))

    def as_elements(self, width: int, height: int, source: str) -> ElementList:
        """Return the boxes as elements of a picture of this size; things counted beyond the boxes have no place."""
        elements = []
        for label in sorted({*self.boxes, *self.counts} - self.missing):
            boxes: list[Box | None] = list(self.boxes.get(label, ()))
            boxes += [None] * (self.found(label) - len(boxes))
            elements += [SeenElement(label=label, box=box and _scale_to_pixels(box, width, height)) for box in boxes]
        return ElementList(width=width, height=height, source=source, elements=tuple(elements))


def read_detections(text: str) -> Detections:
    """Read a model's answer: JSON with ``objects`` (each ``label``, ``count``, ``boxes``) and ``missing_objects``.

    A fence of Markdown around the JSON and words before or after it are passed over.

    Raises:
        DetectionError: There is no JSON object in the answer, or a field is not as asked.
    """
    document = _find_first_object(text)
    boxes: dict[str, tuple[Box, ...]] = {}
    counts: dict[str, int] = {}
    rows = document.get("objects", [])
    if not isinstance(rows, list):
        raise DetectionError("objects is no list")
    for row in rows:
        label = _parse_label(row.get("label") if isinstance(row, dict) else None)
        boxes[label] = (*boxes.get(label, ()), *map(_parse_box, _parse_list(row.get("boxes", []), label)))
        count = row.get("count", 0)
        # A JSON true is an int of Python; the type itself tells the two apart.
        if type(count) is not int or not 0 <= count <= MOST_BOXES:
            raise DetectionError(f"{label}: count is no whole number from 0 to {MOST_BOXES}")
        counts[label] = counts.get(label, 0) + count
    missing = document.get("missing_objects", [])
    return Detections(boxes, counts, frozenset(map(_parse_label, _parse_list(missing, "missing_objects"))))


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


def scatter_forms(forms: Sequence[Form], rng: random.Random, a_row: int) -> list[Placed]:
    """Place forms apart from each other, a cell of a grid each."""
    cell = SIDE / a_row
    # A form takes up 0.64 of its cell's width, so neighbours never touch.
    places = rng.sample(range(a_row * a_row), len(forms))
    return [
        Placed(form, (place % a_row + 0.5) * cell, (place // a_row + 0.5) * cell, 0.32 * cell)
        for form, place in zip(forms, places, strict=True)
    ]


def name_thing(label: str) -> str:
    """Return the label of a thing for people.

    >>> name_thing("red circle"), name_thing("red odd")
    ('red circle', 'red form of another shape')
    """
    return f"{label.removesuffix('odd')}form of another shape" if label.endswith(" odd") else label


def detect_forms(pixels: Pixels) -> Detections:
    """Return the coloured forms of a picture, with boxes; a form of another outline is an ``odd`` thing of its colour.

    >>> seen = detect_forms(draw_forms([Placed(Form("red", "circle"), 100, 100, 40)]).pixels)
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
        boxes.setdefault(f"{colour} {_classify_shape(area)}", []).append(_scale_to_detection(area))
    return Detections({label: tuple(places) for label, places in boxes.items()})


def _find_first_object(text: str) -> dict[str, Any]:
    for match in re.finditer(r"\{", text):
        try:
            # Tried at every brace: models write words, fences and other objects before the answer.
            document, _ = json.JSONDecoder().raw_decode(text[match.start() :])
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict) and ("objects" in document or "missing_objects" in document):
            return document
    raise DetectionError("no JSON object with objects")


def _parse_label(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        raise DetectionError("an object has no label")
    return value.strip().lower()


def _parse_list(value: object, name: str) -> list[Any]:
    # A bound on strangers' lists: a model may repeat itself without end.
    if not isinstance(value, list) or len(value) > MOST_BOXES:
        raise DetectionError(f"{name}: no list of at most {MOST_BOXES}")
    return value


def _parse_box(value: object) -> Box:
    numbers = value if isinstance(value, list) else []
    # The type itself is compared, since a JSON true is an int of Python.
    if len(numbers) != 4 or any(type(number) not in (int, float) for number in numbers):
        raise DetectionError("a box is not [left, top, right, bottom]")
    left, top, right, bottom = (float(number) for number in numbers)
    if not (0 <= left <= right <= SCALE and 0 <= top <= bottom <= SCALE):
        raise DetectionError(f"a box reaches beyond 0 to {SCALE}, or ends before it begins")
    return left, top, right, bottom


def _scale_to_pixels(box: Box, width: int, height: int) -> Box:
    left, top, right, bottom = box
    return left * width / SCALE, top * height / SCALE, right * width / SCALE, bottom * height / SCALE


def _classify_shape(area: ColourArea) -> str:
    tall = (area.bottom - area.top) / (area.right - area.left)
    if SQUARE[0] < tall < SQUARE[1]:
        for shape, (low, high) in FILLED.items():
            if low <= area.enclosed <= high:
                return shape
    return "odd"


def _scale_to_detection(area: ColourArea) -> Box:
    return SCALE * area.left, SCALE * area.top, SCALE * area.right, SCALE * area.bottom
