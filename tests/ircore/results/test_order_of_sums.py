"""Numbers do not depend on the order in which runs, judges, episodes and scores come, to the last bit."""

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

from ircore.games.registry import load_game
from ircore.results.cells import run_cells
from ircore.results.episodes import judge_episodes
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import SCORE, Ratios, estimate_ratios, resample
from ircore.results.statistics.resamples import round_to_grid, sum_columns
from ircore.results.tables.catalogue import TABLES, Question
from ircore.results.tables.formats import format_json

GAME = load_game("reconstruction")
ENDS = [outcome.name for outcome in GAME.outcomes]

pytestmark = pytest.mark.slow

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
        f"{name} {judge}": format_json(entry.table(results, Question(judge)))
        for name, entry in TABLES.items()
        if entry.of_runs
        for judge in (results.judges if entry.of_judge else results.judges[:1])
    }


def test_every_table_is_the_same_whatever_order_things_come_in(runs: list[InventedRun]) -> None:
    usual = documents(Results.from_runs(runs))
    mixed = documents(Results.from_runs(shuffled(runs, seed=1)))
    assert [name for name in usual if usual[name] != mixed[name]] == []


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


def test_sums_of_columns_are_the_nearest_numbers_to_the_true_sums() -> None:
    values = np.array([[1e16, 0.1], [1.0, 0.2], [-1e16, 0.3]])
    assert sum_columns(values).tolist() == [1.0, 0.6]
    assert sum_columns(np.empty((0, 2))).tolist() == [0.0, 0.0]


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


def test_an_interval_does_not_depend_on_the_columns_beside_it() -> None:
    values = np.random.default_rng(5).uniform(0, 10, (30, 40)).round(1)
    drawn = resample(["all"] * 30)
    together = estimate_ratios(Ratios.means(values), drawn, SCORE)
    alone = [estimate_ratios(Ratios.means(values[:, [at]]), drawn, SCORE)[0] for at in range(40)]
    assert alone == together
    assert estimate_ratios(Ratios.means(values[:, ::-1]), drawn, SCORE)[::-1] == together
