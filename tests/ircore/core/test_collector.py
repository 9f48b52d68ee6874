"""Work without the garbage collector."""

import contextlib
import gc
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from ircore.core.collector import give_back_memory, pause_collector, slow_collector


@pytest.fixture
def _nothing_frozen() -> Iterator[None]:
    """As in a program that never calls ``gc.freeze``, which these tests do."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.slow
@pytest.mark.usefixtures("_nothing_frozen")
def test_the_collector_rests_and_what_was_made_counts_as_old() -> None:
    with pause_collector():
        assert not gc.isenabled()
        made = [[number] for number in range(1000)]
    assert gc.isenabled()
    assert {id(item) for item in made} <= {id(thing) for thing in gc.get_objects(generation=2)}


def test_it_comes_back_after_an_error_and_stays_off_if_it_was_off() -> None:
    with pytest.raises(KeyError), pause_collector():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with pause_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("treat", [pause_collector, slow_collector])
def test_what_the_caller_has_frozen_stays_frozen(treat: Callable[[], AbstractContextManager[None]]) -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with treat():
        pass
    assert gc.get_freeze_count() == frozen


@pytest.mark.usefixtures("_nothing_frozen")
def test_it_runs_seldom_while_questions_are_asked_and_as_before_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with contextlib.suppress(KeyError), slow_collector():
        assert gc.isenabled()
        assert gc.get_threshold()[0] == 10_000
        assert gc.get_freeze_count() > frozen  # what exists is spared
        raise KeyError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == frozen


def test_inside_work_without_the_collector_it_frees_what_is_made_there_alone() -> None:
    with pause_collector():
        before = len(gc.get_objects())
        with slow_collector():
            for _ in range(100_000):  # an object that refers to itself, as a page's template leaves them behind
                cycle: list[object] = []
                cycle.append(cycle)
            assert len(gc.get_objects()) < before + 50_000
        assert not gc.isenabled()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides for itself")
def test_freed_memory_goes_back_to_the_system_where_it_can() -> None:
    texts = [str(number) * 100 for number in range(200_000)]
    keep = texts[::1000]  # holes between what stays, which the C library would keep
    before = resident()
    del texts
    with pause_collector():
        give_back_memory()
    assert (resident() < before, len(keep)) == (True, 200)


def resident() -> int:
    """Return the pages of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1])


COMMAND = """
import os, time
from ircore.core.workers import build_worker_pool

with build_worker_pool(2) as pool:
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    time.sleep(600)
"""

INTERRUPTED = """
import sys
import time
from ircore.commands.main import main
from ircore.core import workers

def work(piece):
    sys.stdout.write("at work\\n")  # in one piece, beside those of other workers
    sys.stdout.flush()
    while True:  # a signal just before one long sleep would be heard only after it
        time.sleep(0.1)

def shares(share, count):
    work(share)

def command():
    {call}

import ircore.commands.main as commands
commands.run = lambda arguments: command()
# Tests that run under nohup would hand on that the signal is ignored.
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", ["list(workers.map_in_order(work, range(8), 2))", "workers.run_shares(shares)"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_all_processes_of_a_command_ends_it(call: str, number: signal.Signals) -> None:
    """A closed terminal, and `timeout`, send their signal to the whole group."""
    text = INTERRUPTED.format(call=call)
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "at work\n"
    os.killpg(process.pid, number)
    try:
        # On a busy machine the command may see that a worker is gone before its own signal comes, and fails of that.
        assert process.wait(60) in {128 + number, 1}
    finally:
        process.stdout.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
def test_no_process_outlives_a_killed_command() -> None:
    process = subprocess.Popen([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    workers = [int(word) for word in process.stdout.readline().split()]
    assert workers
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 120
    while any(_runs(worker) for worker in workers):
        assert time.monotonic() < deadline, "a worker is still there"
        time.sleep(0.05)


def _runs(process: int) -> bool:
    """Whether a process is there and is no zombie that waits for whoever adopted it."""
    status = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return status.stdout.strip()[:1] not in ("", "Z")
