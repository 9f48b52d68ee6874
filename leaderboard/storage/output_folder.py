"""The build folder of a site: a sibling of the output folder, which it replaces by a rename at the end."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any

from filelock import FileLock, Timeout
from pydantic_core import to_json

from ircore.core.errors import WorkError

_LOCK = ".ircore-building"
"""Lock file of a build folder; a folder whose lock no process holds was left by a killed build."""

_SETTLED = 60.0
"""Age in seconds from which a build folder is sure to have its lock file."""


@contextmanager
def build_folder(out: Path) -> Iterator[Path]:
    """Yield a new build folder beside ``out``, removed afterwards; folders that killed builds left are removed first.

    Raises:
        WorkError: The parent folder of ``out`` cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        remove_left_over(out)
        # Beside the output, hence on the same disk: the last step is a rename.
        folder = tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent)
    except OSError as error:
        raise WorkError(f"{out}: cannot be written ({error.strerror})", "Choose another --out.") from error
    with folder as name, FileLock(Path(name) / _LOCK):
        yield Path(name)


def remove_left_over(out: Path) -> None:
    """Remove the build folders that killed builds of ``out`` left beside it; a running build's folder stays."""
    for folder in out.parent.glob(f".{out.name}.*"):
        lock = folder / _LOCK
        # A young folder may be of a build that has not locked its file yet.
        if not lock.is_file() or folder.is_symlink() or time() - folder.stat().st_mtime < _SETTLED:
            continue
        try:
            # Only a dead build leaves its lock free; the lock of a live one raises Timeout.
            with FileLock(lock, blocking=False):
                _restore(folder / "old", out)
                shutil.rmtree(folder, ignore_errors=True)
        except Timeout:
            continue


def _restore(old: Path, out: Path) -> None:
    """Restore the name of an earlier site if a build was killed between the two renames."""
    if old.is_dir() and not out.exists():
        old.rename(out)


def replace(new_site: Path, out: Path) -> None:
    """Move the new site to the place of the old one; on failure the old site is restored.

    Raises:
        WorkError: The site cannot be replaced.
    """
    old = new_site.parent / "old"
    try:
        # A folder that is not empty cannot be renamed over, so the old site steps aside first.
        if out.is_dir():
            out.rename(old)
        try:
            new_site.rename(out)
        except OSError:
            if old.is_dir():
                old.rename(out)
            raise
    except OSError as error:
        raise WorkError(f"{out}: cannot be replaced ({error.strerror})", "Choose another --out.") from error


def write_text(path: Path, text: str) -> None:
    """Write a new file into a build folder. It need not be atomic: nobody sees the file before the build is complete.

    Args:
        path: The file, which must not be one that ``take_over`` linked; missing parent folders are made.
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


def dump_compact(value: Any) -> str:
    """Return JSON without spaces and line breaks, for scripts.

    Raises:
        ValueError: It holds a number that is not finite, which is no JSON: a browser could not read it.
    """
    text = to_json(value).decode()
    if "NaN" in text or "Infinity" in text:  # numbers, or words of a text: Python's own writer tells them apart
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text


def take_over(source: Path, target: Path) -> None:
    """Add a file of an earlier build to this one, as a hard link where the file system allows, else as a copy.

    Raises:
        OSError: The file can neither be linked nor copied.
    """
    try:
        # A link costs no space and hardly any time for the pictures of an earlier build.
        try:
            os.link(source, target, follow_symlinks=False)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target)
