"""Statements about a board on which ranks overlap: groups of pairs, and each pair's chance of being the best."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def groups_of(means: Sequence[float], better: NDArray[np.bool_]) -> list[int]:
    """Return the group of each pair, 1 being the best.

    The first group is every pair than which none is better: the pairs that may be the best. Of the others, in the order
    of their means, a group begins with the first pair that the first pair of the group above is better than. That two
    pairs are in one group does not say that they are equal.

    Args:
        means: Main scores, one a pair.
        better: Whether the pair of the row is significantly better than the pair of the column.
    """
    beaten = np.flatnonzero(np.any(better, axis=0)).tolist()
    groups = [0 if pair in beaten else 1 for pair in range(len(means))]
    group, leader = 1, None
    for pair in sorted((pair for pair, own in enumerate(groups) if not own), key=lambda index: -means[index]):
        # Against the leader and not the neighbour: chains of undecided neighbours would make one group of all.
        if leader is None or better[leader, pair]:
            group, leader = group + 1, pair
        groups[pair] = group
    return groups


def chances_of_best(means: NDArray[Any], deviations: NDArray[Any]) -> list[float]:
    """Return the share of resamples in which each pair has the highest mean, 0-1; pairs that tie share a resample.

    Args:
        means: Main scores, one a pair.
        deviations: Resampled minus actual means, shape (pairs, resamples).
    """
    drawn = means[:, None] + deviations
    # Means of equal values differ by rounding errors alone.
    leads = drawn >= drawn.max(axis=0) - 1e-6
    return [float(share) for share in (leads / leads.sum(axis=0)).mean(axis=1)]
