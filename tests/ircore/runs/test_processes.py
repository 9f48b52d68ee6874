"""A run over several processes, and with several prompts."""

import csv
import io
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from openai_server import Judged, OpenAIServer, serving
from pairs import begin_playing, play_pair, served_pair, write_pair
from PIL import Image
from samples import sample_instances

from ircore.commands import play
from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs.costs.totals import compute_episode_costs
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


def answers(run: Path) -> dict[tuple[str, int, str], str]:
    """What was answered, by its key."""
    calls = RunFolder(run).calls().items()
    return {(key.episode_id, key.turn, key.role): call.text or str(call.rendering is not None) for key, call in calls}


def children(process: int) -> list[int]:
    """Processes that play, without the helper of ``multiprocessing`` that watches resources."""
    path = Path(f"/proc/{process}/task/{process}/children")
    pids = [int(pid) for pid in path.read_text().split()]
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_two_processes_play_what_one_plays(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=3)
    with serving() as service:
        pair = served_pair(tmp_path, service.base_url)
        for processes in (1, 2):
            run = tmp_path / f"run{processes}"
            assert play_pair(pair, instances, run, "--processes", str(processes), "--concurrency", "6") == 0
        asked = service.count()
        assert play_pair(pair, instances, tmp_path / "run2", "--processes", "2") == 0  # finished: nobody is asked
        assert service.count() == asked
    assert answers(tmp_path / "run2") == answers(tmp_path / "run1")
    one, two = (RunFolder(tmp_path / f"run{processes}") for processes in (1, 2))
    assert [episode.outcome for episode in two.episodes()] == [episode.outcome for episode in one.episodes()]
    assert two.run.run_id == one.run.run_id


def test_the_limit_of_cost_holds_over_all_processes(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=4)
    (tmp_path / "prices.yaml").write_text(
        "models:\n"
        "  a-describer: {input: 100, output: 100, date: 2026-01-01, source: invented for a test}\n"
        '  a-generator: {images: {"*/*": 0.2}, date: 2026-01-01, source: invented for a test}\n'
    )
    with serving() as service:
        pair, run = served_pair(tmp_path, service.base_url), tmp_path / "run"
        more = ["--processes", "2", "--concurrency", "8", "--max-cost", "3", "--prices", str(tmp_path / "prices.yaml")]
        assert play_pair(pair, instances, run, *more) == 1
    folder = RunFolder(run)
    assert 3 <= sum(cost.usd or 0 for cost in compute_episode_costs(folder).values()) < 3 + 0.25


def test_a_process_that_is_killed_ends_the_run_and_loses_no_recorded_answer(tmp_path: Path) -> None:
    with serving(latency=3.0) as service:
        process = begin_playing(tmp_path, service, 8, "--processes", "2")
        os.kill(children(process.pid)[0], signal.SIGKILL)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "a process of play was ended (exit status -9) with " in said
        recorded = answers(tmp_path / "run")
        asked = service.count()
        assert asked - 8 <= len(recorded) <= asked
        instances = RunFolder(tmp_path / "run").instances
        pair = served_pair(tmp_path, service.base_url)
        service.latency = 0.0
        assert play_pair(pair, instances, tmp_path / "run") == 0
    assert recorded.items() <= answers(tmp_path / "run").items()


def test_what_was_reserved_for_a_process_that_is_killed_is_freed(tmp_path: Path) -> None:
    """With a limit of cost one process has the only question under way, and the other waits for its room."""
    with serving(latency=3.0, cost=lambda number: 0.01) as service:
        prices = tmp_path / "prices.yaml"
        price = '{input: 1, output: 1, images: {"*/*": 0.01}, date: 2026-01-01, source: a list}'
        prices.write_text(f"models: {{a-describer: {price}, a-generator: {price}}}")
        limit = ("--max-cost", "5", "--prices", str(prices))
        more = ("--concurrency", "4", "--processes", "2", *limit)
        process = begin_playing(tmp_path, service, 1, *more)
        asking, other = children(process.pid)
        os.kill(asking, signal.SIGKILL)
        _, said = process.communicate(timeout=40)
        assert process.returncode == 1
        assert "a process of play was ended (exit status -9)" in said
        assert not Path(f"/proc/{other}").exists()
        service.latency = 0.0
        instances, pair = RunFolder(tmp_path / "run").instances, served_pair(tmp_path, service.base_url)
        assert play_pair(pair, instances, tmp_path / "run", *limit) == 0


def test_a_wrong_key_stops_all_processes_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=3)
    with serving() as service:
        service.fail(*["unauthorized"] * 12)
        pair = served_pair(tmp_path, service.base_url)
        assert play_pair(pair, instances, tmp_path / "run", "--processes", "2", "--concurrency", "6") == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("ircore: ")]
    assert len(said) == 1
    assert "HTTP 401" in said[0]


@pytest.mark.parametrize("other", [["--only-outside"], ["--executor", "dask", "--scheduler", "tcp://127.0.0.1:1"]])
def test_what_does_not_go_together_is_said(tmp_path: Path, other: list[str]) -> None:
    instances = sample_instances(tmp_path / "set")
    pair = served_pair(tmp_path, "http://127.0.0.1:9/v1")
    assert play_pair(pair, instances, tmp_path / "run", "--processes", "2", *other) == 2
    assert not (tmp_path / "run").exists()


