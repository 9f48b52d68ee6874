"""The difference of the means of two groups of different instances, which no pairing helps to compare."""

from collections.abc import Sequence
from math import fsum

from ircore.results.statistics.intervals import CONFIDENCE, Estimate


def unpaired_difference(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Estimate the mean of one group less that of another, with Welch's 95 % interval (Welch 1947, Biometrika 34).

    Whether two groups' own intervals overlap is no test of their difference: two that overlap a little may well differ.

    Args:
        first: Values of the one group, independent of each other.
        second: Values of the other, of other instances.

    Returns:
        ``n`` is the size of the smaller group. Without an interval where a group has fewer than two values, or neither
        group varies.

    Example:
        >>> difference = unpaired_difference([8.0, 9.0, 10.0], [5.0, 6.0, 7.0])  # t(0.975, 4) = 2.776, error 0.816
        >>> round(difference.low, 3), difference.mean, round(difference.high, 3)
        (0.733, 3.0, 5.267)
    """
    from scipy.special import stdtrit

    n = min(len(first), len(second))
    if n == 0:
        return Estimate(None, None, None, 0)
    means = [fsum(group) / len(group) for group in (first, second)]
    difference = means[0] - means[1]
    if n < 2:
        return Estimate(difference, None, None, n)
    errors = [
        fsum((value - mean) ** 2 for value in group) / (len(group) - 1) / len(group)
        for group, mean in zip((first, second), means, strict=True)
    ]
    if sum(errors) == 0:
        return Estimate(difference, None, None, n)
    # Degrees of freedom after Satterthwaite, since the groups may vary unlike.
    spread = sum(error**2 / (len(group) - 1) for error, group in zip(errors, (first, second), strict=True))
    half = float(stdtrit(sum(errors) ** 2 / spread, (1 + CONFIDENCE) / 2)) * sum(errors) ** 0.5
    return Estimate(difference, difference - half, difference + half, n)
