"""The same path for every question to any player or judge: ask, record, resume, cache, cost, limits.

An answer that is in the record is taken from there. One that another run had is taken from the cache and recorded. Else
the question is sent, unless the limit of cost is reached; its answer, or the fault that came instead, is on the disk
before anything follows from it, the cache included. A question that is given up while it is under way is recorded too,
with the requests that it took: they may have been billed.

A run is stopped by Ctrl-C, and by the signals with which Slurm, Docker and a closed terminal end a process. The first
signal stops asking, and answers under way are waited for; the second one stops the wait, too.
"""

import asyncio
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, Protocol, Self, TypeVar

from ircore.core.collector import slow_collector
from ircore.core.episode_records import Attempt
from ircore.core.errors import WorkError
from ircore.core.journal import Recorder
from ircore.core.plain_words import format_count
from ircore.core.plugins import convert_plugin_errors
from ircore.core.terminal import Progress
from ircore.players.base import JudgeError, PlayerError
from ircore.players.calls import ProviderStopError
from ircore.players.open_questions import PLAYER_REMEDY, HaltedError, OpenQuestion, await_answer
from ircore.runs.costs.limit import CostLimit, NoMoreError, Reserve
from ircore.runs.costs.prices import Asked

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

    def handle_signal(self, number: signal.Signals) -> None:
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
            answers = format_count(waiting, "answer")
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
def handle_signals(stop: Stop) -> Iterator[None]:
    """Let signals stop the asking while the block runs, where this is the main thread of a system with signals."""
    loop, before = asyncio.get_running_loop(), {}
    for number in SIGNALS:
        handler = signal.getsignal(number)
        if handler == signal.SIG_IGN:  # as under nohup
            continue
        try:
            loop.add_signal_handler(number, stop.handle_signal, number)
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
def hold_signals() -> Iterator[None]:
    """Hold back signals for a process that is begun in the block, which lets them go with ``release_signals``.

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


def release_signals() -> None:
    """Receive again the signals that were held back when this process was begun."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


Refusal = PlayerError | JudgeError | ProviderStopError
"""Exceptions that a player raises on purpose instead of answering."""


class CostedEntry(Protocol):
    """An entry of a journal, with the question whose cost is counted.

    >>> from ircore.runs.events import Call
    >>> from ircore.runs.events import EventEntry as PlayEntry
    >>> call = Call(episode_id="a", turn=1, role="describer", text="A red circle.", seconds=0.5)
    >>> entry: CostedEntry = PlayEntry(call)
    >>> entry.counted.usage.requests
    1
    """

    @property
    def counted(self) -> Any:
        """The question, answered or not, in the form that ``CostLimit`` counts."""
        ...


EntryT = TypeVar("EntryT", bound=CostedEntry)
AnswerT = TypeVar("AnswerT")


class Inquiry(ABC, Generic[EntryT, AnswerT]):
    """A question, identified by episode, step and seat, with access to its record and cache.

    >>> class Answered(Inquiry[Any, str]):
    ...     where = "geometry-easy-01, turn 1: the describer"
    ...     asks = "describer"
    ...     def find_recorded(self): return "the recorded entry"
    ...     def find_cached(self): return None
    ...     async def ask(self): return "A red circle."
    ...     def record_answer(self, answer, seconds): return f"{answer} after {seconds} s"
    ...     def record_refusal(self, refusal): return f"no answer: {refusal}"
    >>> asyncio.run(Answered().ask())
    'A red circle.'
    """

    @property
    @abstractmethod
    def where(self) -> str:
        """Episode, step and seat in words, such as ``geometry-easy-01, turn 1: the describer``."""

    @property
    @abstractmethod
    def asks(self) -> str:
        """Name of the seat or judge that is asked, whose answers cost alike."""

    @abstractmethod
    def find_recorded(self) -> EntryT | None:
        """Return the entry of this run's record; None if there is none."""

    @abstractmethod
    def find_cached(self) -> EntryT | None:
        """Return an entry made from another run's answer, to be recorded in this run; None if there is none."""

    @abstractmethod
    def ask(self) -> Awaitable[AnswerT]:
        """Send the question; raises a ``Refusal``."""

    @abstractmethod
    def record_answer(self, answer: AnswerT, seconds: float) -> EntryT:
        """Return the entry of an answer.

        Raises:
            WorkError: The answer is none that can be recorded.
        """

    @abstractmethod
    def record_refusal(self, refusal: Refusal) -> EntryT:
        """Return the entry of a question that brought no answer."""

    def keep(self, entry: EntryT) -> None:
        """Store a recorded answer in the cache, if there is a cache; raises nothing."""


