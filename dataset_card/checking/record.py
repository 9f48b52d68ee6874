"""Whether a release is what its ``release.json`` says: files, rows, name, history, and nobody that was withdrawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from dataset_card.findings import Findings
from dataset_card.releases.record import (
    CHANGES,
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    content_hash,
    read_release,
    release_name,
    render_changes,
)
from dataset_card.tables.parquet import table_files
from dataset_card.tables.parts import Part, PartKey
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import ALL_CONFIGS, CONFIGS, Config
from ircore.core.errors import InputError
from ircore.core.journal import read_records
from ircore.core.lifecycle import Withdrawal

T = TypeVar("T")


class RecordCheck:
    """Compares the files and rows of a release with its record.

    Args:
        folder: The release.
        findings: Where faults go.
    """

    def __init__(self, folder: Path, findings: Findings) -> None:
        self._folder, self._findings = folder, findings
        self._keys: dict[tuple[str, str | None], PartKey] = {}
        self._record = self._read()
        if self._record is not None:
            self._check_files(self._record)

    def take(self, config: Config, row: Row) -> None:
        """Take a row of a table, in the order of its files."""
        if self._record is None:
            return
        run_id = str(row["run_id"]) if _of_runs(self._record, config) else None
        key = self._keys.get((config.name, run_id))
        if key is None:
            key = self._keys[config.name, run_id] = PartKey(config)
        key.take(row)

    def finish(self) -> None:
        """Compare what was taken; only if there is no other fault, which would be one here too."""
        record = self._record
        if record is None or self._findings.faults:
            return
        for part in record.parts:
            key = self._keys.pop((part.config, part.run_id), None)
            # A part without rows is never taken.
            if part.rows and (key is None or key.hexdigest() != part.key):
                self._findings.add(RELEASE, f"{_name(part)} holds other rows than it says")
        for config, run_id in self._keys:
            self._findings.add(RELEASE, f"does not say what {config} has of run {run_id}")
        for fault in self._identity_faults(record):
            self._findings.add(RELEASE, fault)

    def _read(self) -> ReleaseRecord | None:
        try:
            return read_release(self._folder)
        except InputError as error:
            missing = not (self._folder / RELEASE).is_file()
            said = "is missing" if missing else error.problem.removeprefix(f"{self._folder / RELEASE}: ")
            self._findings.add(RELEASE, said)
            return None

    def _check_files(self, record: ReleaseRecord) -> None:
        for config in ALL_CONFIGS:
            listed = {name for part in record.parts if part.config == config.name for name in part.files}
            found = {path.relative_to(self._folder).as_posix() for path in table_files(self._folder, config)}
            if not found:
                if listed or config in CONFIGS:
                    self._findings.add(f"data/{config.name}", "is missing")
                continue
            for name in sorted(listed - found):
                self._findings.add(f"data/{config.name}", f"a file is missing ({name.rpartition('/')[2]})")
            for name in sorted(found - listed):
                self._findings.add(name, f"is not in {RELEASE}")

    def _identity_faults(self, record: ReleaseRecord) -> Iterator[str]:
        texts = {name: _text(self._folder / name) for name in (RUNS, JUDGES, PROVENANCE, TOMBSTONES)}
        if record.content != content_hash(record.parts, texts, record.layout):
            yield "content is not the hash of what the release holds"
        if record.name != release_name(record.benchmark, record.date, record.content):
            yield "name does not follow from benchmark, date and content"
        if (record.history[0].name, record.history[0].date) != (record.name, record.date):
            yield "the newest entry of its history is not of this release"
        if _text(self._folder / CHANGES) != render_changes(record):
            yield f"{CHANGES} does not tell its history"
        runs = {one.run_id for one in record.parts}
        for tombstone in sound_records(self._folder, TOMBSTONES, TypeAdapter(Withdrawal), self._findings):
            if tombstone.removes and tombstone.run_id in runs:
                yield f"run {tombstone.run_id} is here, though it was {tombstone.kind}"


def sound_records(folder: Path, name: str, kind: TypeAdapter[T], findings: Findings) -> Iterator[T]:
    """Yield the records of one of a release's files, up to the first line that is none, which is a fault."""
    try:
        yield from read_records(folder / name, kind)
    except InputError as error:
        findings.add(name, error.problem.removeprefix(f"{folder / name}:"))


def _of_runs(record: ReleaseRecord, config: Config) -> bool:
    return any(one.config == config.name and one.run_id is not None for one in record.parts)


def _name(part: Part) -> str:
    return part.config if part.run_id is None else f"{part.config} of run {part.run_id}"


def _text(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""
