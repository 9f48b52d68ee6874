"""Work cut into shares, one a processor, that all start from what this process already has in memory.

Where that is much, it is to be done within ``without_collector``: the garbage collector would write to every
page of memory that is shared.
"""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from typing import TypeVar

T = TypeVar("T")

MOST = 4
"""Processes at once: each comes to hold a part of the results of its own."""

_task: Callable[[int, int], object] | None = None


def in_shares(task: Callable[[int, int], T], worth: bool = True) -> list[T]:
    """Call ``task(share, shares)`` for each share, 0-based, at the same time where the system can fork.

    Args:
        task: What to do; of what it changes in memory nothing is sure to be seen here, only files and its result.
        worth: Whether there is so much to do that other processes are worth their start.

    Returns:
        One result a share, in order; one for everything where nothing is shared out.
    """
    shares = min(os.cpu_count() or 1, MOST)
    if not worth or shares == 1 or "fork" not in get_all_start_methods():
        return [task(0, 1)]
    global _task
    _task = task
    try:
        with ProcessPoolExecutor(shares - 1, mp_context=get_context("fork")) as pool:
            others = [pool.submit(_run, share, shares) for share in range(1, shares)]
            # One share is done here: what a process comes to change of what it shares is memory of its own.
            return [task(0, shares), *(one.result() for one in others)]  # type: ignore[list-item]
    finally:
        _task = None


def in_pieces(task: Callable[[int], object], pieces: int, worth: bool = True) -> None:
    """Call ``task(piece)`` for each piece, 0-based; a process that is done with one takes the next.

    Args:
        task: What to do; only the files that it writes last.
        pieces: How many there are; the long ones had better come first.
        worth: As for ``in_shares``.
    """
    begun = get_context().Value("i", 0)

    def take_turns(share: int, shares: int) -> None:  # noqa: ARG001 - every share takes what is left
        while True:
            with begun.get_lock():
                piece = begun.value
                begun.value += 1
            if piece >= pieces:
                return
            task(piece)

    in_shares(take_turns, worth)


def _run(share: int, shares: int) -> object:
    assert _task is not None  # noqa: S101 - set before the processes were forked
    return _task(share, shares)
