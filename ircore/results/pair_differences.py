"""Every two pairs of a board: which is better, and by how much, by the rule of the board's ranks."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.results.cells import paired_main
from ircore.results.conditions import under
from ircore.results.model import Results
from ircore.results.statistics.ranks import all_differences


@dataclass(frozen=True)
class PairDifferences:
    """The intervals of all differences of main scores on a board.

    Example:
        >>> board = PairDifferences(("a", "b"), means=np.array([70.0, 60.0]), low=np.array([[0.0, 4.0], [-16.0, 0.0]]))
        >>> board.verdict("a", "b"), board.verdict("b", "a")
        (1, -1)
    """

    run_ids: tuple[str, ...]
    """Pairs that have ranks, in the order of the results."""

    means: NDArray[np.float64]
    """Their main scores, 0-100; what is not known counts half."""

    low: NDArray[np.float64]
    """Lower end of the interval of the pair of the row less the pair of the column; its upper end is minus the lower
    end of the other order."""

    def verdict(self, first: str, second: str) -> int:
        """Return 1 if the first pair is better than the second, -1 if it is worse, 0 if that is undecided.

        Args:
            first: run_id of a pair with a rank.
            second: run_id of another.
        """
        row, column = self.run_ids.index(first), self.run_ids.index(second)
        return int(self.low[row, column] > 0) - int(self.low[column, row] > 0)

    def tells(self, first: str, second: str) -> bool:
        """Return whether the board tells two pairs apart; pairs without a rank it tells from none."""
        return {first, second} <= set(self.run_ids) and self.verdict(first, second) != 0

    def ranks(self, run_id: str, among: Iterable[str]) -> tuple[int, int] | None:
        """Return the best and the worst rank that a pair's comparisons allow it among some pairs; None without ranks.

        >>> board = PairDifferences(("a", "b"), means=np.array([70.0, 60.0]), low=np.array([[0.0, 4.0], [-16.0, 0.0]]))
        >>> board.ranks("b", ["a", "b"]), board.ranks("b", ["b"])
        ((2, 2), (1, 1))

        Args:
            run_id: The pair.
            among: Pairs that are ranked with it; those without a rank do not count.
        """
        places = {name: place for place, name in enumerate(self.run_ids)}
        if run_id not in places:
            return None
        own = places[run_id]
        others = [places[name] for name in among if name in places and name != run_id]
        better, worse = (int((ends > 0).sum()) for ends in (self.low[others, own], self.low[own, others]))
        return 1 + better, 1 + len(others) - worse


def pair_differences(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> PairDifferences | None:
    """Return the differences of all pairs of a board; None if no two of them have ranks.

    Args:
        results: Of pairs that are ranked together (``subsets.by_rules``).
        judge: One of ``results.judges``.
        category: One of ``results.categories``, or None for all.
        difficulty: One of ``results.difficulties``, or None for both.
    """
    standing = results.standings.get((category, difficulty, judge))
    # No such board, or fewer than two ranked pairs on it.
    if standing is None or standing.critical is None:
        return None
    places = zip(results.submissions, standing.ranges, strict=True)
    run_ids = tuple(submission.run_id for submission, place in places if place is not None)
    chosen = under(results.instances, category, difficulty)
    least, most, drawn = paired_main(chosen, results.ratings_of(judge, run_ids, chosen))
    means = (least.mean(axis=0) + most.mean(axis=0)) / 2
    return PairDifferences(run_ids, means, all_differences(least, most, drawn, standing.critical))
