"""The clock of event loops, which a test moves on instead of waiting: on a slow machine no deadline comes early."""

import asyncio

import pytest


class LoopClock:
    """What all event loops of this process take for the time.

    Attributes:
        ahead: Seconds by which it is ahead of the machine's clock. A loop that sleeps notices a change when something
            else wakes it.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        real = asyncio.BaseEventLoop.time
        monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda loop: real(loop) + self.ahead)
