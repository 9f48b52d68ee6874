"""Reading clembench's folders: a stranger's files, so sizes are bounded and no path leads out of the folder."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.core.errors import InputError
from ircore.core.images import ImageError, read_image_bytes
from ircore.core.validation import describe_validation_error
from ircore.games.reconstruction.plugins.clembench import GAME, INSTANCE

T = TypeVar("T")

MAX_BYTES = 64 * 1024 * 1024
MAX_EPISODES = 100_000


class ResultsFolder:
    """A results folder of clembench, opened for reading.

    Args:
        folder: The results folder, or the folder of a pair in it.

    Raises:
        InputError: It holds no pair that played this game, or several.

    >>> ResultsFolder(Path("run"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ircore.core.errors.InputError: ...run: holds no results of image_reconstruction_game...
    """

    def __init__(self, folder: Path) -> None:
        self.pair = _pair(folder)
        self.root = self.pair.parent

    def instances(self) -> Iterator[Path]:
        """Yield the folders of the instances, in the order of their names."""
        folders = sorted(path.parent for path in (self.pair / GAME).glob(f"*/*/{INSTANCE}"))
        if not 0 < len(folders) <= MAX_EPISODES:
            raise InputError(
                f"{self.pair}: {len(folders):,} instances", f"Between 1 and {MAX_EPISODES:,} can be read, one a folder."
            )
        return iter(folders)

    def image(self, where: Path, path: object) -> bytes:
        """Return the bytes of a picture that an event or an instance names.

        Args:
            where: The file that names it.
            path: As it stands there: below the results folder, or beside that file.

        Raises:
            InputError: It lies elsewhere, is missing, or is too large.
        """
        plain = PurePosixPath(str(path))
        if plain.is_absolute() or ".." in plain.parts or "://" in str(path) or "\\" in str(path):
            raise InputError(
                f"{where}: picture {str(path)[:120]!r} does not lie in this folder", "Copy the pictures into it."
            )
        # Below the results, as clembench writes paths; beside the file, where somebody moved the folder of an instance.
        for base in (self.root, where.parent):
            candidate = base / plain
            # A link within the folder may lead out of it.
            if candidate.is_file() and candidate.resolve().is_relative_to(self.root.resolve()):
                try:
                    return read_image_bytes(candidate)
                except ImageError as error:
                    raise InputError(f"{where}: {error.problem}", error.remedy) from error
        raise InputError(f"{where}: picture {str(path)[:120]!r} is missing", f"It is looked for below {self.root}.")


def read_document(path: Path) -> dict[str, Any]:
    """Return a JSON document.

    Raises:
        InputError: It is missing, too large, or no JSON object.
    """
    if not path.is_file():
        raise InputError(f"{path}: is missing", "Give a folder as clembench writes it.")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB", "Restore it.")
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({type(error).__name__})", "Restore it.") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}: must be a JSON object", "Restore it.")
    return document


def parsed(kind: TypeAdapter[T], path: Path, value: object) -> T:
    """Return a record that stands in a stranger's file.

    Raises:
        InputError: It is not a valid one.
    """
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Restore it.") from error


def _pair(folder: Path) -> Path:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a results folder of clembench.")
    # The pair is told by the name of its folder, which a path such as "." does not show.
    folder = folder.resolve()
    if (folder / GAME).is_dir():
        return folder
    pairs = sorted(path.parent for path in folder.glob(f"*/{GAME}") if path.is_dir())
    if len(pairs) == 1:
        return pairs[0]
    if pairs:
        names = ", ".join(path.name for path in pairs[:8])
        raise InputError(f"{folder}: holds the results of {len(pairs)} pairs", f"Name the folder of one: {names}.")
    raise InputError(
        f"{folder}: holds no results of {GAME}", f"clembench's folders are PAIR/{GAME}/EXPERIMENT/instance_00000."
    )
