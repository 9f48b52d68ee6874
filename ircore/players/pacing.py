"""Limits requests to a provider: how many at a time, and how many and how large in a minute."""

import asyncio
import math
import re
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from ircore.players.open_questions import open_question

EXPECTED_TOKENS = 2000.0
"""Tokens that the first request is taken to need: a picture and the words of a turn."""

LONGEST_HOLD_S = 60.0
"""Most seconds that requests are held back where a provider says that its limit is used up."""


class Gate:
    """Limit of concurrent requests to a provider: unlimited until the provider answers "too many requests".

    A 429 halves the limit, at most once for requests that were under way together; every answer raises it by one, up
    to the most requests wanted so far (additive increase, multiplicative decrease: Chiu and Jain, 1989). Raising it
    with every answer, not with every round, keeps a provider near full use that refuses now and then by chance, not
    for load.

    >>> async def two_at_once(gate: Gate) -> None:
    ...     async with gate.slot(), gate.slot():
    ...         gate.note_refusal(started=0.0, now=1.0)
    >>> gate = Gate()
    >>> asyncio.run(two_at_once(gate))
    >>> gate.limit
    1

    Attributes:
        limit: Most requests at a time.
        running: Requests under way.
        reached: Whether the provider ever answered.
    """

    def __init__(self) -> None:
        self.limit = math.inf
        self.running = 0
        self.reached = False
        self._wanted = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved = -math.inf

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold a place for a request, after waiting until a place is free.

        Raises:
            HaltedError: Asking has ended meanwhile.
        """
        # Whoever waits already goes first, even where a place is free.
        if self._waiting or self.running >= self.limit:
            await self._turn()
        else:
            self.running += 1
        self._wanted = max(self._wanted, self.running + len(self._waiting))
        try:
            yield
        finally:
            self.running -= 1
            self._admit_waiting()

    async def _turn(self) -> None:
        place = asyncio.get_running_loop().create_future()
        async with open_question().halt.ends_wait():
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                # The place was handed over just before the cancellation, so it is passed on.
                if place.done() and not place.cancelled():
                    self.running -= 1
                    self._admit_waiting()
                elif place in self._waiting:
                    self._waiting.remove(place)
                raise

    def _admit_waiting(self) -> None:
        while self._waiting and self.running < self.limit:
            place = self._waiting.popleft()
            # A waiting request may have been cancelled in the meantime.
            if not place.done():
                self.running += 1
                place.set_result(None)

    def note_answer(self) -> None:
        """Note a good answer."""
        if self.limit < math.inf:
            self.limit = min(self.limit + 1, max(self._wanted, self.limit))
            self._admit_waiting()

    def note_refusal(self, started: float, now: float) -> None:
        """Note a 429 to a request that was sent at ``started``."""
        # Requests sent before the last halving were under way together and tell the same overload.
        if started > self._halved:
            self.limit = max(1, int(min(self.limit, self._wanted)) // 2)
            self._halved = now


class Pace:
    """Spaces the requests for a model so that its limits per minute are kept instead of run into.

    Every request moves the earliest start of the next one by its share of a minute, in requests and in tokens,
    whichever is longer (the generic cell rate algorithm without bursts, ITU-T I.371). Before an answer, its tokens are
    taken to be as many as the last answers took on average; the difference moves the next start.

    >>> pace = Pace(requests=120)
    >>> [pace.turn(now=10.0) for _ in range(3)]  # seconds to wait: two requests a second
    [0.0, 0.5, 1.0]

    Args:
        requests: Most requests a minute; None for no limit.
        tokens: Most tokens a minute, read and written; None for no limit.
    """

    def __init__(self, requests: int | None = None, tokens: int | None = None) -> None:
        self._request_s = 60 / requests if requests else 0.0
        self._token_s = 60 / tokens if tokens else 0.0
        self._expected = EXPECTED_TOKENS
        self._free = 0.0

    def turn(self, now: float) -> float:
        """Take the next place and return the seconds to wait for it."""
        start = max(now, self._free)
        self._free = start + max(self._request_s, self._expected * self._token_s)
        return start - now

    def note_answer(self, tokens: int | None) -> None:
        """Note the tokens of an answer; None where the provider does not count."""
        if tokens is None or not self._token_s:
            return
        taken = max(self._request_s, tokens * self._token_s)
        self._free += taken - max(self._request_s, self._expected * self._token_s)
        # A moving average over about eight answers follows messages that grow from turn to turn.
        self._expected += (tokens - self._expected) / 8

    def hold(self, seconds: float, now: float) -> None:
        """Let no further request start within so many seconds: the provider says that its limit is used up."""
        self._free = max(self._free, now + seconds)


def compute_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a provider takes requests again; None if its headers do not say that a limit is used up.

    Read are the headers that OpenAI introduced, ``x-ratelimit-remaining-requests`` and ``x-ratelimit-reset-requests``,
    and the same for tokens; the reset is a duration such as ``1s``, ``6m0s`` or ``120ms``.
    """
    if "x-ratelimit-reset-requests" not in headers and "x-ratelimit-reset-tokens" not in headers:
        return None
    pauses = [
        _parse_duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    ]
    # Both limits must be free again, so the longer pause counts.
    return min(max(pauses), LONGEST_HOLD_S) if pauses else None


def _parse_duration(text: str) -> float:
    """Return the seconds of a duration such as ``6m0s``; 0 for anything else."""
    parts = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?", text.strip())
    if parts is None:
        return 0.0
    hours, minutes, seconds, thousandths = (float(part or 0) for part in parts.groups())
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


# Weak values: a pace goes away with the last player that uses it.
_PACES: WeakValueDictionary[tuple[str, str], Pace] = WeakValueDictionary()


def find_pace(base_url: str, model: str, requests: int | None, tokens: int | None) -> Pace:
    """Return the pace that all players of this process share for a model; its first player sets the limits."""
    return _PACES.setdefault((base_url.rstrip("/"), model), Pace(requests, tokens))


# Weak values: a gate goes away with the last player, and a new run begins without a limit.
_GATES: WeakValueDictionary[str, Gate] = WeakValueDictionary()


def find_gate(base_url: str) -> Gate:
    """Return the gate that all players of this process share for a provider."""
    return _GATES.setdefault(base_url.rstrip("/"), Gate())
