"""Putting a jigsaw of square tiles together: neighbours are tiles whose edges continue each other."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels

BEAM = 400
"""Partial arrangements that are carried on from tile to tile."""

Costs = npt.NDArray[np.int64]
"""Tiles × tiles: how badly the second continues the first; no tile continues itself."""


def tiles_of(pixels: Pixels, count: int) -> tuple[Pixels, ...]:
    """Cut a picture into ``count`` × ``count`` tiles, row by row; pixels beyond the last whole tile are left out.

    >>> [tile.shape for tile in tiles_of(np.zeros((10, 20, 3), np.uint8), 2)]
    [(5, 10, 3), (5, 10, 3), (5, 10, 3), (5, 10, 3)]
    """
    high, wide = pixels.shape[0] // count, pixels.shape[1] // count
    return tuple(
        pixels[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
        for row in range(count)
        for column in range(count)
    )


def joined(tiles: Sequence[Pixels], order: Sequence[int]) -> Pixels:
    """Return the picture in which place ``i``, row by row, shows the tile ``order[i]``."""
    count = round(len(order) ** 0.5)  # exact: the root of a square number
    rows = [
        np.concatenate([tiles[index] for index in order[start : start + count]], axis=1)
        for start in range(0, len(order), count)
    ]
    return np.concatenate(rows, axis=0)


def solved_order(tiles: Sequence[Pixels]) -> tuple[int, ...]:
    """Return the tile for each place, row by row, such that edges fit best.

    Arrangements grow tile by tile; of those of equal length the ``BEAM`` with the best edges are carried on.

    Args:
        tiles: Of equal size; their number is a square.
    """
    count = round(len(tiles) ** 0.5)  # exact: the root of a square number
    beside = _costs([tile[:, -2:].swapaxes(0, 1) for tile in tiles], [tile[:, :2].swapaxes(0, 1) for tile in tiles])
    below = _costs([tile[-2:] for tile in tiles], [tile[:2] for tile in tiles])
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


def _costs(ends: Sequence[Pixels], starts: Sequence[Pixels]) -> Costs:
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
