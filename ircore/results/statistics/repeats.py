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
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

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


def measure_luck(episodes: Iterable[Sequence[float]]) -> Luck:
    """Return the variance within instances; 0 with no degree of freedom where no instance has two episodes.

    >>> measure_luck([[1.0, 3.0], [5.0], [2.0, 2.0, 5.0]])
    Luck(variance=2.6666666666666665, freedom=3)
    """
    squares, freedom = 0.0, 0
    for values in episodes:
        if len(values) > 1:
            squares += float(np.var(values) * len(values))
            freedom += len(values) - 1
    return Luck(squares / freedom if freedom else 0.0, freedom)


def shrink_variances(lucks: Mapping[KeyT, Luck]) -> dict[KeyT, float]:
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
    >>> group.variance(0), round(group.variance(2), 4)
    (0.75, 0.2917)
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


def find_fewest_repeats(groups: Sequence[RepeatGroup[KeyT]], excess: float) -> dict[KeyT, int] | None:
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


def find_uniform_repeats(groups: Sequence[RepeatGroup[KeyT]], excess: float) -> int | None:
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


def compute_needed_variance(difference: float, variance: float, critical: float) -> float:
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


def find_further_critical(critical: float) -> float:
    """Return the critical value of each of two further looks at the same two pairs, after half of a plan and after all.

    Whoever looks again after more play has more chances of telling apart what is the same (Armitage, McPherson and Rowe
    1969, *Repeated Significance Tests on Accumulating Data*, JRSS A 132). Each further look gets half of the error
    rate; halves add up to no more than the whole, whatever the looks depend on (Bonferroni).

    >>> round(find_further_critical(1.96), 2)
    2.24
    """
    from scipy.special import ndtr, ndtri

    return float(-ndtri(ndtr(-critical) / 2))


class VarianceComponents(NamedTuple):
    """Where the variance of an episode's value comes from, in squared points; NaN for what the design cannot tell."""

    picture: float
    """Between instances, the same for all pairs."""

    picture_and_pair: float
    """What an instance is to one pair and not to another; with one pair alone it is part of ``picture``."""

    luck: float
    """Between episodes of one instance by one pair, the judge's luck included."""


@dataclass(frozen=True)
class CrossedValues:
    """Values by instance, pair and episode, as their variance components are computed from them.

    By the moments of a crossed design with repeats: σ²(luck) is the mean square within cells. Of the cells' means the
    residual mean square has the expectation σ²(picture × pair) + σ²(luck) · mean(1 / episodes), that of the instances
    besides pairs · σ²(picture) (Brennan 2001, *Generalizability Theory*, chapter 3; Searle, Casella and McCulloch 1992,
    *Variance Components*, chapter 4). What comes out below 0 is 0.
    """

    means: NDArray[np.float64]
    """Mean of each cell, shape (instances, pairs)."""

    squares: NDArray[np.float64]
    """Sum of squares within each cell."""

    counts: NDArray[np.intp]
    """Episodes of each cell, ≥ 1."""

    @classmethod
    def of(cls, values: Sequence[Sequence[Sequence[float]]]) -> "CrossedValues":
        """Take values of the shape (instances, pairs, episodes); every cell has at least one."""
        counts = np.array([[len(cell) for cell in row] for row in values], np.intp)
        means, squares = np.empty(counts.shape), np.empty(counts.shape)
        cells = [cell for row in values for cell in row]
        # Cells of one size at once: a call for each cell takes a hundred times as long.
        for size in np.unique(counts).tolist():
            of_size = np.array([cell for cell in cells if len(cell) == size], np.float64)
            means[counts == size] = of_size.mean(axis=1)
            squares[counts == size] = of_size.var(axis=1) * size
        return cls(means, squares, counts)

    @cached_property
    def _freedom(self) -> NDArray[np.intp]:
        """Degrees of freedom within the cells of each instance."""
        return np.asarray((self.counts - 1).sum(axis=1), np.intp)

    def components(self, rows: NDArray[np.intp] | None = None) -> VarianceComponents:
        """Return the variance components, of some rows, each as often as it is named."""
        chosen = np.arange(len(self.means)) if rows is None else rows
        means, freedom = self.means[chosen], int(self._freedom[chosen].sum())
        instances, pairs = means.shape
        luck = float(self.squares[chosen].sum()) / freedom if freedom else np.nan
        in_means = luck * float((1 / self.counts[chosen]).mean()) if freedom else np.nan
        if instances < 2:
            return VarianceComponents(np.nan, np.nan, luck)
        of_instances = means.mean(axis=1)
        of_rows = pairs * float(np.var(of_instances, ddof=1))
        if pairs < 2:
            return VarianceComponents(max(0.0, of_rows - in_means), np.nan, luck)
        residual = means - of_instances[:, None] - means.mean(axis=0) + means.mean()
        within = float((residual**2).sum() / ((instances - 1) * (pairs - 1)))
        # ``max`` with a NaN in the second place would give 0.
        both = within - in_means
        return VarianceComponents(
            max(0.0, (of_rows - within) / pairs), both if np.isnan(both) else max(0.0, both), luck
        )

    def intervals(self, resamples: int = 1_000, seed: int = 0) -> tuple[VarianceComponents, VarianceComponents]:
        """Return the lower and the upper ends of 95 % intervals, by instances drawn again.

        Variances are skew and, of few instances, too small in resamples: the percentiles are those of BCa (Efron 1987,
        *Better Bootstrap Confidence Intervals*, JASA 82), at levels of Student's t for so many instances.
        """
        from scipy.special import ndtr, ndtri, stdtrit

        rng = np.random.default_rng(seed)
        size = len(self.means)
        drawn = np.array([self.components(rng.integers(size, size=size)) for _ in range(resamples)])
        without = np.array([self.components(np.delete(np.arange(size), row)) for row in range(size)])
        found = np.array(self.components())
        apart = without.mean(axis=0) - without
        length = np.sqrt((apart**2).sum(axis=0))
        bent = (apart**3).sum(axis=0) / (6 * np.where(length > 0, length, 1) ** 3)
        below = (drawn < found).mean(axis=0) + (drawn == found).mean(axis=0) / 2
        bias = ndtri(np.clip(below, 0.01, 0.99))
        wide = float(stdtrit(max(size - 1, 1), 0.975)) * (size / max(size - 1, 1)) ** 0.5
        ends = []
        for z in (-wide, wide):
            levels = ndtr(bias + (bias + z) / np.maximum(1 - bent * (bias + z), 0.1))
            columns = zip(drawn.T, levels.tolist(), strict=True)
            # Of what the design cannot tell every resample is NaN.
            ends.append([float(np.quantile(of_one, level)) if level == level else np.nan for of_one, level in columns])
        return VarianceComponents(*ends[0]), VarianceComponents(*ends[1])


def count_needed_pictures(difference: float, picture_and_pair: float, luck: float, repeats: int) -> int:
    """Return the pictures on which two pairs that differ so much are told apart with a chance of ``POWER``.

    Both play the same pictures, so that what a picture is to both of them cancels: n = 2 · (σ²(picture × pair) +
    σ²(luck) / repeats) · ((z(0.975) + z(0.8)) / difference)².

    >>> count_needed_pictures(5.0, 100.0, 200.0, 1), count_needed_pictures(5.0, 100.0, 200.0, 2)
    (189, 126)
    """
    from scipy.special import ndtri

    spread = 2 * (picture_and_pair + luck / repeats)
    return int(np.ceil(spread * float((ndtri(0.975) + ndtri(POWER)) / difference) ** 2))
