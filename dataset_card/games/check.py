"""Checking a release of a game: files, columns, pictures, texts and references; and that ``datasets`` loads it."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from dataset_card.checking.secrets import leak_finder
from dataset_card.findings import Findings, decoded
from dataset_card.games.release import CARD, ConfigRecord, GameRelease, content_of, read_game_release, render_card
from dataset_card.releases.record import RELEASE, RUNS
from dataset_card.tables.parquet import read_table, schema_faults, table_files
from ircore.core.errors import InputError
from ircore.core.game_records import GameInstance, GameRun
from ircore.core.journal import read_records

LOADING = """
import json, sys
import datasets
place, names = sys.argv[1], sys.argv[2:]
loaded = {name: datasets.load_dataset(place, name, split="test") for name in names}
print(json.dumps({name: [len(table), table.column_names] for name, table in loaded.items()}), flush=True)
"""
"""What a user does, in a process of its own."""


class GameReport(NamedTuple):
    """What a check found; rows and runs are only to be relied on if there is no fault."""

    faults: tuple[str, ...]
    rows: int
    pictures: int
    runs: tuple[GameRun, ...]
    tables: dict[str, list[dict[str, Any]]]
    rescored: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()


def check_game_release(folder: Path, load: bool = True) -> GameReport:
    """Check a release of a game. Records without their pictures are held.

    Args:
        folder: The release.
        load: Whether to load every table with ``datasets``.
    """
    findings = Findings()
    try:
        record = read_game_release(folder)
        runs = tuple(read_records(folder / RUNS, TypeAdapter(GameRun)))
    except InputError as error:
        return GameReport((error.problem,), 0, 0, (), {})
    _check_files(folder, record, findings)
    seen: set[str] = set()
    tables: dict[str, list[dict[str, Any]]] = {}
    if not findings.faults:
        tables = {config.name: list(_sound_rows(folder, config, findings, seen)) for config in record.configs}
        _check_references(record, runs, tables, findings)
    if load and not findings.faults:
        findings.faults += _loading_faults(folder, record)
    return GameReport(tuple(findings.faults), findings.rows, len(seen), runs, tables)


def _check_files(folder: Path, record: GameRelease, findings: Findings) -> None:
    listed = {name for config in record.configs for name in config.files}
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(held - listed - {RELEASE, RUNS, CARD}):
        if not name.startswith("."):
            findings.add(name, "not part of the release")
    for config in record.configs:
        findings.faults += schema_faults(folder, config.config())
        if {path.relative_to(folder).as_posix() for path in table_files(folder, config.config())} != set(config.files):
            findings.add(f"data/{config.name}", f"other files than {RELEASE} names")
            continue
        for name, sha256 in config.files.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sha256:
                findings.add(name, f"not the file that {RELEASE} names")
    runs = hashlib.sha256((folder / RUNS).read_bytes()).hexdigest()
    if runs != record.runs or content_of(record.configs, runs) != record.content:
        findings.add(RELEASE, "content is not the hash of what the release holds")
    card = (folder / CARD).read_text("utf-8", errors="replace") if (folder / CARD).is_file() else ""
    title = next((line[2:] for line in card.splitlines() if line.startswith("# ")), "")
    if card != render_card(record, title):
        findings.add(CARD, f"not the card of {RELEASE}")


def _sound_rows(folder: Path, config: ConfigRecord, findings: Findings, seen: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table without the bytes of their pictures, each picture decoded and its hash compared."""
    with leak_finder() as find_leak:
        for where, row in read_table(folder, config.config()):
            findings.rows += 1
            for column in config.columns:
                value: Any = row[column.name]
                if value is None:
                    if not column.nullable:
                        findings.add(where, f"no value for {column.name}")
                elif column.kind == "image":
                    _check_picture(f"{where}: {column.name}", value, row.get(f"{column.name}_sha256"), findings, seen)
                elif isinstance(value, str) and (leak := find_leak(value)):
                    findings.add(f"{where}: {column.name}", f"holds {leak}")
            yield {name: value for name, value in row.items() if not isinstance(value, dict)}


def _check_picture(where: str, cell: Any, stated: object, findings: Findings, seen: set[str]) -> None:
    data = bytes(cell["bytes"] or b"")
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != stated:
        findings.add(where, "not the picture that its hash names")
    elif sha256 not in seen:
        seen.add(sha256)
        if isinstance(said := decoded(data), str):
            findings.add(where, said)


def _check_references(
    record: GameRelease, runs: tuple[GameRun, ...], tables: dict[str, list[dict[str, Any]]], findings: Findings
) -> None:
    by_id = {run.run_id: run for run in runs}
    for run in runs:
        if (run.game, run.instance_set) != (record.game, record.instance_set):
            findings.add(RUNS, f"{run.run_id}: of another game or set than {RELEASE} says")
    instances = {str(row["instance_id"]) for row in tables["instances"]}
    for row in tables["instances"]:
        _check_record(row, findings)
    episodes = {(row["run_id"], row["episode_id"]): row for row in tables["episodes"]}
    steps = Counter((row["run_id"], row["episode_id"]) for row in tables[f"transcripts_{record.game}"])
    for (run_id, episode_id), row in episodes.items():
        if run_id not in by_id or row["instance_id"] not in instances:
            findings.add("episodes", f"{episode_id}: of no run or instance of the release")
        if steps[run_id, episode_id] != row["steps"]:
            findings.add(
                "episodes", f"{episode_id}: {row['steps']} steps, the transcripts have {steps[run_id, episode_id]}"
            )
    for name in (f"transcripts_{record.game}", "scores"):
        for row in tables[name]:
            if (row["run_id"], row["episode_id"]) not in episodes:
                findings.add(name, f"{row['episode_id']}: of no episode of the release")
            if row["game"] != record.game:
                findings.add(name, f"{row['episode_id']}: of another game")


def _check_record(row: dict[str, Any], findings: Findings) -> None:
    try:
        instance = GameInstance.model_validate_json(row["record"])
    except ValidationError:
        findings.add("instances", f"{row['instance_id']}: record is no instance")
        return
    hashes = {f"picture_{name}_sha256": picture.sha256 for name, picture in instance.pictures.items()}
    if instance.instance_id != row["instance_id"] or any(row.get(name) != value for name, value in hashes.items()):
        findings.add("instances", f"{row['instance_id']}: record and columns differ")


def _loading_faults(folder: Path, record: GameRelease) -> list[str]:
    command = [sys.executable, "-P", "-c", LOADING, str(folder.resolve()), *(config.name for config in record.configs)]
    with tempfile.TemporaryDirectory(prefix="ircore-loading-") as cache:
        environment = os.environ | {"HF_DATASETS_CACHE": cache, "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        return [f"load_dataset: {(done.stderr.strip().splitlines() or ['failed'])[-1][:300]}"]
    loaded = json.loads(done.stdout.splitlines()[-1])
    return [
        f"load_dataset({config.name!r}): {loaded[config.name][0]} rows, the files have {config.rows}"
        for config in record.configs
        if loaded[config.name] != [config.rows, [column.name for column in config.columns]]
    ]
