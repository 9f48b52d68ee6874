"""``ircore play-me``: a person's episode from target to score, over HTTP as the page plays it, and what is refused."""

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
from live_pages import get, post, state_of, wait_until
from pairs import default_signals

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from leaderboard.live.play_me.seats import DATA, LONGEST, Table, decode_data_address
from leaderboard.live.play_me.server import serve_table


@pytest.fixture
def asked(tmp_path: Path, instances: InstanceSet) -> Path:
    """A table at which the first target is shown, and its question's folder."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "instances").symlink_to(instances.folder)
    question = tmp_path / "table" / "desk" / "describer-turn-01-0123456789ab"
    question.mkdir(parents=True)
    first = instances.instances[0]
    (question / "target.png").write_bytes((instances.folder / first.pictures["target"].image).read_bytes())
    (question / "instructions.txt").write_text("Describe it.")
    return question


@pytest.fixture
def address(asked: Path) -> Iterator[str]:
    with serve_table(Table(asked.parents[1]), 0) as served:
        yield served


def test_the_question_that_waits_is_shown_and_answered_once(asked: Path, address: str) -> None:
    state = state_of(address)
    question = state["question"]
    assert (state["total"], state["finished"], question["turn"], question["renderings"]) == (4, False, 1, [])
    assert get(f"{address}picture/{question['target']}") == (asked / "target.png").read_bytes()
    assert post(f"{address}answer", {"question": "describer-turn-01-ffffffffffff", "text": "x"}) == {"taken": False}
    assert post(f"{address}answer", {"question": question["name"], "text": " "}) == {"taken": False}
    assert post(f"{address}answer", {"question": question["name"], "text": "x" * (LONGEST + 1)}) == {"taken": False}
    assert post(f"{address}answer", {"question": question["name"], "text": "A red circle.\n"}) == {"taken": True}
    assert (asked / "answer.txt").read_text() == "A red circle.\n"
    assert post(f"{address}answer", {"question": question["name"], "text": "no, a blue one"}) == {"taken": False}
    assert state_of(address)["question"] is None


@pytest.mark.parametrize(
    ("document", "headers", "status"),
    [
        ({"question": "q"}, {}, 400),
        ([1, 2], {}, 400),
        ({"question": "q", "text": "x"}, {"Content-Type": "text/plain"}, 400),
        ({"question": "q", "text": "x"}, {"Origin": "https://evil.example"}, 403),
        ({"question": "q", "text": "x"}, {"Host": "evil.example"}, 403),
        ({"question": "q", "text": "x" * 100_000}, {}, 400),
    ],
)
def test_other_peoples_requests_are_refused(address: str, document: Any, headers: dict[str, str], status: int) -> None:
    with pytest.raises((urllib.error.HTTPError, ConnectionError)) as caught:
        post(f"{address}answer", document, **headers)
    assert not isinstance(caught.value, urllib.error.HTTPError) or caught.value.code == status


@pytest.mark.parametrize(
    "path", ["picture/../../secret/target.png", "picture/x/..%2f..%2fsecret.png", "table.py", "../server.py"]
)
def test_no_other_file_is_served(asked: Path, address: str, path: str) -> None:
    (asked.parents[1] / "secret.png").write_bytes(b"secret")
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(address + path)
    assert caught.value.code == 404


@pytest.mark.slow
def test_a_person_plays_an_episode_and_goes_on_later(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ircore", "play-me", "--out", str(tmp_path / "mine"), "--no-browser"]
    for episode in (1, 2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=default_signals)
        assert process.stdout is not None
        address = process.stdout.readline().split()[1]
        first = wait_until(address, lambda state: state["question"])["question"]
        post(f"{address}answer", {"question": first["name"], "text": "A blue circle, 100 px wide, in the middle."})
        second = wait_until(address, lambda state: state["question"])["question"]
        assert (second["instance"], second["turn"], len(second["renderings"])) == (first["instance"], 2, 1)
        assert second["checked"]["wrong"] > 0
        post(f"{address}answer", {"question": second["name"], "text": "done"})
        ended = wait_until(address, lambda state: state["ended"][episode - 1 :])["ended"]  # noqa: B023 - called at once
        assert len(ended) == episode
        assert (ended[-1]["outcome"], ended[-1]["turns"]) == ("converged", 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    run = RunFolder(tmp_path / "mine" / "run")
    assert run.run.submission.players["describer"].player == "human"
    assert len(run.episodes()) == 2


def request(address: str, before: str = "") -> dict[str, Any]:
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
        first = request(address)
        assert first["turn"] == 1
        assert "background" in first["message"]
        assert "target" not in first
        assert post(f"{address}answer", {"question": "generator-turn-01-0", "picture": red_circle()}) == {
            "taken": False
        }
        assert post(f"{address}answer", {"question": first["name"], "picture": red_circle()}) == {"taken": True}
        second = request(address, first["name"])
        assert second["turn"] == 2
        assert 0 <= second["score"] < 10
        typed = post(f"{address}drawn", {"texts": ["A red circle of radius 80 px centred at (200, 200)."]})
        assert decode_data_address(typed["picture"]).pixels[200, 200].tolist() == [255, 0, 0]
        assert post(f"{address}answer", {"question": second["name"], "picture": typed["picture"]}) == {"taken": True}
        request(address, second["name"])
        (ended,) = state_of(address)["ended"]
        assert ended["turns"] == 2
    run = RunFolder(tmp_path / "mine" / "run")
    assert run.run.submission.players["generator"].player == "human"


@pytest.mark.slow
def test_a_person_listens_and_learns_whether_the_choice_was_right(tmp_path: Path) -> None:
    with playing(tmp_path / "mine", "listen") as address:
        question, rounds = request(address), 0
        while not state_of(address)["ended"]:
            assert len(question["pictures"]) in {4, 10}
            assert question["message"]
            with urllib.request.urlopen(f"{address}picture/{question['pictures']['A']}") as picture:
                assert picture.read().startswith(b"\x89PNG")
            assert post(f"{address}answer", {"question": question["name"], "text": "A"}) == {"taken": True}
            rounds += 1
            question = request(address, question["name"])
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
