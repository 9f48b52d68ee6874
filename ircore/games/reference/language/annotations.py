"""Annotations of pictures by people: a name for the whole and a name for each of seven pieces, in KiloGram's layout."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.records import Record
from ircore.core.validation import validating

PIECES = ("1", "2", "3", "4", "5", "6", "7")
RANGES = {"snd": (0, 1), "pnd": (0, 1), "psa": (1, len(PIECES))}
"""Least and greatest value of each measure of naming."""

MAX_BYTES = 512 * 1024 * 1024
MAX_TEXT = 1000

Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]


class Annotation(Record):
    """One person's names for a picture.

    >>> Annotation(whole="dog", part={"1": "head"} | {piece: "body" for piece in PIECES[1:]}).parts()["head"]
    frozenset({'1'})

    Attributes:
        whole: Name of the whole.
        part: Name of each piece, ``"1"`` to ``"7"``; pieces with the same name are one part.
    """

    whole: Text
    part: dict[str, Text] = Field(default_factory=dict)

    def parts(self) -> dict[str, frozenset[str]]:
        """Return the pieces of each part by its name, in the order of the first piece."""
        parts: dict[str, set[str]] = {}
        for piece in sorted(self.part):
            parts.setdefault(self.part[piece], set()).add(piece)
        return {name: frozenset(pieces) for name, pieces in parts.items()}


def read_annotations(path: Path) -> dict[str, tuple[Annotation, ...]]:
    """Read the annotations of pictures from a JSON file of KiloGram's layout.

    Accepts ``{picture: {"annotations": [{"whole": {"wholeAnnotation": text}, "part": {"1": text, …}}, …]}}`` as
    published, and the plain form ``{picture: [{"whole": text, "part": {…}}, …]}``.

    Args:
        path: The file.

    Returns:
        Annotations by picture, in the file's order.

    Raises:
        InputError: The file cannot be read, or a field is wrong; the line names file, picture, annotation and field.
    """
    document = _document(path)
    return {picture: _annotations(path, picture, entry) for picture, entry in document.items()}


def read_stated_measures(path: Path) -> dict[str, dict[str, float]]:
    """Read the measures that a file of KiloGram's layout states beside the annotations, as its published files do.

    Args:
        path: The file.

    Returns:
        ``snd``, ``pnd`` and ``psa`` by picture, as far as they are stated; pictures without any are left out.

    Raises:
        InputError: The file cannot be read, or a measure is no number in its range; the line names file and picture.
    """
    stated = {picture: _stated(path, picture, entry) for picture, entry in _document(path).items()}
    return {picture: measures for picture, measures in stated.items() if measures}


def _document(path: Path) -> dict[str, Any]:
    document = read_json(path, MAX_BYTES, "Name a JSON file of annotations, as UTF-8.")
    if not isinstance(document, dict) or not document:
        raise InputError(f"{path}: is not an object of pictures", "Write {picture: {annotations: […]}}.")
    return document


def _stated(path: Path, picture: str, entry: Any) -> dict[str, float]:
    # The plain form is a list of annotations, and states no measures.
    stated = entry if isinstance(entry, Mapping) else {}
    measures = {key: stated[key] for key in RANGES if stated.get(key) is not None}
    for key, value in measures.items():
        low, high = RANGES[key]
        # A bool is an int in Python, and true is no measure.
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise InputError(
                f"{path}: {picture}: {key}: {value!r} is out of range", f"Write a number from {low} to {high}, or null."
            )
    return measures


def _annotations(path: Path, picture: str, entry: Any) -> tuple[Annotation, ...]:
    rows = entry.get("annotations") if isinstance(entry, Mapping) else entry
    if not isinstance(rows, list):
        raise InputError(f"{path}: {picture}: annotations is not a list", "Write {picture: {annotations: […]}}.")
    return tuple(_annotation(f"{path}: {picture}: annotation {number}", row) for number, row in enumerate(rows, 1))


def _annotation(place: str, row: Any) -> Annotation:
    if not isinstance(row, Mapping):
        raise InputError(f"{place}: is not an object", "Write {whole: …, part: {…}}.")
    whole = row.get("whole")
    if isinstance(whole, Mapping):
        whole = whole.get("wholeAnnotation")
    with validating(place, "Mend the annotation."):
        annotation = Annotation(whole=whole, part=row.get("part") or {})
    unknown = sorted(set(annotation.part) - set(PIECES))
    missing = sorted(set(PIECES) - set(annotation.part)) if annotation.part else []
    if unknown or missing:
        fault = f"unknown piece {unknown[0]!r}" if unknown else f"piece {missing[0]!r} has no name"
        raise InputError(f"{place}: part: {fault}", 'Name all seven pieces "1" to "7", or remove part.')
    return annotation
