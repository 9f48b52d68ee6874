"""What is said while a run is played."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer, serving
from pairs import play_pair, served_pair
from samples import sample_submission

from ircore.core import progress
from ircore.core.episode_records import Usage
from ircore.instances.store import InstanceSet
from ircore.runs.costs.limit import Watch
from ircore.runs.costs.prices import Prices, RunPrices
from ircore.runs.events import Call


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving() as service:
        yield service


def answer(tokens: int, cost: float | None) -> Call:
    usage = Usage(requests=1, prompt_tokens=tokens, cost_usd=cost)
    return Call(episode_id="e", turn=1, role="describer", text="words", usage=usage, seconds=1)


def watch(max_cost: float | None = None) -> tuple[Watch, list[float]]:
    """A watch with a clock that is set by hand."""
    now = [100.0]
    return Watch(RunPrices(Prices({}), sample_submission().submission), max_cost, lambda: now[0]), now


def test_the_note_counts_outcomes_flight_rate_tokens_and_cost() -> None:
    seen, now = watch()
    seen.begin([answer(400, 0.5)] * 3)
    now[0] += 4
    for _ in range(10):
        seen.asking()
    for _ in range(8):
        seen.asked(answer(1400, 0.25))
        seen.done_asking()
    seen.ended("converged")
    seen.ended("aborted")
    seen.ended("converged")
    assert seen.note() == "1 aborted, 2 converged, 2 in flight, 2.0 requests/s, 12.4k tokens, 3.5000 US$"


def test_the_limit_counts_earlier_sessions_too() -> None:
    seen, _ = watch(max_cost=2)
    seen.begin([answer(1, 1.5)])
    assert seen.may_ask()
    seen.asked(answer(1, 0.5))
    assert not seen.may_ask()
    assert seen.stopped().problem == "--max-cost: 2.0000 US$ of 2 US$ spent"


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
