"""Players and scores of a Dask cluster, in the form that ``ircore.runs.play`` and ``ircore.scorers.computed`` take.

The game master, the record and the order of the scores stay in this process: what travels is one question, or all that
the scores of one episode depend on, pictures as encoded files.
"""

import asyncio
import pickle
from collections import deque
from collections.abc import Iterable, Iterator

from ircore.core.records import Score
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.submission import LoadedSubmission
from ircore.runs.play import Pair
from ircore.runs.remote.cluster import Cluster
from ircore.runs.remote.worker import Question, describe, render, scores
from ircore.scorers.computed import AHEAD, Elsewhere, Material


class RemotePlayer:
    """Asks a player on a worker, in either seat.

    Args:
        cluster: Whose workers; shared by both players of a pair, closed with either.
        loaded: Names the players and their settings.
    """

    def __init__(self, cluster: Cluster, loaded: LoadedSubmission) -> None:
        self._cluster = cluster
        self._loaded = loaded

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Let the describer answer.

        Raises:
            WorkError: The cluster failed; see ``Cluster.run``.
            Exception: What the player raised.
        """
        # In a thread, since stored renderings are read from the disk here.
        question = await asyncio.to_thread(pickle.dumps, Question(self._loaded, view))
        return await self._cluster.run(describe, question)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Let the generator answer; raises as ``describe``."""
        question = await asyncio.to_thread(pickle.dumps, Question(self._loaded, view))
        return await self._cluster.run(render, question)

    async def close(self) -> None:
        """Disconnect; the workers keep their players."""
        await self._cluster.close()


def remote_pair(loaded: LoadedSubmission, scheduler: str) -> Pair:
    """Return players that answer on the workers of a cluster.

    Args:
        loaded: The submission.
        scheduler: The address.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """
    player = RemotePlayer(Cluster(scheduler), loaded)
    return Pair(player, player)


def scored_by(scheduler: str) -> Elsewhere:
    """Return what computes scores on the workers of a cluster.

    Args:
        scheduler: The address.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """
    cluster = Cluster(scheduler)
    return lambda materials: _scored(cluster, materials)


def _scored(cluster: Cluster, materials: Iterable[Material]) -> Iterator[list[Score]]:
    """Yield the scores of each material in order; ``AHEAD`` of them are handed out for every place on the workers."""
    with asyncio.Runner() as runner:
        waiting: deque[asyncio.Task[list[Score]]] = deque()
        try:
            for material in materials:
                if len(waiting) >= AHEAD * runner.run(cluster.slots()):
                    yield runner.run(_awaited(waiting.popleft()))
                waiting.append(runner.run(_handed_out(cluster, material)))
            while waiting:
                yield runner.run(_awaited(waiting.popleft()))
        finally:
            for task in waiting:
                task.cancel()
            runner.run(cluster.close())


async def _handed_out(cluster: Cluster, material: Material) -> "asyncio.Task[list[Score]]":
    task = asyncio.create_task(cluster.run(scores, pickle.dumps(material)))
    await asyncio.sleep(0)  # lets it begin
    return task


async def _awaited(task: "asyncio.Task[list[Score]]") -> list[Score]:
    return await task
