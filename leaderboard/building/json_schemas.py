"""The JSON Schema of every record, for publishing."""

from typing import Any

from pydantic import TypeAdapter

from ircore.core.episode_records import Episode
from ircore.core.game_records import AnySubmission, GameEpisode, GameRun, GameScore
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every record by the record's name, for publishing."""
    kinds = (Instance, Run, Episode, Score, JudgeIdentity, Instance, GameRun, GameEpisode, GameScore)
    manifest = {"title": "Submission", **TypeAdapter(AnySubmission).json_schema()}
    return {**{kind.__name__.lower(): kind.model_json_schema() for kind in kinds}, "submission": manifest}
