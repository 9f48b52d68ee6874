"""Finds and reads writing: small pieces on one ground, in a row or in a column.

Small components may be letters, and form lines. What can be read becomes a text, and its pixels become ground, so that
no letter is taken for a dot or a dash.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.images import Pixels
from ircore.seeing.arrays import EIGHT, Floats, Mask, Numbers, compute_dot, compute_lengths, dilate
from ircore.seeing.colours import measure_rgb_distance, parse_hex
from ircore.seeing.flat_colours import Grounds, Segmentation, format_rgb_array, parse_rgb_array
from ircore.seeing.glyphs import COMMON, SIZES, Cover, Print, read_line
from ircore.seeing.percepts import Box, Text, join_boxes

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
ODD = 36
"""Difference in one channel, 0–255, from which on a pixel does not have the colour it was assigned to."""
PALEST = 2.4
"""Times that the ink may be farther from the ground than the darkest pixel of a thin letter."""
MOST_INKS, KNOWN_INKS = 3, 2
"""Colours tried for a line: in general, and if the colour of an earlier text fits."""
STRONG = 80
"""Difference from the background in one channel, 0–255, that makes a pixel dark rather than pale."""
PALE_PIXELS = 150
EITHER_WAY = frozenset("oO0xXzZNnuUsScCHI+-=:%#8")
"""Letters that look alike when turned, or like others."""
ALONE = 0.03
"""Share of its ink that a single letter may leave unexplained: a lone letter may be a stain."""
FEW_DOTS = 4
"""Pieces from which on a line that is mostly dots is not read."""
BARE = frozenset("lI|-_.,'`:;!/^~\\\"")
"""Letters that ticks and dashes look like; a text has others too."""


@dataclass(frozen=True, eq=False)
class InkPiece:
    """A small connected component of pixels that lies on a larger component.

    >>> InkPiece(1, 0, (10, 10, 13, 20), contrast=200.0, own=np.ones((10, 3), bool)).straight
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
        a, b, c = (float(compute_dot(*pair)) / area for pair in ((across, across), (across, down), (down, down)))
        # A pixel is no point: its own square adds 1/12 each way.
        middle, half = (a + c) / 2 + 1 / 12, exact.hypot((a - c) / 2, b)
        long, thick = math.sqrt(12 * (middle + half)), math.sqrt(12 * max(middle - half, 1 / 12))
        return bool(long > STROKE_LONG * thick and area > STROKE_FULL * long * thick)


@dataclass(frozen=True, eq=False)
class LetterLine:
    """Pieces that may be letters of a line.

    >>> piece = InkPiece(1, 0, (10, 10, 13, 20), contrast=200.0, own=np.ones((10, 3), bool))
    >>> LetterLine((piece,), upright=False).box
    (10, 10, 13, 20)
    """

    pieces: tuple[InkPiece, ...]
    upright: bool

    @property
    def box(self) -> Box:
        """Smallest box around the line."""
        return join_boxes([piece.box for piece in self.pieces])


def find_pieces(
    pixels: Pixels, segmentation: Segmentation, paper: Paper, odd: Mask, everything: bool
) -> tuple[Numbers, list[InkPiece]]:
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
    pieces: list[InkPiece] = []
    boxes = ndimage.find_objects(labels + 1) if everything else [(slice(0, labels.shape[0]), slice(0, labels.shape[1]))]
    grounds = np.flatnonzero(np.bincount(labels.ravel()) >= LEAST_GROUND) if everything else [0]
    for ground in grounds:
        # A piece on a colour lies within the box of that colour.
        rows, columns = (slice(max(0, side.start - 1), side.stop + 1) for side in boxes[ground])
        corner, view = (columns.start, rows.start), (rows, columns)
        wanted = (labels[view] != ground) | odd[view] if everything else odd
        for own, (left, top) in _find_letter_components(wanted):
            if len(pieces) >= MOST_PIECES:
                break
            high, wide = own.shape
            box = (corner[0] + left, corner[1] + top, corner[0] + left + wide, corner[1] + top + high)
            under = paper[box[1], box[0]] if ground == 0 else segmentation.colours[ground]
            place = (slice(box[1], box[3]), slice(box[0], box[2]))
            most = float(compute_lengths(pixels[place][own] - under).max())
            if most >= LEAST_CONTRAST:
                pieces.append(InkPiece(len(pieces) + 1, int(ground), box, most, own))
                owner[place][own] = len(pieces)
    return owner, pieces


