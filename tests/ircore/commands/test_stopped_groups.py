"""SIGTERM to a whole group of processes, as by Slurm or a service manager, ends it without a traceback."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from openai_server import serving
from pairs import default_signals, served_pair
from samples import sample_instances

from ircore.commands.main import run as ircore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes"),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a set and a run that was scored."""
    folder = tmp_path_factory.mktemp("played")
    build = ["instances", "build", "--out", str(folder / "set"), "--per-condition", "2", "-c", "simple_shapes"]
    assert ircore(build) == 0
    play = ["play", "classical+canvas", "--instances", str(folder / "set"), "--out", str(folder / "run")]
    assert ircore(play) == 0
    assert ircore(["score", str(folder / "run")]) == 0
    return folder


def stopped(words: list[str], folder: Path, seconds: float) -> str:
    """Give a command, send SIGTERM to its whole group after some seconds, and return what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ircore", *words], cwd=folder, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=default_signals,
    )  # fmt: skip
    time.sleep(seconds)
    # A fast machine may have done the work by now.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    said, _ = process.communicate(timeout=120)
    assert process.returncode in (0, 128 + signal.SIGTERM, -signal.SIGTERM), said
    until = time.monotonic() + 60
    while is_there(process.pid):
        assert time.monotonic() < until, "a process of the group is left"
        time.sleep(0.05)
    return said


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("command", "seconds"), [("play", 2.5), ("score", 0.6), ("score", 1.5), ("site", 1.5)])
def test_a_group_that_is_stopped_prints_no_traceback(
    command: str, seconds: float, played: Path, tmp_path: Path
) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    for name in ("scores.jsonl", "facts.jsonl"):
        (tmp_path / "run" / name).unlink(missing_ok=True)
    commands = {
        "play": ["play", "served", "--instances", "set", "--out", "new", "--processes", "3", "--concurrency", "6"],
        "score": ["score", "run", "--every-turn"],
        "site": ["site", "build", "--runs", str(played / "run"), "--out", "site"],
    }
    with serving(latency=1.0) as service:
        sample_instances(tmp_path / "set", per_condition=4)
        commands["play"][1] = str(served_pair(tmp_path, service.base_url))
        said = stopped(commands[command], tmp_path, seconds)
    assert "Traceback" not in said
    assert "Exception" not in said
