"""Ruled grids of cells, such as a sudoku's, and jigsaws of square tiles, which are put together by their edges.

Of a grid it is found where its lines are, which digits it shows, and which follow. Neighbours in a jigsaw are tiles
whose edges continue each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from math import isqrt

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.drawing import Drawing
from ircore.core.images import Pixels

EMPTY = "."
"""An empty cell in a puzzle, which is written row by row as a string of digits."""

Unit = tuple[int, ...]
"""The cells of a row, a column or a box, as places in the string."""
Ink = npt.NDArray[np.bool_]

SIDES = (4, 9)
"""Cells a side of the grids that are known."""
UNREADABLE = "?"
"""A cell with a mark that is no known digit."""

DARK = 150
"""Mean of red, green and blue below which a pixel is ink."""
LINE = 0.7
"""Share of the grid's width or height over which a line must be dark."""
UNEVEN = 0.2
"""Share of a cell by which a line may be away from its place in an even grid."""
INSET = 0.12
"""Share of a cell at each edge that is left out when its digit is read, so that no line is taken for ink."""
LEAST_HEIGHT = 0.2
"""Share of a cell: lower marks are specks."""

FINE = 24
"""Pixels a side to which a digit is brought before it is compared."""
NARROW = 0.35
"""Share of its height below which a mark is a bar, and so a 1."""
SPECK = 0.01
"""Share of a mark's box: smaller holes are specks."""
ALIKE = 0.6
"""Least overlap (Dice) of a mark with the digit that it is read as; digits of other print fonts reach 0.7."""
AHEAD = 0.05
"""By how much the overlap must exceed that of the next best digit."""

_HOLES = {"1": (0,), "2": (0,), "3": (0,), "4": (0, 1), "5": (0,), "6": (1,), "7": (0,), "8": (2,), "9": (1,)}
"""Holes of each digit; an open 4 has none."""
_NOTHING = ((0.0, UNREADABLE), (0.0, UNREADABLE))

BEAM = 400
"""Partial arrangements that are carried on from tile to tile."""

Costs = npt.NDArray[np.int64]
"""Tiles × tiles: how badly the second continues the first; no tile continues itself."""


@cache
def list_units(side: int) -> tuple[Unit, ...]:
    """Return the cells of every row, column and box of a sudoku with ``side`` digits a side.

    >>> [len(list_units(side)) for side in (4, 9)]
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


def deduce_sudoku(puzzle: str) -> str | None:
    """Return a sudoku with all cells filled that follow without trying.

    A digit follows where it is the only digit that its cell still allows (naked single), or where its cell is the only
    cell of a row, column or box that still allows the digit (hidden single). A puzzle that is filled completely
    therefore has a single solution.

    >>> deduce_sudoku("1.3434122.434321")  # one empty cell in the first row, one in the third
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
            _place_digit(cell, digit, cells, allowed, side)
        waiting = _find_forced_digits(cells, allowed, side)
    return None if any(not allowed[cell] for cell, digit in enumerate(cells) if digit == EMPTY) else "".join(cells)


@dataclass(frozen=True)
class RuledGrid:
    """Places of a grid's lines in pixels.

    >>> RuledGrid(columns=(0, 50, 100), rows=(10, 60, 110)).middle(3)
    (75.0, 85.0)
    """

    columns: tuple[float, ...]
    """Vertical lines, from the left."""
    rows: tuple[float, ...]
    """Horizontal lines, from the top."""

    @property
    def side(self) -> int:
        """Cells a side."""
        return len(self.columns) - 1

    @property
    def cell(self) -> float:
        """Width of a cell in pixels."""
        return (self.columns[-1] - self.columns[0]) / self.side

    def middle(self, place: int) -> tuple[float, float]:
        """Return x and y of the middle of a cell, counted row by row from 0."""
        row, column = divmod(place, self.side)
        return (
            (self.columns[column] + self.columns[column + 1]) / 2,
            (self.rows[row] + self.rows[row + 1]) / 2,
        )


def find_grid(pixels: Pixels) -> RuledGrid | None:
    """Return the grid in a picture; None if no even grid of 4 × 4 or 9 × 9 cells is ruled in dark lines.

    Args:
        pixels: Height × width × 3, RGB.
    """
    ink = _find_ink(pixels)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size or not columns.size:
        return None
    high, wide = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    vertical = _find_lines(ink.sum(axis=0) >= LINE * high)  # exact: counts pixels
    horizontal = _find_lines(ink.sum(axis=1) >= LINE * wide)  # exact: counts pixels
    if len(vertical) != len(horizontal) or not (_is_even(vertical) and _is_even(horizontal)):
        return None
    return RuledGrid(vertical, horizontal)


