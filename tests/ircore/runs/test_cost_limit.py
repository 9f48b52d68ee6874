"""What is said while a run is played."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer, serving
from pairs import play_pair, served_pair

from ircore.core import progress
from ircore.core.episode_records import Usage
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.instances.store import InstanceSet
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import Prices, RunPrices
from ircore.runs.events import Call


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving() as service:
        yield service


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
        seen.asked(answer(1400, 0.25))
        seen.release(reserve)
    seen.ended("converged")
    seen.ended("aborted")
    seen.ended("converged")
    assert seen.note() == "1 aborted, 2 converged, 2 in flight, 2.0 requests/s, 12.4k tokens, 3.5000 US$"


def test_the_limit_counts_earlier_sessions_too() -> None:
    seen, _ = cost_limit(max_cost=2)
    seen.begin([answer(1, 1.5)])
    assert seen.may_ask()
    seen.asked(answer(1, 0.5))
    assert not seen.may_ask()
    assert seen.stopped().problem == "--max-cost: 2.0000 US$ of 2 US$ spent"


def test_a_price_that_is_not_known_is_named_and_never_shown_as_nothing() -> None:
    seen, _ = cost_limit()
    seen.asked(answer(1000, None))
    assert seen.note().endswith("1.0k tokens, price of words not known")
    seen.asked(answer(1000, 0.25))
    assert seen.note().endswith("2.0k tokens, 0.2500 US$, price of words not known")


def test_the_note_says_what_the_run_will_cost_in_all() -> None:
    """Five episodes of 1, 2, 3, 2 and 2 US$ have ended of ten: mean 2, variance 0.5."""
    seen, _ = cost_limit()
    seen.begin([], planned=10)
    for number, cost in enumerate((1.0, 2.0, 3.0, 2.0, 2.0)):
        assert "in all" not in seen.note()
        seen.asked(answer(1, cost).model_copy(update={"episode_id": f"e{number}"}))
        seen.ended("converged", f"e{number}")
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
            seen.asked(answer(1, costs[-1]))
            seen.release(reserve)

    async def work() -> None:
        await asyncio.gather(*(worker() for _ in range(16)), return_exceptions=True)

    asyncio.run(work())
    spent = seen.totals.cost_usd
    assert spent == pytest.approx(sum(costs))
    assert spent < 3 + max(costs)
    assert spent >= 3 or len(costs) == 16 * 12
    assert seen.in_flight == 0


def test_many_questions_are_under_way_while_the_limit_is_far() -> None:
    seen, _ = cost_limit(max_cost=1000)
    seen.begin([answer(1, 0.01)])

    async def all_at_once() -> list[float]:
        return await asyncio.wait_for(asyncio.gather(*(seen.reserve("describer") for _ in range(64))), 5)

    assert asyncio.run(all_at_once()) == [0.02] * 64


@pytest.mark.slow
def test_plain_lines_say_how_far_a_run_is(
    tmp_path: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run", "--concurrency", "2") == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("play pair: ")]
    assert len(lines) == 24
    assert lines[0].startswith("play pair: 0 of 4 (")
    assert "in flight" in lines[0]
    assert any(" s left)" in line for line in lines)
    assert lines[-1].startswith("play pair: 4 of 4 (4 converged, 0 in flight, ")
    assert "tokens" in lines[-1]


@pytest.mark.slow
def test_lines_come_now_and_then_only(
    tmp_path: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert progress.PLAIN_INTERVAL > 1
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 3600.0)
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run") == 0
    assert capsys.readouterr().err.count("play pair: ") == 1


@pytest.mark.parametrize(("seconds", "words"), [(40, "40 s"), (720, "12 min"), (12600, "3.5 h")])
def test_time_left_as_people_say_it(seconds: float, words: str) -> None:
    assert progress.span(seconds) == words
