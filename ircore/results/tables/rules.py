"""The rules' key in tables: every row names the rules by which its runs were played."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from ircore.results.model import Results
from ircore.results.subsets import rule_sets
from ircore.results.tables.model import Column, Table, Value

RULES = Column("rules", "rules", "Key of the rules played by: token budget, turn limit, what is over the budget.",
               digits=None, audience="programs")  # fmt: skip
"""The last column of every table of runs; several keys, where a row rests on several rules, have ``+`` between them."""

_RUNS = ("run_id", "other_run_id")


def with_rules(table: Table, results: Results) -> Table:
    """Return a table whose last column is the key of the rules of each row, and whose caption names all keys.

    The runs of a row are those that its columns name, else those behind its numbers, else all. People see the column
    only where rules differ, and not at a terminal, where a pair's name says what is unusual.

    Args:
        table: Made from ``results``.
        results: Of some runs.
    """
    keys = {submission.run_id: submission.rules.key for submission in results.submissions}
    every = [rules.key for rules in rule_sets(results)]
    caption = table.caption if table.caption.endswith(".") else f"{table.caption}."
    named = replace(table, caption=f"{caption} Rules {', '.join(every)}.")
    if any(column.key == RULES.key for column in table.columns):
        return named
    places = [index for index, column in enumerate(table.columns) if column.key in _RUNS]
    rows = tuple((*row, Value(_joined({keys[run] for run in _runs(row, places)}, every))) for row in table.rows)
    column = replace(RULES, audience="pages") if len(every) > 1 else RULES
    return replace(named, columns=(*table.columns, column), rows=rows)


def _runs(row: tuple[Value, ...], places: Iterable[int]) -> list[str]:
    """List the runs of a row: the runs that the row names, else the runs behind its numbers."""
    named = [str(row[place].value) for place in places]
    return named or [run_id for value in row if value.episodes is not None for run_id in value.episodes.run_ids]


def _joined(keys: Collection[str], order: Iterable[str]) -> str:
    """Return some keys of rules as a single text, the usual rules first; all keys if none are given."""
    return "+".join(key for key in order if key in keys or not keys)
