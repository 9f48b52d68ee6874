"""Check that a release agrees with ``release.json``: files, rows, name, history, and the absence of withdrawn runs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from dataset_card.findings import Findings
from dataset_card.releases.files import COPIES, OPTIONAL_FILES
from dataset_card.releases.history import read_subject
from dataset_card.releases.record import (
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    compute_content_hash,
    read_release,
    release_name,
)
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import ReleaseSource
from dataset_card.tables.parquet import list_table_files
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import OPTIONAL_NAMES, TABLES, name_transcripts
from dataset_card.tables.writing import PartKey, TablePart
from ircore.core.errors import InputError, WorkError
from ircore.core.files import BUILT_IN
from ircore.core.journal import read_records
from ircore.core.plugins import list_available
from ircore.core.submission_records import Run, Withdrawal
from ircore.core.untrusted_text import format_one_line
from ircore.games.registry import load_game
from ircore.instances.benchmark import read_versions

T = TypeVar("T")


class RecordCheck:
    """Compares the files and rows of a release with ``release.json``.

    Args:
        folder: The release.
        hashes: SHA-256 of the files of its tables by path.
        findings: Collects the faults.

    Attributes:
        record: Content of ``release.json``; None if unreadable.
        configs: The release's tables, as the files have them.
        sets: Game and identity of each instance set of the release.

    >>> findings = Findings()
    >>> RecordCheck(Path("targets"), {}, findings).record is None, findings.faults
    (True, ['release.json: is missing'])
    """

    def __init__(self, folder: Path, hashes: Mapping[str, str], findings: Findings) -> None:
        self._folder, self._hashes, self._findings = folder, hashes, findings
        self._keys: dict[tuple[str, str | None], PartKey] = {}
        self.record = self._read()
        self.configs = () if self.record is None else self.record.configs
        self.sets = () if self.record is None else tuple((game.name, game.instance_set) for game in self.record.games)
        if self.record is not None:
            self._check_files(self.record)

    def take(self, config: Config, row: Row) -> None:
        """Take the next row of a table, in the order of the table's files."""
        if self.record is None:
            return
        run_id = str(row["run_id"]) if _has_runs(self.record, config) else None
        key = self._keys.get((config.name, run_id))
        if key is None:
            key = self._keys[config.name, run_id] = PartKey(config)
        key.take(row)

    def finish(self) -> None:
        """Compare the rows that were taken with the record, unless there are faults already."""
        record = self.record
        if record is None or self._findings.faults:
            return
        for part in record.parts:
            # What is left in the end belongs to no part of the record.
            key = self._keys.pop((part.config, part.run_id), None)
            # A part without rows is never taken.
            if part.rows and (key is None or key.hexdigest() != part.key):
                self._findings.add(RELEASE, f"{_name(part)} holds other rows than it says")
        for config, run_id in self._keys:
            self._findings.add(RELEASE, f"does not say what {config} has of run {run_id}")
        for fault in self._check_identity(record):
            self._findings.add(RELEASE, fault)

    def _read(self) -> ReleaseRecord | None:
        try:
            return read_release(self._folder)
        except InputError as error:
            missing = not (self._folder / RELEASE).is_file()
            problem = "is missing" if missing else error.problem.removeprefix(f"{self._folder / RELEASE}: ")
            self._findings.add(RELEASE, problem)
            return None

    def _check_files(self, record: ReleaseRecord) -> None:
        # All tables, because one that the record lists may have no file here.
        for config in record.configs:
            listed = {name for part in record.parts if part.config == config.name for name in part.files}
            existing_files = {
                path.relative_to(self._folder).as_posix() for path in list_table_files(self._folder, config)
            }
            if not existing_files:
                self._findings.add(f"data/{config.name}", "is missing")
                continue
            for name in sorted(listed - existing_files):
                self._findings.add(f"data/{config.name}", f"a file is missing ({name.rpartition('/')[2]})")
            for name in sorted(existing_files - listed):
                self._findings.add(name, f"is not in {RELEASE}")
        self._check_optional_files(record)
        for name, sha256 in record.hashes.items():
            # A file without a hash is missing, and named as such already.
            if self._hashes.get(name, sha256) != sha256:
                self._findings.add(name, f"is not the file that {RELEASE} names (another SHA-256)")

    def _check_optional_files(self, record: ReleaseRecord) -> None:
        """Compare the files that not every release has with the list of files."""
        copies = {path.relative_to(self._folder).as_posix() for path in (self._folder / COPIES).glob("*.npz")}
        present = copies | {name for name in OPTIONAL_FILES if (self._folder / name).is_file()}
        for name in sorted(present - set(record.files)):
            self._findings.add(name, f"is not in {RELEASE}")
        # Without the others no release is complete, and a run's missing descriptors are told with the run.
        for name in sorted(OPTIONAL_FILES.intersection(record.files) - present):
            self._findings.add(name, f"is missing, though {RELEASE} names it")

    def _check_tables(self, record: ReleaseRecord) -> Iterator[str]:
        """Yield the faults in the list of tables of a release."""
        if {table.name for table in record.tables} - OPTIONAL_NAMES != _list_table_names(record):
            yield f"its tables are not {', '.join(sorted(_list_table_names(record)))}"
        if sum(table.default for table in record.tables) != 1 or not record.tables[0].default:
            yield "its first table is not the default one"

    def _check_identity(self, record: ReleaseRecord) -> Iterator[str]:
        texts = {name: _read_text(self._folder / name) for name in (RUNS, JUDGES, PROVENANCE, TOMBSTONES)}
        if record.content != compute_content_hash(record.parts, texts, record.layout):
            yield "content is not the hash of what the release holds"
        yield from self._check_tables(record)
        before = {entry.name for entry in record.history[1:]}
        if record.name != release_name(record.benchmark, record.date, record.content, before):
            yield "name does not follow from benchmark, date and content"
        if (record.history[0].name, record.history[0].date) != (record.name, record.date):
            yield "the newest entry of its history is not of this release"
        if record.parent is not None and [record.parent.release] != [entry.name for entry in record.history[1:2]]:
            yield "its parent is not the release before it in its history"
        runs = {part.run_id for part in record.parts}
        for tombstone in read_sound_records(self._folder, TOMBSTONES, TypeAdapter(Withdrawal), self._findings):
            if tombstone.removes and tombstone.run_id in runs:
                yield f"run {tombstone.run_id} is here, though it was {tombstone.kind}"


