"""Repeats: several episodes of each instance in one run, under seeds of their own."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from openai_server import serving
from pairs import play_pair, served_pair, write_pair
from samples import BlockGenerator, CentreDescriber, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.plugins.replay import ReplayPlayer
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import list_turns
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet, write_instances
from ircore.players.base import DescriberView, PlayerError, TextAnswer
from ircore.runs.folder import RunFolder
from ircore.runs.merge import merge
from ircore.runs.play import open_run, play
from ircore.runs.session import PlayPlan
from ircore.submissions.rescoring.rules import TranscriptReplay

PAIR = "captioner+sketch"


class LuckyDescriber(CentreDescriber):
    """Says a place that the seed of the question decides, and is done."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn == 2:
            return TextAnswer("<DONE>")
        return TextAnswer(f"<DESCRIPTION>left {view.seed % 60} colour #1f77b4</DESCRIPTION>")


def lucky_run(out: Path, instances: InstanceSet, seed: int = 0, repeats: int = 1) -> RunFolder:
    """Play a run with a describer that depends on the seed alone."""
    return sample_run(out, instances, describer=LuckyDescriber, seeds=(seed, repeats))


def messages(run: RunFolder) -> dict[str, str | None]:
    """Return the first message of each episode."""
    return {episode.episode_id: list_turns(episode)[0].message for episode in run.episodes()}


