"""``ircore play-me``: a person's episode from target to score, over HTTP as the page plays it, and what is refused."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_pages import get, post, state_of, wait_until
from pairs import default_signals

from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from leaderboard.live.play_me.seats import LONGEST, Table
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
