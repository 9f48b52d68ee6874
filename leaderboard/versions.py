"""Versions of the benchmark: which one results belong to, and the frozen boards of former ones.

A version is an instance set and the version of its prompts. Results of different versions are never compared, so a
site shows one of them live; the boards of the others stay as they were, read-only.
"""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError, field_validator

from ircore.errors import InputError
from ircore.files import new_folder, write_text
from ircore.records import Line, Name, Record, Sha256
from ircore.results.model import Results
from ircore.strict_yaml import read_mapping
from ircore.validation import describe_validation_error

RECORDS = Path(__file__).with_name("versions.yaml")
VERSION = "version.json"
BOARDS = ("leaderboard.json", "leaderboard.csv")
"""What is kept of a version, besides its record: the files under ``data/`` of its last site."""

FOLDER = "versions"
_MAX_BYTES = 64 * 1024 * 1024


class BenchmarkVersion(Record):
    """A released version of the benchmark."""

    name: Annotated[Name, StringConstraints(pattern=r"^[0-9][0-9a-z.-]{0,19}$")] = Field(description="Such as 2026.1.")
    instance_set: Sha256 = Field(description="Identity of its instance set.")
    prompts: Line = Field(description="Version of its prompts, as run.json has it.")
    date: str = Field(description="When it was released, YYYY-MM-DD.")
    notes: Line | None = Field(default=None, description="What is new in it.")

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError("date must be YYYY-MM-DD")
        date.fromisoformat(text)
        return text


class _Records(Record):
    versions: tuple[BenchmarkVersion, ...]


@dataclass(frozen=True)
class Version:
    """The version that results belong to, released or not."""

    instance_set: str
    """Identity of the instance set."""

    prompts: str
    """Version of the prompts."""

    released: BenchmarkVersion | None = None
    """Its record; None if it has none."""

    @property
    def name(self) -> str | None:
        """Such as ``2026.1``; None if it is not released."""
        return self.released.name if self.released else None

    @property
    def words(self) -> str:
        """How boards and exports name it: ``benchmark 2026.1`` or ``unreleased benchmark (set 1234abcd)``."""
        return f"benchmark {self.name}" if self.released else f"unreleased benchmark (set {self.instance_set[:8]})"

    def as_dict(self) -> dict[str, str | None]:
        """Return what exports say of it."""
        return {"benchmark": self.name, "instance_set": self.instance_set, "prompts": self.prompts}


@dataclass(frozen=True)
class FrozenBoard:
    """The boards of a former version."""

    record: BenchmarkVersion
    """Which version."""

    folder: Path
    """Where its files lie."""

    rows: tuple[Mapping[str, Any], ...]
    """The rows of its ``leaderboard.json``."""

    @property
    def path(self) -> str:
        """Folder of its page and files on the site."""
        return f"{FOLDER}/{self.record.name}"


def read_versions(path: Path = RECORDS) -> tuple[BenchmarkVersion, ...]:
    """Read the released versions.

    Raises:
        InputError: The file is not a list of versions, or two of them have one name or are the same.
    """
    document = read_mapping(path, "Restore it from the repository.", f"See {RECORDS.name} for the format.")
    try:
        versions = _Records.model_validate(document).versions
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Mend this field.") from error
    for field in ("name", "instance_set"):
        values = [(getattr(one, field), one.prompts if field == "instance_set" else "") for one in versions]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice:
            raise InputError(f"{path}: {field} {twice[0]} stands there twice", "Remove one of the two versions.")
    return versions


