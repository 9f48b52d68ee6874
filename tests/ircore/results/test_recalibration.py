"""Monotone maps from a judge's scale to the humans', and what they leave unsure."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit

from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.monotone import GRID, MAPS, isotonic, linear, logistic
from ircore.results.statistics.recalibration import Refusal, recalibrate

pytestmark = pytest.mark.slow

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


def test_isotonic_fit_is_scipys() -> None:
    rng = np.random.default_rng(0)
    levels = np.arange(11.0)
    counts = rng.integers(1, 5, (20, 11)).astype(float)
    values = rng.uniform(0, 10, (20, 11))
    curves = isotonic(levels, counts, counts * values)
    for curve, row, weights in zip(curves, values, counts, strict=True):
        assert curve[::10] == pytest.approx(isotonic_regression(row, weights=weights).x)


def test_linear_fit_worked_by_hand() -> None:
    # Through (2, 3), (4, 5), (6, 7): y = 1 + x, cut off at 10. Falling values: the best line of slope ≥ 0 is level.
    levels, ones = np.array([2.0, 4, 6]), np.ones((2, 3))
    rising, falling = linear(levels, ones, np.array([[3.0, 5, 7], [7, 5, 3]]))
    assert rising[[0, 50, 95]] == pytest.approx([1, 6, 10])
    assert falling == pytest.approx(5)


def test_logistic_fit_has_the_largest_quasi_likelihood() -> None:
    rng = np.random.default_rng(1)
    levels, counts = np.arange(11.0), rng.integers(1, 9, 11).astype(float)
    shares = np.clip(expit(0.6 * (levels - 5)) + rng.normal(0, 0.05, 11), 0, 1)

    def loss(at: Floats) -> float:
        eta = at[0] + at[1] * levels
        return float(-(counts * (shares * eta - np.logaddexp(0, eta))).sum())

    best = minimize(loss, [0, 0.1], method="BFGS", options={"gtol": 1e-9}).x
    curve = logistic(levels, counts[None], (10 * counts * shares)[None])[0]
    assert curve == pytest.approx(10 * expit(best[0] + best[1] * GRID), abs=1e-4)


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


def test_simpler_maps_are_taken_unless_others_are_clearly_better() -> None:
    fit = fitted(np.random.default_rng(5), line)
    assert [candidate.name for candidate in fit.candidates] == ["linear", "logistic", "isotonic"]
    chosen = next(candidate for candidate in fit.candidates if candidate.name == fit.method)
    assert chosen.excess <= chosen.excess_error or chosen.excess == 0
    assert all(candidate.excess >= 0 for candidate in fit.candidates)


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


def test_band_surrounds_the_map_and_ends_where_the_judge_does() -> None:
    fit = fitted(np.random.default_rng(7), s_curve)
    points = fit.map()
    assert (points[0].judge, points[-1].judge) == pytest.approx(fit.range)
    assert all(point.low - 0.3 <= point.human <= point.high + 0.3 for point in points)
    assert np.mean([point.low <= point.human <= point.high for point in points]) > 0.95


def test_beyond_the_judged_range_the_map_is_level_and_says_so() -> None:
    judge = np.tile(np.arange(3.0, 8.0), 12)
    adjusted = recalibrate(judge, judge - 1, np.arange(60), fitted_for="judge", groups=["photos"], resamples=100)
    assert isinstance(adjusted, Recalibration)
    mapped, outside = adjusted.apply([0, 3, 5, 7, 10])
    assert mapped == pytest.approx([2, 2, 4, 6, 6])
    assert outside.tolist() == [True, False, False, False, True]
    assert adjusted.mean([2, 4, 9, 5, 5]).outside == 2
    assert (adjusted.fitted_for, adjusted.groups) == ("judge", frozenset({"photos"}))


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


def test_the_doubt_about_the_map_is_in_every_interval() -> None:
    rng = np.random.default_rng(9)
    scores = rng.normal(6, 1.5, 2000).clip(0, 10)
    few, many = (fitted(rng, line, instances).mean(scores) for instances in (12, 300))
    # 2000 scores leave hardly any doubt of their own: what remains is the map's.
    assert few.low is not None
    assert few.high is not None
    assert many.low is not None
    assert many.high is not None
    assert few.high - few.low > 2 * (many.high - many.low)
    assert few.high - few.low > 4 * 1.96 * 0.7 * scores.std() / np.sqrt(2000)


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
        assert cell.low is not None
        assert cell.high is not None
        hits += cell.low <= float(np.mean(line(scores))) + taste[-1] <= cell.high
    assert hits / studies >= 0.9


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


def test_what_differs_between_conditions_by_design_is_no_doubt() -> None:
    fit = fitted(np.random.default_rng(15), line, 300)
    scores = np.concatenate([np.tile([2.0, 3], 10), np.tile([8.0, 9], 10)])
    members = np.ones((40, 1), bool)
    (mixed,) = fit.cells(scores, members, ["all"] * 40)
    (designed,) = fit.cells(scores, members, ["hard"] * 20 + ["easy"] * 20)
    assert designed.value == mixed.value
    assert mixed.low is not None
    assert mixed.high is not None
    assert designed.low is not None
    assert designed.high is not None
    assert designed.high - designed.low < (mixed.high - mixed.low) / 2
