"""Where the numbers of a table come from, and their units: facts that a file carries along with them."""

from collections.abc import Iterable, Mapping

from ircore.results.benchmark_version import Version
from ircore.results.tables.formats import flat_columns, flat_names
from ircore.results.tables.model import Table
from ircore.results.tables.pairs import ALL


def source_of(table: Table, version: Version) -> dict[str, str | None]:
    """Return the source of all rows of a table: judge, category, difficulty, benchmark, and units by column.

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


def flat_units(table: Table) -> dict[str, str]:
    """Return the unit or scale of a table's flat columns by name; the ends of an interval have that of their mean.

    >>> from ircore.results.tables.model import Column
    >>> flat_units(Table("costs", "Costs", "", (Column("cost", "cost", "An episode.", "US$", estimated=True),), ()))
    {'cost_mean': 'US$'}
    """
    flats = flat_columns(table.columns, table.primary)
    units = {flat.name: flat.column.unit or flat.column.implied for flat in flats if flat.part in ("value", "mean")}
    return {name: unit for name, unit in units.items() if unit}


def units_text(units: Mapping[str, str]) -> str:
    """Return units by column as a single text, for a column of a CSV file.

    >>> units_text({"score": "0–10", "cost": "US$"})
    'score: 0–10; cost: US$'
    """
    return "; ".join(f"{name}: {unit}" for name, unit in units.items())


def _same(facts: Iterable[str | None]) -> str | None:
    """Return the only fact; None if facts differ or there is none."""
    different = set(facts)
    return different.pop() if len(different) == 1 else None
