"""Share of played episodes that is rated: the columns that stand beside scores in every table."""

from collections.abc import Sequence

from ircore.core.counted import counted
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


def rated_values(*cells: Cell) -> tuple[Value, ...]:
    """Return the entries of ``rated_columns`` of a row about pairs under one condition, by one judge."""
    first, run_ids = cells[0], tuple(cell.run_id for cell in cells)
    played = Selection(run_ids, "played", first.category, first.difficulty, first.judge)
    rated = Selection(run_ids, "rated", first.category, first.difficulty, first.judge)
    return (
        Value(sum(cell.played for cell in cells), episodes=played),
        Value(sum(cell.applicable for cell in cells), episodes=played),
        Value(sum(cell.rated for cell in cells), episodes=rated),
        Value(sum(cell.refused for cell in cells), episodes=played),
        Value(sum(cell.pending for cell in cells), episodes=played),
    )


def gap_notes(cells: Sequence[Cell]) -> list[str]:
    """Return a note on the number of unrated renderings, where intervals cover only rated renderings."""
    missing = sum(cell.refused + cell.pending for cell in cells)
    applicable = sum(cell.applicable for cell in cells)
    return (
        [f"{missing} of {counted(applicable, 'rendering')} are not rated: intervals here cover only what is."]
        if missing
        else []
    )


def marks_of(cell: Cell) -> tuple[str, ...]:
    """Return the marks that a score of this cell carries."""
    return tuple(
        mark
        for mark, carried in (("same_family", cell.same_family), ("underrated", cell.unranked == "underrated"))
        if carried
    )
