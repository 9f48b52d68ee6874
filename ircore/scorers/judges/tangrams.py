"""The judge ``pieces``: how well the seven pieces of a tangram lie where they should, 0 to 10.

Two tangrams are compared piece by piece, independent of the figures' size and place in their pictures. Both are brought
into one frame: the unit is the side of the square piece, the square root of an eighth of the area of all seven pieces,
and the origin is the centroid of that area. Turns and mirrors are not undone: a figure that lies on its side is another
figure. Where a piece is missing, area and centroid are another figure's, so a picture is also compared as it lies, and
the better of the two comparisons counts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

from ircore.core import exact
from ircore.core.drawing import Point, fill_polygon
from ircore.core.images import Picture, Pixels
from ircore.core.records import Element, Scene
from ircore.core.score_records import JudgeKind
from ircore.instances.tangrams import PIECES
from ircore.scorers.judges.base import Judgement, compare_ratings

Polygon = Sequence[Point]
Labels = npt.NDArray[np.int_]
"""Height × width: number of the piece that a pixel belongs to, 0 for none."""

AREA = 8
"""Of the seven pieces together, in units."""
REACH = 7
"""Units from the centroid to the sides of the frame: figures reach at most 7 units across."""
FINENESS = 20
"""Pixels a unit."""
SIDE = 2 * REACH * FINENESS
"""Pixels of the frame's side."""

MOST_COVERED = 0.02
"""Share of the area that pieces may hide of each other: 99 % of KiloGram's tangrams hide less than 0.7 %."""

_CORNERS = TypeAdapter(tuple[tuple[float, float], ...])

INTERCHANGEABLE = (("3", "4"), ("6", "7"))
"""Pieces of one form: the two small triangles, and the two large ones."""

TOLERANCE = 0.05
"""Relative error that edges and area of a piece may have: 998 of KiloGram's 1,013 tangrams are that exact."""

FARTHEST = 110.0
"""Distance in RGB beyond which a pixel has no piece's colour."""
LEAST_SHARE = 1 / 160
"""Part of all dark pixels below which a component is dirt: a tenth of a small triangle."""

_CENTRE = TypeAdapter(tuple[float, float])
MOST_COMPONENTS = 60
"""A picture with more separate areas is no tangram; of its areas the largest are looked at."""


@dataclass(frozen=True)
class PieceMatch:
    """How two tangrams agree.

    Attributes:
        pieces: Intersection over union of each piece with its counterpart, 0–1, by KiloGram's numbers.
        silhouette: Intersection over union of the two outlines, 0–1. It cannot tell pieces apart.

    Example:
        >>> match = PieceMatch({"1": 1.0, "2": 0.5}, silhouette=0.9)
        >>> match.mean
        0.75
    """

    pieces: Mapping[str, float]
    silhouette: float

    @property
    def mean(self) -> float:
        """Mean over the pieces, 0–1: the score of a reconstruction."""
        return math.fsum(self.pieces.values()) / len(self.pieces)


def find_pieces(scene: Scene) -> dict[str, Element] | None:
    """Return the pieces in a scene by their numbers; None if the scene is no tangram."""
    pieces = {str(element.parameters["piece"]): element for element in scene.elements if "piece" in element.parameters}
    return pieces if sorted(pieces) == sorted(PIECES) else None


def draw_polygons_in_frame(polygons: Mapping[str, Polygon]) -> Labels:
    """Return the pieces in the common frame.

    Args:
        polygons: Corners of the seven pieces by their numbers, in any unit, y downwards.
    """
    areas = {name: compute_area(polygon) for name, polygon in polygons.items()}
    total = math.fsum(areas.values())
    unit = math.sqrt(total / AREA)
    middles = {name: _compute_centroid(polygon) for name, polygon in polygons.items()}
    x, y = (math.fsum(areas[name] * middles[name][k] for name in polygons) / total for k in (0, 1))
    labels = np.zeros((SIDE, SIDE), int)
    for name, polygon in polygons.items():
        corners = [(((px - x) / unit + REACH) * FINENESS, ((py - y) / unit + REACH) * FINENESS) for px, py in polygon]
        labels[fill_polygon(corners, SIDE, SIDE)] = int(name)
    return labels


