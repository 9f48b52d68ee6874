"""Do ranks hold under other choices of scoring? Invented boards whose answer is known, and scores worked by hand."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from charts import chart_instances
from invented import InventedRun, invented_run, invented_set
from known_values import known
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit

from ircore.commands.main import run as ircore
from ircore.results.arrays import estimate_target_mean
from ircore.results.model import Results
from ircore.results.statistics.calibration_map import GRID, MAPS, Recalibration, fit_isotonic, fit_linear, fit_logistic
from ircore.results.statistics.intervals import (
    AMOUNT,
    DIFFERENCE,
    SCORE,
    SHARE,
    Estimate,
    clear_of,
    estimate,
    estimate_all,
    estimate_clustered_share,
    estimate_share,
)
from ircore.results.statistics.recalibration import Refusal, recalibrate
from ircore.results.tables.fact_tables import episode_facts_table
from ircore.results.tables.model import Table
from ircore.results.tables.sensitivity import sensitivity_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs


def rated(skills: dict[str, dict[str, float]], categories: tuple[str, ...] = ("geometry",)) -> Results:
    """Results of a describer each, whose final renderings each judge gives so much, a tenth more or less by target."""
    instances = invented_set(6, categories)
    return Results.from_runs([one_run(instances, name, by_judge) for name, by_judge in skills.items()])


def one_run(instances: object, name: str, by_judge: dict[str, float]) -> InventedRun:
    run = invented_run(instances, name, "painter", 5.0, 0.0)  # type: ignore[arg-type]
    whole = tuple(e.model_copy(update={"outcome": "turn_limit", "abort_reason": None}) for e in run.played)
    scores = tuple(
        score.model_copy(update={"by": judge, "value": value + (sum(map(ord, score.episode_id)) % 5 - 2) / 10})
        for judge, value in by_judge.items()
        for score in run.given
    )
    return replace(run, played=whole, given=scores)


def rows(table: Table, variation: str) -> dict[str, tuple[object, object, object]]:
    """Rank, rank on the board and whether it clearly moved, by describer."""
    keys = ("variation", "describer", "rank", "board_rank", "moved")
    every = zip(*([value.value for value in table.column(key)] for key in keys), strict=True)
    return {str(describer): (rank, board, moved) for name, describer, rank, board, moved in every if name == variation}


@pytest.mark.slow
def test_a_judge_that_turns_two_pairs_round_is_said_to_and_one_that_agrees_is_not() -> None:
    skills = {"seer": {"a": 8.0, "b": 8.5, "c": 4.0}, "poet": {"a": 5.0, "b": 6.0, "c": 7.0}}
    table = sensitivity_table(rated(skills))
    assert rows(table, "judge b") == {"seer": ("1", "1", "no"), "poet": ("2", "2", "no")}
    assert rows(table, "judge c") == {"seer": ("2", "1", "down"), "poet": ("1", "2", "up")}
    assert table.notes == (
        "Judge b: of 1 couples that the ranges on the board keep apart, 0 are turned round and 0 no longer kept apart; "
        "0 more are.",
        "Judge c: of 1 couples that the ranges on the board keep apart, 1 is turned round and 0 no longer kept apart; "
        "0 more are.",
    )


@pytest.mark.slow
def test_pairs_that_only_photographs_keep_apart_are_not_kept_apart_without_them() -> None:
    instances = invented_set(6, ("geometry", "photos"))

    def on_photos(run: InventedRun, more: float) -> InventedRun:
        return replace(
            run,
            given=tuple(
                s.model_copy(update={"value": (s.value or 0) + more}) if s.episode_id.startswith("photos") else s
                for s in run.given
            ),
        )

    seer, poet = (one_run(instances, name, {"a": 5.0}) for name in ("seer", "poet"))
    table = sensitivity_table(Results.from_runs([on_photos(seer, 4.0), poet]))
    assert rows(table, "without photographs") == {"seer": ("1–2", "1", "no"), "poet": ("1–2", "2", "no")}
    assert "1 no longer kept apart" in table.notes[0]


@pytest.mark.slow
def test_facts_are_scored_by_other_weights_and_without_the_power(tmp_path: Path) -> None:
    charts, folder = chart_instances(tmp_path / "charts"), tmp_path / "run"
    pair = Path(__file__).parents[3] / "submissions" / "builtin-captioner-canvas"
    assert ircore(["play", str(pair), "--instances", str(charts.folder), "--out", str(folder)]) == 0
    run = RunFolder(folder)
    score_runs([run], ScoringPlan(metrics=()), workers=1)
    results = Results.from_runs([run])
    table = sensitivity_table(results)
    mains = dict(
        zip(
            (value.value for value in table.column("variation")),
            (float(value.value or 0) for value in table.column("main_score")),
            strict=True,
        )
    )
    for name, writing, power in (
        ("half the weight of writing", 0.5, 2 / 3),
        ("double the weight of writing", 2.0, 2 / 3),
        ("no power of what is missing", 1.0, 1.0),
    ):
        by_hand = [score_by_hand(results, instance.instance_id, writing, power) for instance in results.instances]
        assert mains[name] == pytest.approx(10 * sum(by_hand) / len(by_hand), abs=0.06)
    # With the weights and the power of the judge the same formula gives its own scores.
    own = [score_by_hand(results, instance.instance_id, 1.0, 2 / 3) for instance in results.instances]
    (final,) = (results.cell(run_id, "verified").main.mean for run_id in results.episodes)
    assert final == pytest.approx(10 * sum(own) / len(own), abs=0.06)
    assert mains["no power of what is missing"] > (final or 0)


def score_by_hand(results: Results, episode: str, writing: float, power: float) -> float:
    """The score of an episode's last rendering from its table of facts, as docs/verification.md has the formula."""
    table = episode_facts_table(results, episode)
    columns = [column.key for column in table.columns]
    lines: list[dict[str, Any]] = [
        dict(zip(columns, (value.value for value in row), strict=True)) for row in table.rows
    ]
    last = [line for line in lines if line["turn"] == max(line["turn"] for line in lines)]
    facts = [line for line in last if line["attribute"] != "extra"]
    mark = {id(line): str(line["fact"]).rpartition("/")[0] for line in facts}
    written = {mark[id(line)] for line in facts if line["attribute"] == "text"}
    weights = {id(line): line["weight"] * (writing if mark[id(line)] in written else 1) for line in facts}
    scale = 100 / sum(weights.values())
    surplus = sum(line["weight"] for line in last if line["attribute"] == "extra")

    def sums(colours: bool) -> tuple[float, float]:
        own = [line for line in facts if (line["attribute"] in {"colour", "outline"}) is colours]
        whole = sum(scale * weights[id(line)] for line in own)
        return whole, sum(scale * weights[id(line)] * line["credit"] for line in own)

    (whole, right), (of_colours, right_colours) = sums(False), sums(True)
    wrong = (whole - right + surplus) / (whole + surplus)
    off = (of_colours - right_colours) / of_colours if of_colours else 0.0
    score: float = 10 * (1 - wrong**power) * (1 - 0.6 * off ** (2 / 3)) * (1 - last[0]["transform_cost"] / 10)
    return score


