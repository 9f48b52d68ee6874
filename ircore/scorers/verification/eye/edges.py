"""Edges of a picture as points, each with its direction: the registration of a rendering on its target uses them."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from ircore.core.images import Pixels

Floats: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

SIDE = 256
"""Edges are found in pictures whose longer side has this many pixels."""
REACH = 14.0
"""Pixels from which on an edge point counts as having no edge near it."""
EDGE = 6.0
"""Levels of grey by which colours on both sides of an edge differ at least."""
PLAIN = 20.0
"""Half of the levels of grey from which on an edge is as plain as any: ripples of compression are fainter."""
MOST_EDGE = 10.0
"""Levels of grey from which on they always do."""
MOST_WEIGHT = 30.0
"""Points that a thing counts at most where it is decided which of several moves is meant: a thing may have been moved
for itself, however large it is; the rest then shows where the picture lies."""

STEEP, LEANING = 2.4, 1.6
"""Tangents of 67° and 58°: edges of a picture that are steeper than the first are upright; they may meet edges of
another picture that are steeper than the second, which may be turned or stretched."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The edge points of a picture that is ``width`` × ``height`` pixels large, its longer side ``SIDE``.

    Attributes:
        width: Pixels.
        height: Pixels.
        aspect: Width by height of the picture itself, whose proportions whole pixels do not quite keep.
        points: x and y of each, to a fraction of a pixel; a pixel's middle lies half a pixel from its corner.
        normals: The direction across the edge, a unit vector whose sign says nothing.
        classes: 0 upright, 1 level, 2 slanting.
        strengths: By how many levels of grey the colours on both sides differ, halved, at most ``PLAIN``.
        things: Number of the thing, all edges that hang together, that a point belongs to.

    Example:
        >>> edges = find_edges(np.full((32, 48, 3), 255, np.uint8))
        >>> len(edges.points), edges.width, edges.height
        (0, 256, 171)
    """

    width: int
    height: int
    aspect: float
    points: Floats
    normals: Floats
    classes: Indices
    strengths: Floats
    things: Indices

    def weights(self) -> Floats:
        """Return a weight for each point: all edges that hang together weigh at most ``MOST_WEIGHT`` points."""
        if not len(self.things):
            return np.zeros(0, np.float32)
        sizes = np.bincount(self.things)[self.things]
        weights: Floats = np.minimum(1.0, MOST_WEIGHT / sizes).astype(np.float32)
        return weights

    @cached_property
    def fields(self) -> tuple["Field", ...]:
        """For each class of points, where the nearest edge is that they may meet."""
        across, down = np.abs(self.normals).T
        upright, level = across > LEANING * down, down > LEANING * across
        slanting = (across > down / 4) & (down > across / 4)
        return tuple(self._build_field(mask) for mask in (upright, level, slanting))

    def _build_field(self, chosen: Mask) -> "Field":
        shape = (self.height, self.width)
        cells = np.floor(self.points[chosen]).astype(np.int64)
        empty = np.ones(shape, bool)
        empty[cells[:, 1], cells[:, 0]] = False
        if not chosen.any():
            nothing = np.zeros(shape, np.int64)
            return Field(np.full(shape, REACH, np.float32), nothing, np.zeros((1, 2)), np.array([[1.0, 0.0]]))
        numbers = np.zeros(shape, np.int64)
        numbers[cells[:, 1], cells[:, 0]] = np.arange(len(cells))
        far, nearest = ndimage.distance_transform_edt(empty, return_indices=True)
        far = np.minimum(far, REACH).astype(np.float32)
        return Field(far, numbers[nearest[0], nearest[1]], self.points[chosen], self.normals[chosen])


@dataclass(frozen=True, eq=False)
class Field:
    """For each pixel, how far the next edge is, and which point it is."""

    far: Floats
    number: Indices
    points: Floats
    normals: Floats


def find_edges(pixels: Pixels, box: tuple[float, float, float, float] | None = None) -> Edges:
    """Find the edges of a picture of any size.

    Args:
        pixels: The picture.
        box: The part that is looked at: left, top, right, bottom, in pixels, inside the picture.
    """
    left, top, right, bottom = box or (0.0, 0.0, float(pixels.shape[1]), float(pixels.shape[0]))
    width, height = compute_size(right - left, bottom - top)
    image = Image.fromarray(pixels)
    # A mean over the pixels that fall into one: a fine line stays, in a fainter colour.
    small = image.resize((width, height), Image.Resampling.BOX, (left, top, right, bottom))
    planes = np.asarray(small, dtype=np.float32)
    planes = ndimage.gaussian_filter(planes, (0.7, 0.7, 0))
    across = np.zeros_like(planes)
    down = np.zeros_like(planes)
    across[:, 1:-1] = (planes[:, 2:] - planes[:, :-2]) / 2
    down[1:-1] = (planes[2:] - planes[:-2]) / 2
    squares = across * across + down * down
    # The channel that differs most: an edge between two colours may show in one of the three alone.
    channel = squares.argmax(axis=2)[..., None]
    size = np.sqrt(np.take_along_axis(squares, channel, 2)[..., 0])
    dx = np.take_along_axis(across, channel, 2)[..., 0]
    dy = np.take_along_axis(down, channel, 2)[..., 0]
    # A difference over two pixels, halved, is half of the step at a sharp edge.
    # Noise lies below a share of the strongest edges; the rim of a dark canvas must not hide what is drawn faintly.
    threshold = min(MOST_EDGE / 2, max(EDGE / 2, 0.12 * float(np.percentile(size, 99))))
    return _thin_edges(size, dx, dy, threshold, (right - left) / (bottom - top))


def compute_size(width: float, height: float) -> tuple[int, int]:
    """Return width and height of a picture of these proportions whose longer side has ``SIDE`` pixels."""
    longer = max(width, height)
    return max(8, round(SIDE * width / longer)), max(8, round(SIDE * height / longer))


def _thin_edges(size: Floats, dx: Floats, dy: Floats, threshold: float, aspect: float) -> Edges:
    """Keep the ridge of each edge, where the difference is largest across it."""
    height, width = size.shape
    strong = size > threshold
    strong[[0, -1]] = strong[:, [0, -1]] = False
    parts, _ = ndimage.label(strong, np.ones((3, 3)))
    rows, columns = np.nonzero(strong)
    here, dx, dy = size[rows, columns], dx[rows, columns], dy[rows, columns]
    sideways = np.abs(dx) >= np.abs(dy)
    step_x, step_y = sideways.astype(np.int64), (~sideways).astype(np.int64)
    before, after = size[rows - step_y, columns - step_x], size[rows + step_y, columns + step_x]
    ridge = (here > before) & (here >= after)
    rows, columns, sideways, dx, dy = rows[ridge], columns[ridge], sideways[ridge], dx[ridge], dy[ridge]
    here, before, after = here[ridge], before[ridge], after[ridge]
    # The top of the parabola through the three values across the edge.
    bend = np.minimum(before - 2 * here + after, -1e-3)
    offset = np.clip(0.5 * (before - after) / bend, -0.5, 0.49)
    points = np.column_stack([columns + 0.5 + offset * sideways, rows + 0.5 + offset * ~sideways])
    normals = np.column_stack([dx, dy]) / np.sqrt(dx * dx + dy * dy)[:, None]
    steep_x, steep_y = np.abs(dx) > STEEP * np.abs(dy), np.abs(dy) > STEEP * np.abs(dx)
    classes = np.where(steep_x, 0, np.where(steep_y, 1, 2))
    return Edges(
        width, height, aspect, points.astype(np.float64), normals.astype(np.float64), classes,
        np.minimum(here, PLAIN), parts[rows, columns].astype(np.int64),
    )  # fmt: skip


def compute_step(count: int, most: int) -> int:
    """Return the step that thins a number of points out to at most ``most``."""
    return max(1, math.ceil(count / most))
