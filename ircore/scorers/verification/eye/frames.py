"""Where a drawing may lie on its canvas: frames proposed from the edges of a target and of a rendering.

Edges are points, each with its direction; all of it works with them, so that a turned canvas costs no more than an
upright one. The canvas about the drawing is looked at, too: what is drawn on it beyond the target's frame, and whether
its colours are a target's.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage
from skimage.color import rgb2lab

from ircore.core.images import Pixels
from ircore.core.records import Box
from ircore.core.score_records import ExtraBox
from ircore.scorers.verification.eye.view import find_commonest_colour, measure_lab_distance

Matrix: TypeAlias = npt.NDArray[np.float64]
"""3 × 3, of homogeneous coordinates: from pixels of the target to pixels of the rendering, both as in ``Edges``."""

COARSE = 128
SIZES = tuple(round(0.23 * 1.06**step, 4) for step in range(32))
"""Factors from the target to the rendering that are tried for the whole drawing, 0.23 to 1.4."""
AXIS_SIZES = tuple(round(0.23 * 1.03**step, 4) for step in range(62))
"""Factors that are tried along one axis."""
LEAST, MOST = 0.35, 1.3
"""Share of the canvas that a drawing fills along an axis at least and at most."""
JUTTING = 0.25
"""Share of the drawing that may lie outside of the canvas."""
BEST_PLACES, BEST_WHOLES = 4, 3
LEAST_TURN, MOST_TURN = 1.0, 9
"""Degrees."""

Floats: TypeAlias = npt.NDArray[Any]

Indices: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

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


def apply_matrix(matrix: Matrix, points: Floats) -> Floats:
    """Return where points lie under a matrix."""
    moved = points @ matrix[:2, :2].T + matrix[:2, 2]
    placed: Floats = moved / (points @ matrix[2, :2] + matrix[2, 2])[:, None]
    return placed


def build_stretch(wide: float, high: float, left: float, top: float) -> Matrix:
    """Return the matrix of two factors and a move."""
    return np.array([[wide, 0.0, left], [0.0, high, top], [0.0, 0.0, 1.0]])


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


@dataclass(eq=False)
class FrameProposer:
    """The target's side of the proposals, computed once for all renderings.

    Attributes:
        edges: The target's edges.
        weights: Of its points.
    """

    edges: Edges
    weights: Floats
    spectra: dict[float, npt.NDArray[np.complex64]] = field(default_factory=dict)
    profiles: dict[tuple[int, float], npt.NDArray[np.complex128]] = field(default_factory=dict)

    def whole(self, size: float) -> npt.NDArray[np.complex64]:
        """Return the spectra of the drawing's edges, one a class, in one size."""
        if size not in self.spectra:
            planes = _build_planes(self.edges.points * size, self.edges.classes, self.weights)
            planes /= max(1e-6, float(np.sqrt((planes**2).sum())))
            self.spectra[size] = np.conj(np.fft.rfft2(planes)).astype(np.complex64)
        return self.spectra[size]

    def along(self, axis: int, factor: float) -> npt.NDArray[np.complex128]:
        """Return the spectrum of the drawing's edges across an axis, in one size, for a likeness of 1 with itself."""
        if (axis, factor) not in self.profiles:
            profile = _build_profile(
                factor * self.edges.points[:, axis], self.weights * self.edges.normals[:, axis] ** 2
            )
            norm = max(1e-6, float(np.sqrt((profile**2).sum())))
            self.profiles[axis, factor] = np.asarray(np.conj(np.fft.rfft(profile, 4 * SIDE)) / norm, np.complex128)
        return self.profiles[axis, factor]


def propose_frames(proposer: FrameProposer, rendering: Edges) -> list[Matrix]:
    """Return frames in which the target's drawing may lie on a rendering's canvas."""
    edges = proposer.edges
    wide, high = rendering.width / edges.width, rendering.height / edges.height
    fitting = min(wide, high)
    frames = [
        build_stretch(wide, high, 0, 0),
        build_stretch(fitting, fitting, (rendering.width - fitting * edges.width) / 2,
                  (rendering.height - fitting * edges.height) / 2),
    ]  # fmt: skip
    if min(len(edges.points), len(rendering.points)) < 8:
        return frames
    frames += _propose_box_frames(edges, rendering)
    for turn in dict.fromkeys((0.0, _measure_turn(edges, rendering))):
        back, forth = _build_rotation(-turn, rendering), _build_rotation(turn, rendering)
        points, normals = apply_matrix(back, rendering.points), rendering.normals @ back[:2, :2].T
        found = _propose_axis_frames(proposer, rendering, points, normals) + _propose_uniform_frames(
            proposer, rendering, points, normals
        )
        frames += [forth @ frame for frame in found]
    return frames


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


