"""A mean and its interval."""

import numpy as np
import pytest
from known_values import known
from scipy import stats

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


def test_interval_is_students_t() -> None:
    # mean 3, s = √2.5, t(0.975, 4) = 2.776445: half width 2.776445 · 1.581139 / √5
    estimated = estimate([1, 2, 3, 4, 5])
    assert (estimated.mean, estimated.n) == (3, 5)
    assert estimated.half_width == pytest.approx(1.963243, abs=1e-6)
    assert estimated.low == pytest.approx(1.036757, abs=1e-6)
    assert estimated.high == pytest.approx(4.963243, abs=1e-6)


def test_sampling_noise_of_ten_and_of_a_hundred_and_forty_episodes() -> None:
    # For a standard deviation of 1.5 the half widths are 1.07 and 0.25.
    def spread(n: int) -> float | None:
        raw = [1.0 if index % 2 else -1.0 for index in range(n)]
        scale = 1.5 * ((n - 1) / n) ** 0.5
        return estimate([5 + scale * value for value in raw]).half_width

    assert spread(10) == pytest.approx(1.07, abs=0.005)
    assert spread(140) == pytest.approx(0.25, abs=0.005)


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
