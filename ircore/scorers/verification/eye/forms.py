"""The form of a shape: the distance of the rim from the middle by direction, for any size and turn."""

import cmath
import math
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from ircore.scorers.verification.eye.view import Floats, Mask
from ircore.scorers.verification.scene_facts.shapes import KINDS

TURNS = 120
"""Directions in which the rim is looked for: one every 3 degrees."""
SAME = 0.05
CLEAR = 0.02
"""Mean difference of two rims, in mean radii: up to which forms are the same, and by how much one must be nearer."""
SIDE = 160
ROUNDS, LEAST_NEAR, NEAR = 20, 1.0, 2.0
"""Times that a rim is moved nearer to another one; pixels, and times the usual distance, up to which a point counts."""
_TURNED = (np.arange(TURNS) - np.arange(TURNS)[:, None]) % TURNS
"""Row k holds the places of a form's directions once it is turned by k steps."""


def _fill_holes(mask: Mask) -> Mask:
    """Return a mask without its holes: all but the ground that reaches the border. Faster than SciPy's, which grows."""
    grounds, count = ndimage.label(~mask)
    reaches = np.zeros(count + 1, bool)
    for border in (grounds[0], grounds[-1], grounds[:, 0], grounds[:, -1]):
        reaches[border] = True
    reaches[0] = False
    filled: Mask = ~reaches[grounds]
    return filled


def compute_form(mask: Mask) -> Floats:
    """Return the distance of the rim from the middle in each direction, over the mean distance.

    The middle is that of the area; holes are filled, so that hollow shapes and rings have the form of their rim.
    """
    filled = _fill_holes(mask)
    parts, count = ndimage.label(filled)
    if count > 1:
        # The largest part: a label or a line through the shape may cut off small ones.
        sizes = np.bincount(parts.ravel())[1:]
        filled = parts == int(sizes.argmax()) + 1
    rows, columns = np.nonzero(filled)
    x, y = float(columns.mean()), float(rows.mean())
    reach = float(np.hypot(columns - x, rows - y).max()) + 2
    steps = np.arange(0.0, reach, 0.5)
    turns = np.arange(TURNS) * (2 * math.pi / TURNS)
    points = [y + np.sin(turns)[:, None] * steps, x + np.cos(turns)[:, None] * steps]
    inside = ndimage.map_coordinates(filled.astype(np.float32), points, order=1, mode="constant") > 0.5
    # The last pixel of the shape along each ray: arms of a cross or star count to their ends.
    rim = np.where(inside.any(axis=1), inside.shape[1] - inside[:, ::-1].argmax(axis=1), 0) * 0.5
    form: Floats = (rim / max(float(rim.mean()), 1e-6)).astype(np.float32)
    return form


def compare_forms(form: Floats, other: Floats) -> tuple[float, int]:
    """Return the least mean difference of two forms over all turns, and that turn in steps of 360° / ``TURNS``."""
    differences = np.abs(form - other[_TURNED]).mean(axis=1)
    turn = int(np.argmin(differences))
    return round(float(differences[turn]), 4), turn


def measure_turn(form: Floats, other: Floats) -> float:
    """Return by how many degrees clockwise ``other`` is turned against ``form``, −180 to 180."""
    _, turn = compare_forms(other, form)
    degrees = turn * 360 / TURNS
    return degrees - 360 if degrees > 180 else degrees


def lay_over(mask: Mask, other: Mask) -> Mask:
    """Return ``mask`` in the place, size and turn in which its rim is nearest to that of ``other``.

    The points of each rim move towards the nearest points of the other one, again and again (iterative closest points,
    Besl and McKay 1992). Points that are far off do not count: a shape without a corner lies over the rest of its form.
    """
    (rim, nearest), (aim, nearest_aim) = _find_rim_points(_find_rim(mask)), _find_rim_points(_find_rim(other))
    size = math.sqrt(float(_fill_holes(other).sum()) / float(_fill_holes(mask).sum()))
    factor = cmath.rect(size, math.radians(measure_turn(compute_form(mask), compute_form(other))))
    shift = aim.mean() - factor * rim.mean()
    for _ in range(ROUNDS):
        # To and fro: the nearest points of one rim alone would let the other one shrink.
        before = np.concatenate([rim, _sample_at(nearest, (aim - shift) / factor)])
        after = np.concatenate([_sample_at(nearest_aim, factor * rim + shift), aim])
        off = np.abs(factor * before + shift - after)
        near = off <= max(LEAST_NEAR, NEAR * float(np.median(off)))
        before, after = before[near], after[near]
        level = before - before.mean()
        factor = np.round(np.vdot(level, after) / np.vdot(level, level), 9)
        shift = np.round(after.mean() - factor * before.mean(), 6)
    down, across = np.indices(other.shape)
    sources = (across + 1j * down - shift) / factor
    covers: Mask = ndimage.map_coordinates(mask.astype(np.float32), [sources.imag, sources.real], order=1) > 0.5
    return covers


Points: TypeAlias = npt.NDArray[np.complex128]
"""Places as x + iy, since factors turn and scale complex numbers."""


