"""``ircore show RUN --episode ID``: a dialogue for reading."""

import json
from pathlib import Path

import pytest
from openai_server import OpenAIServer
from pairs import play_pair, served_pair
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


def show(run: Path, episode: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert ircore(["show", str(run), "--episode", episode, *more]) == 0
    return capsys.readouterr().out


def test_who_said_what_and_what_was_drawn(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    out = show(run.path, "geometry-easy-01", capsys)
    episode = run.episodes()[0]
    assert "outcome     converged, 3 turns, 2 renderings" in out
    assert [out.count(f"\nturn {number}\n") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    for turn in list_rendered_turns(episode):
        assert turn.rendering is not None
        assert f"generator renderings/{turn.rendering.sha256}.png" in out
        assert f"describer {turn.message}\n" in out
    assert "note: drawn as a block" in out
    assert out.index("turn 3") < out.index("describer (done)")
    assert out.index("left 41") < out.index("left 31")


def test_failed_attempts_tokens_and_cost(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("rate_limit", model="a-describer")
    server.fail("moderation", model="a-generator")
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run", "--limit", "1") == 0
    out = show(tmp_path / "run", "geometry-easy-01", capsys)
    assert "outcome     aborted: generator_refused, 1 turn, 0 renderings." in out
    assert "900 tokens read, 100 tokens written, 64 tokens reasoned" in out
    assert "2 requests]" in out
    assert "failed: rate_limit 429 after " in out
    assert "generator no answer: generator_refused: " in out
    assert "rejected by the safety system" in out


def test_a_violation_is_shown_as_it_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set", per_condition=3))
    out = show(run.path, "geometry-easy-03", capsys)
    assert "aborted: describer_format" in out
    assert "describer I would rather not say." in out


def test_an_episode_that_was_not_played(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    run = sample_run(tmp_path / "run", instances, limit=1)
    assert "outcome     not ended yet" in show(run.path, "simple_shapes-hard-01", capsys)


def test_an_unknown_episode_names_the_near_miss(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path), "--episode", "geometry-easy-1"]) == 2
    assert "no episode 'geometry-easy-1' among 4\n  Did you mean geometry-easy-01 or " in capsys.readouterr().err


def test_as_json(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(show(run.path, "geometry-easy-01", capsys, "--json"))
    assert document["episode"]["outcome"] == "converged"
    assert [message["role"] for message in document["questions"]] == ["describer", "generator"] * 2 + ["describer"]
    assert (document["images"], document["cost_known"]) == (2, True)


def test_the_steps_of_another_games_run_that_came_from_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = ["instances", "build", "--game", "reference", "--per-condition", "1", "-c", "lineup", "-d", "easy"]
    assert ircore([*build, "--out", str(tmp_path / "set")]) == 0
    assert ircore(["play", "looker", "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]) == 0
    journal = tmp_path / "run" / "journal.jsonl"
    # A release keeps how episodes ended and no answers as they came.
    ends = [line for line in journal.read_text().splitlines() if json.loads(line)["event"] != "call"]
    journal.write_text("\n".join(ends) + "\n")
    (name,) = RunFolder(tmp_path / "run").ended()
    out = show(tmp_path / "run", name, capsys)
    assert "requests are not recorded, since the run was pulled from a release" in out
    steps = RunFolder(tmp_path / "run").ended()[name].steps
    assert out.count("\nstep ") == len(steps) > 0
    assert f"  message   {steps[0]['message']}\n" in out
