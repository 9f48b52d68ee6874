"""Decoding the pictures of a large release in several processes: most of the time that a check takes."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from dataset_card.findings import Decode, Size, hashed_and_decoded
from ircore.core.errors import WorkError

AT_ONCE = 4
"""Pictures that go to a process together."""


@contextmanager
def decoding_processes(count: int) -> Iterator[Decode]:
    """Yield a function that decodes pictures in so many processes.

    They import the program that is running anew, as ``multiprocessing`` does: only for programs that do nothing when
    they are imported.

    Raises:
        WorkError: A process died over a picture.
    """
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:

        def decode(pictures: Iterable[bytes]) -> list[tuple[str, Size | str]]:
            try:
                return list(pool.map(hashed_and_decoded, pictures, chunksize=AT_ONCE))
            except BrokenProcessPool as error:
                raise WorkError(
                    "a process died while it decoded pictures", "Look at them, or at the memory."
                ) from error

        yield decode
