"""Lays a rendering over its target: finds the drawing on its canvas, wherever it lies and however large it is.

Edges of the target are matched with those of the rendering. First, frames are proposed in which the drawing may lie:
the boxes of all that is drawn, the best places of the edges along each axis for itself, and the best places of the
whole drawing in many sizes. Each is judged by how many edges of the target meet an edge of the same direction, and how
many edges of the rendering are met. The best are then refined: own factors for both axes, a turn, slight perspective. A
mirror image is never tried.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from ircore.core import exact
from ircore.core.images import Picture, Pixels
from ircore.core.records import Box, Scene
from ircore.core.score_records import Placement
from ircore.scorers.verification.eye.frames import (
    JUTTING,
    LEAST,
    MOST,
    PLAIN,
    REACH,
    SIDE,
    Beyond,
    Edges,
    Floats,
    FrameProposer,
    Indices,
    Matrix,
    apply_matrix,
    build_stretch,
    compute_step,
    find_beyond_frame,
    find_edges,
    has_palette,
    has_similar_colours,
    propose_frames,
)

SLIGHT_MOVE = 0.05
"""Share of the picture's sides beyond which a move of all is no longer slight."""

NEAR_MOVE = 0.03
"""Share of the picture's sides up to which a move is seen as one; beyond, the drawing only lies elsewhere."""
MOVE_COST, SIZE_COST, TURN_COST, TILT_COST = 4.0, 0.4, 0.45, 16.0
"""Points that a move by the picture's width costs (up to ``NEAR_MOVE``; beyond it an eighth of that), the smallest
drawing, a turn by one degree, and perspective by 1."""
SIZE_REACH = 4.0
STILL = 0.02
"""Pixels by which a frame moves at most when it has settled."""
DISTORTION_COST, UNSEEN_DISTORTION, MOST_FOR_DISTORTION = 8.0, 0.03, 3.2
"""Points that a distortion by e costs, how much of it nobody sees, and the most points: a flat pie is still a pie."""
CUT_COST, UNSEEN_CUT = 30.0, 0.05
"""Points that a target of which a whole side lies outside of the rendering costs, and how much of it may."""
MOST_COST = 4.0

GAIN = 0.004
"""Agreement that a move gains at least."""
FREE_GAINS = {4: 0.0, 5: 0.006, 8: 0.02}
"""Agreement that moves and factors, a turn, and then perspective gain at least."""
FAR_GAIN, COST_GAIN, IN_PLACE = 1.5, 0.1, 0.35
"""Agreement that a move by the whole width, and a transform that costs a point, gain at least where the last agreement
is reached without any move."""
CREDIBLE = 0.32
"""Score above chance from which on a frame is believed: other targets reach 0.1 to 0.5, noise 0.1, the target itself
0.34 (where much else is drawn) to 1."""
DECOYS = ((7.0, 7.0), (-7.0, 7.0), (7.0, -7.0), (-7.0, -7.0), (13.0, 5.0), (-13.0, -5.0), (5.0, -13.0), (-5.0, 13.0))
"""Pixels by which a frame is moved to see what chance gives."""
SEARCHED, REFINED = 900, 2600
"""Edge points that are looked at in the search, and for the last refinement."""
WRITING, GROUNDS = 0.35, 0.6
"""Weight of an edge of writing, and of grids, axes and frames; of all others 1."""
MOST_OF_THING = 120.0
"""Points that one element counts at most."""
ROOM = 0.04
"""Share of a drawing's size that is looked at about it."""
SMALL = 0.93
"""Size, as share of the target's, up to which a drawing is looked at from nearer."""
MOST_TURN, MOST_SLANT, MOST_TILT, MOST_DISTORTION = 8.0, 0.14, 0.25, 2.0
"""Degrees; shares; and a factor."""
UNEVEN = 0.05
"""Gain that a distortion by e needs."""
MOST_REFINED, MOST_LOOSENED = 6, 2

