"""Reading a line of print by laying known letters over it.

The letters are those of the font inside Pillow, which the built-in targets are lettered in, at whole sizes and at every
quarter of a pixel across and down, as antialiased print falls. A line is cut at its gaps and thin places; of all ways
to cut it and of all sizes, the one is taken whose letters leave least of the ink unexplained. Print in other fonts is
left unread here; ``ocr`` can read that.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Cover = npt.NDArray[np.float32]
"""Height × width: how much of each pixel, 0–1, is ink."""

LETTERS = "".join(chr(code) for code in range(33, 127)) + "°²³×é"
SIZES = (13, 14, 12, 15, 16, 18, 11, 20, 17, 19, 22, 24, 21, 23, 10, 25, 26, 28, 9, 27)
"""Of the font, in pixels, in the order in which they are tried: most print in charts has one of the first."""
COMMON = 7
"""How many sizes are tried for a line as long as no other line was read."""
ALIKE_SIZES = 3
"""Pixels that the sizes of two lines of one picture may differ."""
FINE = 4
"""Parts of a pixel to which the place of a letter is told, across and down."""
FAINT = 0.12
"""Coverage up to which a pixel at the rim of a letter does not count to its box."""
A_LETTER = 0.12
"""Squared coverage that an additional letter must explain to be taken."""
UNEXPLAINED = 0.07
"""Share of a line's squared ink that letters may leave, or put too much, for it to count as read."""
HOPELESS = 0.4
"""The same, from which on a size is given up."""
CERTAIN = 0.02
"""The same, from which on no other size is tried."""
THINNEST = 0.8
"""Share of the ink of the fullest column that a column where two letters touch has at most."""
DOUBTFUL = 0.02
"""The same of a single letter, from which on it is looked at again without its neighbours."""
ON_BASE = 0.3
"""Pixels that the baselines of two letters of a line may differ."""
WIDEST = 1.15
"""Width of the widest letter in font sizes."""


@dataclass(frozen=True)
class Print:
    """A line that was read.

    Attributes:
        text: What it says.
        size: Of the font, in pixels.
        off: Share of its squared ink left unexplained, 0–1.
        middle: Of its ink, x and y in pixels of the line, to a quarter of a pixel; none if not known so exactly.
        strength: How much darker its ink is than what counted as full coverage.
    """

    text: str
    size: float
    off: float
    middle: tuple[float, float] | None = None
    strength: float = 1.0


