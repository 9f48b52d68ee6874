"""What runs on the workers of a cluster: players answer, scores are computed. No run folder is needed here.

A worker process makes a player once and keeps it, with its model and its connections. All players of a process live in
one event loop that is never stopped, in a thread of its own, so that a player that computes does not keep the worker
from telling the scheduler that it is alive.

Everything arrives as pickled bytes, after the version they were made by. Whoever can reach a Dask worker can run code
on it anyway, so unpickling gives nothing away.
"""

import asyncio
import pickle
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock, Thread
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ircore import __version__
from ircore.core.errors import InputError
from ircore.core.records import Score
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.submission import LoadedSubmission, make_player
from ircore.scorers.computed import scores_of

KEPT = 2
"""Players that a process keeps: a pair. A local model may fill the memory, so the least recent one goes first."""


View = TypeVar("View", DescriberView, GeneratorView)


class Question(NamedTuple, Generic[View]):
    """One question to a player, and what is needed to make the player."""

    loaded: LoadedSubmission
    view: View


def describe(version: str, question: bytes) -> TextAnswer:
    """Let the describer answer a pickled question.

    Raises:
        InputError: The version differs, or the player does not take its settings.
        Exception: What the player raised.
    """
    _check(version)
    asked: Question[DescriberView] = pickle.loads(question)  # noqa: S301 - see above
    return asyncio.run_coroutine_threadsafe(_described(asked), _loop()).result()


def render(version: str, question: bytes) -> PictureAnswer:
    """Let the generator answer a pickled question; raises as ``describe``."""
    _check(version)
    asked: Question[GeneratorView] = pickle.loads(question)  # noqa: S301 - see above
    return asyncio.run_coroutine_threadsafe(_rendered(asked), _loop()).result()


def scores(version: str, material: bytes) -> list[Score]:
    """Compute the scores of a pickled ``Material``.

    Raises:
        InputError: The version differs, or a judge or metric is not installed.
    """
    _check(version)
    return scores_of(pickle.loads(material))  # noqa: S301 - see above


def _check(version: str) -> None:
    if version != __version__:
        raise InputError(f"a worker has ircore {__version__}, not {version}", "Install the same version everywhere.")


async def _described(question: Question[DescriberView]) -> TextAnswer:
    async with _player(question.loaded, "describer") as player:
        answer: TextAnswer = await player.describe(question.view)
        return answer


async def _rendered(question: Question[GeneratorView]) -> PictureAnswer:
    async with _player(question.loaded, "generator") as player:
        answer: PictureAnswer = await player.render(question.view)
        return answer


@dataclass
class _Kept:
    """A player and the number of questions that it is answering."""

    player: Any
    asked: int = 0


_KEPT: OrderedDict[str, _Kept] = OrderedDict()
"""By seat and settings, the most recently asked last. Only touched in the players' event loop."""


@asynccontextmanager
async def _player(loaded: LoadedSubmission, seat: Literal["describer", "generator"]) -> AsyncIterator[Any]:
    """Yield the player, made if there is none with these settings."""
    key = f"{seat} {getattr(loaded.submission, seat).model_dump_json()}"
    if key not in _KEPT:
        await _make_room()
    if key not in _KEPT:  # looked up again after the wait, and no wait from here on: none is made twice
        _KEPT[key] = _Kept(make_player(loaded, seat))
    _KEPT.move_to_end(key)
    kept = _KEPT[key]
    kept.asked += 1
    try:
        yield kept.player
    finally:
        kept.asked -= 1


async def _make_room() -> None:
    """Let go of players that nobody waits for, before another one takes their memory."""
    idle = [key for key, kept in _KEPT.items() if not kept.asked]
    for key in idle[: max(0, len(_KEPT) - KEPT + 1)]:
        player = _KEPT.pop(key).player
        if close := getattr(player, "close", None):
            await close()


_STARTING = Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _STARTING:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="players", daemon=True).start()
    return loop