def check_subject(record: ReleaseRecord, source: ReleaseSource) -> Iterator[str]:
    """Yield what ``release.json`` says of the release otherwise than its runs do: benchmark, sets, prompts, judges.

    Args:
        record: Content of ``release.json``.
        source: Games of the release.
    """
    try:
        subject = read_subject(source)
    except InputError as error:
        yield error.problem
        return
    if record.judges != subject.judges:
        yield f"judges is {format_one_line(str(record.judges), 80)}, its runs say {subject.judges}"
    for stated, own in zip(record.games, subject.games, strict=True):
        # Titles and seats are the game's, of which another version may be installed.
        for name in ("name", "instance_set", "prompts"):
            if getattr(stated, name) != getattr(own, name):
                said = format_one_line(str(getattr(stated, name)), 80)
                yield f"{name} of the game {own.name} is {said}, its runs say {getattr(own, name)}"
    # Names of versions that are released later are unknown here.
    own_name = None if subject.version is None else subject.version.name
    if record.benchmark != own_name and (own_name or record.benchmark in {known.name for known in read_versions()}):
        yield f"benchmark is {record.benchmark}, set and prompts are those of {own_name or 'no released version'}"


def find_own_prompts(run: Run) -> str | None:
    """Return the version of this program's own prompts where a run says it was played with them and names others.

    Returns:
        None for a run with prompts of its own, or of a game that is not installed here; and if they are the same.
    """
    if run.prompts.partition(" ")[0] != BUILT_IN or run.game not in list_available("games"):
        return None
    try:
        own = load_game(run.game).read_prompts(None).version
    except (InputError, WorkError):
        return None
    return None if own == run.prompts else own


def _list_table_names(record: ReleaseRecord) -> set[str]:
    shared = {config.name for config in TABLES} - OPTIONAL_NAMES
    return shared | {name_transcripts(game.name) for game in record.games}


def read_sound_records(folder: Path, name: str, kind: TypeAdapter[T], findings: Findings) -> Iterator[T]:
    """Yield the records of a file of a release up to the first faulty line, which is reported."""
    try:
        yield from read_records(folder / name, kind)
    except InputError as error:
        where, _, problem = error.problem.removeprefix(f"{folder}/").partition(": ")  # where: the file, and the line
        findings.add(where, problem)


def _has_runs(record: ReleaseRecord, config: Config) -> bool:
    return any(part.config == config.name and part.run_id is not None for part in record.parts)


def _name(part: TablePart) -> str:
    return part.config if part.run_id is None else f"{part.config} of run {part.run_id}"


def _read_text(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""
