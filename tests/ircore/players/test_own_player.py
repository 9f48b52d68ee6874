"""The player of one's own that the documentation shows: installed as it says, it plays."""

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.build_targets import build_instances
from ircore.games.reconstruction.records import list_turns
from ircore.players.base import Question
from ircore.players.conformance import check_player
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[3] / "docs" / "own-player.md"


def example(first: str) -> str:
    """The indented block of the page that begins with these words."""
    text = PAGE.read_text("utf-8")
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)]
    return next(block.strip("\n") + "\n" for block in blocks if block.lstrip("\n").startswith(first))


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder into which the example was installed as a package, entry point and all."""
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    (source / "patches.py").write_text(example('"""A describer that says'), "utf-8")
    (source / "pyproject.toml").write_text(example("[build-system]"), "utf-8")
    install = ["install", "--no-deps", "--no-build-isolation", "--target", str(target), str(source)]
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", *install, "--python", sys.executable], check=True, capture_output=True
    )
    return target


def test_the_player_of_one_game_keeps_its_contract() -> None:
    (code,) = re.findall("^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    page: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), page)
    check_player(page["Chooser"], questions={"answer": [Question(1, "Which?", choices=("A", "B"))]})
    last = page["Chooser"](PlayerSpec(player="chooser", parameters={"last": True}))
    assert asyncio.run(last.answer(Question(1, "Which?", choices=("A", "B")))).choice == "B"


def test_the_example_is_found_by_its_entry_point_and_plays(installed: Path, tmp_path: Path) -> None:
    submission = tmp_path / "patches-canvas"
    submission.mkdir()
    (submission / "submission.yaml").write_text(example("schema: 1"), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def ircore(*words: str) -> None:
        command = [sys.executable, "-m", "ircore", *words]
        subprocess.run(command, check=True, capture_output=True, env=environment, cwd=tmp_path)

    build_instances(tmp_path / "targets", 0, 1, ["simple_shapes"], ["easy"])
    ircore("submission", "check", "patches-canvas", "--local")
    ircore("play", "patches-canvas", "--instances", "targets", "--out", "run", "--concurrency", "1")
    (episode,) = RunFolder(tmp_path / "run").episodes()
    assert episode.outcome == "converged"
    assert " background. A #" in (list_turns(episode)[0].message or "")
