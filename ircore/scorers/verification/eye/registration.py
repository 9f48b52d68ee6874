"""Lays a rendering over its target: by the best move, scale and small turn, never a mirror image.

Edges of the target, of three orientations, are matched with those of the rendering: first roughly, by correlation over
a grid of scales and turns; then finely, by the share of the target's edge points that have an edge of the same
orientation near them. Every candidate lies on a fixed grid, so that machines cannot differ by a last bit.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from ircore.core import exact
from ircore.core.images import Picture, Pixels
from ircore.scorers.verification.eye.edges import SIDE, Edges, Floats, edges_of

Matrix: TypeAlias = npt.NDArray[np.float64]
"""3 × 3, of homogeneous coordinates."""

COARSE = 128
MOST_SCALE, LEAST_SCALE = 1.25, 0.8
MOST_TURN = 5.0
"""Degrees."""
SLIGHT_MOVE, IN_PLACE = 0.05, 0.4
"""Share of the picture's sides beyond which a move of all is unlikely if this share of the things is in its place."""
REACH = 14.0
"""Pixels from which on an edge point counts as having no edge near it."""

_GAIN = 0.004
"""Agreement that a move gains at least."""

SCALES = (0.8, 0.84, 0.88, 0.92, 0.95, 0.975, 1.0, 1.025, 1.05, 1.09, 1.14, 1.19, 1.25)
TURNS = (-4.0, -2.0, 0.0, 2.0, 4.0)


class Transform(NamedTuple):
    """From target to rendering, about the middles of both, each taken as 1 wide and high.

    Example:
        >>> Transform(x=0.02, wide=0.9, high=0.9).is_identity
        False
        >>> round(Transform(wide=2 / 3, aspect=1.5).distortion, 6)
        1.0
    """

    x: float = 0.0
    """Move to the right, as share of the rendering's width."""
    y: float = 0.0
    """Move downwards, as share of the rendering's height."""
    wide: float = 1.0
    """Width of the drawing, as share of the rendering's width."""
    high: float = 1.0
    """Height of the drawing, as share of the rendering's height."""
    turn: float = 0.0
    """Degrees, clockwise."""
    slant: float = 0.0
    """How far upright lines lean, as share of their height."""
    tilt_x: float = 0.0
    """Perspective: by how much smaller the right side is than the left, as share of the size in the middle."""
    tilt_y: float = 0.0
    """Perspective: by how much smaller the lower side is than the upper."""
    aspect: float = 1.0
    """Width by height of the rendering, divided by the target's."""

    @property
    def scale(self) -> float:
        """Mean of the two scales."""
        return math.sqrt(self.wide * self.high)

    @property
    def distortion(self) -> float:
        """How much wider the drawing is than the target, for its height: 1 where its proportions are kept."""
        return self.wide * self.aspect / self.high

    @property
    def is_identity(self) -> bool:
        """Whether nothing has to be moved within the rendering."""
        return self[:-1] == Transform()[:-1]

    @property
    def is_upright(self) -> bool:
        """Whether the drawing's sides are parallel to the rendering's."""
        return self.turn == self.slant == self.tilt_x == self.tilt_y == 0

    def matrix(self, width: float, height: float) -> Matrix:
        """Return the 3 × 3 matrix from pixels of the target to pixels of the rendering brought to the target's size.

        Points are given and returned with a third number; the first two are to be divided by it.
        """
        cosine, sine = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        turned = np.array([[cosine, cosine * self.slant - sine], [sine, sine * self.slant + cosine]])
        linear = turned * (self.wide * self.aspect, self.high) / [[self.aspect], [1.0]]
        move, tilt = np.array([self.x * width, self.y * height]), np.array([self.tilt_x / width, self.tilt_y / height])
        about = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        inner = np.vstack([np.column_stack([linear + np.outer(move, tilt), move]), [*tilt, 1.0]])
        return np.linalg.inv(about) @ inner @ about

    @classmethod
    def from_matrix(cls, matrix: Matrix, width: float, height: float, aspect: float) -> "Transform":
        """Return the transform that has a matrix, as ``matrix`` gives it, in numbers of a few decimals.

        Args:
            matrix: From pixels of the target to pixels of the rendering brought to the target's size.
            width: Of the target.
            height: Of the target.
            aspect: As the attribute.
        """
        about = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        inner = about @ matrix @ np.linalg.inv(about)
        inner = inner / inner[2, 2]
        move, tilt = inner[:2, 2], inner[2, :2]
        linear = (inner[:2, :2] - np.outer(move, tilt)) * [[aspect], [1.0]]
        wide = math.hypot(linear[0, 0], linear[1, 0])
        cosine, sine = linear[0, 0] / wide, linear[1, 0] / wide
        high = cosine * linear[1, 1] - sine * linear[0, 1]
        slant = (cosine * linear[0, 1] + sine * linear[1, 1]) / high
        values = (
            move[0] / width, move[1] / height, wide / aspect, high, math.degrees(math.atan2(sine, cosine)), slant,
            tilt[0] * width, tilt[1] * height,
        )  # fmt: skip
        return cls(*(round(float(value), 5) for value in values), round(aspect, 5))

    def placed(self, points: npt.ArrayLike, width: float, height: float) -> npt.NDArray[np.float64]:
        """Return where points of the target (rows of x and y) lie in the rendering brought to the target's size."""
        points = np.asarray(points, dtype=np.float64)
        moved = np.column_stack([points, np.ones(len(points))]) @ self.matrix(width, height).T
        placed: npt.NDArray[np.float64] = moved[:, :2] / moved[:, 2:]
        return placed


