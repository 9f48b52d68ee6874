"""Masks of pixels grown, shrunk and filled.

``scipy.ndimage`` does the same for any neighbourhood, and takes ten times as long as shifting the whole mask does.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer[Any]]
EIGHT = np.ones((3, 3), bool)
"""The neighbours of a pixel by sides and corners, for ``scipy.ndimage.label``."""


def dilate_along_axis(mask: Mask, reach: int, axis: int) -> Mask:
    """Return the pixels within ``reach`` pixels of a mask along one axis, 0 down or 1 across."""
    result, done = mask, 0
    while done < reach:
        # A mask spread this far can be shifted by one more pixel without leaving a gap.
        step = min(done + 1, reach - done)
        before, result = result, result.copy()
        late, early = slice(step, None), slice(-step)
        if axis == 0:
            result[late] |= before[early]
            result[early] |= before[late]
        else:
            result[:, late] |= before[:, early]
            result[:, early] |= before[:, late]
        done += step
    return result


def dilate(mask: Mask, down: int, across: int | None = None) -> Mask:
    """Return the pixels within ``down`` rows and ``across`` columns (by default as many) of a mask."""
    return dilate_along_axis(dilate_along_axis(mask, down if across is None else across, 1), down, 0)


def erode(mask: Mask, down: int, across: int | None = None) -> Mask:
    """Return the pixels that have only mask within ``down`` rows and ``across`` columns; outside counts as blank.

    Both numbers are 1 at least.
    """
    result = ~dilate(~mask, down, across)
    across = down if across is None else across
    result[:down] = result[-down:] = result[:, :across] = result[:, -across:] = False
    return result


def mark_uniform_pixels(numbers: npt.NDArray[np.integer[Any]]) -> Mask:
    """Mark the pixels whose 3 × 3 neighbours inside the picture all have the same number."""
    odd = np.zeros(numbers.shape, bool)
    odd[:, 1:] = numbers[:, 1:] != numbers[:, :-1]
    odd[:, :-1] |= odd[:, 1:]
    beside = dilate_along_axis(odd, 1, 0)
    changed = numbers[1:] != numbers[:-1]
    beside[1:] |= changed
    beside[:-1] |= changed
    return ~beside


def add_direct_neighbours(mask: Mask) -> Mask:
    """Return a mask with the pixels above, below, left and right of it."""
    return dilate_along_axis(mask, 1, 0) | dilate_along_axis(mask, 1, 1)


def remove_rim(mask: Mask) -> Mask:
    """Return the pixels of a mask whose four neighbours belong to the mask."""
    result = ~add_direct_neighbours(~mask)
    result[0] = result[-1] = result[:, 0] = result[:, -1] = False
    return result


def fill_holes(mask: Mask) -> Mask:
    """Return a mask with its holes filled: background that is not connected to the rim by sides."""
    # Padded, so that all background around the mask is connected.
    outside, _ = ndimage.label(~np.pad(mask, 1))
    return np.asarray(outside != outside[0, 0])[1:-1, 1:-1]
