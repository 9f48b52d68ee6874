"""What a judge did not rate: counted, told apart, covered by the interval, and no way to a better rank."""

from collections.abc import Sequence
from typing import Any

import pytest
from hand_made import Fate, HandMadeRun, hand_made_run
from invented import invented_set

from ircore.results.cell import Cell
from ircore.results.model import Results
from ircore.results.tables.comparisons import comparisons_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.turns import trajectories_table

SET = invented_set(6)  # 7 × 2 × 6 = 84 instances
POOR: Sequence[Fate] = [4.0] * 58 + [9.0] * 26
"""Mean (58 · 4 + 26 · 9) / 84 = 5.55."""
FAIR: Sequence[Fate] = [7.0, 6.0] * 42


def cell(fates: Sequence[Fate]) -> Cell:
    return Results.from_runs([pair("pair", fates)]).cell("pair", "eye")


def pair(slug: str, fates: Sequence[Fate]) -> HandMadeRun:
    return hand_made_run(slug, SET, fates)


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["refused", "not yet"])
def test_ratings_that_are_missing_raise_no_rank_and_shrink_no_interval(fate: str) -> None:
    nulled: Sequence[Fate] = [*[fate] * 58, *POOR[58:]]
    before, after = cell(POOR), cell(nulled)
    assert before.score.mean == pytest.approx((58 * 4 + 26 * 9) / 84)
    assert after.score.mean == 9
    for full, gap in ((before.score, after.score), (before.main, after.main)):
        assert full.low is not None
        assert gap.low is not None
        assert full.high is not None
        assert gap.high is not None
        assert gap.low < full.low < full.high < gap.high
    rows = Results.from_runs([pair("fair", FAIR), pair("nulled", nulled)]).board("eye")
    assert [(row.submission.slug, row.rank_low, row.rank_high) for row in rows] == [
        ("fair", 1, 1),
        ("nulled", None, None),
    ]
    assert rows[1].cell.unranked == "underrated"
    assert "26 of 84" in str(rows[1].cell.unranked_words)


@pytest.mark.slow
def test_refused_differs_from_not_yet_and_from_not_played() -> None:
    shown = cell(["refused"] * 3 + ["not yet"] * 2 + ["aborted"] * 4 + [5.0] * 75)
    assert (shown.episodes, shown.played, shown.applicable, shown.rated) == (84, 80, 80, 75)
    assert (shown.refused, shown.pending, shown.unfinished) == (3, 2, 0)
    assert shown.unranked is None  # 75 of 80 are more than 90 %
    assert shown.score.n == 75


@pytest.mark.slow
@pytest.mark.parametrize(("unrated", "unranked"), [(8, None), (9, "underrated")])
def test_a_rank_takes_nine_tenths_of_what_applies(unrated: int, unranked: str | None) -> None:
    assert cell(["refused"] * unrated + [5.0] * (84 - unrated)).unranked == unranked


@pytest.mark.slow
def test_main_score_of_what_is_partly_rated_is_quality_times_share() -> None:
    shown = cell(["refused"] * 4 + ["aborted"] * 20 + [6.0] * 60)
    assert shown.main_score == pytest.approx(60 * 64 / 84)
    # At worst the four are 0, at best 10: 100 · (60 · 0.6) / 84 and 100 · (60 · 0.6 + 4) / 84.
    assert shown.main.low is not None
    assert shown.main.high is not None
    assert shown.main.low < 100 * 36 / 84
    assert shown.main.high > 100 * 40 / 84


@pytest.mark.slow
def test_a_few_missing_ratings_cannot_separate_two_pairs() -> None:
    # 8 of 84 are missing; with them as 0 the better pair is no better.
    better: Sequence[Fate] = ["refused"] * 8 + [6.5] * 76
    worse: Sequence[Fate] = [6.0] * 84
    rows = Results.from_runs([pair("better", better), pair("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 2), (1, 2)]
    complete = Results.from_runs([pair("better", [6.5] * 84), pair("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in complete] == [(1, 1), (2, 2)]


COUNTS = ("played", "applicable", "rated", "refused", "not_yet")


def counts(table: Table, row: int = 0, prefix: str = "") -> list[Any]:
    return [table.entry(row, prefix + key).value for key in COUNTS]


@pytest.mark.slow
def test_tables_of_turns_and_comparisons_count_what_is_rated() -> None:
    gaps: Sequence[Fate] = ["refused"] * 3 + ["not yet"] * 2 + ["aborted"] * 4 + [5.0] * 75
    results = Results.from_runs([pair("gaps", gaps), pair("whole", [7.0] * 84)])
    turns = trajectories_table(results, "eye")
    assert counts(turns, turns.column("run_id").index(Value("gaps"))) == [80, 80, 75, 3, 2]
    # The first category has 12 episodes: of these 3 refused, 2 not yet, 4 aborted.
    first = SET.instances[0].category
    assert counts(trajectories_table(results, "eye", first)) == [8, 8, 3, 3, 2]
    compared = comparisons_table(results, "eye")
    assert counts(compared) == [84, 84, 84, 0, 0]
    assert counts(compared, prefix="other_") == [80, 80, 75, 3, 2]
