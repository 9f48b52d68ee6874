"""Ranges of possible values, and the weight that intervals give to values at the ends that were not seen."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


class Scale(NamedTuple):
    """Possible values, and the weight of values that were not seen.

    Scores heap up near the top of their scale, and ten rarely show the odd failure: taken as they are, intervals
    of ten such scores hold the mean in 86–90 % of cases instead of 95 %. So each end of the scale counts as a value of
    a small weight, as four more tries do with shares (Agresti and Coull 1998, The American Statistician 52). Values
    that are all the same get a width by it, too; at 140 episodes nothing is seen of it. The weights below are those
    with which ``benchmarks/intervals.py`` finds 93–97 %.
    """

    lowest: float
    """Smallest possible value; −inf if there is none."""

    highest: float
    """Largest possible value; inf if there is none."""

    unseen: float = 0.06
    """Weight of a value at either end; without effect on a scale that lacks one."""


SCORE = Scale(0.0, 10.0)
"""Similarity of a rendering."""

DIFFERENCE = Scale(-10.0, 10.0, 0.02)
"""Scale of differences of two scores: its ends are farther from anything seen."""

SHARE = Scale(0.0, 1.0)

MAIN = Scale(0.0, 100.0, 0.12)
"""Quality × played share: a failure may be unseen, and so may an abort."""

AMOUNT = Scale(0.0, float("inf"))
"""Scale of tokens, turns, seconds, money."""

OPEN = Scale(-float("inf"), float("inf"))
"""Any number."""


def unseen_spread(points: Floats, counts: NDArray[np.intp], scale: Scale) -> NDArray[np.float64]:
    """Return the share of Σ influence² that unseen values at the ends of the scale add; 0 if the scale has no ends."""
    if not np.isfinite((scale.lowest, scale.highest)).all():
        return np.zeros(points.shape)
    squares = (points - scale.lowest) ** 2 + (scale.highest - points) ** 2
    return np.asarray(scale.unseen * squares / np.maximum(counts, 1) ** 2, np.float64)


def unseen_shift(points: Floats, counts: NDArray[np.intp], scale: Scale) -> NDArray[np.float64]:
    """Return how far unseen values at the ends of the scale move the mean."""
    if not np.isfinite((scale.lowest, scale.highest)).all():
        return np.zeros(points.shape)
    return np.asarray(
        scale.unseen * (scale.lowest + scale.highest - 2 * points) / (counts + 2 * scale.unseen), np.float64
    )