@dataclass(frozen=True, eq=False)
class _Letters:
    """Letters whose boxes have one height and width; one row each.

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


@dataclass(frozen=True)
class _Match:
    """The best letter for a piece of a line: what it leaves, and its origin and baseline in the line's pixels.

    ``ink`` is what it puts there, from ``corner`` (row, column) on; ``span`` is the first and last column of its piece.
    """

    letter: int
    off: float
    origin: float
    base: float
    ink: Cover
    corner: tuple[int, int]
    span: tuple[int, int]


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * FINE)
    assert isinstance(font, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels always have FreeType
    return font


@cache
def _advance(size: int, letter: str) -> float:
    return float(_font(size).getlength(letter)) / FINE


@cache
def _templates(size: int) -> dict[tuple[int, int], _Letters]:
    """Return all letters of a size at all places within a pixel, by the height and width of their boxes."""
    found: dict[tuple[int, int], list[tuple[Cover, int, float, float]]] = defaultdict(list)
    font = _font(size)
    for index, letter in enumerate(LETTERS):
        left, top, right, bottom = font.getbbox(letter, anchor="ls")
        high, wide = round(bottom - top), round(right - left)
        mask = Image.new("L", (wide, high))
        ImageDraw.Draw(mask).text((-left, -top), letter, font=font, anchor="ls", fill=255)
        fine = np.asarray(mask, np.float32) / np.float32(255)
        for down in range(FINE):
            for right_by in range(FINE):
                ink = _coarse(fine, down, right_by)
                box = ink_box(ink)
                if box is None:
                    continue
                cut = ink[box[1] : box[3], box[0] : box[2]]
                base = (-float(top) + down) / FINE - box[1]
                pen = (-float(left) + right_by) / FINE - box[0]
                found[cut.shape[0], cut.shape[1]].append((cut, index, base, pen))
    return {shape: _stacked(entries) for shape, entries in found.items()}


def _coarse(fine: Cover, down: int, right: int) -> Cover:
    """Reduce a mask to pixels when it begins ``down`` and ``right`` quarters into one."""
    high, wide = -(-(fine.shape[0] + down) // FINE), -(-(fine.shape[1] + right) // FINE)
    placed = np.zeros((high * FINE, wide * FINE), np.float32)
    placed[down : down + fine.shape[0], right : right + fine.shape[1]] = fine
    reduced: Cover = placed.reshape(high, FINE, wide, FINE).mean(axis=(1, 3))
    return reduced


def _stacked(entries: Sequence[tuple[Cover, int, float, float]]) -> _Letters:
    inks = np.stack([ink.ravel() for ink, _, _, _ in entries])
    return _Letters(
        inks, (inks**2).sum(axis=1), np.array([e[1] for e in entries], np.int16),
        np.array([e[2] for e in entries], np.float32), np.array([e[3] for e in entries], np.float32),
    )  # fmt: skip


def ink_box(ink: Cover) -> tuple[int, int, int, int] | None:
    """Return left, top, right, bottom of what is more than faint; none if nothing is."""
    strong = ink > FAINT
    rows, columns = np.asarray(strong.any(axis=1)), np.asarray(strong.any(axis=0))
    top, left = int(rows.argmax()), int(columns.argmax())
    if not rows[top]:
        return None
    return left, top, len(columns) - int(columns[::-1].argmax()), len(rows) - int(rows[::-1].argmax())


@dataclass(frozen=True, eq=False)
class _Segment:
    """What lies between two cuts: its box in the line, its ink within that box, and the sum of its squares."""

    start: int
    end: int
    box: tuple[int, int, int, int]
    ink: Cover
    own: float


class _Line:
    """A line, the columns at which letters may begin or end, and what lies between two of them.

    ``blank`` says of each cut whether it lies beside blank ground.
    """

    def __init__(self, ink: Cover, box: tuple[int, int, int, int]) -> None:
        self.ink = ink
        self.cuts = _cuts(ink, box)
        self.squares = np.concatenate([[0.0], (ink**2).sum(axis=0).cumsum()])
        self.energy = float(self.squares[-1])
        some = np.pad(ink.max(axis=0) > FAINT, 1)
        self.blank = [not (some[cut] and some[cut + 1]) for cut in self.cuts]
        self._segments: dict[tuple[int, int], _Segment | None] = {}

    def segment(self, start: int, end: int) -> _Segment | None:
        """Return what lies between two cuts, none for blank ground."""
        if (start, end) not in self._segments:
            self._segments[start, end] = _segment(self.ink, self.cuts[start], self.cuts[end], self.squares)
        return self._segments[start, end]


def read_line(ink: Cover, first: Sequence[float] = (), sizes: Sequence[int] = SIZES) -> Print | None:
    """Read a level line of print.

    Args:
        ink: The line, cropped, on blank ground.
        first: Sizes of other lines of the picture: those are tried first, and only those that are not far from them.
        sizes: What to try if there are none.

    Returns:
        What it says; none if it cannot be read for certain.
    """
    box = ink_box(ink)
    if box is None:
        return None
    known = [round(size) for size in first]
    apart = ALIKE_SIZES if len(known) < 2 else ALIKE_SIZES - 1
    near = [size for size in (SIZES if known else sizes) if not known or min(abs(size - one) for one in known) <= apart]
    fitting = [size for size in dict.fromkeys([*known, *near]) if 0.42 * size <= box[3] - box[1] <= 1.12 * size + 2]
    if not fitting:
        return None
    line, best = _Line(ink, box), None
    for size in fitting:
        read = _at_size(line, size)
        if read is not None and (best is None or read.off < best.off):
            best = read
        if best is not None and best.off <= CERTAIN:
            break
    return best if best is not None and best.off <= UNEXPLAINED else None


def _segment(ink: Cover, start: int, end: int, squares: npt.NDArray[np.float64]) -> _Segment | None:
    """Return what lies between two columns; none for blank ground."""
    box = ink_box(ink[:, start:end])
    if box is None:
        return None
    left, top, right, bottom = start + box[0], box[1], start + box[2], box[3]
    own = float(squares[end] - squares[start])
    return _Segment(start, end, (left, top, right, bottom), ink[top:bottom, left:right], own)


def _at_size(line: _Line, size: int) -> Print | None:
    """Read a line on the assumption of a size; first each letter as it fits, then all on one baseline."""
    loose = _best_row(line, size, None)
    if not loose or sum(match.off for match in loose) > HOPELESS * line.energy:
        return None
    weights = [float(match.base) for match in loose if LETTERS[match.letter] not in "-'\"`.,"]
    base = float(np.median(weights or [match.base for match in loose]))
    level = all(abs(match.base - base) <= ON_BASE for match in loose)
    row = _parted(line.ink, loose if level else _best_row(line, size, base), size, base)
    if not row:
        return None
    text = _spelled(row, size)
    off = sum(match.off for match in row) / max(line.energy, 1e-9)
    return Print(text, size, off, _middle(text, size, row), _strength(line.ink, row))


def _strength(ink: Cover, row: Sequence[_Match]) -> float:
    """Return the factor by which the letters fit best, by least squares."""
    both = own = 0.0
    for match in row:
        (top, left), (high, wide) = match.corner, match.ink.shape
        both += float((ink[top : top + high, left : left + wide] * match.ink).sum())
        own += float((match.ink**2).sum())
    return both / max(own, 1e-9)


def _middle(text: str, size: int, row: Sequence[_Match]) -> tuple[float, float]:
    """Return the middle of a text's ink from where its first letter begins and from its baseline."""
    left, top, right, bottom = _font(size).getbbox(text, anchor="ls")
    base = float(np.median([match.base for match in row]))
    return row[0].origin + (left + right) / 2 / FINE, base + (top + bottom) / 2 / FINE


