"""Where a site is built: a folder beside the output, which takes its place with one rename at the end."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from filelock import FileLock, Timeout

from ircore.core.errors import WorkError
from leaderboard.shares import in_shares

_LOCK = ".ircore-building"
"""Held while a folder is being built in; one that nobody holds was left by a build that was killed."""

_SETTLED = 60.0
"""Seconds after which a folder surely has its lock."""

_MANY = 2_000
"""Files from which several processes remove them."""


@contextmanager
def workplace(out: Path) -> Iterator[Path]:
    """Make a folder beside ``out`` that goes when the build is over; remove those that killed builds have left.

    Raises:
        WorkError: The place cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        remove_left_over(out)
        folder = tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent)
    except OSError as error:
        raise WorkError(f"{out}: cannot be written ({error.strerror})", "Choose another --out.") from error
    with folder as name, FileLock(Path(name) / _LOCK):
        yield Path(name)
        _remove_files(Path(name))


def _remove_files(folder: Path) -> None:
    """Remove the files of a build that is over: thousands, the former site's among them, so in several processes."""
    files = [Path(top, name) for top, _, names in os.walk(folder) for name in names if name != _LOCK]

    def remove(share: int, shares: int) -> None:
        # What stands together goes together: in one folder processes would wait for each other.
        for path in files[len(files) * share // shares : len(files) * (share + 1) // shares]:
            with suppress(OSError):
                path.unlink()

    in_shares(remove, len(files) >= _MANY)


def remove_left_over(out: Path) -> None:
    """Remove the folders that killed builds of ``out`` have left beside it; others' are not touched."""
    for folder in out.parent.glob(f".{out.name}.*"):
        lock = folder / _LOCK
        if not lock.is_file() or folder.is_symlink() or time() - folder.stat().st_mtime < _SETTLED:
            continue
        try:
            with FileLock(lock, blocking=False):
                _restore(folder / "old", out)
                shutil.rmtree(folder, ignore_errors=True)
        except Timeout:
            continue


def _restore(old: Path, out: Path) -> None:
    """Give an earlier site its name back if a build was killed between the two renames."""
    if old.is_dir() and not out.exists():
        old.rename(out)


def replace(made: Path, out: Path) -> None:
    """Put the new site in the place of the old one; on failure the old one is back.

    Raises:
        WorkError: It cannot be replaced.
    """
    old = made.parent / "old"
    try:
        if out.is_dir():
            out.rename(old)
        try:
            made.rename(out)
        except OSError:
            if old.is_dir():
                old.rename(out)
            raise
    except OSError as error:
        raise WorkError(f"{out}: cannot be replaced ({error.strerror})", "Choose another --out.") from error


def write_text(path: Path, text: str) -> None:
    """Write a new file of a build: nobody sees it before the build is whole, so it need not be atomic.

    Args:
        path: Where to write, nothing that was taken over; missing parent folders are made.
        text: The whole content.

    Raises:
        WorkError: The disk is full.
    """
    try:
        try:
            path.write_bytes(text.encode())
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    except OSError as error:
        raise WorkError(f"{path}: cannot be written ({error.strerror})", "Free some space.") from error


def take_over(source: Path, target: Path) -> None:
    """Make a file of an earlier build part of this one, without a copy where the disk allows.

    Raises:
        OSError: Neither a link nor a copy can be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target)
