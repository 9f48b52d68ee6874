"""Sudoku: which digits were filled in at the right places, with the given digits unharmed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist, isqrt

from ircore.seeing.ocr import TextLine

LEAST_TOLERANCE = 60.0
CELL_SHARE = 0.6
FALLBACK = 80.0
"""Pixels of tolerance where fewer than ``FEWEST`` digits are known."""
FEWEST = 4
LEAST_SCORE = 0.5


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


def digits_published(lines: Iterable[TextLine]) -> tuple[Digit, ...]:
    """Return every digit of lines with a confidence above 0.5, each at the centre of its line."""
    return tuple(
        Digit(character, *_centre(line))
        for line in lines
        if line.score > LEAST_SCORE
        for character in line.text
        if character in "0123456789"
    )


def digits(lines: Iterable[TextLine]) -> tuple[Digit, ...]:
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


def tolerance(solution: Sequence[Digit]) -> float:
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


def sudoku_published(answer: Sequence[Digit], solution: Sequence[Digit], puzzle: Sequence[Digit]) -> float | None:
    """Return the accuracy by GIR-Bench's rule, from the digits that OCR found in three pictures.

    Empty cells are the solution's digits away from every digit of the puzzle. A digit of the answer near one of the
    puzzle adds 1 to what is asked if it is another digit; any other digit fills the nearest empty cell that has its
    value, is within tolerance and not yet filled. Accuracy = filled / (empty cells + wrong originals). Pictures of
    other sizes are not rescaled, and a digit given in the puzzle that the answer lacks costs nothing.

    Returns:
        0–1; None if there is nothing to fill in and nothing wrong.
    """
    return _accuracy(answer, solution, puzzle, tolerance(solution), lost=False)


def sudoku(
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
    return _accuracy(scaled, solution, puzzle, cell / 2 if cell else tolerance(solution), lost=True)


def _accuracy(
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


def _centre(line: TextLine) -> tuple[float, float]:
    xs, ys = zip(*line.corners, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)