class Placing(NamedTuple):
    """Where a figure lies in its picture: the origin of the frame and the length of a unit, in pixels.

    Example:
        >>> Placing(x=128, y=128, unit=32).scale(2, 2)
        Placing(x=256, y=256, unit=64.0)
    """

    x: float
    y: float
    unit: float

    @classmethod
    def of(cls, labels: Labels) -> "Placing | None":
        """Return the placing that evens out size and place, by area and centroid; None if no piece is seen."""
        rows, columns = np.nonzero(labels)
        if not len(rows):
            return None
        # Sums of whole numbers: the same on every machine.
        return cls(int(columns.sum()) / len(rows), int(rows.sum()) / len(rows), math.sqrt(len(rows) / AREA))

    def scale(self, wide: float, high: float) -> "Placing":
        """Return the same placing in a picture that is larger by these factors."""
        return Placing(self.x * wide, self.y * high, self.unit * math.sqrt(wide * high))


def map_labels_to_frame(labels: Labels, placing: Placing | None) -> Labels:
    """Return the pieces of a picture in the common frame; empty without a placing."""
    frame = np.zeros((SIDE, SIDE), int)
    if placing is None:
        return frame
    steps = (np.arange(SIDE) + 0.5) / FINENESS - REACH
    # The nearest pixel: numbers of pieces cannot be mixed.
    down = np.floor(steps * placing.unit + placing.y + 0.5).astype(int)
    across = np.floor(steps * placing.unit + placing.x + 0.5).astype(int)
    inside_rows = (down >= 0) & (down < labels.shape[0])
    inside_columns = (across >= 0) & (across < labels.shape[1])
    frame[np.ix_(inside_rows, inside_columns)] = labels[np.ix_(down[inside_rows], across[inside_columns])]
    return frame


def compare_frames(target: Labels, answer: Labels, *, interchange: bool = True) -> PieceMatch:
    """Compare two tangrams in the common frame.

    Args:
        target: Frame of the target.
        answer: Frame of the reconstruction.
        interchange: Whether two pieces of one form may stand for each other, as where they have no colours.
    """
    overlap = {(a, b): _compute_iou(target == int(a), answer == int(b)) for a in PIECES for b in PIECES}
    partner = {name: name for name in PIECES}
    if interchange:
        for names in INTERCHANGEABLE:
            best = max(permutations(names), key=lambda order: sum(map(overlap.get, zip(names, order, strict=True))))  # type: ignore[arg-type]
            partner |= dict(zip(names, best, strict=True))
    pieces = {name: overlap[name, partner[name]] for name in PIECES}
    return PieceMatch(pieces, _compute_iou(target > 0, answer > 0))


def compute_area(polygon: Polygon) -> float:
    """Return the area of a polygon that does not cross itself, in squared units of its corners (shoelace formula)."""
    edges = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    return abs(math.fsum(ax * by - ay * bx for (ax, ay), (bx, by) in edges)) / 2


def number_pieces(polygons: Sequence[Polygon]) -> dict[str, Polygon]:
    """Say which piece of the puzzle each of seven polygons is.

    Edges and area are compared with those of the exact pieces, in units of the figure; of all ways to number the
    polygons, the one whose worst error is least counts.

    Raises:
        ValueError: They are not seven, or no way fits within ``TOLERANCE``; the text says which polygon fits worst.
    """
    if len(polygons) != len(PIECES):
        raise ValueError(f"{len(polygons)} polygons; a tangram has {len(PIECES)}")
    unit = math.sqrt(math.fsum(compute_area(polygon) for polygon in polygons) / AREA)
    if not unit:
        raise ValueError("the polygons have no area")
    errors = {
        (index, name): _measure_shape_error(polygon, PIECES[name], unit)
        for index, polygon in enumerate(polygons)
        for name in PIECES
    }
    order = min(
        permutations(range(len(polygons))),
        # By all errors, the worst first: orders with the same worst piece are told apart by the others.
        key=lambda order: sorted(
            (errors[index, name] for index, name in zip(order, PIECES, strict=True)), reverse=True
        ),
    )
    worst, name = max((errors[index, name], name) for index, name in zip(order, PIECES, strict=True))
    if worst > TOLERANCE:
        raise ValueError(f"no polygon has the form of piece {name}: {100 * worst:.0f} % off at best")
    return {name: polygons[index] for index, name in zip(order, PIECES, strict=True)}


