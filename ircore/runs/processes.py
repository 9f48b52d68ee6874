"""Playing a run in several processes, where one has not the time for all answers; a single one writes the journal.

Each process plays its own episodes with its own connections, stores renderings, and hands the events to the process
that began them, which records them as if they were its own: the same journal, the same counts, limits and signals.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ircore.core.episode_records import Attempt, repeat_id
from ircore.core.errors import InputError, WorkError
from ircore.core.journal import Recorder
from ircore.core.plain_words import format_count
from ircore.core.tokens import load_tokenizer
from ircore.games.registry import load_game
from ircore.players.submission import LoadedSubmission
from ircore.runs.answers import Cache
from ircore.runs.costs.limit import CostLimit, NoMoreError, Reserve
from ircore.runs.costs.prices import RunPrices, load_run_prices
from ircore.runs.engine import SIGNALS, Engine, hold_signals, release_signals
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, store_pictures
from ircore.runs.session import DueEpisode, PlayPlan, Session, count_ended
from ircore.runs.setup import make_players

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


class Batch(NamedTuple):
    """Events to be recorded, without pictures."""

    entries: list[EventEntry]


class Busy(NamedTuple):
    """The number of questions that a process has under way, where nothing is reserved for each."""

    in_flight: int


class Wish(NamedTuple):
    """A question that may be sent once the limit of cost has room for it."""

    number: int
    seat: str


class Tried(NamedTuple):
    """A request of a question that has room in the limit of cost.

    >>> Tried(0, Attempt(kind="timeout", seconds=300)).attempt.kind
    'timeout'
    """

    number: int
    attempt: Attempt


class Freed(NamedTuple):
    """The end of a question that had room in the limit of cost.

    >>> Freed(number=0).number
    0
    """

    number: int


class Grant(NamedTuple):
    """The answer to a wish: whether the question may be sent.

    >>> Grant(number=0, granted=True).granted
    True
    """

    number: int
    granted: bool


class Stopping(NamedTuple):
    """No further question may be sent; what is under way is waited for, or given up as well.

    >>> Stopping("stopped by SIGTERM").give_up
    False
    """

    problem: str
    give_up: bool = False


class Done(NamedTuple):
    """The end of a process, with its failure if it failed.

    >>> Done().problem is None
    True
    """

    problem: str | None = None
    remedy: str = ""
    stopped: bool = False
    by_input: bool = False


class _Handed:
    """Hands events to the process that records them, in the thread of a recorder; in place of ``RunWriter``."""

    def __init__(self, folder: RunFolder, names: Iterable[str], records: Connection) -> None:
        # The answers of its own episodes alone: memory would otherwise grow with the number of processes.
        wanted = frozenset(names)
        self.folder: RunFolder = folder
        journal = folder.hold_journal()  # read once
        self.known = {key: call for key, call in journal.calls().items() if key.episode_id in wanted}
        self.refused = {key: failure for key, failure in journal.refusals().items() if key.episode_id in wanted}
        self.finished: dict[str, Any] = {}
        self._records = records
        self._stored = {path.stem for path in (folder.path / "renderings").iterdir()}

    def record(self, entries: Sequence[EventEntry]) -> None:
        self._stored |= store_pictures(self.folder, entries, self._stored)
        # Pictures stay behind: they lie in the run folder now, and a pipe would copy their bytes.
        self._records.send(Batch([EventEntry(entry.event) for entry in entries]))
        failure = self._records.recv()
        if failure is not None:
            raise WorkError(failure, "Every recorded answer is kept; the same command goes on.")


class _Telling(CostLimit):
    """Tells the process that counts how many questions are under way."""

    def __init__(self, prices: RunPrices, control: Connection) -> None:
        super().__init__(prices)
        self._control = control

    async def reserve(self, seat: str) -> Reserve:
        reserve = await super().reserve(seat)
        self._control.send(Busy(self.in_flight))
        return reserve

    def release(self, reserve: Reserve) -> None:
        super().release(reserve)
        self._control.send(Busy(self.in_flight))


@dataclass(eq=False)
class _NumberedReserve(Reserve):
    """What the process that counts has reserved for a question, which it knows by its number."""

    number: int = 0


class _Reserving(CostLimit):
    """Asks the process that counts the cost before each question, and tells it of every request."""

    def __init__(self, prices: RunPrices, control: Connection) -> None:
        super().__init__(prices)
        self._control = control
        self._numbers = count()
        self._wishes: dict[int, asyncio.Future[bool]] = {}

    async def reserve(self, seat: str) -> Reserve:
        if self.ended_early is not None:
            raise self.build_stop_error()
        number = next(self._numbers)
        answer = self._wishes[number] = asyncio.get_running_loop().create_future()
        self._control.send(Wish(number, seat))
        try:
            granted = await answer
        finally:
            self._wishes.pop(number, None)
        if not granted:
            raise NoMoreError("no further question may be sent", "Every answer is kept.")
        self.in_flight += 1
        return _NumberedReserve(seat, 0.0, number=number)

    def count_attempt(self, reserve: Reserve, attempt: Attempt) -> None:
        if isinstance(reserve, _NumberedReserve):
            self._control.send(Tried(reserve.number, attempt))

    def release(self, reserve: Reserve) -> None:
        self.in_flight -= 1
        if isinstance(reserve, _NumberedReserve):
            self._control.send(Freed(reserve.number))

    def end(self, why: NoMoreError) -> None:
        super().end(why)
        for wish in self._wishes.values():
            if not wish.done():
                wish.set_result(False)

    def answer_wish(self, grant: Grant) -> None:
        """Take the answer to a wish; what was granted to a question that has ended meanwhile is given back."""
        wish = self._wishes.get(grant.number)
        if wish is not None and not wish.done():
            wish.set_result(grant.granted)
        elif grant.granted:
            self._control.send(Freed(grant.number))


class _Silent:
    """Progress that is shown elsewhere."""

    def advance(self, note: str = "") -> None:
        """Do nothing."""

    def refresh(self, note: Any) -> None:
        """Do nothing."""


def play_part(
    part: PlayPlan,
    due: list[DueEpisode],
    loaded: LoadedSubmission,
    cache: Cache | None,
    limited: bool,
    records: Connection,
    control: Connection,
    path: Path,
) -> None:
    """Play a part of a run; the whole life of a process."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # the process that began this one decides when to stop
    release_signals()
    try:
        folder = RunFolder(path)
        prices = load_run_prices(folder)
        cost_limit = _Reserving(prices, control) if limited else _Telling(prices, control)
        writer = _Handed(folder, [repeat_id(instance.instance_id, repeat) for instance, repeat in due], records)
        engine: Engine[EventEntry] = Engine(Recorder(writer), cost_limit, _Silent())
        game = load_game(part.run.game, "run")
        load_tokenizer()
        session = Session(part, game, make_players(game, loaded), writer, engine, cache)
        asyncio.run(_play_controlled(control, session, due))
        control.send(Done())
    except asyncio.CancelledError:
        control.send(Done())  # as it was told to; what was under way is recorded as given up
    except NoMoreError as error:
        control.send(Done(error.problem, error.remedy, stopped=True))
    except (InputError, OSError, EOFError) as error:
        by_input = isinstance(error, InputError) and not isinstance(error, WorkError)
        # The pipe itself may be what broke.
        with suppress(OSError):
            control.send(Done(getattr(error, "problem", str(error)), getattr(error, "remedy", ""), by_input=by_input))


