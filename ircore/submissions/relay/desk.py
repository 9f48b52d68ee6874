"""The desk of a relay: questions that wait for an answer, and players that put them there."""

import asyncio
import hashlib
import json
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from ircore.core.errors import InputError
from ircore.games.base import Seat
from ircore.players.base import Answer, Asked, PlayerError
from ircore.submissions.relay.messages import Handed, HandedAnswer, shown_view

MOST_TRIES = 100
"""Times that a question may be fetched or answered badly."""


class RelayError(InputError):
    """A request that a relay refuses, with the HTTP status of the refusal.

    >>> RelayError(409, "this question is not asked").code
    409
    """

    def __init__(self, code: int, problem: str) -> None:
        super().__init__(problem, "")
        self.code = code


@dataclass
class _Open:
    """A question that waits for its answer."""

    name: str
    seat: Seat[Any, Any]
    view: Asked
    shown: dict[str, Any]
    answer: asyncio.Future[Answer]
    tries: int = 0
    timer: asyncio.TimerHandle | None = None

    def hand_out(self, patience: float) -> float:
        """Count another request for the question, and return the seconds that are left for its answer."""
        self.count()
        loop = asyncio.get_running_loop()
        # From the first hand-out on: to fetch a question again gains no time.
        if self.timer is None:
            self.timer = loop.call_later(patience, self._expire, patience)
        return max(0.0, self.timer.when() - loop.time())

    def count(self) -> None:
        self.tries += 1
        if self.tries > MOST_TRIES:
            raise RelayError(429, f"this question was fetched or answered {MOST_TRIES} times in vain")

    def _expire(self, patience: float) -> None:
        if not self.answer.done():
            self.answer.set_exception(PlayerError("provider_error", f"no answer within {patience:g} s"))


class Desk:
    """Holds the open questions of a run and hands them out, each until it is answered once.

    >>> async def example() -> str:
    ...     from ircore.players.base import Question, TextAnswer
    ...     desk = Desk("token", patience=60)
    ...     seat = Seat[Question, TextAnswer]("guesser", "Guesser", "the prompt", "text")
    ...     asked = asyncio.create_task(desk.ask(seat, Question(step=1, prompt="Which fruit?")))
    ...     handed = await desk.next(frozenset(), seconds=5)
    ...     await desk.take(handed.question, HandedAnswer(text="apple"))
    ...     return (await asked).text
    >>> asyncio.run(example())
    'apple'

    Args:
        token: Secret of the relay: nobody can guess the names of its questions.
        patience: Seconds from the first hand-out to the answer.
        total: Episodes of the run, for whoever looks on.

    Attributes:
        done: Episodes that have ended.
        over: Whether nothing more will be asked.
    """

    def __init__(self, token: str, patience: float, total: int = 0) -> None:
        self._token, self._patience = token, patience
        self.done, self.total, self.over = 0, total, False
        self._open: dict[str, _Open] = {}
        self._changed = asyncio.Condition()

    async def ask(self, seat: Seat[Any, Any], view: Asked) -> Answer:
        """Put a question on the desk and wait for its answer.

        Raises:
            PlayerError: The player gave none, or the question was handed out and not answered in time.
        """
        shown = await asyncio.to_thread(shown_view, view)  # stored renderings are read from the disk
        # The same question has the same name after a new start, so that a client's answer still fits.
        name = self._name(f"{seat.name} {json.dumps(shown)}")
        while name in self._open:  # the same question of two episodes
            name = self._name(name)
        entry = _Open(name, seat, view, shown, asyncio.get_running_loop().create_future())
        self._open[name] = entry
        try:
            await self._tell()
            return await entry.answer
        finally:
            del self._open[name]
            if entry.timer is not None:
                entry.timer.cancel()

    async def next(self, taken_names: Set[str], seconds: float) -> Handed | None:
        """Hand out an open question, the oldest first; None if none comes in time.

        Args:
            taken_names: Names of questions that whoever asks is working on.
            seconds: How long to wait.

        Raises:
            RelayError: Nothing more will be asked, or this question was handed out too often.
        """
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.over or self._waiting(taken_names) is not None)
        except TimeoutError:
            return None
        entry = self._waiting(taken_names)
        if entry is None:
            raise RelayError(410, "the run is over")
        left, seat = entry.hand_out(self._patience), entry.seat
        return Handed(
            question=entry.name,
            seat=seat.name,
            method=seat.method,
            view=entry.shown,
            seconds=round(left, 1),
            done=self.done,
            total=self.total,
        )

    async def take(self, name: str, handed: HandedAnswer) -> None:
        """Take the answer to a question that was handed out.

        Raises:
            RelayError: The question is not asked, or no longer.
            InputError: It is no answer to this question.
        """
        # Before the answer is decoded: an answer to no question costs nothing.
        entry = self._asked(name)
        entry.count()
        try:
            answer = await asyncio.to_thread(handed.answer, entry.seat, entry.view)
        except PlayerError as refusal:
            self._asked(name).answer.set_exception(refusal)
            return
        # Looked up anew: the question may have expired while a thread checked the answer.
        self._asked(name).answer.set_result(answer)

    async def finish(self) -> None:
        """Tell everybody who asks that the run is over."""
        self.over = True
        await self._tell()

    def _asked(self, name: str) -> _Open:
        entry = self._open.get(name)
        # A question that was never handed out cannot have an answer, even if its name was guessed.
        if entry is None or entry.timer is None or entry.answer.done():
            raise RelayError(409, "this question is not asked, or was answered")
        return entry

    def _waiting(self, taken_names: Set[str]) -> _Open | None:
        entries = self._open.values()
        return next((entry for entry in entries if entry.name not in taken_names and not entry.answer.done()), None)

    def _name(self, text: str) -> str:
        return hashlib.sha256(f"{self._token} {text}".encode()).hexdigest()[:32]

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class RelayedPlayer:
    """A player whose answers come from a submitter's machine.

    >>> RelayedPlayer(Desk("token", patience=60), seat=None).answer.__name__
    'answer'

    Args:
        desk: Where its questions are put.
        seat: Its seat.
    """

    def __init__(self, desk: Desk, seat: Seat[Any, Any]) -> None:
        self._desk, self._seat = desk, seat

    async def answer(self, view: Asked) -> Answer:
        """Ask the player of the seat, whichever method the questions of the seat go to."""
        return await self._desk.ask(self._seat, view)

    describe = render = answer
