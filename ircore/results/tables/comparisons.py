"""Pairs against pairs: on the instances that both have, at worst, and by the main scores that decide the ranks."""

from collections.abc import Iterator
from itertools import combinations, pairwise

from ircore.results.model import Results
from ircore.results.statistics.comparison import Comparison
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.subsets import by_rules
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_names
from ircore.results.tables.rated_shares import rated_columns, rated_values

MOST = 10
"""Pairs of which all are compared with all; of more, each only with the next on the board."""

COLUMNS = (
    Column("run_id", "Run", "The first pair's run.", digits=None, audience="programs"),
    Column("other_run_id", "Other run", "The second pair's run.", digits=None, audience="programs"),
    Column("pair", "pair", "The first pair.", digits=None),
    Column("other", "against", "The second pair.", digits=None),
    Column("main_difference", "main, among all", "Main score of the first less that of the second.", "points of 100",
           "higher", 1, True, estimated=True),
    Column("main_alone", "main, these two alone", "The same, with the interval of this one comparison.",
           "points of 100", "higher", 1, True, estimated=True),
    Column("difference", "difference", "Mean of first less second, instance by instance, where both were rated.",
           "points", "higher", 2, True, estimated=True),
    Column("least", "at worst", "The same over all instances, were all that is missing the worst for the first pair.",
           "points", "higher", 2, True, nullable=True),
    Column("most", "at best", "The same, were it the best for the first pair.", "points", "higher", 2, True,
           nullable=True),
    Column("wins", "wins", "Instances on which the first is better.", "", "higher", 0),
    Column("ties", "ties", "Instances on which both are the same, to one decimal of the difference.", digits=0),
    Column("losses", "losses", "Instances on which the second is better.", "", "lower", 0),
    Column("detectable", "detectable", "Difference that a comparison of this n finds with a chance of 80 %.",
           "points", "lower", nullable=True),
    *rated_columns(),
    *rated_columns("other_"),
)  # fmt: skip

NOTES = (
    "Among all: the interval by which the board ranks, all its comparisons together; two pairs have separate ranks "
    "only if theirs leaves out 0. These two alone, and difference: the interval of the one comparison, for those who "
    "wanted to know of these two before they saw the board.",
    "At worst and at best say how far what one of them did not play, or nobody rated, could turn the difference.",
)


def comparisons_table(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Table:
    """Return paired differences, the better pair first; only pairs under the same rules are compared."""
    names = pair_names(results.submissions)
    rows = []
    for first, second, comparison in _comparisons(results, judge, category, difficulty):
        behind = Selection((first, second), "rated", category, difficulty, judge)
        rows.append(
            (
                Value(first),
                Value(second),
                Value(names[first]),
                Value(names[second]),
                Value.of(comparison.main, Selection((first, second), "ended", category, difficulty, judge)),
                Value.of(comparison.alone, Selection((first, second), "ended", category, difficulty, judge)),
                Value.of(comparison.difference, behind, "no instance in common"),
                Value.or_missing(comparison.least, "nothing that the judge rates"),
                Value.or_missing(comparison.most, "nothing that the judge rates"),
                Value(comparison.wins),
                Value(comparison.ties),
                Value(comparison.losses),
                Value.or_missing(comparison.detectable, f"fewer than {MINIMUM_PICTURES} instances in common"),
                *rated_values(results.cell(first, judge, category, difficulty)),
                *rated_values(results.cell(second, judge, category, difficulty)),
            )
        )
    words = caption(results, judge, category, difficulty)
    spare = ("detectable", "ties", "losses", "wins", "least", "most", "difference", "main_alone")
    return Table(
        "comparisons", "Pairs against pairs", words, COLUMNS, tuple(rows), NOTES, primary="difference", spare=spare
    )


def _comparisons(
    results: Results, judge: str, category: str | None, difficulty: str | None
) -> Iterator[tuple[str, str, Comparison]]:
    for part in by_rules(results):
        rows = part.board(judge, category, difficulty)
        # Pairs without a main score have nothing that could be compared.
        board = [row.submission.run_id for row in rows if row.cell.main.mean is not None]
        couples = list(combinations(board, 2) if len(board) <= MOST else pairwise(board))
        for couple, comparison in zip(couples, part.compare_couples(couples, judge, category, difficulty), strict=True):
            yield *couple, comparison
