"""Players of a Dask cluster, in the form that ``ircore.runs.play`` takes.

The game master and the record stay in this process: what travels is one question, pictures as encoded files.
"""

import asyncio
import pickle
from collections.abc import Awaitable, Callable

from ircore.core.plugins import package_version
from ircore.players.base import Answer, Asked
from ircore.players.submission import LoadedSubmission
from ircore.runs.remote.cluster import Cluster
from ircore.runs.remote.worker import Question, answer


class RemotePlayer:
    """Asks the player of a seat on a worker.

    >>> player = RemotePlayer(cluster=None, loaded=None, seat="describer")
    >>> callable(player.describe)  # whatever method the seat's questions go to
    True

    Args:
        cluster: The cluster; shared by all players of a run, closed with any of them.
        loaded: Names the players and their settings.
        seat: Seat of the asked player.
    """

    def __init__(self, cluster: Cluster, loaded: LoadedSubmission, seat: str) -> None:
        self._cluster = cluster
        self._loaded = loaded
        self._seat = seat
        self._package = None if loaded is None else package_version("players", loaded.submission.players[seat].player)

    def __getattr__(self, method: str) -> Callable[[Asked], Awaitable[Answer]]:
        """Return a method that sends a question to the player's method of the same name."""
        # Python itself looks such names up, as when an object is copied or pickled.
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda view: self.asked(method, view)

    async def asked(self, method: str, view: Asked) -> Answer:
        """Let the player answer.

        Raises:
            WorkError: The cluster failed; see ``Cluster.run``.
            HaltedError: Asking has ended, and no worker had begun this question.
            Exception: What the player raised.
        """
        cluster = self._cluster
        number = cluster.next_number()
        question = Question(self._loaded, self._seat, method, view, cluster.token, number, self._package)
        # In a thread, since stored renderings are read from the disk here.
        return await cluster.run(answer, await asyncio.to_thread(pickle.dumps, question), number)

    async def close(self) -> None:
        """Disconnect; the workers keep their players."""
        await self._cluster.close()
