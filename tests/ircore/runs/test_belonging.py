"""An answer belongs to its question: what no longer fits is refused, and nothing is mixed or asked twice."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from installed_packages import install_package
from openai_server import OpenAIServer
from pairs import play_pair, served_pair, write_pair

from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


def lines_of(run: Path) -> list[bytes]:
    return (run / "journal.jsonl").read_bytes().splitlines(keepends=True)


def without_lines(run: Path, numbers: set[int]) -> None:
    """Remove lines of a journal by their numbers, as a remedy says."""
    kept = [line for number, line in enumerate(lines_of(run), start=1) if number not in numbers]
    (run / "journal.jsonl").write_bytes(b"".join(kept))


def named_lines(remedy: str) -> set[int]:
    """Return the numbers of the lines that a remedy says to remove."""
    words = re.search(r"[Rr]emove (?:the )?lines? ([0-9–, and]+)", remedy)
    assert words is not None, remedy
    ranges = [part.split("–") for part in re.findall(r"[0-9]+(?:–[0-9]+)?", words[1])]
    return {number for first, *last in ranges for number in range(int(first), int(last[0] if last else first) + 1)}


@pytest.fixture
def stopped(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> Path:
    """A run of four episodes, all answered, whose ends are not recorded yet."""
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run") == 0
    without_ends(tmp_path / "run")
    return tmp_path / "run"


def without_ends(run: Path) -> None:
    ends = {number for number, line in enumerate(lines_of(run), start=1) if b'"event":"end"' in line}
    without_lines(run, ends)


def lines_about(run: Path, episode: str, turn: int = 1, role: str = "") -> list[int]:
    events = [json.loads(line) for line in lines_of(run)]
    return [
        number
        for number, event in enumerate(events, start=1)
        if event.get("episode_id") == episode and event["turn"] >= turn and role in event["role"]
    ]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_answers_whose_question_was_taken_away_are_refused_and_their_lines_named(
    tmp_path: Path,
    stopped: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    capfd: pytest.CaptureFixture[str],
    processes: str,
) -> None:
    first = instances.instances.ids[0]
    pair, more = served_pair(tmp_path, server.base_url), ("--processes", processes)
    without_lines(stopped, {lines_about(stopped, first, 1, "generator")[0]})
    later = set(lines_about(stopped, first, 2))
    capfd.readouterr()
    assert play_pair(pair, instances, stopped, *more) == 2
    error = capfd.readouterr().err
    assert f"{first}, turn 2: the describer gave the recorded answer to another question" in error
    assert "Traceback" not in error
    # All that followed from the rendering that is gone, and nothing else.
    assert named_lines(error) == later
    without_lines(stopped, named_lines(error))
    asked = server.count()
    assert play_pair(pair, instances, stopped, *more) == 0
    assert server.count() == asked + len(later)
    # Nothing is left that does not fit: played again from the record, nobody is asked.
    without_ends(stopped)
    assert play_pair(pair, instances, stopped, *more) == 0
    assert server.count() == asked + len(later)


def test_an_answer_that_says_not_what_was_asked_is_not_taken(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.loads(line) for line in lines_of(stopped)]
    for line in lines:
        line.pop("question")
    (stopped / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert play_pair(served_pair(tmp_path, server.base_url), instances, stopped) == 2
    assert "gave the recorded answer to another question" in capsys.readouterr().err


def test_the_remedy_for_a_damaged_line_names_all_lines_of_its_episode(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    _, second, *_ = instances.instances.ids
    pair, whose = served_pair(tmp_path, server.base_url), set(lines_about(stopped, second))
    lines = lines_of(stopped)
    damaged = lines_about(stopped, second, 2)[0]
    lines[damaged - 1] = lines[damaged - 1].replace(b'"turn":2', b'"turn":0')
    (stopped / "journal.jsonl").write_bytes(b"".join(lines))
    capsys.readouterr()
    assert play_pair(pair, instances, stopped) == 2
    error = capsys.readouterr().err
    assert f"journal.jsonl:{damaged}: the line is damaged" in error
    assert f"all of the episode {second}: it is played again" in error
    assert named_lines(error) == whose
    without_lines(stopped, named_lines(error))
    asked = server.count()
    assert play_pair(pair, instances, stopped) == 0
    assert server.count() == asked + len(whose)


def test_waiting_otherwise_is_no_other_run(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Remedies say: raise timeout_s, lower requests_per_minute."""
    patient = {"timeout_s": 900, "deadline_s": 7200, "requests_per_minute": 6000, "tokens_per_minute": 10**9}
    before, asked = RunFolder(stopped).run, server.count()
    pair = served_pair(tmp_path, server.base_url, {**patient, "transport": "httpx"}, **patient)
    assert play_pair(pair, instances, stopped) == 0
    assert (RunFolder(stopped).run, server.count()) == (before, asked)
    assert play_pair(pair, instances, tmp_path / "other", "--limit", "1", "--cache", str(tmp_path / "cache")) == 0
    assert RunFolder(tmp_path / "other").run.run_id == before.run_id
    asked = server.count("/chat/completions")
    pair = served_pair(tmp_path, server.base_url)
    assert play_pair(pair, instances, tmp_path / "third", "--limit", "1", "--cache", str(tmp_path / "cache")) == 0
    assert (
        server.count("/chat/completions") == asked + 2
    )  # the first message is the cache's; what follows a new picture
    for describer, generator in (({"temperature": 0.5}, {}), ({}, {"size": "512x512"})):
        pair = served_pair(tmp_path, server.base_url, describer, **generator)
        capsys.readouterr()
        assert play_pair(pair, instances, stopped) == 2
        assert "this run was played with" in capsys.readouterr().err