def _find_rim_points(rim: Mask) -> tuple[Points, Points]:
    """Return the points of a rim, and for every place the rim's nearest point."""
    down, across = ndimage.distance_transform_edt(~rim, return_distances=False, return_indices=True)
    nearest: Points = across + 1j * down
    return nearest[rim], nearest


def _sample_at(picture: Points, points: Points) -> Points:
    """Return what a picture has at points, or at its border nearest to them."""
    down, across = (np.clip(np.rint(part), 0, most - 1).astype(int)
                    for part, most in zip((points.imag, points.real), picture.shape, strict=True))  # fmt: skip
    points_there: Points = picture[down, across]
    return points_there


def _find_rim(mask: Mask) -> Mask:
    """Return the pixels at the edge of a mask without its holes."""
    filled = _fill_holes(mask)
    return filled & ~np.asarray(ndimage.binary_erosion(filled))


def find_nearest_form(seen_form: Floats, wanted: Floats, kind: str) -> str | None:
    """Return the kind of a form: the target's own kind if near enough, else the nearest kind.

    Args:
        seen_form: Form of what was seen.
        wanted: Form of the target's shape.
        kind: The target's kind.

    Returns:
        None if two kinds are about as near.
    """
    own = compare_forms(seen_form, wanted)[0]
    others = {
        other: compare_forms(seen_form, form)[0]
        for other, form in _load_forms().items()
        if other != kind and not _have_same_rim(other, kind)
    }
    # Sorted by name first, so that of equal distances the same kind wins on every machine.
    best = min(sorted(others), key=lambda other: others[other])
    if own <= others[best] + CLEAR / 2 and own <= 2 * SAME:
        return kind
    if others[best] < own - CLEAR:
        return best
    return kind if own <= SAME else None


def _have_same_rim(kind: str, other: str) -> bool:
    """Tell whether two kinds have the same rim, or differ by their proportions alone."""
    both, four_sided = {kind, other}, {"rectangle", "diamond", "parallelogram", "trapezoid"}
    return both == {"circle", "ring"} or both <= four_sided


@cache
def _load_forms() -> dict[str, Floats]:
    """Return the form of each kind of shape, drawn large."""
    return {kind: compute_form(_draw_kind(kind)) for kind in KINDS}


def _draw_kind(kind: str) -> npt.NDArray[np.bool_]:
    image = Image.new("1", (2 * SIDE, 2 * SIDE))
    points = [(SIDE + 0.9 * SIDE * x, SIDE + 0.9 * SIDE * y) for x, y in _trace_outline(kind)]
    ImageDraw.Draw(image).polygon(points, fill=1)
    return np.array(image, dtype=bool)


def _trace_outline(kind: str) -> list[tuple[float, float]]:
    """Return the outline of a kind of shape in its usual proportions, within a circle of radius 1."""
    if kind in _ROUND:
        wide, high, sweep = _ROUND[kind]
        rim = [(wide * math.cos(turn), high * math.sin(turn)) for turn in np.linspace(0, math.radians(sweep), 120)]
        return rim if sweep == 360 else [*rim, (0.0, 0.0)]
    if kind in _REGULAR:
        corners = _REGULAR[kind]
        return [(math.cos(2 * math.pi * k / corners), math.sin(2 * math.pi * k / corners)) for k in range(corners)]
    if kind == "star":
        return [(reach * math.cos(math.radians(36 * k)), reach * math.sin(math.radians(36 * k)))
                for k in range(10) for reach in [1 if k % 2 == 0 else 0.42]]  # fmt: skip
    return _CORNERS[kind]


_ROUND = {"circle": (1, 1, 360), "ring": (1, 1, 360), "ellipse": (1, 0.6, 360), "half_circle": (1, 1, 180),
          "quarter_circle": (1, 1, 90)}  # fmt: skip
_REGULAR = {"triangle": 3, "square": 4, "pentagon": 5, "hexagon": 6, "octagon": 8}
_CORNERS: dict[str, list[tuple[float, float]]] = {
    "rectangle": [(-0.88, -0.46), (0.88, -0.46), (0.88, 0.46), (-0.88, 0.46)],
    "diamond": [(0, -1), (0.68, 0), (0, 1), (-0.68, 0)],
    "cross": [
        (-0.3, -0.9), (0.3, -0.9), (0.3, -0.3), (0.9, -0.3), (0.9, 0.3), (0.3, 0.3), (0.3, 0.9), (-0.3, 0.9),
        (-0.3, 0.3), (-0.9, 0.3), (-0.9, -0.3), (-0.3, -0.3),
    ],
    "right_triangle": [(-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7)],
    "trapezoid": [(-0.45, -0.5), (0.45, -0.5), (0.85, 0.5), (-0.85, 0.5)],
    "parallelogram": [(-0.5, -0.45), (0.88, -0.45), (0.5, 0.45), (-0.88, 0.45)],
    "arrow": [(-0.95, -0.22), (0.15, -0.22), (0.15, -0.6), (0.95, 0), (0.15, 0.6), (0.15, 0.22), (-0.95, 0.22)],
}  # fmt: skip
