"""Where the numbers of a table come from, as facts that a file carries along with them."""

from collections.abc import Iterable

from ircore.results.benchmark_version import Version
from ircore.results.tables.formats import flat_names, flat_units, units_text
from ircore.results.tables.model import Table
from ircore.results.tables.names import ALL


def source_of(table: Table, version: Version) -> dict[str, str | None]:
    """Return what all rows of a table have in common: judge, category, difficulty, benchmark, and units by column.

    Args:
        table: Made from results.
        version: Benchmark version of these results.

    Returns:
        Each fact by its name in files; a judge or condition that differs between rows, or that the table has a column
        for, is left out, and so is the judge of numbers that no judge gave.
    """
    units = units_text(flat_units(table))
    if {"judge", "category", "difficulty"} <= set(flat_names(table)):
        return {**version.as_dict(), "units": units}
    behind = [value.episodes for row in table.rows for value in row if value.episodes is not None]
    facts = {
        "judge": _same(selection.judge for selection in behind),
        "category": _same(selection.category or ALL for selection in behind) if behind else ALL,
        "difficulty": _same(selection.difficulty or ALL for selection in behind) if behind else ALL,
    }
    return {**{name: fact for name, fact in facts.items() if fact}, **version.as_dict(), "units": units}


def _same(facts: Iterable[str | None]) -> str | None:
    """Return the only fact; None if facts differ or there is none."""
    different = set(facts)
    return different.pop() if len(different) == 1 else None
