"""What is said while a run is played."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from openai_server import serving
from pairs import play_pair, served_pair
from samples import sample_instances

from ircore.core import terminal
from ircore.core.episode_records import Attempt, Usage
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.runs.costs import limit
from ircore.runs.costs.limit import CostLimit, NoMoreError
from ircore.runs.costs.prices import Prices, RunPrices
from ircore.runs.costs.totals import compute_episode_costs
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder


@pytest.fixture(autouse=True)
def _cost_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service says what each answer costs, as OpenRouter does: no price has to be known beforehand."""
    monkeypatch.setattr(limit, "REPORTING", frozenset({"127.0.0.1"}))


def answer(tokens: int, cost: float | None) -> Call:
    usage = Usage(requests=1, prompt_tokens=tokens, cost_usd=cost)
    return Call(episode_id="e", turn=1, role="describer", text="words", usage=usage, seconds=1)


def cost_limit(max_cost: float | None = None) -> tuple[CostLimit, list[float]]:
    """A cost_limit with a clock that is set by hand."""
    now = [100.0]
    asked = PlayerSpec(player="openai", model="words", base_url="https://models.example/v1")
    drawn = PlayerSpec(player="canvas")
    pair = Submission(schema_=1, name="Pair", describer=asked, generator=drawn, licence="CC0-1.0")
    return CostLimit(RunPrices(Prices({}), pair), max_cost, lambda: now[0]), now


def test_the_note_counts_outcomes_flight_rate_tokens_and_cost() -> None:
    seen, now = cost_limit()
    seen.begin([answer(400, 0.5)] * 3)
    now[0] += 4
    reserves = [asyncio.run(seen.reserve("describer")) for _ in range(10)]
    for reserve in reserves[:8]:
        seen.count_question(answer(1400, 0.25))
        seen.release(reserve)
    seen.count_end("converged")
    seen.count_end("aborted")
    seen.count_end("converged")
    assert seen.note() == "1 aborted, 2 converged, 2 in flight, 2.0 requests/s, 12.4k tokens, 3.5000 US$"


def test_the_limit_counts_earlier_sessions_too() -> None:
    seen, _ = cost_limit(max_cost=2)
    seen.begin([answer(1, 1.5)])
    assert seen.may_ask()
    seen.count_question(answer(1, 0.5))
    assert not seen.may_ask()
    assert seen.build_stop_error().problem == "--max-cost: 2.0000 US$ of 2 US$ spent"


def test_a_price_that_is_not_known_is_named_and_never_shown_as_nothing() -> None:
    seen, _ = cost_limit()
    seen.count_question(answer(1000, None))
    assert seen.note().endswith("1.0k tokens, price of words not known")
    seen.count_question(answer(1000, 0.25))
    assert seen.note().endswith("2.0k tokens, 0.2500 US$, price of words not known")


def test_the_note_says_what_the_run_will_cost_in_all() -> None:
    """Five episodes of 1, 2, 3, 2 and 2 US$ have ended of ten: mean 2, variance 0.5."""
    seen, _ = cost_limit()
    seen.begin([], planned=10)
    for number, cost in enumerate((1.0, 2.0, 3.0, 2.0, 2.0)):
        assert "in all" not in seen.note()
        seen.count_question(answer(1, cost).model_copy(update={"episode_id": f"e{number}"}))
        seen.count_end("converged", f"e{number}")
    margin = 1.96 * (0.5 * (5 + 25 / 5)) ** 0.5
    assert seen.note().endswith(f"10.0000 US$, {20 - margin:.2f} to {20 + margin:.2f} US$ in all")


def test_episodes_of_earlier_sessions_count_for_what_it_will_cost() -> None:
    seen, _ = cost_limit()
    earlier = [answer(1, 0.5).model_copy(update={"episode_id": f"e{number}"}) for number in range(6)]
    seen.begin(earlier, planned=8, ended=[f"e{number}" for number in range(6)])
    assert seen.note().endswith("3.0000 US$, 4.00 to 4.00 US$ in all")


