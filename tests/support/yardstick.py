"""Limits of time that mean the same on a quick, a slow and a busy machine."""

import time
from collections.abc import Callable


def rounds(work: Callable[[], object], tries: int = 3) -> float:
    """Return the processor time that work takes, in rounds of a plain loop of 100,000 steps on the same machine.

    The quickest of all tries counts, since other work on the machine slows some of them. A round takes about 4.5 ms on
    a virtual processor of 2026.
    """
    return min(_seconds(work) for _ in range(tries)) / min(_seconds(_round) for _ in range(5))


def _round() -> None:
    sum(number * number % 7 for number in range(100_000))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
