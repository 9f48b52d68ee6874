"""Finds and reads writing: small pieces on one ground, in a row or in a column.

What can be read becomes a text, and its pixels become ground, so that no letter is taken for a dot or a dash.
"""

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

import numpy as np

from ircore.core.images import Pixels
from ircore.players.builtin.canvas.colours import rgb
from ircore.players.builtin.classical.algebra import Floats, dot, length_of
from ircore.players.builtin.classical.colours import distance, rgb_array
from ircore.players.builtin.classical.glyph_matching import COMMON, SIZES, Print, read_line
from ircore.players.builtin.classical.grounds import Grounds
from ircore.players.builtin.classical.masks import Mask, grown
from ircore.players.builtin.classical.palette import Segmentation, to_hex
from ircore.players.builtin.classical.percepts import Box, Text
from ircore.players.builtin.classical.pieces import LEAST_CONTRAST, TINY, Line, Paper, find_pieces, lines_of
from ircore.players.builtin.classical.regions import Numbers
from ircore.players.builtin.classical.typeface import Cover

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
class Writing:
    """The texts of a picture, the lines that could not be read, and the picture without the texts.

    >>> from ircore.players.builtin.classical.grounds import find_grounds
    >>> from ircore.players.builtin.classical.palette import segment
    >>> white = np.full((64, 64, 3), 255, np.uint8)
    >>> find_writing(white, find_grounds(segment(white))).texts
    ()
    """

    texts: tuple[Text, ...]
    unread: tuple[Line, ...]
    segmentation: Segmentation


def find_writing(pixels: Pixels, grounds: Grounds) -> Writing:
    """Read the texts of a picture.

    Args:
        pixels: The picture, RGB.
        grounds: The picture in flat colours without its large areas.
    """
    segmentation, paper = grounds.segmentation, _paper(grounds)
    nothing = np.zeros(segmentation.labels.shape, np.int32)
    look = _Look(pixels, replace(segmentation, labels=segmentation.labels.copy()), paper, nothing, nothing > 0)
    odd = _odd(pixels, grounds, paper)
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


def _paper(grounds: Grounds) -> Paper:
    """Return each pixel's ground colour: of the area that holds the pixel, else of the background."""
    labels = grounds.segmentation.labels
    paper = np.empty((*labels.shape, 3), np.int16)
    paper[:] = np.round(grounds.segmentation.colours[0])
    for area in grounds.areas:
        left, top, right, bottom = area.box
        paper[top:bottom, left:right] = rgb(area.colour or "#000000")
    return paper


def _is_ruled(segmentation: Segmentation) -> bool:
    """Tell whether pale things are drawn on the background."""
    contrast = length_of(segmentation.colours - segmentation.colours[0])
    counts = np.bincount(segmentation.labels.ravel(), minlength=len(contrast))
    return bool(((contrast > 4) & (contrast < STRONG) & (counts > PALE_PIXELS)).any())


def _odd(pixels: Pixels, grounds: Grounds, paper: Paper) -> Mask:
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


def _is_text(read: Print, line: Line) -> bool:
    """Whether a reading is more than a few ticks, dashes or dots."""
    if not set(read.text) - BARE - {" "}:
        return False
    return len(read.text) > 1 or (read.off <= ALONE and not (line.upright and read.text in EITHER_WAY))


def _is_dotted(line: Line) -> bool:
    """Whether a line is dotted rather than text: more than half of its pieces are tiny."""
    dots = sum(max(box[2] - box[0], box[3] - box[1]) <= TINY for box in (piece.box for piece in line.pieces))
    return len(line.pieces) >= FEW_DOTS and 2 * dots > len(line.pieces)


def _text(read: Print, line: Line, ink: "_Ink", colour: str) -> Text:
    middle = read.middle
    if line.upright:
        # An upright line was turned clockwise to be read; its place is turned back.
        middle = (middle[1], ink.cover.shape[0] - middle[0])
    centre = (ink.corner[0] + middle[0], ink.corner[1] + middle[1])
    turn, area = 90.0 if line.upright else 0.0, float(ink.cover.sum())
    return Text(read.text, colour, float(read.size), centre, turn, area, line.box)


