"""Rows of a release back to the fields of records, each kind said once; whoever calls validates them."""

from collections.abc import Sequence
from typing import Any

from dataset_card.rows import Row
from ircore.records import Rendering, Turn

_TURN = ("turn", "action", "message", "message_tokens", "over_budget", "leniencies", "notes", "seconds")
_EPISODE = ("episode_id", "instance_id", "category", "difficulty", "outcome", "abort_reason")
_SCORE = ("episode_id", "turn", "task", "judge", "value", "reason", "annotator")


def turn_fields(row: Row, rendering: Rendering | None) -> dict[str, Any]:
    """Return the fields of the ``Turn`` of a row of ``transcripts``."""
    return {name: row[name] for name in _TURN} | {"rendering": rendering}


def episode_fields(row: Row, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return the fields of the ``Episode`` of a row of ``episodes``."""
    return {name: row[name] for name in _EPISODE} | {"detail": row["abort_detail"], "turns": tuple(turns)}


def score_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Score`` of a row of ``scores``."""
    orders = (row["first_leading"], row["final_leading"])
    asked = {"rendering": row["rendering_sha256"], "orders": None if orders == (None, None) else orders}
    return {name: row[name] for name in _SCORE} | asked


def cost_of(row: Row) -> float | None:
    """Return what the episode of a row of ``episodes`` cost, US dollars; None if that is not known."""
    cost = row["cost_usd"]
    return float(cost) if isinstance(cost, float) else None
