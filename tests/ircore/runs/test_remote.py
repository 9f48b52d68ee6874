"""Playing and scoring on a real Dask cluster on this machine."""

import asyncio
import os
import pickle
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import slow_pair
from dask_cluster import DaskCluster, dask_cluster
from openai_server import serving
from pairs import begin_playing, play_pair, served_pair, write_pair
from samples import CentreDescriber, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError, WorkError
from ircore.games.reconstruction.records import list_turns
from ircore.players.base import DescriberView, PlayerError, TextAnswer
from ircore.players.calls import ProviderStopError
from ircore.runs.cluster import Cluster
from ircore.runs.costs import limit
from ircore.runs.events import Call
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


SUPPORT = Path(__file__).resolve().parents[2] / "support"
QUICK = ("--metric", "psnr", "--metric", "uqi")
"""With the judge, what takes little to load."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What to put before PYTHONPATH so that the slow players are installed; they are in this process."""
    slow_pair.install(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return os.pathsep.join((str(tmp_path / "site"), str(SUPPORT)))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """One worker, which several commands ask one after the other; not to be killed."""
    pytest.importorskip("distributed")
    slow_pair.install(site := tmp_path_factory.mktemp("site"))
    with dask_cluster(tmp_path_factory.mktemp("one-worker") / "dask", 1, f"{site}{os.pathsep}{SUPPORT}") as started:
        yield started


def on(cluster: DaskCluster) -> tuple[str, ...]:
    return ("--executor", "dask", "--scheduler", cluster.address)


def slow(folder: Path, asked: Path) -> Path:
    """Write a submission of the slow players, which write their questions into ``asked``."""
    settings = {"asked": str(asked), "seconds": 0.1}
    return write_pair(
        folder,
        {"player": "slow-describer", "parameters": settings},
        {"player": "slow-generator", "parameters": settings},
    )


def kill_when(worker: int, journal: Path, lines: int) -> Thread:
    """Kill a process as soon as a journal has so many lines."""

    def cost_limit() -> None:
        while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
            time.sleep(0.01)
        os.kill(worker, signal.SIGKILL)

    thread = Thread(target=cost_limit, daemon=True)
    thread.start()
    return thread


def played(run: RunFolder) -> list[object]:
    """What was played, without the times that it took."""
    turns = [[(turn.turn, turn.message, turn.rendering) for turn in list_turns(episode)] for episode in run.episodes()]
    return [(episode.episode_id, episode.outcome, said) for episode, said in zip(run.episodes(), turns, strict=True)]


def test_a_worker_is_killed_and_the_run_is_the_same_as_on_one_machine(tmp_path: Path, path: str) -> None:
    pytest.importorskip("distributed")
    instances = sample_instances(tmp_path / "set", per_condition=2)
    asked = tmp_path / "asked"
    pair = slow(tmp_path, asked)
    far, near = tmp_path / "far", tmp_path / "near"
    with dask_cluster(tmp_path / "dask", 2, path) as cluster:
        killer = kill_when(cluster.workers[0].pid, far / "journal.jsonl", 12)
        assert play_pair(pair, instances, far, *on(cluster)) == 0
        killer.join(60)
        assert cluster.workers[0].wait(60) == -signal.SIGKILL
        questions = [line.split(" ", 1) for line in asked.read_text().splitlines()]
        assert {int(process) for process, _ in questions} == {worker.pid for worker in cluster.workers}
        # Eight episodes of three messages and two pictures. What was under way is asked again: an episode waits for one
        # answer at a time, which the worker may be giving, or have given without anybody having fetched it yet.
        again = Counter(question for _, question in questions)
        assert len(again) == 40
        assert sum(again.values()) <= 40 + 8
        assert max(again.values()) <= 2
        # The worker that is left scores; its folder is not the run's.
        assert ircore(["score", str(far), *QUICK, *on(cluster)]) == 0
    calls = [event for event in RunFolder(far).events() if isinstance(event, Call)]
    assert Counter((call.episode_id, call.turn, call.role) for call in calls).most_common(1)[0][1] == 1
    assert play_pair(pair, instances, near, "--concurrency", "16") == 0
    assert ircore(["score", str(near), *QUICK]) == 0
    assert played(RunFolder(far)) == played(RunFolder(near))
    assert (far / "scores.jsonl").read_bytes() == (near / "scores.jsonl").read_bytes()


def test_what_goes_wrong_on_a_worker_is_told_as_if_it_had_happened_here(
    tmp_path: Path, path: str, cluster: DaskCluster, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert path  # the players are installed here, too
    instances = sample_instances(tmp_path / "set")
    generator = {"player": "canvas"}

    def play_with(name: str, describer: dict[str, object]) -> int:
        pair = write_pair(tmp_path / name, describer, generator)
        return play_pair(pair, instances, tmp_path / name / "run", *on(cluster))

    assert play_with("unwilling", {"player": "unwilling"}) == 0
    reasons = {episode.abort_reason for episode in RunFolder(tmp_path / "unwilling" / "run").episodes()}
    assert reasons == {"describer_refused"}
    assert play_with("broken", {"player": "local-model"}) == 1
    assert "the describer broke with MemoryError: no room on the card (slow_pair.py:" in capsys.readouterr().err
    # Settings are checked where the player is made.
    assert play_with("settings", {"player": "classical", "parameters": {"size": 3}}) == 2
    assert "submission.yaml: describer: parameters.size: the player 'classical'" in capsys.readouterr().err
    with monkeypatch.context() as newer:  # here, not on the worker
        newer.setattr("ircore.runs.cluster.find_package_version", lambda *_: ("slow-pair", "2"))
        assert play_with("newer", {"player": "unwilling"}) == 2
    assert "a worker has slow-pair 1.0, not slow-pair 2" in capsys.readouterr().err
    monkeypatch.setattr("ircore.runs.cluster.__version__", "0.0.1")
    assert play_with("older", {"player": "classical"}) == 2
    assert "a worker has ircore 0.1.0, not 0.0.1" in capsys.readouterr().err


def test_nothing_is_sent_after_a_signal(tmp_path: Path, cluster: DaskCluster) -> None:
    """One worker has begun a question, and eleven wait for it."""
    with serving(latency=3.0) as service:
        process = begin_playing(tmp_path, service, 1, "--concurrency", "12", *on(cluster))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
        assert service.count() == 1
    assert process.returncode == 143
    assert "SIGTERM: waiting for 1 answer under way" in said
    assert len(RunFolder(tmp_path / "run").calls()) == 1  # that answer was paid for


@pytest.mark.parametrize("how", ["signal", "deadline"])
def test_what_a_worker_tried_is_recorded_and_its_pauses_end(tmp_path: Path, cluster: DaskCluster, how: str) -> None:
    more = ("--deadline", "12") if how == "deadline" else ()
    with serving(retry_after="1000", cost=lambda number: 0.3) as service:
        service.fail("empty_choices", *["rate_limit"] * 100)
        begun = time.monotonic()
        process = begin_playing(tmp_path, service, 0, *on(cluster), *more)
        service.wait_for(2)
        if how == "signal":
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert time.monotonic() - begun < 50
        time.sleep(1)
        assert service.count() == 2  # nor does the worker go on
    (failure,) = RunFolder(tmp_path / "run").failures()
    assert [attempt.kind for attempt in failure.attempts[:2]] == ["malformed", "rate_limit"]
    assert failure.attempts[0].cost_usd == 0.3
    assert process.returncode == (143 if how == "signal" else 1)


def test_a_worker_sends_nothing_more_for_a_command_that_was_killed(tmp_path: Path, cluster: DaskCluster) -> None:
    with serving(retry_after="3") as service:
        service.fail(*["rate_limit"] * 100)
        process = begin_playing(tmp_path, service, 0, *on(cluster))
        service.wait_for(1, replies=1)
        process.kill()
        process.communicate(timeout=60)
        time.sleep(6)
        assert service.count() == 1  # the pause before the next attempt ended with the command


def test_what_is_billed_on_workers_counts_towards_the_limit(
    tmp_path: Path, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It says what each answer costs, as OpenRouter does.
    monkeypatch.setattr(limit, "REPORTING", frozenset({"127.0.0.1"}))
    instances = sample_instances(tmp_path / "set", per_condition=3)
    with serving(cost=lambda number: 0.3) as service:
        service.fail("ok", "ok", *["empty_choices"] * 500)
        pair = served_pair(tmp_path, service.base_url)
        assert play_pair(pair, instances, tmp_path / "run", *on(cluster), "--max-cost", "1") == 1
        assert 1 <= service.billed < 1 + 0.3


@pytest.mark.parametrize("address", ["nonsense", "http://host:80", "tcp://host", "tcp://host:0", "tcp://host:70000"])
def test_an_address_is_checked(address: str) -> None:
    with pytest.raises(InputError, match="no address of a scheduler"):
        Cluster(address)


def test_a_scheduler_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(WorkError, match="no scheduler answered"):
        asyncio.run(Cluster("tcp://127.0.0.1:1", patience=0.5).slots())


def test_one_option_without_the_other_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instances = sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "classical"}, {"player": "canvas"})
    assert play_pair(pair, instances, tmp_path / "run", "--executor", "dask") == 2
    assert "--executor dask needs --scheduler" in capsys.readouterr().err
    assert play_pair(pair, instances, tmp_path / "run", "--scheduler", "tcp://127.0.0.1:8786") == 2
    assert "--scheduler needs --executor dask" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_errors_travel_whole() -> None:
    attempts = (Attempt(kind="refused", status=400, seconds=0.5, received=10),)
    player = pickle.loads(pickle.dumps(PlayerError("describer_refused", "no", attempts)))
    assert (player.reason, player.detail, player.attempts, str(player)) == ("describer_refused", "no", attempts, "no")
    stop = ProviderStopError("no credit", "Pay.")
    stop.attempts = attempts
    stopped = pickle.loads(pickle.dumps(stop))
    assert (stopped.problem, stopped.remedy, stopped.attempts) == ("no credit", "Pay.", attempts)


AT_ONCE = 8


@pytest.mark.parametrize(("name", "status", "processes"), [("SIGINT", 130, 1), ("SIGTERM", 143, 1), ("SIGHUP", 129, 2)])
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
    more = ("--deadline", "10", "--concurrency", str(at_once), "--processes", processes)
    with serving(cost=lambda number: 0.25) as service:
        service.fail(*["empty_choices"] * at_once, *["stall"] * 100)
        pair = served_pair(tmp_path, service.base_url)
        assert play_pair(pair, instances, tmp_path / "run", *more) == 1
        assert "stopped at the deadline of 10 s\n  Every answer is kept" in capsys.readouterr().err
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


def test_questions_that_wait_for_a_retry_or_the_gate_are_not_sent_after_a_signal(tmp_path: Path) -> None:
    with serving(latency=0.3, retry_after="1000", rates={"rate_limit": 1.0}) as service:
        process = begin_playing(tmp_path, service, 0, "--concurrency", "6")
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