@dataclass(frozen=True)
class Engine(Generic[EntryT]):
    """Settles questions: from the record, from the cache, or by asking.

    >>> class Recorded(Inquiry[Any, str]):  # a recorded answer is not asked for again
    ...     where = "geometry-easy-01, turn 1: the describer"
    ...     def find_recorded(self): return "the recorded entry"
    ...     asks = ask = find_cached = record_answer = record_refusal = None
    >>> asyncio.run(Engine(recorder=None, cost_limit=None, shown=None).settle(Recorded()))
    'the recorded entry'

    Attributes:
        cost_limit: Counts along, and may limit the cost.
    """

    recorder: Recorder[EntryT]
    cost_limit: CostLimit
    shown: Progress

    async def settle(self, inquiry: Inquiry[EntryT, AnswerT]) -> EntryT:
        """Return the entry of a question; the question is asked now if neither record nor cache holds an answer.

        Raises:
            PlayerError, JudgeError, ProviderStopError: It was asked in vain, which is recorded.
            NoMoreError: No more may be spent, or asking was stopped.
            WorkError: The player broke, or the record cannot be written.
        """
        entry = inquiry.find_recorded()
        if entry is not None:
            return entry
        entry = inquiry.find_cached()
        if entry is not None:
            # Recorded in this run as well, which can then be read without the cache.
            await self._record(entry)
            return entry
        reserve = await self.cost_limit.reserve(inquiry.asks)
        try:
            return await self._ask_counted(inquiry, reserve)
        finally:
            self.cost_limit.release(reserve)

    async def _ask_counted(self, inquiry: Inquiry[EntryT, AnswerT], reserve: Reserve) -> EntryT:
        question = OpenQuestion(self.cost_limit.halt, lambda attempt: self.cost_limit.count_attempt(reserve, attempt))
        started = perf_counter()
        try:
            with question.open():
                answer = await await_answer(_ask(inquiry), inquiry.where)
            # Whatever a player hands over may be none of what a record can hold.
            with convert_plugin_errors(inquiry.where, remedy=PLAYER_REMEDY):
                entry = inquiry.record_answer(answer, round(perf_counter() - started, 4))
        except (PlayerError, JudgeError, ProviderStopError) as refusal:
            # Recorded as well: the failed attempts may have been billed.
            await self._record(inquiry.record_refusal(refusal), reserve)
            raise
        except HaltedError:
            if question.attempts:
                why = f"given up before it was asked again: {self.cost_limit.build_stop_error().problem}"
                await self._record(inquiry.record_refusal(_build_refusal(why, question)), reserve)
            raise self.cost_limit.build_stop_error() from None
        except asyncio.CancelledError:
            if not question.counts:
                # The player may have asked a service, of which it does not tell.
                seconds = round(perf_counter() - started, 4)
                question.note(Attempt(kind="timeout", seconds=seconds, detail="given up before an answer had come"))
            if question.attempts:
                refused = inquiry.record_refusal(_build_refusal("given up while it was under way", question))
                # Nothing is waited for in a task that is cancelled; ``run`` waits until all is written.
                self.recorder.record_soon(refused)
                self._count(refused, reserve)
            raise
        except WorkError as failure:
            if question.attempts:
                await self._record(inquiry.record_refusal(_build_refusal(failure.problem, question)), reserve)
            raise
        await self._record(entry, reserve)
        inquiry.keep(entry)
        return entry

    async def _record(self, entry: EntryT, reserve: Reserve | None = None) -> None:
        # On the disk before it is counted: what the limit knows of is always in the record.
        await self.recorder.record(entry)
        self._count(entry, reserve)

    def _count(self, entry: EntryT, reserve: Reserve | None) -> None:
        counted: Asked = entry.counted
        self.cost_limit.count_question(counted, reserve)
        self.shown.refresh(self.cost_limit.note)

    async def run(
        self, workers: Iterable[Coroutine[Any, Any, None]], deadline: float | None, players: Iterable[object]
    ) -> None:
        """Let workers ask side by side until all are done.

        The first failure, and a signal, stop the asking: what is under way is waited for, since it is paid for.

        Args:
            workers: Each takes what is to be asked from a queue that it shares with others.
            deadline: Seconds after which asking stops, whatever is under way; None for no limit.
            players: Closed at the end, in this event loop.

        Raises:
            WorkError: The deadline is over; every answer is kept.
            SignalledError: A signal stopped the work.
        """
        failures: list[Exception] = []
        try:
            async with asyncio.timeout(deadline) as limit:
                stop = Stop(self.cost_limit, limit)
                with handle_signals(stop), slow_collector():
                    async with asyncio.TaskGroup() as group:
                        for worker in workers:
                            group.create_task(_run_worker(worker, stop, failures))
        except TimeoutError as error:
            # After a stop the time that ran out is the one for answers under way, not the user's deadline.
            if self.cost_limit.ended_early is None:
                raise WorkError(
                    f"stopped at the deadline of {deadline:g} s", "Every answer is kept; the same command goes on."
                ) from error
        finally:
            # Answers first: closing a player may fail, and what was paid for must be on the disk then.
            await self.recorder.close()
            for player in players:
                if close := getattr(player, "close", None):
                    await close()
        if failures:
            raise failures[0]
        if isinstance(self.cost_limit.ended_early, SignalledError):
            raise self.cost_limit.ended_early


async def _ask(inquiry: Inquiry[Any, AnswerT]) -> AnswerT:
    # A method of a player that is no coroutine raises when it is called, and not when it is awaited.
    return await inquiry.ask()


def _build_refusal(why: str, question: OpenQuestion) -> ProviderStopError:
    """Return a question without an answer as a refusal, with the requests that it took."""
    refusal = ProviderStopError(why)
    refusal.attempts = tuple(question.attempts)
    return refusal


async def _run_worker(worker: Coroutine[Any, Any, None], stop: Stop, failures: list[Exception]) -> None:
    """Run a worker; its failure stops all workers from asking, and they finish the questions under way."""
    try:
        await worker
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised again when the others have ended
        failures.append(error)
        stop.begin(NoMoreError("another question failed"))