def _parts(line: Line) -> list[Line]:
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

    def read_all(self, odd: Mask, everything: bool) -> list[Line]:
        """Read all lines that can be read and make their pixels ground; return the others."""
        self.owner, pieces = find_pieces(self.pixels, self.segmentation, self.paper, odd, everything)
        unread: list[Line] = []
        taken: set[int] = set()
        for line in lines_of(pieces):
            left = tuple(piece for piece in line.pieces if piece.index not in taken)
            whole = replace(line, pieces=left)
            read = next(((text, part) for part in _parts(whole) if (text := self.read(part))), None) if left else None
            if read is None:
                unread.append(whole)
                continue
            taken |= self._take(*read)
            if not everything:
                self._rule_through(read[0].box)
        return [line for line in unread if line.pieces and not any(piece.index in taken for piece in line.pieces)]

    def read(self, line: Line) -> Text | None:
        """Return the text of a line of writing; None if no text can be read there."""
        if _is_dotted(line):
            return None
        for colour in self.inks_of(line):
            ink = self.ink_of(line, colour)
            turned = np.rot90(ink.cover, -1) if line.upright else ink.cover
            read = read_line(turned, self.sizes, SIZES[:COMMON] if self.hasty else SIZES)
            if read is not None and _is_text(read, line):
                exact = to_hex(self._ground(line) + read.strength * (rgb_array(colour) - self._ground(line)))
                # Colours that differ by rounding only are the same.
                return _text(read, line, ink, colour if distance(colour, exact) < 2 else exact)
        return None

    def _take(self, text: Text, line: Line) -> set[int]:
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

    def _rule_through(self, box: Box) -> None:
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

    def _view(self, line: Line) -> tuple[tuple[slice, slice], tuple[int, int]]:
        left, top, right, bottom = line.box
        left, top = max(0, left - 2), max(0, top - 2)
        return (slice(top, bottom + 2), slice(left, right + 2)), (left, top)

    def _own(self, line: Line, view: tuple[slice, slice]) -> Mask:
        if len(line.pieces) == 1:
            return np.asarray(self.owner[view] == line.pieces[0].index)
        return np.isin(self.owner[view], [piece.index for piece in line.pieces])

    def _ground(self, line: Line) -> Floats:
        left, top, _, _ = line.box
        number = line.pieces[0].ground
        if self.segmentation.ends is None:
            flat: Floats = self.segmentation.colours[number] if number else self.paper[top, left].astype(np.float64)
            return flat
        view, _ = self._view(line)
        colour: Floats = np.median(self.pixels[view][self.segmentation.labels[view] == number], axis=0)
        return colour if np.isfinite(colour).all() else self.segmentation.colours[number]

    def inks_of(self, line: Line) -> list[str]:
        """Return candidate colours of a line: known colours that fit, the line's darkest, and similar drawn colours.

        Thin print fills no pixel, so its colour need not occur in it.
        """
        view, _ = self._view(line)
        ground = self._ground(line)
        way = self.pixels[view][self._own(line, view)] - ground
        far = length_of(way)
        extreme = way[far >= 0.97 * far.max()].mean(axis=0)
        options = np.array([*(rgb_array(ink) for ink in self.inks), *self.segmentation.colours, ground + extreme])
        times = _farther(options - ground, extreme)
        fits = np.flatnonzero((times >= 0.97) & (times <= PALEST))
        written = [to_hex(options[at]) for at in fits if at < len(self.inks)]
        drawn = [to_hex(options[at]) for at in sorted(fits, key=lambda at: times[at]) if at >= len(self.inks)]
        return list(dict.fromkeys([*written, *drawn]))[: KNOWN_INKS if written else MOST_INKS]

    def ink_of(self, line: Line, colour: str) -> _Ink:
        """Separate a line's ink, whose colour is known, from the ground under the line."""
        view, corner = self._view(line)
        ground = self._ground(line)
        way = rgb_array(colour) - ground
        cover = (dot(self.pixels[view] - ground, way) / float(dot(way, way))).clip(0, 1.2)
        near = grown(self._own(line, view), 1)
        return _Ink(np.where(near, cover, 0).astype(np.float32), corner, colour)


def _farther(ways: Floats, extreme: Floats) -> Floats:
    """Return how many times as far as ``extreme`` colours are from the ground; 0 in other directions."""
    lengths, other = length_of(ways), float(length_of(extreme))
    along = (lengths >= LEAST_CONTRAST) & (dot(ways, extreme) >= 0.985 * lengths * other)
    return np.where(along, lengths / other, 0.0)
