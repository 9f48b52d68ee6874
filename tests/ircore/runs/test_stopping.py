"""Signals and failures while answers are under way: what is paid for is kept, and nothing more is asked."""

import asyncio
import signal
import subprocess
import time
from pathlib import Path

import pytest
from openai_server import serving
from pairs import begin_playing, play_pair, served_pair
from samples import CentreDescriber, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.calls import ProviderStopError
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

AT_ONCE = 8


@pytest.mark.parametrize(("name", "status", "processes"), [("SIGINT", 130, 1), ("SIGTERM", 143, 1), ("SIGHUP", 129, 3)])
def test_the_first_signal_waits_for_every_answer_under_way(
    tmp_path: Path, name: str, status: int, processes: int
) -> None:
    with serving(latency=1.0 * processes) as service:
        process = begin_playing(tmp_path, service, AT_ONCE, "--processes", str(processes))
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=60)
        asked = service.count()
    assert process.returncode == status
    assert f"ircore: {name}: waiting for " in said
    assert said.splitlines()[-2:] == [f"ircore: stopped by {name}", "  Every answer is kept; the same command goes on."]
    assert len(RunFolder(tmp_path / "run").calls()) == asked  # every answer that was paid for
    if processes == 1:  # several begin one after the other, so that the first may ask again before the last begins
        assert asked == AT_ONCE  # none was sent after the signal
        assert "waiting for 8 answers under way" in said


def test_the_second_signal_stops_the_wait(tmp_path: Path) -> None:
    with serving(latency=30.0) as service:
        process = begin_playing(tmp_path, service, AT_ONCE)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        while "once more stops at once" not in (line := process.stderr.readline()):
            assert line, "it ended without a word"
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=25)
    assert time.monotonic() - begun < 10
    assert process.returncode == 143
    run = RunFolder(tmp_path / "run")
    assert run.calls() == {}
    assert [failure.reason for failure in run.failures()] == ["stopped"] * AT_ONCE
    assert [attempt.kind for failure in run.failures() for attempt in failure.attempts] == ["timeout"] * AT_ONCE


def test_a_provider_that_stops_one_episode_costs_no_answer_of_the_others(tmp_path: Path) -> None:
    class OneRefused(CentreDescriber):
        """The first question is refused at once; the others are answered a little later."""

        asked = 0

        async def describe(self, view: DescriberView) -> TextAnswer:
            OneRefused.asked += 1
            if OneRefused.asked == 1:
                raise ProviderStopError("the key is not valid", "Give another key.")
            await asyncio.sleep(0.2)
            return await super().describe(view)

    instances = sample_instances(tmp_path / "set")
    with pytest.raises(ProviderStopError, match="the key is not valid"):
        sample_run(tmp_path / "run", instances, describer=OneRefused, concurrency=4)
    assert [key.role for key in RunFolder(tmp_path / "run").calls()] == ["describer"] * 3
    assert OneRefused.asked == 4


@pytest.mark.parametrize("processes", ["1", "2"])
def test_requests_of_questions_that_the_deadline_ends_are_recorded(
    tmp_path: Path, processes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each question has one reply that was billed and cannot be used, and a request under way."""
    instances, at_once = sample_instances(tmp_path / "set", per_condition=4), 6
    more = ("--deadline", "5", "--concurrency", str(at_once), "--processes", processes)
    with serving(cost=lambda number: 0.25) as service:
        service.fail(*["empty_choices"] * at_once, *["stall"] * 100)
        pair = served_pair(tmp_path, service.base_url)
        assert play_pair(pair, instances, tmp_path / "run", *more) == 1
        assert "stopped at the deadline of 5 s\n  Every answer is kept" in capsys.readouterr().err
        asked = service.count()
    failures = list(RunFolder(tmp_path / "run").failures())
    attempts = [attempt for failure in failures for attempt in failure.attempts]
    assert len(attempts) == asked
    assert {failure.reason for failure in failures} == {"stopped"}
    assert sum(attempt.cost_usd or 0 for attempt in attempts) == pytest.approx(at_once * 0.25)
    assert ircore(["show", str(tmp_path / "run")]) == 0
    assert f"{at_once * 0.25:.4f} US$, not counting answers of unknown cost" in capsys.readouterr().out


def ends_at_once(process: "subprocess.Popen[str]", number: signal.Signals = signal.SIGTERM) -> str:
    """Send a signal, and return what is said; the process ends long before the pauses that it is in."""
    begun = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - begun < 20
    return said


@pytest.mark.parametrize("more", [(), ("--processes", "2")])
def test_questions_that_wait_for_a_retry_or_the_gate_are_not_sent_after_a_signal(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    with serving(latency=0.3, retry_after="1000", rates={"rate_limit": 1.0}) as service:
        process = begin_playing(tmp_path, service, 0, "--concurrency", "6", *more)
        service.wait_for(6)
        time.sleep(2)  # by now all wait: some for the pause of the service, others for a place at the gate
        asked = service.count()
        said = ends_at_once(process)
        assert service.count() == asked
    assert process.returncode == 143
    assert said.splitlines()[-2] == "ircore: stopped by SIGTERM"
    attempts = [attempt for failure in RunFolder(tmp_path / "run").failures() for attempt in failure.attempts]
    assert len(attempts) == asked


def test_ten_failures_in_a_row_end_the_pauses_of_the_others(tmp_path: Path) -> None:
    """Four questions wait for a pause of the service, ten of the twelve others are rejected."""
    with serving(retry_after="1000") as service:
        service.fail(*["rate_limit"] * 4, *["rejected"] * 100)
        begun = time.monotonic()
        process = begin_playing(tmp_path, service, 0, "--concurrency", "5")
        _, said = process.communicate(timeout=60)
        assert time.monotonic() - begun < 40
    assert process.returncode == 1
    assert "the describer: 10 questions failed in a row, without an answer in between" in said


def test_the_first_signal_after_a_failure_that_stops_waits_for_answers_under_way(tmp_path: Path) -> None:
    with serving(latency=4.0) as service:
        service.fail("unauthorized")
        service.faults_at_once = True
        process = begin_playing(tmp_path, service, 7, "--concurrency", "8")
        service.wait_for(8, replies=1)
        time.sleep(0.5)  # the run is stopping now, and seven answers are under way
        said = ends_at_once(process)
    assert "ircore: SIGTERM: waiting for" in said
    assert process.returncode == 1
    assert "HTTP 401" in said
    assert len(RunFolder(tmp_path / "run").calls()) == 7
