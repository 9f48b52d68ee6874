"""Layouts of a table as text: aligned columns, fewer columns in a narrow terminal, or a block for each row."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

GAP = 2
"""Blanks between columns."""


def aligned(lines: Sequence[Sequence[str]], to_left: Sequence[bool], columns: int | None = None) -> list[str]:
    r"""Return a table's lines, its heading and a rule first.

    >>> print(*aligned([["pair", "main (0–100)"], ["a + b", "93.1"]], [True, False], columns=14), sep="\n")
              main
    pair   (0–100)
    ──────────────
    a + b     93.1

    Args:
        lines: The heading's cells and each row's cells.
        to_left: For each column, whether its cells are aligned to the left.
        columns: Columns of the terminal; headings are broken between words where a table is wider.
    """
    widths = _widths(lines)
    if columns is not None and _total(widths) > columns:
        widths = _narrow_widths(lines)
    parts = [wrap(head, width, break_on_hyphens=False) for head, width in zip(lines[0], widths, strict=True)]
    deepest = max(map(len, parts))
    # A short heading stands at the bottom, beside the last words of a long one.
    padded = [[""] * (deepest - len(words)) + words for words in parts]
    heading = [[words[depth] for words in padded] for depth in range(deepest)]
    texts = [
        (" " * GAP)
        .join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(line, widths, to_left, strict=True)
        )
        .rstrip()
        for line in (*heading, *lines[1:])
    ]
    return [*texts[:deepest], "─" * max(map(len, texts)), *texts[deepest:]]


def fitting_places(lines: Sequence[Sequence[str]], spare: Sequence[int], columns: int) -> list[int]:
    """Return the places of the columns that a terminal has room for, in their order; empty if the needed do not fit.

    >>> lines = [["pair", "score", "interval", "n"], ["a + b", "9.1", "8.2 to 9.7", "36"]]
    >>> fitting_places(lines, spare=[3, 2], columns=16)
    [0, 1, 3]

    Args:
        lines: The heading's cells and each row's cells.
        spare: Places of the columns that may be left out, the least important first; the others are needed.
        columns: Columns of the terminal.
    """
    widths = _narrow_widths(lines)
    places = [place for place in range(len(widths)) if place not in spare]
    # A column that is too wide makes room for narrower columns of less importance.
    for place in reversed(spare):
        if _total(widths[column] for column in (*places, place)) <= columns:
            places.append(place)
    return sorted(places) if _total(widths[place] for place in places) <= columns else []


def narrowest(lines: Sequence[Sequence[str]]) -> int:
    """Return how many columns a terminal needs to show all columns of a table beside one another."""
    return _total(_narrow_widths(lines))


def blocks(lines: Sequence[Sequence[str]], columns: int) -> list[str]:
    r"""Return the lines of a table with a block for each row, in which each cell has a line of its own.

    >>> print(*blocks([["pair", "score"], ["a + b", "9.1"], ["c + d", "8.0"]], columns=14), sep="\n")
    pair   a + b
    score  9.1
    ──────────────
    pair   c + d
    score  8.0

    Args:
        lines: The heading's cells and each row's cells.
        columns: Columns of the terminal.
    """
    heads, *rows = lines
    indent = min(max(map(len, heads)), columns // 2) + GAP
    texts: list[str] = []
    for row in rows:
        texts += ["─" * columns] if texts else []
        for head, cell in zip(heads, row, strict=True):
            if cell.strip():
                texts += wrap(f"{head:<{indent}}{cell}", columns, subsequent_indent="  ")
    return texts


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _narrow_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return widths of columns whose headings are broken between words."""
    heads, *rows = lines
    words = [max(map(len, head.split()), default=0) for head in heads]
    return [max(pair) for pair in zip(words, _widths([[""] * len(heads), *rows]), strict=True)]


def _total(widths: Iterable[int]) -> int:
    known = list(widths)
    return sum(known) + GAP * (len(known) - 1)
