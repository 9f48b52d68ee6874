"""``release check``: whether a release is complete, agrees with itself, and may be published."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from dataset_card.card.card import PICTURES
from dataset_card.card.croissant import CROISSANT, check_croissant
from dataset_card.checking.file_checks import check_card, check_copies, check_derived, check_licences
from dataset_card.checking.game_rows import GameRows, compare_rows
from dataset_card.checking.recomputing import check_identity
from dataset_card.checking.record import RecordCheck, check_subject, find_own_prompts, read_sound_records
from dataset_card.checking.table_checks import JoinCounts, TableFiles, find_forbidden
from dataset_card.findings import Findings, Pictures, decode_picture
from dataset_card.releases.files import OPTIONAL_FILES, SINGLE_FILES
from dataset_card.releases.history import check_season
from dataset_card.releases.record import ANY_RUN, JUDGES, MAX_BYTES, PROVENANCE, RELEASE, RUNS, Vouched
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import ReleasedRun, ReleaseSource
from dataset_card.tables.parquet import check_schema, hash_table_files, read_table
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import INSTANCES, OF_GAMES, READING_ORDER, is_transcripts
from ircore import __version__
from ircore.core.errors import InputError, WorkError
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.core.score_records import JudgeIdentity
from ircore.core.submission_records import Run
from ircore.submissions.seasons import SEASON_GAPS

T = TypeVar("T")


@dataclass(frozen=True)
class Report:
    """Findings of a check.

    Attributes:
        faults: One line each, ``where: what``.
        rows: Rows read.
        pictures: Distinct pictures decoded.
        counts: Sound rows of each table.
        configs: The release's tables, as the files have them.
        runs: Runs of all games read back; only to be relied on if there is no fault.
        source: Games of the release; None if a table has a fault or a game is missing here.
        not_checked: Parts that could not be checked, and why; one line each.
        rescored: Values that were computed again, and values that could not be; one line each.

    >>> report = check_release(Path("release"))
    >>> report.faults, report.counts["instances"], [run.run.slug for run in report.runs]
    ((), 2, ['builtin-classical-canvas'])
    """

    faults: tuple[str, ...]
    rows: int
    pictures: int
    counts: Counter[str]
    configs: tuple[Config, ...] = ()
    runs: tuple[ReleasedRun, ...] = ()
    source: ReleaseSource | None = field(default=None, compare=False, repr=False)
    not_checked: tuple[str, ...] = ()
    rescored: tuple[str, ...] = ()


def check_release(folder: Path, card: bool = True) -> Report:
    """Check a release: files, card, schemas, rows, references, pictures, texts, and the leaderboard recomputed.

    Tables are read in small batches; records without their pictures are held.

    Args:
        folder: The release.
        card: Whether to check that the card is this version's own; readers of the data need no such check.

    Raises:
        InputError: There is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a folder made by: ircore release build … --out DIR")
    files = {name: folder / name for name in sorted(SINGLE_FILES)}
    # Before anything is read: such a file is read as a whole.
    if large := [name for name, path in files.items() if path.is_file() and path.stat().st_size > MAX_BYTES]:
        faults = tuple(f"{name}: larger than {MAX_BYTES // 2**20} MiB" for name in large)
        return Report(faults, 0, 0, Counter())
    return _check(folder, card)


def require_sound_release(folder: Path, place: str) -> Report:
    """Check the data of a release and refuse any fault; the card may come from another version of the program.

    Args:
        folder: The release.
        place: Name of the release in error messages, as the user gave it.

    Raises:
        InputError: There is no such folder.
        WorkError: The release has faults.
    """
    report = check_release(folder, card=False)
    if report.faults:
        count = len(report.faults)
        raise WorkError(f"{place}: {report.faults[0]} ({count} in all)", f"See them with: ircore release check {place}")
    return report


