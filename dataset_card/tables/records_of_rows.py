"""Rows of a release back to the fields of records, which the caller validates."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from typing import Any, cast

from dataset_card.tables.columns import Config, ReleaseColumn, parse_cells
from dataset_card.tables.rows import Row, parse_public_id
from dataset_card.tables.schema import EPISODES, SCORES
from ircore.core.episode_records import EpisodeCost
from ircore.results.cells import Cell
from ircore.results.episodes import Doubt
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board import Filling
from ircore.results.tables.pairs import ALL

COST_COLUMNS = ("cost_usd", "seconds")

_PICTURE_COLUMNS = ("picture_names", "picture_files", "pictures_sha256", "picture_widths", "picture_heights")


def list_plain_columns(config: Config, *more: str) -> list[str]:
    """Return the columns of a table that its records are read from, and further ones."""
    return [column.name for column in config.columns if column.field or column.name in more]


def step_fields(config: Config, row: Row) -> dict[str, Any]:
    """Return the step of a row of a game's transcripts.

    Raises:
        ValueError: A text that must be JSON is none.
    """
    return parse_cells(config.columns, row)


def parse_episode_fields(row: Row, steps: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """Return the fields of the ``Episode`` in a row of ``episodes``; the steps are records or mappings."""
    return _parse_own_fields(EPISODES.columns, row) | {"steps": tuple(steps)}


def score_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Score`` of a row of ``scores``."""
    return _parse_own_fields(SCORES.columns, row)


def parse_instance_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Instance`` of a row of ``instances``.

    Raises:
        ValueError: Its lists are not of one length, or its scene or payload is no JSON.
    """
    files = zip(*(cast("Sequence[Any]", row[name]) for name in _PICTURE_COLUMNS), strict=True)
    scene = {} if row["scene"] is None else {"scene": json.loads(str(row["scene"]))}
    plain = ("game", "category", "difficulty", "source", "licence", "seed")
    return {name: row[name] for name in plain} | {
        "instance_id": parse_public_id(row["instance_id"]),
        "pictures": {
            name: {"image": image, "sha256": sha256, "width": width, "height": height}
            for name, image, sha256, width, height in files
        },
        "payload": json.loads(str(row["payload"])) | scene,
    }


def parse_cost(row: Row) -> EpisodeCost:
    """Return what the episode in a row of ``episodes`` cost."""
    # An unknown cost is null, and must not count as a cost of zero.
    known = (float(value) if isinstance(value := row[name], float) else None for name in COST_COLUMNS)
    return EpisodeCost(**dict(zip(("usd", "seconds"), known, strict=True)))


def _parse_own_fields(columns: Iterable[ReleaseColumn], row: Row) -> dict[str, Any]:
    """Return the fields of a record with the ids that it has in its run and its set."""
    fields = parse_cells(columns, row)
    return fields | {name: parse_public_id(fields[name]) for name in ("episode_id", "instance_id") if name in fields}


def parse_board_cells(rows: Iterable[Row], columns: Sequence[Filling]) -> Iterable[Cell]:
    """Yield the cells of the rows of ``leaderboard`` of a run of a game whose headline judges give.

    Whether judge and describer are of one family is not set: that is known of all runs together.

    Args:
        rows: The run's rows, in their order.
        columns: Those of the game's boards, each of which says where its number stands in a cell.
    """
    by_all: dict[tuple[object, object], dict[object, Row]] = {}
    by_judge: dict[tuple[object, object, object], dict[object, Row]] = {}
    for row in rows:
        place = row["category"], row["difficulty"]
        own = by_all.setdefault(place, {}) if row["by"] == row["game"] else by_judge.setdefault((*place, row["by"]), {})
        own[row["measure"]] = row
    for (category, difficulty, judge), numbers in by_judge.items():
        known = by_all[category, difficulty] | numbers
        named: Row = {"run_id": numbers["main_score"]["run_id"], "judge": judge}
        yield _build_cell(named | {"category": category, "difficulty": difficulty}, known, columns)


def _build_cell(named: Row, numbers: Mapping[object, Row], columns: Sequence[Filling]) -> Cell:
    fields: dict[str, Any] = {}
    for filled in columns:
        *path, name = filled.field or ("",)
        inner = fields
        for step in path:
            inner = inner.setdefault(step, {})
        if name:
            inner[name] = _number(named, numbers.get(filled.column.key), filled)
    for condition in ("category", "difficulty"):
        fields[condition] = None if fields[condition] == ALL else fields[condition]
    doubt = fields.pop("doubt")
    return Cell(
        **{name: value for name, value in fields.items() if name in _CELL_FIELDS},
        doubt=None if doubt["low"] is None else Doubt(**doubt | {"unread": bool(doubt["unread"])}),
        counted=fields["main"].n,
        same_family=False,
    )


_CELL_FIELDS = {field.name for field in dataclass_fields(Cell)} - {"same_family"}
"""Fields of a cell that columns hold; others, such as the share that was played, follow from these."""


def _number(named: Row, row: Row | None, filled: Filling) -> Any:
    if filled.column.estimated:
        known = row or {}
        mean, low, high = (cast("float | None", known.get(part)) for part in ("mean", "low", "high"))
        return Estimate(mean, low, high, cast("int", known.get("n", 0)))
    if filled.column.key in named:
        return named[filled.column.key]
    value = None if row is None else cast("float", row["mean"])
    return int(value) if value is not None and filled.column.digits == 0 else value
