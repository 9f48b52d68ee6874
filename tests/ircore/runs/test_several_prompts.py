"""One pair with several prompts: two runs side by side, and the paired difference between them."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from openai_server import Judged, OpenAIServer
from pairs import play_pair, write_pair
from PIL import Image
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

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


@pytest.mark.slow
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
