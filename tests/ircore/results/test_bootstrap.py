"""Intervals by bootstrap: against scipy, by simulation, and where there is little or nothing to go by."""

import numpy as np
import pytest
from scipy import stats

from ircore.results.statistics.bootstrap import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    SCORE,
    SHARE,
    Method,
    Ratios,
    Scale,
    ratio_intervals,
    resample,
)
from ircore.results.statistics.intervals import Estimate

INF = float("inf")


def one(values: list[float], method: Method = "percentile", scale: Scale = SCORE) -> Estimate:
    drawn = resample(["all"] * len(values))
    (result,) = ratio_intervals(Ratios.means(np.array(values)[:, None]), drawn, scale, method)
    return result


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.slow
def test_many_values_agree_with_scipy(method: Method) -> None:
    # With 400 values the correction for few values is far below the error of the resampling.
    values = np.random.default_rng(3).gamma(2, 2, 400)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa" if method == "bca" else "percentile", rng=1
    ).confidence_interval
    ours = one(list(values), method, AMOUNT)
    assert ours.mean == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_ten_values_are_as_wide_as_students_t() -> None:
    # Symmetric, of normal shape: the widened percentile interval is Student's but for the lottery.
    values = stats.norm.ppf((np.arange(10) + 0.5) / 10)
    ours, t = one(list(values), scale=Scale(-INF, INF)), stats.t.interval(0.95, 9, 0, stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx(t, rel=0.06)


def test_few_values_are_students_t() -> None:
    t = stats.t.interval(0.95, 3, 5.5, stats.sem([4, 5, 6, 7]))
    ours = one([4, 5, 6, 7], scale=Scale(-INF, INF))
    assert (ours.low, ours.high) == pytest.approx(t)


def test_none_one_and_two_values() -> None:
    nan = float("nan")
    assert one([nan, nan, nan]) == Estimate(None, None, None, 0)
    assert one([nan, 4, nan]) == Estimate(4, None, None, 1)
    assert one([3, 9, nan]) == Estimate(6, 0, 10, 2)  # 6 ± 12.7 · 3 and the scale's ends


def test_equal_scores_still_leave_doubt() -> None:
    # By hand: σ² = 0.06 (9² + 1²) / 10, times 10/9; t(0.975, 9) = 2.262; centre moved by 0.06 (1 − 9) / 10.12.
    each = one([9.0] * 10)
    half, shift = 2.262157 * (0.06 * 82 / 10 / 9) ** 0.5, -0.48 / 10.12
    assert (each.low, each.high) == pytest.approx((9 + shift - half, 9 + shift + half), abs=1e-5)
    assert one([7.0] * 10, scale=AMOUNT) == Estimate(7, None, None, 10)
    assert one([7.1] * 10, scale=AMOUNT).low is None


def test_strata_take_the_difference_between_conditions_out() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(level, 0.5, 10) for level in (2, 5, 8)])[:, None]
    labels = [name for name in "abc" for _ in range(10)]
    apart, together = (
        ratio_intervals(Ratios.means(values), resample(names), Scale(-INF, INF))[0] for names in (labels, ["all"] * 30)
    )
    assert apart.half_width is not None
    assert together.half_width is not None
    # Stratified standard error: √(mean of the variances within / 30), here with 27 degrees of freedom.
    within = np.mean([values[start : start + 10].var(ddof=1) for start in (0, 10, 20)])
    assert apart.half_width == pytest.approx(stats.t.ppf(0.975, 27) * (within / 30) ** 0.5, rel=0.1)
    assert together.half_width > 3 * apart.half_width


def test_strata_too_small_are_drawn_from_together() -> None:
    drawn = resample(["a", "a", "b", "b", "c", "c"], 100)
    assert set(drawn.strata) == {0}
    assert (drawn.sums(np.ones((6, 1))) == 6).all()


def test_every_stratum_keeps_its_size_and_its_draws_in_any_company() -> None:
    both, alone = resample(["a"] * 5 + ["b"] * 7, 200), resample(["b"] * 7, 200)
    assert (both.weights[:, :5].sum(axis=1) == 5).all()
    assert (both.weights[:, 5:] == alone.weights).all()