Floats = NDArray[np.float64]
True_ = Callable[[Floats], Floats]


def s_curve(x: Floats) -> Floats:
    return np.asarray(10 * expit(0.7 * (x - 6)))


def line(x: Floats) -> Floats:
    return 1 + 0.7 * x


def stairs(x: Floats) -> Floats:
    return np.where(x < 4, 2.0, np.where(x < 8, 5.0, 8.5))


def study(
    rng: np.random.Generator, true: True_, instances: int = 70, each: int = 4
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """A judge's whole scores, humans who scatter around the true map (by instance and by rating), the instances."""
    clusters = np.repeat(np.arange(instances), each)
    judge = np.clip(rng.normal(5.5, 2, instances)[clusters] + rng.normal(0, 1.5, len(clusters)), 0, 10).round()
    scatter = rng.normal(0, 0.4, instances)[clusters] + rng.normal(0, 0.8, len(clusters))
    return judge, np.clip(true(judge) + scatter, 0, 10), clusters


def fitted(rng: np.random.Generator, true: True_, instances: int = 70, each: int = 4) -> Recalibration:
    adjusted = recalibrate(*study(rng, true, instances, each), fitted_for="judge", resamples=400)
    assert isinstance(adjusted, Recalibration)
    return adjusted


@pytest.mark.slow
def test_isotonic_fit_is_scipys() -> None:
    rng = np.random.default_rng(0)
    levels = np.arange(11.0)
    counts = rng.integers(1, 5, (20, 11)).astype(float)
    values = rng.uniform(0, 10, (20, 11))
    curves = fit_isotonic(levels, counts, counts * values)
    for curve, row, weights in zip(curves, values, counts, strict=True):
        assert curve[::10] == pytest.approx(isotonic_regression(row, weights=weights).x)


@pytest.mark.slow
def test_linear_fit_worked_by_hand() -> None:
    # Through (2, 3), (4, 5), (6, 7): y = 1 + x, cut off at 10. Falling values: the best line of slope ≥ 0 is level.
    levels, ones = np.array([2.0, 4, 6]), np.ones((2, 3))
    rising, falling = fit_linear(levels, ones, np.array([[3.0, 5, 7], [7, 5, 3]]))
    assert rising[[0, 50, 95]] == pytest.approx([1, 6, 10])
    assert falling == pytest.approx(5)


@pytest.mark.slow
def test_logistic_fit_has_the_largest_quasi_likelihood() -> None:
    rng = np.random.default_rng(1)
    levels, counts = np.arange(11.0), rng.integers(1, 9, 11).astype(float)
    shares = np.clip(expit(0.6 * (levels - 5)) + rng.normal(0, 0.05, 11), 0, 1)

    def loss(at: Floats) -> float:
        eta = at[0] + at[1] * levels
        return float(-(counts * (shares * eta - np.logaddexp(0, eta))).sum())

    best = minimize(loss, [0, 0.1], method="BFGS", options={"gtol": 1e-9}).x
    curve = fit_logistic(levels, counts[None], (10 * counts * shares)[None])[0]
    assert curve == pytest.approx(10 * expit(best[0] + best[1] * GRID), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "logistic", "isotonic"])
