"""Requests are spaced so that a provider's limits per minute are kept."""

import asyncio

import pytest

from ircore.players.calls import Caller, Reply, Tokens
from ircore.players.pacing import Gate, Pace, used_up


def starts(pace: Pace, count: int, now: float = 0.0) -> list[float]:
    return [pace.turn(now) for _ in range(count)]


def test_without_limits_nobody_waits() -> None:
    assert starts(Pace(), 100) == [0.0] * 100


def test_requests_are_spaced_by_their_share_of_a_minute() -> None:
    pace = Pace(requests=60)
    assert starts(pace, 4, now=5.0) == [0.0, 1.0, 2.0, 3.0]
    assert pace.turn(now=100.0) == 0.0  # after a rest there is no debt


def test_tokens_count_as_expected_first_and_as_seen_later() -> None:
    """60,000 tokens a minute are 1,000 a second: 2,000 expected take two seconds, an answer of 5,000 adds three."""
    pace = Pace(tokens=60_000)
    assert starts(pace, 2) == [0.0, 2.0]
    pace.answered(5000)
    assert pace.turn(0.0) == pytest.approx(4.0 + 3.0)


def test_no_minute_holds_more_requests_than_the_limit() -> None:
    pace, now, sent = Pace(requests=30), 0.0, []
    for _ in range(200):
        now += 0.1
        sent.append(now + pace.turn(now))
    for start in sent:
        assert sum(start <= moment < start + 60 - 1e-6 for moment in sent) <= 30


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "1s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 60.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, 0.0),
    ],
)
def test_a_provider_says_when_its_limit_is_used_up(headers: dict[str, str], seconds: float | None) -> None:
    assert used_up(headers) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.slow
def test_after_the_last_request_that_is_left_a_player_waits() -> None:
    """A provider that takes three requests in 0.2 s is asked seven times and never has to refuse."""
    window: list[float] = []

    async def provider() -> Reply[int]:
        now = asyncio.get_running_loop().time()
        window[:] = [moment for moment in window if now - moment < 0.2]
        assert len(window) < 3, "too many requests"
        window.append(now)
        left = {"x-ratelimit-remaining-requests": str(3 - len(window)), "x-ratelimit-reset-requests": "210ms"}
        return Reply(1, Tokens(), 200, 1, left)

    async def seven() -> int:
        caller = Caller("a player", Gate(), timeout=5, deadline=10)
        return sum([(await caller.call(provider)).value for _ in range(7)])

    assert asyncio.run(seven()) == 7
