"""Tangrams of our own: seven exact pieces laid edge to edge at random, and their pictures.

The pieces are those of the puzzle, in units of the square's side: areas 1 (square, parallelogram, medium triangle), ½
(two small triangles) and 2 (two large ones), 8 in all. Only sums, products and a square root are computed, so that the
same seed gives the same figure on every machine.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.drawing import Drawing

Point = tuple[float, float]
ROOT = math.sqrt(0.5)
TURNS: tuple[Point, ...] = (
    (1.0, 0.0), (ROOT, ROOT), (0.0, 1.0), (-ROOT, ROOT), (-1.0, 0.0), (-ROOT, -ROOT), (0.0, -1.0), (ROOT, -ROOT),
)  # fmt: skip
"""Cosine and sine of the multiples of 45°."""

PIECES: dict[str, tuple[Point, ...]] = {
    "1": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "2": ((0, 0), (1, 0), (2, 1), (1, 1)),
    "3": ((0, 0), (1, 0), (0, 1)),
    "4": ((0, 0), (1, 0), (0, 1)),
    "5": ((0, 0), (2, 0), (1, 1)),
    "6": ((0, 0), (2, 0), (0, 2)),
    "7": ((0, 0), (2, 0), (0, 2)),
}
"""Corners by KiloGram's numbers: square, parallelogram, two small triangles, the medium one, two large ones."""

TOUCH = 1e-6
TRIES = 400
WIDEST = 7.0
"""Units that a figure may reach; a longer one would have small pieces in its picture."""


@dataclass(frozen=True)
class Tangram:
    """A figure: corners of each piece by the piece's number, in units, y downwards, in the order of laying.

    >>> figure = make_tangram(random.Random(1))
    >>> len(figure.pieces), len(figure.without_last(2).pieces)
    (7, 5)
    """

    pieces: dict[str, tuple[Point, ...]]

    def without_last(self, count: int) -> "Tangram":
        """Return the figure without the pieces that were laid last."""
        return Tangram(dict(list(self.pieces.items())[:-count]))


def make_tangram(rng: random.Random, begun: Tangram | None = None) -> Tangram:
    """Lay the pieces that are missing edge to edge, without overlap.

    Args:
        rng: Chooses order, edges and turns.
        begun: Pieces that lie there already; none if None.
    """
    while True:
        pieces = dict(begun.pieces) if begun else {}
        order = [name for name in PIECES if name not in pieces]
        rng.shuffle(order)
        for name in order:
            laid = _laid(name, list(pieces.values()), rng)
            # A figure that closes upon itself may leave no edge free; it is begun anew.
            if laid is None:
                break
            pieces[name] = laid
        else:
            return Tangram(pieces)


def _laid(name: str, others: Sequence[tuple[Point, ...]], rng: random.Random) -> tuple[Point, ...] | None:
    corners = list(PIECES[name])
    if rng.random() < 0.5:
        # Reversed, so that a piece that was turned over runs round in the same sense as before.
        corners = [(-x, y) for x, y in reversed(corners)]
    if not others:
        return tuple(corners)
    for _ in range(TRIES):
        turned = _turned(corners, rng.randrange(8))
        fixed, loose = rng.choice(others), rng.randrange(len(corners))
        edge = rng.randrange(len(fixed))
        start, end = fixed[edge], fixed[(edge + 1) % len(fixed)]
        own, following = turned[loose], turned[(loose + 1) % len(turned)]
        if not _opposed((start, end), (own, following)):
            continue
        anchor, corner = (end, own) if rng.random() < 0.5 else (start, following)
        moved = tuple((x + anchor[0] - corner[0], y + anchor[1] - corner[1]) for x, y in turned)
        if _fits(moved, others):
            return moved
    return None


def _turned(corners: Sequence[Point], eighths: int) -> list[Point]:
    cosine, sine = TURNS[eighths]
    return [(x * cosine - y * sine, x * sine + y * cosine) for x, y in corners]


def _opposed(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Return whether two edges run in opposite directions."""
    (ax, ay), (bx, by) = ((end[0] - start[0], end[1] - start[1]) for start, end in (first, second))
    # Opposed edges put two pieces of the same sense on different sides of the shared edge.
    return abs(ax * by - ay * bx) < TOUCH and ax * bx + ay * by < 0


def _fits(piece: Sequence[Point], others: Sequence[Sequence[Point]]) -> bool:
    if any(_overlap(piece, other) for other in others):
        return False
    points = [*piece, *(point for other in others for point in other)]
    return all(max(axis) - min(axis) <= WIDEST for axis in zip(*points, strict=True))


def _overlap(piece: Sequence[Point], other_piece: Sequence[Point]) -> bool:
    """Return whether two convex pieces share more than an edge (separating axis theorem)."""
    for polygon in (piece, other_piece):
        for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
            normal = (by - ay, ax - bx)
            first, second = ([x * normal[0] + y * normal[1] for x, y in points] for points in (piece, other_piece))
            # Pieces that share an edge touch along its whole length; rounding must not make that an overlap.
            if max(first) <= min(second) + TOUCH or max(second) <= min(first) + TOUCH:
                return False
    return True


def draw_tangram(tangram: Tangram, size: int) -> Drawing:
    """Draw a figure in a square of ``size`` pixels a side: black pieces with white borders, as KiloGram shows them."""
    drawing = Drawing(size, size)
    for corners in in_pixels(tangram, size).values():
        # The border grows with the picture, so that every size shows the same figure.
        drawing.polygon(corners, "#000000", "#ffffff", width=size / 128)
    return drawing


def in_pixels(tangram: Tangram, size: int) -> dict[str, tuple[Point, ...]]:
    """Return the corners of the pieces in a square picture, centred, with a margin of a sixteenth."""
    xs, ys = zip(*(point for corners in tangram.pieces.values() for point in corners), strict=True)
    left, top, wide, high = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
    scale = size * 0.875 / max(wide, high)
    across, down = (size - wide * scale) / 2 - left * scale, (size - high * scale) / 2 - top * scale
    return {
        name: tuple((x * scale + across, y * scale + down) for x, y in corners)
        for name, corners in tangram.pieces.items()
    }
