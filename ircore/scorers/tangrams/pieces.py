"""Comparing two tangrams piece by piece, independent of the figures' size and place in their pictures.

Both are brought into one frame: the unit is the side of the square piece, the square root of an eighth of the area of
all seven pieces, and the origin is the centroid of that area. Turns and mirrors are not undone: a figure that lies on
its side is another figure. Where a piece is missing, area and centroid are another figure's, so a picture is also
compared as it lies, and the better of the two comparisons counts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from ircore.core import exact, raster
from ircore.core.drawing import Point
from ircore.core.records import Element, Scene
from ircore.instances.tangrams import PIECES

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


def piece_elements(scene: Scene) -> dict[str, Element] | None:
    """Return the pieces in a scene by their numbers; None if the scene is no tangram."""
    pieces = {str(element.parameters["piece"]): element for element in scene.elements if "piece" in element.parameters}
    return pieces if sorted(pieces) == sorted(PIECES) else None


def frame_of_polygons(polygons: Mapping[str, Polygon]) -> Labels:
    """Return the pieces in the common frame.

    Args:
        polygons: Corners of the seven pieces by their numbers, in any unit, y downwards.
    """
    areas = {name: area_of(polygon) for name, polygon in polygons.items()}
    total = math.fsum(areas.values())
    unit = math.sqrt(total / AREA)
    middles = {name: _centroid(polygon) for name, polygon in polygons.items()}
    x, y = (math.fsum(areas[name] * middles[name][k] for name in polygons) / total for k in (0, 1))
    labels = np.zeros((SIDE, SIDE), int)
    for name, polygon in polygons.items():
        corners = [(((px - x) / unit + REACH) * FINENESS, ((py - y) / unit + REACH) * FINENESS) for px, py in polygon]
        labels[raster.filled(corners, SIDE, SIDE)] = int(name)
    return labels


class Placing(NamedTuple):
    """Where a figure lies in its picture: the origin of the frame and the length of a unit, in pixels.

    Example:
        >>> Placing(x=128, y=128, unit=32).scaled(2, 2)
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

    def scaled(self, wide: float, high: float) -> "Placing":
        """Return the same placing in a picture that is larger by these factors."""
        return Placing(self.x * wide, self.y * high, self.unit * math.sqrt(wide * high))


def frame_of_labels(labels: Labels, placing: Placing | None) -> Labels:
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
    overlap = {(a, b): _iou(target == int(a), answer == int(b)) for a in PIECES for b in PIECES}
    partner = {name: name for name in PIECES}
    if interchange:
        for names in INTERCHANGEABLE:
            best = max(permutations(names), key=lambda order: sum(map(overlap.get, zip(names, order, strict=True))))  # type: ignore[arg-type]
            partner |= dict(zip(names, best, strict=True))
    pieces = {name: overlap[name, partner[name]] for name in PIECES}
    return PieceMatch(pieces, _iou(target > 0, answer > 0))


def _iou(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else 0.0


def area_of(polygon: Polygon) -> float:
    """Return the area of a polygon that does not cross itself, in squared units of its corners (shoelace formula)."""
    edges = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    return abs(math.fsum(ax * by - ay * bx for (ax, ay), (bx, by) in edges)) / 2


def _centroid(polygon: Polygon) -> Point:
    """Return the middle of a polygon's area."""
    edges = list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))
    crosses = [ax * by - ay * bx for (ax, ay), (bx, by) in edges]
    # The centroid's divisor is 6 times the area, and the crosses add up to twice the area.
    total = 3 * math.fsum(crosses)
    x = math.fsum((a[0] + b[0]) * cross for (a, b), cross in zip(edges, crosses, strict=True)) / total
    y = math.fsum((a[1] + b[1]) * cross for (a, b), cross in zip(edges, crosses, strict=True)) / total
    return x, y


TOLERANCE = 0.05
"""Relative error that edges and area of a piece may have: 998 of KiloGram's 1,013 tangrams are that exact."""


def numbered(polygons: Sequence[Polygon]) -> dict[str, Polygon]:
    """Say which piece of the puzzle each of seven polygons is.

    Edges and area are compared with those of the exact pieces, in units of the figure; of all ways to number the
    polygons, the one whose worst error is least counts.

    Raises:
        ValueError: They are not seven, or no way fits within ``TOLERANCE``; the text says which polygon fits worst.
    """
    if len(polygons) != len(PIECES):
        raise ValueError(f"{len(polygons)} polygons; a tangram has {len(PIECES)}")
    unit = math.sqrt(math.fsum(area_of(polygon) for polygon in polygons) / AREA)
    if not unit:
        raise ValueError("the polygons have no area")
    errors = {
        (index, name): _error(polygon, PIECES[name], unit) for index, polygon in enumerate(polygons) for name in PIECES
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


def _error(polygon: Polygon, piece: Polygon, unit: float) -> float:
    """Return the largest relative error of edges and area of a polygon taken for a piece; infinite for other forms."""
    # A triangle is no square, whatever its edges.
    if len(polygon) != len(piece):
        return math.inf
    edges = sorted(edge / unit for edge in _edges(polygon))
    wanted = sorted(_edges(piece))
    pairs = [*zip(edges, wanted, strict=True), (area_of(polygon) / unit**2, area_of(piece))]
    return max(abs(value - exactly) / exactly for value, exactly in pairs)


def _edges(polygon: Polygon) -> list[float]:
    return [exact.dist(a, b) for a, b in zip(polygon, [*polygon[1:], polygon[0]], strict=True)]


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
    pieces = piece_elements(scene) if scene else None
    if pieces is None:
        return None
    answer = numbered(polygons)
    covered = _covered(answer)
    if covered > MOST_COVERED:
        raise ValueError(f"pieces cover {100 * covered:.0f} % of each other's area")
    target = {name: _CORNERS.validate_python(element.parameters["corners"]) for name, element in pieces.items()}
    return compare_frames(frame_of_polygons(target), frame_of_polygons(answer))


def _covered(polygons: Mapping[str, Polygon]) -> float:
    """Return the share of the pieces' area that is lost because pieces lie over one another."""
    whole = FINENESS**2 * AREA
    return max(0.0, 1 - int((frame_of_polygons(polygons) > 0).sum()) / whole)
