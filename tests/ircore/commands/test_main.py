"""The command line: exit statuses, near misses, and that help is quick because it imports nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from samples import sample_run, sample_submission

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told_in_one_line(run: RunFolder) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ircore", "show", str(run.path), "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "ircore: No space left on device\n")


@pytest.mark.slow
def test_show_says_what_was_played(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path)]) == 0
    out = capsys.readouterr().out
    assert "4 of 4" in out
    assert "4 converged, 0 turn_limit, 0 aborted" in out


@pytest.mark.slow
def test_show_says_players_once_where_they_are_the_name(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, told in (("Mine", "Mine  (classical + canvas)"), ("classical + canvas", "classical + canvas")):
        run = sample_run(tmp_path / name, instances, sample_submission(name=name), limit=1)
        assert ircore(["show", str(run.path)]) == 0
        assert capsys.readouterr().out.splitlines()[0] == f"pair      {told}"


@pytest.mark.slow
def test_show_as_json_has_the_published_keys(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["episodes"] == 4
    assert shown["outcomes"] == {"converged": 4, "turn_limit": 0, "aborted": 0}
    assert shown["turns"] == 12
    assert shown["requests"] == {"describer": 12, "generator": 8, "judge": 0}
    assert {"run", "tokens", "seconds"} <= shown.keys()


@pytest.mark.parametrize("command", [["score"], ["results"], ["show"], ["submission", "check"]])
def test_a_link_to_itself_is_refused(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert ircore([*command, str(tmp_path / "loop")]) == 2
    assert str(tmp_path / "loop") in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "{", '{"run_id": "x"}'])
def test_a_folder_without_a_readable_run_is_refused(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    assert ircore(["show", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.slow
def test_names_of_strangers_cannot_steer_the_terminal(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    played = sample_run(tmp_path / "run", instances, sample_submission(name="safe\u202eevil\u2028\u009b"))
    assert ircore(["show", str(played.path)]) == 0
    out = capsys.readouterr().out
    assert "safe\ufffdevil\ufffd\ufffd" in out
    assert all(item.isprintable() or item == "\n" for item in out)
