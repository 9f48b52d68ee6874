"""The form of elements that all sources share: which things a picture shows, and where.

A scene, a detector's answer and a list written by hand are all turned into ``ElementList``. As a file it is JSON::

    {"width": 512, "height": 512, "source": "by hand",
     "elements": [{"label": "person", "box": [40, 80, 200, 500]}, {"label": "dog"}]}
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

from ircore.core.errors import InputError
from ircore.core.files import read_json, write_text
from ircore.core.records import Line, Record, Scene
from ircore.core.validation import convert_validation_errors

MAX_BYTES = 4 * 2**20
FORM = (
    'Write {"width": …, "height": …, "elements": [{"label": "person", "box": [left, top, right, bottom]}]}; '
    "box may be left out."
)

Label = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True, to_lower=True)]
"""Name of a class of things, in lower case without blanks around it: ``person``."""


class SeenElement(Record):
    """One element of a picture: label, box and confidence."""

    label: Label = Field(description="Its class, such as person; compared in lower case.")
    box: tuple[float, float, float, float] | None = Field(
        default=None, description="left, top, right, bottom in pixels of the picture; null if its place is not known."
    )
    score: float | None = Field(default=None, ge=0, le=1, description="Confidence of the detector.")

    @model_validator(mode="after")
    def _box_is_ordered(self) -> "SeenElement":
        if self.box is not None and (self.box[0] > self.box[2] or self.box[1] > self.box[3]):
            raise ValueError(f"box must be left, top, right, bottom; {list(self.box)} ends before it begins")
        return self


class ElementList(Record):
    """The things that a picture shows.

    Example:
        >>> seen = ElementList(width=640, height=480, elements=(SeenElement(label="cup"), SeenElement(label="Cup")))
        >>> seen.counts["cup"]
        2
    """

    width: int = Field(ge=1, description="Of the picture in which boxes are measured, pixels.")
    height: int = Field(ge=1, description="The same.")
    source: Line = Field(
        default="by hand", description="Who or what saw them: a detector with its version, or by hand."
    )
    elements: tuple[SeenElement, ...] = Field(max_length=10_000, description="In any order; two of a kind stand twice.")

    @property
    def counts(self) -> Counter[str]:
        """Number of instances by label."""
        return Counter(element.label for element in self.elements)


def list_scene_elements(scene: Scene) -> ElementList:
    """Return the elements of a scene by type (bar, wedge, label …) with their boxes."""
    elements = tuple(SeenElement(label=element.type, box=tuple(map(float, element.box))) for element in scene.elements)
    return ElementList(width=scene.width, height=scene.height, source="scene", elements=elements)


def build_counted_elements(counts: dict[str, int], width: int = 1, height: int = 1) -> ElementList:
    """Return elements without places, from counts such as ``{"person": 2}``."""
    elements = tuple(SeenElement(label=label) for label, count in counts.items() for _ in range(count))
    return ElementList(width=width, height=height, source="counts", elements=elements)


def read_elements(path: Path) -> ElementList:
    """Read elements from a file: the form above, a scene, or plain counts such as ``{"person": 2, "dog": 1}``.

    Raises:
        InputError: The file is missing, too large, not JSON or of another form; the message names the field.
    """
    document = read_json(path, MAX_BYTES, FORM)
    with convert_validation_errors(path, FORM):
        # The three forms have no key in common that would name them, so their content tells them apart.
        if isinstance(document, dict) and _is_scene(document):
            return list_scene_elements(Scene.model_validate(document))
        if isinstance(document, dict) and _is_counts(document):
            return _check_counts(path, document)
        return ElementList.model_validate(document)


def write_elements(path: Path, elements: ElementList) -> None:
    """Write elements as a JSON file, which appears whole or not at all."""
    write_text(path, elements.model_dump_json(indent=2, exclude_none=True) + "\n")


def _check_counts(path: Path, counts: dict[str, int]) -> ElementList:
    for label, count in counts.items():
        # Each counted thing becomes an element in memory, so a short file must not count millions.
        if not 0 <= count <= 1000:
            raise InputError(f"{path}: {label}: the count {count} is out of range", "Write a count from 0 to 1000.")
    return build_counted_elements(counts)


def _is_scene(document: dict[str, Any]) -> bool:
    elements = document.get("elements")
    return bool(isinstance(elements, list) and elements and isinstance(elements[0], dict) and "type" in elements[0])


def _is_counts(document: dict[str, Any]) -> bool:
    """Say whether a document is plain counts; ``width`` and ``height`` are fields of the full form."""
    numbers = all(type(count) is int for count in document.values())
    return bool(document) and numbers and {"elements", "width", "height"}.isdisjoint(document)
