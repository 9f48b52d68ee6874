"""Pictures of many colours as a few large patches of one colour each.

A picture is reduced to a coarse grid. Then, again and again, that rectangle or ellipse is chosen which, painted in its
own mean colour over what is there so far, takes away most of the squared error; sums over all rectangles come from an
integral image. Beginning from the last rendering instead of a plain background gives the corrections of later turns.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.seeing.algebra import Floats, straight_fit
from ircore.seeing.flat_colours import rgb_array, to_hex
from ircore.seeing.percepts import Backdrop, Shape, upright_shape

CELLS = 20
"""Cells along each side of the coarse grid."""


@dataclass(frozen=True, eq=False)
class _Patch:
    """A rectangle of cells, half open, or the ellipse inside."""

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
        # A picture smaller than the grid would leave cells without pixels.
        if pixels.shape[axis] < CELLS:
            pixels = pixels.repeat(CELLS, axis)
    height, width = pixels.shape[:2]
    rows = np.linspace(0, height, CELLS + 1).astype(int)
    columns = np.linspace(0, width, CELLS + 1).astype(int)
    sums = np.add.reduceat(pixels.astype(np.float64), rows[:-1], axis=0)
    sums = np.add.reduceat(sums, columns[:-1], axis=1)
    sizes = np.diff(rows)[:, None] * np.diff(columns)
    return np.asarray(sums / sizes[..., None])


def backdrop_of(grid: Floats) -> Backdrop:
    """Return the vertical fade nearest to a coarse picture."""
    along = (np.arange(CELLS) + 0.5) / CELLS
    slope, start = straight_fit(along, np.median(grid, axis=1))
    return Backdrop(to_hex(start), to_hex(start + slope))


def faded(backdrop: Backdrop) -> Floats:
    """Return the coarse picture of a vertical fade."""
    first, last = (rgb_array(colour) for colour in (backdrop.colour, backdrop.last or backdrop.colour))
    along = ((np.arange(CELLS) + 0.5) / CELLS)[:, None]
    column = first + along * (last - first)
    return np.repeat(column[:, None, :], CELLS, axis=1)


def patches(target: Floats, start: Floats, count: int) -> list[_Patch]:
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


def _best(target: Floats, current: Floats) -> _Patch | None:
    """Return the patch that takes away most squared error."""
    top, left, bottom, right = _rectangles()
    fixed = (np.square(target - current) - np.square(target)).sum(axis=-1)
    sums = [_integral(fixed), *(_integral(target[..., channel]) for channel in range(3))]
    over = [table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left] for table in sums]
    cells = (bottom - top) * (right - left)
    gain = over[0] + (np.square(over[1]) + np.square(over[2]) + np.square(over[3])) / cells
    best = int(gain.argmax())
    # Less than one cell that is off by 40 in each of the three channels is not worth a patch.
    if gain[best] < 3 * 40.0 * 40.0:
        return None
    # Gains of rectangles are known; ellipses are only tried in the best of them, since each costs a mask.
    candidates = [_patch(target, current, int(top[i]), int(left[i]), int(bottom[i]), int(right[i]), shape)
                  for i in np.argsort(-gain, kind="stable")[:24] for shape in (False, True)]  # fmt: skip
    return max(candidates, key=lambda patch: (patch.gain, not patch.round))


def _patch(target: Floats, current: Floats, top: int, left: int, bottom: int, right: int, is_round: bool) -> _Patch:
    shape = _Patch(top, left, bottom, right, is_round, np.zeros(3), 0.0)
    inside = _inside(shape)
    wanted = target[top:bottom, left:right][inside]
    colour = wanted.mean(axis=0)
    gain = np.square(wanted - current[top:bottom, left:right][inside]).sum() - np.square(wanted - colour).sum()
    return _Patch(top, left, bottom, right, is_round, colour, float(gain))


def _inside(patch: _Patch) -> npt.NDArray[np.bool_]:
    """Return the mask of cells that a patch covers within the patch's own rectangle."""
    high, wide = patch.bottom - patch.top, patch.right - patch.left
    return _ellipse(high, wide) if patch.round else np.ones((high, wide), bool)


@cache
def _ellipse(high: int, wide: int) -> npt.NDArray[np.bool_]:
    rows, columns = np.ogrid[:high, :wide]
    return np.asarray(np.square((rows + 0.5) / high * 2 - 1) + np.square((columns + 0.5) / wide * 2 - 1) <= 1)


def _span(first: int, last: int, size: int) -> tuple[int, int]:
    """Return first and last pixel of a range of cells; at least one pixel."""
    low, high = (round(cell * size / CELLS) for cell in (first, last))
    return (low, high) if low < high else (min(low, size - 1), min(low, size - 1) + 1)


def as_shape(patch: _Patch, width: int, height: int) -> Shape:
    """Return a patch as a shape in pixels of the picture."""
    left, right = _span(patch.left, patch.right, width)
    top, bottom = _span(patch.top, patch.bottom, height)
    return upright_shape("ellipse" if patch.round else "rectangle", to_hex(patch.colour), (left, top, right, bottom))
