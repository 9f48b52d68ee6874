"""What a build keeps for the next one: named by a hash of all it was made from, so that nothing stale is taken over.

That is what costs most and depends on one run alone: what was read of it (``leaderboard.reading``), its episodes in the
gallery (``leaderboard.gallery.fragments``) and its figures (``leaderboard.building.drawing``).

It lies in ``.ircore-kept/`` of the site, and goes with the site: what a build neither made nor took over is not in it.
The name holds a hash of the program too, so that a change to a template, a word list or a line of code makes all anew.
"""

import hashlib
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.instances.store import INDEX
from ircore.runs.folder import JUDGES
from leaderboard.workplace import take_over

FOLDER = ".ircore-kept"

_ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = ("ircore", "leaderboard")
_LEVEL = 1
"""Of compression, 0–9: the cheapest makes a reading a quarter as large."""


@dataclass(frozen=True)
class Kept:
    """What this build keeps, and what an earlier one has kept."""

    site: Path
    """Root of the site that is being made."""

    earlier: Path | None = None
    """Root of the earlier one, if there is one."""

    def find(self, name: str) -> bytes | None:
        """Return what was kept under a name, taken over from the earlier build; None if it is missing or damaged.

        Args:
            name: ``<kind>/<hash>``, or another way below the folder.
        """
        try:
            return zlib.decompress((self.site / FOLDER / name).read_bytes()) if self.holds(name) else None
        except (OSError, zlib.error):
            return None

    def holds(self, name: str) -> bool:
        """Return whether something was kept under a name, taken over from the earlier build; it may be damaged."""
        path = self.site / FOLDER / name
        if not path.is_file() and self.earlier is not None:
            with suppress(OSError):
                take_over(self.earlier / FOLDER / name, path)
        return path.is_file()

    def keep(self, name: str, data: bytes) -> None:
        """Keep data for the next build.

        Raises:
            WorkError: The disk is full.
        """
        write_bytes(self.site / FOLDER / name, zlib.compress(data, _LEVEL))


def content_key(*parts: str) -> str:
    """Return a name for what was made from these parts by the program as it is: 64 hex digits."""
    found = hashlib.sha256(program().encode())
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part.encode())
    return found.hexdigest()


def run_key(run: Path) -> str:
    """Return a hash of all that is recorded of a run but its pictures, which the records name by theirs.

    Raises:
        InputError: A file cannot be read.
    """
    files = [one for one in run.iterdir() if one.is_file() and not one.name.startswith(".")]
    return _hash(run, [*files, *(run / JUDGES).glob("*.json"), run / "instances" / INDEX])


@cache
def program() -> str:
    """Return a hash of every file of the packages that make a site."""
    return "".join(folder_hash(_ROOT / name) for name in _PACKAGES)


def folder_hash(folder: Path) -> str:
    """Return a hash of every file below a folder; what Python has compiled is not counted."""
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return _hash(folder, files)


def _hash(root: Path, files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(files):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})", "Restore it from a copy.") from error
        name = path.relative_to(root).as_posix().encode()
        found.update(len(name).to_bytes(8, "big") + name + len(data).to_bytes(8, "big") + data)
    return found.hexdigest()
