"""Elementary functions whose results are exactly the same on every machine, for floats and arrays alike.

C libraries differ in the last bit of ``sin``, ``exp`` or ``hypot``, and so do NumPy's variants for different
processors. Where a coordinate is rounded to a whole pixel afterwards, one such bit moves a pixel. The functions here
use addition, subtraction, multiplication, division and square root alone, which IEEE 754 defines to the last bit, in an
order that Python and NumPy keep. Drawing, scenes and the built-in players call these and nothing else:
``tests/test_portable_numbers.py`` holds them to it.

Errors stay below 1e-15 times the larger of 1 and the result, for arguments up to 1e6. Arguments without a value (the
logarithm of a negative number) give nan.

Sources: W. J. Cody and W. Waite, *Software Manual for the Elementary Functions*, 1980, for the reduction of arguments;
the series are those of Taylor.
"""

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Real = TypeVar("Real", float, Values)

_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""π/2 in three parts; the first two have 33 bits, so that whole multiples up to a million are exact."""
_LN_2 = (0.6931471804855391, 7.440617110012397e-11)
"""The natural logarithm of 2 in two parts, the first of 33 bits."""
_LN_10 = 2.302585092994046

# Coefficients from the highest power down, as Horner's rule takes them.
_SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(9, -1, -1))
_COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(9, -1, -1))
_EXPONENTIAL = tuple(1 / math.factorial(k) for k in range(15, -1, -1))
_ARTANH = tuple(1 / (2 * k + 1) for k in range(12, -1, -1))
_ARCTAN = tuple((-1) ** k / (2 * k + 1) for k in range(13, -1, -1))


def sin(x: Real) -> Real:
    """Return the sine of an angle in radians."""
    return _sine_of_quarters(x, 0)


def cos(x: Real) -> Real:
    """Return the cosine of an angle in radians."""
    return _sine_of_quarters(x, 1)


def tan(x: Real) -> Real:
    """Return the tangent of an angle in radians."""
    return _sine_of_quarters(x, 0) / _sine_of_quarters(x, 1)


def atan2(y: Real, x: Real) -> Real:
    """Return the direction of the vector (x, y) in radians, -π to π; 0 for the vector without a length."""
    longer, shorter = _select_larger(abs(x), abs(y)), _select_smaller(abs(x), abs(y))
    # At most 1, where the series converges; the angle is mirrored into its own eighth below.
    part = shorter / _select_where(longer > 0, longer, 1.0)
    # Each half angle: tan(a / 2) = tan a / (1 + sqrt(1 + tan² a)); after two the series is short.
    for _ in range(2):
        part = part / (1.0 + _compute_root(1.0 + part * part))
    angle = 4.0 * part * _evaluate_polynomial(part * part, _ARCTAN)
    angle = _select_where(abs(y) > abs(x), math.pi / 2 - angle, angle)
    angle = _select_where(x < 0, math.pi - angle, angle)
    turned: Real = _select_where(y < 0, -angle, angle)
    return turned


def acos(x: float) -> float:
    """Return the angle from 0 to π whose cosine is ``x``; nan outside -1 to 1."""
    return atan2(math.sqrt((1.0 - x) * (1.0 + x)), x) if -1 <= x <= 1 else math.nan


def asin(x: float) -> float:
    """Return the angle from -π/2 to π/2 whose sine is ``x``; nan outside -1 to 1."""
    return atan2(x, math.sqrt((1.0 - x) * (1.0 + x))) if -1 <= x <= 1 else math.nan


def exp(x: Real) -> Real:
    """Return e to the power of ``x``; infinity above 709."""
    # Beyond these the result is 0 or infinity, and the whole number of twos below stays small.
    bounded = _select_smaller(_select_larger(x, -750.0), 710.0)
    twos = _round_to_whole(bounded / (_LN_2[0] + _LN_2[1]))
    rest = (bounded - twos * _LN_2[0]) - twos * _LN_2[1]
    half = twos // 2
    # In two steps, for 2 to the power of 1024 is no float.
    value: Real = _scale_by_power(_scale_by_power(_evaluate_polynomial(rest, _EXPONENTIAL), half), twos - half)
    return value


def log(x: Real) -> Real:
    """Return the natural logarithm; -infinity for 0, nan below."""
    share, twos = _split_float(_select_where(x > 0, x, 1.0))
    is_low = share < math.sqrt(0.5)
    share, twos = _select_where(is_low, 2.0 * share, share), _select_where(is_low, twos - 1.0, twos)
    part = (share - 1.0) / (share + 1.0)
    value = twos * _LN_2[0] + (twos * _LN_2[1] + 2.0 * part * _evaluate_polynomial(part * part, _ARTANH))
    value = _select_where(x == math.inf, math.inf, value)
    defined: Real = _select_where(x > 0, value, _select_where(x == 0, -math.inf, math.nan))
    return defined


def log10(x: float) -> float:
    """Return the decimal logarithm to 12 decimals, so that powers of ten give whole numbers."""
    value = log(x) / _LN_10
    return round(value, 12) if math.isfinite(value) else value


def power(base: float, exponent: Real) -> Real:
    """Return a positive number to any power."""
    return exp(exponent * log(base))


def whole_power(base: float, exponent: int) -> float:
    """Return a number to a whole power, by squaring; ZeroDivisionError for 0 to a negative power."""
    result, square = 1.0, base
    left = abs(exponent)
    while left:
        result, square, left = (result * square if left % 2 else result), square * square, left // 2
    return result if exponent >= 0 else 1.0 / result


def square(x: Real) -> Real:
    """Return x · x; the operator ``**`` asks the C library."""
    return x * x


def cbrt(x: float) -> float:
    """Return the cube root."""
    if x == 0 or not math.isfinite(x):
        return x
    near = power(abs(x), 1 / 3)
    # One step of Newton's method takes back what logarithm and power have rounded.
    return math.copysign(near - (near * near * near - abs(x)) / (3 * near * near), x)


def power_of_ten(exponent: int) -> float:
    """Return the float nearest to a whole power of ten."""
    return float(f"1e{exponent}")


def hypot(x: Real, y: Real) -> Real:
    """Return the length of the vector (x, y)."""
    length: Real = _compute_root(x * x + y * y)
    return length


def dist(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the distance of two points of as many coordinates each."""
    return math.sqrt(math.fsum((a - b) * (a - b) for a, b in zip(first, second, strict=True)))


