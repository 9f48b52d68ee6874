"""Filling polygons and turning masks in whole numbers, so that every machine gives the same pixels.

Pillow fills polygons and turns pictures with floats of 32 bits, which processors with fused multiply-add round in
another way.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ircore.core import exact

Point = tuple[float, float]
Polygon = Sequence[Point]
Mask = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]

_FINE = 256
"""Steps of a pixel to which corners are rounded."""


def filled(polygon: Polygon, width: int, height: int) -> Mask:
    """Return the pixels whose middle lies inside a polygon, by the even-odd rule.

    Args:
        polygon: Corners in pixels; (0, 0) is the upper left corner of the first pixel.
        width: Width of the mask in pixels.
        height: Height of the mask in pixels.
    """
    return np.asarray(_windings([polygon], width, height) & 1, np.bool_)


def filled_together(polygons: Sequence[Polygon], width: int, height: int) -> Mask:
    """Return the pixels whose middle lies inside at least a polygon of several; no polygon may cross itself."""
    return np.asarray(_windings([_clockwise(polygon) for polygon in polygons], width, height), np.bool_)


def turned(mask: Grey, degrees: float) -> Grey:
    """Return a mask turned counter-clockwise by bilinear interpolation, enlarged to hold all of the turned picture."""
    # Quarter turns move whole pixels; interpolation would blur them.
    if degrees % 90 == 0:
        return np.rot90(mask, round(degrees / 90))
    height, width = mask.shape
    cosine, sine = exact.cos(math.radians(degrees)), exact.sin(math.radians(degrees))
    wide = math.ceil(abs(width * cosine) + abs(height * sine))
    high = math.ceil(abs(width * sine) + abs(height * cosine))
    right, down = np.arange(wide) + 0.5 - wide / 2, (np.arange(high) + 0.5 - high / 2)[:, None]
    # In a picture y grows downwards; a rim of one blank pixel saves asking what lies beyond.
    x = (right * cosine - down * sine + width / 2 + 0.5).clip(0, width + 1)
    y = (right * sine + down * cosine + height / 2 + 0.5).clip(0, height + 1)
    framed = np.pad(mask, ((1, 2), (1, 2))).astype(np.float64)
    column, row = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    across, along = x - column, y - row
    upper = framed[row, column] * (1 - across) + framed[row, column + 1] * across
    lower = framed[row + 1, column] * (1 - across) + framed[row + 1, column + 1] * across
    return np.asarray(np.rint(upper * (1 - along) + lower * along), np.uint8)


def _clockwise(polygon: Polygon) -> Polygon:
    # Overlapping polygons that turn in opposite directions would cancel each other out.
    xs, ys = zip(*polygon, strict=True)
    area = math.fsum(x * y1 - x1 * y for x, y, x1, y1 in zip(xs, ys, xs[1:] + xs[:1], ys[1:] + ys[:1], strict=True))
    return polygon if area >= 0 else polygon[::-1]


def _windings(polygons: Sequence[Polygon], width: int, height: int) -> npt.NDArray[np.int16]:
    """Return how many times the polygons go round the middle of each pixel, clockwise less counter-clockwise."""
    # Whole numbers from here on: no step below rounds, whatever the processor.
    corners = [np.rint(np.array(polygon, np.float64) * _FINE).astype(np.int64) for polygon in polygons]
    starts = np.concatenate(corners)
    ends = np.concatenate([np.roll(points, -1, axis=0) for points in corners])
    (x0, y0), (x1, y1) = starts.T, ends.T
    sign = np.sign(y1 - y0)
    upper, lower = np.where(sign > 0, (x0, y0, x1, y1), (x1, y1, x0, y0)).reshape(2, 2, -1)
    # The rows whose middle a side passes: from its upper end on, without its lower one.
    first = ((upper[1] + _FINE // 2 - 1) // _FINE).clip(0, height)
    last = ((lower[1] + _FINE // 2 - 1) // _FINE).clip(0, height)
    counts = last - first
    side = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(len(side)) - np.repeat(counts.cumsum() - counts, counts) + first[side]
    high = lower[1, side] - upper[1, side]
    middle = row * _FINE + _FINE // 2 - upper[1, side]
    crossed = upper[0, side] * high + middle * (lower[0, side] - upper[0, side])
    # The first pixel whose middle is not left of the crossing: rounded up, in whole numbers.
    column = (-((high * (_FINE // 2) - crossed) // (high * _FINE))).clip(0, width)
    # From each crossing to the next one all pixels are alike. Polygons are closed, so that every row ends with 0.
    crossings = row * (width + 1) + column
    order = np.argsort(crossings)
    windings = np.concatenate([[0], sign[side][order].cumsum()]).astype(np.int16)
    lengths = np.diff(crossings[order], prepend=0, append=height * (width + 1))
    return np.repeat(windings, lengths).reshape(height, width + 1)[:, :width]