def _find_letter_components(mask: Mask) -> Iterator[tuple[Mask, tuple[int, int]]]:
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


def group_into_lines(pieces: Sequence[InkPiece]) -> list[LetterLine]:
    """Group pieces on one ground into level and upright lines, the longest first."""
    kinds: dict[int, list[InkPiece]] = {}
    for piece in _remove_patterns(pieces):
        kinds.setdefault(piece.ground, []).append(piece)
    lines = [line for kind in kinds.values() for upright in (False, True) for line in _group_into_rows(kind, upright)]
    return sorted(lines, key=lambda line: (-len(line.pieces), line.upright, line.box))


def _remove_patterns(pieces: Sequence[InkPiece]) -> list[InkPiece]:
    """Leave out the dots and dashes of lines and grids."""
    sizes = [(piece.ground, piece.box[2] - piece.box[0], piece.box[3] - piece.box[1]) for piece in pieces]
    many = {size for size, count in Counter(sizes).items() if count >= MANY_ALIKE and min(size[1:]) <= 2}
    return [piece for piece, size in zip(pieces, sizes, strict=True) if size not in many]


def _group_into_rows(pieces: Sequence[InkPiece], upright: bool) -> list[LetterLine]:
    """Return lines of pieces that follow each other closely at one height."""

    def extent(box: Box) -> tuple[int, int, int, int]:
        # Begin and end along the line, low and high across it; an upright line is read from below.
        return (-box[3], -box[1], box[0], box[2]) if upright else (box[0], box[2], box[1], box[3])

    rows: list[tuple[list[InkPiece], list[int]]] = []
    going_on: list[tuple[list[InkPiece], list[int]]] = []
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
            if fits and _is_same_ink(piece, members):
                members.append(piece)
                span[1], span[2], span[3] = max(span[1], end), min(span[2], low), max(span[3], high)
                break
        else:
            rows.append(([piece], [begin, end, low, high]))
            going_on.append(rows[-1])
    lines = [LetterLine(tuple(members), upright) for members, span in rows if span[3] - span[2] >= LOWEST]
    lowest = max((piece.box[3] for piece in pieces), default=0)
    return [line for line in lines if not _is_pattern(line) and not (upright and _is_inside(line, lowest))]


def _is_inside(line: LetterLine, lowest: int) -> bool:
    """Tell whether a few letters are neither at the left nor below, where names of axes and labels stand upright."""
    below = line.box[3] > LABELS_FROM * lowest and len(line.pieces) > 1
    return len(line.pieces) < NAME and line.box[0] > NAMES_TO and not below


def _is_same_ink(piece: InkPiece, members: Sequence[InkPiece]) -> bool:
    """Tell whether a piece may be of the same ink; a full stop may fill a pixel by a third only."""
    most = max(member.contrast for member in members)
    tiny = max(piece.box[2] - piece.box[0], piece.box[3] - piece.box[1]) <= 3
    return piece.contrast > (0.28 if tiny else 0.5) * most and most > 0.5 * piece.contrast


def _is_pattern(line: LetterLine) -> bool:
    """Whether pieces are dashes, dots or hatching: many pieces of one size."""
    sizes = {(box[2] - box[0], box[3] - box[1]) for box in (piece.box for piece in line.pieces)}
    if all(min(size) <= 2 for size in sizes) or all(piece.straight for piece in line.pieces):
        return True
    return len(line.pieces) > MOST_LETTERS or len(line.pieces) >= 6 * len(sizes)