def _sine_of_quarters(x: Real, quarters: int) -> Real:
    """Return the sine of ``x`` plus a number of quarter turns."""
    # The rest lies within an eighth of a turn of 0, where ten terms of the series suffice.
    turns = _round_to_whole(x / (math.pi / 2))
    rest = ((x - turns * _HALF_PI[0]) - turns * _HALF_PI[1]) - turns * _HALF_PI[2]
    square = rest * rest
    which = (turns + quarters) % 4
    value = _select_where(
        which % 2 == 0, rest * _evaluate_polynomial(square, _SINE), _evaluate_polynomial(square, _COSINE)
    )
    signed: Real = _select_where(which >= 2, -value, value)
    return signed


def _evaluate_polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    total = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


# What floats and arrays write in different ways.


def _select_where(condition: Any, then: Any, otherwise: Any) -> Any:
    return (
        np.where(condition, then, otherwise) if isinstance(condition, np.ndarray) else then if condition else otherwise
    )


def _round_to_whole(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.rint(x)
    return float(round(x)) if math.isfinite(x) else math.nan


def _compute_root(x: Any) -> Any:
    return np.sqrt(x) if isinstance(x, np.ndarray) else math.sqrt(x)


def _select_larger(x: Any, y: Any) -> Any:
    return np.maximum(x, y) if isinstance(x, np.ndarray) else max(x, y)


def _select_smaller(x: Any, y: Any) -> Any:
    return np.minimum(x, y) if isinstance(x, np.ndarray) else min(x, y)


def _scale_by_power(x: Any, twos: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.ldexp(x, np.nan_to_num(twos).astype(np.int32))
    return math.nan if math.isnan(twos) else x * math.ldexp(1.0, int(twos))


def _split_float(x: Any) -> tuple[Any, Any]:
    """Return ``x`` as a number from 0.5 to 1 and a power of two."""
    return np.frexp(x) if isinstance(x, np.ndarray) else math.frexp(x)
