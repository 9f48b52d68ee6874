"""Calls that fail: what is retried, how long is waited, when it is over."""

import asyncio
import base64
import json
import math
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

import pytest
from clocks import LoopClock
from hypothesis import given
from hypothesis import strategies as st

from ircore.core.episode_records import Attempt, FaultKind
from ircore.core.records import PlayerSpec
from ircore.core.untrusted_text import format_plain_line
from ircore.players import calls
from ircore.players.builtin import editor as editor
from ircore.players.calls import (
    HARD,
    STRANGER_ATTEMPTS,
    Caller,
    CallError,
    FaultError,
    ProviderStopError,
    Reply,
    RequestFault,
    Tokens,
    note_reply,
)
from ircore.players.examination import find_service_remedy
from ircore.players.open_questions import HaltedError, OpenQuestion, build_scrubber
from ircore.players.openai.provider_errors import find_body_error_status, find_response_fault, retry_after
from ircore.players.openai.transport import assemble_document
from ircore.players.pacing import Gate, Pace, compute_wait, find_gate


def caller(**given: Any) -> Caller:
    settings: dict[str, Any] = {"who": "a model", "gate": Gate(), "timeout": 5.0, "deadline": 5.0} | given
    return Caller(**settings)


def answers(*outcomes: RequestFault | str, cost: float | None = None) -> Callable[[], Awaitable[Reply[str]]]:
    """Return a question that meets these faults and answers, one an attempt."""
    left = iter(outcomes)

    async def ask() -> Reply[str]:
        outcome = next(left)
        if isinstance(outcome, RequestFault):
            raise FaultError(outcome, Tokens(10, 5, cost_usd=cost), received=7)
        return Reply(outcome, Tokens(100, 20, 8, cost), 200, 300)

    return ask


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that calls wait between attempts; nobody waits really."""
    waited: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waited


def test_the_sum_of_all_attempts_is_the_usage(waits: list[float]) -> None:
    fault = RequestFault("cut_off", "only thoughts", 200)
    called = asyncio.run(caller().call(answers(fault, RequestFault("unreachable", "no route"), "good", cost=0.25)))
    assert called.value == "good"
    assert [attempt.kind for attempt in called.attempts] == ["cut_off", "unreachable", "answered"]
    assert [attempt.received for attempt in called.attempts] == [7, 7, 300]
    # Only two of the three reached the provider.
    assert called.usage.requests == 2
    assert (called.usage.prompt_tokens, called.usage.completion_tokens) == (120, 30)
    assert called.usage.reasoning_tokens == 8
    assert called.usage.cost_usd == 0.75


def test_waits_double_with_jitter_up_to_a_minute(waits: list[float]) -> None:
    faults = [RequestFault("server", "down", 500)] * 12
    asyncio.run(caller(deadline=1e6).call(answers(*faults, "good")))
    longest = [min(0.5 * 2**n, 60.0) for n in range(12)]
    assert all(most / 2 <= wait <= most for wait, most in zip(waits, longest, strict=True))
    assert len(set(waits)) == 12


@pytest.mark.parametrize("seconds", [0.0, 0.7, 20.0, 121.0, 3000.0])
def test_retry_after_is_kept_however_long(waits: list[float], seconds: float) -> None:
    fault = RequestFault("rate_limit", "slow down", 429, retry_after=seconds)
    asyncio.run(caller(deadline=3600).call(answers(fault, "good")))
    assert seconds <= waits[0] <= seconds + calls.BACKOFF_S


@pytest.mark.parametrize("seconds", [61.0, math.inf])
def test_a_wait_beyond_the_deadline_is_not_begun(waits: list[float], seconds: float) -> None:
    fault = RequestFault("rate_limit", "slow down", 429, retry_after=seconds)
    with pytest.raises(CallError, match=r"rate_limit: HTTP 429: slow down .*the deadline is 60 s") as caught:
        asyncio.run(caller(deadline=60).call(answers(fault, "good")))
    assert waits == []
    assert caught.value.reason("generator") == "provider_error"


def test_an_attempt_has_its_time_and_the_call_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock(monkeypatch)

    async def never() -> Reply[str]:
        clock.ahead += 1000
        await asyncio.sleep(1e6)
        raise AssertionError

    with pytest.raises(CallError) as caught:
        asyncio.run(caller(timeout=1000, deadline=2500).call(never))
    assert [attempt.kind for attempt in caught.value.attempts] == ["timeout"] * 3


def test_what_is_told_is_the_providers_fault_when_the_deadline_cuts_the_last_attempt_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults, clock = iter([RequestFault("server", "down", 500)] * 2), LoopClock(monkeypatch)

    async def down_then_never() -> Reply[str]:
        for fault in faults:
            raise FaultError(fault)
        clock.ahead = 1000
        await asyncio.sleep(1e6)
        raise AssertionError

    with pytest.raises(CallError, match="server: HTTP 500: down") as caught:
        asyncio.run(caller(timeout=3600, deadline=1000).call(down_then_never))
    assert [attempt.kind for attempt in caught.value.attempts] == ["server", "server", "timeout"]
    assert caught.value.fault.kind == "server"


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "waits" not in request.fixturenames:
        monkeypatch.setattr(calls, "BACKOFF_S", 0.001)


@pytest.mark.parametrize(
    ("kind", "attempts", "describer", "generator"),
    [
        ("malformed", 6, "provider_error", "provider_error"), ("cut_off", 4, "provider_error", "provider_error"),
        ("empty", 3, "describer_empty", "describer_empty"), ("no_image", 3, "generator_no_image", "generator_no_image"),
        ("filtered", 2, "describer_refused", "generator_refused"),
        ("refused", 1, "describer_refused", "generator_refused"), ("rejected", 1, "provider_error", "provider_error"),
    ],
)  # fmt: skip
def test_what_may_cost_is_not_asked_for_ever(kind: FaultKind, attempts: int, describer: str, generator: str) -> None:
    fault = RequestFault(kind, "what it said", 200)
    with pytest.raises(CallError, match=f"^{kind}: HTTP 200: what it said") as caught:
        asyncio.run(caller().call(answers(*[fault] * 9)))
    assert len(caught.value.attempts) == attempts
    assert fault.retriable == (attempts > 1)
    assert (caught.value.reason("describer"), caught.value.reason("generator")) == (describer, generator)


@pytest.mark.parametrize("kind", sorted(HARD))
def test_a_hard_failure_names_who_and_what_to_do(kind: FaultKind) -> None:
    asked = caller(
        who="openai, model m at http://x/v1", remedies={kind: "Do this."}, scrub=build_scrubber("sk-secret-key")
    )
    with pytest.raises(ProviderStopError) as caught:
        asyncio.run(asked.call(answers(RequestFault(kind, "no: sk-secret-key", 401))))
    assert caught.value.problem == "openai, model m at http://x/v1: HTTP 401: no: [key]"
    assert caught.value.remedy == "Do this."
    assert [attempt.detail for attempt in caught.value.attempts] == ["no: [key]"]


def test_an_address_that_was_never_reached_stops_the_run_and_an_outage_is_waited_for(waits: list[float]) -> None:
    away = RequestFault("unreachable", "connection refused")
    with pytest.raises(ProviderStopError, match="a model: connection refused") as caught:
        asyncio.run(caller(deadline=3600).call(answers(*[away] * 9)))
    assert len(caught.value.attempts) == STRANGER_ATTEMPTS
    outage = answers("good", *[away] * 9, "good again")
    asked = caller(deadline=3600)
    assert [asyncio.run(asked.call(outage)).value for _ in range(2)] == ["good", "good again"]


def test_a_gate_lets_in_as_many_as_it_says_in_turn() -> None:
    async def scenario() -> None:
        gate, order = Gate(), []
        gate.limit = 2
        most = 0

        async def enter(number: int) -> None:
            nonlocal most
            async with gate.slot():
                most = max(most, gate.running)
                order.append(number)
                await asyncio.sleep(0)

        tasks = [asyncio.create_task(enter(number)) for number in range(6)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [0, 1, 2, 4, 5]
        assert (most, gate.running) == (2, 0)

    asyncio.run(scenario())


@pytest.mark.parametrize("where", ["pace", "gate", "retry"])
def test_the_end_of_asking_ends_every_wait_and_nothing_more_is_sent(where: str) -> None:
    async def scenario() -> None:
        question, gate, pace, sent = OpenQuestion(), Gate(), Pace(requests=1), 0
        asked = caller(gate=gate, pace=pace if where == "pace" else Pace(), deadline=1e6)

        async def ask() -> Reply[str]:
            nonlocal sent
            sent += 1
            raise FaultError(RequestFault("rate_limit", "slow down", 429, retry_after=1000.0), Tokens(cost_usd=0.5))

        if where == "pace":
            pace.turn(asyncio.get_running_loop().time())
        if where == "gate":
            gate.limit = 0
        with question.open():
            call = asyncio.create_task(asked.call(ask))
        await asyncio.sleep(0.05)
        question.halt.set()
        with pytest.raises(HaltedError):
            await asyncio.wait_for(call, 5)
        assert sent == (where == "retry")
        assert [attempt.cost_usd for attempt in question.attempts] == [0.5] * sent
        assert gate.running == 0
        with question.open(), pytest.raises(HaltedError):
            await caller().call(ask)
        assert sent == (where == "retry")

    asyncio.run(scenario())


def test_a_request_under_way_goes_on_after_the_end_of_asking() -> None:
    async def scenario() -> str:
        question = OpenQuestion()

        async def ask() -> Reply[str]:
            question.halt.set()
            await asyncio.sleep(0.05)
            return Reply("good", Tokens(), 200, 1)

        with question.open():
            return (await caller().call(ask)).value

    assert asyncio.run(scenario()) == "good"


def test_a_request_that_is_cancelled_is_noted_with_what_its_reply_cost() -> None:
    async def scenario() -> list[Attempt]:
        question = OpenQuestion()

        async def ask() -> Reply[str]:
            note_reply(Tokens(100, 20, cost_usd=0.5))  # the reply has come, and its picture is still to be fetched
            await asyncio.sleep(1000)
            raise AssertionError

        with question.open():
            call = asyncio.create_task(caller(timeout=2000, deadline=2000).call(ask))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return question.attempts

    (attempt,) = asyncio.run(scenario())
    assert (attempt.kind, attempt.cost_usd, attempt.completion_tokens) == ("timeout", 0.5, 20)


@pytest.mark.parametrize("status", [0, 99, 600, 999])
def test_a_number_that_is_no_status_is_none(waits: list[float], status: int) -> None:
    called = asyncio.run(caller().call(answers(RequestFault("server", "odd", status), "good")))
    assert [attempt.status for attempt in called.attempts] == [None, 200]


def test_players_at_one_provider_share_a_gate() -> None:
    item = find_gate("https://api.example/v1")
    assert item is find_gate("https://api.example/v1/")
    assert item is not find_gate("https://other.example/v1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (429, '{"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}', "rate_limit", "Slow down"),
        (429, '{"error": {"message": "Pay", "type": "insufficient_quota"}}', "no_credit", "Pay"),
        (402, '{"error": {"message": "Insufficient credits", "code": 402}}', "no_credit", "Insufficient credits"),
        (400, '{"error": {"message": "Limit", "code": "billing_hard_limit_reached"}}', "no_credit", "Limit"),
        (401, '{"error": {"message": "Bad key"}}', "denied", "Bad key"),
        (403, '{"error": {"message": "No", "metadata": {"flagged_input": "x"}}}', "refused", "No"),
        (403, "", "denied", "no explanation"),
        (404, '{"error": "model \'x\' not found"}', "not_found", "model 'x' not found"),
        (404, "<html><title>404 Not Found</title></html>", "not_found", "a page titled '404 Not Found'"),
        (400, '{"error": {"message": "Which?", "code": "model_not_found"}}', "not_found", "Which?"),
        (400, '{"error": {"message": "Blocked", "code": "moderation_blocked"}}', "refused", "Blocked"),
        (400, '{"error": {"message": "B", "code": "content_filter"}}', "refused", "B"),
        (400, '{"error": {"message": "B", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}', "refused", "B"),
        (400, '{"error": {"message": "No such", "code": "unsupported_parameter"}}', "unsupported", "No such"),
        (400, '{"error": {"message": "Bad image"}}', "rejected", "Bad image"),
        (422, '{"detail": "too long"}', "rejected", "too long"),
        (413, "Payload too large", "context_too_long", "Payload too large"), (408, "", "timeout", "no explanation"),
        (409, "", "server", "no explanation"), (500, "\x00\x1b[31mBoom\n\nat line 1", "server", "[31mBoom at line 1"),
        (529, '{"error": {"message": "Overloaded"}}', "server", "Overloaded"), (503, "[1, 2", "server", "[1, 2"),
    ],
)  # fmt: skip
def test_one_place_says_what_a_reply_means(status: int, body: str, kind: str, said: str) -> None:
    fault = find_response_fault(status, {}, body)
    assert (fault.kind, format_plain_line(fault.detail), fault.status) == (kind, said, status)


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"error": {"code": 429, "message": "m"}}, 429), ({"error": {"code": "server_error", "message": "m"}}, 500),
        ({"error": "broken"}, 500), ({"error": None, "choices": []}, None), ({"choices": []}, None), ([1], None),
    ],
)  # fmt: skip
def test_an_error_in_a_good_reply(document: Any, status: int | None) -> None:
    assert find_body_error_status(document) == status


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0), ({"retry-after": "0.5"}, 0.5), ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "86400"}, 86400.0), ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0), ({"retry-after": "inf"}, math.inf),
        ({"retry-after": "nan"}, None), ({"retry-after": "later"}, None), ({"retry-after": "1e400"}, math.inf),
        ({"retry-after": "9999999999999999999 Oct 10000 07.28.00"}, None),
        ({"retry-after": "Wed, 21 Oct 9999 07:28:00 +99999999999"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0), ({}, None),
    ],
)  # fmt: skip
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date() -> None:
    begun = datetime.now(UTC)
    seconds = retry_after({"retry-after": format_datetime(begun + timedelta(seconds=90), usegmt=True)})
    assert seconds is not None
    passed = (datetime.now(UTC) - begun).total_seconds()
    assert 89 - passed <= seconds <= 90


SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_/+=.", min_size=8, max_size=60)


@pytest.mark.slow
@given(SECRETS, st.binary(max_size=5), st.binary(max_size=5))
def test_a_secret_is_found_in_every_form(secret: str, before: bytes, after: bytes) -> None:
    scrub = build_scrubber(secret)
    within = before + secret.encode() + after
    for text in (
        secret,
        f"https://x/?key={quote(secret, safe='')}&a=b",
        base64.b64encode(within).decode(),
        base64.urlsafe_b64encode(within).decode(),
    ):
        assert scrub(text) != text
        assert secret not in scrub(text)


def test_a_secret_that_a_short_line_would_cut_is_taken_out_before() -> None:
    asked = caller(scrub=build_scrubber("sk-secret-key-of-some-length"))
    said = RequestFault("rejected", "x" * 290 + "sk-secret-key-of-some-length", 400)
    with pytest.raises(CallError) as caught:
        asyncio.run(asked.call(answers(said)))
    assert "sk-" not in str(caught.value) + str(caught.value.attempts)


def test_short_keys_of_local_servers_are_no_secrets() -> None:
    assert build_scrubber("none")("none of these") == "none of these"
    assert build_scrubber("")("anything") == "anything"


def test_both_limits_have_to_be_free_again() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20s",
    }  # fmt: skip
    assert compute_wait(headers) == 20
    assert compute_wait({**headers, "x-ratelimit-remaining-tokens": "5"}) == 2


def test_whoever_waits_at_a_gate_goes_before_whoever_comes() -> None:
    order: list[str] = []

    async def enter(gate: Gate, name: str, leave: asyncio.Event) -> None:
        async with gate.slot():
            order.append(name)
            await leave.wait()

    async def queue() -> None:
        gate, leave, late = Gate(), asyncio.Event(), asyncio.Event()
        gate.limit = 1
        first = asyncio.create_task(enter(gate, "first", leave))
        await asyncio.sleep(0)
        second = asyncio.create_task(enter(gate, "second", late))
        await asyncio.sleep(0)
        # A place becomes free while somebody waits; whoever comes in the same moment stands behind.
        gate.limit = 2
        third = asyncio.create_task(enter(gate, "third", late))
        await asyncio.sleep(0)
        leave.set()
        await first
        await asyncio.sleep(0.01)
        late.set()
        await asyncio.gather(second, third)

    asyncio.run(queue())
    assert order == ["first", "second", "third"]


def test_a_place_that_was_handed_over_to_somebody_who_gave_up_is_passed_on() -> None:
    async def queue() -> int:
        gate = Gate()
        gate.limit = 1
        leave = asyncio.Event()

        async def hold() -> None:
            async with gate.slot():
                await leave.wait()

        first = asyncio.create_task(hold())
        await asyncio.sleep(0)
        second, third = asyncio.create_task(hold()), asyncio.create_task(hold())
        await asyncio.sleep(0)
        leave.set()
        await asyncio.sleep(0)  # the first leaves: its place is the second's, who has not woken yet
        second.cancel()
        await asyncio.wait_for(asyncio.gather(first, second, third, return_exceptions=True), 5)
        return gate.running

    assert asyncio.run(queue()) == 0


def test_requests_that_were_under_way_together_halve_the_limit_once() -> None:
    gate = Gate()

    async def many() -> None:
        async with AsyncExitStack() as slots:
            for _ in range(8):
                await slots.enter_async_context(gate.slot())
            for _ in range(3):
                gate.note_refusal(started=1.0, now=2.0)
            assert gate.limit == 4
            gate.note_refusal(started=3.0, now=4.0)
            assert gate.limit == 2

    asyncio.run(many())


def test_nobody_comes_back_before_the_time_that_the_provider_names() -> None:
    waiting = Caller(who="a model", gate=Gate(), timeout=5, deadline=5)
    waits = [waiting._wait(RequestFault("rate_limit", "busy", retry_after=7.0), attempts) for attempts in range(1, 40)]
    assert min(waits) >= 7


def test_the_remedy_is_that_of_the_last_request() -> None:
    spec = PlayerSpec(player="openai", model="m", api_key_env="A_KEY")
    attempts = {
        kind: Attempt.model_validate({"kind": kind, "seconds": 1.0, "detail": "x"}) for kind in ("denied", "not_found")
    }
    denied, not_found = (find_service_remedy(spec, [attempts[kind]]) for kind in ("denied", "not_found"))
    assert denied != not_found
    assert find_service_remedy(spec, [attempts["denied"], attempts["not_found"]]) == not_found
    assert find_service_remedy(spec, [attempts["not_found"], attempts["denied"]]) == denied


def test_the_last_event_counts_though_the_stream_was_left_open() -> None:
    def chunk(text: str, **more: Any) -> str:
        return "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}, **more}]})

    stream = "\n\n".join([chunk("a red "), chunk("circle", finish_reason="stop")]).encode()
    for end in (b"", b"\n", b"\n\n", b"\n\ndata: [DONE]\n\n"):
        document = assemble_document(stream + end)
        assert document["choices"][0]["message"]["content"] == "a red circle"