def version_of(results: Results, known: Sequence[BenchmarkVersion] | None = None) -> Version:
    """Return the version that results belong to.

    Args:
        results: Of runs on one instance set.
        known: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    runs = {one.run.prompts: one.run_id for one in results.submissions}
    if len(runs) > 1:
        (first, one), (second, other) = list(runs.items())[:2]
        raise InputError(
            f"{one} was played with the prompts {first}, {other} with {second}: two versions of the benchmark",
            "Build a site of the runs of one version.",
        )
    (prompts,) = runs
    released = read_versions() if known is None else known
    found = (one for one in released if (one.instance_set, one.prompts) == (results.instance_set, prompts))
    return Version(results.instance_set, prompts, next(found, None))


def require_version(version: Version, name: str) -> None:
    """Check that results are of the version that was asked for.

    Raises:
        InputError: They are not.
    """
    if version.name != name:
        known = ", ".join(one.name for one in read_versions()) or "none"
        raise InputError(
            f"the runs are of the {version.words}, not of {name} (released: {known})",
            f"Give runs of {name}, or record the version in leaderboard/{RECORDS.name}.",
        )


def freeze_site(
    site: Path, out: Path, marker: Mapping[str, Any], known: Sequence[BenchmarkVersion] | None = None
) -> BenchmarkVersion:
    """Keep the boards of a built site as those of its version.

    Args:
        site: A built site.
        out: The folder to make.
        marker: What the build said of the site.
        known: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: The site's benchmark is not released, or ``out`` holds something.
        WorkError: ``out`` cannot be written.
    """
    name = marker.get("benchmark")
    record = next((one for one in (read_versions() if known is None else known) if one.name == name), None)
    if record is None or record.instance_set != marker.get("instance_set"):
        raise InputError(
            f"{site}: shows an unreleased benchmark (set {str(marker.get('instance_set'))[:8]})",
            f"Record the version in leaderboard/{RECORDS.name}, build the site again, then freeze it.",
        )
    with new_folder(out) as folder:
        for file in BOARDS:
            shutil.copyfile(site / "data" / file, folder / file)
        write_text(folder / VERSION, record.model_dump_json(indent=2) + "\n")
    return record


def read_archive(folder: Path, current: Version) -> tuple[FrozenBoard, ...]:
    """Read the frozen boards of former versions, newest first.

    Args:
        folder: Holds one folder a version, as ``freeze_site`` makes them.
        current: What the site shows live; its own frozen board is passed over.

    Raises:
        InputError: A version is damaged, or one name stands for two versions.
    """
    found: dict[str, FrozenBoard] = {}
    for path in sorted(folder.glob(f"*/{VERSION}")):
        board = _read_frozen(path)
        twin = found.setdefault(board.record.name, board)
        if twin is not board or (board.record.name == current.name and not _same(board.record, current)):
            other = "the site's own" if twin is board else str(twin.folder)
            raise InputError(f"{path}: version {board.record.name} is not {other}", "Give one of them another name.")
    if not found and not folder.is_dir():
        raise InputError(f"{folder}: no folder of frozen boards", "Make one: ircore site freeze SITE --out DIR/NAME")
    former = [one for name, one in found.items() if name != current.name]
    return tuple(sorted(former, key=lambda one: (one.record.date, one.record.name), reverse=True))


def _same(record: BenchmarkVersion, current: Version) -> bool:
    return (record.instance_set, record.prompts) == (current.instance_set, current.prompts)


def _read_frozen(path: Path) -> FrozenBoard:
    board = path.parent / BOARDS[0]
    try:
        record = BenchmarkVersion.model_validate_json(path.read_bytes())
        if board.stat().st_size > _MAX_BYTES:
            raise InputError(f"{board}: larger than {_MAX_BYTES // 2**20} MiB", "Freeze the version again.")
        document = json.loads(board.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Freeze the version again.") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{board}: cannot be read", "Freeze the version again.") from error
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{board}: not the boards of a site", "Freeze the version again.")
    if document.get("instance_set") != record.instance_set:
        raise InputError(f"{board}: not of the instance set that {VERSION} names", "Freeze the version again.")
    return FrozenBoard(record, path.parent, tuple(rows))


def write_frozen(frozen: Sequence[FrozenBoard], folder: Path) -> None:
    """Put the files of frozen boards beside their pages."""
    for board in frozen:
        (folder / board.path).mkdir(parents=True, exist_ok=True)
        for name in BOARDS:
            shutil.copyfile(board.folder / name, folder / board.path / name)