@dataclass(frozen=True, eq=False)
class Writing:
    """The texts of a picture, the lines that could not be read, and the picture without the texts.

    >>> from ircore.seeing.flat_colours import find_grounds
    >>> from ircore.seeing.flat_colours import segment_colours
    >>> white = np.full((64, 64, 3), 255, np.uint8)
    >>> find_writing(white, find_grounds(segment_colours(white))).texts
    ()
    """

    texts: tuple[Text, ...]
    unread: tuple[LetterLine, ...]
    segmentation: Segmentation


def find_writing(pixels: Pixels, grounds: Grounds) -> Writing:
    """Read the texts of a picture.

    Args:
        pixels: The picture, RGB.
        grounds: The picture in flat colours without its large areas.
    """
    segmentation, paper = grounds.segmentation, _paint_ground(grounds)
    nothing = np.zeros(segmentation.labels.shape, np.int32)
    look = _Look(pixels, replace(segmentation, labels=segmentation.labels.copy()), paper, nothing, nothing > 0)
    odd = _mark_odd_pixels(pixels, grounds, paper)
    unread = look.read_all(odd, everything=True)
    look.hasty = bool(look.texts)
    # As long as nothing was read, the size of the print is unknown and all sizes are worth trying.
    if unread and not look.texts:
        unread = look.read_all(odd, everything=True)
    if _is_ruled(segmentation):
        # Pale lines join the letters that they run through, so only dark pixels are looked at.
        strong = reduce(or_, (np.abs(pixels[..., level] - paper[..., level]) > STRONG for level in range(3)))
        unread = [*look.read_all(strong & ~look.done, everything=False), *unread]
    return Writing(tuple(look.texts), tuple(unread), look.segmentation)


def _paint_ground(grounds: Grounds) -> Paper:
    """Return each pixel's ground colour: of the area that holds the pixel, else of the background."""
    labels = grounds.segmentation.labels
    paper = np.empty((*labels.shape, 3), np.int16)
    paper[:] = np.round(grounds.segmentation.colours[0])
    for area in grounds.areas:
        left, top, right, bottom = area.box
        paper[top:bottom, left:right] = parse_hex(area.colour or "#000000")
    return paper


def _is_ruled(segmentation: Segmentation) -> bool:
    """Tell whether pale things are drawn on the background."""
    contrast = compute_lengths(segmentation.colours - segmentation.colours[0])
    counts = np.bincount(segmentation.labels.ravel(), minlength=len(contrast))
    return bool(((contrast > 4) & (contrast < STRONG) & (counts > PALE_PIXELS)).any())


def _mark_odd_pixels(pixels: Pixels, grounds: Grounds, paper: Paper) -> Mask:
    """Mark the pixels that look unlike the colour that they were given to: faint print whose colour fills no pixel."""
    segmentation = grounds.segmentation
    if segmentation.ends is not None:
        return np.zeros(segmentation.labels.shape, bool)
    off = (paper[..., 0] != pixels[..., 0]) | (paper[..., 1] != pixels[..., 1]) | (paper[..., 2] != pixels[..., 2])
    rows, columns = np.nonzero(off)
    labels = segmentation.labels[rows, columns]
    flat = np.round(segmentation.colours).astype(np.int16)[labels]
    flat[labels == 0] = paper[rows, columns][labels == 0]
    off[rows, columns] = np.abs(flat - pixels[rows, columns]).max(axis=1) > ODD
    return np.asarray(off)


def _is_text(read: Print, line: LetterLine) -> bool:
    """Whether a reading is more than a few ticks, dashes or dots."""
    if not set(read.text) - BARE - {" "}:
        return False
    return len(read.text) > 1 or (read.off <= ALONE and not (line.upright and read.text in EITHER_WAY))