async def _play_controlled(control: Connection, session: Session, due: list[DueEpisode]) -> None:
    """Play episodes, heeding the process that began this one."""
    playing = asyncio.current_task()
    # Asking may have ended before this process was ready.
    while control.poll():
        _heed(control, session.engine.cost_limit, playing)
    asyncio.get_running_loop().add_reader(control.fileno(), _heed, control, session.engine.cost_limit, playing)
    await session.run(due)


def _heed(control: Connection, cost_limit: CostLimit, playing: "asyncio.Task[Any] | None") -> None:
    """Take a message of the process that began this one: an answer to a wish, or the end of asking."""
    try:
        message = control.recv()
    except (EOFError, OSError):
        raise SystemExit(1) from None  # nobody is left to record an answer
    if isinstance(message, Grant) and isinstance(cost_limit, _Reserving):
        cost_limit.answer_wish(message)
    elif isinstance(message, Stopping):
        cost_limit.end(NoMoreError(message.problem, "Every answer is kept."))
        if message.give_up and playing is not None:
            playing.cancel()


END_S = 10.0
"""Seconds until a process that has said that it is done is ended."""


@dataclass(frozen=True)
class ProcessPool:
    """Plays a plan's episodes in several processes.

    Attributes:
        loaded: The submission, of which each process makes players of its own.
        number: Processes, ≥ 2.
    """

    loaded: LoadedSubmission
    cache: Cache | None
    number: int

    async def run(self, plan: PlayPlan, writer: RunWriter, engine: Engine[EventEntry]) -> None:
        """Play the unfinished episodes of a plan; raises as ``Engine.run``."""
        unfinished = plan.due(writer.finished)
        number = min(self.number, plan.concurrency, max(1, len(unfinished)))
        parts = [
            (replace(plan, concurrency=(plan.concurrency + start) // number), unfinished[start::number])
            for start in range(number)
        ]
        # The C library of Linux would keep memory ready for each thread of a process: some 4 MB.
        os.environ.setdefault("MALLOC_ARENA_MAX", "2")
        workers: list[_Worker] = []
        try:
            # Python begins this helper with the first process, and lets signals go then.
            if sys.platform != "win32":
                resource_tracker.ensure_running()
            # A signal comes when all of them are known: one that is begun and not known would be left waiting.
            with hold_signals():
                workers += [_Worker(part, due, self, writer, engine) for part, due in parts]
            await engine.run((worker.serve() for worker in workers), plan.deadline, ())
        finally:
            for worker in workers:
                worker.end()


class _Worker:
    """A process of play, as the process that began it sees it."""

    def __init__(
        self, part: PlayPlan, due: list[DueEpisode], pool: ProcessPool, writer: RunWriter, engine: Engine[EventEntry]
    ) -> None:
        # A forked process would inherit the event loop, threads and connections of this one.
        context = get_context("spawn")
        self._records, records = context.Pipe()
        self._control, control = context.Pipe()
        limited = engine.cost_limit.max_cost is not None
        arguments = (part, due, pool.loaded, pool.cache, limited, records, control)
        self._process: SpawnProcess = context.Process(
            target=play_part, args=arguments, kwargs={"path": writer.folder.path}
        )
        # Ended with this process, also where an exception passes ``end`` by.
        self._process.daemon = True
        self._process.start()
        # The other ends belong to the process alone: only then does its end show here as the end of a pipe.
        records.close()
        control.close()
        self._writer = writer
        self._engine = engine
        self._in_flight = 0
        self._is_done = False
        self._reserves: dict[int, Reserve] = {}
        self._recording: set[asyncio.Task[None]] = set()
        self._wishes: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Serve the process until it is done.

        Raises:
            NoMoreError, WorkError: It stopped, failed, or was ended from outside.
            InputError: A file of the run is damaged, or an answer belongs to another question.
        """
        loop = asyncio.get_running_loop()
        completion: asyncio.Future[Done] = loop.create_future()
        pipes = (self._records, self._control)
        for pipe in pipes:
            loop.add_reader(pipe.fileno(), self._receive, pipe, completion)
        telling = loop.create_task(self._tell_of_stop())
        try:
            try:
                ended = await asyncio.shield(completion)  # it is still needed where this task is cancelled
            except asyncio.CancelledError:
                await self._give_up(completion)
                raise
            await asyncio.gather(*self._recording)
            self._is_done = True
        finally:
            telling.cancel()
            for pipe in pipes:
                loop.remove_reader(pipe.fileno())
            self._count(0)
            self._free_all()
        if ended.problem is not None:
            kind = NoMoreError if ended.stopped else InputError if ended.by_input else WorkError
            raise kind(ended.problem, ended.remedy)

    async def _give_up(self, completion: "asyncio.Future[Done]") -> None:
        """Let the process record what it was asking and end, and wait for that."""
        with suppress(OSError):
            self._control.send(Stopping("given up", give_up=True))
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await completion
                await asyncio.gather(*self._recording)
                self._is_done = True

    def _free_all(self) -> None:
        """Free what is reserved for a process that has ended, also where it was killed and gave nothing back."""
        for wish in self._wishes:
            wish.cancel()
        for reserve in self._reserves.values():
            self._engine.cost_limit.release(reserve)
        self._reserves.clear()

    def _receive(self, pipe: Connection, completion: "asyncio.Future[Done]") -> None:
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            self._handle_loss(completion)
            return
        cost_limit = self._engine.cost_limit
        if isinstance(message, Done):
            if not completion.done():
                completion.set_result(message)
        elif isinstance(message, Busy):
            self._count(message.in_flight)
        elif isinstance(message, Tried):
            if message.number in self._reserves:
                cost_limit.count_attempt(self._reserves[message.number], message.attempt)
        elif isinstance(message, Freed):
            if message.number in self._reserves:
                cost_limit.release(self._reserves.pop(message.number))
        elif isinstance(message, Batch):
            self._begin(self._record(message), self._recording)
        else:
            self._begin(self._reserve(message), self._wishes)

    @staticmethod
    def _begin(work: Coroutine[Any, Any, None], tasks: "set[asyncio.Task[None]]") -> None:
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def _handle_loss(self, completion: "asyncio.Future[Done]") -> None:
        for pipe in (self._records, self._control):
            asyncio.get_running_loop().remove_reader(pipe.fileno())
        stop = self._engine.cost_limit.ended_early
        if not completion.done() and stop is not None:
            # It ended because all of them were told to.
            completion.set_exception(stop)
        elif not completion.done():
            self._process.join(1)
            asking = len(self._reserves) or self._in_flight
            lost = f" with {format_count(asking, 'question')} under way" if asking else ""
            how = f"a process of play was ended (exit status {self._process.exitcode}){lost}"
            completion.set_result(Done(how, "Every recorded answer is kept; the same command goes on."))

    async def _record(self, batch: Batch) -> None:
        failure: Exception | None = None
        try:
            await asyncio.gather(*(self._engine.recorder.record(entry) for entry in batch.entries))
            self._count_entries(batch.entries)
        except WorkError as error:
            failure = error
        with suppress(OSError):
            self._records.send(failure and str(failure))
        if failure is not None:
            raise failure

    def _count_entries(self, entries: Sequence[EventEntry]) -> None:
        for entry in entries:
            if isinstance(entry.event, End):
                count_ended(entry.event.episode, self._writer, self._engine)
            else:
                self._engine.cost_limit.count_question(entry.event)
        self._engine.shown.refresh(self._engine.cost_limit.note)

    async def _reserve(self, wish: Wish) -> None:
        with suppress(NoMoreError):
            self._reserves[wish.number] = await self._engine.cost_limit.reserve(wish.seat)
        with suppress(OSError):
            self._control.send(Grant(wish.number, wish.number in self._reserves))

    def _count(self, in_flight: int) -> None:
        """Tell the limit how many questions of this process are under way, where it does not reserve for each."""
        cost_limit = self._engine.cost_limit
        if cost_limit.max_cost is None:
            cost_limit.in_flight += in_flight - self._in_flight
            self._in_flight = in_flight

    async def _tell_of_stop(self) -> None:
        cost_limit = self._engine.cost_limit
        await cost_limit.halt.wait()
        with suppress(OSError):
            self._control.send(Stopping(cost_limit.build_stop_error().problem))

    def end(self) -> None:
        """End the process: a process that is done has some time to end by itself."""
        for pipe in (self._records, self._control):
            pipe.close()
        if self._is_done:
            self._process.join(END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