def _check(folder: Path, card: bool) -> Report:
    findings = Findings()
    hashes = hash_table_files(folder)
    record = RecordCheck(folder, hashes, findings)
    _check_files(folder, record, findings)
    pictures = Pictures(findings)
    readers = _Readers(folder, record, findings, pictures)
    files = None if not card or record.record is None else TableFiles(folder, record.record, findings)
    counts = _take_rows(folder, record, readers, files)
    readers.finish()
    for where, fault in readers.joins.faults():
        findings.add(where, fault)
    if card:
        check_card(folder, record.configs, counts, findings)
    check_licences(folder, readers.instances(), readers.runs.values(), findings)
    for fault in check_croissant(folder, record.configs, hashes):
        findings.add(CROISSANT, fault)
    # After all rows: the hash of a part is compared once its last row was taken.
    record.finish()
    not_checked = readers.not_checked()
    source = readers.source()
    if source is not None and record.record is not None:
        for fault in check_subject(record.record, source):
            findings.add(RELEASE, fault)
    for fault in check_season(folder, source) if source is not None else ():
        findings.add(SEASON_GAPS, fault)
    runs = readers.read_runs()
    for name, fault in check_copies(folder, runs) if record.record is not None else ():
        findings.add(name, fault)
    if card and source is not None and record.record is not None:
        not_checked += check_derived(folder, source, record.record, hashes, findings)
    # After all other checks, since a release with another fault is not compared.
    if files is not None and source is not None:
        not_checked += files.finish()
    return Report(
        faults=tuple(findings.faults),
        rows=findings.rows,
        pictures=len(pictures),
        counts=counts,
        configs=record.configs,
        runs=runs,
        source=source,
        not_checked=not_checked,
    )


class _Readers:
    """Reads the rows of each game back into records.

    Attributes:
        runs: The release's runs by id.
        sets: Rows of each game on each of its instance sets, by the identity of the set.
    """

    def __init__(self, folder: Path, record: RecordCheck, findings: Findings, pictures: Pictures) -> None:
        self.findings, self.pictures, self.joins = findings, pictures, JoinCounts()
        self.runs = _index_by_name(folder, RUNS, ANY_RUN, "run_id", findings)
        judges = _index_by_name(folder, JUDGES, TypeAdapter(JudgeIdentity), "name", findings)
        for name, identity in judges.items():
            if identity.published != identity:
                findings.add(JUDGES, f"judge {name}: base_url is an address on the machine that asked")
            if fault := check_identity(name, identity):
                findings.add(JUDGES, fault)
        vouched = _index_by_name(folder, PROVENANCE, TypeAdapter(Vouched), "run_id", findings)
        for run_id in vouched.keys() - self.runs.keys():
            findings.add(PROVENANCE, f"unknown run {run_id}")
        vouchers = {run_id: voucher.provenance for run_id, voucher in vouched.items()}
        self._prompts_of_others: list[str] = []
        self._folder, self._configs = folder, record.configs
        by_set: dict[tuple[str, str], dict[str, Run]] = {named: {} for named in record.sets}
        for run_id, run in self.runs.items():
            if (run.game, run.instance_set) in by_set:
                by_set[run.game, run.instance_set][run_id] = run
            else:
                played = f"run {run_id} is of the game {run.game} on the set {run.instance_set[:12]}…"
                findings.add(RUNS, f"{played}, which {RELEASE} does not name")
            for seat, player in run.submission.players.items():
                if player.on_loopback:
                    findings.add(RUNS, f"run {run_id}: {seat}: base_url is an address on the machine that played")
            if ours := find_own_prompts(run):
                self._check_prompts(run, ours)
        configs = {config.name: config for config in record.configs}
        self.sets = {
            identity: GameRows(folder, game, identity, configs, findings, pictures, runs, vouchers, judges)
            for (game, identity), runs in by_set.items()
        }

    def _check_prompts(self, run: Run, own: str) -> None:
        named = f"run {run.run_id}: prompts are {run.prompts[:60]}"
        if run.version == __version__:
            self.findings.add(RUNS, f"{named}, those of version {__version__} are {own}")
        else:
            self._prompts_of_others.append(f"{RUNS}: {named}, of version {run.version}; not compared with {own}")

    def take(self, config: Config, where: str, row: Row) -> None:
        """Take a row of a table."""
        self.joins.take(config, row)
        run = self.runs.get(str(row.get("run_id")))
        identity = str(row.get("instance_set")) if run is None else run.instance_set
        # Judges and measures are of no set, and a row of an unknown run is reported with any.
        of_game = [rows for rows in self.sets.values() if rows.game == row["game"]]
        named = [rows for rows in of_game if rows.identity == identity]
        takers = named or ([] if config.name == INSTANCES.name else of_game)
        for rows in takers if config.name in OF_GAMES else takers[:1]:
            rows.take(config, where, row)
        if not takers:
            about = f"game is {str(row['game'])[:60]}" if not of_game else f"instance_set is {identity[:64]}"
            self.findings.add(where, f"{about}, which {RELEASE} does not name")

    def finish(self) -> None:
        """Run the checks that need all rows."""
        for rows in self.sets.values():
            rows.finish()
        made = [rows.tables for rows in self.sets.values() if rows.tables is not None]
        for game in {tables.name for tables in made}:
            source = ReleaseSource(tuple(tables for tables in made if tables.name == game))
            for config in self._configs if len(made) == len(self.sets) else ():
                if config.name in OF_GAMES:
                    held = ((where, row) for where, row in read_table(self._folder, config) if row["game"] == game)
                    compare_rows(config, held, source.shared_rows(config), self.findings)

    def instances(self) -> Iterator[Instance]:
        """Yield the instances of all games."""
        for rows in self.sets.values():
            yield from rows.instances()

    def read_runs(self) -> tuple[ReleasedRun, ...]:
        """Return the runs of all games, read back."""
        return tuple(run for rows in self.sets.values() for run in rows.runs())

    def not_checked(self) -> tuple[str, ...]:
        """Return the comparisons that could not be made, a line each."""
        return (*self._prompts_of_others, *(line for rows in self.sets.values() for line in rows.not_checked))

    def source(self) -> ReleaseSource | None:
        """Return the games of the release; None if a table has a fault or a game is not installed."""
        made = tuple(rows.tables for rows in self.sets.values() if rows.tables is not None)
        return ReleaseSource(made) if made and len(made) == len(self.sets) else None


