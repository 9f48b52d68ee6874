"""An append-only file of JSON lines that survives ``kill -9``, a full disk and, where asked for, a loss of power.

A line is written with one call and counts only once its newline is there. A last line without one was cut off by a
crash: readers pass over it and the next writer removes it. Any other damage is an error that names the line.

Many answers that arrive at the same time are recorded by a single thread. An answer is on the disk before anything
follows from it, which takes some milliseconds; while one batch is written the others go on, and all that arrives in
that time becomes the next batch ("group commit").
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.files import AS_BYTES
from ircore.core.validation import describe_validation_error

T = TypeVar("T")

_sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""macOS and Windows have only the one that waits for the file's times too."""


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and content of each complete line of a file; nothing if there is no file."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            # A line without a newline is still being written, or was cut off by a crash.
            if line.endswith(b"\n"):
                yield number, line[:-1]


def is_cut_off(path: Path) -> bool:
    """Return whether a file ends within a line, which does not count then; not if it is empty."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - 1))
        return file.read() not in (b"", b"\n")


class DamagedLineError(InputError):
    """A complete line of a journal is no valid record.

    Attributes:
        line: Content of the line.
    """

    line: bytes = b""


class NumberedRecord(NamedTuple, Generic[T]):
    """A record of a journal with its place: number of its line, from 1, and content of the line."""

    number: int
    line: bytes
    record: T


def read_numbered(path: Path, kind: TypeAdapter[T]) -> Iterator[NumberedRecord[T]]:
    """Yield the records of a journal with their places.

    Raises:
        DamagedLineError: A complete line is not a valid record.
    """
    for number, line in read_lines(path):
        try:
            record = kind.validate_json(line)
        except ValidationError as error:
            damaged = DamagedLineError(
                f"{path}:{number}: the line is damaged ({describe_validation_error(error)})",
                "Remove this line: the work that the line recorded is done again.",
            )
            damaged.line = line
            raise damaged from error
        yield NumberedRecord(number, line, record)


def read_records(path: Path, kind: TypeAdapter[T]) -> Iterator[T]:
    """Yield the records of a journal.

    Raises:
        DamagedLineError: A complete line is not a valid record.
    """
    return (numbered.record for numbered in read_numbered(path, kind))


class JournalWriter:
    """Appends lines to a journal; a context manager.

    >>> journal = Path("example.jsonl")
    >>> with JournalWriter(journal) as writer:
    ...     writer.append([b'{"turn": 1}', b'{"turn": 2}'])
    >>> [number for number, line in read_lines(journal)]
    [1, 2]
    >>> journal.unlink()

    Args:
        path: The journal; made if it is not there. A cut-off last line is removed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | AS_BYTES, 0o644)
            self._length = self._find_complete_length()
            os.ftruncate(self._file, self._length)
        except OSError as error:
            raise self._describe_failure(error) from error

    def append(self, lines: Iterable[bytes], durable: bool = False) -> None:
        """Append lines, either all of them or, on failure, no line at all.

        Args:
            lines: Without newline.
            durable: Whether they are on the disk itself on return.

        Raises:
            WorkError: They cannot be written; the journal is as it was before.
        """
        data = b"".join(line + b"\n" for line in lines)
        # Where a file system has no locks, or a machine was given up that still runs, two writers may be at work.
        if os.fstat(self._file).st_size != self._length:
            raise WorkError(
                f"{self._path}: another process writes into it",
                "End all processes but one; then the same command goes on from what is recorded.",
            )
        written = 0
        try:
            # One call for all lines: a reader, or a crash, meets at most one line that is cut off.
            written = os.write(self._file, data)
            if written != len(data):
                raise OSError(28, "No space left on device")
            if durable:
                _sync(self._file)
        except OSError as error:
            # The bytes of this call alone are taken back: lines of another writer stay.
            if os.fstat(self._file).st_size == self._length + written:
                os.ftruncate(self._file, self._length)
            raise self._describe_failure(error) from error
        self._length += len(data)

    def sync(self) -> None:
        """Bring all lines to the disk itself; ``WorkError`` if the disk fails."""
        try:
            _sync(self._file)
        except OSError as error:
            raise self._describe_failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)

    def _find_complete_length(self) -> int:
        """Return the length in bytes up to and including the last newline, looking from the end."""
        end = os.lseek(self._file, 0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            os.lseek(self._file, start, os.SEEK_SET)
            newline = os.read(self._file, end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    def _describe_failure(self, error: OSError) -> WorkError:
        return WorkError(
            f"{self._path}: cannot be written ({error.strerror})",
            "Free some space and give the same command again: nothing finished is lost.",
        )


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
            loop.call_soon_threadsafe(self._finish_batch, [written for _, written in batch], future.exception())

        self._thread.submit(self._writer.record, [entry for entry, _ in batch]).add_done_callback(report)

    def _finish_batch(self, batch: list[asyncio.Future[None]], failure: BaseException | None) -> None:
        for written in batch:
            # Done already where the task that awaited it was cancelled.
            if not written.done():
                written.set_exception(failure) if failure else written.set_result(None)
        if self._waiting:
            self._write()
        else:
            self._idle.set()