GROUND_TYPES = {"axis", "tick", "gridline", "grid_line", "frame", "leader", "arrow_head"}
"""Elements that carry no data."""


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

    def matrix(self, width: float, height: float) -> Matrix:
        """Return the 3 × 3 matrix from pixels of the target to pixels of the rendering brought to the target's size.

        Points are given and returned with a third number; the first two are to be divided by it.
        """
        linear = self._linear
        move, tilt = np.array([self.x * width, self.y * height]), np.array([self.tilt_x / width, self.tilt_y / height])
        about = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        inner = np.vstack([np.column_stack([linear + np.outer(move, tilt), move]), [*tilt, 1.0]])
        matrix: Matrix = np.linalg.inv(about) @ inner @ about
        return matrix

    @property
    def _linear(self) -> Matrix:
        cosine, sine = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        turned = np.array([[cosine, cosine * self.slant - sine], [sine, sine * self.slant + cosine]])
        linear: Matrix = turned * (self.wide * self.aspect, self.high) / [[self.aspect], [1.0]]
        return linear

    @property
    def placement(self) -> Placement:
        """Where the target lies without regard to perspective, as it is at the middle, in four decimals."""
        (a, c), (b, d) = self._linear.tolist()
        a, b, c, d, x, y = (round(value, 4) + 0.0 for value in (a, b, c, d, self.x, self.y))
        return a, b, c, d, x, y

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
        return cls(*(round(float(value), 5) for value in (*values, aspect)))

    def place_points(self, points: npt.ArrayLike, width: float, height: float) -> npt.NDArray[np.float64]:
        """Return where points of the target (rows of x and y) lie in the rendering brought to the target's size."""
        points = np.asarray(points, dtype=np.float64)
        moved = np.column_stack([points, np.ones(len(points))]) @ self.matrix(width, height).T
        placed: npt.NDArray[np.float64] = moved[:, :2] / moved[:, 2:]
        return placed


def compute_cost(transform: Transform, laid_out_anew: float = 0.0) -> float:
    """Return the cost of a transform in points: 0 without any transform, at most ``MOST_COST``.

    A drawing may lie anywhere on its canvas, in any size, for little; to distort, turn or cut it costs what it looks
    like.

    Args:
        transform: The transform.
        laid_out_anew: Share of the distortion that is none, since a chart may have other proportions, 0–1.
    """
    shift = exact.hypot(transform.x, transform.y)
    move = MOVE_COST * (min(shift, NEAR_MOVE) + max(0.0, shift - NEAR_MOVE) / 8)
    stretch = (abs(_compute_log(transform.wide)) + abs(_compute_log(transform.high))) / 2
    size = SIZE_COST * (1 - exact.exp(-SIZE_REACH * stretch))
    distortion = DISTORTION_COST * max(0.0, abs(_compute_log(transform.distortion)) - UNSEEN_DISTORTION)
    distortion = min(MOST_FOR_DISTORTION, distortion) * (1 - laid_out_anew)
    # What juts out on one side, beyond the room that a drawing of this size has.
    cut = max(abs(transform.x) + transform.wide / 2, abs(transform.y) + transform.high / 2) - 0.5
    cutting = CUT_COST * max(0.0, cut - UNSEEN_CUT)
    turn = TURN_COST * (abs(transform.turn) + math.degrees(abs(transform.slant)) / 2)
    tilt = TILT_COST * exact.hypot(transform.tilt_x, transform.tilt_y)
    return round(min(MOST_COST, move + size + distortion + cutting + turn + tilt), 4)


class Model:
    """The target's side of a registration, computed once for all renderings of a target.

    Example:
        >>> black_square = np.full((64, 64, 3), 255, np.uint8)
        >>> black_square[16:48, 16:48] = 0
        >>> register_rendering(Model(Picture.from_pixels(black_square)), black_square).transform.is_identity
        True
    """

    def __init__(self, target: Picture, scene: Scene | None = None) -> None:
        self.width, self.height = target.width, target.height
        self.pixels = target.pixels
        self.edges = find_edges(target.pixels)
        weights = self.edges.weights() if scene is None else _weigh_edges(self.edges, scene)
        # Faint lines are lost in small or blurred renderings, so that their absence says little.
        self.weights = weights * self.edges.strengths / PLAIN
        self.proposer = FrameProposer(self.edges, self.weights)
        self.few = EdgeSample.of(self.edges, self.weights, SEARCHED)
        self.many = EdgeSample.of(self.edges, self.weights, REFINED)


@dataclass(frozen=True, eq=False)
class EdgeSample:
    """Some of a picture's edge points, evenly thinned out."""

    points: Floats
    classes: Indices
    weights: Floats

    @classmethod
    def of(cls, edges: Edges, weights: Floats, most: int) -> "EdgeSample":
        """Return a sample of at most ``most`` points."""
        step = compute_step(len(edges.points), most)
        return cls(edges.points[::step], edges.classes[::step], weights[::step])


