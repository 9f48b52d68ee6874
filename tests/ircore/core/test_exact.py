"""Elementary functions: they agree with the mathematics, and floats and arrays give the same bits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircore.core import exact

NEAR = 1e-15
"""The error that the module promises, relative to the larger of 1 and the result."""

angles = st.floats(-1e6, 1e6)
positive = st.floats(1e-300, 1e300)


@pytest.mark.slow
@given(angles)
def test_sine_and_cosine_agree_with_the_c_library(angle: float) -> None:
    assert exact.sin(angle) == pytest.approx(math.sin(angle), rel=NEAR, abs=NEAR)
    assert exact.cos(angle) == pytest.approx(math.cos(angle), rel=NEAR, abs=NEAR)


@pytest.mark.slow
@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_directions_and_lengths_agree_with_the_c_library(y: float, x: float) -> None:
    assert exact.atan2(y, x) == pytest.approx(math.atan2(y, x) if (x, y) != (0, 0) else 0.0, rel=NEAR, abs=NEAR)
    assert exact.hypot(y, x) == pytest.approx(math.hypot(y, x), rel=NEAR, abs=1e-150)


@pytest.mark.slow
@given(st.floats(-700, 700), positive)
def test_exponentials_and_logarithms_agree_with_the_c_library(x: float, y: float) -> None:
    assert exact.exp(x) == pytest.approx(math.exp(x), rel=NEAR)
    assert exact.log(y) == pytest.approx(math.log(y), rel=NEAR, abs=NEAR)


@pytest.mark.parametrize("exponent", range(-12, 13))
def test_decimal_logarithms_of_powers_of_ten_are_whole(exponent: int) -> None:
    assert exact.log10(float(f"1e{exponent}")) == exponent
    assert exact.power_of_ten(exponent) == float(f"1e{exponent}")


def test_values_that_everybody_knows() -> None:
    assert exact.sin(0.0) == 0.0
    assert exact.cos(0.0) == 1.0
    assert exact.sin(math.radians(30)) == pytest.approx(0.5, abs=1e-15)
    assert exact.tan(math.radians(45)) == pytest.approx(1.0, abs=1e-15)
    assert math.degrees(exact.atan2(1.0, -1.0)) == pytest.approx(135)
    assert exact.hypot(3.0, 4.0) == exact.dist((0, 0), (3, 4)) == 5.0
    assert exact.dist((1, 2, 3), (1, 2, 3)) == 0.0
    assert [exact.cbrt(x) for x in (27.0, -8.0, 0.0)] == [3.0, -2.0, 0.0]
    assert [exact.whole_power(2.0, n) for n in (-2, 0, 10)] == [0.25, 1.0, 1024.0]
    assert exact.power(9.0, 0.5) == pytest.approx(3.0, rel=1e-15)


def test_what_has_no_value_is_nan_or_infinite_and_no_error() -> None:
    assert math.isnan(exact.log(-1.0))
    assert exact.log(0.0) == -math.inf
    assert math.isnan(exact.acos(1.5))
    assert math.isnan(exact.sin(math.inf))
    assert exact.exp(1000.0) == math.inf
    assert exact.exp(-1000.0) == 0.0
    with pytest.raises(ZeroDivisionError):
        exact.whole_power(0.0, -1)


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "log"])
def test_an_array_gives_the_bits_that_its_numbers_give_one_by_one(name: str) -> None:
    function = getattr(exact, name)
    values = np.linspace(0.01, 40, 4001)
    assert function(values).tolist() == [function(value) for value in values.tolist()]


def test_directions_of_an_array_are_those_of_its_vectors() -> None:
    y, x = np.random.default_rng(0).uniform(-9, 9, (2, 1000))
    assert exact.atan2(y, x).tolist() == [exact.atan2(*pair) for pair in zip(y.tolist(), x.tolist(), strict=True)]
    assert exact.hypot(y, x).tolist() == [exact.hypot(*pair) for pair in zip(y.tolist(), x.tolist(), strict=True)]
