"""Sums that depend neither on the order of their terms nor on other columns summed at the same time.

A sum of floating-point numbers changes in its last digits with the order of adding, and with the number of columns that
a matrix product handles at once: the same cell, computed for one judge or for three, would differ. Sums of columns are
therefore rounded once (``math.fsum``; Shewchuk 1997), and what is multiplied with resamples lies on a grid on which
every partial sum is exact.
"""

from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

EXACT_BITS = 53
"""Whole numbers up to 2 to this power are exact in floating point."""


def column_sums(values: Floats) -> NDArray[np.float64]:
    """Return the sum of each column, rounded once.

    Args:
        values: Finite, shape (rows, columns).

    Returns:
        Shape (columns,).
    """
    return np.array([fsum(column) for column in values.T.tolist()], np.float64)


def on_a_grid(values: Floats, terms: int) -> NDArray[np.float64]:
    """Round each column to multiples of a power of two so that adding up any of them is exact.

    The multiple is the smallest with which a sum of ``terms`` values, each counted as often as it is drawn, stays below
    2⁵³ multiples. A value moves by less than ``terms`` · 2⁻⁵² of the column's largest, as much as adding rounds.

    Args:
        values: Finite, shape (rows, columns).
        terms: How many values are added up at most, each as often as it counts, ≥ 1.

    Returns:
        The same shape.
    """
    largest = np.abs(values).max(axis=0, initial=0.0)
    # Each of the values may be drawn as often as there are values: that takes as many bits more.
    exponents = np.frexp(largest)[1] + int(terms).bit_length()
    steps = np.ldexp(1.0, exponents - EXACT_BITS)
    return np.asarray(np.rint(values / steps) * steps, np.float64)
