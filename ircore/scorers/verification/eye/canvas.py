"""The canvas about a drawing: what is drawn on it beyond the target's frame, and whether its colours are a target's."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from skimage.color import rgb2lab

from ircore.core.fact_records import ExtraBox
from ircore.core.images import Pixels
from ircore.core.records import Box
from ircore.scorers.verification.eye.edges import Edges, Floats
from ircore.scorers.verification.eye.frames import Matrix, applied
from ircore.scorers.verification.eye.view import commonest, distance

ROOM = 0.05
"""Share of a target's sides beyond its frame that still belongs to it: labels may stand a little farther out."""
RIM = 3.0
"""Pixels from the canvas's own border within which a line is its rim."""
LEAST_POINTS = 10
"""Edge points of a thing that counts."""
LITTERED, LOST = 0.03, 0.2
"""Shares of all that is drawn: where more than the first lies beyond the frame, the drawing is part of another picture;
from the second on, the whole picture is another one."""
MOST_LITTERED = 0.99
MOST_BEYOND = 20

GRID = 96
"""Side of the small pictures whose colours are compared."""
DRAWN, SAME_COLOUR = 12.0, 18.0
"""Distances in L*a*b* from the ground from which on a pixel is drawn, and up to which colours are the same."""
LEAST_COLOURS, LEAST_SHARED, LEAST_ALIKE = 3, 0.75, 0.4
"""Colours of a target that say anything, and shares of what is drawn."""


class Beyond(NamedTuple):
    """What is drawn on a canvas beyond the frame of the target."""

    things: tuple[ExtraBox, ...] = ()
    """The largest first; boxes in the target's pixels."""

    share: float = 0.0
    """Share of all that is drawn, 0–1."""

    canvas: Box = Box(0, 0, 0, 0)
    """The whole canvas, in the target's pixels."""

    @property
    def doubt(self) -> float:
        """0–1: above 0 where so much is drawn there that the drawing is only part of another picture."""
        return min(MOST_LITTERED, max(0.0, (self.share - LITTERED) / (LOST - LITTERED)))


def beyond(edges: Edges, frame: Matrix, own: Edges, factor: float) -> Beyond:
    """Return what is drawn on a canvas beyond the frame of the target.

    Args:
        edges: The rendering's edges.
        frame: From the target's edges to these.
        own: The target's edges.
        factor: Pixels of the target for one of its edges' picture.
    """
    back: Floats = np.linalg.inv(frame)
    placed = applied(back, edges.points)
    size = np.array([own.width, own.height])
    room = ROOM * max(own.width, own.height)
    outside = ((placed < -room) | (placed > size + room)).any(axis=1)
    x, y = edges.points.T
    outside &= (x > RIM) & (x < edges.width - RIM) & (y > RIM) & (y < edges.height - RIM)
    if not outside.any():
        return Beyond()
    things = []
    for number in np.flatnonzero(np.bincount(edges.things[outside]) >= LEAST_POINTS):
        own_points = outside & (edges.things == number)
        if _is_rim(placed[own_points], size):
            outside &= ~own_points
            continue
        box = _box(factor * placed[own_points])
        wide, high = box.right - box.left, box.bottom - box.top
        things.append(ExtraBox(box, round(min(3.0, 0.4 + wide * high / 4500 + max(wide, high) / 200), 3)))
    things.sort(key=lambda thing: -thing.weight)
    share = float(edges.strengths[outside].sum() / edges.strengths.sum())
    canvas = _box(factor * applied(back, np.array([(0.0, 0.0), (float(edges.width), float(edges.height))])))
    return Beyond(tuple(things[:MOST_BEYOND]), round(share, 4), canvas)


def _is_rim(points: Floats, size: Floats) -> bool:
    """Return whether points are a border about the whole drawing, as of a sheet of paper."""
    low, high = points.min(axis=0), points.max(axis=0)
    near = np.minimum(np.abs(points - low), np.abs(points - high)).min(axis=1)
    return bool((low < 0).all() and (high > size).all() and (near < ROOM * size.max()).mean() > 0.95)


def _box(points: Floats) -> Box:
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return Box(math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom))


def has_palette(target: Pixels, pixels: Pixels) -> bool:
    """Return whether what is drawn has a target's colours in about the target's shares, and so may be its drawing."""
    own, ink = _lab(target), _lab(pixels)
    own, ink = own[_is_drawn(own)], ink[_is_drawn(ink)]
    shares: list[tuple[float, float]] = []
    while len(own) > 0.02 * GRID * GRID and len(shares) < 12:
        colour = commonest(own)
        near = distance(own, colour) < SAME_COLOUR
        if not near.any():
            break
        shares.append((float(near.sum()), float((distance(ink, colour) < SAME_COLOUR).sum())))
        own = own[~near]
    if len(shares) < LEAST_COLOURS or not len(ink):
        return False
    wanted, seen = np.array(shares).T
    return float(np.minimum(wanted / wanted.sum(), seen / len(ink)).sum()) >= LEAST_SHARED


def looks_alike(target: Pixels, laid: Pixels) -> bool:
    """Return whether much of what a target draws has its colour in a rendering that was laid over it."""
    own, seen = _lab(target), _lab(laid)
    drawn = _is_drawn(own)
    return bool(drawn.any()) and float((distance(own, seen)[drawn] < SAME_COLOUR).mean()) >= LEAST_ALIKE


def _lab(pixels: Pixels) -> Floats:
    small = np.asarray(Image.fromarray(pixels).resize((GRID, GRID), Image.Resampling.BOX))
    lab: Floats = rgb2lab(small).astype(np.float32)
    return lab


def _is_drawn(lab: Floats) -> npt.NDArray[np.bool_]:
    drawn: npt.NDArray[np.bool_] = distance(lab, commonest(lab.reshape(-1, 3))) > DRAWN
    return drawn
