"""``release check``: whether a release is complete, agrees with itself, and may be published."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from dataset_card.build import JUDGES, PROVENANCE, RUNS, Vouched
from dataset_card.card import CARD, CARD_FILES
from dataset_card.findings import Findings, Pictures
from dataset_card.parquet import read_table, schema_faults, table_files
from dataset_card.rows import Row
from dataset_card.schema import CONFIGS, EPISODES, INSTANCES, LEADERBOARD, SCORES, SPLIT, TRANSCRIPTS, Config
from dataset_card.tables import ReleasedRun, Tables
from dataset_card.texts import find_forbidden
from ircore.errors import InputError
from ircore.journal import read_records
from ircore.provenance import Provenance
from ircore.records import JudgeIdentity, Run

MAX_CARD_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        faults: One line each, ``where: what``.
        rows: Rows read.
        pictures: Distinct pictures decoded.
        runs: The release's runs read back, pictures left out; only to be relied on if there is no fault.
    """

    faults: tuple[str, ...]
    rows: int
    pictures: int
    runs: tuple[ReleasedRun, ...] = ()


def check_release(folder: Path) -> Report:
    """Check a release: files, card, schemas, rows, references, pictures, texts, and the leaderboard recomputed.

    Tables are read in small batches; records without their pictures are held.

    Args:
        folder: The release.

    Raises:
        InputError: There is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name a folder made by: ircore release build … --out DIR")
    findings = Findings()
    _check_files(folder, findings)
    pictures = Pictures(findings)
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
    ):
        for where, row in _sound_rows(folder, config, findings):
            counts[config.name] += 1
            _check_texts(where, row, findings)
            take(where, row)
    tables.finish()
    _check_card(folder, counts, findings)
    return Report(tuple(findings.faults), findings.rows, len(pictures), tables.runs())


def _check_files(folder: Path, findings: Findings) -> None:
    for name in (*CARD_FILES, RUNS, JUDGES):
        path = folder / name
        if not path.is_file():
            findings.add(name, "is missing")
        elif path.suffix != ".png" and (found := find_forbidden(path.read_text("utf-8", errors="replace"))):
            findings.add(name, f"holds {found}")
    for config in CONFIGS:
        names = [path.name for path in table_files(folder, config)]
        wanted = [f"{SPLIT}-{index:05d}-of-{len(names):05d}.parquet" for index in range(len(names))]
        if not names or names != wanted:
            findings.add(f"data/{config.name}", "a file is missing" if names else "is missing")


def _read_runs(folder: Path, findings: Findings) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    try:
        for run in read_records(folder / RUNS, TypeAdapter(Run)):
            if run.run_id in runs:
                findings.add(RUNS, f"run {run.run_id} is there twice")
            runs[run.run_id] = run
    except InputError as error:
        findings.add(RUNS, error.problem.removeprefix(f"{folder / RUNS}:"))
    return runs


def _read_judges(folder: Path, findings: Findings) -> dict[str, JudgeIdentity]:
    judges: dict[str, JudgeIdentity] = {}
    try:
        for judge in read_records(folder / JUDGES, TypeAdapter(JudgeIdentity)):
            if judges.setdefault(judge.name, judge) is not judge:
                findings.add(JUDGES, f"judge {judge.name} is there twice")
    except InputError as error:
        findings.add(JUDGES, error.problem.removeprefix(f"{folder / JUDGES}:"))
    return judges


def _read_provenance(folder: Path, findings: Findings, runs: Collection[str]) -> dict[str, Provenance]:
    found: dict[str, Provenance] = {}
    try:
        for one in read_records(folder / PROVENANCE, TypeAdapter(Vouched)):
            if one.run_id not in runs:
                findings.add(PROVENANCE, f"unknown run {one.run_id}")
            elif found.setdefault(one.run_id, one.provenance) is not one.provenance:
                findings.add(PROVENANCE, f"run {one.run_id} is there twice")
    except InputError as error:
        findings.add(PROVENANCE, error.problem.removeprefix(f"{folder / PROVENANCE}:"))
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


def _check_texts(where: str, row: Row, findings: Findings) -> None:
    for name, value in row.items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and (found := find_forbidden(text)):
                findings.add(f"{where}: {name}", f"holds {found}")


def _check_card(folder: Path, counts: Counter[str], findings: Findings) -> None:
    """Check that the card's front matter names the configs, their files and their numbers of rows."""
    document = _front_matter(folder / CARD)
    if isinstance(document, str):
        findings.add(CARD, document)
        return
    listed = {str(one.get("config_name")): one for one in _mappings(document, "configs")}
    sizes = {str(one.get("config_name")): one for one in _mappings(document, "dataset_info")}
    for config in CONFIGS:
        wanted = {"config_name": config.name, "data_files": [{"split": SPLIT, "path": config.pattern}]}
        if listed.get(config.name) != wanted | ({"default": True} if config.default else {}):
            findings.add(CARD, f"configs does not list {config.name} as it must")
        splits = _mappings(sizes.get(config.name, {}), "splits")
        if [one.get("num_examples") for one in splits] != [counts[config.name]]:
            findings.add(CARD, f"dataset_info of {config.name} does not say {counts[config.name]} rows")


def _front_matter(path: Path) -> dict[str, Any] | str:
    """Return the card's metadata, or what is wrong with it."""
    if not path.is_file():
        return "no configs, since there is no card"
    parts = path.read_bytes()[:MAX_CARD_BYTES].decode(errors="replace").split("---\n", 2)
    try:
        document = yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0] else None
    except (yaml.YAMLError, RecursionError) as error:
        return f"its front matter is not valid YAML ({type(error).__name__})"
    return document if isinstance(document, dict) else "has no YAML front matter"


def _mappings(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = document.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
