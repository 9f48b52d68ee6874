"""*Sudoku*: the missing digits are to be drawn into their cells.

Measured is which digits were filled in at the right places, with the given digits unharmed.
"""

import random
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import dist, isqrt
from typing import Any, NamedTuple

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.games.reasoning.tasks import Dimension, Task, TaskVerdict
from ircore.seeing.grids import EMPTY, UNREADABLE, RuledGrid, deduce_sudoku, find_grid, read_cells
from ircore.seeing.ocr import TextLine, find_missing_ocr_package, read_text

LEAST_TOLERANCE = 60.0
CELL_SHARE = 0.6
FALLBACK = 80.0
"""Pixels of tolerance where fewer than ``FEWEST`` digits are known."""
FEWEST = 4
LEAST_SCORE = 0.5

SIZES, MARGIN = {4: 512, 9: 1024}, 16
"""Pixels of the picture by the digits a side, and of paper around the grid. A cell has more than 100 pixels, so that
GIR-Bench's rule, which lets a digit be 60 pixels off, does not take neighbours for each other."""
THIN, THICK = 2.0, 5.0
"""Pixels of the lines between cells and around boxes."""
DIGIT = 0.6
"""Size of a digit's font as a share of a cell."""
EMPTIES = {4: 9, 9: 45}
"""Empty cells by the digits a side: 7 of 16 and 36 of 81 digits are given."""

WITHOUT_OCR = "GIR-Bench's rule reads digits by OCR, which needs the extra ocr"
MOST_FAULTS = 5
"""Wrong cells that a verdict names."""


@dataclass(frozen=True)
class Digit:
    """A digit and its place in pixels.

    Example:
        >>> Digit("7", x=30, y=40).distance(Digit("7", x=0, y=0))
        50.0
    """

    value: str
    x: float
    y: float

    def near(self, other: "Digit", tolerance: float) -> bool:
        """Say whether two digits stand within ``tolerance`` pixels."""
        return self.distance(other) <= tolerance

    def distance(self, other: "Digit") -> float:
        """Return the distance in pixels."""
        return dist((self.x, self.y), (other.x, other.y))


def read_published_digits(lines: Iterable[TextLine]) -> tuple[Digit, ...]:
    """Return every digit of lines with a confidence above 0.5, each at the centre of its line."""
    return tuple(
        Digit(character, *_find_centre(line))
        for line in lines
        if line.score > LEAST_SCORE
        for character in line.text
        if character in "0123456789"
    )


def read_digits(lines: Iterable[TextLine]) -> tuple[Digit, ...]:
    """Return every digit at its own place: characters of a line are spread evenly along its box."""
    spread = []
    for line in lines:
        if line.score <= LEAST_SCORE:
            continue
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line.corners
        start, end = ((x0 + x3) / 2, (y0 + y3) / 2), ((x1 + x2) / 2, (y1 + y2) / 2)
        for index, character in enumerate(line.text):
            share = (index + 0.5) / len(line.text)
            if character in "0123456789":
                place = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
                spread.append(Digit(character, *place))
    return tuple(spread)


def compute_tolerance(solution: Sequence[Digit]) -> float:
    """Return how far a digit may be off, in pixels: 0.6 of a cell, at least 60; 80 for fewer than four digits.

    A cell is the larger extent of the solution's digits over one less than the digits a side, the root of their number.
    """
    side = isqrt(len(solution))
    # So few digits have no extent from which a cell's width could be told.
    if len(solution) < FEWEST or side < 2:
        return FALLBACK
    extent = max(
        max(digit.x for digit in solution) - min(digit.x for digit in solution),
        max(digit.y for digit in solution) - min(digit.y for digit in solution),
    )
    return max(CELL_SHARE * extent / (side - 1), LEAST_TOLERANCE)


def score_published_sudoku(answer: Sequence[Digit], solution: Sequence[Digit], puzzle: Sequence[Digit]) -> float | None:
    """Return the accuracy by GIR-Bench's rule, from the digits that OCR found in three pictures.

    Empty cells are the solution's digits away from every digit of the puzzle. A digit of the answer near one of the
    puzzle adds 1 to what is asked if it is another digit; any other digit fills the nearest empty cell that has its
    value, is within tolerance and not yet filled. Accuracy = filled / (empty cells + wrong originals). Pictures of
    other sizes are not rescaled, and a digit given in the puzzle that the answer lacks costs nothing.

    Returns:
        0–1; None if there is nothing to fill in and nothing wrong.
    """
    return _compute_accuracy(answer, solution, puzzle, compute_tolerance(solution), lost=False)


