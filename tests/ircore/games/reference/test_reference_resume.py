"""A reference game over a real service: as many questions as rounds and seats, none asked again after kill -9."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from openai_server import serving

from ircore.games.reference.build import build
from ircore.instances.requests import BuildRequest
from ircore.runs.folder import GameRunFolder, open_any_run

MANIFEST = """\
schema: 2
game: reference
name: two models
players:
  speaker: {{player: openai, model: m, base_url: "{url}"}}
  listener: {{player: openai, model: m, base_url: "{url}"}}
licence: CC0-1.0
"""


@pytest.mark.slow
def test_a_game_of_24_rounds_is_48_questions_and_kill_9_repeats_none_that_was_answered(tmp_path: Path) -> None:
    build(BuildRequest(tmp_path / "set", per_condition=1, categories=("shapes",), difficulties=("easy",)))
    (tmp_path / "models").mkdir()
    with serving(latency=0.02) as server:
        (tmp_path / "models" / "submission.yaml").write_text(MANIFEST.format(url=server.base_url))
        command = [sys.executable, "-m", "ircore", "play", str(tmp_path / "models")]
        command += ["--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]
        environment = os.environ | {"OPENAI_API_KEY": "none"}
        for kill_at in (7, 20, 33):
            process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
            while process.poll() is None and len(server.seen) < kill_at:
                time.sleep(0.002)
            process.kill()
            process.wait()
        subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL, timeout=300)
        asked = len(server.seen)
    run = open_any_run(tmp_path / "run")
    assert isinstance(run, GameRunFolder)
    (episode,) = run.episodes()
    assert (episode.outcome, len(episode.steps)) == ("completed", 24)
    answers = Counter((call.turn, call.role) for call in run.calls().values())
    assert len(answers) == 48
    assert set(answers.values()) == {1}
    # A game has one question in flight; only that one, unanswered when the process was killed, is asked once more.
    assert 48 <= asked <= 48 + 3