@pytest.mark.parametrize("growth", [1.0, 1.15, 2.0])
def test_the_limit_is_passed_by_one_answer_at_most(growth: float) -> None:
    """Sixteen workers, whose answers grow dearer from turn to turn by as much as twice."""
    seen, _ = cost_limit(max_cost=3)
    costs: list[float] = []

    async def worker() -> None:
        for turn in range(12):
            reserve = await seen.reserve("describer")
            await asyncio.sleep(0.001)
            costs.append(0.01 * growth**turn)
            seen.count_question(answer(1, costs[-1]), reserve)
            seen.release(reserve)

    async def work() -> None:
        await asyncio.gather(*(worker() for _ in range(16)), return_exceptions=True)

    asyncio.run(work())
    spent = seen.totals.cost_usd
    assert spent == pytest.approx(sum(costs))
    assert spent < 3 + max(costs)
    assert spent >= 3 or len(costs) == 16 * 12
    assert seen.in_flight == 0


def ask_all(seen: CostLimit, price: Callable[[int], float], at_once: int = 14, each: int = 40) -> list[float]:
    """Let workers ask until no more may be asked; return what was billed, in the order of the questions."""
    costs: list[float] = []

    async def worker() -> None:
        for _ in range(each):
            reserve = await seen.reserve("describer")
            costs.append(price(len(costs)))
            cost = costs[-1]
            await asyncio.sleep(0.001)
            seen.count_question(answer(1, cost), reserve)
            seen.release(reserve)

    async def work() -> None:
        await asyncio.wait_for(asyncio.gather(*(worker() for _ in range(at_once)), return_exceptions=True), 30)

    asyncio.run(work())
    return costs


@pytest.mark.parametrize("cheap", [1, 2, 5, 13, 30])
def test_the_limit_holds_where_the_first_answers_were_cheap(cheap: int) -> None:
    """Fourteen at once; the first answers cost 0.01 US$, all others fifty times as much."""
    seen, _ = cost_limit(max_cost=1)
    costs = ask_all(seen, lambda number: 0.01 if number < cheap else 0.5)
    assert 1 <= sum(costs) < 1 + 0.5
    assert seen.spent() == pytest.approx(sum(costs))


def test_as_many_questions_are_under_way_as_were_answered() -> None:
    seen, _ = cost_limit(max_cost=1000)
    at_once: list[int] = []

    def price(number: int) -> float:
        at_once.append(seen.in_flight)
        return 0.01

    ask_all(seen, price, at_once=64, each=10)
    assert at_once[0] == 1
    assert all(under_way <= max(1, before) for before, under_way in enumerate(at_once))
    assert max(at_once) == 64  # the limit is far


def test_a_jump_of_the_price_begins_the_growth_anew() -> None:
    seen, _ = cost_limit(max_cost=100_000)
    seen.begin([answer(1, 0.01)] * 20)

    async def at_once() -> int:
        with contextlib.suppress(TimeoutError):
            for _ in range(30):
                await asyncio.wait_for(seen.reserve("describer"), 0.01)
        return seen.in_flight

    seen.count_question(answer(1, 0.03))
    assert asyncio.run(at_once()) == 1


def test_requests_that_brought_nothing_count_while_their_question_is_under_way() -> None:
    """Each unreadable reply is billed 0.3 US$: the fourth one reaches the limit of 1 US$, and ends every wait."""
    seen, _ = cost_limit(max_cost=1)

    async def work() -> None:
        reserve = await seen.reserve("describer")
        for number in range(4):
            assert seen.may_ask() == (not seen.halt.is_set) == True, number  # noqa: E712
            seen.count_attempt(reserve, Attempt(kind="malformed", status=200, seconds=1, cost_usd=0.3))
        assert not seen.may_ask()
        assert seen.halt.is_set
        attempts = tuple(reserve.attempts)
        failure = Failure(episode_id="e", turn=1, role="describer", reason="stopped", detail="d", attempts=attempts)
        seen.count_question(failure)  # found by its requests, and not counted twice
        assert seen.spent() == pytest.approx(1.2)
        seen.release(reserve)

    asyncio.run(work())
    assert seen.build_stop_error().problem == "--max-cost: 1.2000 US$ of 1 US$ spent"


LOST = Attempt(kind="malformed", status=200, seconds=1)


