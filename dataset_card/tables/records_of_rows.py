"""Rows of a release back to the fields of records, which the caller validates."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from dataset_card.tables.rows import PLAIN_SCORE_FIELDS, Row
from ircore.core.episode_records import Rendering
from ircore.games.reconstruction.records import Outcome, Turn
from ircore.results.cell import Cell
from ircore.results.episodes import CONVERGENCES, Doubt
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board import PRIMARY
from ircore.results.tables.names import ALL

_TURN = ("turn", "action", "message", "message_tokens", "over_budget", "leniencies", "notes", "seconds")
_EPISODE = ("episode_id", "instance_id", "category", "difficulty", "outcome", "abort_reason")
_MEANS = ("delta", "preference", "turns", "tokens", "seconds", "over_budget", "cost")

TURN_COLUMNS = ("episode_id", *_TURN, "rendering_sha256", "rendering_width", "rendering_height")
EPISODE_COLUMNS = (*_EPISODE, "abort_detail", "cost_usd")
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


def cost_of(row: Row) -> float | None:
    """Return the cost of the episode in a row of ``episodes``, US dollars; None if unknown."""
    cost = row["cost_usd"]
    # An unknown cost is null, and must not count as a cost of zero.
    return float(cost) if isinstance(cost, float) else None


def _doubt(row: Row) -> Doubt | None:
    """Return how far undecided facts leave a score open; None where the judge tells no facts."""
    if row["lowest"] is None:
        return None
    low, high, undecided = (float(str(row[name])) for name in ("lowest", "highest", "undecided"))
    return Doubt(low, high, undecided, unread=bool(row["unread"]))


def cell_of(row: Row) -> Cell:
    """Return the cell of a row of ``leaderboard``, ``same_family`` not set: that is known of all runs together."""
    counts, main = cast("dict[str, int]", row), _estimate(row, "main_score")
    return Cell(
        run_id=str(row["run_id"]),
        category=None if row["category"] == ALL else str(row["category"]),
        difficulty=None if row["difficulty"] == ALL else str(row["difficulty"]),
        judge=str(row["judge"]),
        episodes=counts["episodes"],
        played=counts["played"],
        unfinished=counts["unfinished"],
        applicable=counts["applicable"],
        rated=counts["rated"],
        refused=counts["refused"],
        pending=counts["not_yet"],
        doubt=_doubt(row),
        outcomes={name: counts[name] for name in get_args(Outcome)},
        convergence={name: counts[name] for name in CONVERGENCES},
        score=_estimate(row, PRIMARY),
        main=main,
        counted=main.n,
        **cast("dict[str, Any]", {name: _estimate(row, name) for name in _MEANS}),
        same_family=False,
        detectable=cast("float | None", row["detectable"]),
    )


def _estimate(row: Row, key: str) -> Estimate:
    """Return the estimate under the names of ``ircore.results.tables.formats.flat_columns``."""
    prefix = "" if key == PRIMARY else f"{key}_"
    mean, low, high = (cast("float | None", row[prefix + part]) for part in ("mean", "low", "high"))
    return Estimate(mean, low, high, cast("int", row[f"{prefix}n"]))
