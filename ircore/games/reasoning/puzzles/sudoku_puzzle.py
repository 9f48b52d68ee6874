"""Sudokus with a single solution that deduction finds, and how they are drawn."""

import random
from math import isqrt
from typing import NamedTuple

from ircore.core.drawing import Drawing
from ircore.seeing.grids import EMPTY, RuledGrid, deduced

SIZES, MARGIN = {4: 512, 9: 1024}, 16
"""Pixels of the picture by the digits a side, and of paper around the grid. A cell has more than 100 pixels, so that
GIR-Bench's rule, which lets a digit be 60 pixels off, does not take neighbours for each other."""
THIN, THICK = 2.0, 5.0
"""Pixels of the lines between cells and around boxes."""
DIGIT = 0.6
"""Size of a digit's font as a share of a cell."""
EMPTIES = {4: 9, 9: 45}
"""Empty cells by the digits a side: 7 of 16 and 36 of 81 digits are given."""


class SudokuPuzzle(NamedTuple):
    """A sudoku and its solution, row by row; ``.`` stands for an empty cell.

    >>> SudokuPuzzle("1.3434122.434321", "1234341221434321").side
    4
    """

    cells: str
    solution: str

    @property
    def side(self) -> int:
        """Digits a side."""
        return isqrt(len(self.cells))


def make_sudoku(side: int, rng: random.Random) -> SudokuPuzzle:
    """Return a sudoku whose empty cells all follow by deduction, which leaves a single solution.

    Digits are taken out of a full grid in a drawn order; a digit stays if the puzzle could not be deduced without it.

    Args:
        side: 4 or 9.
        rng: Decides everything.
    """
    while True:
        solution = _full(side, rng)
        cells = solution
        for place in rng.sample(range(side * side), side * side):
            emptied = f"{cells[:place]}{EMPTY}{cells[place + 1 :]}"
            if deduced(emptied) == solution:
                cells = emptied
            # A full grid may allow fewer empty cells than are wanted; the outer loop then tries another one.
            if cells.count(EMPTY) == EMPTIES[side]:
                return SudokuPuzzle(cells, solution)


def _full(side: int, rng: random.Random) -> str:
    """Return a full grid: a regular one with digits, rows and columns exchanged within the rules."""
    box = isqrt(side)

    def exchanged() -> list[int]:
        """Return rows or columns in an order that keeps boxes together."""
        return [band * box + line for band in rng.sample(range(box), box) for line in rng.sample(range(box), box)]

    digits = rng.sample("123456789"[:side], side)
    columns = exchanged()
    # Within a band each row is the last one shifted by a box, and each band by one more: no digit meets itself.
    return "".join(digits[(row % box * box + row // box + column) % side] for row in exchanged() for column in columns)


def layout_of(side: int) -> RuledGrid:
    """Return where the lines of a drawn sudoku are."""
    lines = tuple(MARGIN + (SIZES[side] - 2 * MARGIN) * number / side for number in range(side + 1))
    return RuledGrid(lines, lines)


def draw_sudoku(cells: str) -> Drawing:
    """Draw a sudoku: a ruled grid, thicker around boxes, and the digits in the middle of their cells."""
    side = isqrt(len(cells))
    grid, size = layout_of(side), SIZES[side]
    drawing, half = Drawing(size, size), THICK / 2
    for number, line in enumerate(grid.rows):
        width = THIN if number % isqrt(side) else THICK
        drawing.rectangle(line - width / 2, MARGIN - half, line + width / 2, size - MARGIN + half, fill="#000000")
        drawing.rectangle(MARGIN - half, line - width / 2, size - MARGIN + half, line + width / 2, fill="#000000")
    for place, digit in enumerate(cells):
        if digit != EMPTY:
            drawing.text(grid.middle(place), digit, size=DIGIT * grid.cell, colour="#101010")
    return drawing
