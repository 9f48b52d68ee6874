"""Dashed and dotted lines: small pieces of one colour that follow each other at even distances."""

import math
from dataclasses import dataclass

import numpy as np

from ircore.core import exact
from ircore.players.builtin.classical.corners import Points
from ircore.seeing.algebra import axes_of, dot
from ircore.seeing.masks import Mask

MIN_PIECES = 4


@dataclass(frozen=True, eq=False)
class Piece:
    """A small component that may be a dash or a dot.

    >>> piece = piece_of(np.ones((1, 5), bool), (10, 20), index=1)
    >>> piece.middle.tolist(), piece.solid
    ([12.5, 20.5], True)
    """

    middle: Points
    way: Points
    length: float
    width: float
    index: int
    solid: bool = True


def piece_of(mask: Mask, corner: tuple[int, int], index: int) -> Piece:
    """Measure a small component.

    Args:
        mask: Pixels of the component, cropped to its box.
        corner: Column and row of the crop.
        index: By which the caller knows it.
    """
    rows, columns = np.nonzero(mask)
    points = np.stack([columns + 0.5 + corner[0], rows + 0.5 + corner[1]], axis=1)
    middle = points.mean(axis=0)
    if len(points) < 2:
        return Piece(middle, np.array([1.0, 0.0]), 1.0, 1.0, index)
    way, along, across = axes_of(points)
    # A pixel is no point: its own square adds 1/12 each way.
    length, thickness = math.sqrt(12 * along + 1), math.sqrt(12 * across + 1)
    # A dash fills the rectangle of its own moments; a letter does not.
    solid = len(points) > 0.8 * length * thickness
    return Piece(middle, way, length, len(points) / max(length, 1.0), index, solid)


def chains(pieces: list[Piece]) -> list[list[Piece]]:
    """Link pieces into dashed lines, end to end.

    Returns:
        Chains of at least four pieces, ordered along the line.
    """
    left = {piece.index: piece for piece in pieces}
    lines = []
    # Long pieces first: their direction is surer than that of dots.
    for piece in sorted(pieces, key=lambda piece: (-piece.length, piece.index)):
        if piece.index not in left:
            continue
        del left[piece.index]
        forward = _follow(piece, piece.way, left)
        backward = _follow(piece, -piece.way, left)
        chain = [*reversed(backward), piece, *forward]
        if len(chain) >= MIN_PIECES and _even(chain):
            lines.append(chain)
        else:
            # The other pieces may still belong to another line.
            left |= {other.index: other for other in chain if other is not piece}
    return lines


def _follow(piece: Piece, way: Points, left: dict[int, Piece]) -> list[Piece]:
    """Take the next piece straight ahead, again and again."""
    chain: list[Piece] = []
    here, reach = piece, 2.2 * piece.length + 8
    others = list(left.values())
    middles, ways = np.array([other.middle for other in others]), np.array([other.way for other in others])
    long = np.array([other.length > 2 * other.width for other in others])
    free = np.ones(len(others), bool)
    while free.any():
        offset = middles - here.middle
        distance = exact.hypot(offset[:, 0], offset[:, 1])
        ahead = dot(offset, way) / np.maximum(distance, 1e-9)
        # Dots have no direction, so only long pieces must point along the line.
        fits = free & (distance <= reach) & (ahead > 0.9) & (~long | (np.abs(dot(ways, way)) > 0.85))
        if not fits.any():
            break
        best = int(np.where(fits, distance, np.inf).argmin())
        following, free[best] = others[best], False
        del left[following.index]
        way = offset[best] / distance[best]
        chain.append(following)
        here = following
    return chain


def _even(chain: list[Piece]) -> bool:
    """Tell dashes from letters: the pieces are thin, and their distances alike."""
    widths = [piece.width for piece in chain]
    middles = np.array([piece.middle for piece in chain])
    gaps = exact.hypot(*np.diff(middles, axis=0).T)
    if float(np.percentile(widths, 85)) > 1.5 * float(np.percentile(widths, 15)) + 0.5:
        return False
    return max(widths) < 7 and float(np.percentile(gaps, 75)) < 1.9 * float(np.percentile(gaps, 25)) + 2


def path_of(chain: list[Piece]) -> Points:
    """Return the line through a chain of dashes, from the outer end of the first dash to that of the last."""
    middles = np.array([piece.middle for piece in chain])
    first, last = chain[0], chain[-1]
    start = first.middle + first.way * math.copysign(first.length / 2, float(dot(middles[0] - middles[1], first.way)))
    end = last.middle + last.way * math.copysign(last.length / 2, float(dot(middles[-1] - middles[-2], last.way)))
    return np.vstack([start, middles, end])


def pattern_of(chain: list[Piece]) -> str:
    """Name the pattern: dashed, dotted or dash-dot."""
    ratio = np.array([piece.length / piece.width for piece in chain])
    if float(np.percentile(ratio, 80)) < 1.7:
        return "dotted"
    return "dash-dot" if 0.3 < (ratio < 1.7).mean() < 0.7 else "dashed"
