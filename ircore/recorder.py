"""Recording while many episodes are played: one thread writes, and what waits meanwhile is written together.

An answer is on the disk itself before anything follows from it, which takes some milliseconds; while one batch is
written the others go on, and all that arrives in that time becomes the next batch ("group commit").
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ircore.errors import WorkError
from ircore.runs import Entry, RunWriter


class Recorder:
    """Writes entries in the order in which they come.

    Args:
        writer: Of the run.
    """

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer
        self._waiting: list[tuple[Entry, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "recorder")

    async def record(self, entry: Entry) -> None:
        """Record something; it is on the disk on return. It will be there even if the caller is cancelled meanwhile.

        Raises:
            WorkError: It cannot be written.
        """
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        self._waiting.append((entry, written))
        if self._writing is None:
            self._writing = loop.create_task(self._write())
        await written

    async def close(self) -> None:
        """Wait until all is written."""
        if self._writing is not None:
            await self._writing
        self._thread.shutdown()

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            failure = await self._written([entry for entry, _ in batch])
            for _, written in batch:
                if not written.done():
                    written.set_exception(failure) if failure else written.set_result(None)
        self._writing = None

    async def _written(self, entries: Sequence[Entry]) -> WorkError | None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._writer.record, entries)
        except WorkError as error:
            return error
        return None
