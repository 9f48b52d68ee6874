"""Worker processes: a pool for pieces of work that can be pickled, and forked workers that share the parent's memory.

Workers of a pool leave Ctrl-C to the command, and end when the command is gone, be it by ``kill -9``.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain, islice
from multiprocessing import get_all_start_methods, get_context, parent_process
from threading import Thread
from typing import Any, TypeVar

from ircore.core.collector import give_back_memory, pause_collector, slow_collector
from ircore.core.errors import WorkError

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 4
"""Pieces handed out per process before the oldest is taken back: keeps all cores busy and the memory bounded."""

MAX_SHARES = 4
"""Forked processes at once, the parent included: each comes to hold a copy of part of the parent's memory."""

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a process; Windows has no SIGHUP."""

_share_task: Callable[[int, int], object] | None = None
"""Task of the shares that are running: a forked process finds it here, where it need not be pickled."""


def build_worker_pool(workers: int) -> "WorkerPool":
    """Return a pool of ``workers`` processes."""
    return WorkerPool(workers, initializer=_start_worker)


def map_in_order(function: Callable[[T], R], pieces: Iterable[T], workers: int) -> Iterator[R]:
    """Yield a function's results for all pieces, in the order of the pieces, computed by several processes.

    Args:
        function: A function of a module, so that another process finds it by name.
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
    pool = build_worker_pool(workers)
    waiting: deque[Future[R]] = deque()
    try:
        for piece in chain(first, waiting_pieces):
            # The oldest is waited for before another is handed out, since pieces and results may be large.
            if len(waiting) >= AHEAD * workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(function, piece))
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise WorkError(
            "a worker process was killed, probably because memory ran out", "Give the same command again."
        ) from error
    finally:
        pool.stop() if waiting else pool.shutdown()


def run_shares(task: Callable[[int, int], T], worthwhile: bool = True) -> list[T]:
    """Call ``task(share, shares)`` once per share, in parallel where the system can fork, and return the results.

    Every process starts with a copy of this process's memory. The garbage collector looks at the objects alone that
    the task makes: it would otherwise write to every shared page, and each process would then hold a copy of it.

    Args:
        task: Called with the 0-based share and the number of shares. Changes that it makes in memory may be lost: only
            its result and the files that it writes last.
        worthwhile: Whether the work is large enough to be worth starting processes.

    Returns:
        The result of each share, in order; a single result if the work was not divided.
    """
    shares = min(os.cpu_count() or 1, MAX_SHARES)
    if not worthwhile or shares == 1 or "fork" not in get_all_start_methods():
        return [task(0, 1)]
    # A closure cannot be pickled; a forked process finds it in its copy of the memory.
    global _share_task
    _share_task = task
    try:
        # A share takes long: it ends with the command instead of being awaited.
        begin = partial(_start_worker, signal.SIG_DFL)
        pool_of_forks = WorkerPool(shares - 1, mp_context=get_context("fork"), initializer=begin)
        with slow_collector(), pool_of_forks as pool:
            others = [pool.submit(_run_share, share, shares) for share in range(1, shares)]
            # The parent does the first share itself: that saves the memory which one more process would copy.
            return [task(0, shares), *(other.result() for other in others)]  # type: ignore[list-item]
    finally:
        _share_task = None


def run_pieces(task: Callable[[int], object], pieces: int, worthwhile: bool = True) -> None:
    """Call ``task(piece)`` for every piece, in parallel where the system can fork; an idle process takes the next.

    Args:
        task: Called with the 0-based piece; only the files that it writes last.
        pieces: Number of pieces; put the longest first, so that all processes end at about the same time.
        worthwhile: Whether the work is large enough to be worth starting processes.
    """
    # In memory that the forked processes share, with a lock: no piece is taken twice.
    next_piece = get_context().Value("i", 0)

    def take_pieces(share: int, shares: int) -> None:  # noqa: ARG001 - every share takes pieces until none is left
        # Between pieces little is left to search; within one, the collector would look at all that it is making.
        with pause_collector():
            while True:
                with next_piece.get_lock():
                    piece = next_piece.value
                    next_piece.value += 1
                if piece >= pieces:
                    return
                task(piece)
                give_back_memory()

    run_shares(take_pieces, worthwhile)


class WorkerPool(ProcessPoolExecutor):
    """A pool whose processes begin with the signals that end them held back, until they have handlers of their own."""

    def stop(self) -> None:
        """End the processes, whatever they are at; their results are not wanted any more."""
        # Cancelled futures would make the pool's own thread fail where a signal has ended its processes, too.
        for process in list((self._processes or {}).values()):
            process.terminate()
        self.shutdown()

    def submit(self, function: Callable[..., R], /, *arguments: Any, **parameters: Any) -> Future[R]:
        """Hand out a piece of work; the first one starts the processes."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows, where processes share no signals
            return super().submit(function, *arguments, **parameters)
        # A signal between fork and ``_start_worker`` would raise in code that swallows errors, and the process would
        # go on.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            return super().submit(function, *arguments, **parameters)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_share(share: int, shares: int) -> object:
    assert _share_task is not None  # noqa: S101 - set before the processes were forked
    return _share_task(share, shares)


def _start_worker(interrupted: signal.Handlers = signal.SIG_IGN) -> None:
    # A terminal sends Ctrl-C to every process: the command alone decides what follows from it.
    signal.signal(signal.SIGINT, interrupted)
    for number in _ENDING:
        # The handlers of the command raise SystemExit, which the loop of a worker takes for the result of its work.
        if signal.getsignal(number) != signal.SIG_IGN:  # which nohup sets
            signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # from this thread no other exit would end a process that computes
