"""Scores computed on the workers of a Dask cluster, in the form that ``ircore.scorers.scoring`` takes.

The order of the scores stays in this process: what travels is all that the scores of one episode depend on, pictures as
encoded files. Whoever can reach a Dask worker can run code on it anyway, so unpickling gives nothing away.
"""

import asyncio
import pickle
from collections import deque
from collections.abc import Iterable, Iterator

from ircore.core.workers import AHEAD
from ircore.runs.remote.cluster import Cluster
from ircore.runs.remote.worker import check_version
from ircore.scorers.material import Material, Scored, scores_of
from ircore.scorers.scoring import Elsewhere


def scored_by(scheduler: str) -> Elsewhere:
    """Return the function that computes scores on the workers of a cluster.

    Args:
        scheduler: The address.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """
    cluster = Cluster(scheduler)
    return lambda materials: _scored(cluster, materials)


def _scored(cluster: Cluster, materials: Iterable[Material]) -> Iterator[Scored]:
    """Yield the scores of each material in order; ``AHEAD`` of them are handed out for every place on the workers."""
    with asyncio.Runner() as runner:
        waiting: deque[asyncio.Task[Scored]] = deque()
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


async def _handed_out(cluster: Cluster, material: Material) -> "asyncio.Task[Scored]":
    task = asyncio.create_task(cluster.run(scores, pickle.dumps(material)))
    await asyncio.sleep(0)  # lets it begin
    return task


async def _awaited(task: "asyncio.Task[Scored]") -> Scored:
    return await task


def scores(version: str, material: bytes) -> Scored:
    """Compute the scores of a pickled ``Material``; runs on a worker.

    Raises:
        InputError: The version differs, or a judge or metric is not installed.
    """
    check_version(version)
    return scores_of(pickle.loads(material))  # noqa: S301 - see above