MOVE_COST, SIZE_COST, TURN_COST, TILT_COST = 4.0, 0.4, 0.5, 22.0
"""Points that a move by the picture's width costs (up to ``SLIGHT_MOVE``; beyond it a quarter of that), the smallest
drawing, a turn by one degree, and perspective by 1."""
SIZE_REACH = 4.0
DISTORTION_COST, UNSEEN_DISTORTION = 8.0, 0.03
"""Points that a distortion by e costs, and how much of it nobody sees."""
CUT_COST, UNSEEN_CUT = 30.0, 0.05
"""Points that a target of which a whole side lies outside of the rendering costs, and how much of it may."""
MOST_COST = 4.0


def cost_of(transform: Transform) -> float:
    """Return the cost of a transform in points: 0 without any transform, at most ``MOST_COST``.

    A drawing may lie anywhere on its canvas, in any size, for little; to distort, turn or cut it costs what it looks
    like.
    """
    shift = exact.hypot(transform.x, transform.y)
    move = MOVE_COST * (min(shift, SLIGHT_MOVE) + max(0.0, shift - SLIGHT_MOVE) / 4)
    stretch = (abs(_log(transform.wide)) + abs(_log(transform.high))) / 2
    size = SIZE_COST * (1 - exact.exp(-SIZE_REACH * stretch))
    distortion = DISTORTION_COST * max(0.0, abs(_log(transform.distortion)) - UNSEEN_DISTORTION)
    # What juts out on one side, beyond the room that a drawing of this size has.
    cut = max(abs(transform.x) + transform.wide / 2, abs(transform.y) + transform.high / 2) - 0.5
    cutting = CUT_COST * max(0.0, cut - UNSEEN_CUT)
    turn = TURN_COST * (abs(transform.turn) + math.degrees(abs(transform.slant)) / 2)
    tilt = TILT_COST * exact.hypot(transform.tilt_x, transform.tilt_y)
    return round(min(MOST_COST, move + size + distortion + cutting + turn + tilt), 4)


def _log(value: float) -> float:
    return exact.log(max(value, 1e-6))


class Model:
    """The target's side of a registration, computed once for all renderings of a target.

    Example:
        >>> black_square = np.full((64, 64, 3), 255, np.uint8)
        >>> black_square[16:48, 16:48] = 0
        >>> register(Model(Picture.from_pixels(black_square)), black_square)[0].is_identity
        True
    """

    def __init__(self, target: Picture) -> None:
        edges = edges_of(target.pixels)
        self.points, self.weights = edges.points(), edges.weights()
        self.spectra = [
            (scale, turn, self._spectra(Transform(wide=scale, high=scale, turn=turn)))
            for scale in SCALES
            for turn in TURNS
        ]

    def _spectra(self, transform: Transform) -> list[npt.NDArray[np.complex64]]:
        spectra = []
        for points in self.points:
            picture = np.zeros((COARSE, COARSE), np.float32)
            placed = np.floor(_moved(points, transform) * COARSE / SIDE).astype(np.int64)
            inside = ((placed >= 0) & (placed < COARSE)).all(axis=1)
            picture[placed[inside, 1], placed[inside, 0]] = 1.0
            spectra.append(np.conj(np.fft.rfft2(picture)).astype(np.complex64))
        return spectra


