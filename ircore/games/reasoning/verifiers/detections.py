"""Detections of a vision model in GIR-Bench's format: counts, boxes and missing objects."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ircore.core.elements import ElementList, SeenElement

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, each 0–1000 of the picture's width or height."""

SCALE = 1000
MOST_BOXES = 1000
"""Per class; an answer with more is not used."""


class DetectionError(Exception):
    """An answer that cannot be read; the text says why.

    Example:
        >>> raise DetectionError("no JSON object in the reply")
        Traceback (most recent call last):
            ...
        ircore.games.reasoning.verifiers.detections.DetectionError: no JSON object in the reply
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
            elements += [SeenElement(label=label, box=box and _in_pixels(box, width, height)) for box in boxes]
        return ElementList(width=width, height=height, source=source, elements=tuple(elements))


def read_detections(text: str) -> Detections:
    """Read a model's answer: JSON with ``objects`` (each ``label``, ``count``, ``boxes``) and ``missing_objects``.

    A fence of Markdown around the JSON and words before or after it are passed over.

    Raises:
        DetectionError: There is no JSON object in the answer, or a field is not as asked.
    """
    document = _first_object(text)
    boxes: dict[str, tuple[Box, ...]] = {}
    counts: dict[str, int] = {}
    rows = document.get("objects", [])
    if not isinstance(rows, list):
        raise DetectionError("objects is no list")
    for row in rows:
        label = _label(row.get("label") if isinstance(row, dict) else None)
        boxes[label] = (*boxes.get(label, ()), *map(_box, _list(row.get("boxes", []), label)))
        count = row.get("count", 0)
        # A JSON true is an int of Python; the type itself tells the two apart.
        if type(count) is not int or not 0 <= count <= MOST_BOXES:
            raise DetectionError(f"{label}: count is no whole number from 0 to {MOST_BOXES}")
        counts[label] = counts.get(label, 0) + count
    missing = document.get("missing_objects", [])
    return Detections(boxes, counts, frozenset(map(_label, _list(missing, "missing_objects"))))


def _first_object(text: str) -> dict[str, Any]:
    for match in re.finditer(r"\{", text):
        try:
            # Tried at every brace: models write words, fences and other objects before the answer.
            document, _ = json.JSONDecoder().raw_decode(text[match.start() :])
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict) and ("objects" in document or "missing_objects" in document):
            return document
    raise DetectionError("no JSON object with objects")


def _label(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        raise DetectionError("an object has no label")
    return value.strip().lower()


def _list(value: object, name: str) -> list[Any]:
    # A bound on strangers' lists: a model may repeat itself without end.
    if not isinstance(value, list) or len(value) > MOST_BOXES:
        raise DetectionError(f"{name}: no list of at most {MOST_BOXES}")
    return value


def _box(value: object) -> Box:
    numbers = value if isinstance(value, list) else []
    # The type itself is compared, since a JSON true is an int of Python.
    if len(numbers) != 4 or any(type(number) not in (int, float) for number in numbers):
        raise DetectionError("a box is not [left, top, right, bottom]")
    left, top, right, bottom = (float(number) for number in numbers)
    if not (0 <= left <= right <= SCALE and 0 <= top <= bottom <= SCALE):
        raise DetectionError(f"a box reaches beyond 0 to {SCALE}, or ends before it begins")
    return left, top, right, bottom


def _in_pixels(box: Box, width: int, height: int) -> Box:
    left, top, right, bottom = box
    return left * width / SCALE, top * height / SCALE, right * width / SCALE, bottom * height / SCALE
