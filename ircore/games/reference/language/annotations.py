"""Annotations of pictures by people: a name for the whole and a name for each of seven pieces, in KiloGram's layout."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.records import Record
from ircore.core.validation import describe_validation_error

PIECES = ("1", "2", "3", "4", "5", "6", "7")
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
    published, and the plain form
    ``{picture: [{"whole": text, "part": {…}}, …]}``.

    Args:
        path: The file.

    Returns:
        Annotations by picture, in the file's order.

    Raises:
        InputError: The file cannot be read, or a field is wrong; the line names file, picture, annotation and field.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES // 1024**2} MB", "Split it by pictures.")
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", "Name a JSON file of annotations.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}", "Save it as UTF-8 JSON.") from None
    if not isinstance(document, dict) or not document:
        raise InputError(f"{path}: no object of pictures", "Expected {picture: {annotations: […]}}.")
    return {str(picture): _annotations(path, str(picture), entry) for picture, entry in document.items()}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _annotations(path: Path, picture: str, entry: Any) -> tuple[Annotation, ...]:
    rows = entry.get("annotations") if isinstance(entry, Mapping) else entry
    if not isinstance(rows, list):
        raise InputError(f"{path}: {picture}: annotations is no list", "Expected {picture: {annotations: […]}}.")
    return tuple(_annotation(f"{path}: {picture}: annotation {number}", row) for number, row in enumerate(rows, 1))


def _annotation(place: str, row: Any) -> Annotation:
    if not isinstance(row, Mapping):
        raise InputError(f"{place}: no object", "Expected {whole: …, part: {…}}.")
    whole = row.get("whole")
    if isinstance(whole, Mapping):
        whole = whole.get("wholeAnnotation")
    try:
        annotation = Annotation(whole=whole, part=row.get("part") or {})
    except ValidationError as error:
        raise InputError(f"{place}: {describe_validation_error(error)}", "Mend the annotation.") from None
    unknown = sorted(set(annotation.part) - set(PIECES))
    missing = sorted(set(PIECES) - set(annotation.part)) if annotation.part else []
    if unknown or missing:
        fault = f"unknown piece {unknown[0]!r}" if unknown else f"piece {missing[0]!r} has no name"
        raise InputError(f"{place}: part: {fault}", 'Name all seven pieces "1" to "7", or leave part out.')
    return annotation
