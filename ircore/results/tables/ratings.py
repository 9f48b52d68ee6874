"""Crossed scores of every two judges, as a table."""

from ircore.results.model import Results
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption


def ratings_table(results: Results) -> Table:
    """Return how many renderings got which two scores from every two judges, a row for each two scores that occur."""
    columns = (
        Column("one", "one", "A judge.", digits=None),
        Column("other", "other", "Another, or human: the mean of people.", digits=None),
        Column("score_one", "score by one", "To the nearest whole point.", "0–10", digits=0),
        Column("score_other", "score by other", "To the nearest whole point.", "0–10", digits=0),
        Column("renderings", "renderings", "That got these two scores.", digits=0),
    )
    rows = tuple(
        (Value(crossed.one), Value(crossed.other), Value(first), Value(other), Value(count))
        for crossed in results.raters.crossed
        for (first, other), count in crossed.counts.items()
    )
    notes = () if rows else ("No two judges rated the same renderings.",)
    return Table("ratings", "Ratings of every two judges", caption(results), columns, rows, notes)
