"""Building a release of a game, and what it says of itself."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from dataset_card.games.tables import game_configs, rows_of
from dataset_card.releases.record import RELEASE, RUNS
from dataset_card.tables.parquet import Written, table_files, write_table
from dataset_card.tables.schema import Column, Config, Kind
from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_text
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.validation import describe_validation_error
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.instances.store import GameInstanceSet, read_any_instances
from ircore.results.games import read_game_results
from ircore.runs.folder import GameRunFolder, open_any_run

CARD = "README.md"


class ColumnRecord(Record):
    """A column, as the release has it."""

    name: str = Field(pattern=r"^[a-z][A-Za-z0-9_.-]{0,120}$")
    kind: Kind
    description: str
    nullable: bool = False


class ConfigRecord(Record):
    """A table, as the release has it."""

    name: Name
    row: Line
    columns: tuple[ColumnRecord, ...]
    default: bool = False
    files: dict[Line, Sha256] = Field(description="SHA-256 of each file by its path.")
    rows: int = Field(ge=0)

    def config(self) -> Config:
        """Return it in the form that tables are read by."""
        columns = tuple(Column(one.name, one.kind, one.description, one.nullable) for one in self.columns)
        return Config(self.name, self.row, columns, self.default)


class GameRelease(Record):
    """The identity of a release of a game. File ``release.json``."""

    schema_: Literal[2] = Field(default=2, alias="schema", description="Version of this format.")
    game: Name = Field(description="Which game.")
    instance_set: Sha256 = Field(description="Identity of the instance set that all runs were played on.")
    configs: tuple[ConfigRecord, ...] = Field(description="Its tables, the default one first.")
    runs: Sha256 = Field(description=f"SHA-256 of {RUNS}.")
    content: Sha256 = Field(description="Hash of all tables and runs.")


def is_game_release(folder: Path) -> bool:
    """Return whether a folder holds a release of a game other than reconstruction."""
    try:
        document = json.loads((folder / RELEASE).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("schema") == 2 and "game" in document


def read_game_release(folder: Path) -> GameRelease:
    """Read what a release says of itself.

    Raises:
        InputError: It is damaged.
    """
    try:
        return GameRelease.model_validate_json((folder / RELEASE).read_bytes())
    except ValidationError as error:
        raise InputError(
            f"{folder / RELEASE}: {describe_validation_error(error)}", "Build the release again."
        ) from error


def build_game_release(runs: Sequence[Path], instances_dir: Path, out: Path) -> tuple[Written, ...]:
    """Make a release of one game; the folder appears only when it is complete. The same input gives the same bytes.

    Args:
        runs: Run folders, scored.
        instances_dir: The set that all of them were played on.
        out: Where to; it must not exist or be empty.

    Raises:
        InputError: A run is of another game or set, or has no values yet.
        WorkError: The game cannot be imported, or the place cannot be written.
    """
    instances = read_any_instances(instances_dir)
    if not isinstance(instances, GameInstanceSet):
        raise InputError(
            f"{instances_dir}: instances of {instances.game}", "Give the set that the runs were played on."
        )
    if not runs:
        raise InputError("no run for the release", "Give at least one with --runs.")
    game = load_game(instances.game)
    opened = sorted((_fitting(path, instances) for path in runs), key=lambda run: run.run.run_id)
    results = read_game_results(opened)
    configs = game_configs(game, instances, results)
    with new_folder(out) as folder:
        written = [write_table(folder, one, rows_of(one, game, instances, results)) for one in configs]
        text = "".join(run.run.model_dump_json(by_alias=True) + "\n" for run in opened)
        write_text(folder / RUNS, text)
        record = _describe(folder, game, instances, written, text)
        write_text(folder / RELEASE, record.model_dump_json(by_alias=True, indent=1) + "\n")
        write_text(folder / CARD, render_card(record, game.title))
    return tuple(written)


def _fitting(path: Path, instances: GameInstanceSet) -> GameRunFolder:
    run = open_any_run(path)
    if not isinstance(run, GameRunFolder) or run.run.instance_set != instances.identity:
        raise InputError(
            f"{path}: was played on another instance set than {instances.folder}",
            "Give --instances the set that the run was played on; a copy is in the run's folder instances.",
        )
    return run


def _describe(
    folder: Path, game: Game[Any], instances: GameInstanceSet, written: Sequence[Written], runs: str
) -> GameRelease:
    configs = tuple(
        ConfigRecord(
            name=one.config.name,
            row=one.config.row,
            default=one.config.default,
            columns=tuple(
                ColumnRecord(
                    name=column.name, kind=column.kind, description=column.description, nullable=column.nullable
                )
                for column in one.config.columns
            ),
            files={path.relative_to(folder).as_posix(): _hash(path) for path in table_files(folder, one.config)},
            rows=one.rows,
        )
        for one in written
    )
    hashed = hashlib.sha256(runs.encode()).hexdigest()
    return GameRelease(
        game=game.name,
        instance_set=instances.identity,
        configs=configs,
        runs=hashed,
        content=content_of(configs, hashed),
    )


def content_of(configs: Sequence[ConfigRecord], runs: str) -> str:
    """Return the hash of all that a release holds."""
    lines = [f"{name} {sha256}" for config in configs for name, sha256 in config.files.items()]
    return hashlib.sha256("\n".join([*sorted(lines), runs]).encode()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def render_card(record: GameRelease, title: str) -> str:
    """Return the card: configs for ``load_dataset``, and the columns of every table."""
    import yaml

    head = {
        "pretty_name": title,
        "configs": [
            {
                "config_name": config.name,
                **({"default": True} if config.default else {}),
                "data_files": [{"split": "test", "path": config.config().pattern}],
            }
            for config in record.configs
        ],
    }
    lines = ["---", yaml.safe_dump(head, sort_keys=False, allow_unicode=True).strip(), "---", "", f"# {title}", ""]
    lines += ["```python", "from datasets import load_dataset", "", 'steps = load_dataset(PATH, split="test")', "```"]
    for config in record.configs:
        lines += ["", f"## `{config.name}`: {config.row} a row, {config.rows:,} rows", ""]
        lines += [f"* `{one.name}` ({one.kind}): {one.description}" for one in config.columns]
    return "\n".join(lines) + "\n"
