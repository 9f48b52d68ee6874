"""Tangrams: seven exact pieces laid edge to edge, the shape for which people have no word.

Easy: every piece in a colour of its own. Hard: all pieces in one dark colour, told apart by the white lines between
them alone. Pieces carry KiloGram's numbers, so that ``ircore.scorers.judges.tangrams`` can look for each of them.
"""

import math
import random
from collections.abc import Sequence
from typing import Any

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.core.records import Difficulty
from ircore.instances.tangrams import make_tangram, scale_to_pixels
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing, round_points

FORMS = {
    "1": "square", "2": "parallelogram", "3": "right_triangle", "4": "right_triangle", "5": "right_triangle",
    "6": "right_triangle", "7": "right_triangle",
}  # fmt: skip
"""Form of each piece by its number: two small triangles, the medium one and two large ones behind the first two."""

COLOURS = ("#e6194b", "#f58231", "#ffd60a", "#2ca02c", "#17becf", "#1f4ed8", "#9b30d0")
"""Seven vivid colours, far apart also after compression: pale ones melt into the white lines between pieces."""

DARK = ("#111111", "#172554", "#3b0764", "#14342b", "#5c1a1a")
BORDER = 4.0
"""Width of the white line around a piece, in pixels: thinner ones close when a picture is made half as large."""


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw one tangram.

    Args:
        difficulty: ``easy`` for seven colours, ``hard`` for one.
        rng: The only source of chance.
    """
    tangram = make_tangram(rng)
    if difficulty == "easy":
        colours = dict(zip(FORMS, rng.sample(COLOURS, len(COLOURS)), strict=True))
    else:
        colours = dict.fromkeys(FORMS, rng.choice(DARK))
    return draw_pieces(scale_to_pixels(tangram, SIZE), colours)


def draw_pieces(pieces: dict[str, tuple[Point, ...]], colours: dict[str, str]) -> Drawn:
    """Draw the seven pieces of a tangram and write the scene.

    Args:
        pieces: Corners in pixels by the piece's number.
        colours: ``#rrggbb`` by the piece's number.
    """
    scene = SceneDrawing()
    for name, corners in pieces.items():
        box = scene.drawing.polygon(corners, colours[name], "#ffffff", BORDER)
        about: dict[str, Any] = {
            "piece": name,
            "centre": [round(math.fsum(axis) / len(corners), 2) for axis in zip(*corners, strict=True)],
            "corners": round_points(corners),
        }
        turn = turn_of(FORMS[name], corners)
        if turn:
            about["rotation"] = turn
        scene.add(FORMS[name], box, colours[name], **about)
    return scene.finish()


def turn_of(form: str, corners: Sequence[Point]) -> float:
    """Return a piece's clockwise turn in degrees from its form drawn upright by ``simple_shapes``.

    A right triangle is upright with its right angle at the lower left; a parallelogram, which has two hands, has no
    upright position, and counts as not turned.
    """
    if form == "parallelogram":
        return 0.0
    if form == "square":
        (ax, ay), (bx, by) = corners[:2]
        # A square looks the same after every quarter turn.
        return _compute_direction(bx - ax, by - ay) % 90
    right = min(range(3), key=lambda k: abs(_compute_dot_product(corners, k)))
    (x, y), first, second = corners[right], corners[right - 1], corners[right - 2]
    # From a right angle at the lower left the middle of the long side lies up to the right, at -45°.
    return (_compute_direction((first[0] + second[0]) / 2 - x, (first[1] + second[1]) / 2 - y) + 45) % 360


def _compute_direction(x: float, y: float) -> float:
    """Return the direction of a vector, clockwise from 3 o'clock, to the whole degree."""
    return float(round(math.degrees(exact.atan2(y, x))))


def _compute_dot_product(corners: Sequence[Point], k: int) -> float:
    """Return the dot product of the two edges that leave a corner; 0 at a right angle."""
    (x, y), first, second = corners[k], corners[k - 1], corners[k - 2]
    return (first[0] - x) * (second[0] - x) + (first[1] - y) * (second[1] - y)