def test_no_map_ever_falls_or_leaves_the_scale(name: str) -> None:
    rng = np.random.default_rng(2)
    levels = np.array([0.0, 1, 4, 4.5, 9, 10])
    counts = rng.integers(0, 3, (300, 6)).astype(float)
    counts[:, 2] += counts.sum(axis=1) == 0
    sums = counts * rng.choice([0.0, 10, 3], (300, 6))
    curves = next(fit for key, fit in MAPS.items() if key == name)(levels, counts, sums)
    assert (np.diff(curves, axis=1) >= -1e-9).all()
    assert curves.min() >= -1e-9
    assert curves.max() <= 10 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("true", "kind"), [(s_curve, "logistic"), (line, "linear"), (stairs, "isotonic")])
def test_a_known_map_is_recovered(true: True_, kind: str) -> None:
    rng = np.random.default_rng(3)
    fit = fitted(rng, true, instances=140, each=8)
    assert fit.method == kind
    scores = np.arange(2.0, 10.0)
    mapped, outside = fit.apply(scores)
    assert np.abs(mapped - true(scores)).max() < 0.35
    assert not outside.any()
    assert abs(fit.after.bias.mean or 0) < 0.1
    assert (fit.after.squared.mean or 9) < min(fit.before.squared.mean or 0, 1.0)


@pytest.mark.slow
def test_simpler_maps_are_taken_unless_others_are_clearly_better() -> None:
    fit = fitted(np.random.default_rng(5), line)
    assert [candidate.name for candidate in fit.candidates] == ["linear", "logistic", "isotonic"]
    chosen = next(candidate for candidate in fit.candidates if candidate.name == fit.method)
    assert chosen.excess <= chosen.excess_error or chosen.excess == 0
    assert all(candidate.excess >= 0 for candidate in fit.candidates)


@pytest.mark.slow
def test_cross_validation_never_sees_the_instance_it_predicts() -> None:
    # Whoever saw the instance could follow its one odd rating; who did not is off by all of it.
    judge = np.append(np.repeat(np.arange(1.0, 9.0), 5), [10.0] * 3)
    human = np.append(np.repeat(np.arange(1.0, 9.0), 5), [8.0] * 3)
    clusters = np.append(np.arange(40), [40] * 3)
    adjusted = recalibrate(judge, human, clusters, fitted_for="judge", resamples=50)
    assert isinstance(adjusted, Recalibration)
    isotonic_error = next(candidate.error for candidate in adjusted.candidates if candidate.name == "isotonic")
    assert isotonic_error < 0.5, "leaving 10 out, the map is level above 8, which is what humans said"
    linear_error = next(candidate.error for candidate in adjusted.candidates if candidate.name == "linear")
    assert linear_error >= np.sqrt(3 * 2.0**2 / 43) - 0.05, "without the last instance the line says 10"


