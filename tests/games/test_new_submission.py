"""``ircore submission new --game``: a manifest for a game from outside, made from options and played."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from toy_games import Toy, write_game_of_page

pytestmark = pytest.mark.slow

SEATS = ["--player", "signer=rps-signer", "--player", "chooser=rps-chooser", "--player", "chooser.parameter.slip=3"]
MORE = ["--author", "Kim", "--name", "Sign", "--licence", "CC0-1.0"]


def new(toy: Toy, *more: str, status: int = 0) -> str:
    return toy.run("submission", "new", "submissions/mine", "--game", "rps", *more, status=status)


def test_a_manifest_is_made_from_options_and_can_be_played(toy: Toy) -> None:
    assert "submission.yaml: written" in new(toy, *SEATS, *MORE, "--rule", "rounds=2")
    text = (toy.folder / "submissions" / "mine" / "submission.yaml").read_text()
    assert text.startswith("schema: 1\ngame: rps\nname: Sign\n")
    toy.run("play", "submissions/mine", "--instances", "instances", "--out", "run", "--limit", "1")
    assert toy.json("show", "run")["requests"] == {"signer": 2, "chooser": 2, "judge": 0}
    assert "players   signer: rps-signer, chooser: rps-chooser" in toy.run("show", "run")


def test_questions_are_asked_about_the_seats_of_any_game(toy: Toy) -> None:
    """At a real terminal: each seat is introduced by what the game says of it, and each answer is checked."""
    ours, theirs = pty.openpty()
    # A player that draws is no chooser; the name is proposed, the author and the licence are given, no link.
    os.write(ours, b"rps-signer\nsketch\nrecorded\nhuman\n\nKim\nCC0-1.0\n\n")
    command = [sys.executable, "-m", "ircore", "submission", "new", "submissions/asked", "--game", "rps"]
    done = subprocess.run(
        command, stdin=theirs, env=toy.environment, cwd=toy.folder, capture_output=True, text=True, timeout=300
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0, done.stderr
    assert "The signer sees the picture of a sign, and answers with a picture." in done.stderr
    assert "chooser.player: sketch is no chooser" in done.stderr
    assert "Recorded answers: recorded." in done.stderr
    made = yaml.safe_load((toy.folder / "submissions" / "asked" / "submission.yaml").read_text())
    assert {seat: made[seat] for seat in ("signer", "chooser")} == {
        "signer": {"player": "rps-signer"},
        "chooser": {"player": "recorded", "source": "human"},
    }
    assert (made["game"], made["name"], made["licence"]) == ("rps", "rps-signer + recorded", "CC0-1.0")
    assert "ircore play" in done.stderr
    toy.run("play", "submissions/asked", "--instances", "instances", "--out", "run", "--limit", "1")


def test_what_is_missing_or_wrong_is_said_in_one_line_and_nothing_is_written(toy: Toy) -> None:
    assert "chooser.player: is missing" in new(toy, *SEATS[:2], status=2)
    assert "unknown seat 'umpire'" in new(toy, *SEATS, "--player", "umpire=rps-signer", status=2)
    assert "rules.rounds: must be at least 1" in new(toy, *SEATS, *MORE, "--rule", "rounds=0", status=2)
    assert "openai answers with words or a choice" in new(
        toy, *SEATS, *MORE, "--local", "--player", "signer=openai", "--player", "signer.model=m",
        "--player", "signer.url=http://127.0.0.1:9/v1", status=2,
    )  # fmt: skip
    assert not (toy.folder / "submissions" / "mine").exists()


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
    pages = {path.stem: path.read_text() for path in (tmp_path / "site" / "games" / "guess").rglob("*.html")}
    assert "apple, which was right" in pages["fruit-easy-02"]
    assert "apple, which was wrong" in pages["fruit-easy-01"]
    assert "matrix" not in pages  # of one seat
    # The library's board is the same.
    code = "import ircore; print(ircore.board('run')['mean'].tolist())"
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=tmp_path, text=True) == "[0.5]\n"