class FrameFit(NamedTuple):
    """Where a target's drawing lies in a rendering."""

    transform: Transform
    """From target to rendering."""

    agreement: float
    """Share of the target's edges that meet an edge, 0–1."""

    is_found: bool
    """Whether the drawing was found; also true where nothing of it is there to be found."""

    beyond: Beyond = Beyond()
    """What is drawn on the canvas beyond the target's frame."""


def register_rendering(model: Model, pixels: Pixels) -> FrameFit:
    """Return the transform from target to rendering, and how well edges meet under it."""
    edges = find_edges(pixels)
    overlap = _Overlap(model, edges)
    still, centred, *others = propose_frames(model.proposer, edges)
    staying = overlap.agreement(still, 1.0)
    if staying >= 1.0 - GAIN or not len(edges.points) or not len(model.edges.points):
        return FrameFit(overlap.transform(still), round(staying, 4), True)
    found = _find_best_frame(overlap, [still, centred, *others])
    nearer, closer = overlap, np.eye(3)
    if math.sqrt(abs(np.linalg.det(found[:2, :2]))) < SMALL:
        nearer, closer = _find_edges_nearby(model, pixels, edges, found)
        found = np.linalg.inv(closer) @ _select_straightest(nearer, [closer @ overlap.straight(found), closer @ found])
    around = find_beyond_frame(edges, found, model.edges, model.width / model.edges.width)
    if not nearer.is_credible(closer @ found, around.share):
        plain = max((still, centred), key=lambda frame: overlap.score(frame, 4.0))
        transform = overlap.transform(plain)
        is_hidden = (
            has_palette(model.pixels, pixels)
            and not has_similar_colours(model.pixels, lay_over_target(pixels, transform, model.width, model.height))
            and not _is_mirrored_or_turned(model, pixels)
        )
        return FrameFit(transform, round(overlap.agreement(plain, 1.0), 4), not is_hidden)
    staying, agreement = (nearer.agreement(closer @ frame, 1.0) for frame in (still, found))
    gain = GAIN
    if staying >= IN_PLACE:
        # Much is in its place, so what is not may have moved or turned for itself.
        far = FAR_GAIN * max(0.0, overlap.measure_move(still, found) - SLIGHT_MOVE)
        gain += far + COST_GAIN * compute_cost(overlap.transform(found))
    # Where a move gains next to nothing, the picture stays where it is.
    if staying >= agreement - gain:
        return FrameFit(overlap.transform(still), round(staying, 4), True, around)
    return FrameFit(overlap.transform(found), round(agreement, 4), True, around)


def lay_over_target(pixels: Pixels, transform: Transform, width: int, height: int) -> Pixels:
    """Return the rendering laid over the target, in the target's size."""
    image = Image.fromarray(pixels)
    if transform.is_identity:
        return np.asarray(
            image if image.size == (width, height) else image.resize((width, height), Image.Resampling.BICUBIC)
        )
    # What comes in from beyond the edges looks like the ground, and not like something drawn.
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    fill = tuple(int(value) for value in np.median(border, axis=0))
    # The drawing is brought to about the target's size first, with a mean over all pixels: then no pixel is left out.
    wide, high = width / (transform.wide * image.width), height / (transform.high * image.height)
    near = (max(1, round(image.width * wide)), max(1, round(image.height * high)))
    if wide < 0.9 or high < 0.9 or max(wide, high) > 1.5:
        image = image.resize(near, Image.Resampling.BICUBIC)
    scale = np.diag([image.width / width, image.height / height, 1.0])
    matrix = scale @ transform.matrix(width, height)
    matrix /= matrix[2, 2]
    data = tuple(float(value) for value in matrix.ravel()[:8])
    # Without perspective, the same to the bit in five sixths of the time.
    is_affine = not transform.tilt_x and not transform.tilt_y
    way = Image.Transform.AFFINE if is_affine else Image.Transform.PERSPECTIVE
    return np.asarray(image.transform((width, height), way, data, Image.Resampling.BICUBIC, fillcolor=fill))


def _compute_log(value: float) -> float:
    return exact.log(max(value, 1e-6))


