"""Processes that work for a command: they leave Ctrl-C to it, and end when it is gone, be it by ``kill -9``."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import parent_process
from threading import Thread


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of ``workers`` processes."""
    return ProcessPoolExecutor(workers, initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
