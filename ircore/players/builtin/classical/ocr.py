"""Texts by optical character recognition: print in any font, at any angle, also in photographs."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.drawing import text_size
from ircore.core.images import Pixels
from ircore.seeing.algebra import length_of
from ircore.seeing.flat_colours import Labels, to_hex
from ircore.seeing.masks import EIGHT, Mask
from ircore.seeing.ocr import TextLine
from ircore.seeing.percepts import Box, Text
from ircore.seeing.writing import LEAST_CONTRAST, Writing

LIKELY = 0.8
"""Confidence, 0–1, from which on a text is believed."""
HIGHEST = 64.0
"""Pixels: a higher text is a figure that looks like a letter."""
LAST_LATIN = "\u024f"
"""The generator's font has Latin letters only."""


def add_spotted(writing: Writing, pixels: Pixels, spotted: tuple[TextLine, ...]) -> Writing:
    """Add recognised texts where nothing was read yet.

    Args:
        writing: Texts read so far.
        pixels: The picture, RGB.
        spotted: Texts recognised in the picture.

    Returns:
        The writing with the recognised texts, whose pixels are removed from the segmentation.
    """
    labels, texts = writing.segmentation.labels.copy(), list(writing.texts)
    for reading in spotted:
        if not _is_believed(reading) or any(_meets(reading.box, text.box) for text in texts):
            continue
        text = _text_of(reading, pixels, labels)
        if text is not None:
            texts.append(text)
    unread = tuple(line for line in writing.unread if not any(_meets(line.box, text.box) for text in texts))
    return Writing(tuple(texts), unread, replace(writing.segmentation, labels=labels))


def texts_of(spotted: tuple[TextLine, ...], pixels: Pixels) -> list[Text]:
    """Return the texts recognised in a picture without flat colours."""
    nothing = np.zeros(pixels.shape[:2], np.int16)
    texts = (_text_of(reading, pixels, nothing) for reading in spotted if _is_believed(reading))
    return [text for text in texts if text is not None]


def _is_believed(reading: TextLine) -> bool:
    """Tell whether a text is likely, has a letter or digit, and only characters that the generator can write."""
    is_plain = any(letter.isalnum() for letter in reading.text) and all(letter <= LAST_LATIN for letter in reading.text)
    return reading.score >= LIKELY and is_plain


def _meets(box: Box, other: Box) -> bool:
    """Whether two boxes share more than 40 % of the smaller box."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    smaller = min((b[2] - b[0]) * (b[3] - b[1]) for b in (box, other))
    return wide > 0 and high > 0 and wide * high > 0.4 * smaller


def _text_of(line: TextLine, pixels: Pixels, labels: Labels) -> Text | None:
    """Return a recognised text with measured colour, size and place; its pixels become ground."""
    left, top, right, bottom = (max(0, edge) for edge in line.box)
    window, view = pixels[top:bottom, left:right].astype(np.float64), labels[top:bottom, left:right]
    inside = _within(line, left, top, view.shape)
    if not inside.any():
        return None
    ground_label = int(np.bincount(view[inside]).argmax())
    ground = np.median(window[inside & (view == ground_label)], axis=0)
    far = length_of(window - ground)
    most = float(far[inside].max())
    if most < LEAST_CONTRAST:
        return None
    ink = _own_ink(far > 0.45 * most, inside)
    if not ink.any():
        return None
    turn = math.radians(line.rotation)
    rows, columns = np.nonzero(ink)
    x, y = left + columns + 0.5, top + rows + 0.5
    along, across = x * exact.cos(turn) - y * exact.sin(turn), x * exact.sin(turn) + y * exact.cos(turn)
    high = float(np.ptp(across)) + 1
    if high > HIGHEST:
        return None
    middle = (float(along.min() + along.max()) / 2, float(across.min() + across.max()) / 2)
    centre = (
        middle[0] * exact.cos(turn) + middle[1] * exact.sin(turn),
        middle[1] * exact.cos(turn) - middle[0] * exact.sin(turn),
    )
    colour = to_hex(window[ink & (far >= 0.9 * far[ink].max())].mean(axis=0))
    # By proportion: ink height grows linearly with the size of the font.
    size = float(round(high * 40 / max(text_size(line.text, 40)[1], 1.0)))
    view[ndimage.binary_dilation(ink) & inside] = ground_label
    box = (int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1)
    return Text(line.text, colour, size, centre, line.rotation % 360, float(ink.sum()), box)


def _own_ink(ink: Mask, inside: Mask) -> Mask:
    """Return the ink without parts that only reach into the text's box, such as an axis."""
    parts, count = ndimage.label(ink, EIGHT)
    whole, within = (np.bincount(parts[mask], minlength=count + 1) for mask in (ink, ink & inside))
    own = within > 0.9 * whole
    own[0] = False
    return np.asarray(own[parts])


def _within(line: TextLine, left: int, top: int, size: tuple[int, ...]) -> Mask:
    """Mark the pixels of a window that lie within a text's corners, which run clockwise."""
    rows, columns = np.mgrid[: size[0], : size[1]] + 0.5
    inside = np.ones(size[:2], bool)
    corners: npt.NDArray[np.float64] = np.array(line.corners) - (left, top)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= (x1 - x0) * (rows - y0) - (y1 - y0) * (columns - x0) >= 0
    return inside
