"""Formulas as people write them, read without ever running them as code."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircore.players.builtin.canvas.figures.formulas import FormulaError, formula_in, parse


@pytest.mark.parametrize(
    ("formula", "x", "value"),
    [
        ("2*x + 1", 3, 7),
        ("-x^2 + 1", 2, -3),
        ("-0.5x²", 4, -8),
        ("2(x - 1)(x + 1)", 3, 16),
        ("4·3^x − 4", 1, 8),
        ("2/(x - 3) + 2", 5, 3),
        ("1/2 x", 6, 3),
        ("2^-x", 2, 0.25),
        ("2^3^2", 0, 512),
        ("|x - 2|", -1, 3),
        ("sqrt(x + 2)", 7, 3),
        ("3 sin(x) + 1", math.pi / 2, 4),
        ("ln(e^2)", 0, 2),
        ("2cos x", 0, 2),
        ("log(100)", 0, 2),
        ("pi", 0, math.pi),
    ],
)
def test_values(formula: str, x: float, value: float) -> None:
    assert parse(formula)(x) == pytest.approx(value)


@pytest.mark.parametrize(
    ("formula", "x"), [("ln(x)", -1), ("1/x", 0), ("sqrt(x)", -4), ("9^9^9^9", 1), ("exp(x)", 10_000)]
)
def test_where_there_is_no_value_it_is_nan(formula: str, x: float) -> None:
    assert math.isnan(parse(formula)(x))


@pytest.mark.parametrize(
    "text", ["", "x +", "2 ** ", "import os", "x.real", "__import__('os')", "(" * 60 + "x", "y = x", "a" * 300]
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text)


def test_a_formula_is_found_in_a_sentence() -> None:
    formula = formula_in("looking like y = -2·ln(x + 2) + 7 on the whole")
    assert formula is not None
    assert formula[1](-1) == 7
    assert formula_in("the y axis = nothing") is None
    assert formula_in("f(x) = 3x") is not None


@pytest.mark.slow
@given(st.text(alphabet="x0123456789.+-*/^()| sincoqrtlnep", max_size=40), st.floats(-10, 10))
def test_any_text_is_refused_or_gives_a_number(text: str, x: float) -> None:
    try:
        function = parse(text)
    except FormulaError:
        return
    assert isinstance(function(x), float | int)
