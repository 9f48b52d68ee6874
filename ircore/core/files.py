"""Reading files up to a limit, writing files so that no reader ever meets a half-written file, and files with words.

Everything is written to a temporary name in the same folder, then renamed: after ``kill -9`` or a full disk the old
content, or nothing, is there, never a part.

Files with words are prompts, built in or replaced by a user's folder with files of the same names, and tables of words
as TOML files beside the code which uses them.
"""

import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from ircore.core.errors import InputError, WorkError

AS_BYTES: int = getattr(os, "O_BINARY", 0)
"""Flag of ``os.open`` without which Windows would write each newline as two bytes; 0 elsewhere."""

_NOT_OFFERED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""Errors by which network and memory file systems say that they have no locks, or sync no folders."""

CACHE_VARIABLE = "IRCORE_CACHE"
"""Environment variable that names the user's folder for caches; empty for no folder."""

MAX_BYTES = 64 * 1024

BUILT_IN = "built-in"
"""Name of the texts that come with the program, in the version of a run's prompts."""


def cache_folder() -> Path | None:
    """Return the folder for what need not be computed twice: ``IRCORE_CACHE`` if set, else the user's for caches.

    Returns:
        None if the variable is set and empty, or the user has no home.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    places = {"win32": ("LOCALAPPDATA", home / "AppData" / "Local"), "darwin": ("", home / "Library" / "Caches")}
    variable, usual = places.get(sys.platform, ("XDG_CACHE_HOME", home / ".cache"))
    return Path(os.environ.get(variable) or usual) / "ircore"


def read_bounded(path: Path, most: int, if_missing: str, if_larger: str, kind: type[InputError] = InputError) -> bytes:
    """Read a file that must not be larger than a limit.

    Args:
        path: The file.
        most: The limit in bytes, a whole number of KiB.
        if_missing: Remedy to show when the file cannot be read.
        if_larger: Remedy to show when the file is too large.
        kind: Error to raise.

    Raises:
        InputError: The file cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size or most
            data = file.read(min(size, most) + 1)  # asked for the limit, Python makes room for all of it first
    except OSError as error:
        raise kind(f"{path}: cannot be read ({error.strerror})", if_missing) from error
    if len(data) > most:
        limit = f"{most // 2**20} MiB" if most >= 2**20 else f"{most // 1024} KiB"
        raise kind(f"{path}: is larger than {limit}", if_larger)
    return data


def read_json(path: Path, most: int, remedy: str) -> Any:
    """Read a JSON file that may come from anyone.

    Args:
        path: The file.
        most: Limit in bytes, a whole number of KiB.
        remedy: The user's next step, whatever is wrong.

    Raises:
        InputError: The file cannot be read, is too large, or is not JSON; ``NaN`` and infinities are not JSON.
    """
    data = read_bounded(path, most, remedy, remedy)
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON: {error}", remedy) from None


def compute_file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_bytes(path: Path, data: bytes, durable: bool = False) -> None:
    """Write ``data`` to ``path`` atomically.

    Args:
        path: The file; missing parent folders are made, unless ``durable``.
        data: The whole content.
        durable: Whether the content is on the disk itself on return; its name is with ``sync_folder`` only.

    Raises:
        WorkError: The disk is full or the place cannot be written.
    """
    with _replace_when_done(path) as temporary:
        if durable:
            _write_through(temporary, data)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)


