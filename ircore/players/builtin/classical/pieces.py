"""Small components that may be letters, and the lines that they form."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.images import Pixels
from ircore.players.builtin.classical.algebra import dot, length_of
from ircore.players.builtin.classical.masks import Mask
from ircore.players.builtin.classical.palette import Segmentation
from ircore.players.builtin.classical.percepts import Box, join
from ircore.players.builtin.classical.regions import EIGHT, Numbers

Paper = npt.NDArray[np.int16]
"""Height × width × 3: the colour under everything drawn."""
HIGHEST, WIDEST = 30, 44
"""Pixels: a larger piece is no letter, nor two or three that touch."""
LONG, THIN = 20, 2.6
"""Pixels: a piece as wide as ``LONG`` and no thicker than ``THIN`` is a stroke, such as a leader line."""
GAP = 0.62
"""Share of a line's height that two letters, or words, may be apart."""
STROKE_LONG, STROKE_FULL = 2.6, 0.8
"""Least ratio of length to thickness of a straight stroke, and the share of their product that it fills."""
SOLID = 0.82
"""Share of its box that a thing fills that is a marker or a bar, not a letter."""
LOWEST = 5
"""Pixels: a line of smaller things is a row of dashes or dots."""
MOST_PIECES = 2000
LEAST_GROUND = 600
"""Pixels of a colour on which something may be written."""
LEAST_CONTRAST = 40.0
"""Distance in RGB, 0–441, of letters from their ground."""
NAMES_TO, LABELS_FROM, NAME = 90, 0.75, 6
"""Where upright print may be of fewer letters than this: pixels from the left, and the share down to the lowest."""
MANY_ALIKE = 40
"""Number of equal dots or dashes from which on they are a pattern, not full stops and hyphens."""
MOST_LETTERS = 60
TINY = 4
"""Pixels: a piece no larger is a full stop, a comma or part of a letter, and may lie below or above its line."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A small connected component of pixels that lies on a larger component.

    >>> Piece(1, 0, (10, 10, 13, 20), contrast=200.0, own=np.ones((10, 3), bool)).straight
    True

    Attributes:
        index: Number of the piece, from 1.
        contrast: Of its most distant colour from its ground, in RGB, 0–441.
    """

    index: int
    ground: int
    box: Box
    contrast: float
    own: Mask

    @cached_property
    def straight(self) -> bool:
        """Whether the piece is a short straight stroke, by the second moments of its pixels."""
        rows, columns = np.nonzero(self.own)
        area = len(rows)
        if area >= HIGHEST * WIDEST / 2:
            return False
        across, down = columns - columns.sum() / area, rows - rows.sum() / area
        a, b, c = (float(dot(*pair)) / area for pair in ((across, across), (across, down), (down, down)))
        # A pixel is no point: its own square adds 1/12 each way.
        middle, half = (a + c) / 2 + 1 / 12, exact.hypot((a - c) / 2, b)
        long, thick = math.sqrt(12 * (middle + half)), math.sqrt(12 * max(middle - half, 1 / 12))
        return bool(long > STROKE_LONG * thick and area > STROKE_FULL * long * thick)


@dataclass(frozen=True, eq=False)
class Line:
    """Pieces that may be letters of a line.

    >>> piece = Piece(1, 0, (10, 10, 13, 20), contrast=200.0, own=np.ones((10, 3), bool))
    >>> Line((piece,), upright=False).box
    (10, 10, 13, 20)
    """

    pieces: tuple[Piece, ...]
    upright: bool

    @property
    def box(self) -> Box:
        """Smallest box around the line."""
        return join([piece.box for piece in self.pieces])


def find_pieces(
    pixels: Pixels, segmentation: Segmentation, paper: Paper, odd: Mask, everything: bool
) -> tuple[Numbers, list[Piece]]:
    """Return small components that lie wholly on one colour; their own shades may differ.

    Args:
        pixels: The picture, RGB.
        segmentation: The picture in flat colours.
        paper: The colour under everything drawn.
        odd: Pixels that do not look like the ground that they were given to.
        everything: Whether to look on every ground for all that is of another colour; else only on the background,
            and only for what is odd.

    Returns:
        The number of the piece that each pixel belongs to, 0 for none, and the pieces.
    """
    labels = segmentation.labels
    owner = np.zeros(labels.shape, np.int32)
    pieces: list[Piece] = []
    boxes = ndimage.find_objects(labels + 1) if everything else [(slice(0, labels.shape[0]), slice(0, labels.shape[1]))]
    grounds = np.flatnonzero(np.bincount(labels.ravel()) >= LEAST_GROUND) if everything else [0]
    for ground in grounds:
        # A piece on a colour lies within the box of that colour.
        rows, columns = (slice(max(0, side.start - 1), side.stop + 1) for side in boxes[ground])
        corner, view = (columns.start, rows.start), (rows, columns)
        wanted = (labels[view] != ground) | odd[view] if everything else odd
        for own, (left, top) in _small(wanted):
            if len(pieces) >= MOST_PIECES:
                break
            high, wide = own.shape
            box = (corner[0] + left, corner[1] + top, corner[0] + left + wide, corner[1] + top + high)
            under = paper[box[1], box[0]] if ground == 0 else segmentation.colours[ground]
            place = (slice(box[1], box[3]), slice(box[0], box[2]))
            most = float(length_of(pixels[place][own] - under).max())
            if most >= LEAST_CONTRAST:
                pieces.append(Piece(len(pieces) + 1, int(ground), box, most, own))
                owner[place][own] = len(pieces)
    return owner, pieces


