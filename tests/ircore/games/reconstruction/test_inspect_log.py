"""A run as a log of inspect_ai: the describer's conversation and what is known, nothing else; read by inspect_ai."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.score_records import Score
from ircore.games.reconstruction.plugins.inspect_log import export_log
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.runs.folder import RunFolder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Twelve episodes, ten of three turns and two aborted; every final rendering rated 8 of 10."""
    folder = tmp_path_factory.mktemp("inspect")
    run = sample_run(folder / "run", sample_instances(folder / "instances", per_condition=3))
    for episode in run.episodes():
        for turn in list_rendered_turns(episode)[-1:]:
            assert turn.rendering is not None
            item, sha256 = episode.episode_id, turn.rendering.sha256
            run.add_scores(
                [Score(episode_id=item, step=turn.turn, measure="similarity", by="eye", value=8, rendering=sha256)]
            )
    return run


@pytest.fixture(scope="module")
def log(played: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    done = export_log(played, tmp_path_factory.mktemp("logs"))
    with ZipFile(done.path) as file:
        header: dict[str, Any] = json.loads(file.read("header.json"))
        summaries = json.loads(file.read("summaries.json"))
        samples = [json.loads(file.read(f"samples/{summary['id']}_epoch_1.json")) for summary in summaries]
        assert len(file.namelist()) == 2 + len(samples)
    return header | {"summaries": summaries, "samples": samples}


@pytest.mark.slow
def test_the_header_names_both_models(log: dict[str, Any], played: RunFolder) -> None:
    assert log["eval"]["model"] == "classical-b200-t10-allow"
    assert log["eval"]["model_roles"]["generator"]["model"] == "canvas-b200-t10-allow"
    assert log["eval"]["created"] == played.run.started
    assert log["eval"]["metadata"]["run"]["run_id"] == played.run.run_id
    assert log["results"]["scores"] == [
        {
            "name": "eye",
            "scorer": "eye",
            "scored_samples": 10,
            "unscored_samples": 2,
            "metrics": {
                "mean": {"name": "mean", "value": 8.0},
                "main_score": {"name": "main_score", "value": pytest.approx(80 * 10 / 12)},
            },
        }
    ]


def test_messages_are_what_the_describer_saw_and_said(log: dict[str, Any], played: RunFolder) -> None:
    sample = log["samples"][0]
    episode = played.episodes()[0]
    words = [message["content"] for message in sample["messages"] if message["role"] == "assistant"]
    assert words == [
        "<DESCRIPTION>left 41 colour #1f77b4</DESCRIPTION>",
        "<DESCRIPTION>left 31 colour #1f77b4</DESCRIPTION>",
        "<DONE>",
    ]
    asked = [message["content"] for message in sample["messages"] if message["role"] == "user"]
    drawn = [turn.rendering.sha256 for turn in list_turns(episode) if turn.rendering]
    target = played.instances.instances[0].pictures["target"].sha256
    shown = [[part["image"] for part in content if part["type"] == "image"] for content in asked]
    assert shown == [[f"attachment://{item}" for item in (target, *drawn[:seen])] for seen in (0, 1, 2)]
    for sha256, text in sample["attachments"].items():
        data = base64.b64decode(text.removeprefix("data:image/png;base64,"))
        assert Picture.from_untrusted(data, "attachment").sha256 == sha256
    assert sample["metadata"]["unseen"] == {}


def test_an_aborted_episode_keeps_the_answer_that_broke_the_rules_and_has_no_score(log: dict[str, Any]) -> None:
    sample = next(sample for sample in log["samples"] if sample["metadata"]["outcome"] == "aborted")
    assert [message["content"] for message in sample["messages"] if message["role"] == "assistant"] == [
        "I would rather not say."
    ]
    assert sample["scores"] == {}
    assert "error" not in sample  # it broke the rules; nothing failed
    assert sample["metadata"]["abort_reason"] == "describer_format"


def test_a_run_without_its_answers_has_no_log(played: RunFolder, tmp_path: Path) -> None:
    shutil.copytree(played.path, tmp_path / "run")
    journal = tmp_path / "run" / "journal.jsonl"
    lines = [line for line in journal.read_text("utf-8").splitlines() if '"event":"end"' in line]
    journal.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError, match="answers as they came are not recorded"):
        export_log(RunFolder(tmp_path / "run"), tmp_path / "logs")


@pytest.mark.slow
def test_the_command(played: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["export", "inspect", str(played.path), "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith(".eval: 12 samples\n")
    assert ircore(["export", "inspect", str(played.path), "--out", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err


READER = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
(found,) = list_eval_logs(sys.argv[1])
log = read_eval_log(found, resolve_attachments=True)
print(json.dumps({
    "task": log.eval.task, "status": log.status, "samples": len(log.samples), "file": found.task,
    "mean": log.results.scores[0].metrics["mean"].value,
    "value": log.samples[0].scores["eye"].value,
    "roles": [message.role for message in log.samples[0].messages],
    "summaries": len(read_eval_log_sample_summaries(found)),
    "images": [part.image[:22] for part in log.samples[0].messages[4].content if part.type == "image"],
}))
"""


def test_inspect_ai_itself_reads_it(played: RunFolder, tmp_path: Path) -> None:
    """IRCORE_INSPECT_PYTHON names a Python that has inspect_ai; it needs other packages than this project's."""
    python = os.environ.get("IRCORE_INSPECT_PYTHON")
    if not python:
        pytest.skip("IRCORE_INSPECT_PYTHON names no Python with inspect_ai")
    export_log(played, tmp_path)
    done = subprocess.run(
        [python, "-P", "-c", READER, str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "task": "image_reconstruction_game", "status": "success", "samples": 12, "file": "image-reconstruction-game",
        "mean": 8.0, "value": 8.0, "roles": ["user", "assistant"] * 3, "summaries": 12,
        "images": ["data:image/png;base64,"] * 3,
    }  # fmt: skip