@pytest.mark.slow
def test_band_surrounds_the_map_and_ends_where_the_judge_does() -> None:
    fit = fitted(np.random.default_rng(7), s_curve)
    points = fit.map()
    assert (points[0].judge, points[-1].judge) == pytest.approx(fit.range)
    assert all(point.low - 0.3 <= point.human <= point.high + 0.3 for point in points)
    assert np.mean([point.low <= point.human <= point.high for point in points]) > 0.95


@pytest.mark.slow
def test_beyond_the_judged_range_the_map_is_level_and_says_so() -> None:
    judge = np.tile(np.arange(3.0, 8.0), 12)
    adjusted = recalibrate(judge, judge - 1, np.arange(60), fitted_for="judge", groups=["photos"], resamples=100)
    assert isinstance(adjusted, Recalibration)
    mapped, outside = adjusted.apply([0, 3, 5, 7, 10])
    assert mapped == pytest.approx([2, 2, 4, 6, 6])
    assert outside.tolist() == [True, False, False, False, True]
    assert adjusted.mean([2, 4, 9, 5, 5]).outside == 2
    assert (adjusted.fitted_for, adjusted.groups) == ("judge", frozenset({"photos"}))


@pytest.mark.slow
def test_mean_of_a_cell_is_the_mean_of_its_mapped_scores() -> None:
    fit = fitted(np.random.default_rng(8), s_curve)
    scores = np.array([3.0, 5, 5, 6.5, 9, 7, 2, np.nan])
    cell = fit.mean(scores)
    assert cell.n == 7
    assert cell.value == pytest.approx(fit.apply(scores[:-1])[0].mean())
    members = np.ones((8, 2), bool)
    members[4:, 1] = False
    whole, part = fit.cells(scores, members, [""] * 8)
    assert whole.value == pytest.approx(cell.value)
    assert part.value == pytest.approx(fit.apply(scores[:4])[0].mean())
    assert part.n == 4


@pytest.mark.slow
def test_the_doubt_about_the_map_is_in_every_interval() -> None:
    rng = np.random.default_rng(9)
    scores = rng.normal(6, 1.5, 2000).clip(0, 10)
    few, many = (fitted(rng, line, instances).mean(scores) for instances in (12, 300))
    # 2000 scores leave hardly any doubt of their own: what remains is the map's.
    assert few.low is not None
    assert few.high is not None
    assert few.high - few.low > 2 * (known(many.high) - known(many.low))
    assert few.high - few.low > 4 * 1.96 * 0.7 * scores.std() / np.sqrt(2000)


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [2, 6])
def test_intervals_of_pairs_that_nobody_rated_cover(pairs: int) -> None:
    """People take to each pair differently, by a point or so: another pair's interval holds what they would say."""
    rng = np.random.default_rng(pairs)
    hits, studies = 0, 80
    for _ in range(studies):
        taste = rng.normal(0, 1, pairs + 1)
        judge, human, clusters = study(rng, line, 60, 4)
        made_by = rng.integers(0, pairs, len(judge))
        rated = np.clip(human + taste[made_by], 0, 10)
        names = [str(name) for name in made_by]
        adjusted = recalibrate(judge, rated, clusters, fitted_for="judge", pairs=names, resamples=200)
        assert isinstance(adjusted, Recalibration)
        scores = np.clip(rng.normal(5, 1.5, 42), 0, 10).round()
        cell = adjusted.mean(scores)
        hits += known(cell.low) <= float(np.mean(line(scores))) + taste[-1] <= known(cell.high)
    assert hits / studies >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "human", "clusters", "reason"),
    [
        (np.arange(20) % 10, np.arange(20) % 10, np.arange(20), "at least 30"),
        (np.arange(40) % 10, np.arange(40) % 10, np.arange(40) % 9, "at least 10"),
        (np.full(40, 5), np.arange(40) % 10, np.arange(40), "the judge gives everything the same score"),
        (np.arange(40) % 10, np.full(40, 5), np.arange(40), "humans give everything the same score"),
        (np.arange(40) % 10, 9 - np.arange(40) % 10, np.arange(40), "do not rise"),
        (np.full(40, np.nan), np.full(40, 5), np.arange(40), "0 renderings"),
        ([], [], [], "0 renderings"),
    ],
)
def test_refuses_with_a_reason(judge: Floats, human: Floats, clusters: Floats, reason: str) -> None:
    adjusted = recalibrate(judge, human, clusters, fitted_for="judge")
    assert isinstance(adjusted, Refusal)
    assert reason in adjusted.reason


