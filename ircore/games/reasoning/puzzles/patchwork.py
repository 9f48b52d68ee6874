"""Pictures for jigsaws: a ground that changes everywhere, with large shapes and bands that reach over several tiles."""

import random

import numpy as np

from ircore.core.drawing import Drawing, arc_points
from ircore.core.images import Pixels

COLOURS = ("#c1121f", "#e76f51", "#f4a261", "#ffd166", "#2a9d8f", "#118ab2", "#1d3557", "#7b2cbf", "#9d4edd", "#6d4c41")
SHAPES, BANDS = 10, 4


def draw_patchwork(size: int, rng: random.Random) -> Pixels:
    """Draw a picture of ``size`` × ``size`` pixels in which no part looks like another."""
    drawing = Drawing.over(_ground(size, rng))
    for _ in range(BANDS):
        _band(drawing, rng)
    for _ in range(SHAPES):
        _shape(drawing, rng)
    return drawing.pixels


def _ground(size: int, rng: random.Random) -> Pixels:
    """Return a ground whose colours run from corner to corner, in whole numbers."""
    corners = np.array([[rng.randrange(110, 250) for _ in range(3)] for _ in range(4)], np.int64).reshape(2, 2, 1, 1, 3)
    down, right = (np.arange(size).reshape(shape) for shape in ((size, 1, 1), (1, size, 1)))
    top = corners[0, 0] * (size - right) + corners[0, 1] * right
    bottom = corners[1, 0] * (size - right) + corners[1, 1] * right
    ground: Pixels = ((top * (size - down) + bottom * down) // (size * size)).astype(np.uint8)
    return ground


def _band(drawing: Drawing, rng: random.Random) -> None:
    """Draw a curved band from one side of the picture to the other."""
    size = drawing.width
    centre = (rng.uniform(-0.3, 1.3) * size, rng.choice((rng.uniform(-1.0, -0.3), rng.uniform(1.3, 2.0))) * size)
    radius = rng.uniform(0.9, 1.5) * size
    drawing.line(arc_points(centre, (radius, radius), 0, 360), rng.choice(COLOURS), width=rng.uniform(8, 26))


def _shape(drawing: Drawing, rng: random.Random) -> None:
    size = drawing.width
    centre = (rng.uniform(0.05, 0.95) * size, rng.uniform(0.05, 0.95) * size)
    radii = (rng.uniform(0.06, 0.18) * size, rng.uniform(0.06, 0.18) * size)
    fill, outline = rng.sample(COLOURS, 2)
    if rng.random() < 0.5:
        drawing.ellipse(centre, radii, fill, outline, width=5, rotation=rng.uniform(0, 180))
    else:
        start = rng.uniform(0, 360)
        turns = [start + 360 * corner / 5 + rng.uniform(-20, 20) for corner in range(rng.choice((3, 4, 5)))]
        drawing.polygon([arc_points(centre, radii, turn, turn + 1)[0] for turn in turns], fill, outline, width=5)