def test_rates_are_ratios_of_sums() -> None:
    over, messages = np.array([[1.0], [0], [2], [0], [0], [1]]), np.array([[2.0], [1], [4], [3], [5], [5]])
    (result,) = ratio_intervals(Ratios(over, messages), resample(["all"] * 6), SHARE)
    assert (result.mean, result.n) == (0.2, 6)
    assert result.low is not None
    assert result.high is not None
    assert 0 <= result.low < 0.2 < result.high < 0.6


def test_main_scores_carry_the_doubt_of_quality_and_of_the_played_share() -> None:
    rng = np.random.default_rng(1)
    played = rng.random(140) < 0.8
    scores = rng.normal(60, 15, 140).clip(0, 100)
    (main,) = ratio_intervals(Ratios.means(np.where(played, scores, 0)[:, None]), resample(["all"] * 140), MAIN)
    # Delta method for mean score × played share: σ² = (p s)² / n p + (m² p (1 − p)) / n.
    p, m, s = played.mean(), scores[played].mean(), scores[played].std(ddof=1)
    sigma = ((p * s) ** 2 / (140 * p) + m**2 * p * (1 - p) / 140) ** 0.5
    assert main.mean == pytest.approx(m * p)
    assert main.half_width == pytest.approx(1.98 * sigma, rel=0.08)


def test_a_pair_that_hardly_ever_plays_cannot_have_a_high_main_score() -> None:
    """Seven of 140 played: whatever is unseen of their quality, it counts for a twentieth."""
    values = np.where(np.arange(140) % 20 == 0, 40.0 + np.arange(140) / 10, 0)
    (main,) = ratio_intervals(Ratios.means(values[:, None]), resample(["all"] * 140), MAIN)
    assert main.mean == pytest.approx(46 / 20)
    assert main.high is not None
    # Were all of them perfect: the upper end of Wilson's interval of 7 in 140, as a share of 100.
    assert 46 / 20 < main.high < 100 * 0.0996


SHAPES: dict[str, list[float]] = {
    "strong pair": [0.5, 1, 2, 3, 5, 8, 12, 17, 27, 20, 4.5],
    "near the top": [0.5, 0.5, 1, 1, 1, 2, 3, 5, 12, 34, 40],
    "two heaps": [3, 5, 10, 10, 5, 3, 4, 10, 30, 17, 3],
}
"""Share of episodes in percent that get each score 0–10."""


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("size", "strata"), [(10, 1), (10, 14)])
def test_intervals_cover(shape: str, size: int, strata: int) -> None:
    rng = np.random.default_rng(0)
    odds = np.array(SHAPES[shape]) / sum(SHAPES[shape])
    values = rng.choice(np.arange(11.0), (size * strata, 2000), p=odds)
    values[rng.random(values.shape) < 0.05] = np.nan
    drawn = resample([str(index % strata) for index in range(size * strata)], 2000)
    intervals = ratio_intervals(Ratios.means(values), drawn, SCORE)
    truth = odds @ np.arange(11)
    held = np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in intervals])
    assert 0.925 <= held <= 0.975  # 93–97 %, and what chance does to 2,000 trials


@pytest.mark.slow
def test_intervals_of_differences_cover() -> None:
    # ΔQ of integer scores: four in ten stay, some lose much.
    rng = np.random.default_rng(0)
    steps, odds = [-7.0, -5, -2, -1, 0, 1, 2, 3, 4], np.array([3, 3, 6, 13, 45, 18, 8, 3, 1]) / 100
    values = rng.choice(steps, (10, 2000), p=odds)
    intervals = ratio_intervals(Ratios.means(values), resample(["all"] * 10, 2000), DIFFERENCE)
    held = np.mean([e.low is not None and e.high is not None and e.low <= odds @ steps <= e.high for e in intervals])
    assert 0.925 <= held <= 0.975
