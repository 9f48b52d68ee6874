"""Text and TOML files with words, beside the code which uses them or in a user's folder.

Prompts as text files: built in, or replaced by a user's folder with files of the same names.

Tables of words that stand beside the code which uses them, as TOML files.
"""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError
from ircore.core.files import read_bounded

MAX_BYTES = 64 * 1024

BUILT_IN = "built-in"
"""Name of the texts that come with the program, in the version of a run's prompts."""


def read_prompts(
    places: Mapping[str, Sequence[str]], built_in: Traversable, folder: Path | None, given_by: str
) -> dict[str, str]:
    """Read a set of texts.

    Args:
        places: The texts by name, with the placeholders that each must contain, such as ``{message}``.
        built_in: Folder of the built-in ``NAME.txt``.
        folder: Folder of texts that replace the built-in ones; None for the built-in ones.
        given_by: Option that names the folder, for error messages.

    Raises:
        InputError: A file is missing, too large, not UTF-8, empty, or lacks a place for what it must tell; or the
            folder's name would pass for the built-in texts.
    """
    if folder is None:
        return {name: (built_in / f"{name}.txt").read_text(encoding="utf-8").strip() for name in places}
    if folder.resolve().name == BUILT_IN:
        raise InputError(
            f"{given_by} {folder}: a folder of this name would pass for the built-in prompts", "Rename the folder."
        )
    needed = f"{given_by} needs {', '.join(f'{place}.txt' for place in places)}."
    return {name: _read_text(folder / f"{name}.txt", needed, places[name]) for name in places}


def compute_prompts_version(texts: Sequence[str], folder: Path | None) -> str:
    """Return the set's name with a hash of its texts: part of a result's identity."""
    # A zero byte between the texts: words that move from one text to the next change the hash.
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    return f"{BUILT_IN if folder is None else folder.resolve().name} {digest}"


def _read_text(path: Path, needed: str, places: Sequence[str]) -> str:
    try:
        text = read_bounded(path, MAX_BYTES, needed, "Shorten the file.").decode().strip()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text", "Save the file as UTF-8.") from error
    if not text:
        raise InputError(f"{path}: is empty", "Write the prompt into the file.")
    for place in places:
        if place not in text:
            raise InputError(
                f"{path}: lacks the placeholder {place}", f"Write {place} where the game fills in the text."
            )
    return text


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the table ``NAME.toml`` of a package.

    >>> read_table("ircore.core", "fault_words")["missing"]
    'is missing'
    """
    return tomllib.loads((files(package) / f"{name}.toml").read_text(encoding="utf-8"))
