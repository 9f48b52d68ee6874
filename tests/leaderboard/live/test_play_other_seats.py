"""``ircore play-me --mode draw | listen``: a person draws or listens, over HTTP as the pages do."""

import base64
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from live_pages import post, state_of, wait_until
from pairs import default_signals

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.runs.folder import RunFolder
from leaderboard.live.play_me.seats import DATA, decode_data_address


def asked(address: str, before: str = "") -> dict[str, Any]:
    """The next question that waits, other than the one before."""
    state = wait_until(address, lambda state: state["question"] and state["question"]["name"] != before)
    question: dict[str, Any] = state["question"]
    return question


@contextmanager
def playing(out: Path, mode: str, *more: str) -> Iterator[str]:
    command = [sys.executable, "-m", "ircore", "play-me", "--mode", mode, "--out", str(out), "--no-browser", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=default_signals)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def red_circle() -> str:
    drawing = Drawing(512, 512)
    drawing.ellipse((200, 200), (80, 80), "#d62728")
    return DATA + base64.b64encode(Picture.from_pixels(drawing.pixels).data).decode()


@pytest.mark.slow
def test_a_person_draws_by_hand_and_by_typing(tmp_path: Path) -> None:
    with playing(tmp_path / "mine", "draw", "--max-turns", "2") as address:
        first = asked(address)
        assert first["turn"] == 1
        assert "background" in first["message"]
        assert "target" not in first
        assert post(f"{address}answer", {"question": "generator-turn-01-0", "picture": red_circle()}) == {
            "taken": False
        }
        assert post(f"{address}answer", {"question": first["name"], "picture": red_circle()}) == {"taken": True}
        second = asked(address, first["name"])
        assert second["turn"] == 2
        assert 0 <= second["score"] < 10
        typed = post(f"{address}drawn", {"texts": ["A red circle of radius 80 px centred at (200, 200)."]})
        assert decode_data_address(typed["picture"]).pixels[200, 200].tolist() == [255, 0, 0]
        assert post(f"{address}answer", {"question": second["name"], "picture": typed["picture"]}) == {"taken": True}
        asked(address, second["name"])
        (ended,) = state_of(address)["ended"]
        assert ended["turns"] == 2
    run = RunFolder(tmp_path / "mine" / "run")
    assert run.run.submission.players["generator"].player == "human"


@pytest.mark.slow
def test_a_person_listens_and_learns_whether_the_choice_was_right(tmp_path: Path) -> None:
    with playing(tmp_path / "mine", "listen") as address:
        question, rounds = asked(address), 0
        while not state_of(address)["ended"]:
            assert len(question["pictures"]) in {4, 10}
            assert question["message"]
            with urllib.request.urlopen(f"{address}picture/{question['pictures']['A']}") as picture:
                assert picture.read().startswith(b"\x89PNG")
            assert post(f"{address}answer", {"question": question["name"], "text": "A"}) == {"taken": True}
            rounds += 1
            question = asked(address, question["name"])
        (ended, *_) = state_of(address)["ended"]
        assert ended["rounds"] == rounds == 1  # a line-up
        assert 0 <= ended["mine"] <= 1


@pytest.mark.parametrize("address", ["", "data:text/html,<b>", DATA + "AAAA", DATA + "not base64!", "http://x/y.png"])
def test_what_is_no_drawing_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="no picture"):
        decode_data_address(address)


def test_a_pair_of_another_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play-me", "--mode", "draw", "--pair", "looker", "--out", str(tmp_path / "mine"), "--no-browser"]
    assert ircore(words) == 2
    assert "--pair looker: plays reference" in capsys.readouterr().err


def test_a_post_without_a_drawing_is_a_bad_request(tmp_path: Path) -> None:
    from leaderboard.live.play_me.seats import DrawingTable
    from leaderboard.live.play_me.server import serve_table

    with serve_table(DrawingTable(tmp_path), 0) as address:
        for path, document in (("answer", {"question": "x"}), ("drawn", {"texts": []}), ("drawn", {"texts": [1]})):
            with pytest.raises(urllib.error.HTTPError) as caught:
                post(f"{address}{path}", document)
            assert caught.value.code == 400
