"""The key of a player of another package, where its service repeats it: taken out of whatever the player gives."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from installed_packages import install_package
from pairs import play_pair, write_pair

from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players.base import ChoiceAnswer, JudgeError, PictureAnswer, PlayerError, TextAnswer
from ircore.players.builtin import editor as editor
from ircore.players.calls import Caller, FaultError, ProviderStopError, Reply, Tokens
from ircore.players.open_questions import build_scrubber, hide_secret_of_player
from ircore.players.openai.connection import Connection
from ircore.players.openai.replies import read_tokens
from ircore.players.openai.settings import read_key
from ircore.players.pacing import Gate, Pace, compute_wait

KEY = "sk-planted/0123456789abcdef"
SPEC = PlayerSpec(player="echo", api_key_env="ECHO_KEY")
ATTEMPTS = (Attempt(kind="server", seconds=1, detail=f"no {KEY}", served=f"m@{KEY}"),)
SMALL = Picture.from_pixels(np.zeros((1, 1, 3), np.uint8))


def stopped() -> ProviderStopError:
    error = ProviderStopError(f"denied: {KEY}", f"Change {KEY}.")
    error.attempts = ATTEMPTS
    return error


class Echo:
    """Gives, or raises, what it is asked for."""

    label = "an echo"

    async def answer(self, question: Any) -> Any:
        if isinstance(question, BaseException):
            raise question
        return question


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Awaitable[Any]]:
    monkeypatch.setenv("ECHO_KEY", f" {KEY} ")
    player = hide_secret_of_player(Echo(), SPEC)
    assert (player.label, hasattr(player, "close")) == ("an echo", False)
    return player.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "answer",
    [
        TextAnswer(f"I was given {KEY}", attempts=ATTEMPTS),
        ChoiceAnswer("A", (f"said {KEY}",), attempts=ATTEMPTS),
        PictureAnswer(SMALL, (f"drawn for {KEY}",), attempts=ATTEMPTS),
    ],
)
def test_no_answer_holds_the_key(ask: Callable[[Any], Awaitable[Any]], answer: Any) -> None:
    async def asked() -> Any:
        return await ask(answer)

    given = asyncio.run(asked())
    assert "[key]" in repr(given)
    assert KEY not in repr(given)
    assert given.attempts == (Attempt(kind="server", seconds=1, detail="no [key]", served="m@[key]"),)


@pytest.mark.parametrize(
    "error",
    [
        PlayerError("answer_refused", f"not for {KEY}", ATTEMPTS),
        JudgeError("judge_refused", f"not for {KEY}", ATTEMPTS), stopped(), ValueError(f"cannot read {KEY}"),
    ],
)  # fmt: skip
def test_no_error_holds_the_key(ask: Callable[[Any], Awaitable[Any]], error: Exception) -> None:
    async def asked() -> Any:
        return await ask(error)

    with pytest.raises(type(error)) as raised:
        asyncio.run(asked())
    for words in (str(raised.value), repr(vars(raised.value)), str(getattr(raised.value, "attempts", ""))):
        assert KEY not in words
    assert "[key]" in str(raised.value)


PLAYER = """
import os
from ircore.players.base import PlayerError, TextAnswer

