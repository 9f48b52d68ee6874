"""Visual Genome's own files on the disk, as published: JSON arrays with a record for each image, and pictures.

The files of versions 1.0 to 1.4 differ in names: an image's number is ``image_id`` or ``id``.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture

CHUNK = 1024 * 1024
MAX_CHARACTERS = 16 * 1024 * 1024
"""Characters of one record."""

_BETWEEN = re.compile(r"[\s,]*")
"""Between two records; always matches."""

_REMEDY = "Restore the file as it was published."


def read_array(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file that holds one JSON array of objects.

    Memory is bounded by the largest object, not by the file.

    Raises:
        InputError: The file is missing, no array of objects, cut short, or an object is longer than 16 MiB.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "images.json"
    ...     _ = file.write_text('[{"image_id": 1}, {"image_id": 2}]')
    ...     [record["image_id"] for record in read_array(file)]
    [1, 2]
    """
    try:
        with path.open(encoding="utf-8") as file:
            yield from _read_objects(path, file)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", "Download the file from the dataset's page."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text", _REMEDY) from None


def _read_objects(path: Path, file: TextIO) -> Iterator[dict[str, Any]]:
    text = file.read(CHUNK).lstrip()
    if not text.startswith("["):
        raise InputError(f"{path}: holds no JSON array", _REMEDY)
    decoder, number, place, wanted = json.JSONDecoder(), 0, 1, CHUNK
    while True:
        # A position, since cutting each record off would copy the chunk once for each of its records.
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        if text.startswith("]", place):
            return
        try:
            record, place = decoder.raw_decode(text, place)
        except ValueError:
            # The record goes on behind the chunk: twice as much is read each time, so that work stays linear.
            more = file.read(wanted)
            if not more or len(text) - place > MAX_CHARACTERS:
                raise InputError(f"{path}: record {number + 1} is damaged or cut short", _REMEDY) from None
            text, place, wanted = text[place:] + more, 0, wanted * 2
            continue
        except RecursionError:
            raise InputError(f"{path}: record {number + 1} is nested too deeply", _REMEDY) from None
        # A record was complete: the next one is again expected to be of usual size.
        number, wanted = number + 1, CHUNK
        if not isinstance(record, dict):
            raise InputError(f"{path}: record {number} is not an object", _REMEDY)
        yield record


FOLDERS = ("VG_100K", "VG_100K_2")
SUFFIX = ".jpg"
_RESTORE = "Restore the file as it was published."


class Annotated(NamedTuple):
    """An image with its objects as the dataset has them, unchecked."""

    image_id: int
    width: int
    height: int
    objects: list[Any]


class GenomeFiles:
    """A folder with ``image_data.json``, ``objects.json``, maybe other annotations, and the folders of pictures.

    Args:
        root: The folder.

    >>> GenomeFiles(Path("genome")).root.name
    'genome'
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def images(self) -> Iterator[Annotated]:
        """Yield the images whose pictures are there; an image without a stated size has its picture's.

        Raises:
            InputError: A file is missing or damaged, or there are no pictures.
        """
        sizes = self._read_sizes()
        for image_id, objects in self._read_list("objects.json", "objects"):
            # Objects of images without a picture on this disk are of no use.
            if image_id in sizes:
                width, height = sizes[image_id] or self._read_picture_size(image_id)
                yield Annotated(image_id, width, height, objects)

    def attributes(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and objects with attributes; InputError if the file is damaged."""
        return self._read_optional_list("attributes.json", "attributes")

    def relations(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and relations; InputError if the file is damaged."""
        return self._read_optional_list("relationships.json", "relationships")

    def pictures(self, image_ids: Collection[int]) -> Iterator[tuple[int, Picture]]:
        """Yield the pictures of images; InputError if one cannot be read."""
        for image_id in image_ids:
            yield image_id, read_picture(self._find_path(image_id))

    def _read_sizes(self) -> dict[int, tuple[int, int] | None]:
        """Return width and height by id, for images with a picture; None where the file states no size."""
        present = {path.stem for folder in FOLDERS for path in (self.root / folder).glob(f"*{SUFFIX}")}
        if not present:
            raise InputError(
                f"{self.root}: holds no pictures in {' or '.join(FOLDERS)}", "Unpack images.zip and images2.zip there."
            )
        path = self.root / "image_data.json"
        sizes: dict[int, tuple[int, int] | None] = {}
        for record in read_array(path):
            image_id = _find_image_id(record, path)
            # Copies often hold only a part of the 108,000 pictures.
            if str(image_id) in present:
                sizes.setdefault(image_id, _find_size(record))
        return sizes

    def _read_list(self, name: str, field: str) -> Iterator[tuple[int, list[Any]]]:
        path = self.root / name
        for record in read_array(path):
            items = record.get(field)
            yield _find_image_id(record, path), items if isinstance(items, list) else []

    def _read_optional_list(self, name: str, field: str) -> Iterator[tuple[int, list[Any]]]:
        return self._read_list(name, field) if (self.root / name).exists() else iter(())

    def _find_path(self, image_id: int) -> Path:
        paths = [self.root / folder / f"{image_id}{SUFFIX}" for folder in FOLDERS]
        return next((path for path in paths if path.exists()), paths[0])

    def _read_picture_size(self, image_id: int) -> tuple[int, int]:
        path = self._find_path(image_id)
        try:
            with Image.open(path) as image:
                return image.size
        except (OSError, Image.DecompressionBombError):
            raise InputError(f"{path}: not a JPEG picture", "Restore it, or remove it.") from None


def _find_size(record: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the width and height that a record states, None if it states none."""
    width, height = record.get("width"), record.get("height")
    known = type(width) is int and type(height) is int and width > 0 and height > 0
    return (width, height) if known else None  # type: ignore[return-value]


def _find_image_id(record: Mapping[str, Any], path: Path) -> int:
    """Return the number of the image that a record is about.

    Raises:
        InputError: There is none.
    """
    value = record.get("image_id", record.get("id"))
    # A JSON true would pass isinstance, since a bool is an int of Python.
    if type(value) is not int:
        raise InputError(f"{path}: image_id: {value!r} is not a whole number", _RESTORE)
    return value
