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

from ircore.core.images import Picture, Pixels
from ircore.scorers.verification.eye.edges import SIDE, Edges, Floats, edges_of

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
    """From target to rendering, about the middle of the picture; both are 1 wide and high.

    Example:
        >>> Transform(x=0.02, wide=0.9, high=0.9).is_identity
        False
    """

    x: float = 0.0
    y: float = 0.0
    wide: float = 1.0
    high: float = 1.0
    turn: float = 0.0

    @property
    def scale(self) -> float:
        """Mean of the two scales."""
        return math.sqrt(self.wide * self.high)

    @property
    def is_identity(self) -> bool:
        """Whether nothing has to be moved."""
        return self == Transform()

    def matrix(self, width: int, height: int) -> npt.NDArray[np.float64]:
        """Return the 2 × 3 matrix that takes pixels of the target to pixels of a rendering of the same size."""
        cosine, sine = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        linear = np.array([[cosine * self.wide, -sine * self.high], [sine * self.wide, cosine * self.high]])
        middle = np.array([width / 2, height / 2])
        move = middle + np.array([self.x * width, self.y * height]) - linear @ middle
        return np.column_stack([linear, move])


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
        matrices = np.array([transform.matrix(SIDE, SIDE) for transform in transforms])
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
    matrix = transform.matrix(SIDE, SIDE)
    moved: Floats = (points @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    return moved


def over_target(pixels: Pixels, transform: Transform, width: int, height: int) -> Pixels:
    """Return the rendering laid over the target, in the target's size."""
    image = Image.fromarray(pixels)
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    if transform.is_identity:
        return np.asarray(image)
    data = tuple(float(value) for value in transform.matrix(width, height).ravel())
    # What comes in from beyond the edges looks like the ground, and not like something drawn.
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    fill = tuple(int(value) for value in np.median(border, axis=0))
    moved = image.transform((width, height), Image.Transform.AFFINE, data, Image.Resampling.BILINEAR, fillcolor=fill)
    return np.asarray(moved)
