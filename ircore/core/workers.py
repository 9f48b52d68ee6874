"""Processes that work for a command: they leave Ctrl-C to it, and end when it is gone, be it by ``kill -9``."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import parent_process
from threading import Thread
from typing import TypeVar

from ircore.core.errors import WorkError

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 4
"""Pieces handed out per process before the oldest is taken back: keeps all cores busy and the memory bounded."""


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of ``workers`` processes."""
    return ProcessPoolExecutor(workers, initializer=_begin)


def in_order(function: Callable[[T], R], pieces: Iterable[T], workers: int) -> Iterator[R]:
    """Yield what a function makes of each piece, in the order of the pieces, computed by several processes.

    Args:
        function: Of a module, so that another process finds it.
        pieces: Taken when there is room for them; a single one is computed here.
        workers: Processes at most.

    Raises:
        WorkError: A process was killed.
    """
    waiting_pieces = iter(pieces)
    first = list(islice(waiting_pieces, 2))
    if workers <= 1 or len(first) < 2:
        yield from map(function, first)
        yield from map(function, waiting_pieces)
        return
    pool = worker_pool(workers)
    waiting: deque[Future[R]] = deque()
    try:
        for piece in chain(first, waiting_pieces):
            if len(waiting) >= AHEAD * workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(function, piece))
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise WorkError("a process was killed, probably for want of memory", "Give the same command again.") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
