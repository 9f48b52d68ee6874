"""Reading a JSON array of many records from a file of any size, one record in memory at a time."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from ircore.core.errors import InputError

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
            yield from _objects(path, file)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", "Download the file from the dataset's page."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text", _REMEDY) from None


def _objects(path: Path, file: TextIO) -> Iterator[dict[str, Any]]:
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
