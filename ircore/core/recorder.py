"""Recording many answers that arrive at the same time: a single thread writes them, batch by batch.

An answer is on the disk itself before anything follows from it, which takes some milliseconds; while one batch is
written the others go on, and all that arrives in that time becomes the next batch ("group commit").
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

Entry = TypeVar("Entry")
Written = TypeVar("Written", contravariant=True)


class Writer(Protocol[Written]):
    """Writes batches of entries to disk.

    >>> class Lines:
    ...     def __init__(self):
    ...         self.written = []
    ...     def record(self, entries):
    ...         self.written += entries
    >>> lines: Writer[str] = Lines()
    >>> lines.record(["first", "second"])
    >>> lines.written
    ['first', 'second']
    """

    def record(self, entries: Sequence[Written]) -> None:
        """Write all entries, or none on failure; on return they are on the disk itself."""
        ...


class Recorder(Generic[Entry]):
    """Writes entries in the order in which they come.

    >>> async def example(writer):
    ...     recorder = Recorder(writer)
    ...     await recorder.record("an answer")
    ...     await recorder.close()
    >>> class Lines:
    ...     def record(self, entries):
    ...         print(entries)
    >>> asyncio.run(example(Lines()))
    ['an answer']

    Args:
        writer: Writes batches of entries.
    """

    def __init__(self, writer: Writer[Entry]) -> None:
        self._writer = writer
        self._waiting: list[tuple[Entry, asyncio.Future[None]]] = []
        self._unseen: list[asyncio.Future[None]] = []
        self._idle = asyncio.Event()
        self._idle.set()
        # A single thread, so that batches are written in the order in which they were handed over.
        self._thread = ThreadPoolExecutor(1, "recorder")

    async def record(self, entry: Entry) -> None:
        """Record an entry, which is on the disk on return, even if the caller is cancelled meanwhile.

        Raises:
            WorkError: It cannot be written.
        """
        await self._begin(entry)

    def record_soon(self, entry: Entry) -> None:
        """Record an entry on which no later step depends; ``close`` raises if it could not be written."""
        # Those that are written are forgotten, so that memory does not grow with the run; failures stay for ``close``.
        self._unseen = [task for task in self._unseen if not task.done() or task.exception()]
        self._unseen.append(self._begin(entry))

    async def close(self) -> None:
        """Wait until all is written.

        Raises:
            WorkError: Something that ``record_soon`` was given cannot be written.
        """
        await self._idle.wait()
        self._thread.shutdown()
        for written in self._unseen:
            written.result()

    def _begin(self, entry: Entry) -> asyncio.Future[None]:
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, written))
        if self._idle.is_set():
            self._write()
        return written

    def _write(self) -> None:
        """Hand the waiting entries to the thread, which reports back to the event loop in a single call."""
        loop = asyncio.get_running_loop()
        batch, self._waiting = self._waiting, []
        self._idle.clear()

        def report(future: Future[None]) -> None:
            loop.call_soon_threadsafe(self._written, [written for _, written in batch], future.exception())

        self._thread.submit(self._writer.record, [entry for entry, _ in batch]).add_done_callback(report)

    def _written(self, batch: list[asyncio.Future[None]], failure: BaseException | None) -> None:
        for written in batch:
            # Done already where the task that awaited it was cancelled.
            if not written.done():
                written.set_exception(failure) if failure else written.set_result(None)
        if self._waiting:
            self._write()
        else:
            self._idle.set()
