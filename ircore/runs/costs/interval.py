"""Range of a run's total cost, while it is played."""

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt

FEWEST = 5
"""Episodes that must have ended before a range is given."""

Z = 1.96
"""Standard normal quantile of 97.5 %."""


class EpisodeCosts:
    """Adds up the cost of each episode, and foretells the cost of a run from the episodes that have ended.

    >>> costs = EpisodeCosts(planned=10)
    >>> for number in range(5):
    ...     costs.add(f"episode-{number}", 0.2)
    ...     costs.end(f"episode-{number}")
    >>> low, high = costs.range()
    >>> round(low, 6), round(high, 6)  # ten equal episodes of 0.20 US$
    (2.0, 2.0)

    Args:
        planned: Episodes of the run, those that have ended included; 0 where nothing is to be foretold.
        ended: Episodes that had ended before.
    """

    def __init__(self, planned: int = 0, ended: Iterable[str] = ()) -> None:
        self._planned = planned
        self._before = tuple(ended)
        self._open: defaultdict[str, float] = defaultdict(float)
        self._spent = 0.0
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def begin(self) -> None:
        """Count the episodes that had ended before as ended, after their questions have been added."""
        for episode in self._before:
            self.end(episode)

    def add(self, episode: str, cost: float) -> None:
        """Add the cost of a question, in US dollars."""
        if self._planned:
            self._open[episode] += cost
            self._spent += cost

    def end(self, episode: str) -> None:
        """Note that an episode has ended; mean and squared deviations are updated as in Welford (1962)."""
        if self._planned:
            # Removed, so that memory does not grow with the run.
            cost = self._open.pop(episode, 0.0)
            self._count += 1
            away = cost - self._mean
            self._mean += away / self._count
            self._squares += away * (cost - self._mean)

    def range(self) -> tuple[float, float] | None:
        """Return the limits of a 95 % prediction interval for the cost of the whole run, in US dollars.

        The sum of ``r`` further episodes, of which ``n`` like them cost ``m`` on average with deviation ``s``, has the
        standard error ``s √(r + r² / n)``. The lower limit is never below what was spent.

        Returns:
            Lower and upper limit; None before five episodes have ended, and when none is left.
        """
        count, left = self._count, self._planned - self._count
        if count < FEWEST or left <= 0:
            return None
        margin = Z * sqrt(self._squares / (count - 1) * (left + left**2 / count))
        expected = self._planned * self._mean
        # Episodes under way may already have cost more than the lower limit of the interval.
        return max(expected - margin, self._spent), max(expected + margin, self._spent)