def _weigh_edges(edges: Edges, scene: Scene) -> Floats:
    """Return a weight for each edge point, by the smallest element in whose box it lies."""
    owner = np.full(len(edges.points), -1)
    factor = np.array([scene.width / edges.width, scene.height / edges.height])
    x, y = (edges.points * factor).T
    elements = [element for element in scene.elements if element.type not in {"background", "panel"}]
    order = sorted(range(len(elements)), key=lambda number: -_compute_area(elements[number].box))
    for number in order:
        left, top, right, bottom = elements[number].box
        owner[(x > left - 3) & (x < right + 3) & (y > top - 3) & (y < bottom + 3)] = number
    sizes = np.bincount(owner + 1, minlength=len(elements) + 1)
    weights = np.full(len(elements) + 1, GROUNDS)
    for number, element in enumerate(elements, 1):
        kind = WRITING if element.text is not None else GROUNDS if element.type in GROUND_TYPES else 1.0
        weights[number] = kind * min(1.0, MOST_OF_THING / max(1, sizes[number]))
    found: Floats = weights[owner + 1]
    return found


def _compute_area(box: Box) -> int:
    return (box.right - box.left) * (box.bottom - box.top)


def _is_mirrored_or_turned(model: Model, pixels: Pixels) -> bool:
    """Return whether the drawing is there as a mirror image, upside down or on its side, which is wrong."""
    sides = (pixels[:, ::-1], pixels[::-1], pixels[::-1, ::-1], np.rot90(pixels), np.rot90(pixels, 3))
    for side in sides:
        overlap = _Overlap(model, find_edges(np.ascontiguousarray(side)))
        if overlap.is_credible(_find_best_frame(overlap, propose_frames(model.proposer, overlap.edges))):
            return True
    return False


def _find_best_frame(overlap: "_Overlap", frames: list[Matrix]) -> Matrix:
    return max(
        (_refine_frame(overlap, frame) for frame in _select_best_frames(overlap, frames)),
        key=lambda frame: overlap.score(frame, 1.5),
    )


def _compute_surroundings(frame: Matrix, own: Edges, edges: Edges) -> tuple[float, float, float, float]:
    """Return the box about a frame, with some room, that lies on the canvas."""
    corners = apply_matrix(frame, np.array([(x, y) for x in (0.0, own.width) for y in (0.0, own.height)]))
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    room = ROOM * max(right - left, bottom - top)
    return (
        max(0.0, math.floor(left - room)), max(0.0, math.floor(top - room)),
        min(float(edges.width), math.ceil(right + room)), min(float(edges.height), math.ceil(bottom + room)),
    )  # fmt: skip


def _find_edges_nearby(model: Model, pixels: Pixels, edges: Edges, frame: Matrix) -> tuple["_Overlap", Matrix]:
    """Return the edges of a rendering as they are seen from near about a frame, and the matrix to their pixels."""
    left, top, right, bottom = _compute_surroundings(frame, model.edges, edges)
    across, down = pixels.shape[1] / edges.width, pixels.shape[0] / edges.height
    near = find_edges(pixels, (left * across, top * down, right * across, bottom * down))
    wide, high = near.width / (right - left), near.height / (bottom - top)
    return _Overlap(model, near), build_stretch(wide, high, -wide * left, -high * top)


def _select_best_frames(overlap: "_Overlap", frames: list[Matrix]) -> list[Matrix]:
    """Return the best frames after a rough refinement, best first."""
    judged = sorted(((overlap.score(frame, 4.0), -k) for k, frame in enumerate(frames)), reverse=True)
    results: list[tuple[float, Matrix]] = []
    for _, number in judged[:MOST_REFINED]:
        frame = frames[-number]
        for reach in (7.0, 4.0, 4.0, 2.5, 2.5):
            frame = overlap.refine(frame, reach, 4)
        results.append((overlap.score(frame, 2.0), frame))
    results.sort(key=lambda result: -result[0])
    return [frame for _, frame in results[:MOST_LOOSENED]]


def _select_straightest(overlap: "_Overlap", frames: list[Matrix]) -> Matrix:
    """Refine frames, the straightest first; a later one must gain as much as perspective must."""
    best, *others = (_refine_frame(overlap, frame) for frame in frames)
    for other in others:
        if overlap.agreement(other, 1.0) > overlap.agreement(best, 1.0) + FREE_GAINS[8]:
            best = other
    return best


def _refine_frame(overlap: "_Overlap", frame: Matrix) -> Matrix:
    """Return a refined frame, with a turn and perspective where they gain enough."""
    best, value = frame, overlap.agreement(frame, 1.0)
    for freedom in FREE_GAINS:
        moved = best
        for reach, times in ((5.0, 1), (3.0, 2), (1.6, 2), (1.0, 3)):
            for _ in range(times):
                former, moved = moved, overlap.refine(moved, reach, freedom)
                if overlap.measure_corner_move(former, moved) < STILL:
                    break
        now = overlap.agreement(moved, 1.0)
        if now > value + FREE_GAINS[freedom]:
            best, value = moved, now
    return best


