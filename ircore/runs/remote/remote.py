"""Players of a Dask cluster, in the form that ``ircore.runs.play`` takes.

The game master and the record stay in this process: what travels is one question, pictures as encoded files.
"""

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from typing import Any

from ircore.core.records import PlayerSpec
from ircore.games.base import Game
from ircore.players.base import Answer, Asked
from ircore.players.recorded import RECORDED, RecordedSeat
from ircore.players.submission import AnyLoaded, make_player
from ircore.players.traits import traits_of
from ircore.runs.play import Players
from ircore.runs.remote.cluster import Cluster
from ircore.runs.remote.worker import Question, answer


class RemotePlayer:
    """Asks the player of a seat on a worker.

    Args:
        cluster: Whose workers; shared by all players of a run, closed with any of them.
        loaded: Names the players and their settings.
        seat: Which of them is asked.
    """

    def __init__(self, cluster: Cluster, loaded: AnyLoaded, seat: str) -> None:
        self._cluster = cluster
        self._loaded = loaded
        self._seat = seat

    def __getattr__(self, method: str) -> Callable[[Asked], Awaitable[Answer]]:
        """Return the method of the player that a seat's questions go to, whatever its name."""
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda view: self.asked(method, view)

    async def asked(self, method: str, view: Asked) -> Answer:
        """Let the player answer.

        Raises:
            WorkError: The cluster failed; see ``Cluster.run``.
            Exception: What the player raised.
        """
        # In a thread, since stored renderings are read from the disk here.
        question = await asyncio.to_thread(pickle.dumps, Question(self._loaded, self._seat, method, view))
        return await self._cluster.run(answer, question)

    async def close(self) -> None:
        """Disconnect; the workers keep their players."""
        await self._cluster.close()


def remote_players(loaded: AnyLoaded, game: Game[Any], scheduler: str) -> Players:
    """Return players that answer on the workers of a cluster.

    Args:
        loaded: The submission.
        game: Whose seats they take.
        scheduler: The address.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """
    cluster, specs = Cluster(scheduler), loaded.submission.players
    return {seat.name: _player(cluster, loaded, seat.name, specs[seat.name]) for seat in game.seats}


def _player(cluster: Cluster, loaded: AnyLoaded, seat: str, spec: PlayerSpec) -> Any:
    """Return who answers for a seat; a reference player answers here, where the set lies that it is told of."""
    if spec.player == RECORDED:
        return RecordedSeat(spec)
    if traits_of(spec.player).reference:
        return make_player(loaded, seat)
    return RemotePlayer(cluster, loaded, seat)
