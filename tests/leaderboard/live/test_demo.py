"""Live pages: ``ircore demo``, ``ircore play-me`` in every seat and ``ircore study``, over HTTP as the pages ask."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from live_pages import get, post, state_of, wait_until
from pairs import default_signals
from samples import sample_run, sample_submission

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.errors import WorkError
from ircore.core.images import Picture
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.events import Call, EventEntry
from ircore.runs.folder import RunFolder, RunWriter
from leaderboard.live.demo.command import SHOWN_CATEGORY
from leaderboard.live.demo.server import Feed, State, serve_demo
from leaderboard.live.demo.stages import CommandProcess, Demo, Stage, run_stage
from leaderboard.live.play_me.seats import DATA, LONGEST, DescriberTable, DrawingTable, decode_data_address, serve_table
from leaderboard.live.study.command import import_study, spread
from leaderboard.live.study.plan import balance_orders, is_passed, plan_sessions, read_study


def test_what_is_played_is_shown_released_and_checked(tmp_path: Path) -> None:
    stages = Demo(tmp_path, per_condition=2).stages()
    assert [command[:2] for command in stages[-1].commands] == [
        ("site", "build"), ("release", "build"), ("release", "check"),
    ]  # fmt: skip


def test_the_dialogue_that_is_offered_next_is_one_of_the_demo(tmp_path: Path) -> None:
    words = ["instances", "build", "--out", str(tmp_path / "set"), "--per-condition", "1"]
    assert ircore([*words, "--category", SHOWN_CATEGORY, "--difficulty", "easy"]) == 0
    assert [instance.instance_id for instance in read_instances(tmp_path / "set").instances] == [
        f"{SHOWN_CATEGORY}-easy-01"
    ]


@pytest.mark.slow
def test_a_command_has_its_own_folder_environment_and_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for width in ("60", "100"):
        # Set after the process that forks commands has begun: each command has what is set when it is given.
        monkeypatch.setenv("COLUMNS", width)
        helped = CommandProcess(["score", "--help"]).outcome()
        assert (helped.status, helped.errors) == (0, b"")
        assert max(map(len, helped.output.decode().splitlines())) in range(int(width) - 20, int(width) + 1)
    build = ["instances", "build", "--out", "set", "--per-condition", "1", "-c", "simple_shapes"]
    assert CommandProcess(build).outcome().status == 0
    assert len(read_instances(tmp_path / "set").instances) == 2
    again = CommandProcess(["instances", "build", "--out", "set", "--no-such-option"]).outcome()
    assert (again.status, again.output) == (2, b"")
    assert b"no-such-option" in again.errors
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes to look for")
def test_a_demo_that_is_stopped_takes_its_commands_with_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "ircore", "demo", "--out", str(tmp_path / "demo"), "--no-serve"]
    demo = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        until((tmp_path / "demo" / "runs" / "builtin-plain-canvas" / "journal.jsonl").exists)
    finally:
        demo.terminate()
    assert demo.communicate(timeout=60)[1] == b""
    assert demo.returncode == 128 + signal.SIGTERM

    def group_is_gone() -> bool:
        try:
            os.killpg(demo.pid, 0)
        except ProcessLookupError:
            return True
        return False

    until(group_is_gone)


def until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
def test_a_stage_that_fails_says_what_was_said(tmp_path: Path) -> None:
    with (
        (tmp_path / "demo.log").open("wb") as log,
        pytest.raises(WorkError, match=r"exit status 2: .*nowhere") as caught,
    ):
        run_stage(Stage("score", ((("score", str(tmp_path / "nowhere")),),)), log)
    assert "demo.log" in caught.value.remedy
    assert b"$ ircore score" in (tmp_path / "demo.log").read_bytes()


@pytest.mark.slow
def test_a_stage_tells_while_it_runs_how_far_it_is(tmp_path: Path, run: RunFolder) -> None:
    told: list[tuple[int, str]] = []
    score = ("score", str(run.path), "--metric", "psnr", "--judge", "structural")
    with (tmp_path / "demo.log").open("wb") as log:
        run_stage(Stage("score", ((("--version",), score),)), log, lambda ended, said: told.append((ended, said)))
    ended = [count for count, _ in told]
    assert ended == sorted(ended)
    assert (1, "") in told
    assert told[-1] == (2, "")
    # The test waits for no line of a command that takes less than a moment: this is the last line that it wrote.
    process = CommandProcess(["score", str(tmp_path / "nowhere")])
    until(lambda: "nowhere" in process.last_line() or process.last_line().startswith("Name"))
    assert process.outcome().status == 2


def test_events_come_as_the_journal_grows(tmp_path: Path, run: RunFolder) -> None:
    feed = Feed(run.path.parent)
    first = feed.since(0)
    first_call = next(iter(run.calls().values()))
    assert (first[0]["episode"], first[0]["role"]) == (first_call.episode_id, "describer")
    assert sum("outcome" in event for event in first) == len(run.episodes())
    assert feed.since(len(first)) == []
    with run.lock(), RunWriter(run) as writer:
        writer.record([EventEntry(Call(episode_id="e", turn=3, role="describer", text="<b>A circle.</b>", seconds=1))])
    (last,) = feed.since(len(first))
    assert (last["turn"], last["text"]) == (3, "<b>A circle.</b>")


def test_a_line_that_is_still_being_written_waits(run: RunFolder) -> None:
    feed, journal = Feed(run.path.parent), run.path / "journal.jsonl"
    seen = len(feed.since(0))
    line = Call(episode_id="e", turn=1, role="describer", text="A circle.", seconds=1).model_dump_json()
    with journal.open("a") as file:
        file.write(line[:30])
    assert feed.since(seen) == []
    with journal.open("a") as file:
        file.write(line[30:] + "\n")
    assert len(feed.since(seen)) == 1


@pytest.mark.slow
def test_pictures_are_those_of_the_runs_and_nothing_else(run: RunFolder) -> None:
    rendering = next(call.rendering for call in run.calls().values() if call.rendering is not None)
    instance = run.instances.instances[0]
    (run.path.parent / "secret.png").write_bytes(b"secret")
    state = State(run.path.parent.parent, ["play"])
    state.feed = Feed(run.path.parent)
    with serve_demo(state, 0) as address:
        assert json.loads(get(f"{address}live/feed.json"))["next"] > 0
        name = run.path.name
        assert get(f"{address}live/picture/{name}/{rendering.sha256}") == run.rendering(rendering).data
        assert get(f"{address}live/picture/{name}/{instance.instance_id}") == run.instances.picture_bytes(
            instance, "target"
        )
        for path in (f"{name}/../../secret", f"../secret/{rendering.sha256}", "x/y", f"{name}/%2e%2e%2fsecret"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                get(f"{address}live/picture/{path}")
            assert caught.value.code == 404
        for path in ("live/server.py", "live/../server.py", "demo.log", "live/feed.json/x"):
            with pytest.raises(urllib.error.HTTPError):
                get(address + path)


def test_pages_of_other_hosts_are_refused(tmp_path: Path) -> None:
    with serve_demo(State(tmp_path, []), 0) as address:
        connection = HTTPConnection(address.split("/")[2])
        connection.request("GET", "/live/feed.json", headers={"Host": "evil.example:80"})
        assert connection.getresponse().status == 403


def test_other_peoples_files_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    assert ircore(["demo", "--out", str(tmp_path), "--no-serve"]) == 2
    assert "holds other things (thesis.tex)" in capsys.readouterr().err
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    (tmp_path / "demo" / "runs" / "mine").mkdir(parents=True)
    assert ircore(["demo", "--out", str(tmp_path / "demo"), "--no-serve"]) == 2
    assert "runs: holds other things (mine)" in capsys.readouterr().err
    assert (tmp_path / "demo" / "runs" / "mine").is_dir()


@pytest.mark.parametrize("count", [2, 3, 4, 7, 8])
def test_every_target_stands_everywhere_and_follows_every_other_equally_often(count: int) -> None:
    orders = balance_orders(count)
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert len({count for place in range(count) for count in Counter(order[place] for order in orders).values()}) == 1
    followers = Counter(pair for order in orders for pair in pairwise(order))
    assert len(followers) == count * (count - 1)
    assert len(set(followers.values())) == 1


def test_sessions_differ_and_check_twice() -> None:
    made = plan_sessions(["a", "b", "c", "d", "e", "f"], 3, seed=1)
    assert [session.code for session in made] == ["p01", "p02", "p03"]
    assert len({session.order for session in made}) == 3
    assert [[check.after for check in session.checks] for session in made] == [[2, 4]] * 3
    assert made == plan_sessions(["a", "b", "c", "d", "e", "f"], 3, seed=1)


@pytest.mark.parametrize(("given", "right"), [("river", True), (" River. ", True), ("a river", False), ("", False)])
def test_a_check_asks_for_its_word(given: str, right: bool) -> None:
    assert is_passed({"asked": "river", "given": given}) is right


def built(folder: Path, instances: InstanceSet, targets: int = 2) -> Path:
    words = ["study", "build", "--instances", str(instances.folder), "--targets", str(targets), "--participants", "2"]
    assert ircore([*words, "--out", str(folder / "study")]) == 0
    return folder / "study"


def test_a_plan_holds_its_targets_and_what_participants_agree_to(tmp_path: Path, instances: InstanceSet) -> None:
    folder = built(tmp_path, instances)
    study = read_study(folder)
    assert "voluntary" in study.consent
    assert study.generator.player == "canvas"
    known = {instance.instance_id for instance in instances.instances}
    assert all(set(session.order) < known and len(session.order) == 2 for session in study.sessions)


def test_few_targets_are_of_different_categories(instances: InstanceSet) -> None:
    # The set has two categories, each easy and hard.
    kinds = {instance.instance_id: instance.category for instance in instances.instances}
    assert len({kinds[name] for name in spread(instances, 2)}) == 2
    assert spread(instances, 4) == [instance.instance_id for instance in instances.instances]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "import", "{study}", "--out", "{out}"], "nobody has taken part"),
        (["study", "run", "{study}", "--participant", "p09", "--no-browser"], "p01 to p02"),
        (["study", "build", "--instances", "{set}", "--targets", "99", "--out", "{out}"], "the set has only 4"),
        (["study", "import", "{out}", "--out", "{out}"], "study.json"),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    places = {"study": built(tmp_path, instances), "out": tmp_path / "out", "set": instances.folder}
    assert ircore([word.format(**places) for word in words]) == 2
    assert said in capsys.readouterr().err


def take_part(address: str) -> None:
    """Agree, describe every target in two messages, and pass the checks."""
    assert state_of(address)["question"] is None
    with pytest.raises(urllib.error.HTTPError):
        post(f"{address}answer", {"question": "describer-turn-01-0", "text": "x"})
    assert post(f"{address}answer", {"consent": True}) == {"taken": True}
    end = time.monotonic() + 240
    while time.monotonic() < end:
        state = wait_until(address, lambda state: state["question"] or state["study"]["check"] or state["finished"])
        if state["study"]["check"]:
            assert post(f"{address}answer", {"check": state["study"]["check"]}) == {"taken": True}
        elif state["question"]:
            question = state["question"]
            assert (question["checked"], question["category"], question["instance"]) == (None, None, None)
            text = "done" if question["turn"] > 1 else "A red circle in the middle."
            # Not taken where it was answered a moment ago.
            post(f"{address}answer", {"question": question["name"], "text": text})
            time.sleep(0.05)
        else:
            return
    raise AssertionError("not finished within 240 s")


def test_who_failed_a_check_and_stopped_early_is_named_for_the_check(tmp_path: Path, instances: InstanceSet) -> None:
    folder = built(tmp_path, instances, targets=4)
    own = folder / "results" / "p01"
    sample_run(own / "run", instances, sample_submission(), limit=2)
    (own / "consent.json").write_text('{"consent": true}\n')
    (own / "checks.json").write_text('[{"asked": "river", "given": "stone"}]')
    (imported,) = import_study(folder, tmp_path / "runs")
    assert imported.why == "failed 1 of 1 attention check"
    assert imported.targets < 4
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_participant_agrees_plays_and_reaches_the_board(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = built(tmp_path, instances)
    command = [sys.executable, "-m", "ircore", "study", "run", str(folder), "--participant", "p01", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        take_part(process.stdout.readline().split()[1])
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert ircore(["study", "import", str(folder), "--out", str(tmp_path / "runs")]) == 0
    assert "2 targets" in capsys.readouterr().out
    run = RunFolder(tmp_path / "runs" / "human-p01")
    assert run.run.submission.name == "human + canvas"
    order = read_study(folder).session("p01").order
    asked = [call.episode_id for call in run.calls().values() if call.role == "describer" and call.turn == 1]
    assert sorted(asked) == sorted(order)
    # No path of this machine: the desk is named relative to the session.
    assert str(tmp_path) not in (run.path / "run.json").read_text()


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
    with serve_table(DescriberTable(asked.parents[1]), 0) as served:
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
    with serve_table(DrawingTable(tmp_path), 0) as address:
        for path, document in (("answer", {"question": "x"}), ("drawn", {"texts": []}), ("drawn", {"texts": [1]})):
            with pytest.raises(urllib.error.HTTPError) as caught:
                post(f"{address}{path}", document)
            assert caught.value.code == 400
