"""Limits the number of concurrent requests to a provider."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Gate:
    """Limit of concurrent requests to a provider: unlimited until the provider answers "too many requests".

    A 429 halves the limit, at most once for requests that were under way together; every answer raises it by one, up
    to the most requests wanted so far (additive increase, multiplicative decrease: Chiu and Jain, 1989). Raising it
    with every answer, not with every round, keeps a provider near full use that refuses now and then by chance, not
    for load.

    >>> async def two_at_once(gate: Gate) -> None:
    ...     async with gate.slot(), gate.slot():
    ...         gate.refused(started=0.0, now=1.0)
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
        """Hold a place for a request, after waiting until a place is free."""
        if self._waiting or self.running >= self.limit:
            await self._turn()
        else:
            self.running += 1
        self._wanted = max(self._wanted, self.running + len(self._waiting))
        try:
            yield
        finally:
            self.running -= 1
            self._admit()

    async def _turn(self) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.running -= 1
                self._admit()
            else:
                self._waiting.remove(place)
            raise

    def _admit(self) -> None:
        while self._waiting and self.running < self.limit:
            place = self._waiting.popleft()
            if not place.done():
                self.running += 1
                place.set_result(None)

    def answered(self) -> None:
        """Note a good answer."""
        if self.limit < math.inf:
            self.limit = min(self.limit + 1, max(self._wanted, self.limit))
            self._admit()

    def refused(self, started: float, now: float) -> None:
        """Note a 429 to a request that was sent at ``started``."""
        if started > self._halved:
            self.limit = max(1, int(min(self.limit, self._wanted)) // 2)
            self._halved = now


_GATES: WeakValueDictionary[str, Gate] = WeakValueDictionary()


def gate_for(base_url: str) -> Gate:
    """Return the gate that all players of this process share for a provider."""
    return _GATES.setdefault(base_url.rstrip("/"), Gate())
