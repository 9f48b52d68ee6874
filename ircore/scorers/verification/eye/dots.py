"""Small dots on lines: discs and rings of a few pixels."""

from typing import NamedTuple

import numpy as np

from ircore.core.records import Box
from ircore.scorers.verification.eye.view import Floats, View, clipped, commonest, distance, hex_of

LEAST_INK = 10.0
"""Distance in L*a*b* by which a dot differs from its ground."""
FULL = 0.66
"""Share of a dot's inside that differs from the ground; a line through it covers less."""


class _Dot(NamedTuple):
    """A dot as seen: its colour, middle in pixels, and whether it is filled."""

    colour: str
    at: tuple[float, float]
    is_filled: bool


def dot_seen(view: View, x: float, y: float, radius: float, ring: bool) -> _Dot | None:
    """Look for a dot about its expected place.

    Args:
        view: The rendering over its target.
        x: Of its middle in the target, in pixels.
        y: Of its middle.
        radius: In pixels.
        ring: Whether it is hollow in the target.
    """
    reach = round(radius + 9)
    box = Box(round(x) - reach, round(y) - reach, round(x) + reach + 1, round(y) + reach + 1)
    box = clipped(box, *view.lab.shape[:2])
    patch = view.lab[box.top : box.bottom, box.left : box.right]
    if min(patch.shape[:2]) < 5:
        return None
    ground = commonest(patch.reshape(-1, 3))
    far = distance(patch, ground)
    # Not the maximum, which may be a single bright pixel of compression.
    most = float(np.percentile(far, 97))
    if most < LEAST_INK:
        return None
    # Pixels with four fifths of the strongest ink count in full: small dots are soft all over.
    ink = np.minimum(1.0, far / (0.8 * most))
    rows, columns = np.mgrid[box.top : box.bottom, box.left : box.right] + 0.5
    best = max(_candidates(ink, rows, columns, x, y, radius, ring), default=None)
    if best is None or best[0] < FULL:
        return None
    at_x, at_y = best[1], best[2]
    # Without the rim of a filled dot, whose colour is mixed with the ground.
    inside = np.hypot(columns - at_x, rows - at_y) <= (radius if ring else 0.75 * radius)
    strong = inside & (far >= 0.6 * most)
    pixels = view.rgb[box.top : box.bottom, box.left : box.right][strong if strong.any() else inside]
    middle = np.hypot(columns - at_x, rows - at_y) <= 0.42 * radius
    return _Dot(hex_of(np.median(pixels, axis=0)), (round(at_x, 1), round(at_y, 1)), float(ink[middle].mean()) > 0.55)


def _candidates(
    ink: Floats, rows: Floats, columns: Floats, x: float, y: float, radius: float, ring: bool
) -> list[tuple[float, float, float]]:
    """Return how full a dot at each of some places is: that share, x and y."""
    results = []
    for down in np.arange(-5, 6):
        for across in np.arange(-5, 6):
            at_x, at_y = x + float(across), y + float(down)
            far = np.hypot(columns - at_x, rows - at_y)
            inside = (far <= 1.15 * radius) & (far >= 0.75 * radius) if ring else far <= 0.9 * radius
            if not inside.any():
                continue
            # Of places that are about as full, the nearest to the expected place.
            share = float(ink[inside].mean()) - 0.01 * float(np.hypot(across, down))
            results.append((round(share, 4), at_x, at_y))
    return results