class Speaker:
    def __init__(self, spec): ...
    async def describe(self, view):
        key = os.environ["LOUD_KEY"]
        if view.turn == 3:
            raise PlayerError("describer_refused", f"enough of {key}")
        return TextAnswer(f"<DESCRIPTION>A red circle for {key}.</DESCRIPTION>")
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_no_file_of_a_run_holds_it(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    points = "[ircore.players]\nloud-speaker = loud_speaker:Speaker\n"
    packages = install_package(tmp_path / "packages", "loud-speaker", points, PLAYER)
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("LOUD_KEY", KEY)
    pair = write_pair(tmp_path, {"player": "loud-speaker", "api_key_env": "LOUD_KEY"}, {"player": "sketch"})
    more = ("--limit", "2", "--processes", processes, "--cache", str(tmp_path / "cache"))
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    files = [path for place in ("run", "cache") for path in (tmp_path / place).rglob("*.json*")]
    assert any("[key]" in path.read_text() for path in files)
    assert not [path for path in files if KEY in path.read_text()]


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
    pace.note_answer(5000)
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
    assert compute_wait(headers) == (None if seconds is None else pytest.approx(seconds))


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


@pytest.mark.parametrize(
    ("usage", "read", "written", "reasoning", "cached"),
    [
        (
            {"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 1920},
             "completion_tokens_details": {"reasoning_tokens": 128}},
            2006, 300, 128, 1920,
        ),
        (
            {"input_tokens": 75, "output_tokens": 1186, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 1024}},
            75, 1186, 1024, 0,
        ),
        ({"prompt_tokens": 50, "completion_tokens": 9, "prompt_cache_hit_tokens": 40}, 50, 9, None, 40),
        ({"prompt_tokens": -1, "completion_tokens": "9", "prompt_tokens_details": []}, None, None, None, None),
        ({"prompt_tokens": True}, None, None, None, None),
        ({"prompt_tokens": 10**400, "completion_tokens": 7}, None, 7, None, None), (None, None, None, None, None),
    ],
)  # fmt: skip
def test_tokens(usage: Any, read: int | None, written: int | None, reasoning: int | None, cached: int | None) -> None:
    tokens = read_tokens(usage, {})
    assert (tokens.prompt, tokens.completion, tokens.reasoning, tokens.cached) == (read, written, reasoning, cached)


@pytest.mark.parametrize(
    ("usage", "headers", "dollars"),
    [
        ({"cost": 0.0042}, {}, 0.0042),  # OpenRouter
        ({"cost": 0.001, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.02}}, {}, 0.021),
        ({"cost": 0.02, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.02}}, {}, 0.02),
        ({"prompt_tokens": 5, "cost_in_usd_ticks": 37_500_000}, {}, 0.00375),  # xAI
        ({"prompt_tokens": 5}, {"x-litellm-response-cost": "5.1e-05"}, 5.1e-05),  # LiteLLM's proxy
        (None, {"x-litellm-response-cost": "0.04"}, 0.04),
        ({"cost": "free"}, {"x-litellm-response-cost": "None"}, None),
        ({"cost": -1}, {"x-litellm-response-cost": "nan"}, None),
        ({"cost": float("inf")}, {}, None),
        ({"cost": True}, {}, None),
    ],
)
def test_reported_costs(usage: Any, headers: dict[str, str], dollars: float | None) -> None:
    assert read_tokens(usage, headers).cost_usd == (None if dollars is None else pytest.approx(dollars))


def test_a_key_is_taken_out_in_its_longest_form() -> None:
    scrub = build_scrubber("abcd+efgh/ijkl")
    for form in ("abcd+efgh/ijkl", "abcd%2Befgh%2Fijkl"):
        assert scrub(f"Bearer {form}!") == "Bearer [key]!"
    # The plain form of this one is the beginning of its form in JSON.
    assert build_scrubber("abcdefghijkl\\")(json.dumps("abcdefghijkl\\")) == '"[key]"'


@pytest.mark.parametrize("value", ["sk-with a blank", "sk-with\na line", "sk-with\ttab", "sk-wíth", "sk-\x7f"])
def test_a_key_that_would_end_its_header_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", value)
    with pytest.raises(InputError, match="has characters that no key has"):
        read_key(PlayerSpec(player="openai", model="m", api_key_env="A_KEY"))


def test_a_picture_at_another_server_is_not_asked_for() -> None:
    connection = Connection("http://127.0.0.1:9/v1", "", "httpx", 5)
    with pytest.raises(FaultError, match=r"127\.0\.0\.2, which is another server and not asked"):
        asyncio.run(connection.fetch("http://127.0.0.2:9/picture.png"))
