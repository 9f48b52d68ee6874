"""The part of a run that a process plays for another one, which records its answers: see ``processes``."""

import asyncio
import signal
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.episode_records import Attempt, repeat_id
from ircore.core.errors import InputError, WorkError
from ircore.core.recorder import Recorder
from ircore.core.tokens import load_tokenizer
from ircore.games.registry import load_game
from ircore.players.submission import LoadedSubmission
from ircore.runs.cache import Cache
from ircore.runs.costs.limit import CostLimit, NoMoreError, Reserve
from ircore.runs.costs.prices import RunPrices, prices_of_run
from ircore.runs.engine import Engine
from ircore.runs.events import Entry
from ircore.runs.folder import RunFolder
from ircore.runs.session import DueEpisode, PlayPlan, Session
from ircore.runs.setup import make_players
from ircore.runs.stopping import SIGNALS, let_signals_go
from ircore.runs.writer import store_pictures


class Batch(NamedTuple):
    """Events to be recorded, without pictures."""

    entries: list[Entry]


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
        journal = folder.held()  # read once
        self.known = {key: call for key, call in journal.calls().items() if key.episode_id in wanted}
        self.refused = {key: failure for key, failure in journal.refusals().items() if key.episode_id in wanted}
        self.finished: dict[str, Any] = {}
        self._records = records
        self._stored = {path.stem for path in (folder.path / "renderings").iterdir()}

    def record(self, entries: Sequence[Entry]) -> None:
        self._stored |= store_pictures(self.folder, entries, self._stored)
        # Pictures stay behind: they lie in the run folder now, and a pipe would copy their bytes.
        self._records.send(Batch([Entry(entry.event) for entry in entries]))
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
            raise self.stopped()
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

    def tried(self, reserve: Reserve, attempt: Attempt) -> None:
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
    let_signals_go()
    try:
        folder = RunFolder(path)
        prices = prices_of_run(folder)
        cost_limit = _Reserving(prices, control) if limited else _Telling(prices, control)
        writer = _Handed(folder, [repeat_id(instance.instance_id, repeat) for instance, repeat in due], records)
        engine: Engine[Entry] = Engine(Recorder(writer), cost_limit, _Silent())
        game = load_game(part.run.game, "run")
        load_tokenizer()
        session = Session(part, game, make_players(game, loaded), writer, engine, cache)
        asyncio.run(_heeding(control, session, due))
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


async def _heeding(control: Connection, session: Session, due: list[DueEpisode]) -> None:
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
