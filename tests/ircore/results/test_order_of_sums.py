"""Means and intervals do not hang on the order of rows, and are those of the bootstrap."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import TypeVar

import numpy as np
import pytest
from invented import InventedRun, invented_run, invented_set, judged_also, preferring, talking, under_budget
from known_values import known
from scipy import stats

from ircore.games.registry import load_game
from ircore.results.cells import run_cells
from ircore.results.episodes import judge_episodes
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import (
    DIFFERENCE,
    MAIN,
    OPEN,
    SCORE,
    SHARE,
    Ratios,
    Scale,
    estimate_differences,
    estimate_ratios,
    resample,
)
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.resamples import round_to_grid, sum_columns
from ircore.results.tables.catalogue import TABLES, TableQuestion
from ircore.results.tables.formats import format_json

GAME = load_game("reconstruction")
ENDS = [outcome.name for outcome in GAME.outcomes]


T = TypeVar("T")


def uneven(run: InventedRun) -> InventedRun:
    """The same run with values that binary fractions do not hold, such as 7.1, so that every sum is rounded."""
    scores = tuple(
        score.model_copy(update={"value": min(10.0, score.value + 0.1)})
        if score.task == "similarity" and score.value
        else score
        for score in run.given
    )
    return replace(run, given=scores)


@pytest.fixture(scope="module")
def runs() -> list[InventedRun]:
    """Three pairs, one of them under two budgets; three judges of whom one rated only some runs; three people."""
    made = invented_set(3, ("geometry", "photos"))
    base = [
        talking(invented_run(made, item, other, 4.3 + at, 0.3))
        for at, (item, other) in enumerate((("a", "x"), ("a", "y"), ("b", "x")))
    ]
    base.append(under_budget(base[0], 50))
    for name, annotator in (("eye", None), ("human", "ann"), ("human", "bea"), ("human", "cid")):
        base = [judged_also(run, name, -0.5, 1.2, annotator) for run in base]
    base[:2] = [judged_also(run, "ear", 0.7, 0.8) for run in base[:2]]
    return [uneven(preferring(run)) for run in base]


def shuffled(runs: list[InventedRun], seed: int) -> list[InventedRun]:
    """The same runs in another order, each with its episodes and its scores in another order."""
    random = Random(seed)
    mixed = [
        replace(
            run,
            played=tuple(random.sample(run.played, len(run.played))),
            given=tuple(random.sample(run.given, len(run.given))),
        )
        for run in runs
    ]
    return _mixed(mixed, random)


def _mixed(things: Sequence[T], random: Random) -> list[T]:
    return random.sample(things, len(things))


def documents(results: Results) -> dict[str, str]:
    """Every table of runs, in full precision, for every judge."""
    return {
        f"{name} {judge}": format_json(entry.table(results, TableQuestion(judge)))
        for name, entry in TABLES.items()
        if entry.of_runs
        for judge in (results.judges if entry.of_judge else results.judges[:1])
    }


@pytest.mark.slow
def test_every_table_is_the_same_whatever_order_things_come_in(runs: list[InventedRun]) -> None:
    usual = documents(Results.from_runs(runs))
    mixed = documents(Results.from_runs(shuffled(runs, seed=1)))
    assert [name for name in usual if usual[name] != mixed[name]] == []


@pytest.mark.slow
def test_a_cell_is_the_same_whoever_else_judged(runs: list[InventedRun]) -> None:
    """The site computes a run by the judges that rated it, results by all judges, a release by those that are new."""
    run = runs[0]
    results = judge_episodes(GAME, run.run.run_id, run.run.slug, run.played, run.given)
    judges = ("ear", "eye", "human", "structural")
    together = run_cells(run.instances.instances, run.run.run_id, results, dict.fromkeys(judges), {}, ENDS)
    for some in (*permutations(judges, 1), *permutations(judges, 3), (*judges, *(f"nobody-{at}" for at in range(20)))):
        alone = run_cells(run.instances.instances, run.run.run_id, results, dict.fromkeys(some), {}, ENDS)
        assert {key: cell for key, cell in alone.items() if key[-1] in judges} == {
            key: cell for key, cell in together.items() if key[-1] in some
        }


def estimates_in(document: str) -> Iterator[tuple[str, float, int, float | None, float | None]]:
    """Yield run, mean, n and ends of every estimate in a table."""
    for row in json.loads(document)["rows"]:
        for entry in row.values():
            if isinstance(entry, dict) and "mean" in entry and entry["mean"] is not None and "other_run_id" not in row:
                yield row.get("run_id", ""), entry["mean"], entry["n"], entry["low"], entry["high"]


@pytest.mark.slow
def test_a_mean_has_the_same_interval_in_every_table() -> None:
    """Two conditions of six pictures each, so that intervals are stratified wherever they are computed."""
    made = invented_set(6, ("geometry",))
    pairs = [talking(invented_run(made, "a", generator, 4.3 + at, 0.31)) for at, generator in enumerate("xy")]
    results = Results.from_runs([preferring(judged_also(run, "eye", -0.57, 1.23)) for run in pairs])
    of_cells = {
        (cell.run_id, round(estimate.mean, 9), estimate.n): estimate
        for cell in results.cells.values()
        # Means of whole numbers, which other judges give, may be equal by chance.
        if cell.judge == "structural"
        for estimate in (cell.score, cell.main)
        if estimate.mean is not None
    }
    compared = set()
    for name, document in documents(results).items():
        for run, mean, n, low, high in estimates_in(document):
            if (run, round(mean, 9), n) in of_cells:
                cell = of_cells[run, round(mean, 9), n]
                assert (low, high) == pytest.approx((cell.low, cell.high)), (name, run, mean)
                compared.add(name.partition(" ")[0])
    assert {"board", "leaderboard", "by_turn", "normalised", "trajectories"} <= compared


@pytest.mark.slow
def test_sums_of_columns_are_the_nearest_numbers_to_the_true_sums() -> None:
    values = np.array([[1e16, 0.1], [1.0, 0.2], [-1e16, 0.3]])
    assert sum_columns(values).tolist() == [1.0, 0.6]
    assert sum_columns(np.empty((0, 2))).tolist() == [0.0, 0.0]


@pytest.mark.slow
def test_values_on_a_grid_add_up_exactly_in_any_order() -> None:
    random = np.random.default_rng(4)
    values = random.normal(0, [1e-9, 1.0, 1e6, 0.0], (140, 4))
    kept = round_to_grid(values, 140)
    assert np.allclose(kept, values, rtol=0, atol=140 * np.abs(values).max(axis=0) * 2**-51)
    for column in kept.T:
        drawn = random.choice(column, 140)
        in_turn = 0.0
        for value in random.permutation(drawn):
            in_turn += float(value)
        assert in_turn == math.fsum(drawn)


@pytest.mark.slow
def test_an_interval_does_not_depend_on_the_columns_beside_it() -> None:
    values = np.random.default_rng(5).uniform(0, 10, (30, 40)).round(1)
    drawn = resample(["all"] * 30)
    together = estimate_ratios(Ratios.means(values), drawn, SCORE)
    alone = [estimate_ratios(Ratios.means(values[:, [at]]), drawn, SCORE)[0] for at in range(40)]
    assert alone == together
    assert estimate_ratios(Ratios.means(values[:, ::-1]), drawn, SCORE)[::-1] == together


NAN = float("nan")


def interval(values: list[float], scale: Scale = SCORE) -> Estimate:
    (result,) = estimate_ratios(Ratios.means(np.array(values)[:, None]), resample(["all"] * len(values)), scale)
    return result


def coverage(intervals: list[Estimate], truth: float) -> float:
    return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in intervals]))


def test_none_one_and_two_values() -> None:
    assert interval([NAN, NAN, NAN]) == Estimate(None, None, None, 0)
    assert interval([NAN, 4, NAN]) == Estimate(4, None, None, 1)
    assert interval([3, 9, NAN]).n == 2


def test_columns_are_the_same_as_single_means() -> None:
    """One mean of the same values has one interval, however it is computed."""
    rng = np.random.default_rng(5)
    labels = ["easy"] * 12 + ["hard"] * 9 + ["odd"] * 8
    values = np.concatenate([rng.normal(level, 1.5, (size, 6)) for level, size in ((8, 12), (5, 9), (9, 8))]).clip(
        0, 10
    )
    values[rng.random(values.shape) < 0.2] = np.nan
    values[14:, 0] = np.nan  # two of "hard" are left, too few for strata
    values[:, 1], values[:, 2] = 9.0, np.where(values[:, 2] > 7, 10, 0)
    for column, of_column in zip(values.T, estimate_ratios(Ratios.means(values), resample(labels), SCORE), strict=True):
        alone = estimate([None if np.isnan(value) else value for value in column.tolist()], SCORE, labels)
        assert (alone.mean, alone.low, alone.high) == pytest.approx((of_column.mean, of_column.low, of_column.high))
        assert alone.n == of_column.n


def test_strata_take_the_difference_between_conditions_out() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(level, 0.5, 10) for level in (2, 5, 8)])[:, None]
    labels = [name for name in "abc" for _ in range(10)]
    apart, together = (
        estimate_ratios(Ratios.means(values), resample(names), OPEN)[0] for names in (labels, ["all"] * 30)
    )
    assert apart.half_width is not None
    # Stratified standard error: √(mean of the variances within / 30), here with 27 degrees of freedom.
    within = np.mean([values[start : start + 10].var(ddof=1) for start in (0, 10, 20)])
    assert apart.half_width == pytest.approx(stats.t.ppf(0.975, 27) * (within / 30) ** 0.5, rel=0.1)
    assert known(together.half_width) > 3 * apart.half_width


def test_rates_are_ratios_of_sums() -> None:
    over, messages = np.array([[1.0], [0], [2], [0], [0], [1]]), np.array([[2.0], [1], [4], [3], [5], [5]])
    (result,) = estimate_ratios(Ratios(over, messages), resample(["all"] * 6), SHARE)
    assert (result.mean, result.n) == (0.2, 6)
    assert 0 <= known(result.low) < 0.2 < known(result.high) < 0.6


def test_main_scores_carry_the_doubt_of_quality_and_of_the_played_share() -> None:
    rng = np.random.default_rng(1)
    played = rng.random(140) < 0.8
    scores = rng.normal(60, 15, 140).clip(0, 100)
    (main,) = estimate_ratios(Ratios.means(np.where(played, scores, 0)[:, None]), resample(["all"] * 140), MAIN)
    # Delta method for mean score × played share: σ² = (p s)² / n p + (m² p (1 − p)) / n.
    p, m, s = played.mean(), scores[played].mean(), scores[played].std(ddof=1)
    sigma = ((p * s) ** 2 / (140 * p) + m**2 * p * (1 - p) / 140) ** 0.5
    assert main.mean == pytest.approx(m * p)
    assert main.half_width == pytest.approx(1.98 * sigma, rel=0.08)


def test_a_pair_that_hardly_ever_plays_cannot_have_a_high_main_score() -> None:
    """Seven of 140 played: whatever is unseen of their quality, it counts for a twentieth."""
    values = np.where(np.arange(140) % 20 == 0, 40.0 + np.arange(140) / 10, 0)
    (main,) = estimate_ratios(Ratios.means(values[:, None]), resample(["all"] * 140), MAIN)
    assert main.mean == pytest.approx(46 / 20)
    # Were all of them perfect: the upper end of Wilson's interval of 7 in 140, as a share of 100.
    assert 46 / 20 < known(main.high) < 100 * 0.0996


def test_a_difference_knows_what_its_means_do_not_show() -> None:
    """Neither failed on twenty pictures: a hidden failure of one in twenty, half a point, cannot be excluded."""
    rng = np.random.default_rng(2)
    first, second = rng.uniform(9, 10, (20, 1)), rng.uniform(9, 10, (20, 1))
    (apart,) = estimate_differences(first - second, first, resample(["all"] * 20), SCORE, DIFFERENCE)
    assert known(apart.low) < -0.5
    assert known(apart.high) > 0.5
    # In the middle of the scale it is about Student's: nothing speaks for heaps at the ends.
    (middle,) = estimate_differences(first - second, first - 5, resample(["all"] * 20), SCORE, DIFFERENCE)
    assert known(middle.half_width) < 1.5 * stats.t.ppf(0.975, 19) * float(stats.sem((first - second).ravel()))


def test_differences_are_of_instances_that_have_both() -> None:
    first = np.array([5.0, 6, 7, 4, 8, 9, NAN, 3])[:, None]
    second = np.array([4.0, 4, 7, 5, 6, 7, 2, NAN])[:, None]
    (apart,) = estimate_differences(first - second, first, resample(["all"] * 8), SCORE, DIFFERENCE)
    (turned,) = estimate_differences(second - first, second, resample(["all"] * 8), SCORE, DIFFERENCE)
    assert (apart.mean, apart.n) == (1, 6)
    assert (apart.low, apart.high) == pytest.approx((-known(turned.high), -known(turned.low)))


SHAPES: dict[str, list[float]] = {
    "strong pair": [0.5, 1, 2, 3, 5, 8, 12, 17, 27, 20, 4.5],
    "near the top": [0.5, 0.5, 1, 1, 1, 2, 3, 5, 12, 34, 40],
    "two heaps": [3, 5, 10, 10, 5, 3, 4, 10, 30, 17, 3],
    "9 or 10, but for failures": [5, 0, 0, 0, 0, 0, 0, 0, 0, 47.5, 47.5],
    "all right, but for failures": [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 97],
    "even": [1] * 11,
}
"""Share of episodes in percent that get each score 0–10."""


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("size", "strata"),
    [(5, 1), (14, 1), pytest.param(42, 1, marks=pytest.mark.slow), pytest.param(10, 14, marks=pytest.mark.slow)],
)
def test_intervals_cover(shape: str, size: int, strata: int) -> None:
    rng = np.random.default_rng(0)
    odds = np.array(SHAPES[shape]) / sum(SHAPES[shape])
    values = rng.choice(np.arange(11.0), (size * strata, 2000), p=odds)
    drawn = resample([str(index % strata) for index in range(size * strata)])
    covered = coverage(estimate_ratios(Ratios.means(values), drawn, SCORE), float(odds @ np.arange(11)))
    assert covered >= 0.92  # 93 %, and what chance does to 2,000 trials


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 14, 42])
def test_intervals_of_differences_cover(size: int) -> None:
    # One pair fails on every twentieth picture, the other never does; both have 9 to 10 otherwise.
    rng = np.random.default_rng(0)
    first = rng.uniform(9, 10, (size, 2000)) * (rng.random((size, 2000)) < 0.95)
    second = rng.uniform(9, 10, (size, 2000))
    drawn = resample(["all"] * size)
    assert coverage(estimate_differences(first - second, first, drawn, SCORE, DIFFERENCE), -0.475) >= 0.92