def read_cells(pixels: Pixels, grid: RuledGrid) -> str:
    """Return the digit in each cell of a grid, row by row: ``.`` for an empty cell, ``?`` for an unreadable mark.

    >>> drawing = Drawing(100, 100)
    >>> drawing.text((25, 25), "3", size=30) and read_cells(drawing.pixels, RuledGrid((0, 50, 100), (0, 50, 100)))
    '3...'
    """
    ink = _find_ink(pixels)
    return "".join(_read_digit(_cut_cell(ink, grid, place)) for place in range(grid.side * grid.side))


def cut_tiles(pixels: Pixels, count: int) -> tuple[Pixels, ...]:
    """Cut a picture into ``count`` × ``count`` tiles, row by row; pixels beyond the last whole tile are left out.

    >>> [tile.shape for tile in cut_tiles(np.zeros((10, 20, 3), np.uint8), 2)]
    [(5, 10, 3), (5, 10, 3), (5, 10, 3), (5, 10, 3)]
    """
    high, wide = pixels.shape[0] // count, pixels.shape[1] // count
    return tuple(
        pixels[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
        for row in range(count)
        for column in range(count)
    )


def join_tiles(tiles: Sequence[Pixels], order: Sequence[int]) -> Pixels:
    """Return the picture in which place ``i``, row by row, shows the tile ``order[i]``."""
    count = round(len(order) ** 0.5)  # exact: the root of a square number
    rows = [
        np.concatenate([tiles[index] for index in order[start : start + count]], axis=1)
        for start in range(0, len(order), count)
    ]
    return np.concatenate(rows, axis=0)


def find_tile_order(tiles: Sequence[Pixels]) -> tuple[int, ...]:
    """Return the tile for each place, row by row, such that edges fit best.

    Arrangements grow tile by tile; of those of equal length the ``BEAM`` with the best edges are carried on.

    Args:
        tiles: Of equal size; their number is a square.
    """
    count = round(len(tiles) ** 0.5)  # exact: the root of a square number
    beside = _compute_edge_costs(
        [tile[:, -2:].swapaxes(0, 1) for tile in tiles], [tile[:, :2].swapaxes(0, 1) for tile in tiles]
    )
    below = _compute_edge_costs([tile[-2:] for tile in tiles], [tile[:2] for tile in tiles])
    beam: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for place in range(len(tiles)):
        longer = []
        for cost, order in beam:
            for tile in range(len(tiles)):
                if tile in order:
                    continue
                left = int(beside[order[-1], tile]) if place % count else 0
                above = int(below[order[place - count], tile]) if place >= count else 0
                longer.append((cost + left + above, (*order, tile)))
        beam = sorted(longer)[:BEAM]
    return beam[0][1]


@cache
def _list_peers(side: int) -> tuple[frozenset[int], ...]:
    """Return for each cell the other cells of its row, column and box."""
    units = list_units(side)
    return tuple(
        frozenset(other for unit in units if cell in unit for other in unit) - {cell} for cell in range(side * side)
    )


def _place_digit(cell: int, digit: str, cells: list[str], allowed: list[frozenset[str]], side: int) -> None:
    cells[cell], allowed[cell] = digit, frozenset()
    for other in _list_peers(side)[cell]:
        allowed[other] -= {digit}


def _find_forced_digits(cells: list[str], allowed: list[frozenset[str]], side: int) -> list[tuple[int, str]]:
    """Return the empty cells whose digit follows, with the digit."""
    singles = [(cell, next(iter(digits))) for cell, digits in enumerate(allowed) if len(digits) == 1]
    for unit in list_units(side):
        for digit in "123456789"[:side]:
            places = [cell for cell in unit if digit in allowed[cell]]
            if len(places) == 1 and cells[places[0]] == EMPTY:
                singles.append((places[0], digit))
    return singles


def _find_ink(pixels: Pixels) -> Ink:
    dark: Ink = pixels.astype(np.int32).sum(axis=2) < 3 * DARK  # exact: adds whole numbers
    return dark


def _find_lines(dark: Ink) -> tuple[float, ...]:
    """Return the middle of each run of dark columns (or rows)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], dark, [False]]).astype(np.int8)))
    return tuple((int(start) + int(end)) / 2 for start, end in zip(edges[::2], edges[1::2], strict=True))


def _is_even(lines: Sequence[float]) -> bool:
    """Return whether lines bound a known number of cells, all of about the same width."""
    side = len(lines) - 1
    if side not in SIDES:
        return False
    cell = (lines[-1] - lines[0]) / side
    return all(abs(second - first - cell) <= UNEVEN * cell for first, second in pairwise(lines))


def _cut_cell(ink: Ink, grid: RuledGrid, place: int) -> Ink:
    row, column = divmod(place, grid.side)
    margin = INSET * grid.cell
    top, bottom = (round(line + way * margin) for line, way in ((grid.rows[row], 1), (grid.rows[row + 1], -1)))
    left, right = (
        round(line + way * margin) for line, way in ((grid.columns[column], 1), (grid.columns[column + 1], -1))
    )
    return ink[top:bottom, left:right]


def _read_digit(cell: Ink) -> str:
    """Return the digit with as many holes whose form overlaps the ink of a cell most."""
    rows, columns = np.flatnonzero(cell.any(axis=1)), np.flatnonzero(cell.any(axis=0))
    if not rows.size or rows[-1] - rows[0] < LEAST_HEIGHT * len(cell):
        return EMPTY
    mark = cell[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if len(columns) < NARROW * len(mark):
        return "1"
    holes, fine = _count_holes(mark), _resize_mark(mark)
    scores: dict[str, float] = {}
    for digit, form in _load_digit_forms():
        if holes in _HOLES[digit]:
            scores[digit] = max(scores.get(digit, 0), _measure_overlap(fine, form))
    (best, digit), (second, _) = [
        *sorted(((score, digit) for digit, score in scores.items()), reverse=True),
        *_NOTHING,
    ][:2]
    return digit if best >= ALIKE and best - second >= AHEAD else UNREADABLE


def _count_holes(mark: Ink) -> int:
    """Return how many areas of ground a mark encloses; areas of a few pixels are specks."""
    parts, count = ndimage.label(~np.pad(mark, 1))
    sizes = np.bincount(parts.ravel(), minlength=count + 1)[1:]
    return int(np.count_nonzero(sizes >= SPECK * mark.size)) - 1


@cache
def _load_digit_forms() -> tuple[tuple[str, Ink], ...]:
    """Return forms of the digits: of the font inside Pillow, and a 1 with a foot."""
    forms = []
    for digit in "123456789":
        drawing = Drawing(120, 120)
        box = drawing.text((60, 60), digit, size=100)
        forms.append((digit, _resize_mark(_find_ink(drawing.pixels)[box.top : box.bottom, box.left : box.right])))
    drawing = Drawing(50, 74)
    drawing.polygon(
        [(22, 0), (31, 0), (31, 66), (50, 66), (50, 74), (2, 74), (2, 66), (21, 66), (21, 10), (2, 14), (2, 6)],
        "#000000",
    )
    return (*forms, ("1", _resize_mark(_find_ink(drawing.pixels))))


def _resize_mark(mark: Ink) -> Ink:
    """Bring a mark to a square of ``FINE`` pixels a side."""
    rows, columns = ((2 * np.arange(FINE) + 1) * size // (2 * FINE) for size in mark.shape)
    return np.asarray(mark[rows][:, columns])


def _measure_overlap(mark: Ink, form: Ink) -> float:
    """Return the overlap of two marks, 0–1 (Dice): at best over moves of a pixel."""
    total = np.count_nonzero(mark) + np.count_nonzero(form)
    moved = (np.roll(mark, move, axis=(0, 1)) for move in product((-1, 0, 1), repeat=2))
    return max(2 * np.count_nonzero(copy & form) / total for copy in moved)


def _compute_edge_costs(ends: Sequence[Pixels], starts: Sequence[Pixels]) -> Costs:
    """Return how badly each start, a tile's first two lines of pixels, continues each end, a tile's last two.

    That is by how much colours jump beyond the slope on either side.
    """
    # Wide integers: differences of unsigned bytes would wrap around.
    last, first = np.array(ends, np.int64), np.array(starts, np.int64)
    onward = np.clip(2 * last[:, 1] - last[:, 0], 0, 255)[:, None]
    back = np.clip(2 * first[:, 0] - first[:, 1], 0, 255)[None]
    jumps = np.abs(onward - first[None, :, 0]) + np.abs(back - last[:, None, 1])
    costs: Costs = jumps.sum(axis=(2, 3))  # exact: adds whole numbers
    return costs
