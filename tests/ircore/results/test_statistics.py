"""A mean and its interval."""

import pytest

from ircore.results.statistics.intervals import Estimate, estimate, wilson


def test_interval_is_students_t() -> None:
    # mean 3, s = √2.5, t(0.975, 4) = 2.776445: half width 2.776445 · 1.581139 / √5
    found = estimate([1, 2, 3, 4, 5])
    assert (found.mean, found.n) == (3, 5)
    assert found.half_width == pytest.approx(1.963243, abs=1e-6)
    assert found.low == pytest.approx(1.036757, abs=1e-6)
    assert found.high == pytest.approx(4.963243, abs=1e-6)


def test_sampling_noise_of_ten_and_of_a_hundred_and_forty_episodes() -> None:
    # For a standard deviation of 1.5 the half widths are 1.07 and 0.25.
    def spread(n: int) -> float | None:
        raw = [1.0 if index % 2 else -1.0 for index in range(n)]
        scale = 1.5 * ((n - 1) / n) ** 0.5
        return estimate([5 + scale * value for value in raw]).half_width

    assert spread(10) == pytest.approx(1.07, abs=0.005)
    assert spread(140) == pytest.approx(0.25, abs=0.005)


def test_interval_ends_where_the_scale_ends() -> None:
    assert estimate([0, 10], 0.0, 10.0) == Estimate(5, 0, 10, 2)
    upper = estimate([9, 9.5, 10], 0.0, 10.0)
    assert upper.high == 10
    assert upper.half_width == pytest.approx(4.302653 * 0.5 / 3**0.5, abs=1e-6)


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert estimate([4.5]) == Estimate(4.5, None, None, 1)
    assert estimate([]) == Estimate(None, None, None, 0)
    assert estimate([4.5]).half_width is None


def test_equal_values_leave_no_doubt() -> None:
    assert estimate([7.0, 7.0, 7.0]) == Estimate(7, 7, 7, 3)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3: the score interval without correction.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_as_published(successes: int, n: int, low: float, high: float) -> None:
    found = wilson(successes, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_the_ends() -> None:
    assert wilson(0, 0) == Estimate(None, None, None, 0)
    assert wilson(7, 7).high == 1
    assert wilson(0, 1).low == 0
    assert wilson(2.5, 5).mean == 0.5
