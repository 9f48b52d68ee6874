"""A question while it is under way: the requests that it took so far, the wait for its answer, the end of all asking.

Whoever asks opens an ``OpenQuestion``; the calls of players find it by themselves and note every request in it, so that
nothing that may have been billed is lost when the question is cancelled. Its ``Halt`` ends at once whatever is only
waited for: a pace, a place at a gate, the pause before a retry. A request that was sent goes on.

The player may be somebody else's code: its answer is awaited with care, and its key kept out of what it gives.
"""

import asyncio
import base64
import json
import math
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any, TypeVar, get_args
from urllib.parse import quote, quote_plus

from ircore.core.episode_records import AbortReason, Attempt
from ircore.core.errors import WorkError
from ircore.core.plugins import convert_plugin_errors
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeReason
from ircore.core.untrusted_text import replace_surrogates
from ircore.players.base import ChoiceAnswer, JudgeError, PictureAnswer, PlayerError, TextAnswer

Answer = TypeVar("Answer")

PLAYER_REMEDY = "This is a fault of the player, not of the run: mend it and give the same command again."

_REASONS: dict[type[Exception], frozenset[str]] = {
    PlayerError: frozenset((*get_args(AbortReason), *get_args(get_args(AbortReason)[1]))),
    JudgeError: frozenset(get_args(JudgeReason)),
}

_SHORTEST_SECRET = 8
"""Shorter keys, such as the ``none`` that a local server is given, are no secrets; without them texts would suffer."""


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
    >>> with question.open():
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
    def open(self) -> Iterator[None]:
        """Let the calls in the block find this question; also in tasks that the block starts."""
        before = _QUESTION.set(self)
        try:
            yield
        finally:
            _QUESTION.reset(before)


def open_question() -> OpenQuestion:
    """Return the question under way; a new one where a player is asked outside a run."""
    return _QUESTION.get() or OpenQuestion()


async def await_answer(pending_answer: Awaitable[Answer], who: str) -> Answer:
    """Wait for an answer; an unexpected exception of a player becomes an error of one line.

    Args:
        pending_answer: The answer of a player, not yet awaited.
        who: The question and the player, such as ``geometry-easy-01, turn 1: the describer``.

    Raises:
        WorkError: The player raised an unexpected exception, or a refusal that no record can hold; errors of the
            contract pass unchanged.
    """
    with convert_plugin_errors(who, PlayerError, JudgeError, remedy=PLAYER_REMEDY):
        try:
            return await pending_answer
        except (PlayerError, JudgeError) as refusal:
            if problem := _find_problem(refusal):
                raise WorkError(f"{who} broke: its {type(refusal).__name__} has {problem}", PLAYER_REMEDY) from refusal
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Raised by the player, it would end the episode without a word.
            raise WorkError(f"{who} broke with CancelledError", PLAYER_REMEDY) from error
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            raise WorkError(
                f"{who} broke with {type(error).__name__}: {replace_surrogates(str(error))}", PLAYER_REMEDY
            ) from error


def hide_secret_of_player(player: Any, spec: PlayerSpec) -> Any:
    """Return a player whose answers and errors do not hold its key, although its service may repeat it.

    Args:
        player: The player.
        spec: Names the environment variable with the key.
    """
    scrub = build_scrubber(os.environ.get(spec.api_key_env or "", "").strip())
    return player if scrub is str else _Discreet(player, scrub)


def build_scrubber(secret: str) -> Callable[[str], str]:
    """Return a function that removes a secret from a text: plain, or encoded for URLs, JSON or base64."""
    if len(secret) < _SHORTEST_SECRET:
        return str
    forms = {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1], *_list_base64_forms(secret)}
    # The longest form first: a shorter one may be its beginning and would leave the rest.
    pattern = re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)), re.IGNORECASE)
    return lambda text: pattern.sub("[key]", text)


_QUESTION: ContextVar[OpenQuestion | None] = ContextVar("question", default=None)


def _find_problem(refusal: PlayerError | JudgeError) -> str | None:
    """Return why a refusal cannot be recorded; None if it can."""
    known = _REASONS[PlayerError if isinstance(refusal, PlayerError) else JudgeError]
    if not isinstance(refusal.reason, str) or refusal.reason not in known:
        return f"the reason {ascii(refusal.reason)[:80]}, which is none of: {', '.join(sorted(known))}"
    if not isinstance(refusal.detail, str) or not _can_be_written(refusal.detail):
        return "a detail that is no text, or that UTF-8 cannot write"
    attempts = refusal.attempts
    if not isinstance(attempts, tuple | list) or not all(isinstance(attempt, Attempt) for attempt in attempts):
        return "attempts that are no records of requests"
    return None


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        return False
    return True


class _Discreet:
    """A player, with its key taken out of what its coroutine methods return and raise."""

    def __init__(self, player: Any, scrub: Callable[[str], str]) -> None:
        self._player, self._scrub = player, scrub

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._player, name)
        if not callable(attribute):
            return attribute

        def called(*arguments: Any, **named: Any) -> Any:
            result = attribute(*arguments, **named)
            return self._await_discreetly(result) if isawaitable(result) else result

        return called

    async def _await_discreetly(self, pending: Awaitable[Any]) -> Any:
        try:
            answer = await pending
        except Exception as error:
            # In place: an error may be of a class that only its player knows how to make.
            error.args = tuple(self._remove_secret(part) for part in error.args)
            for name, value in vars(error).items():
                setattr(error, name, self._remove_secret(value))
            raise
        if isinstance(answer, TextAnswer):
            return replace(answer, text=self._remove_secret(answer.text), attempts=self._remove_secret(answer.attempts))
        if isinstance(answer, PictureAnswer | ChoiceAnswer):
            return replace(
                answer, notes=self._remove_secret(answer.notes), attempts=self._remove_secret(answer.attempts)
            )
        return answer  # of a wrong type, which whoever asked tells

    def _remove_secret(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._scrub(value)
        if isinstance(value, Attempt):
            words = {"detail": self._remove_secret(value.detail), "served": self._remove_secret(value.served)}
            return value.model_copy(update=words)
        if isinstance(value, tuple | list):
            return type(value)([self._remove_secret(part) for part in value])
        return value


def _list_base64_forms(secret: str) -> set[str]:
    """Return the base64 characters of a secret at each of three offsets, as they appear in longer texts."""
    forms = set()
    for offset in range(3):
        data = bytes(offset) + secret.encode()
        # The first and last characters also hold bits of the neighbours.
        first, last = math.ceil(offset * 8 / 6), len(data) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms.add(encode(data).decode()[first:last])
    return forms