class _Overlap:
    """How well the edges of a rendering meet those of a target under frames.

    Args:
        model: The target's edges.
        edges: The rendering's edges.
    """

    def __init__(self, model: Model, edges: Edges) -> None:
        self.model, self.edges = model, edges
        self.theirs = EdgeSample.of(edges, edges.strengths, SEARCHED)
        self.far = np.array([part.far for part in edges.fields])
        counts = np.cumsum([0] + [len(part.points) for part in edges.fields])
        self.number = np.array([part.number + first for part, first in zip(edges.fields, counts, strict=False)])
        self.points = np.concatenate([part.points for part in edges.fields])
        self.normals = np.concatenate([part.normals for part in edges.fields])
        self.corners = np.array([(x, y) for x in (0.0, model.edges.width) for y in (0.0, model.edges.height)])
        self.own_far: Floats = np.array([part.far for part in model.edges.fields])

    def transform(self, frame: Matrix) -> Transform:
        """Return a frame as a transform."""
        ours, canvas = self.model.edges, self.edges
        scale = np.diag([ours.width / canvas.width, ours.height / canvas.height, 1.0])
        return Transform.from_matrix(scale @ frame, ours.width, ours.height, canvas.aspect / ours.aspect)

    def measure_move(self, frame: Matrix, other: Matrix) -> float:
        """Return how far apart the target's edges lie in two frames, as share of the rendering's longer side."""
        points = self.model.few.points
        return float(np.abs(apply_matrix(frame, points) - apply_matrix(other, points)).max(axis=1).mean()) / SIDE

    def measure_corner_move(self, frame: Matrix, other: Matrix) -> float:
        """Return how far apart a corner of the target lies in two frames at most, in pixels."""
        return float(np.abs(apply_matrix(frame, self.corners) - apply_matrix(other, self.corners)).max())

    def straight(self, frame: Matrix) -> Matrix:
        """Return a frame without its slant and perspective."""
        ours, canvas = self.model.edges, self.edges
        transform = self.transform(frame)._replace(slant=0.0, tilt_x=0.0, tilt_y=0.0)
        scale = np.diag([canvas.width / ours.width, canvas.height / ours.height, 1.0])
        straight: Matrix = scale @ transform.matrix(ours.width, ours.height)
        return straight

    def score(self, frame: Matrix, reach: float) -> float:
        """Return how likely a frame is, 0–1: edges of both pictures that meet an edge of the other one."""
        ours, sample = self.model.few, self.theirs
        forward = _compute_closeness(self.far, apply_matrix(frame, ours.points), ours.classes, reach)
        back: Floats = np.linalg.inv(frame)
        size = math.sqrt(abs(np.linalg.det(frame[:2, :2])))
        backward = _compute_closeness(
            self.own_far, apply_matrix(back, sample.points), sample.classes, reach / max(size, 1e-3)
        )
        met = float((forward * ours.weights).sum() / max(1e-6, ours.weights.sum()))
        explained = float((backward * sample.weights).sum() / max(1e-6, sample.weights.sum()))
        return round(met * math.sqrt(explained) - self._compute_distortion_penalty(frame), 5)

    def _compute_distortion_penalty(self, frame: Matrix) -> float:
        wide, high = math.hypot(frame[0, 0], frame[1, 0]), math.hypot(frame[0, 1], frame[1, 1])
        distortion = abs(math.log(max(wide, 1e-3) / max(high, 1e-3)))
        return UNEVEN * min(distortion, 0.5)

    def agreement(self, frame: Matrix, reach: float) -> float:
        """Return the mean over the target's edge points of how near the next edge is, 0–1."""
        ours = self.model.many
        gap, along, _, _ = self._find_nearest_edges(frame, ours)
        apart = np.sqrt(gap**2 + np.maximum(0.0, along - 1.0) ** 2)
        return round(
            float((np.exp(-0.5 * (apart / reach) ** 2) * ours.weights).sum() / max(1e-6, ours.weights.sum())), 6
        )

    def is_credible(self, frame: Matrix, beyond: float = 0.0) -> bool:
        """Return whether a frame's score is no chance: among noise it is as good a little beside its place.

        Args:
            frame: The frame.
            beyond: Share of the rendering's edges that lie beyond these.
        """
        beside = [self.score(build_stretch(1.0, 1.0, x, y) @ frame, 2.0) for x, y in DECOYS]
        gain = self.score(frame, 2.0) - max(0.0, sum(beside) / len(beside))
        return gain * math.sqrt(1.0 - beyond) >= CREDIBLE

    def _find_nearest_edges(self, frame: Matrix, sample: EdgeSample) -> tuple[Floats, Floats, Floats, Floats]:
        """Return for each point how far the next edge is, across and along itself, its direction, and the place."""
        placed = apply_matrix(frame, sample.points)
        cells, inside = _find_cells(placed, self.far.shape[1:])
        numbers = self.number[sample.classes, cells[:, 1], cells[:, 0]]
        apart, normals = self.points[numbers] - placed, self.normals[numbers]
        across = (apart * normals).sum(axis=1)
        along = np.abs(apart[:, 0] * normals[:, 1] - apart[:, 1] * normals[:, 0])
        lost = ~inside | (self.far[sample.classes, cells[:, 1], cells[:, 0]] >= REACH)
        along[lost] = REACH
        return across, along, normals, placed

    def refine(self, frame: Matrix, reach: float, freedom: int) -> Matrix:
        """Return a frame that lies nearer: least squares of the distances to the next edges, far edges left out.

        Args:
            frame: To start with.
            reach: Distance in pixels at which an edge counts 0.61.
            freedom: 4: moves and factors; 5: also a turn; 8: also slant and perspective.
        """
        ours = self.model.many if reach < 2 else self.model.few
        across, along, normals, placed = self._find_nearest_edges(frame, ours)
        weights = ours.weights * np.exp(-0.5 * (across**2 + along**2) / reach**2)
        middle, half = np.array([self.edges.width / 2, self.edges.height / 2]), SIDE / 2
        u, v = ((placed - middle) / half).T
        x, y = normals.T
        columns = [x, x * u, y, y * v]
        if freedom == 5:
            columns.append(y * u - x * v)
        if freedom == 8:
            columns += [x * v, y * u, u * (x * u + y * v), v * (x * u + y * v)]
        design = np.column_stack(columns)
        weighted = design * weights[:, None]
        normal = weighted.T @ design + np.eye(len(columns)) * (1e-4 * weights.sum() + 1e-9)
        step = np.round(np.linalg.solve(normal, weighted.T @ across) / half, 7)
        update = np.array([[1 + step[1], 0, step[0]], [0, 1 + step[3], step[2]], [0, 0, 1.0]])
        if freedom == 5:
            update[0, 1], update[1, 0] = -step[4], step[4]
        if freedom == 8:
            update[0, 1], update[1, 0], update[2, 0], update[2, 1] = step[4], step[5], -step[6], -step[7]
        unit = np.array([[half, 0, middle[0]], [0, half, middle[1]], [0, 0, 1.0]])
        moved = unit @ update @ np.linalg.inv(unit) @ frame
        moved /= moved[2, 2]
        return moved if _is_possible(self.transform(moved)) else frame


