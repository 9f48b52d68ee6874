"""Share of played episodes that is rated: the columns that stand beside scores in every table."""

from ircore.results.cell import Cell
from ircore.results.tables.model import Column, Selection, Value

UNDERRATED = "Less than 90 % of what was played is rated: no rank, and the interval reaches to what the rest could be."
"""Meaning of the mark ``underrated``."""


def rated_columns(prefix: str = "", of: str = "the judge") -> tuple[Column, ...]:
    """Return the columns played, applicable, rated, refused and not yet, for programs.

    Args:
        prefix: Of the keys, where a table has several judges.
        of: Who rated.
    """
    words = {
        "played": "Episodes played to an end and not aborted.",
        "applicable": f"Of these, episodes that the task of {of} applies to.",
        "rated": f"Of the applicable ones, rated by {of}.",
        "refused": "Of the applicable ones, asked about and not rated.",
        "not_yet": "Of the applicable ones, not asked about yet, or in vain for a technical reason.",
    }
    return tuple(
        Column(prefix + key, key.replace("_", " ").capitalize(), text, digits=0, audience="programs")
        for key, text in words.items()
    )


def rated_values(cell: Cell) -> tuple[Value, ...]:
    """Return the entries of ``rated_columns``."""
    played = Selection((cell.run_id,), "played", cell.category, cell.difficulty, cell.judge)
    rated = Selection((cell.run_id,), "rated", cell.category, cell.difficulty, cell.judge)
    return (
        Value(cell.played, episodes=played),
        Value(cell.applicable, episodes=played),
        Value(cell.rated, episodes=rated),
        Value(cell.refused, episodes=played),
        Value(cell.pending, episodes=played),
    )


def marks_of(cell: Cell) -> tuple[str, ...]:
    """Return the marks that a score of this cell carries."""
    return tuple(
        mark
        for mark, carried in (("same_family", cell.same_family), ("underrated", cell.unranked == "underrated"))
        if carried
    )
