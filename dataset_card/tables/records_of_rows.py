"""Rows of a release back to the fields of records, which the caller validates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields as fields_of
from typing import Any, cast

from dataset_card.tables.rows import PLAIN_SCORE_FIELDS, Row
from ircore.core.episode_records import EpisodeCost, Rendering
from ircore.games.reconstruction.records import Turn
from ircore.results.cell import Cell
from ircore.results.episodes import Doubt
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.pairs import ALL
from ircore.results.tables.ranks import Filled

_TURN = ("turn", "action", "message", "message_tokens", "over_budget", "leniencies", "notes", "seconds")
_EPISODE = ("episode_id", "instance_id", "category", "difficulty", "outcome", "abort_reason")

TURN_COLUMNS = ("episode_id", *_TURN, "rendering_sha256", "rendering_width", "rendering_height")
EPISODE_COLUMNS = (*_EPISODE, "abort_detail", "cost_usd", "seconds")
SCORE_COLUMNS = (
    "episode_id",
    *PLAIN_SCORE_FIELDS,
    *("rendering_sha256", "first_leading", "final_leading", "leniencies", "lowest", "highest", "unread"),
)
"""The columns that the functions below need."""


def turn_fields(row: Row, rendering: Rendering | Mapping[str, object] | None) -> dict[str, Any]:
    """Return the fields of the ``Turn`` in a row of ``transcripts``; the rendering is a record or a mapping."""
    stated = {name: row[name] for name in _TURN} | {"rendering": rendering}
    return {name: stated[name] for name in Turn.model_fields}


def episode_fields(row: Row, turns: Sequence[Turn | Mapping[str, object]]) -> dict[str, Any]:
    """Return the fields of the ``Episode`` in a row of ``episodes``; the turns are records or mappings."""
    return {name: row[name] for name in _EPISODE} | {"detail": row["abort_detail"], "steps": tuple(turns)}


def score_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Score`` of a row of ``scores``."""
    # Only models are asked in both orders; of all other scores both columns are null.
    orders = (row["first_leading"], row["final_leading"])
    return {name: row[name] for name in ("episode_id", *PLAIN_SCORE_FIELDS)} | {
        "rendering": row["rendering_sha256"],
        "orders": None if orders == (None, None) else orders,
        "leniencies": row["leniencies"] or (),
        "low": row["lowest"],
        "high": row["highest"],
        "unread": bool(row["unread"]),
    }


def cost_of(row: Row) -> EpisodeCost:
    """Return what the episode in a row of ``episodes`` cost."""
    # An unknown cost is null, and must not count as a cost of zero.
    known = (float(value) if isinstance(value := row[name], float) else None for name in ("cost_usd", "seconds"))
    return EpisodeCost(**dict(zip(("usd", "seconds"), known, strict=True)))


def cell_of(row: Row, columns: Iterable[Filled[Any]], primary: str) -> Cell:
    """Return the cell of a row of ``leaderboard`` of a game whose headline judges give.

    Whether judge and describer are of one family is not set: that is known of all runs together.

    Args:
        row: The row.
        columns: Those of the game's boards, each of which says where its number stands in a cell.
        primary: Key of the column whose flat names are plain ``mean``, ``low``, ``high`` and ``n``.
    """
    fields: dict[str, Any] = {}
    for filled in columns:
        *path, name = filled.field or ("",)
        inner = fields
        for step in path:
            inner = inner.setdefault(step, {})
        if name:
            inner[name] = (
                _estimate(row, filled.column.key, primary) if filled.column.estimated else row[filled.column.key]
            )
    for condition in ("category", "difficulty"):
        fields[condition] = None if fields[condition] == ALL else fields[condition]
    doubt = fields.pop("doubt")
    return Cell(
        **{name: value for name, value in fields.items() if name in _CELL_FIELDS},
        doubt=None if doubt["low"] is None else Doubt(**doubt | {"unread": bool(doubt["unread"])}),
        counted=fields["main"].n,
        same_family=False,
    )


_CELL_FIELDS = {field.name for field in fields_of(Cell)} - {"same_family"}
"""Fields of a cell that columns hold; others, such as the share that was played, follow from these."""


def _estimate(row: Row, key: str, primary: str) -> Estimate:
    """Return the estimate under the names of ``ircore.results.tables.formats.flat_columns``."""
    prefix = "" if key == primary else f"{key}_"
    mean, low, high = (cast("float | None", row[prefix + part]) for part in ("mean", "low", "high"))
    return Estimate(mean, low, high, cast("int", row[f"{prefix}n"]))
