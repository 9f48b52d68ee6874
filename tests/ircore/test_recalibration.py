"""Monotone maps from a judge's scale to the humans', and what they leave unsure."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit

from ircore.statistics.monotone import GRID, MAPS, isotonic, linear, logistic
from ircore.statistics.recalibration import Recalibration, recalibrate

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
    found = recalibrate(*study(rng, true, instances, each), fitted_for="judge", resamples=400)
    assert isinstance(found, Recalibration)
    return found


def test_isotonic_fit_is_scipys() -> None:
    rng = np.random.default_rng(0)
    levels = np.arange(11.0)
    counts = rng.integers(1, 5, (20, 11)).astype(float)
    values = rng.uniform(0, 10, (20, 11))
    curves = isotonic(levels, counts, counts * values)
    for curve, row, weights in zip(curves, values, counts, strict=True):
        assert curve[::10] == pytest.approx(isotonic_regression(row, weights=weights).x)


def test_isotonic_fit_passes_midway_where_a_level_has_no_value() -> None:
    curve = isotonic(np.array([2.0, 4.0, 6.0, 8.0]), np.array([[1.0, 0, 1, 0]]), np.array([[3.0, 0, 7, 0]]))[0]
    assert curve[[0, 20, 40, 60, 80, 100]] == pytest.approx([3, 3, 5, 7, 7, 7])


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
    found = fitted(rng, true, instances=140, each=8)
    assert found.method == kind
    scores = np.arange(2.0, 10.0)
    mapped, outside = found.apply(scores)
    assert np.abs(mapped - true(scores)).max() < 0.35
    assert not outside.any()
    assert abs(found.after.bias.mean or 0) < 0.1
    assert (found.after.squared.mean or 9) < min(found.before.squared.mean or 0, 1.0)
