"""A question while it is under way: the requests that it took so far, and the end of all asking.

Whoever asks opens an ``OpenQuestion``; the calls of players find it by themselves and note every request in it, so that
nothing that may have been billed is lost when the question is cancelled. Its ``Halt`` ends at once whatever is only
waited for: a pace, a place at a gate, the pause before a retry. A request that was sent goes on.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from ircore.core.episode_records import Attempt
from ircore.core.errors import WorkError


class HaltedError(WorkError):
    """Nothing more may be sent, so the question was not asked, or not asked again.

    >>> HaltedError.now().problem
    'nothing more may be sent'
    """

    @classmethod
    def now(cls) -> "HaltedError":
        """Return the error."""
        return cls("nothing more may be sent", "Every answer is kept.")


class Halt:
    """The end of asking, for all questions of a run; used in a single event loop.

    >>> async def example() -> str:
    ...     halt = Halt()
    ...     asyncio.get_running_loop().call_later(0.01, halt.set)
    ...     try:
    ...         async with halt.ends_wait():
    ...             await asyncio.sleep(3600)
    ...     except HaltedError as error:
    ...         return error.problem
    >>> asyncio.run(example())
    'nothing more may be sent'

    Attributes:
        is_set: Whether asking has ended.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._waits: set[asyncio.Timeout] = set()
        self._watchers: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """End asking, and every wait; further calls change nothing."""
        if self.is_set:
            return
        self.is_set = True
        for wait in self._waits:
            wait.reschedule(asyncio.get_running_loop().time())
        for watcher in self._watchers:
            if not watcher.done():
                watcher.set_result(None)

    def check(self) -> None:
        """Raise ``HaltedError`` if asking has ended."""
        if self.is_set:
            raise HaltedError.now()

    @asynccontextmanager
    async def ends_wait(self) -> AsyncIterator[None]:
        """Cut the block short when asking ends; the block waits and sends nothing.

        Raises:
            HaltedError: Asking has ended.
        """
        self.check()
        try:
            # A time limit that is set when asking ends, so that no wait needs a task of its own.
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if wait.expired():
                raise HaltedError.now() from None
            raise

    async def wait(self) -> None:
        """Wait until asking ends."""
        if self.is_set:
            return
        watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watchers.add(watcher)
        try:
            await watcher
        finally:
            self._watchers.discard(watcher)


@dataclass
class OpenQuestion:
    """A question under way.

    >>> question = OpenQuestion()
    >>> with question.opened():
    ...     open_question().note(Attempt(kind="answered", seconds=0.2))
    >>> len(question.attempts)
    1

    Attributes:
        halt: Ends the waits of the question.
        tell: Called with every request when it has ended.
        attempts: The requests that have ended, or were given up.
        counts: Whether the player notes its requests; False for players that know nothing of this.
    """

    halt: Halt = field(default_factory=Halt)
    tell: Callable[[Attempt], None] | None = None
    attempts: list[Attempt] = field(default_factory=list)
    counts: bool = False

    def note(self, attempt: Attempt) -> None:
        """Note a request that has ended."""
        self.counts = True
        self.attempts.append(attempt)
        if self.tell is not None:
            self.tell(attempt)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let the calls in the block find this question; also in tasks that the block starts."""
        before = _QUESTION.set(self)
        try:
            yield
        finally:
            _QUESTION.reset(before)


_QUESTION: ContextVar[OpenQuestion | None] = ContextVar("question", default=None)


def open_question() -> OpenQuestion:
    """Return the question under way; a new one where a player is asked outside a run."""
    return _QUESTION.get() or OpenQuestion()