def match_polygons(scene: Scene | None, polygons: Sequence[Polygon]) -> PieceMatch | None:
    """Compare seven polygons, of an SVG file perhaps, with a tangram; pieces of the same form may be exchanged.

    Args:
        scene: Of the target.
        polygons: Corners in any unit, y downwards, in any order.

    Returns:
        The overlap of each piece; None if the target is no tangram.

    Raises:
        ValueError: The polygons are not the seven pieces of the puzzle, or one covers another; the text says which.
    """
    pieces = find_pieces(scene) if scene else None
    if pieces is None:
        return None
    answer = number_pieces(polygons)
    covered = _compute_overlap_share(answer)
    if covered > MOST_COVERED:
        raise ValueError(f"pieces cover {100 * covered:.0f} % of each other's area")
    target = {name: _CORNERS.validate_python(element.parameters["corners"]) for name, element in pieces.items()}
    return compare_frames(draw_polygons_in_frame(target), draw_polygons_in_frame(answer))


def is_coloured(pieces: Mapping[str, Element]) -> bool:
    """Return whether all pieces differ in colour."""
    return len({element.colour for element in pieces.values()}) == len(pieces)


def label_by_colour(pixels: Pixels, pieces: Mapping[str, Element], ground: str) -> Labels:
    """Give each pixel to the piece whose colour is nearest, or to none.

    Args:
        pixels: Height × width × 3.
        pieces: With their colours, by number.
        ground: Colour of the ground.
    """
    names = [0, *map(int, pieces)]
    colours = np.array(
        [_parse_hex(ground), *(_parse_hex(element.colour or ground) for element in pieces.values())], np.int32
    )
    flat = pixels.reshape(-1, 3).astype(np.int32)
    distances = np.stack([((flat - colour) ** 2).sum(1) for colour in colours])
    nearest = distances.argmin(0)
    # Squared distances: their order is the same, and no root of every pixel is needed.
    labels = np.where(distances.min(0) <= FARTHEST**2, np.array(names)[nearest], 0)
    return labels.reshape(pixels.shape[:2])


def label_components(pixels: Pixels, colour: str, ground: str) -> Labels:
    """Number the connected areas of one colour from 1, dirt left out.

    Args:
        pixels: Height × width × 3.
        colour: Of all pieces.
        ground: Colour of the ground.
    """
    flat = pixels.astype(np.int32)
    own, other = (((flat - np.array(_parse_hex(name), np.int32)) ** 2).sum(2) for name in (colour, ground))
    areas, count = ndimage.label(own < other)
    sizes = np.bincount(areas.ravel(), minlength=count + 1)
    # Number 0 is the ground.
    sizes[0] = 0
    large_areas = np.flatnonzero(sizes >= max(1.0, LEAST_SHARE * int(sizes.sum())))
    renumbered = np.zeros(count + 1, int)
    renumbered[large_areas] = np.arange(1, len(large_areas) + 1)
    return np.asarray(renumbered[areas], int)