def test_repeats_are_what_runs_of_their_seeds_are(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    both = messages(lucky_run(tmp_path / "both", instances, seed=7, repeats=2))
    first, second = (messages(lucky_run(tmp_path / f"seed-{seed}", instances, seed)) for seed in (7, 8))
    assert both == first | {f"{name}.r2": said for name, said in second.items()}
    assert len(both) == 8
    assert first != second


def test_repeats_stand_beside_each_other_and_are_played_one_after_the_other(tmp_path: Path) -> None:
    run = lucky_run(tmp_path / "run", sample_instances(tmp_path / "set"), repeats=3)
    assert [(episode.episode_id, episode.repeat) for episode in run.episodes()][:4] == [
        ("geometry-easy-01", 1),
        ("geometry-easy-01.r2", 2),
        ("geometry-easy-01.r3", 3),
        ("geometry-hard-01", 1),
    ]
    lines = (run.path / "journal.jsonl").read_text().splitlines()
    ends = [json.loads(line)["episode"]["episode_id"] for line in lines if '"event":"end"' in line]
    assert [name.partition(".")[2] for name in ends] == [""] * 4 + ["r2"] * 4 + ["r3"] * 4


def test_a_resumed_run_plays_the_episodes_that_are_missing(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    run = lucky_run(tmp_path / "run", instances, repeats=2)
    whole = messages(run)
    journal = run.path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(line for line in lines if "geometry-hard-01.r2" not in line))
    assert len(RunFolder(run.path).episodes()) == 7
    assert messages(lucky_run(run.path, instances, repeats=2)) == whole
    assert len(journal.read_text().splitlines()) == len(lines)


def test_another_number_of_repeats_is_another_run(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    run = lucky_run(tmp_path / "run", instances, repeats=2)
    with pytest.raises(InputError, match=r"more_seeds: this run was played with \(1,\), not \(1, 2\)"):
        lucky_run(tmp_path / "run", instances, repeats=3)
    assert "more_seeds" not in json.loads((lucky_run(tmp_path / "one", instances).path / "run.json").read_text())
    assert run.run.seeds == (0, 1)


def test_ids_that_look_like_those_of_repeats_are_refused(tmp_path: Path) -> None:
    source = sample_instances(tmp_path / "set")
    first, other, *_ = source.instances
    renamed = other.model_copy(update={"instance_id": f"{first.instance_id}.r2"})
    twins = write_instances(tmp_path / "twins", [(first, source.pictures(first)), (renamed, source.pictures(other))])
    with pytest.raises(InputError, match=r"geometry-easy-01\.r2: repeats of the set's instances could not be told"):
        lucky_run(tmp_path / "run", twins, repeats=2)
    assert len(lucky_run(tmp_path / "once", twins).episodes()) == 2


def test_the_rules_lead_to_every_repeat(tmp_path: Path) -> None:
    run = lucky_run(tmp_path / "run", sample_instances(tmp_path / "set"), repeats=2)
    game = load_game("reconstruction")
    replay = TranscriptReplay(run.run, run.instances, game, game.read_prompts(None))
    assert replay.faults(list(run.events())) == ()
    less = [event for event in run.events() if getattr(event, "episode_id", "") != "geometry-easy-01.r2"]
    assert replay.faults(less)[0] == "geometry-easy-01.r2: turn 1: the describer's answer is missing"


def test_a_replayed_run_answers_each_repeat_with_its_own_answer(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    run = lucky_run(tmp_path / "run", instances, repeats=3)
    spec = run.run.submission.players["describer"].model_copy(
        update={"player": "replay", "parameters": {"run": str(run.path)}}
    )
    again = open_run(tmp_path / "again", run.run, instances)
    plan = PlayPlan(run.run, instances, instances.instances, load_prompts("reconstruction"), concurrency=2)
    player = ReplayPlayer(spec)
    play(plan, again, ReconstructionGame(), {"describer": player, "generator": player})
    assert messages(again) == messages(run)


def test_single_episodes_of_a_plan_can_be_played(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    run = lucky_run(tmp_path / "run", instances, repeats=2)
    again = open_run(tmp_path / "again", run.run, instances)
    plan = PlayPlan(run.run, instances, instances.instances, load_prompts("reconstruction"), concurrency=2)
    only = frozenset({"geometry-easy-01.r2", "simple_shapes-hard-01"})
    spec = run.run.submission.players["describer"]
    pair = {"describer": LuckyDescriber(spec), "generator": BlockGenerator(spec)}
    played = play(replace(plan, only=only), again, ReconstructionGame(), pair)
    assert [episode.episode_id for episode in played] == sorted(only)


@pytest.mark.slow
def test_shards_and_processes_play_repeats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instances = sample_instances(tmp_path / "set")
    given = ["play", PAIR, "--instances", str(instances.folder), "--max-turns", "2", "--repeats", "2"]
    assert ircore([*given, "--out", str(tmp_path / "whole"), "--dry-run"]) == 0
    assert "8 of 8 episodes to play, 0 finished" in capsys.readouterr().out
    assert ircore([*given, "--out", str(tmp_path / "whole"), "--processes", "2"]) == 0
    assert "8 of 8 episodes" in capsys.readouterr().err
    for index in (1, 2):
        assert ircore([*given, "--out", str(tmp_path / f"shard-{index}"), "--shard", f"{index}/2"]) == 0
    paths = [str(tmp_path / f"shard-{index}") for index in (1, 2)]
    assert ircore(["merge", paths[0], "--out", str(tmp_path / "half"), "--partial"]) == 0
    assert "4 are missing" in capsys.readouterr().err
    assert ircore(["merge", *paths, "--out", str(tmp_path / "joined")]) == 0
    whole, joined = (RunFolder(tmp_path / name) for name in ("whole", "joined"))
    assert joined.run.run_id == whole.run.run_id
    assert list(joined.read_endings()) == list(whole.read_endings())
    assert len(joined.read_endings()) == 8
    capsys.readouterr()
    assert ircore(["show", str(joined.path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["planned"], shown["unfinished"]) == (8, 0)


@pytest.mark.slow
def test_runs_of_several_seeds_are_joined_into_the_run_of_their_repeats(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    whole = lucky_run(tmp_path / "whole", instances, seed=7, repeats=3)
    paths = [lucky_run(tmp_path / f"{seed}", instances, seed, repeats).path for seed, repeats in ((8, 2), (7, 1))]
    for path in paths:
        assert ircore(["score", str(path), "--judge", "structural", "--metric", "psnr"]) == 0
    joined = merge(paths, tmp_path / "joined").folder
    assert joined.run.run_id == whole.run.run_id
    assert messages(joined) == messages(whole)
    assert len({(score.episode_id, score.step, score.by, score.task) for score in joined.scores()}) == len(
        joined.scores()
    )
    assert {score.episode_id for score in joined.scores()} == set(messages(whole))
    with pytest.raises(InputError, match="both were played under the seed 7"):
        merge([paths[1], lucky_run(tmp_path / "both", instances, seed=6, repeats=2).path], tmp_path / "again")


@pytest.mark.slow
def test_two_seeds_of_a_pair_are_one_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=2)
    paths = [lucky_run(tmp_path / f"seed-{seed}", instances, seed).path for seed in (0, 1)]
    finals = []
    for path in paths:
        assert ircore(["score", str(path), "--judge", "structural"]) == 0
        run = RunFolder(path)
        finals.append([score.value or 0.0 for score in run.scores() if score.by == "structural"])
    capsys.readouterr()
    assert ircore(["results", *map(str, paths), "--json"]) == 0
    out, err = capsys.readouterr()
    (row,) = json.loads(out)["rows"]
    assert row["played"] == 16
    assert row["episodes"] == 16
    # Eight instances of two episodes each, all played and rated: the mean over all of them.
    mean = fmean(value for of_run in finals for value in of_run)
    assert row["main_score"]["mean"] == pytest.approx(10 * mean, abs=1e-9)
    assert "one run under several seeds; joined" in err
    twin = lucky_run(tmp_path / "twin", instances, 0).path
    assert ircore(["score", str(twin), "--judge", "structural"]) == 0
    assert ircore(["results", str(paths[0]), str(twin)]) == 2
    assert "are both runs of centre-block under the same rules" in capsys.readouterr().err


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
        ["history=last 1"], ["history=last 2"], ["history=first and last"], ["drawing=redraw"], ["drawing=rewrite"],
        ["drawing=redraw", "history=last 1"], ["over_budget=truncate", "token_budget=3"],
    ],
    ids=" ".join,
)  # fmt: skip
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
