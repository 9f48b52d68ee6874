"""Differences of two means that share no picture: of two categories, or of two sets."""

from math import sqrt

from ircore.results.statistics.intervals import Estimate


def difference_of(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent means, with its interval from theirs.

    The interval recovers the variances from the two intervals, which need not be symmetric (MOVER: Zou and Donner,
    *Construction of confidence limits about effect measures*, Statistics in Medicine 27, 2008, equation 3).

    >>> gap = difference_of(Estimate(80, 77, 83, 40), Estimate(70, 66, 74, 40))
    >>> gap.mean, gap.low, gap.high
    (10, 5.0, 15.0)
    """
    if first.mean is None or second.mean is None:
        return Estimate(None, None, None, 0)
    gap, count = first.mean - second.mean, min(first.n, second.n)
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Estimate(gap, None, None, count)
    below = sqrt((first.mean - first.low) ** 2 + (second.high - second.mean) ** 2)
    above = sqrt((first.high - first.mean) ** 2 + (second.mean - second.low) ** 2)
    return Estimate(gap, gap - below, gap + above, count)
