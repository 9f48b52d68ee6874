"""The player that answers from a recorded run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from openai_server import serving
from pairs import play_pair, served_pair, write_pair
from samples import sample_instances, sample_run

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, PlayerError
from ircore.runs.folder import RunFolder
from ircore.runs.replay import ReplayPlayer


def replayed(folder: Path, recorded: RunFolder) -> Path:
    seat = {"player": "replay", "parameters": {"run": str(recorded.path)}}
    return write_pair(folder, seat, seat)


def what_happened(run: RunFolder) -> list[dict[str, Any]]:
    return [episode.model_dump(exclude={"steps": {"__all__": {"seconds"}}}) for episode in run.episodes()]


@pytest.mark.slow
def test_a_replayed_run_is_the_recorded_one(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=3)
    recorded = sample_run(tmp_path / "recorded", instances)
    assert {episode.outcome for episode in recorded.episodes()} == {"converged", "aborted"}
    assert play_pair(replayed(tmp_path, recorded), instances, tmp_path / "again") == 0
    again = RunFolder(tmp_path / "again")
    assert what_happened(again) == what_happened(recorded)
    assert {path.name for path in (again.path / "renderings").iterdir()} == {
        path.name for path in (recorded.path / "renderings").iterdir()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        ["history=last 1"],
        ["history=last 2"],
        ["history=first and last"],
        ["drawing=redraw"],
        ["drawing=rewrite"],
        ["drawing=redraw", "history=last 1"],
        ["over_budget=truncate", "token_budget=3"],
    ],
    ids=" ".join,
)
def test_a_run_by_other_rules_is_replayed_by_them(tmp_path: Path, instances: InstanceSet, rules: list[str]) -> None:
    given = [word for rule in rules for word in ("--rule", rule)]
    with serving(turns=4) as server:
        parameters: dict[str, Any] = {"rewriter": "a-rewriter"} if "drawing=rewrite" in rules else {}
        pair = served_pair(tmp_path, server.base_url, **parameters)
        assert play_pair(pair, instances, tmp_path / "recorded", *given) == 0
        asked = server.count()
        recorded = RunFolder(tmp_path / "recorded")
        assert play_pair(replayed(tmp_path, recorded), instances, tmp_path / "again", *given) == 0
        assert server.count() == asked
    assert what_happened(RunFolder(tmp_path / "again")) == what_happened(recorded)


@pytest.mark.slow
def test_a_run_is_replayed_with_less_in_sight(tmp_path: Path, instances: InstanceSet) -> None:
    """What was said is found by what is shown of it, whatever the rules leave out."""
    with serving(turns=4) as server:
        assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "recorded") == 0
    recorded = RunFolder(tmp_path / "recorded")
    for number, rule in enumerate(("history=last 1", "history=first and last", "drawing=redraw")):
        again = tmp_path / str(number)
        assert play_pair(replayed(tmp_path, recorded), instances, again, "--rule", rule) == 0
        assert what_happened(RunFolder(again)) == what_happened(recorded)


@pytest.mark.slow
def test_other_words_in_sight_are_another_dialogue(tmp_path: Path, instances: InstanceSet) -> None:
    with serving(turns=4) as server:
        pair = served_pair(tmp_path, server.base_url)
        assert play_pair(pair, instances, tmp_path / "recorded", "--limit", "1") == 0
    player = ReplayPlayer(PlayerSpec(player="replay", parameters={"run": str(tmp_path / "recorded")}))
    folder = RunFolder(tmp_path / "recorded")
    target = folder.instances.picture(folder.instances.instances[0], "target")
    first, second, *_ = (call.text or "" for call in folder.calls().values() if call.role == "describer")
    drawn = tuple(folder.stored_rendering(call.rendering) for call in folder.calls().values() if call.rendering)

    def view(turn: int, replies: tuple[str, ...], renderings: tuple[Picture, ...]) -> DescriberView:
        return DescriberView(turn, "", target, renderings, replies, replies, (), 200, 0)

    for turn, replies, renderings in (
        (2, ("Something else.",), drawn[:1]),
        (3, (first,), drawn[:1]),  # not the last one
        (4, (first, second), drawn[:2]),  # neither the last ones nor the first and the last
        (2, (), ()),  # always the last one at least
    ):
        with pytest.raises(PlayerError, match="records no answer"):
            asyncio.run(player.describe(view(turn, replies, renderings)))
    assert asyncio.run(player.describe(view(3, (second,), drawn[1:2]))).text


@pytest.mark.slow
def test_what_was_not_recorded_is_said(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = sample_run(tmp_path / "recorded", instances, limit=3)
    assert play_pair(replayed(tmp_path, recorded), instances, tmp_path / "again") == 1
    assert f"{recorded.path} records no answer to this target and these replies" in capsys.readouterr().err
    outcomes = [episode.abort_reason for episode in RunFolder(tmp_path / "again").episodes()]
    assert outcomes == [None, None, None, "provider_error"]
