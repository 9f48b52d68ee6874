"""The JSON Schemas that a site publishes: one for each record, closed."""

import pytest

from ircore.core.episode_records import Episode
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.core.submission_records import Run, Submission
from leaderboard.building.sources import json_schemas


@pytest.mark.parametrize("kind", [Instance, Submission, Run, Episode, Score])
def test_every_record_round_trips_through_its_schema_name(kind: type) -> None:
    assert kind.__name__.lower() in json_schemas()


def test_schemas_are_closed() -> None:
    schemas = json_schemas()
    # A manifest has the seats and rules of its game.
    formats = [schemas["submission"]["$defs"][name] for name in ("ReconstructionSubmission", "ReferenceSubmission")]
    assert {"speaker", "listener"} <= formats[1]["properties"].keys()
    closed = [*formats, *(schema for name, schema in schemas.items() if name != "submission")]
    assert all(schema["additionalProperties"] is False for schema in closed)