def _is_dotted(line: LetterLine) -> bool:
    """Whether a line is dotted rather than text: more than half of its pieces are tiny."""
    dots = sum(max(box[2] - box[0], box[3] - box[1]) <= TINY for box in (piece.box for piece in line.pieces))
    return len(line.pieces) >= FEW_DOTS and 2 * dots > len(line.pieces)


def _build_text(read: Print, line: LetterLine, ink: "_Ink", colour: str) -> Text:
    middle = read.middle
    if line.upright:
        # An upright line was turned clockwise to be read; its place is turned back.
        middle = (middle[1], ink.cover.shape[0] - middle[0])
    centre = (ink.corner[0] + middle[0], ink.corner[1] + middle[1])
    turn, area = 90.0 if line.upright else 0.0, float(ink.cover.sum())
    return Text(read.text, colour, float(read.size), centre, turn, area, line.box)


def _list_line_variants(line: LetterLine) -> list[LetterLine]:
    """Return a line whole, without its first piece, and without its last: either may be the end of a stroke."""
    if len(line.pieces) < 2:
        return [line]
    return [line, replace(line, pieces=line.pieces[1:]), replace(line, pieces=line.pieces[:-1])]


@dataclass(frozen=True, eq=False)
class _Ink:
    """The ink of a line of writing: coverage of each pixel, the corner of the crop, and the colour."""

    cover: Cover
    corner: tuple[int, int]
    colour: str


