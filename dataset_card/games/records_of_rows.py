"""Rows of a game's tables back to the records that they were made of; whoever calls handles faulty rows."""

import json
from collections.abc import Sequence
from typing import Any

from dataset_card.tables.rows import Row
from ircore.core.episode_records import Episode
from ircore.core.records import Instance

_EPISODE = ("episode_id", "instance_id", "category", "difficulty", "outcome", "abort_reason")

STEP_COLUMNS = ("episode_id", "record")
EPISODE_COLUMNS = (*_EPISODE, "abort_detail")
"""The columns that the functions below need."""


def step_of(row: Row) -> dict[str, Any]:
    """Return the step of a row of a game's transcripts.

    Raises:
        ValueError: The record is no JSON object.
    """
    step = json.loads(str(row["record"]))
    if not isinstance(step, dict):
        raise ValueError("record is no JSON object")
    return step


def episode_of(row: Row, steps: Sequence[dict[str, Any]]) -> Episode:
    """Return the episode of a row of ``episodes``.

    Raises:
        pydantic.ValidationError: The row is no episode.
    """
    fields: dict[str, Any] = {name: row[name] for name in _EPISODE}
    return Episode(**fields, detail=row["abort_detail"], steps=tuple(steps))


def instance_of(row: Row) -> Instance:
    """Return the instance of a row of ``instances``.

    Raises:
        pydantic.ValidationError: The record is no instance.
    """
    return Instance.model_validate_json(str(row["record"]))
