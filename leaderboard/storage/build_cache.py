"""Build cache: results of single runs that the next build of the site reuses while the run's records stay the same.

Cached are the expensive steps that depend on one run alone: its reading (``leaderboard.model.site_runs``), its episodes
in the gallery (``leaderboard.gallery.fragments``) and its figures (``leaderboard.building.writing``); and the output of
MkDocs, which depends on no run.

The files lie in the folder ``.ircore-kept/`` of the site. Each is named by a hash of its inputs and of the program, so
a changed run, template, word list or line of code makes the entry anew. Entries that a build did not use are dropped.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.instances.store import INDEX
from ircore.runs.folder import JUDGES
from leaderboard.storage.output_folder import take_over

FOLDER = ".ircore-kept"

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("ircore", "leaderboard")
_LEVEL = 1
"""Zlib compression level, 0–9: already the cheapest makes a reading a quarter as large."""


@dataclass(frozen=True)
class BuildCache:
    """Cache of the site that is being built, filled from the cache of the earlier build where the keys match.

    >>> cache = BuildCache(Path("site"))
    >>> cache.store("figures/0123", b"drawn")
    >>> cache.load("figures/0123"), cache.load("figures/4567")
    (b'drawn', None)
    """

    site: Path
    """Root of the site that is being built."""

    earlier: Path | None = None
    """Root of the earlier build of the site; None for a first build."""

    def load(self, name: str) -> bytes | None:
        """Return the data cached under a name, in this or the earlier build; None if it is missing or damaged.

        Args:
            name: ``<kind>/<hash>``, or another way below the folder.
        """
        try:
            # A damaged entry is computed anew, like a missing one.
            return zlib.decompress((self.site / FOLDER / name).read_bytes()) if self.has(name) else None
        except (OSError, zlib.error):
            return None

    def has(self, name: str) -> bool:
        """Return whether data is cached under a name, in this or the earlier build; the data may be damaged."""
        path = self.site / FOLDER / name
        if not path.is_file() and self.earlier is not None:
            # The earlier build has no such entry, or was removed meanwhile: a plain miss.
            with suppress(OSError):
                take_over(self.earlier / FOLDER / name, path)
        return path.is_file()

    def store(self, name: str, data: bytes) -> None:
        """Store data under a name, for this build and the next.

        Raises:
            WorkError: The disk is full.
        """
        write_bytes(self.site / FOLDER / name, zlib.compress(data, _LEVEL))


def load_or_make(cache: BuildCache | None, name: str, make: Callable[[], bytes]) -> bytes:
    """Return the data cached under a name; where there is none, what ``make`` returns, which is stored.

    Args:
        cache: The build cache; None to make the data in any case.
        name: Name in the cache, as ``BuildCache.load`` takes it.
        make: Called without arguments.

    Raises:
        WorkError: The disk is full.
    """
    known = cache.load(name) if cache else None
    if known is not None:
        return known
    data = make()
    if cache:
        cache.store(name, data)
    return data


def compute_content_key(*parts: str) -> str:
    """Return the cache key of data made from ``parts`` by the installed program: 64 hex digits."""
    digest = hashlib.sha256(hash_program().encode())
    for part in parts:
        # With its length in front, ("ab", "c") and ("a", "bc") differ.
        digest.update(len(part).to_bytes(8, "big") + part.encode())
    return digest.hexdigest()


def run_key(run: Path) -> str:
    """Return a hash of a run's records; its pictures need no reading, since the records name them by their hashes.

    Raises:
        InputError: A file cannot be read.
    """
    files = [path for path in run.iterdir() if path.is_file() and not path.name.startswith(".")]
    return _hash(run, [*files, *(run / JUDGES).glob("*.json"), run / "instances" / INDEX])


@cache
def hash_program() -> str:
    """Return a hash over every file of the packages that build a site."""
    return "".join(hash_folder(_ROOT / name) for name in _PACKAGES)


def hash_folder(folder: Path) -> str:
    """Return a hash over every file below a folder, compiled Python files left out."""
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return _hash(folder, files)


def _hash(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})", "Restore it from a copy.") from error
        name = path.relative_to(root).as_posix().encode()
        digest.update(len(name).to_bytes(8, "big") + name + len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
