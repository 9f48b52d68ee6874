"""Worker processes end with the command that they work for."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = """
import os, time
from ircore.core.workers import worker_pool

with worker_pool(2) as pool:
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    time.sleep(600)
"""

INTERRUPTED = """
import time
from ircore.commands.main import main
from ircore.core import workers

def work(piece):
    print("at work", flush=True)
    time.sleep(600)

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
@pytest.mark.parametrize("call", ["list(workers.in_order(work, range(8), 2))", "workers.run_shares(shares)"])
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
