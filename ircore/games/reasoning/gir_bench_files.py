"""Files of GIR-Bench: lists of prompts, numbered pictures, and tasks made from them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.images import Picture, read_picture
from ircore.core.records import Difficulty
from ircore.core.validation import validating
from ircore.games.reasoning.dimensions.base import Task
from ircore.games.reasoning.records import LONGEST

PROMPTS = "prompt"
"""Folder of the lists of prompts."""

MAX_BYTES = 64 * 1024**2
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
RESTORE = "Restore the file as it was published."


class Imported(NamedTuple):
    """A task of GIR-Bench.

    >>> Imported("012", Task("Draw 3 ducks.", {"expected": {"duck": 3}})).difficulty is None
    True

    Attributes:
        number: Number of the task in its list, and what else tells it apart; part of the instance's id.
        task: The task.
        difficulty: None where the tasks of a dimension come in one form.
    """

    number: str
    task: Task
    difficulty: Difficulty | None = None


class Entry(BaseModel):
    """An entry of a list of prompts; unknown fields are passed over, since the format is not ours.

    >>> Entry(id="007", prompt="Draw it.", note="checked").number
    '007'
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int | str = Field(description="Number of the task, such as 7 or 007.")
    prompt: str = Field(min_length=1, max_length=LONGEST)

    @property
    def number(self) -> str:
        """The number with three digits, as its pictures are named."""
        return numbered(str(self.id))


EntryT = TypeVar("EntryT", bound=Entry)


def entries_of(root: Path, name: str, kind: type[EntryT]) -> Iterator[EntryT]:
    """Yield the entries of a list of prompts; none if there is no such list.

    Args:
        root: Folder of the data set.
        name: Of the list, such as ``TextRendering``.
        kind: Record of an entry.

    Raises:
        InputError: The file cannot be read, or an entry is not as expected or occurs twice.
    """
    # A partial download is allowed, so a list that is missing means no tasks.
    path = root / PROMPTS / f"{name}.json"
    if not path.is_file():
        return
    entries = json_of(path)
    if not isinstance(entries, list):
        raise InputError(f"{path}: no list of tasks", "Expected [{id, prompt, …}, …].")
    places_by_id: dict[str, int] = {}
    for place, entry in enumerate(entries, start=1):
        where = f"{path}: entry {place}"
        with validating(where, RESTORE):
            checked = kind.model_validate(entry)
        if places_by_id.setdefault(checked.number, place) != place:
            raise InputError(f"{where}: id {checked.id} stands in entry {places_by_id[checked.number]}, too", RESTORE)
        yield checked


def json_of(path: Path) -> Any:
    """Return the content of a JSON file, see ``read_json``."""
    return read_json(path, MAX_BYTES, RESTORE)


def pictures_in(folder: Path) -> Mapping[str, Path]:
    """Return the files of the pictures in a folder by their numbers with three digits, in order.

    Raises:
        InputError: Two pictures have the same number.
    """
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix.lower() in SUFFIXES:
            number = numbered(path.stem)
            if number in files:
                raise InputError(f"{path} and {files[number].name} have the same number", "Remove one of them.")
            files[number] = path
    return files


def picture_at(files: Mapping[str, Path], number: str, folder: Path) -> Picture:
    """Return the picture of a number.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    if number not in files:
        raise InputError(f"{folder}: no picture of the number {number}", RESTORE)
    return read_picture(files[number])


def numbered(name: str) -> str:
    """Return a task's number with three digits, from an id or the name of a file or folder.

    >>> numbered("7"), numbered("012_red_panda"), numbered("1204")
    ('007', '012', '1204')

    Raises:
        InputError: The name has no number.
    """
    digits = re.search(r"\d{1,9}", name)
    if digits is None:
        raise InputError(f"{name!r} has no number of a task", RESTORE)
    return f"{int(digits[0]):03d}"