def register(model: Model, pixels: Pixels) -> tuple[Transform, float]:
    """Return the transform from target to rendering, and the share of the target's edges that meet an edge, 0–1."""
    edges = edges_of(pixels)
    overlap = _Overlap(model, edges)
    # Where a move gains next to nothing, the picture stays where it is; no agreement is above 1.
    still = overlap.agreement(Transform(), 1.0)
    if still >= 1.0 - _GAIN:
        return Transform(), round(still, 4)
    # A start that is given twice would walk the same way twice.
    starts = dict.fromkeys([Transform(), *_coarse(model, edges)])
    results = [_refined(overlap, start) for start in starts]
    best = max(results, key=lambda result: overlap.agreement(result[0], 3.0) - _unlikely(result[0]))
    if _shift(best[0]) > SLIGHT_MOVE:
        best = _rather_near(overlap, best, results)
    if still >= best[1] - _GAIN:
        return Transform(), round(still, 4)
    return best[0], round(best[1], 4)


class _Overlap:
    """How well the edges of a rendering meet those of a target under moves; each move is looked at once.

    Args:
        model: The target's edges.
        edges: The rendering's edges.
    """

    def __init__(self, model: Model, edges: Edges) -> None:
        groups = zip(model.points, model.weights, map(_nearness, edges.planes), strict=True)
        self.groups = [group for group in groups if len(group[0])]
        self.known: dict[tuple[Transform, float], float] = {}

    def agreement(self, transform: Transform, reach: float) -> float:
        """Return the mean over edge points of how near the next edge of the same orientation is, 0–1."""
        return self.agreements([transform], reach)[0]

    def agreements(self, transforms: Sequence[Transform], reach: float) -> list[float]:
        """Return the agreement under each of some moves.

        Args:
            transforms: Moves; those seen before are looked up.
            reach: Distance in pixels of ``SIDE`` at which an edge counts 0.61 (the Gaussian at one deviation).
        """
        new = [transform for transform in transforms if (transform, reach) not in self.known]
        if new:
            totals = np.zeros(len(new))
            for _, closeness in self._closeness(new, reach):
                totals += closeness.sum(axis=1)
            count = max(1, sum(len(points) for points, _, _ in self.groups))
            self.known |= {
                (move, reach): round(float(total) / count, 6) for move, total in zip(new, totals, strict=True)
            }
        return [self.known[transform, reach] for transform in transforms]

    def of_things(self, transform: Transform, reach: float) -> float:
        """Return the agreement with every thing weighing alike, so that a large one does not outweigh all others."""
        total = count = 0.0
        for weights, closeness in self._closeness([transform], reach):
            total += float((weights * closeness[0]).sum())
            count += float(weights.sum())
        return round(total / max(1.0, count), 6)

    def _closeness(self, transforms: Sequence[Transform], reach: float) -> Iterator[tuple[Floats, Floats]]:
        """Yield for each group of edges the weights of its points, and how near an edge each is, one row a move."""
        # All moves at once: one call of the interpolation for each would take most of the time.
        matrices = np.array([transform.matrix(SIDE, SIDE)[:2] for transform in transforms])
        for points, weights, field in self.groups:
            moved = (points @ matrices[:, :, :2].transpose(0, 2, 1) + matrices[:, None, :, 2]).astype(np.float32)
            places = (moved[..., 1] - 0.5, moved[..., 0] - 0.5)
            far = ndimage.map_coordinates(field, places, order=1, mode="constant", cval=REACH)
            yield weights, np.exp(-0.5 * (far / reach) ** 2)


_Refined: TypeAlias = tuple[Transform, float]
"""A transform, and its agreement within a pixel."""


def _rather_near(overlap: _Overlap, far: _Refined, results: list[_Refined]) -> _Refined:
    """Return a slight move if it brings as many things into place as a far move, which may be one large thing's own."""
    slight = [result for result in results if _shift(result[0]) <= SLIGHT_MOVE]
    near = [result for result in slight if overlap.of_things(result[0], 1.0) >= IN_PLACE]
    gain = _shift(far[0]) - SLIGHT_MOVE
    best = max(near, key=lambda result: overlap.of_things(result[0], 3.0), default=far)
    return best if overlap.of_things(best[0], 3.0) >= overlap.of_things(far[0], 3.0) - gain else far


def _shift(transform: Transform) -> float:
    return math.hypot(transform.x, transform.y)


def _unlikely(transform: Transform) -> float:
    """Return the gain in agreement that a large transform needs to be preferred."""
    shift = abs(transform.x) + abs(transform.y)
    stretch = abs(math.log(transform.wide)) + abs(math.log(transform.high))
    uneven = abs(math.log(transform.wide / transform.high))
    return 0.08 * shift + 0.08 * stretch + 0.4 * uneven + 0.003 * abs(transform.turn)


