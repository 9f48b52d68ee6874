"""Decoding the pictures of a large release in several processes: most of the time that a check takes."""

from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from dataset_card.findings import Decode, Size, hashed_and_decoded
from ircore.core.errors import WorkError
from ircore.core.workers import worker_pool

AT_ONCE = 4
"""Pictures that go to a process together."""


@contextmanager
def decoding_processes(count: int) -> Iterator[Decode]:
    """Yield a function that decodes pictures in ``count`` processes.

    Raises:
        WorkError: A process died over a picture.
    """
    with worker_pool(count) as pool:

        def decode(pictures: Iterable[bytes]) -> list[tuple[str, Size | str]]:
            try:
                return list(pool.map(hashed_and_decoded, pictures, chunksize=AT_ONCE))
            except BrokenProcessPool as error:
                problem = "a process died while it decoded pictures"
                raise WorkError(problem, "Check the pictures and the free memory.") from error

        yield decode
