"""Boards reward playing: episodes that were not played count as nothing, technical failures as no result yet."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hand_made import Fate, HandMadeRun, hand_made_run
from invented import invented_set
from known_values import known

from ircore.core.score_records import JudgeIdentity
from ircore.games.reconstruction.records import Rules
from ircore.results.cells import Cell
from ircore.results.model import BoardRow, Order, Results
from ircore.results.subsets import split_by_rules
from ircore.results.tables.comparisons import comparisons_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.turns import trajectories_table

pytestmark = pytest.mark.slow

SET = invented_set(3)  # 7 categories × 2 difficulties × 3 = 42 instances
SIZE = len(SET.instances)

HONEST: Sequence[Fate] = [5.0] * 13 + [10.0] * 29
"""Quality (13 · 5 + 29 · 10) / 42 = 8.45, and so main score 84.5."""

EVASIVE: Sequence[Fate] = ["aborted"] * 13 + [10.0] * 29
"""The same pair without its 13 worst episodes: quality 10, main score 100 · 29 / 42 = 69.0."""


def board(*runs: HandMadeRun, order: Order = "main") -> dict[str, BoardRow]:
    rows = Results.from_runs(runs).board("eye", order=order)
    return {row.submission.slug: row for row in rows}


def ranks(rows: dict[str, BoardRow]) -> dict[str, tuple[int | None, int | None]]:
    return {slug: (row.rank_low, row.rank_high) for slug, row in rows.items()}


def pair(slug: str, fates: Sequence[Fate]) -> HandMadeRun:
    return hand_made_run(slug, SET, fates)


def test_giving_up_the_worst_episodes_does_not_raise_a_rank() -> None:
    rows = board(pair("evasive", EVASIVE), pair("honest", HONEST))
    assert list(rows) == ["honest", "evasive"]
    assert rows["honest"].cell.main_score == pytest.approx(100 * (13 * 0.5 + 29) / 42)
    assert rows["evasive"].cell.main_score == pytest.approx(100 * 29 / 42)
    assert ranks(rows) == {"honest": (1, 1), "evasive": (2, 2)}
    # Its quality is the higher one: what was played is all 10. Ordered by it the evasive pair comes first, ranks stay.
    by_quality = board(pair("evasive", EVASIVE), pair("honest", HONEST), order="quality")
    assert list(by_quality) == ["evasive", "honest"]
    assert ranks(by_quality) == ranks(rows)


def test_a_pair_that_played_nothing_has_main_score_0_and_the_last_rank() -> None:
    rows = board(pair("refuser", ["aborted"] * SIZE), pair("honest", HONEST))
    assert rows["refuser"].cell.main_score == 0
    assert rows["refuser"].cell.score.mean is None
    assert ranks(rows) == {"honest": (1, 1), "refuser": (2, 2)}


@pytest.mark.parametrize("fate", ["failed", None])
def test_technical_failures_and_episodes_never_begun_leave_a_run_without_a_rank(fate: Fate) -> None:
    # Half of the targets have to tell the two apart, too.
    runs = [pair("broken", [fate, *[10.0] * 41]), pair("honest", [5.0] * 26 + [10.0] * 16)]
    rows = board(*runs)
    assert list(rows) == ["honest", "broken"]  # 100 of what has ended, yet below those that have a rank
    assert ranks(rows) == {"honest": (1, 1), "broken": (None, None)}
    cell = rows["broken"].cell
    assert (cell.unranked, cell.unfinished) == ("incomplete", 1)
    assert cell.main_score == pytest.approx(100)
    assert known(cell.main.low) < 100 * 41 / 42  # what is missing could be 0
    # Conditions without such an episode have ranks; the first instance is of the set's first category, easy.
    first = SET.instances[0]
    results = Results.from_runs(runs)
    incomplete = {key[1:3] for key, cell in results.cells.items() if cell.unranked == "incomplete"}
    assert incomplete == {(c, d) for c in (None, first.category) for d in (None, first.difficulty)}
    other = "hard" if first.difficulty == "easy" else "easy"
    assert ranks({row.submission.slug: row for row in results.board("eye", None, other)}) == {
        "broken": (1, 1),
        "honest": (2, 2),
    }


def test_comparison_says_the_difference_on_common_instances_and_its_worst_case() -> None:
    results = Results.from_runs([pair("evasive", EVASIVE), pair("honest", HONEST)])
    comparison = results.compare("evasive", "honest", "eye")
    assert (comparison.n, comparison.difference.mean, comparison.ties) == (29, 0, 29)
    # 13 episodes of one pair could have been 0 or 10, where the other has 5.
    assert comparison.least == pytest.approx(-5 * 13 / 42)
    assert comparison.most == pytest.approx(5 * 13 / 42)
    assert comparison.main.mean == pytest.approx(-50 * 13 / 42)
    assert comparison.main.high is not None
    assert comparison.main.high < 0  # which is why the board tells the two apart
    back = results.compare("honest", "evasive", "eye")
    assert (back.least, back.most) == pytest.approx((-known(comparison.most), -known(comparison.least)))
    assert back.main.low == pytest.approx(-comparison.main.high)


def drawn_pair(rng: np.random.Generator, index: int, skill: float, refusing: float, unrated: float) -> HandMadeRun:
    """A pair of some skill that gives up some hard pictures, of which the judge rated not quite everything."""
    values = np.clip(skill + rng.normal(0, 2, SIZE), 0, 10).round()
    fates: list[Fate] = [float(value) for value in values]
    for place in np.flatnonzero((values < 5) & (rng.random(SIZE) < refusing)):
        fates[place] = "aborted"
    for place in np.flatnonzero(rng.random(SIZE) < unrated):
        if fates[place] != "aborted":
            fates[place] = "refused"
    return pair(f"pair-{index}", fates)


@pytest.mark.parametrize("seed", range(12))
def test_no_two_pairs_have_separate_ranks_that_their_comparison_denies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = [drawn_pair(rng, index, 3 + index, rng.uniform(0, 1), rng.choice((0, 0.04))) for index in range(7)]
    results = Results.from_runs(runs)
    separate = 0
    for category, difficulty in ((None, None), (None, "hard"), ("photos", None)):
        rows = [row for row in results.board("eye", category, difficulty) if row.rank_low is not None]
        for row, other in product(rows, rows):
            if (row.rank_high or 0) < (other.rank_low or 0):
                pairs = row.submission.run_id, other.submission.run_id
                low = known(results.compare(*pairs, "eye", category, difficulty).main.low)
                assert low > 0
                separate += 1
    assert separate


def test_ranks_among_pairs_under_the_same_rules_are_those_of_their_own_comparisons() -> None:
    runs = [hand_made_run(f"{slug}-{budget}", SET, fates, rules=Rules(token_budget=budget))
            for slug, fates in (("honest", HONEST), ("evasive", EVASIVE)) for budget in (50, 200)]  # fmt: skip
    for part in split_by_rules(Results.from_runs(runs)):
        assert [(row.rank_low, row.rank_high) for row in part.board("eye")] == [(1, 1), (2, 2)]


def test_a_judge_says_which_categories_it_rates() -> None:
    some = JudgeIdentity(name="eye", label="Eye", kind="model", categories=("geometry",))
    few = invented_set(5, ("geometry", "photos"))
    fates: Sequence[Fate] = [8.0] * 10 + ["not yet"] * 9 + ["aborted"]
    results = Results.from_runs([hand_made_run("pair", few, fates, some)])
    whole, photos = results.cell("pair", "eye"), results.cell("pair", "eye", "photos")
    assert (whole.played, whole.applicable, whole.rated, whole.pending) == (19, 10, 10, 0)
    assert (whole.score.mean, whole.main_score, whole.unranked) == (8, 80, None)
    assert (photos.played, photos.applicable, photos.unranked) == (9, 0, "inapplicable")
    assert photos.main_score is None


LARGE = invented_set(6)  # 7 × 2 × 6 = 84 instances
POOR: Sequence[Fate] = [4.0] * 58 + [9.0] * 26
"""Mean (58 · 4 + 26 · 9) / 84 = 5.55."""
FAIR: Sequence[Fate] = [7.0, 6.0] * 42


def cell(fates: Sequence[Fate]) -> Cell:
    return Results.from_runs([rated("pair", fates)]).cell("pair", "eye")


def rated(slug: str, fates: Sequence[Fate]) -> HandMadeRun:
    return hand_made_run(slug, LARGE, fates)


@pytest.mark.parametrize("fate", ["refused", "not yet"])
def test_ratings_that_are_missing_raise_no_rank_and_shrink_no_interval(fate: str) -> None:
    nulled: Sequence[Fate] = [*[fate] * 58, *POOR[58:]]
    before, after = cell(POOR), cell(nulled)
    assert before.score.mean == pytest.approx((58 * 4 + 26 * 9) / 84)
    assert after.score.mean == 9
    for full, gap in ((before.score, after.score), (before.main, after.main)):
        assert known(gap.low) < known(full.low) < known(full.high) < known(gap.high)
    rows = Results.from_runs([rated("fair", FAIR), rated("nulled", nulled)]).board("eye")
    assert [(row.submission.slug, row.rank_low, row.rank_high) for row in rows] == [
        ("fair", 1, 1),
        ("nulled", None, None),
    ]
    assert rows[1].cell.unranked == "underrated"
    assert "26 of 84" in str(rows[1].cell.unranked_words)


def test_refused_differs_from_not_yet_and_from_not_played() -> None:
    shown = cell(["refused"] * 3 + ["not yet"] * 2 + ["aborted"] * 4 + [5.0] * 75)
    assert (shown.episodes, shown.played, shown.applicable, shown.rated) == (84, 80, 80, 75)
    assert (shown.refused, shown.pending, shown.unfinished) == (3, 2, 0)
    assert shown.unranked is None  # 75 of 80 are more than 90 %
    assert shown.score.n == 75


@pytest.mark.parametrize(("unrated", "unranked"), [(8, None), (9, "underrated")])
def test_a_rank_takes_nine_tenths_of_what_applies(unrated: int, unranked: str | None) -> None:
    assert cell(["refused"] * unrated + [5.0] * (84 - unrated)).unranked == unranked


def test_main_score_of_what_is_partly_rated_is_quality_times_share() -> None:
    shown = cell(["refused"] * 4 + ["aborted"] * 20 + [6.0] * 60)
    assert shown.main_score == pytest.approx(60 * 64 / 84)
    # At worst the four are 0, at best 10: 100 · (60 · 0.6) / 84 and 100 · (60 · 0.6 + 4) / 84.
    assert known(shown.main.low) < 100 * 36 / 84
    assert known(shown.main.high) > 100 * 40 / 84


def test_a_few_missing_ratings_cannot_separate_two_pairs() -> None:
    # 8 of 84 are missing; with them as 0 the better pair is no better.
    better: Sequence[Fate] = ["refused"] * 8 + [6.5] * 76
    worse: Sequence[Fate] = [6.0] * 84
    rows = Results.from_runs([rated("better", better), rated("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 2), (1, 2)]
    complete = Results.from_runs([rated("better", [6.5] * 84), rated("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in complete] == [(1, 1), (2, 2)]


COUNTS = ("played", "applicable", "rated", "refused", "not_yet")


def counts(table: Table, row: int = 0, prefix: str = "") -> list[Any]:
    return [table.entry(row, prefix + key).value for key in COUNTS]


def test_tables_of_turns_and_comparisons_count_what_is_rated() -> None:
    gaps: Sequence[Fate] = ["refused"] * 3 + ["not yet"] * 2 + ["aborted"] * 4 + [5.0] * 75
    results = Results.from_runs([rated("gaps", gaps), rated("whole", [7.0] * 84)])
    turns = trajectories_table(results, "eye")
    assert counts(turns, turns.column("run_id").index(Value("gaps"))) == [80, 80, 75, 3, 2]
    # The first category has 12 episodes: of these 3 refused, 2 not yet, 4 aborted.
    first = LARGE.instances[0].category
    assert counts(trajectories_table(results, "eye", first)) == [8, 8, 3, 3, 2]
    compared = comparisons_table(results, "eye")
    assert counts(compared) == [84, 84, 84, 0, 0]
    assert counts(compared, prefix="other_") == [80, 80, 75, 3, 2]
