"""Edges of a picture, by orientation: the registration of a rendering on its target uses them."""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from ircore.core.images import Pixels

Floats: TypeAlias = npt.NDArray[np.floating[Any]]

SIDE = 256
"""Edges are matched in pictures of this side."""
MOST_POINTS = 2400
EDGE = 9.0
"""Levels of grey by which colours on both sides of an edge differ at least."""
MOST_WEIGHT = 30.0
"""Points that a thing counts at most where it is decided which of several moves is meant: a thing may have been moved
for itself, however large it is; the rest then shows where the picture lies."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of a picture: strength by orientation (upright, level, slanting), at ``SIDE``.

    Example:
        >>> edges = edges_of(np.full((32, 32, 3), 255, np.uint8))
        >>> sum(map(len, edges.points()))
        0
    """

    planes: tuple[Floats, ...]

    def points(self) -> list[Floats]:
        """Return the middle points of the edges of each orientation, x and y in pixels; evenly thinned out."""
        # Rows and columns become x and y; a pixel's middle lies half a pixel from its corner.
        return [places[:, ::-1].astype(np.float32) + 0.5 for places in self._places()]

    def weights(self) -> list[Floats]:
        """Return a weight for each of the points: all edges that hang together weigh at most ``MOST_WEIGHT`` points."""
        parts, _ = ndimage.label(np.max(self.planes, axis=0) > 0.5, np.ones((3, 3)))
        of_points = [parts[tuple(places.T)] for places in self._places()]
        sizes = np.maximum(1, np.bincount(np.concatenate(of_points)))
        return [np.minimum(1.0, MOST_WEIGHT / sizes[numbers]).astype(np.float32) for numbers in of_points]

    def _places(self) -> list[npt.NDArray[np.int64]]:
        masks = [plane > 0.5 for plane in self.planes]
        step = max(1, math.ceil(int(sum(mask.sum() for mask in masks)) / MOST_POINTS))
        return [np.argwhere(mask)[::step] for mask in masks]


def edges_of(pixels: Pixels) -> Edges:
    """Find the edges of a picture of any size."""
    small = Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.BOX)
    planes = np.asarray(small, dtype=np.float32)
    planes = ndimage.gaussian_filter(planes, (0.7, 0.7, 0))
    across = np.zeros_like(planes)
    down = np.zeros_like(planes)
    across[:, 1:-1] = (planes[:, 2:] - planes[:, :-2]) / 2
    down[1:-1] = (planes[2:] - planes[:-2]) / 2
    strength = np.hypot(across, down)
    # The channel that differs most: an edge between two colours may show in one of the three alone.
    channel = strength.argmax(axis=2)[..., None]
    size = np.take_along_axis(strength, channel, 2)[..., 0]
    dx = np.abs(np.take_along_axis(across, channel, 2)[..., 0])
    dy = np.abs(np.take_along_axis(down, channel, 2)[..., 0])
    # A difference over two pixels, halved, is half of the step at a sharp edge.
    threshold = max(EDGE / 2, 0.12 * float(np.percentile(size, 99)))
    strong = np.minimum(1.0, size / (2 * threshold))
    # 2.4 is the tangent of 67°: up to half-way to a diagonal an edge counts as upright or level.
    upright, level = dx > 2.4 * dy, dy > 2.4 * dx
    return Edges(tuple((strong * mask).astype(np.float32) for mask in (upright, level, ~(upright | level))))
