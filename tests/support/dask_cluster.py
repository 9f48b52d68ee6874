"""A Dask scheduler and workers on this machine, as a user starts them, for a test."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DaskCluster:
    """What runs.

    Attributes:
        address: Of the scheduler.
        scheduler: Its process.
        workers: One process each, one thread each; to be killed at will.
    """

    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: "tuple[subprocess.Popen[bytes], ...]"


@contextmanager
def dask_cluster(folder: Path, workers: int, path: str = "") -> Iterator[DaskCluster]:
    """Run a scheduler and workers while the block runs; ``path`` is put before the workers' PYTHONPATH."""
    folder.mkdir(parents=True)
    told = folder / "scheduler.json"
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(told)]
    with ExitStack() as started:
        scheduler = _start(["scheduler", *local, "--port", "0", "--no-show"], folder / "scheduler.log", "")
        started.callback(_stop, scheduler)
        _wait_until(lambda: told.exists() and told.read_text().endswith("}"), "the scheduler")
        item = ["worker", *local, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
        logs = [folder / f"worker-{index}.log" for index in range(workers)]
        running = [_start(item, log, path) for log in logs]
        for worker in running:
            started.callback(_stop, worker)
        _wait_until(lambda: all(b"Registered to" in log.read_bytes() for log in logs), "the workers")
        yield DaskCluster(json.loads(told.read_text())["address"], scheduler, tuple(running))


def _start(command: list[str], log: Path, path: str) -> "subprocess.Popen[bytes]":
    python_path = os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH"))))
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *command],
            env={**os.environ, "PYTHONPATH": python_path},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_until(ready: Callable[[], bool], what: str, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Kill: nothing in a test's cluster is worth an orderly end."""
    process.kill()
    process.wait()