def find_beyond_frame(edges: Edges, frame: Matrix, own: Edges, factor: float) -> Beyond:
    """Return what is drawn on a canvas beyond the frame of the target.

    Args:
        edges: The rendering's edges.
        frame: From the target's edges to these.
        own: The target's edges.
        factor: Pixels of the target for one of its edges' picture.
    """
    back: Floats = np.linalg.inv(frame)
    placed = apply_matrix(back, edges.points)
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
        box = _compute_box(factor * placed[own_points])
        wide, high = box.right - box.left, box.bottom - box.top
        things.append(ExtraBox(box, round(min(3.0, 0.4 + wide * high / 4500 + max(wide, high) / 200), 3)))
    things.sort(key=lambda thing: -thing.weight)
    share = float(edges.strengths[outside].sum() / edges.strengths.sum())
    canvas = _compute_box(
        factor * apply_matrix(back, np.array([(0.0, 0.0), (float(edges.width), float(edges.height))]))
    )
    return Beyond(tuple(things[:MOST_BEYOND]), round(share, 4), canvas)


def has_palette(target: Pixels, pixels: Pixels) -> bool:
    """Return whether what is drawn has a target's colours in about the target's shares, and so may be its drawing."""
    own, ink = _convert_to_lab(target), _convert_to_lab(pixels)
    own, ink = own[_mark_drawn(own)], ink[_mark_drawn(ink)]
    shares: list[tuple[float, float]] = []
    while len(own) > 0.02 * GRID * GRID and len(shares) < 12:
        colour = find_commonest_colour(own)
        near = measure_lab_distance(own, colour) < SAME_COLOUR
        if not near.any():
            break
        shares.append((float(near.sum()), float((measure_lab_distance(ink, colour) < SAME_COLOUR).sum())))
        own = own[~near]
    if len(shares) < LEAST_COLOURS or not len(ink):
        return False
    wanted, seen = np.array(shares).T
    return float(np.minimum(wanted / wanted.sum(), seen / len(ink)).sum()) >= LEAST_SHARED


def has_similar_colours(target: Pixels, laid: Pixels) -> bool:
    """Return whether much of what a target draws has its colour in a rendering that was laid over it."""
    own, seen = _convert_to_lab(target), _convert_to_lab(laid)
    drawn = _mark_drawn(own)
    return bool(drawn.any()) and float((measure_lab_distance(own, seen)[drawn] < SAME_COLOUR).mean()) >= LEAST_ALIKE


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


def compute_step(count: int, most: int) -> int:
    """Return the step that thins a number of points out to at most ``most``."""
    return max(1, math.ceil(count / most))


def _build_rotation(degrees: float, canvas: Edges) -> Matrix:
    angle = np.radians(degrees)
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = canvas.width / 2, canvas.height / 2
    return np.array([
        [cosine, -sine, x - cosine * x + sine * y], [sine, cosine, y - sine * x - cosine * y], [0.0, 0.0, 1.0]
    ])  # fmt: skip


def _measure_turn(edges: Edges, rendering: Edges) -> float:
    """Return by how many degrees the directions of a rendering's edges are turned against the target's."""
    histograms = []
    for normals in (edges.normals, rendering.normals):
        angles = np.degrees(np.arctan2(normals[:, 1], normals[:, 0])) % 180
        counts = np.bincount(np.floor(2 * angles).astype(np.int64) % 360, minlength=360).astype(np.float64)
        smooth = ndimage.gaussian_filter1d(counts, 2.0, mode="wrap")
        histograms.append(smooth / max(1.0, counts.sum()))
    most = 2 * MOST_TURN
    likeness = [float((np.roll(histograms[0], shift) * histograms[1]).sum()) for shift in range(-most, most + 1)]
    best = int(np.argmax(likeness))
    turn = (best - most) / 2
    return turn if abs(turn) >= LEAST_TURN and likeness[best] > 1.1 * likeness[most] else 0.0


def _propose_box_frames(edges: Edges, rendering: Edges) -> list[Matrix]:
    """Return frames that bring the box of the target's ink, or its whole frame, over boxes of the rendering's ink."""
    outer = _compute_extent(rendering.points)
    boxes = [outer]
    # The rim of a canvas within the canvas hides the box of what is drawn on it.
    for _ in range(2):
        left, top, right, bottom = boxes[-1]
        x, y = rendering.points.T
        inside = (x > left + 3) & (x < right - 3) & (y > top + 3) & (y < bottom - 3)
        if inside.sum() < 8:
            break
        boxes.append(_compute_extent(rendering.points[inside]))
    frames = []
    for own in ((0.0, 0.0, float(edges.width), float(edges.height)), _compute_extent(edges.points)):
        for box in boxes:
            wide, high = (box[2] - box[0]) / max(1.0, own[2] - own[0]), (box[3] - box[1]) / max(1.0, own[3] - own[1])
            if _is_allowed(wide * edges.width / rendering.width) and _is_allowed(
                high * edges.height / rendering.height
            ):
                frames.append(build_stretch(wide, high, box[0] - wide * own[0], box[1] - high * own[1]))
    return frames


def _is_allowed(share: float) -> bool:
    return LEAST <= share <= MOST


def _compute_extent(points: Floats) -> tuple[float, float, float, float]:
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return left, top, right, bottom