@pytest.mark.slow
def test_what_differs_between_conditions_by_design_is_no_doubt() -> None:
    fit = fitted(np.random.default_rng(15), line, 300)
    scores = np.concatenate([np.tile([2.0, 3], 10), np.tile([8.0, 9], 10)])
    members = np.ones((40, 1), bool)
    (mixed,) = fit.cells(scores, members, ["all"] * 40)
    (designed,) = fit.cells(scores, members, ["hard"] * 20 + ["easy"] * 20)
    assert designed.value == mixed.value
    assert known(designed.high) - known(designed.low) < (known(mixed.high) - known(mixed.low)) / 2


def test_interval_is_students_t() -> None:
    # mean 3, s = √2.5, t(0.975, 4) = 2.776445: half width 2.776445 · 1.581139 / √5
    estimated = estimate([1, 2, 3, 4, 5])
    assert (estimated.mean, estimated.n) == (3, 5)
    assert estimated.half_width == pytest.approx(1.963243, abs=1e-6)
    assert estimated.low == pytest.approx(1.036757, abs=1e-6)
    assert estimated.high == pytest.approx(4.963243, abs=1e-6)


def test_interval_ends_where_the_scale_ends() -> None:
    # By Wilson's rule 1 of 2 is 0.0945 to 0.9055.
    both = estimate([0, 10], SCORE)
    assert (both.low, both.high) == pytest.approx((0.9453, 9.0547), abs=1e-4)
    upper = estimate([9, 9.5, 10], SCORE)
    assert known(upper.low) < 5
    assert upper.high == 10


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert estimate([4.5]) == Estimate(4.5, None, None, 1)
    assert estimate([]) == Estimate(None, None, None, 0)
    assert estimate([4.5]).half_width is None


def test_equal_values_leave_the_doubt_of_what_was_not_seen() -> None:
    # Without any spread only unseen values at the ends are in doubt. At 9 of 0–10 they weigh 0.1 + 0.9 · 0.8^1.5 =
    # 0.743988, and d / 10 = q · w · 0.9 / (1 + q · w) downwards with q = 3.841459 / 10; upwards 0.1 in place of 0.9.
    nines = estimate([9.0] * 10, SCORE)
    part = 0.3841459 * 0.743988
    assert (nines.low, nines.high) == pytest.approx((9 - 9 * part / (1 + part), 9 + part / (1 + part)), abs=1e-4)
    # In the middle they weigh 0.1: q · 0.1 · 0.5 / (1 + q · 0.1) = 0.0185 of the scale.
    fives = estimate([5.0] * 10, SCORE)
    assert (fives.low, fives.high) == pytest.approx((4.815, 5.185), abs=1e-3)
    assert estimate([7.0, 7.0, 7.0], AMOUNT) == Estimate(7, None, None, 3)
    assert estimate([7.1] * 10, AMOUNT).low is None


@pytest.mark.parametrize("values", [(4.0, 5.0, 6.0), (2.0, 4.0, 6.0, 8.0, 10.0)])
def test_even_values_without_ends_are_scipys_student(values: tuple[float, ...]) -> None:
    expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    estimated = estimate(values)
    assert (estimated.low, estimated.high) == pytest.approx(expected)


def test_amounts_reach_farther_to_the_side_of_their_longer_tail() -> None:
    tokens = estimate([20, 22, 25, 21, 90], AMOUNT)
    assert tokens.mean is not None
    assert known(tokens.high) - tokens.mean > 1.25 * (tokens.mean - known(tokens.low))


def test_conditions_are_strata_where_each_has_five_values() -> None:
    values = [1.0, 2, 3, 2, 2, 7, 8, 9, 8, 8]
    together, apart = estimate(values), estimate(values, labels=["easy"] * 5 + ["hard"] * 5)
    # Within either condition s² = 0.5; eight degrees of freedom.
    assert apart.half_width == pytest.approx(stats.t.ppf(0.975, 8) * (0.5 / 10) ** 0.5)
    assert together.half_width == pytest.approx(stats.t.ppf(0.975, 9) * stats.sem(values))
    assert estimate(values[1:], labels=["easy"] * 4 + ["hard"] * 5) == estimate(values[1:])


