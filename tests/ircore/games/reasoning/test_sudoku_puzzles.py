"""Sudokus: one solution, found by trying every digit; drawn so that the digits can be read."""

import random
from collections.abc import Iterator

import pytest

from ircore.games.reasoning.puzzles.sudoku_puzzle import EMPTIES, SIZES, draw_sudoku, layout_of, make_sudoku
from ircore.players.builtin.editor.ruled_grid import find_grid, read_cells
from ircore.players.builtin.editor.sudoku_logic import EMPTY, deduced, units_of


def solutions(cells: str, side: int) -> Iterator[str]:
    """Yield every solution of a sudoku, by trying all digits that no row, column or box forbids."""
    if EMPTY not in cells:
        yield cells
        return
    box = round(side**0.5)

    def options(place: int) -> list[str]:
        row, column = divmod(place, side)
        taken = {
            cells[other]
            for other in range(side * side)
            if other // side == row
            or other % side == column
            or (other // side // box, other % side // box) == (row // box, column // box)
        }
        return [digit for digit in "123456789"[:side] if digit not in taken]

    place = min((place for place, cell in enumerate(cells) if cell == EMPTY), key=lambda place: len(options(place)))
    for digit in options(place):
        yield from solutions(f"{cells[:place]}{digit}{cells[place + 1 :]}", side)


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 9])
@pytest.mark.parametrize("seed", range(4))
def test_a_sudoku_has_exactly_the_solution_it_states(side: int, seed: int) -> None:
    puzzle = make_sudoku(side, random.Random(seed))
    assert puzzle.cells.count(EMPTY) == EMPTIES[side]
    assert list(solutions(puzzle.cells, side)) == [puzzle.solution]
    for unit in units_of(side):
        assert sorted(puzzle.solution[cell] for cell in unit) == list("123456789"[:side])


def test_a_puzzle_with_two_solutions_is_not_deduced_completely() -> None:
    # Columns 1 and 2 of the upper rows may be exchanged: both grids keep the rules.
    puzzle = "..34..123.....43"
    assert len(list(solutions(puzzle, 4))) > 1
    assert EMPTY in (deduced(puzzle) or "")


@pytest.mark.parametrize("puzzle", ["11..............", "1234341221434322"])
def test_digits_that_contradict_each_other_have_no_solution(puzzle: str) -> None:
    assert deduced(puzzle) is None


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 9])
def test_a_drawn_sudoku_is_read_back_digit_by_digit(side: int) -> None:
    puzzle = make_sudoku(side, random.Random(3))
    for cells in puzzle:
        pixels = draw_sudoku(cells).pixels
        assert pixels.shape == (SIZES[side], SIZES[side], 3)
        grid = find_grid(pixels)
        assert grid is not None
        assert grid.columns == pytest.approx(layout_of(side).columns, abs=1)
        assert read_cells(pixels, grid) == cells