def _propose_axis_frames(proposer: FrameProposer, rendering: Edges, points: Floats, normals: Floats) -> list[Matrix]:
    """Return frames with own factors for both axes, each found for itself from the edges across it."""
    edges = proposer.edges
    places = []
    for axis, (size, own_size) in enumerate(((rendering.width, edges.width), (rendering.height, edges.height))):
        profile = _build_profile(points[:, axis], normals[:, axis] ** 2)
        sizes = [size_ for size_ in AXIS_SIZES if _is_allowed(size_ * own_size / size)]
        own = np.array([proposer.along(axis, factor) for factor in sizes])
        places.append(_find_best_places(profile, own, sizes, size, own_size))
    return [build_stretch(wide, high, left, top) for wide, left in places[0] for high, top in places[1]]


def _build_profile(places: Floats, weights: Floats) -> Floats:
    cells = np.floor(places).astype(np.int64)
    inside = (cells >= 0) & (cells < 2 * SIDE)
    counts = np.bincount(cells[inside], weights[inside], minlength=2 * SIDE)
    # A long line must not be all that counts.
    return np.sqrt(ndimage.gaussian_filter1d(counts, 1.0, mode="constant"))


def _find_best_places(
    profile: Floats, own: npt.NDArray[np.complex128], sizes: list[float], size: int, own_size: int
) -> list[tuple[float, float]]:
    """Return the best factors and moves along one axis."""
    likeness = np.fft.irfft(np.fft.rfft(profile, 4 * SIDE) * own, 4 * SIDE, axis=1)
    found = []
    for row, factor in enumerate(sizes):
        reach = JUTTING * factor * own_size
        first, last = int(-reach), int(size - factor * own_size + reach)
        shifts = np.arange(min(first, last), max(first, last) + 1)
        values = likeness[row][shifts]
        best = int(values.argmax())
        found.append((round(float(values[best]), 5), factor, float(shifts[best])))
    found.sort(key=lambda place: -place[0])
    chosen: list[tuple[float, float]] = []
    for _, factor, shift in found:
        if all(abs(factor / other - 1) > 0.04 or abs(shift - move) > 5 for other, move in chosen):
            chosen.append((factor, shift))
        if len(chosen) == BEST_PLACES:
            break
    return chosen


def _propose_uniform_frames(proposer: FrameProposer, rendering: Edges, points: Floats, normals: Floats) -> list[Matrix]:
    """Return frames with one factor for both axes."""
    edges = proposer.edges
    across, down = np.abs(normals).T
    classes = np.where(across > LEANING * down, 0, np.where(down > LEANING * across, 1, 2))
    planes = ndimage.gaussian_filter(_build_planes(points, classes, np.ones(len(points))), (0, 1.2, 1.2))
    spectra = np.fft.rfft2(planes).astype(np.complex64)
    half = COARSE / SIDE
    found = []
    for size in SIZES:
        shares = (size * edges.width / rendering.width, size * edges.height / rendering.height)
        if max(shares) < LEAST or max(shares) > MOST:
            continue
        surface = np.fft.irfft2((spectra * proposer.whole(size)).sum(axis=0), s=(COARSE, COARSE))
        windows = []
        for own_size, whole in ((edges.height, rendering.height), (edges.width, rendering.width)):
            reach = JUTTING * size * own_size
            first, last = int(-reach * half), int((whole - size * own_size + reach) * half)
            windows.append(np.arange(min(first, last), max(first, last) + 1))
        values = surface[np.ix_(*(window % COARSE for window in windows))]
        row, column = np.unravel_index(int(values.argmax()), values.shape)
        place = build_stretch(size, size, windows[1][column] / half, windows[0][row] / half)
        found.append((round(float(values[row, column]), 4), place))
    found.sort(key=lambda each: -each[0])
    return [frame for _, frame in found[:BEST_WHOLES]]


def _build_planes(points: Floats, classes: Indices, weights: Floats) -> Floats:
    """Return the points as three pictures of ``COARSE`` × ``COARSE``, one a class."""
    planes = np.zeros((3, COARSE, COARSE), np.float32)
    cells = np.floor(points * (COARSE / SIDE)).astype(np.int64)
    inside = ((cells >= 0) & (cells < COARSE)).all(axis=1)
    np.maximum.at(planes, (classes[inside], cells[inside, 1], cells[inside, 0]), weights[inside].astype(np.float32))
    return planes


def _is_rim(points: Floats, size: Floats) -> bool:
    """Return whether points are a border about the whole drawing, as of a sheet of paper."""
    low, high = points.min(axis=0), points.max(axis=0)
    near = np.minimum(np.abs(points - low), np.abs(points - high)).min(axis=1)
    return bool((low < 0).all() and (high > size).all() and (near < ROOM * size.max()).mean() > 0.95)


def _compute_box(points: Floats) -> Box:
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return Box(math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom))


def _convert_to_lab(pixels: Pixels) -> Floats:
    small = np.asarray(Image.fromarray(pixels).resize((GRID, GRID), Image.Resampling.BOX))
    lab: Floats = rgb2lab(small).astype(np.float32)
    return lab


def _mark_drawn(lab: Floats) -> npt.NDArray[np.bool_]:
    drawn: npt.NDArray[np.bool_] = measure_lab_distance(lab, find_commonest_colour(lab.reshape(-1, 3))) > DRAWN
    return drawn


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
