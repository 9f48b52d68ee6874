"""Pictures of very many colours, as a few large patches of one colour each.

A picture is reduced to a coarse grid. Then, again and again, that rectangle or ellipse is chosen which, painted in its
own mean colour over what is there so far, takes away most of the squared error; sums over all rectangles come from an
integral image. Beginning from the last rendering instead of a plain background gives the corrections of later turns.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.players.builtin.classical.palette import to_hex
from ircore.players.builtin.classical.percepts import Backdrop, Shape

CELLS = 20
"""Cells along each side of the coarse grid."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Patch:
    """A rectangle of cells, half open, and whether the ellipse inside it is meant."""

    top: int
    left: int
    bottom: int
    right: int
    round: bool
    colour: Floats
    gain: float


def coarse(pixels: Pixels) -> Floats:
    """Reduce a picture to ``CELLS`` × ``CELLS`` mean colours."""
    for axis in (0, 1):
        if pixels.shape[axis] < CELLS:
            pixels = pixels.repeat(CELLS, axis)
    height, width = pixels.shape[:2]
    rows = np.linspace(0, height, CELLS + 1).astype(int)
    columns = np.linspace(0, width, CELLS + 1).astype(int)
    sums = np.add.reduceat(pixels.astype(np.float64), rows[:-1], axis=0)
    sums = np.add.reduceat(sums, columns[:-1], axis=1)
    sizes = np.diff(rows)[:, None] * np.diff(columns)
    reduced: Floats = sums / sizes[..., None]
    return reduced


def backdrop_of(grid: Floats) -> Backdrop:
    """Return the vertical fade nearest to a coarse picture."""
    along = (np.arange(CELLS) + 0.5) / CELLS
    slope, start = np.polyfit(along, np.median(grid, axis=1), 1)
    return Backdrop(to_hex(start), to_hex(start + slope))


def faded(backdrop: Backdrop) -> Floats:
    """Return the coarse picture of a vertical fade."""
    first, last = (_rgb(colour) for colour in (backdrop.colour, backdrop.last or backdrop.colour))
    along = ((np.arange(CELLS) + 0.5) / CELLS)[:, None]
    column = first + along * (last - first)
    return np.repeat(column[:, None, :], CELLS, axis=1)


def _rgb(colour: str) -> Floats:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.float64)


def patches(target: Floats, start: Floats, count: int) -> list[Patch]:
    """Choose patches that bring ``start`` nearer to ``target``, the most telling first."""
    current = start.copy()
    chosen = []
    for _ in range(count):
        patch = _best(target, current)
        if patch is None:
            break
        inside = _inside(patch)
        current[patch.top : patch.bottom, patch.left : patch.right][inside] = patch.colour
        chosen.append(patch)
    return chosen


@cache
def _rectangles() -> tuple[npt.NDArray[np.intp], ...]:
    """Return top, left, bottom, right of all rectangles at least two cells wide and high."""
    low, high = np.triu_indices(CELLS + 1, 2)
    rows, columns = np.meshgrid(np.arange(len(low)), np.arange(len(low)), indexing="ij")
    flat_rows, flat_columns = rows.ravel(), columns.ravel()
    return low[flat_rows], low[flat_columns], high[flat_rows], high[flat_columns]


def _integral(grid: Floats) -> Floats:
    return np.pad(grid.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)) + ((0, 0),) * (grid.ndim - 2))


def _best(target: Floats, current: Floats) -> Patch | None:
    """Return the patch that takes away most squared error."""
    top, left, bottom, right = _rectangles()
    fixed = ((target - current) ** 2 - target**2).sum(axis=-1)
    sums = [_integral(fixed), *(_integral(target[..., channel]) for channel in range(3))]
    over = [table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left] for table in sums]
    cells = (bottom - top) * (right - left)
    gain = over[0] + (over[1] ** 2 + over[2] ** 2 + over[3] ** 2) / cells
    best = int(gain.argmax())
    if gain[best] < 3 * 40.0**2:
        return None
    candidates = [_patch(target, current, int(top[i]), int(left[i]), int(bottom[i]), int(right[i]), shape)
                  for i in np.argpartition(gain, -24)[-24:] for shape in (False, True)]  # fmt: skip
    return max(candidates, key=lambda patch: (patch.gain, not patch.round))


def _patch(target: Floats, current: Floats, top: int, left: int, bottom: int, right: int, is_round: bool) -> Patch:
    shape = Patch(top, left, bottom, right, is_round, np.zeros(3), 0.0)
    inside = _inside(shape)
    wanted = target[top:bottom, left:right][inside]
    colour = wanted.mean(axis=0)
    gain = ((wanted - current[top:bottom, left:right][inside]) ** 2).sum() - ((wanted - colour) ** 2).sum()
    return Patch(top, left, bottom, right, is_round, colour, float(gain))


def _inside(patch: Patch) -> npt.NDArray[np.bool_]:
    """Return the cells of its rectangle that a patch covers."""
    high, wide = patch.bottom - patch.top, patch.right - patch.left
    if not patch.round:
        return np.ones((high, wide), bool)
    return _ellipse(high, wide)


@cache
def _ellipse(high: int, wide: int) -> npt.NDArray[np.bool_]:
    rows, columns = np.ogrid[:high, :wide]
    return np.asarray(((rows + 0.5) / high * 2 - 1) ** 2 + ((columns + 0.5) / wide * 2 - 1) ** 2 <= 1)


def _span(first: int, last: int, size: int) -> tuple[int, int]:
    """Return where cells begin and end, in pixels: one pixel at least, of a picture that has fewer than cells."""
    low, high = (round(cell * size / CELLS) for cell in (first, last))
    return (low, high) if low < high else (min(low, size - 1), min(low, size - 1) + 1)


def as_shape(patch: Patch, width: int, height: int) -> Shape:
    """Return a patch as a shape in pixels of the picture."""
    left, right = _span(patch.left, patch.right, width)
    top, bottom = _span(patch.top, patch.bottom, height)
    return Shape(
        "ellipse" if patch.round else "rectangle", to_hex(patch.colour), ((left + right) / 2, (top + bottom) / 2),
        (float(right - left), float(bottom - top)), 0.0, (), None, float((right - left) * (bottom - top)),
        (left, top, right, bottom),
    )  # fmt: skip