def score_sudoku(
    answer: Sequence[Digit],
    solution: Sequence[Digit],
    puzzle: Sequence[Digit],
    scale: tuple[float, float] = (1.0, 1.0),
    cell: float | None = None,
) -> float | None:
    """Return the accuracy: cells filled rightly over empty cells and given digits that were changed or lost.

    Args:
        answer: Digits of the answer, see ``digits``.
        solution: Digits of the solution; best from its data, not from OCR.
        puzzle: Digits of the puzzle.
        scale: What the answer's x and y are multiplied by to be comparable: solution's size over answer's size.
        cell: Width of a cell in pixels, if it is known; the tolerance is then half of it, so that no digit can count
            for a neighbouring cell.

    Returns:
        0–1; None if there is nothing to fill in and nothing wrong.
    """
    scaled = [Digit(digit.value, digit.x * scale[0], digit.y * scale[1]) for digit in answer]
    return _compute_accuracy(scaled, solution, puzzle, cell / 2 if cell else compute_tolerance(solution), lost=True)


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
        solution = _draw_full_grid(side, rng)
        cells = solution
        for place in rng.sample(range(side * side), side * side):
            emptied = f"{cells[:place]}{EMPTY}{cells[place + 1 :]}"
            if deduce_sudoku(emptied) == solution:
                cells = emptied
            # A full grid may allow fewer empty cells than are wanted; the outer loop then tries another one.
            if cells.count(EMPTY) == EMPTIES[side]:
                return SudokuPuzzle(cells, solution)


def compute_layout(side: int) -> RuledGrid:
    """Return where the lines of a drawn sudoku are."""
    lines = tuple(MARGIN + (SIZES[side] - 2 * MARGIN) * number / side for number in range(side + 1))
    return RuledGrid(lines, lines)


def draw_sudoku(cells: str) -> Drawing:
    """Draw a sudoku: a ruled grid, thicker around boxes, and the digits in the middle of their cells."""
    side = isqrt(len(cells))
    grid, size = compute_layout(side), SIZES[side]
    drawing, half = Drawing(size, size), THICK / 2
    for number, line in enumerate(grid.rows):
        width = THIN if number % isqrt(side) else THICK
        drawing.rectangle(line - width / 2, MARGIN - half, line + width / 2, size - MARGIN + half, fill="#000000")
        drawing.rectangle(MARGIN - half, line - width / 2, size - MARGIN + half, line + width / 2, fill="#000000")
    for place, digit in enumerate(cells):
        if digit != EMPTY:
            drawing.text(grid.middle(place), digit, size=DIGIT * grid.cell, colour="#101010")
    return drawing


