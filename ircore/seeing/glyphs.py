"""Reading a line of print by laying known letters over it: those of the font inside Pillow, as antialiasing shows them.

The built-in targets are lettered in that font. A letter looks different with every part of a pixel that it is moved
by, so each is kept at every quarter of a pixel across and down. A line is cut at its gaps and thin places; of all ways
to cut it and of all sizes, the one is taken whose letters leave least of the ink unexplained. Print in other fonts is
left unread here; ``ocr`` can read that.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from operator import add, or_

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Cover = npt.NDArray[np.float32]
"""Height × width: how much of each pixel, 0–1, is ink."""

LETTERS = "".join(chr(code) for code in range(33, 127)) + "°²³×é"
FINE = 4
"""Parts of a pixel to which the place of a letter is told, across and down."""
FAINT = 0.12
"""Coverage up to which a pixel at the rim of a letter does not count to its box."""
SIZES = (13, 14, 12, 15, 16, 18, 11, 20, 17, 19, 22, 24, 21, 23, 10, 25, 26, 28, 9, 27)
"""Font sizes in pixels in the order in which they are tried, the most common in charts first."""
COMMON = 7
"""How many sizes are tried for a line as long as no other line was read."""
ALIKE_SIZES = 3
"""Pixels that the sizes of two lines of one picture may differ."""
A_LETTER = 0.12
"""Squared coverage that an additional letter must explain to be taken."""
UNEXPLAINED = 0.07
"""Share of a line's squared ink that a reading may leave unexplained or put too much."""
HOPELESS = 0.1
"""Unexplained share from which on a size is given up: a second look lowers it a little, never by a third."""
CERTAIN = 0.02
"""Unexplained share up to which no other size is tried."""
THINNEST = 0.8
"""Share of the ink of the fullest column that a column where two letters touch has at most."""
DOUBTFUL = 0.02
"""Unexplained share of a letter from which on it is compared again without its neighbours."""
ON_BASE = 0.3
"""Pixels that the baselines of two letters of a line may differ."""
REMEMBERED = 4096
"""Lines kept; each is a few kilobytes."""
WIDEST = 1.15
"""Width of the widest letter in font sizes."""


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters whose boxes have the same height and width, one row each.

    >>> letters = load_typeface(13).letters(high=6, wide=7)
    >>> {LETTERS[index] for index in letters.which}
    {'+'}

    Attributes:
        inks: Rows × pixels.
        squares: Sum of squares of each row.
        which: Index in ``LETTERS``.
        base: From the top of the box down to the baseline, in pixels.
        pen: From the left of the box to the origin, in pixels, mostly negative or 0.
    """

    inks: Cover
    squares: npt.NDArray[np.float32]
    which: npt.NDArray[np.int16]
    base: npt.NDArray[np.float32]
    pen: npt.NDArray[np.float32]


class Typeface:
    """All letters of one size in pixels, at every quarter of a pixel.

    >>> Typeface(13).advances[LETTERS.index("W")] > Typeface(13).advances[LETTERS.index("i")]
    True

    Attributes:
        size: In pixels.
        advances: How far the next letter is from the beginning of each of ``LETTERS``, in pixels.
        blank: Width of a blank, in pixels.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        font = ImageFont.load_default(size * FINE)
        assert isinstance(font, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels always have FreeType
        self._font = font
        self.advances = [font.getlength(letter) / FINE for letter in LETTERS]
        self.blank = font.getlength(" ") / FINE
        self._found: dict[tuple[int, int], Letters | None] = {}
        boxes = np.array([font.getbbox(letter, anchor="ls") for letter in LETTERS])
        masks = [self._mask(letter, *box) for letter, box in zip(LETTERS, boxes.tolist(), strict=True)]
        self._inks = _reduce_to_pixels(masks)
        strong = self._inks > FAINT
        self._top, self._bottom = _find_ends(np.asarray(strong.any(axis=2)))
        self._left, self._right = _find_ends(np.asarray(strong.any(axis=1)))
        letter, down, right = np.indices((len(LETTERS), FINE, FINE)).reshape(3, -1)
        self._which = letter.astype(np.int16)
        self._base = ((down - boxes[letter, 1]) / FINE - self._top).astype(np.float32)
        self._pen = ((right - boxes[letter, 0]) / FINE - self._left).astype(np.float32)
        self._rows: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row, shape in enumerate(zip(self._bottom - self._top, self._right - self._left, strict=True)):
            self._rows[int(shape[0]), int(shape[1])].append(row)

    def _mask(self, letter: str, left: float, top: float, right: float, bottom: float) -> npt.NDArray[np.uint8]:
        mask = Image.new("L", (round(right - left), round(bottom - top)))
        ImageDraw.Draw(mask).text((-left, -top), letter, font=self._font, anchor="ls", fill=255)
        return np.asarray(mask)

    def letters(self, high: int, wide: int) -> Letters | None:
        """Return the letters whose boxes have this height and width in pixels; None if no letter has such a box."""
        if (high, wide) not in self._found:
            self._found[high, wide] = self._stack_letters(
                np.array(self._rows.get((high, wide), []), np.intp), high, wide
            )
        return self._found[high, wide]

    def _stack_letters(self, rows: npt.NDArray[np.intp], high: int, wide: int) -> Letters | None:
        if not len(rows):
            return None
        down = self._top[rows, None, None] + np.arange(high)[:, None]
        across = self._left[rows, None, None] + np.arange(wide)
        inks = self._inks[rows[:, None, None], down, across].reshape(len(rows), -1)
        return Letters(inks, np.square(inks).sum(axis=1), self._which[rows], self._base[rows], self._pen[rows])

    def middle(self, text: str) -> tuple[float, float]:
        """Return the middle of a text's ink from its origin on the baseline, to a quarter of a pixel."""
        left, top, right, bottom = self._font.getbbox(text, anchor="ls")
        return (left + right) / 2 / FINE, (top + bottom) / 2 / FINE


@cache
def load_typeface(size: int) -> Typeface:
    """Return the letters of a size in pixels; they are drawn once in the life of a process."""
    return Typeface(size)


def _reduce_to_pixels(masks: list[npt.NDArray[np.uint8]]) -> Cover:
    """Reduce fine masks to pixels, for every quarter pixel down and across at which they may begin.

    Returns:
        Places × height × width; the places of one mask follow each other, those across faster than those down.
    """
    high, wide = (max(mask.shape[side] for mask in masks) // FINE + 2 for side in (0, 1))
    fine = np.zeros((len(masks), high * FINE + FINE - 1, wide * FINE + FINE - 1), np.uint16)
    for room, mask in zip(fine, masks, strict=True):
        room[FINE - 1 :, FINE - 1 :][: mask.shape[0], : mask.shape[1]] = mask
    # The sum of the parts of a pixel that begins at each of them.
    rows = reduce(add, (fine[:, at : high * FINE + at] for at in range(FINE)))
    sums = reduce(add, (rows[:, :, at : wide * FINE + at] for at in range(FINE)))
    parts = sums.reshape(len(masks), high, FINE, wide, FINE).transpose(0, 2, 4, 1, 3)[:, ::-1, ::-1]
    return round_coverage(parts.reshape(-1, high, wide) / np.float32(255 * FINE * FINE))


def round_coverage(ink: npt.NDArray[np.floating]) -> Cover:
    """Return how much ink covers of each pixel in steps of 1/128.

    Products of two such values and sums of a thousand of them are floats of 32 bits without rounding, so that a
    product of matrices is the same in whatever order a processor adds.
    """
    return np.asarray(np.rint(ink * np.float32(128)) / np.float32(128), np.float32)


def _find_ends(some: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return each row's first index of a true value, and the index after its last true value."""
    return some.argmax(axis=1), some.shape[1] - some[:, ::-1].argmax(axis=1)


@dataclass(frozen=True)
class Print:
    """A line that was read.

    Attributes:
        text: The characters.
        size: Of the font, in pixels.
        off: Share of its squared ink left unexplained, 0–1.
        middle: Of its ink, x and y in pixels of the line, to a quarter of a pixel.
        strength: How much darker its ink is than what counted as full coverage.
    """

    text: str
    size: float
    off: float
    middle: tuple[float, float]
    strength: float


@dataclass(frozen=True, eq=False)
class _Segment:
    """Pixels between two columns of a line: box, ink, and the sum of squared ink."""

    span: tuple[int, int]
    box: tuple[int, int, int, int]
    ink: bytes
    own: float


@dataclass(frozen=True, eq=False)
class _Match:
    """The best letter for a segment, and how badly the letter explains the segment's ink.

    ``ink`` is what it puts there, from ``corner`` (row, column) on; ``span`` is that of the segment.
    """

    letter: int
    off: float
    origin: float
    base: float
    ink: Cover
    corner: tuple[int, int]
    span: tuple[int, int]

    @property
    def place(self) -> tuple[slice, slice]:
        """Rows and columns that the letter's ink covers."""
        (top, left), (high, wide) = self.corner, self.ink.shape
        return slice(top, top + high), slice(left, left + wide)


class _Line:
    """Ink of a line of print, with the boxes between columns."""

    def __init__(self, ink: Cover) -> None:
        self.ink = ink = round_coverage(ink)
        self.squares = np.concatenate([[0.0], np.square(ink).sum(axis=0).cumsum()]).tolist()
        # The rows of each column that are more than faint, as the bits of a number.
        packed = np.packbits(ink > FAINT, axis=0, bitorder="little").T
        self.rows = [int.from_bytes(column.tobytes(), "little") for column in packed]

    def box(self, start: int, end: int) -> tuple[int, int, int, int] | None:
        """Return left, top, right, bottom of the ink between two columns; None if there is no ink."""
        some = reduce(or_, self.rows[start:end], 0)
        if not some:
            return None
        while not self.rows[start]:
            start += 1
        while not self.rows[end - 1]:
            end -= 1
        return start, (some & -some).bit_length() - 1, end, some.bit_length()

    def segment(self, start: int, end: int) -> _Segment | None:
        """Return the segment between two columns; None for blank ground."""
        box = self.box(start, end)
        if box is None:
            return None
        left, top, right, bottom = box
        own = self.squares[end] - self.squares[start]
        return _Segment((start, end), box, self.ink[top:bottom, left:right].tobytes(), own)


def read_line(ink: Cover, first: Sequence[float] = (), sizes: Sequence[int] = SIZES) -> Print | None:
    """Read a level line of print.

    Args:
        ink: The line, cropped, on blank ground.
        first: Sizes of other lines of the picture: those are tried first, and only those that are not far from them.
        sizes: Font sizes to try if ``first`` is empty.

    Returns:
        The reading; None if no reading is certain.
    """
    best = _read_ink(ink.tobytes(), ink.shape[1], tuple(first), tuple(sizes))
    return best if best is not None and best.off <= UNEXPLAINED else None


@lru_cache(maxsize=REMEMBERED)
def _read_ink(cover: bytes, width: int, first: tuple[float, ...], sizes: tuple[int, ...]) -> Print | None:
    """Return the best reading of a line whose ink is given as bytes.

    Print often comes again, in a rendering and from turn to turn.
    """
    ink = np.frombuffer(cover, np.float32).reshape(-1, width)
    line = _Line(ink)
    box = line.box(0, width)
    if box is None:
        return None
    known = [round(size) for size in first]
    apart = ALIKE_SIZES if len(known) < 2 else ALIKE_SIZES - 1
    near = [
        size
        for size in (SIZES if known else sizes)
        if not known or min(abs(size - height) for height in known) <= apart
    ]
    fitting = [size for size in dict.fromkeys([*known, *near]) if 0.42 * size <= box[3] - box[1] <= 1.12 * size + 2]
    # A line that none of the common sizes fitted comes again, with all of them.
    before = sizes[:COMMON] if not known and len(sizes) > COMMON else ()
    best = _read_ink(cover, width, first, before) if before else None
    cut = _Cut(line, box)
    for size in (size for size in fitting if size not in before):
        if best is not None and best.off <= CERTAIN:
            break
        read = _Reading(cut, load_typeface(size)).read()
        if read is not None and (best is None or read.off < best.off):
            best = read
    return best


class _Cut:
    """A line of print with the columns where letters may begin or end, and the segments between them.

    ``blank`` says of each cut whether it lies beside blank ground.
    """

    def __init__(self, line: _Line, box: tuple[int, int, int, int]) -> None:
        self.line = line
        self.cuts = _find_cuts(line.ink, box)
        some = [0, *line.rows, 0]
        self.blank = [not (some[cut] and some[cut + 1]) for cut in self.cuts]
        self._segments: dict[tuple[int, int], _Segment | None] = {}

    def segment(self, start: int, end: int) -> _Segment | None:
        """Return the segment between two cuts; None for blank ground."""
        if (start, end) not in self._segments:
            self._segments[start, end] = self.line.segment(self.cuts[start], self.cuts[end])
        return self._segments[start, end]


def _find_cuts(ink: Cover, box: tuple[int, int, int, int]) -> list[int]:
    """Return the columns at which letters may begin: after gaps, and where little ink joins two."""
    weight = ink.sum(axis=0)[box[0] : box[2]].tolist()
    some = (ink[:, box[0] : box[2]].max(axis=0) > FAINT).tolist()
    cuts = {0, len(weight)}
    begin = 0
    for column in range(1, len(weight) + 1):
        if column < len(weight) and some[column] == some[column - 1]:
            continue
        cuts.add(column)
        # Where letters touch there is less ink than on both sides.
        if some[column - 1] and column - begin > 3:
            most = THINNEST * max(weight[begin:column])
            for at in range(begin + 1, column - 1):
                if weight[at] <= min(weight[at - 1], most) and weight[at] < weight[at + 1]:
                    cuts |= {at, at + 1}
        begin = column
    return [box[0] + cut for cut in sorted(cuts)]


class _Reading:
    """A line on the assumption of a size."""

    def __init__(self, cut: _Cut, face: Typeface) -> None:
        self.cut = cut
        self.face = face
        self.energy = cut.line.squares[-1]

    def read(self) -> Print | None:
        """Read each letter at any height first, then all letters on one baseline."""
        loose = self._choose_best_row(None)
        if not loose or math.fsum(match.off for match in loose) > HOPELESS * self.energy:
            return None
        weights = [match.base for match in loose if LETTERS[match.letter] not in "-'\"`.,"]
        base = float(np.median(weights or [match.base for match in loose]))
        level = all(abs(match.base - base) <= ON_BASE for match in loose)
        row = self._refit_letters(loose if level else self._choose_best_row(base), base)
        if not row:
            return None
        text = self._format_letters(row)
        off = math.fsum(match.off for match in row) / max(self.energy, 1e-9)
        middle, middle_up = self.face.middle(text)
        on = float(np.median([match.base for match in row]))
        place = (row[0].origin + middle, on + middle_up)
        return Print(text, self.face.size, off, place, _fit_strength(self.cut.line.ink, row))

    def _choose_best_row(self, base: float | None) -> list[_Match]:
        """Choose the cuts between which letters explain most, by dynamic programming."""
        cuts = self.cut.cuts
        best: list[tuple[float, int, _Match | None]] = [(0.0, 0, None)]
        for end in range(1, len(cuts)):
            way: tuple[float, int, _Match | None] = (np.inf, 0, None)
            for start in range(end - 1, -1, -1):
                if cuts[end] - cuts[start] > WIDEST * self.face.size:
                    break
                before = best[start][0]
                # Every letter costs something, so this way cannot become the better one.
                if before >= way[0]:
                    continue
                segment = self.cut.segment(start, end)
                if segment is None:
                    way = (before, start, None)
                    continue
                fit = self._fit(segment)
                match = _find_closest_letter(segment, fit, base) if fit is not None else None
                if match is not None and before + match.off + A_LETTER < way[0]:
                    way = (before + match.off + A_LETTER, start, match)
            if way[0] > HOPELESS * self.energy + A_LETTER * end and self.cut.blank[end]:
                return []
            best.append(way)
        row: list[_Match] = []
        at = len(best) - 1
        while at > 0:
            _, start, chosen = best[at]
            row += [chosen] if chosen is not None else []
            at = start
        return row[::-1]

    def _fit(self, segment: _Segment) -> "_Fit | None":
        left, top, right, bottom = segment.box
        return _fit_letters(self.face.size, bottom - top, right - left, segment.ink)

    def _refit_letters(self, row: list[_Match], base: float) -> list[_Match]:
        """Look again at letters that fit less well, without the ink of the letters beside them."""
        for index, match in enumerate(row):
            if match.off < DOUBTFUL * float(np.square(match.ink).sum()):
                continue
            rest = self.cut.line.ink.copy()
            for beside in (*row[max(0, index - 1) : index], *row[index + 1 : index + 2]):
                rest[beside.place] -= beside.ink
            alone = _Line(rest.clip(0, 1))
            segment = alone.segment(max(0, match.span[0] - 1), min(match.span[1] + 1, rest.shape[1]))
            fit = self._fit(segment) if segment is not None else None
            if segment is not None and fit is not None:
                row[index] = min(match, _find_closest_letter(segment, fit, base), key=lambda candidate: candidate.off)
        return row

    def _format_letters(self, row: list[_Match]) -> str:
        """Return the letters as text, with a blank where a letter begins after the advance of the letter before."""
        text, pen = "", row[0].origin
        for match in row:
            if text and match.origin - pen > 0.14 * self.face.size:
                text += " " * max(1, round((match.origin - pen) / self.face.blank))
            # These two are told apart by a fraction of a pixel; within a word it is the small one.
            letter = LETTERS[match.letter]
            text += "l" if letter == "I" and text[-1:].islower() else letter
            pen = match.origin + self.face.advances[match.letter]
        return text


@dataclass(frozen=True, eq=False)
class _Fit:
    """Letters with the box of a segment, and how much ink each leaves unexplained."""

    letters: Letters
    more: Cover
    best: int


@lru_cache(maxsize=4 * REMEMBERED)
def _fit_letters(size: int, high: int, wide: int, ink: bytes) -> _Fit | None:
    """Compare the letters of a size with a segment; None if no letter has a box of that size.

    Cached, since letters recur in other words, and in every way of cutting a line that is tried.
    """
    letters = load_typeface(size).letters(high, wide)
    if letters is None:
        return None
    more: Cover = letters.squares - 2 * (letters.inks @ np.frombuffer(ink, np.float32))  # exact: grained
    return _Fit(letters, more, int(more.argmin()))


def _find_closest_letter(segment: _Segment, fit: _Fit, base: float | None) -> _Match:
    """Return the letter that leaves least ink unexplained; only letters on the baseline if one is given."""
    left, top, right, bottom = segment.box
    letters, more, best = fit.letters, fit.more, fit.best
    if base is not None:
        more = np.where(np.abs(top + letters.base - base) <= ON_BASE, more, more + segment.own)
        best = int(more.argmin())
    return _Match(
        int(letters.which[best]), max(0.0, float(more[best]) + segment.own), left + float(letters.pen[best]),
        top + float(letters.base[best]), letters.inks[best].reshape(bottom - top, right - left), (top, left),
        segment.span,
    )  # fmt: skip


def _fit_strength(ink: Cover, row: Sequence[_Match]) -> float:
    """Return the factor by which the letters fit best, by least squares."""
    both = own = 0.0
    for match in row:
        both += float((ink[match.place] * match.ink).sum())
        own += float(np.square(match.ink).sum())
    return both / max(own, 1e-9)
