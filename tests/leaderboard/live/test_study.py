"""``ircore study``: a plan with balanced orders, a participant's session over HTTP, and runs for boards."""

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from live_pages import post, state_of, wait_until
from samples import sample_run, sample_submission

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from leaderboard.live.study.command import import_study, spread
from leaderboard.live.study.plan import balance_orders, is_passed, plan_sessions, read_study


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