class Sudoku(Dimension):
    """Four digits a side (easy) or nine (hard); every digit follows by deduction.

    >>> task = Sudoku().build("easy", random.Random(1))
    >>> Sudoku().verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0
    """

    name = "sudoku"
    part = "edit"
    title = "Sudoku"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a sudoku of our own."""
        side = 9 if difficulty == "hard" else 4
        puzzle = make_sudoku(side, rng)
        prompt = (
            f"Solve this {side} × {side} sudoku: draw the same picture with the missing digit in every empty cell. "
            f"Every row, every column and every box of {isqrt(side)} × {isqrt(side)} cells holds each digit from 1 to "
            f"{side} exactly once. Leave the grid and the given digits as they are."
        )
        pictures = {
            "input": Picture.from_pixels(draw_sudoku(puzzle.cells).pixels),
            "truth": Picture.from_pixels(draw_sudoku(puzzle.solution).pixels),
        }
        return Task(prompt, {"cells": puzzle.cells, "solution": puzzle.solution}, pictures)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:
        """Return the share of empty cells filled rightly; each given digit changed or lost counts as one cell more.

        As published, digits of all three pictures are read by OCR. Ours are compared with the known solution, and read
        cell by cell with the forms of print; OCR, where installed, reads cells that these leave open.
        """
        cells, solution = payload["cells"], payload["solution"]
        answer_cells = read_seen_cells(answer, isqrt(len(cells)))
        score = score_sudoku(
            _place_digits(answer_cells),
            _place_digits(solution),
            _place_digits(cells),
            cell=compute_layout(isqrt(len(cells))).cell,
        )
        corrected = 1.0 if score is None else score  # nothing was to be filled in, and nothing is wrong
        reasons, published = _describe_reasons(answer_cells, cells, solution), _score_as_published(pictures, answer)
        return TaskVerdict(published, corrected, answer_cells == solution, reasons, WITHOUT_OCR)


def read_seen_cells(answer: Picture, side: int) -> str:
    """Return the digit in each cell of an answer, row by row: ``.`` for an empty cell, ``?`` for an unreadable one.

    Where no grid is seen, cells are taken to lie where the puzzle has them.
    """
    grid = find_grid(answer.pixels)
    # A redrawn grid may be broken or have other lines; the digits may still be where they belong.
    if grid is None or grid.side != side:
        layout = compute_layout(side)
        columns = tuple(line * answer.width / SIZES[side] for line in layout.columns)
        grid = RuledGrid(columns, tuple(line * answer.height / SIZES[side] for line in layout.rows))
    cells = list(read_cells(answer.pixels, grid))
    # OCR takes long, and is asked only about cells that the forms of print leave open.
    if UNREADABLE in cells and not find_missing_ocr_package():
        for digit in read_digits(read_text(answer.pixels)):
            place = _find_cell(digit, grid)
            if place is not None and cells[place] == UNREADABLE:
                cells[place] = digit.value
    return "".join(cells)


def _compute_accuracy(
    answer: Sequence[Digit], solution: Sequence[Digit], puzzle: Sequence[Digit], within: float, lost: bool
) -> float | None:
    empty = [cell for cell in solution if not any(cell.near(printed, within) for printed in puzzle)]
    open_cells, filled, wrong = list(empty), 0, 0
    for digit in answer:
        near_digits = [printed for printed in puzzle if digit.near(printed, within)]
        if near_digits:
            # The nearest given digit: with a wide tolerance several are within reach.
            wrong += min(near_digits, key=digit.distance).value != digit.value
            continue
        matches = [cell for cell in open_cells if cell.value == digit.value and cell.near(digit, within)]
        if matches:
            # A cell is filled once, so that a digit drawn twice cannot count twice.
            open_cells.remove(min(matches, key=digit.distance))
            filled += 1
    if lost:
        # A picture that wipes out given digits would otherwise score as well as one that keeps these.
        wrong += sum(not any(digit.near(printed, within) for digit in answer) for printed in puzzle)
    denominator = len(empty) + wrong
    return filled / denominator if denominator else None


def _find_centre(line: TextLine) -> tuple[float, float]:
    xs, ys = zip(*line.corners, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _draw_full_grid(side: int, rng: random.Random) -> str:
    """Return a full grid: a regular one with digits, rows and columns exchanged within the rules."""
    box = isqrt(side)

    def exchanged() -> list[int]:
        """Return rows or columns in an order that keeps boxes together."""
        return [band * box + line for band in rng.sample(range(box), box) for line in rng.sample(range(box), box)]

    digits = rng.sample("123456789"[:side], side)
    columns = exchanged()
    # Within a band each row is the last one shifted by a box, and each band by one more: no digit meets itself.
    return "".join(digits[(row % box * box + row // box + column) % side] for row in exchanged() for column in columns)


def _find_cell(digit: Digit, grid: RuledGrid) -> int | None:
    """Return the cell in which a digit stands, counted row by row."""
    column, row = bisect(grid.columns, digit.x) - 1, bisect(grid.rows, digit.y) - 1
    inside = 0 <= column < grid.side and 0 <= row < grid.side
    return row * grid.side + column if inside else None


def _score_as_published(pictures: Mapping[str, Picture], answer: Picture) -> float | None:
    """Return GIR-Bench's accuracy; None without OCR."""
    if find_missing_ocr_package():
        return None
    read = [read_published_digits(read_text(shown.pixels)) for shown in (answer, pictures["truth"], pictures["input"])]
    return score_published_sudoku(*read)


def _place_digits(cells: str) -> tuple[Digit, ...]:
    """Return digits in the middle of their cells."""
    layout = compute_layout(isqrt(len(cells)))
    readable = ((place, cell) for place, cell in enumerate(cells) if cell not in (EMPTY, UNREADABLE))
    return tuple(Digit(cell, *layout.middle(place)) for place, cell in readable)


def _describe_reasons(answer_cells: str, cells: str, solution: str) -> tuple[str, ...]:
    """Return in words how many cells are right, and the first cells that are wrong."""
    empty = [place for place, cell in enumerate(cells) if cell == EMPTY]
    right = sum(answer_cells[place] == solution[place] for place in empty)
    reasons = [f"{right} of {format_count(len(empty), 'empty cell')} hold the right digit"]
    if undecided := answer_cells.count(UNREADABLE):
        reasons.append(f"cells that cannot be read and count as wrong: {undecided}")
    wrong = [place for place, cell in enumerate(answer_cells) if cell not in (solution[place], EMPTY, UNREADABLE)]
    reasons += [_describe_fault(place, answer_cells, cells, solution) for place in wrong[:MOST_FAULTS]]
    if len(wrong) > MOST_FAULTS:
        reasons.append(f"and {format_count(len(wrong) - MOST_FAULTS, 'more wrong digit')}")
    return tuple(reasons)


def _describe_fault(place: int, answer_cells: str, cells: str, solution: str) -> str:
    row, column = divmod(place, isqrt(len(cells)))
    kind = "" if cells[place] == EMPTY else "the given "
    return f"row {row + 1}, column {column + 1}: {answer_cells[place]} instead of {kind}{solution[place]}"
