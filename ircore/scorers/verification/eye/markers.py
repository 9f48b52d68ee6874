"""The markers of a line: their shape, each compared with every shape that a marker may have, and their colour."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from ircore.scorers.verification.eye.look import Look
from ircore.scorers.verification.eye.strokes import LEAST_CONTRAST
from ircore.scorers.verification.eye.view import Floats, Observed, find_commonest_colour, format_rgb, parse_rgb
from ircore.scorers.verification.scene_facts.lines import NO_MARKERS

LEAST_SIZE = 7.0
"""Pixels of a rendering that markers are wide at least, or their shapes are not told."""
MOST_MARKERS = 12
"""Markers of a line that are looked at."""
REACH, SLACK, FINE = 9, 3, 4
"""Pixels to each side of a marker that are compared; by how many it may be off; parts of a pixel that are drawn."""
SIZES = 0.85, 1.0, 1.2
"""Sizes that are tried, in parts of the target's."""
USUAL_SIZE = 9.0
"""Pixels across of markers where the target has none."""
LEAST_SOLID, NEAR_VERTEX = 5.0, 2
"""Pixels of target and rendering that filled markers are wide at least, or they show their colour nowhere in full;
pixels about a vertex within which the middle of its marker is looked for."""
EVEN = 0.85
"""Part of its strongest contrast that every pixel in the middle of a marker has at least: a line that is thinner has
pale sides."""
CLEAR = 1.3
"""Times the misfit of the best shape from which on the target's own shape is not the one that is seen."""

_DIAMOND, _TRIANGLE = [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)], [(0, -1.25), (1.2, 1), (-1.2, 1)]
_CORNERS: dict[str, Sequence[tuple[float, float]]] = {
    "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], "diamond": _DIAMOND, "triangle": _TRIANGLE,
}  # fmt: skip
SHAPES = (NO_MARKERS, "circle", "ring", *_CORNERS)