def _nearness(plane: Floats) -> Floats:
    mask = plane > 0.35
    if not mask.any():
        return np.full(plane.shape, REACH, np.float32)
    far = ndimage.distance_transform_edt(~mask)
    near: Floats = np.minimum(far, REACH).astype(np.float32)
    return near


def _coarse(model: Model, edges: Edges) -> list[Transform]:
    """Return the two best moves over the grid of scales and turns, best first."""
    spectra = []
    for plane in edges.planes:
        reduced = plane.reshape(COARSE, SIDE // COARSE, COARSE, SIDE // COARSE).max(axis=(1, 3))
        reduced = ndimage.gaussian_filter(reduced, 1.2)
        spectra.append(np.fft.rfft2(reduced).astype(np.complex64))
    candidates = []
    for scale, turn, conjugates in model.spectra:
        # Correlation of both pictures for every move at once.
        product = sum(spectrum * conjugate for spectrum, conjugate in zip(spectra, conjugates, strict=True))
        surface = np.fft.irfft2(product, s=(COARSE, COARSE))
        # No move by more than a quarter of the picture is allowed, see _is_allowed.
        limit = COARSE // 4
        # A correlation holds the moves to the left and upwards at its far ends.
        window = np.roll(surface, (limit, limit), (0, 1))[: 2 * limit + 1, : 2 * limit + 1]
        row, column = np.unravel_index(int(window.argmax()), window.shape)
        move = Transform((int(column) - limit) / COARSE, (int(row) - limit) / COARSE, scale, scale, turn)
        candidates.append((round(float(window[row, column]), 3) * (1 - _unlikely(move)), move))
    candidates.sort(key=lambda candidate: -candidate[0])
    return [move for _, move in candidates[:2]]


STEPS = ((4.0, 0.02, 1.0, 6.0), (2.0, 0.01, 0.5, 3.0), (1.0, 0.005, 0.25, 1.6), (0.5, 0.0025, 0.125, 1.0))
"""Steps of the fine search: pixels of ``SIDE``, scale, degrees; and the reach of an edge, in pixels."""


def _refined(overlap: _Overlap, start: Transform) -> _Refined:
    """Walk downhill on ever finer grids; return the transform, and its agreement within a pixel."""
    best = start
    for shift, stretch, turn, reach in STEPS:
        value = overlap.agreement(best, reach)
        for _ in range(8):
            moves = [
                candidate for candidate in _neighbours(best, shift / SIDE, stretch, turn) if _is_allowed(candidate)
            ]
            values = overlap.agreements(moves, reach)
            top = int(np.argmax(values))
            if values[top] <= value:
                break
            best, value = moves[top], values[top]
    return best, overlap.agreement(best, 1.0)


def _neighbours(at: Transform, shift: float, stretch: float, turn: float) -> list[Transform]:
    rounded = []
    for sign in (-1, 1):
        rounded += [
            at._replace(x=at.x + sign * shift),
            at._replace(y=at.y + sign * shift),
            at._replace(wide=at.wide + sign * stretch),
            at._replace(high=at.high + sign * stretch),
            at._replace(wide=at.wide + sign * stretch, high=at.high + sign * stretch),
            at._replace(turn=at.turn + sign * turn),
        ]
    return [Transform(*(round(value, 6) for value in move)) for move in rounded]


def _is_allowed(transform: Transform) -> bool:
    uneven = transform.wide / transform.high
    return (
        LEAST_SCALE <= transform.scale <= MOST_SCALE
        and abs(transform.turn) <= MOST_TURN
        and 0.88 <= uneven <= 1.14
        and max(abs(transform.x), abs(transform.y)) <= 0.25
    )


def _moved(points: Floats, transform: Transform) -> Floats:
    matrix = transform.matrix(SIDE, SIDE)[:2]
    moved: Floats = (points @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    return moved


def over_target(pixels: Pixels, transform: Transform, width: int, height: int) -> Pixels:
    """Return the rendering laid over the target, in the target's size."""
    image = Image.fromarray(pixels)
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    if transform.is_identity:
        return np.asarray(image)
    data = tuple(float(value) for value in transform.matrix(width, height)[:2].ravel())
    # What comes in from beyond the edges looks like the ground, and not like something drawn.
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    fill = tuple(int(value) for value in np.median(border, axis=0))
    moved = image.transform((width, height), Image.Transform.AFFINE, data, Image.Resampling.BILINEAR, fillcolor=fill)
    return np.asarray(moved)