PLAYER = """
from ircore.players.base import PlayerError, TextAnswer

class Speaker:
    def __init__(self, spec): ...
    async def describe(self, view):
        with open({asked!r}, "a") as file:
            file.write(f"{{view.turn}}\\n")
        return TextAnswer("<DESCRIPTION>A red circle, {version}.</DESCRIPTION>" if view.turn < 3 else "<DONE>")
"""


def install(packages: Path, version: str) -> None:
    """Install a describer of another package in place of its former version."""
    for former in packages.glob("*"):
        shutil.rmtree(former) if former.is_dir() else former.unlink()
    code = PLAYER.format(asked=str(packages.parent / "asked"), version=version)
    install_package(packages, "own-speaker", "[ircore.players]\nown-speaker = own_speaker:Speaker\n", code, version)
    sys.modules.pop("own_speaker", None)


def test_a_new_version_of_a_player_goes_on_with_no_old_run_and_takes_no_old_answer(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = tmp_path / "packages"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(packages))
    install(packages, "1.0")
    pair = write_pair(tmp_path, {"player": "own-speaker"}, {"player": "sketch"})
    more = ("--limit", "1", "--cache", str(tmp_path / "cache"))
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    assert RunFolder(tmp_path / "run").run.packages == {"own-speaker": "1.0"}
    assert play_pair(pair, instances, tmp_path / "again", *more) == 0
    assert (tmp_path / "asked").read_text() == "1\n2\n3\n"
    install(packages, "1.1")
    capsys.readouterr()
    assert play_pair(pair, instances, tmp_path / "run", "--cache", str(tmp_path / "cache")) == 2
    assert "run.json: packages.own-speaker: this run was played with 1.0, not 1.1" in capsys.readouterr().err
    assert play_pair(pair, instances, tmp_path / "new", *more) == 0
    assert (tmp_path / "asked").read_text() == "1\n2\n3\n" * 2
    assert RunFolder(tmp_path / "new").run.run_id != RunFolder(tmp_path / "run").run.run_id


def test_a_refusal_is_an_answer_and_not_asked_for_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    pair, run = served_pair(tmp_path, server.base_url), tmp_path / "run"
    server.fail("refusal", model="a-describer")
    assert play_pair(pair, instances, run, "--limit", "1") == 0
    (refused,) = RunFolder(run).episodes()
    assert refused.abort_reason == "describer_refused"
    asked = server.count()
    without_ends(run)  # as after a crash in between
    assert play_pair(pair, instances, run, "--limit", "1") == 0
    assert server.count() == asked
    assert RunFolder(run).episodes() == (refused,)


def test_an_outage_is_asked_again(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    run = tmp_path / "run"
    server.fail("server_error", model="a-describer")
    pair = served_pair(tmp_path, server.base_url, {"deadline_s": 0.01})
    assert play_pair(pair, instances, run, "--limit", "1") == 1
    without_ends(run)
    pair = served_pair(tmp_path, server.base_url)
    assert play_pair(pair, instances, run, "--limit", "1") == 0
