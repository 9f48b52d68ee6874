"""Answers questions of many episodes together: the questions that wait when the model is free are one batch."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from ircore.players.calls import ProviderStopError

QuestionT = TypeVar("QuestionT")
AnswerT = TypeVar("AnswerT")

_MODELS = ThreadPoolExecutor(max_workers=1, thread_name_prefix="weights")
"""One thread for all models of the process: two that compute at once would share the same device."""


class OutOfMemoryError(Exception):
    """The device has no memory for a batch of this size.

    >>> str(OutOfMemoryError("tried to allocate 20 GiB"))
    'tried to allocate 20 GiB'
    """


class Batches(Generic[QuestionT, AnswerT]):
    """Collects questions and answers them in batches, outside the event loop.

    >>> async def three() -> list[int]:
    ...     doubled = Batches(lambda numbers: [2 * number for number in numbers], most=2, remedy="")
    ...     return await asyncio.gather(*(doubled.answer(number) for number in (1, 2, 3)))
    >>> asyncio.run(three())
    [2, 4, 6]

    Args:
        answer_all: Answers questions in their order; raises ``OutOfMemoryError`` if they are too many together.
        most: Questions of a batch.
        remedy: Advice where a single question needs too much memory.
    """

    def __init__(self, answer_all: Callable[[Sequence[QuestionT]], Sequence[AnswerT]], most: int, remedy: str) -> None:
        self._answer_all = answer_all
        self._most = most
        self._remedy = remedy
        self._waiting: deque[tuple[QuestionT, asyncio.Future[AnswerT]]] = deque()
        self._running: asyncio.Task[None] | None = None

    async def answer(self, question: QuestionT) -> AnswerT:
        """Return the answer to a question, which may share a batch with others.

        Raises:
            ProviderStopError: The device has no memory for a single question.
        """
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        # The tasks that are ready to ask shall have asked before the first batch is closed.
        await asyncio.sleep(0)
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
            questions = [question for question, _ in batch]
            try:
                answers = await asyncio.get_running_loop().run_in_executor(_MODELS, self._answer_all, questions)
            except OutOfMemoryError as error:
                # The batch goes back in front in its old order, to be asked again in smaller pieces.
                self._waiting.extendleft(reversed(batch))
                if not self._shrunk(len(batch), error):
                    return
                continue
            except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to those who asked
                for _, future in batch:
                    _fail(future, error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    def _shrunk(self, size: int, error: OutOfMemoryError) -> bool:
        """Halve the batches from now on; False if a batch of one is too large already."""
        if size > 1:
            self._most = max(1, size // 2)
            return True
        stop = ProviderStopError(f"no memory for a single question ({error})", self._remedy)
        while self._waiting:
            _fail(self._waiting.popleft()[1], stop)
        return False


def _fail(future: "asyncio.Future[AnswerT]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
