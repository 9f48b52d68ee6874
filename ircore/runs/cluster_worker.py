"""Players that answer on the workers of a cluster; a worker needs no run folder.

A worker process makes a player once and keeps it, with its model and its connections. All players of a process live in
one event loop that is never stopped, in a thread of its own, so that a player that computes does not keep the worker
from telling the scheduler that it is alive.

A worker tells whoever asks of every request to a service as soon as the request has ended, and is told when a run asks
no more, or sees that its client is gone: then questions that it has not begun are refused, and those that it has begun
send nothing more.

Everything arrives as pickled bytes, after the version they were made by. Whoever can reach a Dask worker can run code
on it anyway, so unpickling gives nothing away.
"""

import asyncio
import pickle
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import wait
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock, Thread
from typing import Any, NamedTuple

from ircore import __version__
from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError
from ircore.core.plugins import find_package_version
from ircore.players.base import Answer, Asked
from ircore.players.open_questions import Halt, OpenQuestion
from ircore.players.submission import LoadedSubmission, make_player

LOOK_S = 0.5
"""Seconds between two looks at whether the client is still there."""
MOST_PLAYERS = 2
"""Players that a process keeps: a pair. A local model may fill the memory, so the least recent one goes first."""


class RemoteQuestion(NamedTuple):
    """A question to a player, with the submission that defines the player.

    >>> from pathlib import Path
    >>> from ircore.players.builtin_pairs import find_submission_place
    >>> from ircore.players.submission import read_manifest
    >>> pair = read_manifest(find_submission_place(Path("classical+canvas")))
    >>> RemoteQuestion(pair, "describer", "describe", view=None, run="ab12", number=1).loaded.slug
    'builtin-classical-canvas'

    Attributes:
        run: Token of the connection that asks.
        number: The question's own number among those of the connection.
    """

    loaded: LoadedSubmission
    seat: str
    method: str
    view: Asked
    run: str
    number: int
    package: tuple[str, str] | None = None
    """Name and version of the other package that adds the player where the question is asked."""


def build_topic(run: str) -> str:
    """Return the name under which workers tell of the requests for a connection's questions."""
    return f"ircore-requests-{run}"


def answer(version: str, question: bytes) -> Answer:
    """Let a player answer a pickled question.

    Raises:
        InputError: The version of this package or the player's differs, or the player does not take its settings.
        HaltedError: The run asks no more.
        Exception: What the player raised.
    """
    check_version(version)
    from distributed.worker import get_worker, thread_state

    request: RemoteQuestion = pickle.loads(question)  # noqa: S301 - see above
    _check_package(request)
    worker = get_worker()

    def tell(attempt: Attempt) -> None:
        worker.log_event(build_topic(request.run), {"number": request.number, "attempt": attempt.model_dump_json()})

    answered = asyncio.run_coroutine_threadsafe(_answer_question(request, tell), _get_loop())
    while not wait([answered], LOOK_S).done:
        # Dask takes a question back when the client that asked it is gone, but leaves its thread alone.
        task = worker.state.tasks.get(thread_state.key)
        if task is None or task.state != "executing":
            asyncio.run_coroutine_threadsafe(_stop_run(request.run), _get_loop())
    return answered.result()


async def stop_asking(run: str) -> list[int]:
    """Send nothing more for a connection, and return the numbers of its questions that this process has begun."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_stop_run(run), _get_loop()))


async def _stop_run(run: str) -> list[int]:
    state = _run(run)
    state.halt.set()
    return sorted(state.begun)


def check_version(version: str) -> None:
    """Refuse work that was handed out by another version of this package.

    Raises:
        InputError: It is another one.
    """
    if version != __version__:
        raise InputError(f"a worker has ircore {__version__}, not {version}", "Install the same version everywhere.")


def _check_package(request: RemoteQuestion) -> None:
    """Refuse a question to another version of a player: its answers would be mixed with those of the run's version."""
    installed = find_package_version("players", request.loaded.submission.players[request.seat].player)
    # A player that is not installed here is told where it is made.
    if installed is not None and installed != request.package:
        wanted = "another package" if request.package is None else " ".join(request.package)
        raise InputError(f"a worker has {' '.join(installed)}, not {wanted}", "Install the same version everywhere.")


async def _answer_question(question: RemoteQuestion, tell: Callable[[Attempt], None]) -> Answer:
    state = _run(question.run)
    state.halt.check()
    state.begun.add(question.number)
    try:
        with OpenQuestion(state.halt, tell).open():
            async with _open_player(question.loaded, question.seat) as player:
                answered: Answer = await getattr(player, question.method)(question.view)
                return answered
    finally:
        state.begun.discard(question.number)


@dataclass
class _Run:
    """A connection that asks, as a worker process knows it; only touched in the players' event loop."""

    halt: Halt = field(default_factory=Halt)
    begun: set[int] = field(default_factory=set)


_RUNS: OrderedDict[str, _Run] = OrderedDict()
"""By token, the oldest going first."""

MOST_RUNS = 100


def _run(token: str) -> _Run:
    state = _RUNS.setdefault(token, _Run())
    while len(_RUNS) > MOST_RUNS:
        _RUNS.popitem(last=False)
    return state


@dataclass
class _BusyPlayer:
    """A player and the number of questions that it is answering."""

    player: Any
    open_questions: int = 0


_PLAYERS: OrderedDict[str, _BusyPlayer] = OrderedDict()
"""By seat and settings, the most recently asked last. Only touched in the players' event loop."""


@asynccontextmanager
async def _open_player(loaded: LoadedSubmission, seat: str) -> AsyncIterator[Any]:
    """Yield the player with these settings, made now if this process has none."""
    key = f"{seat} {loaded.submission.players[seat].model_dump_json()}"
    if key not in _PLAYERS:
        await _make_room()
    if key not in _PLAYERS:  # looked up again after the wait, and no wait from here on: none is made twice
        _PLAYERS[key] = _BusyPlayer(make_player(loaded, seat))
    _PLAYERS.move_to_end(key)
    entry = _PLAYERS[key]
    entry.open_questions += 1
    try:
        yield entry.player
    finally:
        entry.open_questions -= 1


async def _make_room() -> None:
    """Close players without open questions before another player takes their memory."""
    idle = [key for key, entry in _PLAYERS.items() if not entry.open_questions]
    for key in idle[: max(0, len(_PLAYERS) - MOST_PLAYERS + 1)]:
        player = _PLAYERS.pop(key).player
        if close := getattr(player, "close", None):
            await close()


# ``cache`` alone may call a function twice when two threads come at once, and two loops would run.
_STARTING = Lock()


def _get_loop() -> asyncio.AbstractEventLoop:
    with _STARTING:
        return _start_loop()


@cache
def _start_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="players", daemon=True).start()
    return loop
