"""The files of a release: which names they can have, their hashes, and the content of those that are derived.

Derived files are written from tables and records alone.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dataset_card.card.card import CARD_FILES, CardFacts, MaintainerTexts, build_card_files, find_homepage
from dataset_card.card.croissant import CROISSANT, format_semantic_version, render_croissant
from dataset_card.card.pictures import choose_example
from dataset_card.card.verification import VERIFICATION, VerificationRecord
from dataset_card.releases.record import (
    CHANGES,
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    render_changes,
)
from dataset_card.tables.columns import SPLIT
from dataset_card.tables.game_tables import ReleaseSource
from dataset_card.tables.schema import TABLES, name_transcripts
from dataset_card.tables.writing import sum_parts
from ircore.core.errors import InputError
from ircore.core.records import DEFAULT_GAME
from ircore.submissions.seasons import SEASON_GAPS

OPTIONAL_FILES = frozenset({PROVENANCE, TOMBSTONES, VERIFICATION, SEASON_GAPS})
"""Files that a release has only if they say anything."""

SINGLE_FILES = frozenset({*CARD_FILES, CROISSANT, RELEASE, CHANGES, RUNS, JUDGES, *OPTIONAL_FILES})
"""Files beside the tables."""

_TABLES = (*(config.name for config in TABLES), name_transcripts(DEFAULT_GAME), name_transcripts("*"))
"""Names of tables, with ``*`` for the name of a game."""

FEATURE = "descriptors of renderings"
"""What a game must support for its runs to have descriptors, see ``Game.supports``."""

COPIES = "copies"
"""Folder of the runs' descriptors, by which later runs are compared without decoding every picture."""

PATTERNS = (*sorted(SINGLE_FILES), f"{COPIES}/*.npz", *(f"data/{name}/{SPLIT}-*.parquet" for name in _TABLES))
"""All files of a release, with ``*`` for any characters."""

_RUN_ID = r"[a-z0-9][a-z0-9_.-]{0,99}"
_NAMES = "|".join(re.escape(name).replace(r"\*", r"[a-z0-9][a-z0-9_.-]{0,99}") for name in _TABLES)
_TABLE = re.compile(rf"data/({_NAMES})/{SPLIT}-({_RUN_ID}-)?\d{{5}}-of-\d{{5}}\.parquet")
_COPIES = re.compile(rf"{COPIES}/{_RUN_ID}\.npz")
_BLOCK = 1024 * 1024


@dataclass(frozen=True)
class LocalFile:
    """A file of a release on this machine.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as empty:
    ...     read_local_file(Path(empty.name)).git_hash  # of every empty file
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """

    path: Path
    """Path of the file."""

    size: int
    """Bytes."""

    sha256: str
    """SHA-256 of the content, the Hub's name for a large file."""

    git_hash: str
    """Git's hash, the Hub's name for a small file: SHA-1 of a header with its length, and its content."""


def is_release_file(path: str) -> bool:
    """Return whether a path, relative and with forward slashes, can be a file of a release.

    In a repository these files are the releases' own: a push writes, changes and removes them as the release has them.
    All other files are the maintainers' (``.gitattributes``, their notes), unless the release there lists them.
    """
    # Names alone decide, because of most files in a repository nothing else is known without fetching.
    return path in SINGLE_FILES or is_table_file(path) or _COPIES.fullmatch(path) is not None


def name_descriptor_file(run_id: str) -> str:
    """Return the file with the descriptors of a run's renderings."""
    return f"{COPIES}/{run_id}.npz"


def is_table_file(path: str) -> bool:
    """Return whether a path is a shard of a table."""
    return _TABLE.fullmatch(path) is not None


def read_release_files(folder: Path) -> dict[str, LocalFile]:
    """Return the files of a release by their path in the release, hidden files left out.

    Raises:
        InputError: There is no such folder, or it holds something that releases are not made of.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a folder made by: ircore release build … --out DIR")
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        # Hidden files, such as records for the next build, are never published.
        if path.is_dir() or any(part.startswith(".") for part in name.split("/")):
            continue
        # A link could publish any file of this machine.
        if path.is_symlink() or not is_release_file(name):
            raise InputError(f"{path}: not part of a release", "Move it out of the folder: all in it is published.")
        files[name] = read_local_file(path)
    return files


def read_local_file(path: Path) -> LocalFile:
    """Return size and hashes of a file."""
    size = path.stat().st_size
    # The second is git's own name of the content: nothing rests on the strength of SHA-1 here.
    sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            sha256.update(block)
            git.update(block)
    return LocalFile(path, size, sha256.hexdigest(), git.hexdigest())


def build_derived_files(
    folder: Path,
    source: ReleaseSource,
    record: ReleaseRecord,
    maintainer_texts: MaintainerTexts,
    verification: VerificationRecord,
    hashes: Mapping[str, str],
) -> dict[str, bytes]:
    """Return the content of every derived file by path; the same release gives the same bytes.

    Args:
        folder: The release, its tables written.
        source: Games of the release.
        record: Content of ``release.json``.
        maintainer_texts: Texts of the maintainers' sections.
        verification: Values that were computed again.
        hashes: SHA-256 of the files of its tables by path.
    """
    written = tuple(sum_parts(config, record.parts) for config in record.configs)
    example = None if source.lead is None else choose_example(source.lead)
    facts = CardFacts(source, written, example, record.name, maintainer_texts, verification)
    version = format_semantic_version(record.benchmark, record.date, record.content)
    croissant = render_croissant(
        folder, source, record.configs, version, record.date, hashes, find_homepage(maintainer_texts)
    )
    return build_card_files(facts) | {CHANGES: render_changes(record).encode(), CROISSANT: croissant.encode()}
