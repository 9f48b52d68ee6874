"""Files that were found to hold the picture that a record states, so that none is decoded twice for that.

They are remembered in the process and in the user's folder for caches, each as a hash of the file's bytes, of what the
record states and of the decoder's version. A file is hashed whenever it is read, so that a changed one is not known.
"""

import atexit
import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from ircore.core.files import AS_BYTES, cache_folder

MOST: Final = 100_000
"""Files that are remembered; beyond that all are forgotten."""

_AT_ONCE: Final = 100
"""Files found intact that are written together, so that another process may be ended at any time and lose few."""

_DIGEST: Final = 32
"""Bytes of a hash."""

_lock = Lock()
_known: set[bytes] = set()
_unsaved: list[bytes] = []
_place: Path | None = None
"""The file in the user's folder for caches that has been read and is added to."""


def file_hash(data: bytes) -> bytes:
    """Return what a file is known by, 32 bytes."""
    return hashlib.sha256(data).digest()


def intact_key(file: bytes, width: int, height: int, sha256: str, bare: bool = False) -> bytes:
    """Return what a file and a record of it are remembered by.

    Args:
        file: ``file_hash`` of its bytes.
        width: Of the picture as recorded, pixels.
        height: Of the picture as recorded, pixels.
        sha256: Hash of the pixels as recorded.
        bare: Whether the file holds no metadata either.
    """
    from PIL import __version__

    stated = f"{__version__} {width} {height} {sha256} {'bare' if bare else ''}\n"
    return hashlib.sha256(stated.encode() + file).digest()


def found_intact(key: bytes) -> bool:
    """Return whether the file was found to hold the recorded picture, by this process or by one before."""
    if key in _known:
        return True
    _read()
    return key in _known


def remember_intact(key: bytes) -> None:
    """Remember that the file holds the recorded picture."""
    with _lock:
        if len(_known) >= MOST:
            _known.clear()
        _known.add(key)
        _unsaved.append(key)
        if len(_unsaved) >= _AT_ONCE:
            _save()


def _read() -> None:
    """Read what processes before have found, unless that was done."""
    global _place
    folder = cache_folder()
    place = None if folder is None else folder / "intact-pictures"
    if place == _place:
        return
    with _lock:
        _place = place
        _unsaved.clear()
        with suppress(OSError):
            data = place.read_bytes()[: MOST * _DIGEST] if place else b""
            _known.update(data[at : at + _DIGEST] for at in range(0, len(data), _DIGEST))


def _save() -> None:
    """Add what was found; a folder that cannot be written costs another look at the same files."""
    if _place is not None:
        with suppress(OSError):
            _place.parent.mkdir(parents=True, exist_ok=True)
            full = _place.is_file() and _place.stat().st_size >= MOST * _DIGEST
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | AS_BYTES | (os.O_TRUNC if full else 0)
            descriptor = os.open(_place, flags, 0o600)
            try:
                # In one piece, since other processes may add theirs at the same time.
                os.write(descriptor, b"".join(_unsaved))
            finally:
                os.close(descriptor)
    _unsaved.clear()


@atexit.register
def _save_the_last() -> None:
    with _lock:
        if _unsaved:
            _save()


def _begin_in_child() -> None:
    """Leave to the parent what it will write, and the lock that one of its threads may hold."""
    global _lock
    _lock = Lock()
    _unsaved.clear()


if sys.platform != "win32":  # where no process is a copy of another
    os.register_at_fork(after_in_child=_begin_in_child)
