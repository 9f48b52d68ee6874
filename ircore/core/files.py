"""Writing files so that a reader never meets half of one.

Everything is written to a temporary name in the same folder, then renamed: after ``kill -9`` or a full disk the
old content, or nothing, is there, never a part.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ircore.core.errors import InputError, WorkError


def write_bytes(path: Path, data: bytes, durable: bool = False) -> None:
    """Write ``data`` to ``path`` atomically.

    Args:
        path: Where to write; missing parent folders are made, unless ``durable``.
        data: The whole content.
        durable: Whether the content is on the disk itself on return; its name is with ``sync_folder`` only.

    Raises:
        WorkError: The disk is full or the place cannot be written.
    """
    # Not the process id: processes on several machines may share a folder.
    temporary = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        if not durable:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
        else:
            _write_through(temporary, data)
        temporary.replace(path)
    except OSError as error:
        _remove(temporary)
        raise WorkError(
            f"{path}: cannot be written ({_why(error)})", "Free some space or choose another place."
        ) from error


def write_text(path: Path, text: str, durable: bool = False) -> None:
    """Write ``text`` as UTF-8 to ``path`` atomically; see ``write_bytes``."""
    write_bytes(path, text.encode(), durable)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file bit by bit that appears under its own name only when it is complete.

    Args:
        path: Where to write; missing parent folders are made, an older file is replaced.

    Yields:
        A temporary file beside it, open for writing, renamed to ``path`` on success and removed on any failure.

    Raises:
        WorkError: The disk is full or the place cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        raise WorkError(
            f"{path}: cannot be written ({_why(error)})", "Free some space or choose another place."
        ) from error
    finally:
        _remove(temporary)


def _why(error: OSError) -> str | None:
    if isinstance(error, NotADirectoryError | FileExistsError):
        return "a file stands where a folder should be"
    return error.strerror


def _remove(temporary: Path) -> None:
    """Remove what is left of a file; it may never have been there, as below what is no folder."""
    with suppress(OSError):
        temporary.unlink()


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk itself, so that they survive a loss of power.

    Raises:
        WorkError: The disk fails.
    """
    try:
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise WorkError(f"{path}: cannot be written ({error.strerror})", "Choose another place.") from error


def _write_through(path: Path, data: bytes) -> None:
    """Write to the disk itself in as few calls as can be: each one is a wait for other threads."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder that appears under its own name only when it is complete.

    Args:
        path: The folder to make. It may exist if it is empty; a link is followed.

    Yields:
        A temporary folder beside it, renamed to ``path`` on success and removed on any failure.

    Raises:
        InputError: ``path`` exists and holds something.
        WorkError: The disk is full or the place cannot be written.
    """
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    if (path.is_dir() and any(path.iterdir())) or (path.exists() and not path.is_dir()):
        raise InputError(f"{path}: exists already", "Choose another --out, or remove it first.")
    if path.is_dir() and path.samefile("."):
        raise InputError(f"{path}: is the folder you are in, which cannot be replaced", "Choose another --out.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        temporary.chmod(0o755)
    except OSError as error:
        raise WorkError(f"{path}: cannot be written ({_why(error)})", "Choose another --out.") from error
    try:
        yield temporary
        if path.is_dir():
            path.rmdir()
        temporary.rename(path)
    except OSError as error:
        raise WorkError(
            f"{path}: cannot be written ({error.strerror})", "Free some space or choose another place."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
