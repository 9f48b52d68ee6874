"""Stopping early without losing an answer: no further question is sent, and answers under way are waited for.

The signals are Ctrl-C's, and those by which Slurm, Docker and a closed terminal end a process. The first one stops
asking, the second one stops the wait, too.
"""

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from ircore.core.counted import counted
from ircore.runs.costs.limit import CostLimit, NoMoreError

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP

GRACE = 120.0
"""Seconds for which answers under way are waited for: slow image models take about as long."""

SETTLING_S = 0.1
"""Seconds after a signal until it is said how many answers are waited for."""


class SignalledError(NoMoreError):
    """A signal asked the process to stop.

    >>> SignalledError.by(signal.SIGTERM).problem, SignalledError.by(signal.SIGTERM).status
    ('stopped by SIGTERM', 143)
    """

    @classmethod
    def by(cls, number: signal.Signals) -> Self:
        """Return the error for a signal; the exit status is the one that shells give to such an end."""
        error = cls(f"stopped by {number.name}", "Every answer is kept; the same command goes on.")
        error.status = 128 + number
        return error


class Stop:
    """Ends the asking of an engine.

    >>> from ircore.runs.costs.prices import RunPrices, read_prices
    >>> async def example() -> tuple[bool, bool]:
    ...     cost_limit = CostLimit(RunPrices(read_prices()))
    ...     async with asyncio.timeout(None) as limit:
    ...         Stop(cost_limit, limit).begin(SignalledError.by(signal.SIGTERM))
    ...         return cost_limit.may_ask(), limit.when() is None
    >>> asyncio.run(example())
    (False, False)

    Args:
        cost_limit: Told that no more may be asked; whenever it is, by whomever, answers under way have ``GRACE`` left.
        limit: Limits the time of all workers.
    """

    def __init__(self, cost_limit: CostLimit, limit: asyncio.Timeout) -> None:
        self._cost_limit = cost_limit
        self._limit = limit
        self._signalled = False
        cost_limit.when_ended = lambda: self._wait_at_most(GRACE)

    def begin(self, why: NoMoreError) -> None:
        """Let no further question be sent, and wait for answers under way. Later calls change nothing."""
        self._cost_limit.end(why)

    def signalled(self, number: signal.Signals) -> None:
        """Stop as the signal asks: the first one waits for answers under way, any later one does not."""
        if self._signalled:
            self._wait_at_most(0)
            return
        self._signalled = True
        # Where a failure ended the asking before, it stays the reason; the signal is the first all the same.
        self.begin(SignalledError.by(number))
        # By then questions that only waited to be sent have ended.
        asyncio.get_running_loop().call_later(SETTLING_S, self._say_what_is_waited_for, number)

    def _say_what_is_waited_for(self, number: signal.Signals) -> None:
        if waiting := self._cost_limit.in_flight:
            answers = counted(waiting, "answer")
            print(
                f"ircore: {number.name}: waiting for {answers} under way, {GRACE:g} s at most; once more stops at once",
                file=sys.stderr,
                flush=True,
            )

    def _wait_at_most(self, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        before = self._limit.when()
        if not self._limit.expired():
            self._limit.reschedule(end if before is None else min(before, end))


@contextmanager
def heeding_signals(stop: Stop) -> Iterator[None]:
    """Let signals stop the asking while the block runs, where this is the main thread of a system with signals."""
    loop, before = asyncio.get_running_loop(), {}
    for number in SIGNALS:
        handler = signal.getsignal(number)
        if handler == signal.SIG_IGN:  # as under nohup
            continue
        try:
            loop.add_signal_handler(number, stop.signalled, number)
        except (NotImplementedError, RuntimeError, ValueError):
            break  # Windows, or a thread other than the main one, as in a notebook
        before[number] = handler
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            # asyncio sets Python's own handler when it gives a signal up, and not the one from before.
            signal.signal(number, handler)


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back signals for a process that is begun in the block, which lets them go with ``let_signals_go``.

    Until it has decided what they do, a signal to the whole group would end it, and its work would seem to have failed.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where processes share no signals
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_signals_go() -> None:
    """Receive again the signals that were held back when this process was begun."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