def test_windows_is_told_what_to_do_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # There alone: libraries that are imported late look at the platform, too.
    monkeypatch.setattr(play, "sys", SimpleNamespace(platform="win32"))
    given = ["--instances", str(tmp_path), "--out", str(tmp_path / "run"), "--processes", "2"]
    assert ircore(["play", "classical+canvas", *given]) == 2
    error = capsys.readouterr().err
    assert "--processes: not on Windows" in error
    assert "--shard 1/2 and --shard 2/2" in error


GENERATOR = "You drew this from:\n{earlier}\nNow draw:\n{message}\n"


def answer(question: Judged) -> str:
    """Describe the target's square, unless the prompt asks for a mood; be done on turn 2."""
    if question.replies:
        return "<DONE>"
    pixels = np.asarray(Image.open(io.BytesIO(question.pictures[0])).convert("RGB"))
    rows, columns = (pixels != 255).any(axis=2).nonzero()
    red, green, blue = pixels[rows[0], columns[0]]
    wide, high = (int(np.ptp(places)) + 1 for places in (columns, rows))
    x, y = (columns.min() + wide / 2, rows.min() + high / 2)
    # In pixels of the canvas, which is 512 wide; the target is 96.
    square = f"A {wide * 512 / 96:.0f} x {high * 512 / 96:.0f} px rectangle in #{red:02x}{green:02x}{blue:02x} at "
    square += f"({x * 512 / 96:.0f}, {y * 512 / 96:.0f}) on white."
    said = "A black circle on white." if "mood" in question.words else square
    return f"<DESCRIPTION>{said}</DESCRIPTION>"


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    server.judge = answer
    return server


@pytest.fixture
def pair(tmp_path: Path, server: OpenAIServer) -> Path:
    # The service answers by its function where a model's name begins with "judge".
    describer = {"player": "openai", "model": "judge-words", "base_url": server.base_url, "parameters": {}}
    return write_pair(tmp_path, describer, {"player": "canvas"})


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    return sample_instances(tmp_path / "set", per_condition=3)


def prompts(folder: Path, first: str) -> Path:
    """A folder of prompts as a user writes it: the three files that are needed."""
    folder.mkdir(parents=True)
    (folder / "describer_first.txt").write_text(f"{first} At most {{token_budget}} tokens, in tags.")
    (folder / "describer_later.txt").write_text("Say the edits in at most {token_budget} tokens, or <DONE>.")
    (folder / "generator_later.txt").write_text(GENERATOR)
    return folder


def test_a_pair_plays_once_with_each_and_the_difference_is_paired(
    tmp_path: Path, pair: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    moody = prompts(tmp_path / "moody", "Tell the mood of this picture.")
    out = tmp_path / "runs"
    assert play_pair(pair, instances, out, "--prompts", "built-in", "--prompts", str(moody)) == 0
    runs = {folder.name: RunFolder(folder).run for folder in sorted(out.iterdir())}
    assert [*runs] == ["built-in", "moody"]
    # The prompts' hash is part of a run's identity.
    assert runs["moody"].prompts.startswith("moody ")
    assert runs["moody"].run_id != runs["built-in"].run_id
    assert runs["moody"].seed == runs["built-in"].seed
    # The same command again resumes: nothing is asked anew.
    before = [(folder / "journal.jsonl").stat().st_size for folder in sorted(out.iterdir())]
    assert play_pair(pair, instances, out, "--prompts", "built-in", "--prompts", str(moody)) == 0
    assert before == [(folder / "journal.jsonl").stat().st_size for folder in sorted(out.iterdir())]
    assert ircore(["score", str(out), "--judge", "structural"]) == 0
    capsys.readouterr()
    assert ircore(["results", str(out), "--table", "prompts", "--judge", "structural", "--format", "csv"]) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert first["prompts"].startswith("built-in ")
    assert second["prompts"] == runs["moody"].prompts
    # The targets are squares: every picture of a circle is worse.
    scores = [
        {
            score.episode_id: score.value or 0.0
            for score in RunFolder(out / name).scores()
            if score.task == "similarity" and score.by == "structural"
        }
        for name in ("built-in", "moody")
    ]
    expected = [scores[1][episode] - scores[0][episode] for episode in scores[0]]
    assert float(second["difference_mean"]) == pytest.approx(sum(expected) / len(expected))
    assert float(second["difference_high"]) < 0
    assert (int(second["wins"]), int(second["losses"])) == (0, len(expected))
    assert first["difference_mean"] == ""
    # On a board the two have names of their own.
    assert ircore(["results", str(out), "--judge", "structural"]) == 0
    board = capsys.readouterr().out
    assert f"(prompts {runs['moody'].prompts})" in " ".join(board.split())


def test_a_folder_that_lacks_a_file_is_refused_before_anything_is_played(
    tmp_path: Path, pair: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half").mkdir()
    out = tmp_path / "runs"
    assert play_pair(pair, instances, out, "--prompts", "built-in", "--prompts", str(tmp_path / "half")) == 2
    assert "describer_first.txt" in capsys.readouterr().err
    assert server.count() == 0
