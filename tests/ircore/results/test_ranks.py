"""Ranks and comparisons: hand-worked cases, ties, and by simulation how often every range on a board holds."""

import numpy as np
import pytest
from scipy import stats

from ircore.results.statistics.bootstrap import Ratios, resample
from ircore.results.statistics.comparison import compare
from ircore.results.statistics.ranks import RankRange, detectable, standing

NAN = float("nan")


def ranges(values: np.ndarray) -> list[tuple[int, int] | None]:
    found = standing(Ratios.means(values), resample(["all"] * len(values), 2_000)).ranges
    return [None if one is None else (one.best, one.worst) for one in found]


def levels(*means: float, instances: int = 20, noise: float = 0.5) -> np.ndarray:
    """Scores of pairs with these means, on instances of very different difficulty."""
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 2, (instances, 1))
    return np.asarray(np.array(means) + hard - hard.mean() + rng.normal(0, noise, (instances, len(means))))


def test_pairs_are_told_apart_on_the_same_instances_where_intervals_overlap() -> None:
    values = levels(6, 5)
    gap = stats.t.ppf(0.975, 19) * stats.sem(values)
    assert values[:, 0].mean() - gap[0] < values[:, 1].mean() + gap[1]
    assert ranges(values) == [(1, 1), (2, 2)]


def test_ties_look_like_ties() -> None:
    assert ranges(levels(6, 6.1, 3)) == [(1, 2), (1, 2), (3, 3)]
    assert ranges(np.tile(levels(5), 3)) == [(1, 3)] * 3


def test_top_group_is_whoever_may_be_first() -> None:
    found = standing(Ratios.means(levels(6, 6.1, 3)), resample(["all"] * 20, 2_000)).ranges
    assert [one is not None and one.top for one in found] == [True, True, False]
    assert RankRange(2, 3).top is False


def test_little_data() -> None:
    assert ranges(np.array([[9.0, 1.0, NAN]])) == [(1, 2), (1, 2), None]
    assert ranges(np.array([[9.0], [8.0]])) == [(1, 1)]
    assert ranges(np.full((3, 2), NAN)) == [None, None]
    assert standing(Ratios.means(np.full((3, 2), NAN)), resample(["all"] * 3, 100)).detectable is None
    # Nine points apart on each of ten instances is a difference, half a point on each of three is none.
    assert ranges(np.tile([9.5, 0.5], (10, 1))) == [(1, 1), (2, 2)]
    assert ranges(np.tile([9.5, 9.0], (3, 1))) == [(1, 2), (1, 2)]


def test_order_of_pairs_does_not_matter() -> None:
    values = levels(6, 5, 5.2, 4, 7)
    order = [3, 1, 4, 0, 2]
    assert ranges(values[:, order]) == [ranges(values)[index] for index in order]


@pytest.mark.parametrize("instances", [10, 140])
def test_every_range_of_a_board_holds_in_95_of_100_cases(instances: int) -> None:
    # Four pairs a point apart and four that are the same: integer scores, instances of different difficulty.
    rng = np.random.default_rng(1)
    truth = np.array([4, 5, 6, 7, 5.5, 5.5, 5.5, 5.5])
    best = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    worst = (truth[None, :] >= truth[:, None]).sum(axis=1)
    held, trials = 0, 150
    for seed in range(trials):
        values = truth + rng.normal(0, 1, (instances, 1)) + rng.normal(0, 1.4, (instances, 8))
        drawn = resample(["all"] * instances, 1_000, seed)
        found = standing(Ratios.means(values.round()), drawn).ranges
        held += all(
            one is not None and one.best <= low and one.worst >= high
            for one, low, high in zip(found, best, worst, strict=True)
        )
    assert held / trials >= 0.93  # 95 %, and what chance does to 150 trials


def test_comparison_by_hand() -> None:
    # Differences 1, 2, 0, −1, 2, 2 on what both have: mean 1, s = √1.6.
    first = np.array([5.0, 6, 7, 4, 8, 9, NAN, 3])
    second = np.array([4.0, 4, 7, 5, 6, 7, 2, NAN])
    found = compare(first, second, ["all"] * 8)
    assert (found.n, found.difference.mean) == (6, 1)
    assert (found.wins, found.ties, found.losses) == (4, 1, 1)
    # t(0.975, 5) = 2.570582, t(0.80, 5) = 0.919544
    assert found.detectable == pytest.approx((2.570582 + 0.919544) * (1.6 / 6) ** 0.5, abs=1e-5)
    other = compare(second, first, ["all"] * 8)
    assert other.difference.mean == -1
    assert (other.wins, other.losses) == (1, 4)


def test_comparison_of_nothing() -> None:
    found = compare(np.array([1.0, NAN]), np.array([NAN, 1.0]), ["all"] * 2)
    assert (found.n, found.difference.mean, found.detectable) == (0, None, None)


def test_detectable_difference_is_found_in_80_of_100_cases() -> None:
    rng = np.random.default_rng(0)
    size = detectable(2 / 10**0.5, 9)
    assert size is not None
    samples = rng.normal(size, 2, (20_000, 10))
    found = np.abs(samples.mean(axis=1)) > stats.t.ppf(0.975, 9) * stats.sem(samples, axis=1)
    assert found.mean() == pytest.approx(0.8, abs=0.03)
