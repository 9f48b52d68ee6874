"""The letters of the font inside Pillow, which the built-in targets are lettered in, as antialiased print shows them.

A letter looks different with every part of a pixel that it is moved by, so each is kept at every quarter of a pixel
across and down.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, reduce
from operator import add

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


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters whose boxes have the same height and width, one row each.

    >>> letters = typeface(13).letters(high=6, wide=7)
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
        self._inks = _coarse(masks)
        strong = self._inks > FAINT
        self._top, self._bottom = _ends(np.asarray(strong.any(axis=2)))
        self._left, self._right = _ends(np.asarray(strong.any(axis=1)))
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
            self._found[high, wide] = self._stacked(np.array(self._rows.get((high, wide), []), np.intp), high, wide)
        return self._found[high, wide]

    def _stacked(self, rows: npt.NDArray[np.intp], high: int, wide: int) -> Letters | None:
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
def typeface(size: int) -> Typeface:
    """Return the letters of a size in pixels; they are drawn once in the life of a process."""
    return Typeface(size)


def _coarse(masks: list[npt.NDArray[np.uint8]]) -> Cover:
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
    return grained(parts.reshape(-1, high, wide) / np.float32(255 * FINE * FINE))


def grained(ink: npt.NDArray[np.floating]) -> Cover:
    """Return how much ink covers of each pixel in steps of 1/128.

    Products of two such values and sums of a thousand of them are floats of 32 bits without rounding, so that a
    product of matrices is the same in whatever order a processor adds.
    """
    return np.asarray(np.rint(ink * np.float32(128)) / np.float32(128), np.float32)


def _ends(some: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return each row's first index of a true value, and the index after its last true value."""
    return some.argmax(axis=1), some.shape[1] - some[:, ::-1].argmax(axis=1)
