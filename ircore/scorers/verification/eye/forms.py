"""Forms, told by comparison with every form that there may be: of shapes, and of the markers of a line.

The form of a shape is the distance of its rim from its middle by direction, for any size and turn. A
marker has a colour besides.
"""

import cmath
import math
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from ircore.scorers.verification.eye.look import Look
from ircore.scorers.verification.eye.strokes import LEAST_CONTRAST
from ircore.scorers.verification.eye.view import Floats, Mask, Observed, find_commonest_colour, format_rgb, parse_rgb
from ircore.scorers.verification.scene_facts.charts import NO_MARKERS
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

Points: TypeAlias = npt.NDArray[np.complex128]
"""Places as x + iy, since factors turn and scale complex numbers."""

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
CLEARLY_BETTER = 1.3
"""Times the misfit of the best shape from which on the target's own shape is not the one that is seen."""

_DIAMOND, _TRIANGLE = [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)], [(0, -1.25), (1.2, 1), (-1.2, 1)]
_MARKER_CORNERS: dict[str, Sequence[tuple[float, float]]] = {
    "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], "diamond": _DIAMOND, "triangle": _TRIANGLE,
}  # fmt: skip
SHAPES = (NO_MARKERS, "circle", "ring", *_MARKER_CORNERS)


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
    is_told = best == expected or misfits[expected] >= CLEARLY_BETTER * misfits[best]
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


def _fill_holes(mask: Mask) -> Mask:
    """Return a mask without its holes: all but the ground that reaches the border. Faster than SciPy's, which grows."""
    grounds, count = ndimage.label(~mask)
    reaches = np.zeros(count + 1, bool)
    for border in (grounds[0], grounds[-1], grounds[:, 0], grounds[:, -1]):
        reaches[border] = True
    reaches[0] = False
    filled: Mask = ~reaches[grounds]
    return filled


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
    if shape in _MARKER_CORNERS:
        pen.polygon([at(half * x, half * y) for x, y in _MARKER_CORNERS[shape]], fill=255)
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
