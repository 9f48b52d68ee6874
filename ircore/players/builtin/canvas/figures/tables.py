"""Markdown tables, written as sentences."""

import re
from itertools import groupby

_RULE = re.compile(r"^[\s|:+-]+$")
_VALUE = re.compile(r"-?[\d.,]+\s*%?")


def without_tables(text: str) -> str:
    """Return ``text`` with each table as lines: ``Mon: 12`` a row, or ``Cars: 12, 30`` where columns are the words."""
    lines: list[str] = []
    for is_table, group in groupby(text.split("\n"), key=lambda line: line.count("|") >= 2):
        rows = list(group)
        lines += _sentences([_cells(row) for row in rows if not _RULE.match(row)]) if is_table else rows
    return "\n".join(lines)


def _cells(row: str) -> list[str]:
    return [cell.strip(" *`") for cell in row.strip().strip("|").split("|")]


def _sentences(rows: list[list[str]]) -> list[str]:
    if len(rows) < 2:
        return [" ".join(row) for row in rows]
    head, *body = rows
    if len(head) > 2 and all(_VALUE.fullmatch(cell) for row in body for cell in row[1:]):
        words = f"categories: {', '.join(head[1:])}"
        return [words, *(f"{row[0]} values: {', '.join(row[1:])}" for row in body)]
    return [f"{row[0]}: {', '.join(row[1:])}" for row in body]