def read_marker_shape(look: Look, points: Floats, own: tuple[str, float], width: float, colour: str | None) -> Observed:
    """Return the shape of a line's markers.

    Args:
        look: At the rendering.
        points: Of the line, where the rendering has them, x and y in pixels.
        own: Shape of the target's markers, and pixels across.
        width: Of the target's line, in pixels.
        colour: Of the line as seen.
    """
    expected, size = own
    if size * look.detail < LEAST_SIZE or colour is None:
        return Observed(None, "too small to be told")
    step = -(-len(points) // MOST_MARKERS)
    patches = [(number, ink) for number in range(0, len(points), step)
               if (ink := _measure_ink(look, points[number], colour)) is not None]  # fmt: skip
    if not patches:
        return Observed(None, "hidden by something else")
    misfits = {
        shape: min(
            float(
                np.mean(
                    [
                        _measure_misfit(ink, _draw_marker(shape, points, number, part * size, width))
                        for number, ink in patches
                    ]
                )
            )
            for part in (SIZES if shape != NO_MARKERS else (1.0,))
        )
        for shape in SHAPES
    }
    best = min(SHAPES, key=lambda shape: misfits[shape])
    is_told = best == expected or misfits[expected] >= CLEAR * misfits[best]
    return Observed(best if is_told else None, "" if is_told else "too much like several shapes")


def read_marker_colour(look: Look, points: Floats, own: tuple[str, float]) -> str | None:
    """Return the colour in the middle of a line's markers, where no ground is mixed with it.

    Args:
        look: At the rendering.
        points: Of the line, where the rendering has them, x and y in pixels.
        own: Shape of the target's markers, and pixels across.

    Returns:
        None where the target's markers are too small or hollow, or where most vertices show nothing of one colour.
    """
    shape, size = own
    if shape in {NO_MARKERS, "ring"} or size * min(1.0, look.detail) < LEAST_SOLID:
        return None
    middles = [middle for point in points if (middle := _find_middle_colour(look, point)) is not None]
    return format_rgb(np.median(middles, axis=0)) if 2 * len(middles) > len(points) else None


def _find_middle_colour(look: Look, point: Floats) -> Floats | None:
    """Return the colour of the three by three pixels near a vertex that stand out most; None where they are uneven."""
    x, y, side = int(point[0]), int(point[1]), NEAR_VERTEX + 1
    patch = look.view.rgb[max(0, y - side) : y + side + 1, max(0, x - side) : x + side + 1]
    if patch.shape[:2] != (2 * side + 1, 2 * side + 1):
        return None
    far = np.sqrt(np.square(patch - parse_rgb(_find_ground_colour(look, x, y, REACH))).sum(axis=2))
    blocks = np.lib.stride_tricks.sliding_window_view(far, (3, 3))
    row, column = np.unravel_index(blocks.min(axis=(2, 3)).argmax(), blocks.shape[:2])
    if blocks[row, column].min() < max(LEAST_CONTRAST, EVEN * blocks[row, column].max()):
        return None
    colour: Floats = np.median(patch[row : row + 3, column : column + 3], axis=(0, 1))
    return colour


def _measure_ink(look: Look, point: Floats, colour: str) -> Floats | None:
    """Return how much of a line's colour the pixels about a point have, 0–1; None near the border of the picture."""
    x, y, side = int(point[0]), int(point[1]), REACH + SLACK
    patch = look.view.rgb[max(0, y - side) : y + side + 1, max(0, x - side) : x + side + 1]
    if patch.shape[:2] != (2 * side + 1, 2 * side + 1):
        return None
    ground = parse_rgb(_find_ground_colour(look, x, y, side))
    towards = parse_rgb(colour) - ground
    part: Floats = np.clip((patch - ground) @ towards / max(1.0, float(towards @ towards)), 0.0, 1.0)
    return part


def _find_ground_colour(look: Look, x: int, y: int, side: int) -> str:
    patch = slice(y - side, y + side + 1), slice(x - side, x + side + 1)
    lab = look.view.lab[patch].reshape(-1, 3)
    common = find_commonest_colour(lab)
    nearest = int(np.square(lab - common).sum(axis=1).argmin())
    return format_rgb(look.view.rgb[patch].reshape(-1, 3)[nearest])


def _draw_marker(shape: str, points: Floats, number: int, size: float, width: float) -> Floats:
    """Return the ink of a marker with the line that runs through it."""
    side = (2 * REACH + 1) * FINE
    image = Image.new("L", (side, side))
    pen = ImageDraw.Draw(image)

    def at(x: float, y: float) -> tuple[float, float]:
        return (REACH + 0.5 + x) * FINE - 0.5, (REACH + 0.5 + y) * FINE - 0.5

    offsets: Any = points[max(0, number - 1) : number + 2] - points[number]
    # Far ends are cut off, since what lies beyond the patch is not drawn.
    pen.line([at(float(x), float(y)) for x, y in offsets], fill=255, width=max(1, round(width * FINE)))
    half = size / 2
    if shape in _CORNERS:
        pen.polygon([at(half * x, half * y) for x, y in _CORNERS[shape]], fill=255)
    elif shape != NO_MARKERS:
        pen.ellipse([*at(-half, -half), *at(half, half)], fill=255)
    if shape == "ring":
        pen.ellipse([*at(2 - half, 2 - half), *at(half - 2, half - 2)], fill=0)
    ink: Floats = np.asarray(image, np.float32).reshape(2 * REACH + 1, FINE, 2 * REACH + 1, FINE).mean(axis=(1, 3))
    return ink / np.float32(255.0)


def _measure_misfit(ink: Floats, drawn: Floats) -> float:
    """Return the least mean square by which what is seen differs from what is drawn, wherever it lies nearby."""
    places = np.lib.stride_tricks.sliding_window_view(ink, drawn.shape)
    return float(np.square(places - drawn).mean(axis=(2, 3)).min())
