"""Pairs against pairs on the instances that both have: what the difference of two means hides."""

from itertools import combinations, pairwise

from ircore.results.model import Results
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.names import pair_names
from ircore.results.tables.pairs import caption

MOST = 10
"""Pairs of which all are compared with all; of more, each only with the next on the board."""


def comparisons_table(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Table:
    """Return paired differences of final scores, the better pair first; none where two share no rated instance."""
    columns = (
        Column("run_id", "Run", "The first pair's run.", digits=None, audience="programs"),
        Column("other_run_id", "Other run", "The second pair's run.", digits=None, audience="programs"),
        Column("pair", "pair", "The first pair.", digits=None),
        Column("other", "against", "The second pair.", digits=None),
        Column("difference", "difference", "Mean of first less second, instance by instance.", "points", "higher", 2,
               True, estimated=True),
        Column("wins", "wins", "Instances on which the first is better.", "", "higher", 0),
        Column("ties", "ties", "Instances on which both are the same.", digits=0),
        Column("losses", "losses", "Instances on which the second is better.", "", "lower", 0),
        Column("detectable", "detectable", "Difference that a comparison of this n finds with a chance of 80 %.",
               "points", "lower", nullable=True),
    )  # fmt: skip
    names = pair_names(results.submissions)
    board = [row.submission.run_id for row in results.board(judge, category, difficulty) if row.cell.score.n]
    couples = combinations(board, 2) if len(board) <= MOST else pairwise(board)
    rows = []
    for first, second in couples:
        found = results.compare(first, second, judge, category, difficulty)
        behind = Selection((first, second), "rated", category, difficulty, judge)
        counts = (Value(found.wins), Value(found.ties), Value(found.losses))
        least = Value(found.detectable, missing="fewer than two instances" if found.detectable is None else None)
        who = (Value(first), Value(second), Value(names[first]), Value(names[second]))
        rows.append((*who, Value.of(found.difference, behind, "no instance in common"), *counts, least))
    return Table(
        "comparisons",
        "Pairs against pairs",
        caption(results, judge, category, difficulty),
        columns,
        tuple(rows),
        ("Each interval is for its one comparison; the ranks of the board hold all of them together.",),
        primary="difference",
    )