def _take_rows(folder: Path, record: RecordCheck, readers: _Readers, files: TableFiles | None) -> Counter[str]:
    """Read all rows of a release; return the number of sound rows of each table."""
    counts = Counter[str]()
    for config in sorted(record.configs, key=_find_reading_order):
        rows = _read_sound_rows(folder, config, readers.findings)
        pictures = [column.name for column in config.images]
        for where, row in readers.pictures.decode_ahead(pictures, rows) if pictures else rows:
            counts[config.name] += 1
            _check_texts(where, row, readers.findings)
            record.take(config, row)
            readers.take(config, where, row)
            if files is not None:
                files.take(where, row)
    return counts


def _find_reading_order(config: Config) -> int:
    """Return the position of a table in an order in which rows come after the rows that they refer to."""
    name = "" if is_transcripts(config.name) else config.name
    return READING_ORDER.index(name) if name in READING_ORDER else len(READING_ORDER)


def _check_files(folder: Path, record: RecordCheck, findings: Findings) -> None:
    # The pictures on the card are of the default game's board.
    optional = OPTIONAL_FILES if DEFAULT_GAME in dict(record.sets) else OPTIONAL_FILES.union(PICTURES)
    for name in sorted(SINGLE_FILES):
        path = folder / name
        if not path.is_file():
            if name != RELEASE and name not in optional:  # a missing record is a fault where it is read
                findings.add(name, "is missing")
        elif path.suffix == ".png":
            if isinstance(fault := decode_picture(path.read_bytes()), str):
                findings.add(name, fault)
        elif leak := find_forbidden(path.read_text("utf-8", errors="replace")):
            findings.add(name, f"holds {leak}")


def _index_by_name(folder: Path, file: str, kind: TypeAdapter[T], field: str, findings: Findings) -> dict[str, T]:
    """Return the records of a file by the field that names them; a name that comes twice is a fault."""
    records: dict[str, T] = {}
    for record in read_sound_records(folder, file, kind, findings):
        name = getattr(record, field)
        if records.setdefault(name, record) is not record:
            findings.add(file, f"{'judge' if field == 'name' else 'run'} {name} is there twice")
    return records


def _read_sound_rows(folder: Path, config: Config, findings: Findings) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a table without missing values; no rows if the schema is wrong."""
    faults = check_schema(folder, config)
    findings.faults += faults
    if faults:
        return
    required = [column.name for column in config.columns if not column.nullable]
    try:
        for where, row in read_table(folder, config):
            findings.rows += 1
            missing = [name for name in required if row[name] is None]
            if missing:
                findings.add(where, f"no value for {', '.join(missing)}")
            else:
                yield where, row
    except InputError as error:
        findings.faults.append(error.problem)


def _check_texts(where: str, row: Row, findings: Findings) -> None:
    for name, value in row.items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and (leak := find_forbidden(text)):
                findings.add(f"{where}: {name}", f"holds {leak}")