def _parted(ink: Cover, row: list[_Match], size: int, base: float) -> list[_Match]:
    """Look again at letters that fit less well, without the ink of the letters beside them."""
    for index, match in enumerate(row):
        if match.off < DOUBTFUL * float((match.ink**2).sum()):
            continue
        rest = ink.copy()
        for beside in (*row[max(0, index - 1) : index], *row[index + 1 : index + 2]):
            (top, left), (high, wide) = beside.corner, beside.ink.shape
            rest[top : top + high, left : left + wide] -= beside.ink
        rest = rest.clip(0, 1)
        squares = np.concatenate([[0.0], (rest**2).sum(axis=0).cumsum()])
        segment = _segment(rest, max(0, match.span[0] - 1), min(match.span[1] + 1, ink.shape[1]), squares)
        again = _match(segment, size, base) if segment is not None else None
        if again is not None and again.off < match.off:
            row[index] = again
    return row


def _cuts(ink: Cover, box: tuple[int, int, int, int]) -> list[int]:
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


def _best_row(line: _Line, size: int, base: float | None) -> list[_Match]:
    """Choose the cuts between which letters explain most, by dynamic programming."""
    best: list[tuple[float, int, _Match | None]] = [(0.0, 0, None)]
    for end in range(1, len(line.cuts)):
        found: tuple[float, int, _Match | None] = (np.inf, 0, None)
        for start in range(end - 1, -1, -1):
            if line.cuts[end] - line.cuts[start] > WIDEST * size:
                break
            before = best[start][0]
            if before >= found[0]:
                continue
            segment = line.segment(start, end)
            if segment is None:
                found = (before, start, None)
                continue
            match = _match(segment, size, base)
            if match is None:
                continue
            if before + match.off + A_LETTER < found[0]:
                found = (before + match.off + A_LETTER, start, match)
        if found[0] > HOPELESS * line.energy + A_LETTER * end and line.blank[end]:
            return []
        best.append(found)
    row: list[_Match] = []
    at = len(best) - 1
    while at > 0:
        _, start, chosen = best[at]
        row += [chosen] if chosen is not None else []
        at = start
    return row[::-1]


def _match(segment: _Segment, size: int, base: float | None) -> _Match | None:
    """Return the letter that fits best into a segment; none if none has such a box."""
    left, top, right, bottom = segment.box
    letters = _templates(size).get((bottom - top, right - left))
    span, corner = (segment.start, segment.end), (top, left)
    if letters is None:
        return None
    off = letters.squares - 2 * (letters.inks @ segment.ink.ravel()) + segment.own
    if base is not None:
        off = np.where(np.abs(top + letters.base - base) <= ON_BASE, off, off + segment.own)
    best = int(off.argmin())
    return _Match(
        int(letters.which[best]), max(0.0, float(off[best])), left + float(letters.pen[best]),
        top + float(letters.base[best]), letters.inks[best].reshape(segment.ink.shape), corner, span,
    )  # fmt: skip


def _spelled(row: list[_Match], size: int) -> str:
    """Put the letters together, with blanks where the next one begins later than the last one's advance."""
    text, pen = "", row[0].origin
    for match in row:
        if text and match.origin - pen > 0.14 * size:
            text += " " * max(1, round((match.origin - pen) / _advance(size, " ")))
        # These two are told apart by a fraction of a pixel; within a word it is the small one.
        letter = LETTERS[match.letter]
        text += "l" if letter == "I" and text[-1:].islower() else letter
        pen = match.origin + _advance(size, LETTERS[match.letter])
    return text