def lost(*attempts: Attempt) -> Failure:
    return Failure(
        episode_id="e", turn=1, role="describer", reason="provider_error", detail="d", attempts=attempts or (LOST,)
    )


def test_a_lost_request_of_unknown_cost_counts_like_the_dearest_answer() -> None:
    seen, _ = cost_limit(max_cost=1)
    seen.begin([answer(1, 0.2), answer(1, 0.1)])
    seen.count_question(lost(LOST, LOST))
    assert seen.spent() == pytest.approx(0.3 + 2 * 0.2)
    assert seen.totals.cost_usd == pytest.approx(0.3)  # a sum says what is known
    seen.count_question(lost(LOST, LOST))
    assert (
        seen.build_stop_error().problem
        == "--max-cost: 1.1000 US$ of 1 US$ spent, 4 requests without an answer included"
    )


def test_where_no_price_at_all_is_known_one_lost_request_is_the_last_of_a_session() -> None:
    seen, _ = cost_limit(max_cost=1)
    seen.count_question(lost())
    assert not seen.may_ask()
    assert seen.build_stop_error().problem == (
        "--max-cost: a request to words brought no answer and may have been billed; what it cost is not known"
    )
    later, _ = cost_limit(max_cost=1)
    later.begin([lost()])
    assert later.may_ask()
    later.count_question(answer(1, 0.4))
    assert later.spent() == pytest.approx(0.8)


@pytest.mark.parametrize("kind", ["rate_limit", "server", "unreachable", "context_too_long", "answer_too_long"])
def test_what_is_never_billed_counts_nothing(kind: str) -> None:
    seen, _ = cost_limit(max_cost=1)
    seen.count_question(lost(LOST.model_copy(update={"kind": kind, "status": None})))
    assert seen.may_ask()
    assert seen.spent() == 0


def test_whoever_waits_for_room_is_told_at_once_that_asking_has_ended() -> None:
    seen, _ = cost_limit(max_cost=1)

    async def work() -> None:
        await seen.reserve("describer")
        waiting = asyncio.create_task(seen.reserve("describer"))
        await asyncio.sleep(0)
        seen.end(NoMoreError("stopped", "Go on."))
        with pytest.raises(NoMoreError, match="stopped"):
            await asyncio.wait_for(waiting, 1)

    asyncio.run(work())


DEARER_LATER = ("--max-cost", "1", "--concurrency", "14")


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--processes", "3")])
def test_a_service_whose_later_answers_are_dear_passes_the_limit_by_one_answer(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    instances = sample_instances(tmp_path / "set", per_condition=8)
    with serving(cost=lambda number: 0.5 if number else 0.01) as service:
        assert (
            play_pair(served_pair(tmp_path, service.base_url), instances, tmp_path / "run", *DEARER_LATER, *more) == 1
        )
    assert 1 <= service.billed < 1 + 0.5
    assert sum(cost.usd or 0 for cost in compute_episode_costs(RunFolder(tmp_path / "run")).values()) == pytest.approx(
        service.billed
    )


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "more"), [("empty_choices", ()), ("drop", ()), ("drop", ("--processes", "2"))])
def test_replies_that_cannot_be_used_count_towards_the_limit(
    tmp_path: Path, fault: str, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two words are answered, then nothing that comes can be used, and all of it is billed."""
    instances = sample_instances(tmp_path / "set", per_condition=8)
    with serving(cost=lambda number: 0.3) as service:
        service.fail("ok", "ok", *[fault] * 500)
        run = tmp_path / "run"
        assert play_pair(served_pair(tmp_path, service.base_url), instances, run, *DEARER_LATER, *more) == 1
        assert 0.9 <= service.billed < 1 + 0.3 + 0.001
        # Given again, the same command asks nothing.
        before = service.count()
        assert play_pair(served_pair(tmp_path, service.base_url), instances, run, *DEARER_LATER, *more) == 1
        assert service.count() == before


@pytest.mark.parametrize(("seconds", "words"), [(40, "40 s"), (720, "12 min"), (12600, "3.5 h")])
def test_time_left_as_people_say_it(seconds: float, words: str) -> None:
    assert terminal.format_duration(seconds) == words
