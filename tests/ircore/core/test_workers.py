"""Worker processes end with the command that they work for."""

import subprocess
import sys
import time

COMMAND = """
import os, time
from ircore.core.workers import worker_pool

with worker_pool(2) as pool:
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    time.sleep(600)
"""


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