def link_or_write(source: Path, path: Path, data: bytes) -> None:
    """Give a file a second name where the disk allows a hard link to it, else write its content anew, to the disk.

    Args:
        source: A file that is never changed in place; its content is compared, since a link would follow a change.
        path: The second name; missing parent folders are made.
        data: The content.

    Raises:
        WorkError: The disk is full or the place cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        with suppress(OSError):  # another disk, a disk without links, somebody else's file
            path.parent.mkdir(parents=True, exist_ok=True)
            os.link(os.path.realpath(source), temporary)
            if temporary.read_bytes() == data:
                temporary.replace(path)
                return
    finally:
        temporary.unlink(missing_ok=True)
    write_bytes(path, data, durable=True)


def write_text(path: Path, text: str, durable: bool = False) -> None:
    """Write ``text`` as UTF-8 to ``path`` atomically; see ``write_bytes``."""
    write_bytes(path, text.encode(), durable)


@contextmanager
def write_new_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file piece by piece; it appears under its own name only when it is complete.

    Args:
        path: The file; missing parent folders are made, an older file is replaced.

    Yields:
        A temporary file beside it, open for writing, renamed to ``path`` on success and removed on any failure.

    Raises:
        WorkError: The disk is full or the place cannot be written.
    """
    with _replace_when_done(path) as temporary:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk itself, so that they survive a loss of power.

    Windows opens no folders; NTFS keeps a journal of names by itself. Of a file system that syncs no folders a line on
    stderr says what is lost, and work goes on.

    Raises:
        WorkError: The disk fails.
    """
    if sys.platform == "win32":
        return
    with _convert_write_errors(path, "Choose another place."):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno not in _NOT_OFFERED:
                raise
            _tell_once(f"{path}: this file system syncs no folders; a loss of power may lose the files written last")
        finally:
            os.close(folder)


@contextmanager
def write_new_folder(path: Path, durable: bool = False) -> Iterator[Path]:
    """Fill a folder that appears under its own name only when complete.

    Args:
        path: The folder to make. It may exist if it is empty; a link is followed.
        durable: Whether all of it is on the disk itself before it gets its name, and its name at the end.

    Yields:
        A temporary folder beside it, renamed to ``path`` on success and removed on any failure.

    Raises:
        InputError: ``path`` exists and holds something.
        WorkError: The disk is full or the place cannot be written.
    """
    # Otherwise the rename below would replace the link instead of filling the folder behind it.
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    if (path.is_dir() and any(path.iterdir())) or (path.exists() and not path.is_dir()):
        raise InputError(f"{path}: exists already", "Choose another --out, or remove this folder first.")
    if path.is_dir() and path.samefile("."):
        raise InputError(f"{path}: is the folder you are in, which cannot be replaced", "Choose another --out.")
    with _convert_write_errors(path, "Choose another --out."):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, since a rename works only within one disk.
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        temporary.chmod(0o755)  # mkdtemp's own rights let nobody else read
    try:
        with _convert_write_errors(path):
            yield temporary
            if durable:
                _sync_tree(temporary)
            if path.is_dir():
                path.rmdir()
            temporary.rename(path)
            if durable:
                sync_folder(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def lock_folder(folder: Path, content: str) -> Iterator[None]:
    """Lock a folder against other processes that would write into it.

    Of a file system without locks a line on stderr says what that means, and work goes on.

    Args:
        folder: The folder, which exists.
        content: What it holds, such as ``run``.

    Raises:
        InputError: Another process holds it.
        WorkError: The lock's file cannot be written.
    """
    from filelock import FileLock, Timeout

    # A lock of the system and no mere file: the system frees it when the process ends, be it by kill -9.
    lock = FileLock(folder / ".lock", blocking=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise InputError(
            f"{folder}: another process is working on this {content}", "Wait for that process, or choose another --out."
        ) from error
    except NotImplementedError:
        _tell_of_no_locks(folder, content)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise WorkError(
                f"{folder / '.lock'}: cannot be written ({error.strerror})", "Choose another place."
            ) from error
        _tell_of_no_locks(folder, content)
    try:
        yield
    finally:
        lock.release()


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


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the table ``NAME.toml`` of a package.

    >>> read_table("ircore.core", "fault_words")["missing"]
    'is missing'
    """
    return tomllib.loads((files(package) / f"{name}.toml").read_text(encoding="utf-8"))


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


@contextmanager
def _replace_when_done(path: Path) -> Iterator[Path]:
    """Yield a temporary name in a file's folder, renamed to the file on success and removed on any failure."""
    # Not the process id: processes on several machines may share a folder.
    temporary = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        with _convert_write_errors(path):
            yield temporary
            temporary.replace(path)
    finally:
        with suppress(OSError):  # renamed already, or never made
            temporary.unlink()


@contextmanager
def _convert_write_errors(path: Path, remedy: str = "Free some space or choose another place.") -> Iterator[None]:
    """Turn an ``OSError`` in the block into a ``WorkError`` that names the place."""
    try:
        yield
    except OSError as error:
        in_the_way = isinstance(error, NotADirectoryError | FileExistsError)
        reason = "a file stands where a folder should be" if in_the_way else error.strerror
        raise WorkError(f"{path}: cannot be written ({reason})", remedy) from error


def _sync_tree(folder: Path) -> None:
    """Bring all files and folders below a folder, and their names, to the disk itself, the innermost first."""
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            # Of a linked picture the content is another folder's, and on the disk.
            if Path(parent, name).stat().st_nlink > 1:
                continue
            # Windows syncs only what may be written; elsewhere a copied file may be read-only.
            file = os.open(Path(parent, name), os.O_RDWR | AS_BYTES if sys.platform == "win32" else os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)
        sync_folder(Path(parent))


@cache
def _tell_once(line: str) -> None:
    print(line, file=sys.stderr)


def _write_through(path: Path, data: bytes) -> None:
    """Write to the disk itself in as few calls as possible, since other threads wait during each call."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | AS_BYTES, 0o644)
    try:
        left = memoryview(data)
        while left:  # a call may write only a part
            left = left[os.write(file, left) :]
        os.fsync(file)
    finally:
        os.close(file)


def _tell_of_no_locks(folder: Path, content: str) -> None:
    _tell_once(f"{folder}: this file system has no locks: see that no second process works on this {content}")


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