class PiecesJudge:
    """Rates a tangram by the mean intersection over union of its pieces, with size and place evened out.

    Coloured pieces are found by their colours; pieces of one colour are the areas between white lines, each matched
    with the piece that it covers best.

    Args:
        scene: Of the target; None if nobody knows, and then there is no rating.

    Example:
        >>> from ircore.core.images import Picture
        >>> from ircore.instances.targets.categories import draw_target
        >>> tangram = draw_target("tangrams", "easy", seed=1)
        >>> target = Picture.from_pixels(tangram.drawing.pixels)
        >>> PiecesJudge(tangram.scene).rate(target, target).value
        10.0
    """

    name = "pieces"
    label = "pieces (of a tangram, checked by program)"
    kind: JudgeKind = "computed"
    version = "1"
    categories = ("tangrams",)

    def __init__(self, scene: Scene | None = None) -> None:
        self._scene = scene

    def with_scene(self, scene: Scene | None) -> "PiecesJudge":
        """Return the judge for one target."""
        return PiecesJudge(scene)

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate how well the pieces lie, 0–10: ten times the mean intersection over union."""
        match = match_picture(target, self._scene, image) if self._scene else None
        if match is None:
            return Judgement(None, "nobody wrote down where the seven pieces lie")
        return Judgement(round(10 * match.mean, 2))

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        return compare_ratings(self.rate(target, first), self.rate(target, final))


def match_picture(target: Picture, scene: Scene, image: Picture) -> PieceMatch | None:
    """Compare a rendering with a tangram, piece by piece.

    Args:
        target: The target's picture.
        scene: What it shows.
        image: The rendering, of any size.

    Returns:
        The overlap of each piece; None if the target is no tangram.
    """
    pieces, ground = find_pieces(scene), scene.background or "#ffffff"
    if pieces is None:
        return None
    coloured = is_coloured(pieces)
    if coloured:
        target_labels, image_labels = (label_by_colour(picture.pixels, pieces, ground) for picture in (target, image))
    else:
        colour = next(element.colour or "#000000" for element in pieces.values())
        areas, image_labels = (label_components(picture.pixels, colour, ground) for picture in (target, image))
        target_labels = _number_target_areas(areas, pieces)
    own = Placing.of(target_labels)
    frame = map_labels_to_frame(target_labels, own)
    # Without a piece, area and centroid are another figure's: the target's own placing shows the other pieces in place.
    as_it_lies = own.scale(image.width / target.width, image.height / target.height) if own else None
    frames = [map_labels_to_frame(image_labels, placing) for placing in (Placing.of(image_labels), as_it_lies)]
    return max(
        (
            compare_frames(frame, other if coloured else _number_rendering_areas(frame, other), interchange=False)
            for other in frames
        ),
        key=lambda match: match.mean,
    )


def _compute_iou(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else 0.0


def _compute_centroid(polygon: Polygon) -> Point:
    """Return the middle of a polygon's area."""
    edges = list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))
    crosses = [ax * by - ay * bx for (ax, ay), (bx, by) in edges]
    # The centroid's divisor is 6 times the area, and the crosses add up to twice the area.
    total = 3 * math.fsum(crosses)
    x = math.fsum((a[0] + b[0]) * cross for (a, b), cross in zip(edges, crosses, strict=True)) / total
    y = math.fsum((a[1] + b[1]) * cross for (a, b), cross in zip(edges, crosses, strict=True)) / total
    return x, y


def _measure_shape_error(polygon: Polygon, piece: Polygon, unit: float) -> float:
    """Return the largest relative error of edges and area of a polygon taken for a piece; infinite for other forms."""
    # A triangle is no square, whatever its edges.
    if len(polygon) != len(piece):
        return math.inf
    edges = sorted(edge / unit for edge in _list_edge_lengths(polygon))
    wanted = sorted(_list_edge_lengths(piece))
    pairs = [*zip(edges, wanted, strict=True), (compute_area(polygon) / unit**2, compute_area(piece))]
    return max(abs(value - exactly) / exactly for value, exactly in pairs)


def _list_edge_lengths(polygon: Polygon) -> list[float]:
    return [exact.dist(a, b) for a, b in zip(polygon, [*polygon[1:], polygon[0]], strict=True)]


def _compute_overlap_share(polygons: Mapping[str, Polygon]) -> float:
    """Return the share of the pieces' area that is lost because pieces lie over one another."""
    whole = FINENESS**2 * AREA
    return max(0.0, 1 - int((draw_polygons_in_frame(polygons) > 0).sum()) / whole)


def _parse_hex(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _number_target_areas(areas: Labels, pieces: dict[str, Element]) -> Labels:
    """Give the areas of the target the numbers of the pieces in whose middle they lie."""
    labels = np.zeros_like(areas)
    for name, element in pieces.items():
        x, y = _CENTRE.validate_python(element.parameters["centre"])
        area = areas[min(int(y), areas.shape[0] - 1), min(int(x), areas.shape[1] - 1)]
        # The middle may lie on a white line, where no area is.
        if area:
            labels[areas == area] = int(name)
    return labels


def _number_rendering_areas(target: Labels, areas: Labels) -> Labels:
    """Give each area of a rendering the number of the piece that the area covers best; other areas get 8."""
    count = min(int(areas.max()), MOST_COMPONENTS)
    # One pass over the pixels counts every pair of piece and area.
    pairs = np.bincount((target * (areas.max() + 1) + areas).ravel(), minlength=8 * (int(areas.max()) + 1))
    table = pairs.reshape(-1, int(areas.max()) + 1)[:8]
    shared = table[1:, 1 : count + 1]
    union = table.sum(1)[1:, None] + table.sum(0)[None, 1 : count + 1] - shared
    rows, columns = linear_sum_assignment(shared / np.maximum(union, 1), maximize=True)
    # 8 is no piece's number: the area counts to the outline, but matches no piece.
    numbers = np.full(int(areas.max()) + 1, 8)
    numbers[0] = 0
    numbers[columns + 1] = rows + 1
    return np.asarray(numbers[areas])