def test_the_order_of_values_and_their_direction_do_not_matter() -> None:
    values = [9.0, 10, 4, 8, 9.5, 0]
    forwards, turned = estimate(values, SCORE), estimate([10 - value for value in values], SCORE)
    assert estimate(values[::-1], SCORE) == forwards
    assert (10 - known(turned.high), 10 - known(turned.low)) == pytest.approx((forwards.low, forwards.high))
    assert estimate([value - 10 for value in values], DIFFERENCE).high is not None


def test_nothing_is_claimed_below_five_pictures() -> None:
    assert [clear_of(Estimate(6, 5.5, 6.5, n), 5) for n in (2, 4, 5, 140)] == [0, 0, 1, 1]
    assert [clear_of(Estimate(6, 5.5, 6.5, n), 7) for n in (4, 5)] == [0, -1]
    assert clear_of(Estimate(6, 4.5, 7.5, 140), 5) == 0
    assert clear_of(Estimate(6, None, None, 140), 5) == 0


def test_answers_about_one_picture_are_no_independent_tries() -> None:
    """Ten pictures, ten runs each, all runs alike: as sure as ten answers, not as a hundred."""
    alike = estimate_clustered_share([10, 0] * 5, [10] * 10)
    assert (alike.low, alike.high) == pytest.approx((0.2366, 0.7634), abs=5e-5)  # Wilson for 5 of 10
    assert estimate_clustered_share([1, 0, 0, 1, 0], [1] * 5) == estimate_share(2, 5)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3: the score interval without correction.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_shares_are_wilsons_as_published(successes: int, n: int, low: float, high: float) -> None:
    bounds = estimate_share(successes, n)
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("n", "low"), [(6, 0.610), (14, 0.785), (54, 0.934)])
def test_all_right_is_no_certainty(n: int, low: float) -> None:
    """Wilson's lower end, n / (n + 1.96²), in every way in which the project makes an interval of 0 and 1."""
    for estimated in (estimate_share(n, n), estimate([1.0] * n, SHARE), estimate_clustered_share([3] * n, [3] * n)):
        assert estimated.low == pytest.approx(low, abs=5e-4)
        assert estimated.high == 1


def test_the_near_end_of_a_share_is_clopper_and_pearsons() -> None:
    # Newcombe 1998, table I: Wilson has 0.0061 for 1 of 29, the exact method 0.0009.
    near = estimate_share(1, 29)
    assert (near.low, near.high) == pytest.approx((0.0009, 0.1718), abs=5e-5)
    exact = stats.binomtest(13, 14).proportion_ci(method="exact")
    assert estimate_share(13, 14).high == pytest.approx(exact.high)
    assert estimate([1.0] * 13 + [0.0], SHARE).high == pytest.approx(exact.high)


def held(successes: int, n: int, truth: float) -> bool:
    bounds = estimate_share(successes, n)
    return bounds.low is not None and bounds.high is not None and bounds.low <= truth <= bounds.high


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6, 10, 14, 20, 42, 54, 140])
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 0.999])
def test_intervals_of_shares_hold_exactly_computed(n: int, truth: float) -> None:
    """Not by simulation: the chance of each number of successes is known."""
    covered = sum(stats.binom.pmf(count, n, truth) for count in range(n + 1) if held(count, n, truth))
    assert covered >= 0.93


def test_means_estimated_together_are_those_estimated_one_by_one() -> None:
    columns: list[list[float | None]] = [[9.0, 9.5, 10.0], [], [4.5], [5.0] * 10, [0.1, None, 0.3, 7.0]]
    columns.append([*[1.0] * 13, 0.0])
    for scale in (SCORE, DIFFERENCE, AMOUNT):
        assert estimate_all(columns, scale) == [estimate(values, scale) for values in columns]
    assert estimate_all([[], []]) == [estimate([])] * 2
    assert estimate_all([]) == []


def test_a_group_without_any_target_has_no_mean() -> None:
    """As of a question about hard targets, where none of them has a score from every pair."""
    nothing = estimate_target_mean(np.empty((0, 1)), (), SCORE)
    assert (nothing.mean, nothing.low, nothing.high, nothing.n) == (None, None, None, 0)
