"""Rows of a game's tables back to the records that they were made of; whoever calls handles faulty rows."""

import json
from typing import Any

from dataset_card.tables.rows import Row
from ircore.core.records import Instance

STEP_COLUMNS = ("episode_id", "record")
"""The columns that ``step_of`` needs."""


def step_of(row: Row) -> dict[str, Any]:
    """Return the step of a row of a game's transcripts.

    Raises:
        ValueError: The record is no JSON object.
    """
    step = json.loads(str(row["record"]))
    if not isinstance(step, dict):
        raise ValueError("record is no JSON object")
    return step


def instance_of(row: Row) -> Instance:
    """Return the instance of a row of ``instances``.

    Raises:
        pydantic.ValidationError: The record is no instance.
    """
    return Instance.model_validate_json(str(row["record"]))