def _small(mask: Mask) -> Iterator[tuple[Mask, tuple[int, int]]]:
    """Go through the components that may be letters by their size and form, with their left and top."""
    whole, _ = ndimage.label(mask, EIGHT)
    for index, (rows, columns) in enumerate(ndimage.find_objects(whole), 1):
        high, wide = rows.stop - rows.start, columns.stop - columns.start
        if high > HIGHEST or wide > WIDEST or _touches_rim(rows, columns, mask.shape):
            continue
        own = whole[rows, columns] == index
        area = np.count_nonzero(own)
        is_solid = min(high, wide) >= 5 and area > SOLID * high * wide
        if not is_solid and not (wide >= LONG and area <= THIN * exact.hypot(wide, high)):
            yield own, (columns.start, rows.start)


def _touches_rim(rows: slice, columns: slice, size: tuple[int, ...]) -> bool:
    return bool(rows.start == 0 or columns.start == 0 or rows.stop == size[0] or columns.stop == size[1])


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """Group pieces on one ground into level and upright lines, the longest first."""
    kinds: dict[int, list[Piece]] = {}
    for piece in _without_patterns(pieces):
        kinds.setdefault(piece.ground, []).append(piece)
    lines = [line for kind in kinds.values() for upright in (False, True) for line in _rows(kind, upright)]
    return sorted(lines, key=lambda line: (-len(line.pieces), line.upright, line.box))


def _without_patterns(pieces: Sequence[Piece]) -> list[Piece]:
    """Leave out the dots and dashes of lines and grids."""
    sizes = [(piece.ground, piece.box[2] - piece.box[0], piece.box[3] - piece.box[1]) for piece in pieces]
    many = {size for size, count in Counter(sizes).items() if count >= MANY_ALIKE and min(size[1:]) <= 2}
    return [piece for piece, size in zip(pieces, sizes, strict=True) if size not in many]


def _rows(pieces: Sequence[Piece], upright: bool) -> list[Line]:
    """Return lines of pieces that follow each other closely at one height."""

    def extent(box: Box) -> tuple[int, int, int, int]:
        # Begin and end along the line, low and high across it; an upright line is read from below.
        return (-box[3], -box[1], box[0], box[2]) if upright else (box[0], box[2], box[1], box[3])

    rows: list[tuple[list[Piece], list[int]]] = []
    going_on: list[tuple[list[Piece], list[int]]] = []
    for piece in sorted(pieces, key=lambda piece: extent(piece.box)):
        begin, end, low, high = extent(piece.box)
        # Pieces come in order along the line, so rows that ended long ago take no more.
        going_on = [row for row in going_on if begin - row[1][1] <= HIGHEST]
        for members, span in going_on:
            tall = max(span[3] - span[2], high - low, 6)
            both = max(high, span[3]) - min(low, span[2])
            # Below and above a line there is room for a comma and an accent.
            tiny = max(high - low, end - begin) <= TINY or span[3] - span[2] <= TINY
            aside = min(high, span[3]) - max(low, span[2]) > (-0.3 if tiny else 0.15) * tall
            fits = begin - span[1] <= GAP * tall and aside and both <= min(HIGHEST, 2.2 * tall)
            if fits and _as_dark(piece, members):
                members.append(piece)
                span[1], span[2], span[3] = max(span[1], end), min(span[2], low), max(span[3], high)
                break
        else:
            rows.append(([piece], [begin, end, low, high]))
            going_on.append(rows[-1])
    lines = [Line(tuple(members), upright) for members, span in rows if span[3] - span[2] >= LOWEST]
    lowest = max((piece.box[3] for piece in pieces), default=0)
    return [line for line in lines if not _is_pattern(line) and not (upright and _is_inside(line, lowest))]


def _is_inside(line: Line, lowest: int) -> bool:
    """Tell whether a few letters are neither at the left nor below, where names of axes and labels stand upright."""
    below = line.box[3] > LABELS_FROM * lowest and len(line.pieces) > 1
    return len(line.pieces) < NAME and line.box[0] > NAMES_TO and not below


def _as_dark(piece: Piece, members: Sequence[Piece]) -> bool:
    """Tell whether a piece may be of the same ink; a full stop may fill a pixel by a third only."""
    most = max(member.contrast for member in members)
    tiny = max(piece.box[2] - piece.box[0], piece.box[3] - piece.box[1]) <= 3
    return piece.contrast > (0.28 if tiny else 0.5) * most and most > 0.5 * piece.contrast


def _is_pattern(line: Line) -> bool:
    """Whether pieces are dashes, dots or hatching: many pieces of one size."""
    sizes = {(box[2] - box[0], box[3] - box[1]) for box in (piece.box for piece in line.pieces)}
    if all(min(size) <= 2 for size in sizes) or all(piece.straight for piece in line.pieces):
        return True
    return len(line.pieces) > MOST_LETTERS or len(line.pieces) >= 6 * len(sizes)
