"""A mean and its interval."""

import numpy as np
import pytest
from scipy import stats

from ircore.results.statistics.intervals import Estimate, clear_of, clustered_share, estimate, wilson
from ircore.results.statistics.scales import AMOUNT, SCORE, Scale


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
    assert estimate([0, 10], SCORE) == Estimate(5, 0, 10, 2)
    upper = estimate([9, 9.5, 10], Scale(0.0, 10.0, 0.0))
    assert upper.high == 10
    assert upper.half_width == pytest.approx(4.302653 * 0.5 / 3**0.5, abs=1e-6)


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert estimate([4.5]) == Estimate(4.5, None, None, 1)
    assert estimate([]) == Estimate(None, None, None, 0)
    assert estimate([4.5]).half_width is None


def test_equal_values_leave_doubt_as_they_do_on_boards() -> None:
    # By hand: σ² = 0.06 (9² + 1²) / 3, times 3/2; t(0.975, 2) = 4.302653; centre moved by 0.06 (10 − 18) / 3.12.
    upper = estimate([9.0, 9.0, 9.0], SCORE)
    half, shift = 4.302653 * (0.06 * 82 / 3 / 2) ** 0.5, -0.48 / 3.12
    assert upper.low == pytest.approx(9 + shift - half, abs=1e-5)
    assert estimate([7.0, 7.0, 7.0], AMOUNT) == Estimate(7, None, None, 3)


@pytest.mark.parametrize("values", [(4.0, 6.0, 6.5), (2.0, 4.0, 7.0, 7.5, 8.0)])
def test_three_and_five_values_are_scipys_student(values: tuple[float, ...]) -> None:
    expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    estimated = estimate(values)
    assert (estimated.low, estimated.high) == pytest.approx(expected)


def test_nothing_is_claimed_below_five_pictures() -> None:
    assert [clear_of(Estimate(6, 5.5, 6.5, n), 5) for n in (2, 4, 5, 140)] == [0, 0, 1, 1]
    assert [clear_of(Estimate(6, 5.5, 6.5, n), 7) for n in (4, 5)] == [0, -1]
    assert clear_of(Estimate(6, 4.5, 7.5, 140), 5) == 0
    assert clear_of(Estimate(6, None, None, 140), 5) == 0


def test_answers_about_one_picture_are_no_independent_tries() -> None:
    """Ten pictures, ten runs each, all runs alike: as sure as ten answers, not as a hundred."""
    half = clustered_share([10, 0] * 5, [10] * 10).half_width
    assert half == pytest.approx(2.262157 * (0.25 * 10 / 9 / 10) ** 0.5, rel=0.02)
    assert clustered_share([1, 0, 0, 1, 0], [1] * 5) == wilson(2, 5)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3: the score interval without correction.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_as_published(successes: int, n: int, low: float, high: float) -> None:
    bounds = wilson(successes, n)
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_the_ends() -> None:
    assert wilson(0, 0) == Estimate(None, None, None, 0)
    assert wilson(7, 7).high == 1
    assert wilson(0, 1).low == 0
    assert wilson(2.5, 5).mean == 0.5
