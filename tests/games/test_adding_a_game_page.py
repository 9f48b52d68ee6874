"""The page on adding a game: its code is put into a package as it stands there, and played."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy_games import write_game_of_page

pytestmark = pytest.mark.slow

MANIFEST = """\
schema: 1
game: guess
name: Apple
guesser: {player: apple}
licence: CC0-1.0
"""


def test_the_code_of_the_page_is_a_game_that_is_built_played_and_scored(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    write_game_of_page(packages)
    (tmp_path / "apple").mkdir()
    (tmp_path / "apple" / "submission.yaml").write_text(MANIFEST)

    def ircore(*words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(packages)}
        command = [sys.executable, "-m", "ircore", *words]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    ircore("instances", "build", "--game", "guess", "--out", "set")
    ircore("play", "apple", "--instances", "set", "--out", "run")
    ircore("score", "run")
    ircore("release", "build", "--runs", "run", "--instances", "set", "--out", "release")
    assert "0 faults" in ircore("release", "check", "release")
    (row,) = json.loads(ircore("results", "run", "--json"))["rows"]
    # Every second fruit is an apple.
    assert row["correct"]["mean"] == 0.5
    ircore("site", "build", "--runs", "run", "--out", "site")
    pages = {path.stem: path.read_text() for path in (tmp_path / "site" / "games" / "guess").glob("*.html")}
    assert "apple, which was right" in pages["fruit-easy-02"]
    assert "apple, which was wrong" in pages["fruit-easy-01"]
    assert "matrix" not in pages  # of one seat
    # The library's board is the same.
    code = "import ircore; print(ircore.board('run')['mean'].tolist())"
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=tmp_path, text=True) == "[0.5]\n"
