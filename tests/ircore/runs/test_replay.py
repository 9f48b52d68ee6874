"""The player that answers from a recorded run."""

from pathlib import Path
from typing import Any

import pytest
from pairs import play_pair, write_pair
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from ircore.runs.replay import ReplayPlayer


def replayed(folder: Path, recorded: RunFolder) -> Path:
    seat = {"player": "replay", "parameters": {"run": str(recorded.path)}}
    return write_pair(folder, seat, seat)


def what_happened(run: RunFolder) -> list[dict[str, Any]]:
    return [episode.model_dump(exclude={"turns": {"__all__": {"seconds"}}}) for episode in run.episodes()]


@pytest.mark.slow
def test_a_replayed_run_is_the_recorded_one(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=3)
    recorded = sample_run(tmp_path / "recorded", instances)
    assert {episode.outcome for episode in recorded.episodes()} == {"converged", "aborted"}
    assert play_pair(replayed(tmp_path, recorded), instances, tmp_path / "again") == 0
    again = RunFolder.open(tmp_path / "again")
    assert what_happened(again) == what_happened(recorded)
    assert {path.name for path in (again.path / "renderings").iterdir()} == {
        path.name for path in (recorded.path / "renderings").iterdir()
    }


@pytest.mark.slow
def test_what_was_not_recorded_is_said(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = sample_run(tmp_path / "recorded", instances, limit=3)
    assert play_pair(replayed(tmp_path, recorded), instances, tmp_path / "again") == 1
    assert f"{recorded.path} records no answer to this target and these replies" in capsys.readouterr().err
    outcomes = [episode.abort_reason for episode in RunFolder.open(tmp_path / "again").episodes()]
    assert outcomes == [None, None, None, "provider_error"]


@pytest.mark.slow
def test_one_seat_can_be_replayed_alone(tmp_path: Path, instances: InstanceSet) -> None:
    recorded = sample_run(tmp_path / "recorded", instances)
    pair = write_pair(tmp_path, {"player": "replay", "parameters": {"run": str(recorded.path)}}, {"player": "sketch"})
    assert play_pair(pair, instances, tmp_path / "again", "--limit", "1") == 0
    (episode,) = RunFolder.open(tmp_path / "again").episodes()
    assert [turn.message for turn in episode.turns] == [turn.message for turn in recorded.episodes()[0].turns]


@pytest.mark.parametrize(
    ("parameters", "problem"), [({}, "parameters.run: is missing"), ({"run": "x", "rnu": 1}, "parameters.rnu")]
)
def test_settings_are_checked(parameters: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ReplayPlayer(PlayerSpec(player="replay", parameters=parameters))


def test_a_folder_without_a_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seat = {"player": "replay", "parameters": {"run": str(tmp_path / "nowhere")}}
    assert ircore(["submission", "check", "--local", str(write_pair(tmp_path, seat, {"player": "canvas"}))]) == 2
    assert "describer: " in (error := capsys.readouterr().err)
    assert "nowhere: there is no such folder" in error
