"""How numbers and their intervals are written for people: on pages, in tables, on badges and in the dataset's card."""

from math import floor, log10
from typing import Literal

from ircore.results.statistics.intervals import even_half, too_few


def number(value: float, digits: int, signed: bool = False) -> str:
    """Format a number with a true minus sign; a number rounded to zero has no sign."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if signed and value > 0 else text.replace("-", "−")


def money_digits(amount: float, least: int) -> int:
    """Return the decimals that show two significant digits of an amount of money, at least ``least``.

    >>> money_digits(0.000041, 3), money_digits(1.5, 3), money_digits(0, 3)
    (6, 3, 3)
    """
    return max(least, 1 - floor(log10(amount))) if amount > 0 else least


def interval_text(
    mean: float | None,
    ends: tuple[float | None, float | None],
    n: int | None,
    digits: int = 2,
    signed: bool = False,
    style: Literal["words", "mixed", "brackets"] = "words",
    end_digits: int | None = None,
) -> str:
    """Write the words behind a mean: its interval, or that it rests on too few pictures; empty if neither is known.

    Args:
        mean: The mean.
        ends: Lower and upper end of its interval.
        n: Number of pictures; None where that was looked at before.
        digits: Decimals.
        signed: Whether the mean is a difference, of which ends have signs.
        style: ``words`` writes ``± 1.2`` or, where that would mislead, ``5.3 to 10.0``; ``mixed`` writes
            ``[5.3, 10.0]`` for the latter; ``brackets`` writes that in any case.
        end_digits: Decimals of ends; as ``digits`` if None.

    >>> interval_text(6.0, (5.0, 7.0), 40), interval_text(9.71, (5.35, 10.0), 40), interval_text(9.71, (5.35, 10.0), 3)
    ('± 1.00', '5.35 to 10.00', 'n 3: too few')

    >>> interval_text(5.27, (None, None), 1)
    'n 1: too few'
    """
    low, high = ends
    if mean is None:
        return ""
    if too_few(n):
        return f"n {n}: too few"
    if low is None or high is None:
        return ""
    half = None if style == "brackets" else even_half(mean, low, high, signed)
    if half is not None:
        return f"± {number(half, digits)}"
    first, last = (number(end, digits if end_digits is None else end_digits, signed) for end in (low, high))
    return f"{first} to {last}" if style == "words" else f"[{first}, {last}]"
