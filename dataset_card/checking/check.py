"""``release check``: whether a release is complete, agrees with itself, and may be published."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter

from dataset_card.card.croissant import CROISSANT, croissant_faults
from dataset_card.checking.card import check_card, check_licences
from dataset_card.checking.decoding import decoding_processes
from dataset_card.checking.derived import check_derived
from dataset_card.checking.record import RecordCheck, sound_records
from dataset_card.checking.secrets import FindLeak, leak_finder
from dataset_card.checking.source import released_source
from dataset_card.findings import Decode, Findings, Pictures, decoded
from dataset_card.releases.files import OPTIONAL_FILES, SINGLE_FILES
from dataset_card.releases.record import JUDGES, MAX_BYTES, PROVENANCE, RELEASE, RUNS, Vouched
from dataset_card.tables.parquet import config_of, read_table, schema_faults, table_hashes
from dataset_card.tables.reading import ReleasedRun, Tables
from dataset_card.tables.rows import ReleaseSource, Row
from dataset_card.tables.schema import EPISODES, INSTANCES, LEADERBOARD, PREVIEWS, SCORES, TRANSCRIPTS, Config
from ircore.core.errors import InputError
from ircore.core.records import Run
from ircore.core.score_records import JudgeIdentity
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        faults: One line each, ``where: what``.
        rows: Rows read.
        pictures: Distinct pictures decoded.
        counts: Sound rows of each config.
        runs: The release's runs read back, pictures left out; only to be relied on if there is no fault.
        source: What it is made of, with its pictures; None if its tables have a fault.
        not_checked: What its layout, or who wrote it, does not allow to check; one line each.
        rescored: What was computed again from the pictures, and what could not be; one line each.
    """

    faults: tuple[str, ...]
    rows: int
    pictures: int
    counts: Counter[str]
    runs: tuple[ReleasedRun, ...] = ()
    source: ReleaseSource | None = field(default=None, compare=False, repr=False)
    not_checked: tuple[str, ...] = ()
    rescored: tuple[str, ...] = ()


AHEAD = 64
"""Rows whose pictures are decoded together."""

LARGE = 200_000_000
"""Bytes of tables from which on starting processes takes less time than they save."""


def check_release(folder: Path, processes: int = 1, card: bool = True) -> Report:
    """Check a release: files, card, schemas, rows, references, pictures, texts, and the leaderboard recomputed.

    Tables are read in small batches; records without their pictures are held.

    Args:
        folder: The release.
        processes: How many may decode the pictures of a large one; see ``decoding_processes``.
        card: Whether the card has to be this version's own; whoever reads the data alone does not read it.

    Raises:
        InputError: There is no such folder.
        WorkError: A process died over a picture.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a folder made by: ircore release build … --out DIR")
    if large := [name for name in sorted(SINGLE_FILES) if _is_large(folder / name)]:
        faults = tuple(f"{name}: larger than {MAX_BYTES // 2**20} MiB" for name in large)
        return Report(faults, 0, 0, Counter())
    tables = sum(path.stat().st_size for path in folder.glob("data/*/*.parquet"))
    decoding = decoding_processes(processes) if processes > 1 and tables > LARGE else nullcontext()
    with leak_finder() as find_leak, decoding as decode:
        return _check(folder, find_leak, decode, card)


def _is_large(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > MAX_BYTES


def _check(folder: Path, find_leak: FindLeak, decode: Decode | None, card: bool) -> Report:
    findings = Findings()
    _check_files(folder, find_leak, findings)
    hashes = table_hashes(folder)
    record = RecordCheck(folder, hashes, findings)
    pictures = Pictures(findings, decode)
    runs = _read_runs(folder, findings)
    tables = Tables(
        findings, pictures, runs, _read_judges(folder, findings), _read_provenance(folder, findings, runs.keys())
    )
    counts = Counter[str]()
    # In this order every row can be checked against those it refers to.
    for config, take in (
        (INSTANCES, tables.take_instance),
        (TRANSCRIPTS, tables.take_turn),
        (EPISODES, tables.take_episode),
        (SCORES, tables.take_score),
        (LEADERBOARD, tables.take_board_row),
        (PREVIEWS, tables.take_preview),
    ):
        config = config_of(folder, config)  # as this release has it
        rows = _sound_rows(folder, config, findings)
        while held := list(islice(rows, AHEAD)):
            pictures.look_ahead([column.name for column in config.images], (row for _, row in held))
            for where, row in held:
                counts[config.name] += 1
                _check_texts(where, row, find_leak, findings)
                record.take(config, row)
                take(where, row)
    tables.finish()
    if card:
        check_card(folder, counts, findings)
    check_licences(folder, tables.instances(), runs.values(), findings)
    for fault in croissant_faults(folder, hashes):
        findings.add(CROISSANT, fault)
    record.finish()
    source = None if tables.results is None else released_source(folder, tables.runs(), tables.results)
    not_checked: tuple[str, ...] = ()
    if card and source is not None and record.record is not None:
        not_checked = check_derived(folder, source, record.record, hashes, findings)
    faults = tuple(findings.faults)
    return Report(faults, findings.rows, len(pictures), counts, tables.runs(), source, not_checked)


def _check_files(folder: Path, find_leak: FindLeak, findings: Findings) -> None:
    for name in sorted(SINGLE_FILES):
        path = folder / name
        if not path.is_file():
            if name != RELEASE and name not in OPTIONAL_FILES:  # the first is missed where it is read
                findings.add(name, "is missing")
        elif path.suffix == ".png":
            if isinstance(size := decoded(path.read_bytes()), str):
                findings.add(name, size)
        elif found := find_leak(path.read_text("utf-8", errors="replace")):
            findings.add(name, f"holds {found}")


def _read_runs(folder: Path, findings: Findings) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for run in sound_records(folder, RUNS, TypeAdapter(Run), findings):
        if run.run_id in runs:
            findings.add(RUNS, f"run {run.run_id} is there twice")
        runs[run.run_id] = run
    return runs


def _read_judges(folder: Path, findings: Findings) -> dict[str, JudgeIdentity]:
    judges: dict[str, JudgeIdentity] = {}
    for judge in sound_records(folder, JUDGES, TypeAdapter(JudgeIdentity), findings):
        if judges.setdefault(judge.name, judge) is not judge:
            findings.add(JUDGES, f"judge {judge.name} is there twice")
    return judges


def _read_provenance(folder: Path, findings: Findings, runs: Collection[str]) -> dict[str, Provenance]:
    found: dict[str, Provenance] = {}
    for one in sound_records(folder, PROVENANCE, TypeAdapter(Vouched), findings):
        if one.run_id not in runs:
            findings.add(PROVENANCE, f"unknown run {one.run_id}")
        elif found.setdefault(one.run_id, one.provenance) is not one.provenance:
            findings.add(PROVENANCE, f"run {one.run_id} is there twice")
    return found


def _sound_rows(folder: Path, config: Config, findings: Findings) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a config that have all they must have; none if the schema is not the right one."""
    faults = schema_faults(folder, config)
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


def _check_texts(where: str, row: Row, find_leak: FindLeak, findings: Findings) -> None:
    for name, value in row.items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and (found := find_leak(text)):
                findings.add(f"{where}: {name}", f"holds {found}")