@dataclass(eq=False)
class _Look:
    """A picture during reading, with the sizes and colours of the texts read so far, the latest first."""

    pixels: Pixels
    segmentation: Segmentation
    paper: Paper
    owner: Numbers
    done: Mask
    texts: list[Text] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    inks: list[str] = field(default_factory=list)
    hasty: bool = True

    def read_all(self, odd: Mask, everything: bool) -> list[LetterLine]:
        """Read all lines that can be read and make their pixels ground; return the others."""
        self.owner, pieces = find_pieces(self.pixels, self.segmentation, self.paper, odd, everything)
        unread: list[LetterLine] = []
        taken: set[int] = set()
        for line in group_into_lines(pieces):
            left = tuple(piece for piece in line.pieces if piece.index not in taken)
            whole = replace(line, pieces=left)
            read = (
                next(((text, part) for part in _list_line_variants(whole) if (text := self.read(part))), None)
                if left
                else None
            )
            if read is None:
                unread.append(whole)
                continue
            taken |= self._record_text(*read)
            if not everything:
                self._restore_pale_lines(read[0].box)
        return [line for line in unread if line.pieces and not any(piece.index in taken for piece in line.pieces)]

    def read(self, line: LetterLine) -> Text | None:
        """Return the text of a line of writing; None if no text can be read there."""
        if _is_dotted(line):
            return None
        for colour in self.inks_of(line):
            ink = self.ink_of(line, colour)
            turned = np.rot90(ink.cover, -1) if line.upright else ink.cover
            read = read_line(turned, self.sizes, SIZES[:COMMON] if self.hasty else SIZES)
            if read is not None and _is_text(read, line):
                exact = format_rgb_array(
                    self._measure_ground(line) + read.strength * (parse_rgb_array(colour) - self._measure_ground(line))
                )
                # Colours that differ by rounding only are the same.
                return _build_text(read, line, ink, colour if measure_rgb_distance(colour, exact) < 2 else exact)
        return None

    def _record_text(self, text: Text, line: LetterLine) -> set[int]:
        """Record a text, prefer its size and colour from now on, and make its pixels ground."""
        self.texts.append(text)
        self.sizes[:] = dict.fromkeys([text.size, *self.sizes])
        self.inks[:] = dict.fromkeys([text.colour, *self.inks])
        for piece in line.pieces:
            left, top, right, bottom = piece.box
            own = self.owner[top:bottom, left:right] == piece.index
            self.segmentation.labels[top:bottom, left:right][own] = piece.ground
            self.done[top:bottom, left:right] |= own
        return {piece.index for piece in line.pieces}

    def _restore_pale_lines(self, box: Box) -> None:
        """Let pale lines go on where a text lay on them."""
        left, top, right, bottom = box
        labels = self.segmentation.labels
        if min(left, top) < 2 or right + 2 > labels.shape[1] or bottom + 2 > labels.shape[0]:
            return
        inside = labels[top:bottom, left:right]
        for before, after, window in (
            (labels[top:bottom, left - 2], labels[top:bottom, right + 1], inside),
            (labels[top - 2, left:right], labels[bottom + 1, left:right], inside.T),
        ):
            through = (before == after) & (before > 0)
            window[through] = before[through, None]

    def _locate_view(self, line: LetterLine) -> tuple[tuple[slice, slice], tuple[int, int]]:
        left, top, right, bottom = line.box
        left, top = max(0, left - 2), max(0, top - 2)
        return (slice(top, bottom + 2), slice(left, right + 2)), (left, top)

    def _select_line_pixels(self, line: LetterLine, view: tuple[slice, slice]) -> Mask:
        if len(line.pieces) == 1:
            return np.asarray(self.owner[view] == line.pieces[0].index)
        return np.isin(self.owner[view], [piece.index for piece in line.pieces])

    def _measure_ground(self, line: LetterLine) -> Floats:
        left, top, _, _ = line.box
        number = line.pieces[0].ground
        if self.segmentation.ends is None:
            flat: Floats = self.segmentation.colours[number] if number else self.paper[top, left].astype(np.float64)
            return flat
        view, _ = self._locate_view(line)
        colour: Floats = np.median(self.pixels[view][self.segmentation.labels[view] == number], axis=0)
        return colour if np.isfinite(colour).all() else self.segmentation.colours[number]

    def inks_of(self, line: LetterLine) -> list[str]:
        """Return candidate colours of a line: known colours that fit, the line's darkest, and similar drawn colours.

        Thin print fills no pixel, so its colour need not occur in it.
        """
        view, _ = self._locate_view(line)
        ground = self._measure_ground(line)
        way = self.pixels[view][self._select_line_pixels(line, view)] - ground
        far = compute_lengths(way)
        extreme = way[far >= 0.97 * far.max()].mean(axis=0)
        options = np.array([*(parse_rgb_array(ink) for ink in self.inks), *self.segmentation.colours, ground + extreme])
        times = _measure_distance_ratio(options - ground, extreme)
        fits = np.flatnonzero((times >= 0.97) & (times <= PALEST))
        written = [format_rgb_array(options[at]) for at in fits if at < len(self.inks)]
        drawn = [format_rgb_array(options[at]) for at in sorted(fits, key=lambda at: times[at]) if at >= len(self.inks)]
        return list(dict.fromkeys([*written, *drawn]))[: KNOWN_INKS if written else MOST_INKS]

    def ink_of(self, line: LetterLine, colour: str) -> _Ink:
        """Separate a line's ink, whose colour is known, from the ground under the line."""
        view, corner = self._locate_view(line)
        ground = self._measure_ground(line)
        way = parse_rgb_array(colour) - ground
        cover = (compute_dot(self.pixels[view] - ground, way) / float(compute_dot(way, way))).clip(0, 1.2)
        near = dilate(self._select_line_pixels(line, view), 1)
        return _Ink(np.where(near, cover, 0).astype(np.float32), corner, colour)


def _measure_distance_ratio(ways: Floats, extreme: Floats) -> Floats:
    """Return how many times as far as ``extreme`` colours are from the ground; 0 in other directions."""
    lengths, other = compute_lengths(ways), float(compute_lengths(extreme))
    along = (lengths >= LEAST_CONTRAST) & (compute_dot(ways, extreme) >= 0.985 * lengths * other)
    return np.where(along, lengths / other, 0.0)