def _is_possible(transform: Transform) -> bool:
    return (
        all(LEAST <= share <= MOST for share in (transform.wide, transform.high))
        and 1 / MOST_DISTORTION <= transform.distortion <= MOST_DISTORTION
        and abs(transform.turn) <= MOST_TURN
        and abs(transform.slant) <= MOST_SLANT
        and max(abs(transform.tilt_x), abs(transform.tilt_y)) <= MOST_TILT
        and abs(transform.x) <= 0.5 + JUTTING
        and abs(transform.y) <= 0.5 + JUTTING
    )


def _find_cells(places: Floats, shape: tuple[int, ...]) -> tuple[Indices, npt.NDArray[np.bool_]]:
    cells = np.floor(places).astype(np.int64)
    inside = (cells[:, 0] >= 0) & (cells[:, 0] < shape[1]) & (cells[:, 1] >= 0) & (cells[:, 1] < shape[0])
    return np.clip(cells, 0, (shape[1] - 1, shape[0] - 1)), inside


def _compute_closeness(far: Floats, places: Floats, classes: Indices, reach: float) -> Floats:
    cells, inside = _find_cells(places, far.shape[1:])
    closeness: Floats = np.exp(-0.5 * (far[classes, cells[:, 1], cells[:, 0]] / reach) ** 2) * inside
    return closeness
