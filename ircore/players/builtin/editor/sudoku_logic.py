"""Sudoku by deduction: which digits follow from the digits that are there."""

from functools import cache
from itertools import product
from math import isqrt

EMPTY = "."
"""An empty cell in a puzzle, which is written row by row as a string of digits."""

Unit = tuple[int, ...]
"""The cells of a row, a column or a box, as places in the string."""


@cache
def units_of(side: int) -> tuple[Unit, ...]:
    """Return the cells of every row, column and box of a sudoku with ``side`` digits a side.

    >>> [len(units_of(side)) for side in (4, 9)]
    [12, 27]
    """
    box = isqrt(side)
    rows = [tuple(row * side + column for column in range(side)) for row in range(side)]
    columns = [tuple(row * side + column for row in range(side)) for column in range(side)]
    boxes = [
        tuple((top + down) * side + left + across for down, across in product(range(box), repeat=2))
        for top, left in product(range(0, side, box), repeat=2)
    ]
    return (*rows, *columns, *boxes)


@cache
def _peers_of(side: int) -> tuple[frozenset[int], ...]:
    """Return for each cell the other cells of its row, column and box."""
    units = units_of(side)
    return tuple(
        frozenset(other for unit in units if cell in unit for other in unit) - {cell} for cell in range(side * side)
    )


def deduced(puzzle: str) -> str | None:
    """Return a sudoku with all cells filled that follow without trying.

    A digit follows where it is the only digit that its cell still allows (naked single), or where its cell is the only
    cell of a row, column or box that still allows the digit (hidden single). A puzzle that is filled completely
    therefore has a single solution.

    >>> deduced("1.3434122.434321")  # one empty cell in the first row, one in the third
    '1234341221434321'

    Args:
        puzzle: Cells row by row, ``.`` for an empty cell; 16 or 81 characters.

    Returns:
        The cells, some of them perhaps still empty; None if two digits contradict each other.
    """
    side = isqrt(len(puzzle))
    allowed = [frozenset("123456789"[:side])] * len(puzzle)
    cells = [EMPTY] * len(puzzle)
    waiting = [(cell, digit) for cell, digit in enumerate(puzzle) if digit != EMPTY]
    while waiting:
        for cell, digit in waiting:
            # A digit may follow for two reasons at once.
            if cells[cell] == digit:
                continue
            if digit not in allowed[cell]:
                return None
            _place(cell, digit, cells, allowed, side)
        waiting = _singles(cells, allowed, side)
    return None if any(not allowed[cell] for cell, digit in enumerate(cells) if digit == EMPTY) else "".join(cells)


def _place(cell: int, digit: str, cells: list[str], allowed: list[frozenset[str]], side: int) -> None:
    cells[cell], allowed[cell] = digit, frozenset()
    for other in _peers_of(side)[cell]:
        allowed[other] -= {digit}


def _singles(cells: list[str], allowed: list[frozenset[str]], side: int) -> list[tuple[int, str]]:
    """Return the empty cells whose digit follows, with the digit."""
    singles = [(cell, next(iter(digits))) for cell, digits in enumerate(allowed) if len(digits) == 1]
    for unit in units_of(side):
        for digit in "123456789"[:side]:
            places = [cell for cell in unit if digit in allowed[cell]]
            if len(places) == 1 and cells[places[0]] == EMPTY:
                singles.append((places[0], digit))
    return singles
