"""A person at the terminal in either seat of a reference game."""

import subprocess
import sys
from pathlib import Path

import pytest

from ircore.games.reference.build import build
from ircore.games.reference.records import Round
from ircore.instances.requests import BuildRequest
from ircore.runs.folder import GameRunFolder

MANIFEST = """\
schema: 2
game: reference
name: {name}
players:
  speaker: {{player: {speaker}}}
  listener: {{player: {listener}}}
licence: CC0-1.0
"""


def play(folder: Path, speaker: str, listener: str, typed: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Play a context of ten tangrams, one round, with words typed at the terminal."""
    instances = build(BuildRequest(folder / "set", per_condition=1, categories=("lineup",)))
    manifest = folder / "person" / "submission.yaml"
    manifest.parent.mkdir()
    manifest.write_text(MANIFEST.format(name="a person", speaker=speaker, listener=listener), encoding="utf-8")
    command = [sys.executable, "-m", "ircore", "play", str(manifest.parent), "--instances", str(instances.folder)]
    run = folder / "run"
    return subprocess.run(
        [*command, "--out", str(run), "--limit", "1", "--concurrency", "1"],
        input=typed, capture_output=True, text=True, timeout=300,
    ), run  # fmt: skip


@pytest.mark.slow
def test_two_people_play_a_round(tmp_path: Path) -> None:
    done, run = play(tmp_path, "human", "human", "the one with two legs\nC\n")
    assert done.returncode == 0, done.stderr
    (episode,) = GameRunFolder(run).episodes()
    (step,) = episode.steps
    assert (step["message"], step["answer"]) == ("the one with two legs", "C")
    played = Round.model_validate(step)
    assert played.chosen == played.labelled[2]
    assert played.correct == (played.chosen == played.target)
    # The listener reads what the speaker wrote, and neither sees the other's pictures under the same labels.
    assert "this message: the one with two legs" in done.stderr
    assert done.stderr.count("Picture A:") == 2
