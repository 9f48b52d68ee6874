"""Joint distribution of the scores that two judges give the same renderings, for every two judges."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ircore.core.score_records import HUMAN
from ircore.results.agreement import RatedTask

NEAR = 1.0
"""Points apart up to which two scores count as near each other."""


@dataclass(frozen=True)
class CrossedRatings:
    """Two judges' scores of the renderings that both rated.

    Example:
        >>> CrossedRatings("gpt", "claude", {(7, 8): 3, (2, 2): 1}, renderings=4, near=1.0).counts[7, 8]
        3
    """

    first_judge: str
    """A judge."""

    second_judge: str
    """The other judge; people come last."""

    counts: Mapping[tuple[int, int], int]
    """Number of renderings by the two scores, each to the nearest whole point (a half upwards), 0–10."""

    renderings: int
    """Number of renderings that both judges rated."""

    near: float
    """Share of these on which the two are at most ``NEAR`` points apart, before rounding, 0–1."""


def crossed_ratings(task: RatedTask) -> tuple[CrossedRatings, ...]:
    """Return every two judges that rated the same renderings: judges with people first, then judges with judges.

    Args:
        task: Ratings of task 1, as ``ircore.results.agreement.rated_similarity`` collects them.
    """
    crossings = (_crossed(first, other, task) for first, other in _pairs(task))
    # Judges of different categories have no rendering in common.
    return tuple(crossed for crossed in crossings if crossed.renderings)


def _pairs(task: RatedTask) -> Iterator[tuple[str, str]]:
    machines = sorted(set(task.judges) - {HUMAN})
    if HUMAN in task.judges:
        yield from ((machine, HUMAN) for machine in machines)
    yield from combinations(machines, 2)


def _crossed(first: str, other: str, task: RatedTask) -> CrossedRatings:
    both = np.stack([task.judges[first], task.judges[other]])
    both = both[:, ~np.isnan(both).any(axis=0)]
    # Not NumPy's rint, which takes a half to the even number: 6.5 and 7.5 must both go up.
    first_scores, other_scores = np.floor(both + 0.5).astype(int)
    # One number for both: NumPy sorts rows of a table many times as slowly.
    width = int(other_scores.max(initial=0)) + 1
    codes, counts = np.unique(first_scores * width + other_scores, return_counts=True)
    by_scores = {divmod(code, width): count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
    near = float((np.abs(both[0] - both[1]) <= NEAR).mean()) if both.shape[1] else 0.0
    return CrossedRatings(first, other, by_scores, both.shape[1], near)
