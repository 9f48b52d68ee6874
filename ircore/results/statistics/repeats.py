"""Several episodes of an instance: how far they differ by luck, and how few more of them would tell two pairs apart.

The values of an instance's episodes differ by the luck of play; what is left between instances is the instances' own.
A repeat makes the first smaller and never the second. How many repeats each condition and pair gets follows Neyman
(1934), *On the Two Different Aspects of the Representative Method*, Journal of the Royal Statistical Society 97: most
where luck is largest. With whole numbers of repeats the best choice is to add, again and again, the repeat that lowers
the variance most for an episode (Wright 2012, *The Equivalence of Neyman Optimum Allocation for Sampling and Equal
Proportions for Apportioning the U.S. House of Representatives*, The American Statistician 66).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

KeyT = TypeVar("KeyT", bound=Hashable)

MOST_FURTHER = 50
"""Further repeats of a condition that a plan may ask for: more would take longer than new targets."""

PRIOR_FREEDOM = 4.0
"""Degrees of freedom that the luck of all conditions together lends to each single one."""

POWER = 0.8
"""Chance of telling two pairs apart that a plan is made for."""


@dataclass(frozen=True)
class Luck:
    """Variance of the values of an instance's episodes, in squared points, pooled over the instances of a condition."""

    variance: float
    """Mean square within instances."""

    freedom: int
    """Degrees of freedom: episodes less instances."""


def luck_within(episodes: Iterable[Sequence[float]]) -> Luck:
    """Return the variance within instances; 0 with no degree of freedom where no instance has two episodes.

    >>> luck_within([[1.0, 3.0], [5.0], [2.0, 2.0, 5.0]])
    Luck(variance=2.6666666666666665, freedom=3)
    """
    squares, freedom = 0.0, 0
    for values in episodes:
        if len(values) > 1:
            squares += float(np.var(values) * len(values))
            freedom += len(values) - 1
    return Luck(squares / freedom if freedom else 0.0, freedom)


def moderated(lucks: Mapping[KeyT, Luck]) -> dict[KeyT, float]:
    """Return the variance of each condition, drawn towards that of all of them, since few episodes say little.

    (d0 · s0² + d · s²) / (d0 + d), as Smyth 2004, *Linear Models and Empirical Bayes Methods for Assessing Differential
    Expression in Microarray Experiments*, Statistical Applications in Genetics and Molecular Biology 3; d0 is fixed.
    """
    freedom = sum(luck.freedom for luck in lucks.values())
    pooled = sum(luck.variance * luck.freedom for luck in lucks.values()) / max(freedom, 1)
    return {
        key: (PRIOR_FREEDOM * pooled + luck.freedom * luck.variance) / (PRIOR_FREEDOM + luck.freedom)
        for key, luck in lucks.items()
    }


@dataclass(frozen=True)
class RepeatGroup(Generic[KeyT]):
    """The instances of a condition as one of two pairs played them: what a further repeat is played of.

    >>> group = RepeatGroup("geometry, hard", instances=4, played=(1, 1, 2, 2), luck=100.0, weight=0.01)
    >>> group.variance(0), group.variance(2)
    (0.75, 0.2916666666666667)
    """

    key: KeyT
    """Names it."""

    instances: int
    """Number of its instances: episodes of one repeat."""

    played: tuple[int, ...]
    """Episodes of each instance so far, ≥ 1."""

    luck: float
    """Variance of an instance's episodes."""

    weight: float
    """Variance of the pairs' difference for a variance of 1 of every instance's mean."""

    def variance(self, further: int) -> float:
        """Return the part of the variance of the pairs' difference that luck has after further repeats."""
        return self.weight * self.luck * sum(1 / (count + further) for count in self.played) / len(self.played)


def fewest_repeats(groups: Sequence[RepeatGroup[KeyT]], excess: float) -> dict[KeyT, int] | None:
    """Return the further repeats of each group that lower the variance enough with the fewest episodes.

    Args:
        groups: Condition by condition and pair by pair.
        excess: How much the variance of the difference must fall.

    Returns:
        Groups with at least one repeat; None if repeats cannot lower it so far.
    """
    further = dict.fromkeys((group.key for group in groups), 0)
    left, steps = excess, list[RepeatGroup[KeyT]]()
    while left > 0:
        gains = [
            (group.variance(further[group.key]) - group.variance(further[group.key] + 1), group)
            for group in groups
            if further[group.key] < MOST_FURTHER
        ]
        # The first of equal groups, so that the plan is the same on every machine.
        gain, best = max(gains, key=lambda step: step[0] / step[1].instances, default=(0.0, None))
        if best is None or gain <= 0:
            return None
        further[best.key] += 1
        left -= gain
        steps.append(best)
    # The last steps may have lowered it too far: what can be left out is, the most episodes first.
    for group in sorted(steps, key=lambda step: -step.instances):
        last = group.variance(further[group.key] - 1) - group.variance(further[group.key])
        if further[group.key] and left + last <= 0:
            further[group.key] -= 1
            left += last
    return {key: count for key, count in further.items() if count}


def uniform_repeats(groups: Sequence[RepeatGroup[KeyT]], excess: float) -> int | None:
    """Return how many further repeats of every group lower the variance enough; None if they cannot."""
    before = sum(group.variance(0) for group in groups)
    return next(
        (
            further
            for further in range(MOST_FURTHER + 1)
            if before - sum(group.variance(further) for group in groups) >= excess
        ),
        None,
    )


def variance_needed(difference: float, variance: float, critical: float) -> float:
    """Return the variance at which a difference would be told from 0 with a chance of ``POWER``, if it stays.

    What is known already is part of what will be known: with variance v after v0, the difference that will be found has
    the mean of the present one and the variance v · (1 − v / v0) (Lan and Wittes 1988, *The B-Value: A Tool for
    Monitoring Data*, Biometrics 44), and must lie ``critical`` times √v above 0.

    Args:
        difference: As found so far.
        variance: Of it, so far.
        critical: Standard errors that it must be above 0; it is not yet.
    """
    from scipy.special import ndtri

    low, high = 0.0, variance
    for _ in range(60):
        middle = (low + high) / 2
        spread = (middle * (1 - middle / variance)) ** 0.5
        is_enough = abs(difference) - critical * middle**0.5 >= float(ndtri(POWER)) * spread
        low, high = (middle, high) if is_enough else (low, middle)
    return low


def further_look(critical: float) -> float:
    """Return the critical value of each of two further looks at the same two pairs, after half of a plan and after all.

    Whoever looks again after more play has more chances of telling apart what is the same (Armitage, McPherson and Rowe
    1969, *Repeated Significance Tests on Accumulating Data*, JRSS A 132). Each further look gets half of the error
    rate; halves add up to no more than the whole, whatever the looks depend on (Bonferroni).

    >>> round(further_look(1.96), 2)
    2.24
    """
    from scipy.special import ndtr, ndtri

    return float(-ndtri(ndtr(-critical) / 2))
