"""Perception: finds the percepts in a picture. Each picture is examined once.

A picture of many colours becomes a few large patches: it is reduced to a coarse grid, then, again and again, that
rectangle or ellipse is chosen which, painted in its own mean colour over what is there so far, takes away most of the
squared error; sums over all rectangles come from an integral image. Beginning from the last rendering instead of a
plain background gives the corrections of later turns. Print in other fonts is read by optical character recognition.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import TypeGuard

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.drawing import text_size
from ircore.core.images import Picture, Pixels
from ircore.players.builtin.classical.bars_and_pies import find_bars, find_pie
from ircore.players.builtin.classical.line_charts import (
    MAX_MARKER,
    find_lines,
    is_ruled,
    join_series,
    remove_line_parts,
)
from ircore.players.builtin.classical.shapes import SolidRegion, measure_shape, split_picture
from ircore.players.builtin.classical.thin import read_strokes
from ircore.seeing.arrays import EIGHT, Floats, Mask, compute_lengths, fit_line
from ircore.seeing.flat_colours import (
    FLAT_SHARE,
    Labels,
    Segmentation,
    find_grounds,
    format_rgb_array,
    parse_rgb_array,
    segment_colours,
)
from ircore.seeing.ocr import TextLine, read_text
from ircore.seeing.percepts import (
    Backdrop,
    Bars,
    Box,
    Grid,
    Percept,
    Perception,
    Pie,
    Shape,
    Stroke,
    Text,
    Ticks,
    build_upright_shape,
    split_series,
)
from ircore.seeing.writing import LEAST_CONTRAST, Writing, find_writing

CELLS = 20
"""Cells along each side of the coarse grid."""
LIKELY = 0.8
"""Confidence, 0–1, from which on a text is believed."""
HIGHEST = 64.0
"""Pixels: a higher text is a figure that looks like a letter."""
LAST_LATIN = "\u024f"
"""The generator's font has Latin letters only."""
REMEMBERED = 64
"""Perceptions kept; each is a few kilobytes."""
PATCHES = 9


def reduce_to_cells(pixels: Pixels) -> Floats:
    """Reduce a picture to ``CELLS`` × ``CELLS`` mean colours."""
    for axis in (0, 1):
        # A picture smaller than the grid would leave cells without pixels.
        if pixels.shape[axis] < CELLS:
            pixels = pixels.repeat(CELLS, axis)
    height, width = pixels.shape[:2]
    rows = np.linspace(0, height, CELLS + 1).astype(int)
    columns = np.linspace(0, width, CELLS + 1).astype(int)
    sums = np.add.reduceat(pixels.astype(np.float64), rows[:-1], axis=0)
    sums = np.add.reduceat(sums, columns[:-1], axis=1)
    sizes = np.diff(rows)[:, None] * np.diff(columns)
    return np.asarray(sums / sizes[..., None])


def fit_backdrop(grid: Floats) -> Backdrop:
    """Return the vertical fade nearest to a coarse picture."""
    along = (np.arange(CELLS) + 0.5) / CELLS
    slope, start = fit_line(along, np.median(grid, axis=1))
    return Backdrop(format_rgb_array(start), format_rgb_array(start + slope))


def render_fade(backdrop: Backdrop) -> Floats:
    """Return the coarse picture of a vertical fade."""
    first, last = (parse_rgb_array(colour) for colour in (backdrop.colour, backdrop.last or backdrop.colour))
    along = ((np.arange(CELLS) + 0.5) / CELLS)[:, None]
    column = first + along * (last - first)
    return np.repeat(column[:, None, :], CELLS, axis=1)


@dataclass(frozen=True, eq=False)
class _Patch:
    """A rectangle of cells, half open, or the ellipse inside."""

    top: int
    left: int
    bottom: int
    right: int
    round: bool
    colour: Floats
    gain: float


def choose_patches(target: Floats, start: Floats, count: int) -> list[_Patch]:
    """Choose patches that bring ``start`` nearer to ``target``, the most telling first."""
    current = start.copy()
    chosen = []
    for _ in range(count):
        patch = _find_best_patch(target, current)
        if patch is None:
            break
        inside = _build_patch_mask(patch)
        current[patch.top : patch.bottom, patch.left : patch.right][inside] = patch.colour
        chosen.append(patch)
    return chosen


def convert_to_shape(patch: _Patch, width: int, height: int) -> Shape:
    """Return a patch as a shape in pixels of the picture."""
    left, right = _convert_cell_span(patch.left, patch.right, width)
    top, bottom = _convert_cell_span(patch.top, patch.bottom, height)
    return build_upright_shape(
        "ellipse" if patch.round else "rectangle", format_rgb_array(patch.colour), (left, top, right, bottom)
    )


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
        if not _is_believed(reading) or any(_are_overlapping(reading.box, text.box) for text in texts):
            continue
        text = _measure_text(reading, pixels, labels)
        if text is not None:
            texts.append(text)
    unread = tuple(line for line in writing.unread if not any(_are_overlapping(line.box, text.box) for text in texts))
    return Writing(tuple(texts), unread, replace(writing.segmentation, labels=labels))


def build_texts(spotted: tuple[TextLine, ...], pixels: Pixels) -> list[Text]:
    """Return the texts recognised in a picture without flat colours."""
    nothing = np.zeros(pixels.shape[:2], np.int16)
    texts = (_measure_text(reading, pixels, nothing) for reading in spotted if _is_believed(reading))
    return [text for text in texts if text is not None]


def perceive_picture(picture: Picture, ocr: bool = False) -> Perception:
    """Return everything perceived in a picture, from its pixels alone; with ``ocr``, texts in other fonts too."""
    look = _Look(picture.sha256, ocr, picture)
    perception = _perceive_look(look)
    # The cache keeps its keys; without this, they would keep the pictures alive.
    look.picture = None
    return perception


def resize_to_target(target: Picture, rendering: Picture) -> Picture:
    """Return a rendering resized to its target (nearest neighbour), so that positions can be compared."""
    size = target.width, target.height
    if (rendering.width, rendering.height) == size:
        return rendering
    columns, rows = (
        (2 * np.arange(wanted) + 1) * drawn // (2 * wanted)
        for wanted, drawn in zip(size, (rendering.width, rendering.height), strict=True)
    )
    return Picture.from_pixels(rendering.pixels[rows[:, None], columns])


def perceive_pixels(pixels: Pixels, spotted: tuple[TextLine, ...] = ()) -> Perception:
    """Return everything perceived in an array of pixels, with the texts that OCR recognised."""
    if min(pixels.shape[:2]) < CELLS:
        return _perceive_photograph(pixels, spotted)
    segmentation = segment_colours(pixels)
    if segmentation.flat_share < FLAT_SHARE:
        return _perceive_photograph(pixels, spotted)
    height, width = pixels.shape[:2]
    grounds = find_grounds(segmentation)
    writing = add_spotted(find_writing(pixels, grounds), pixels, spotted)
    segmentation = writing.segmentation
    blobs, thin = split_picture(segmentation)
    solids = _find_solids(blobs, segmentation)
    dots = [p for p in solids if _is_dot(p)]
    solids = [p for p in solids if not _is_dot(p)]
    lines = read_strokes(
        segmentation,
        thin,
        dots,
        lambda framed: find_lines([*framed, *solids, *writing.texts], dots, blobs, segmentation),
    )
    strokes, loose = join_series(lines.percepts, dots)
    charted = lines.charted
    # Dashed grids are only seen after the lines of a chart, so no columns were known from them.
    ruled = [p for p in lines.percepts if isinstance(p, Ticks) or (isinstance(p, Grid) and p.dash == "solid")]
    if not charted and not is_ruled(ruled):
        charted = find_lines([*strokes, *solids, *writing.texts], dots, blobs, segmentation)
    percepts_seen = _remove_pie_labels([*remove_line_parts([*solids, *strokes, *loose], charted), *charted])
    percepts = [*grounds.areas, *_sort_for_painting(percepts_seen), *writing.texts]
    unread = tuple(line.box for line in writing.unread)
    return Perception(width, height, _build_backdrop(segmentation), tuple(percepts), unread=unread)


@cache
def _list_rectangles() -> tuple[npt.NDArray[np.intp], ...]:
    """Return top, left, bottom, right of all rectangles at least two cells wide and high."""
    low, high = np.triu_indices(CELLS + 1, 2)
    rows, columns = np.meshgrid(np.arange(len(low)), np.arange(len(low)), indexing="ij")
    flat_rows, flat_columns = rows.ravel(), columns.ravel()
    return low[flat_rows], low[flat_columns], high[flat_rows], high[flat_columns]


def _compute_integral(grid: Floats) -> Floats:
    return np.pad(grid.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)) + ((0, 0),) * (grid.ndim - 2))


def _find_best_patch(target: Floats, current: Floats) -> _Patch | None:
    """Return the patch that takes away most squared error."""
    top, left, bottom, right = _list_rectangles()
    fixed = (np.square(target - current) - np.square(target)).sum(axis=-1)
    sums = [_compute_integral(fixed), *(_compute_integral(target[..., channel]) for channel in range(3))]
    over = [table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left] for table in sums]
    cells = (bottom - top) * (right - left)
    gain = over[0] + (np.square(over[1]) + np.square(over[2]) + np.square(over[3])) / cells
    best = int(gain.argmax())
    # Less than one cell that is off by 40 in each of the three channels is not worth a patch.
    if gain[best] < 3 * 40.0 * 40.0:
        return None
    # Gains of rectangles are known; ellipses are only tried in the best of them, since each costs a mask.
    candidates = [_fit_patch(target, current, int(top[i]), int(left[i]), int(bottom[i]), int(right[i]), shape)
                  for i in np.argsort(-gain, kind="stable")[:24] for shape in (False, True)]  # fmt: skip
    return max(candidates, key=lambda patch: (patch.gain, not patch.round))


def _fit_patch(target: Floats, current: Floats, top: int, left: int, bottom: int, right: int, is_round: bool) -> _Patch:
    shape = _Patch(top, left, bottom, right, is_round, np.zeros(3), 0.0)
    inside = _build_patch_mask(shape)
    wanted = target[top:bottom, left:right][inside]
    colour = wanted.mean(axis=0)
    gain = np.square(wanted - current[top:bottom, left:right][inside]).sum() - np.square(wanted - colour).sum()
    return _Patch(top, left, bottom, right, is_round, colour, float(gain))


def _build_patch_mask(patch: _Patch) -> npt.NDArray[np.bool_]:
    """Return the mask of cells that a patch covers within the patch's own rectangle."""
    high, wide = patch.bottom - patch.top, patch.right - patch.left
    return _build_ellipse_mask(high, wide) if patch.round else np.ones((high, wide), bool)


@cache
def _build_ellipse_mask(high: int, wide: int) -> npt.NDArray[np.bool_]:
    rows, columns = np.ogrid[:high, :wide]
    return np.asarray(np.square((rows + 0.5) / high * 2 - 1) + np.square((columns + 0.5) / wide * 2 - 1) <= 1)


def _convert_cell_span(first: int, last: int, size: int) -> tuple[int, int]:
    """Return first and last pixel of a range of cells; at least one pixel."""
    low, high = (round(cell * size / CELLS) for cell in (first, last))
    return (low, high) if low < high else (min(low, size - 1), min(low, size - 1) + 1)


def _is_believed(reading: TextLine) -> bool:
    """Tell whether a text is likely, has a letter or digit, and only characters that the generator can write."""
    is_plain = any(letter.isalnum() for letter in reading.text) and all(letter <= LAST_LATIN for letter in reading.text)
    return reading.score >= LIKELY and is_plain


def _are_overlapping(box: Box, other: Box) -> bool:
    """Whether two boxes share more than 40 % of the smaller box."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    smaller = min((b[2] - b[0]) * (b[3] - b[1]) for b in (box, other))
    return wide > 0 and high > 0 and wide * high > 0.4 * smaller


def _measure_text(line: TextLine, pixels: Pixels, labels: Labels) -> Text | None:
    """Return a recognised text with measured colour, size and place; its pixels become ground."""
    left, top, right, bottom = (max(0, edge) for edge in line.box)
    window, view = pixels[top:bottom, left:right].astype(np.float64), labels[top:bottom, left:right]
    inside = _mark_within_corners(line, left, top, view.shape)
    if not inside.any():
        return None
    ground_label = int(np.bincount(view[inside]).argmax())
    ground = np.median(window[inside & (view == ground_label)], axis=0)
    far = compute_lengths(window - ground)
    most = float(far[inside].max())
    if most < LEAST_CONTRAST:
        return None
    ink = _select_own_ink(far > 0.45 * most, inside)
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
    colour = format_rgb_array(window[ink & (far >= 0.9 * far[ink].max())].mean(axis=0))
    # By proportion: ink height grows linearly with the size of the font.
    size = float(round(high * 40 / max(text_size(line.text, 40)[1], 1.0)))
    view[ndimage.binary_dilation(ink) & inside] = ground_label
    box = (int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1)
    return Text(line.text, colour, size, centre, line.rotation % 360, float(ink.sum()), box)


def _select_own_ink(ink: Mask, inside: Mask) -> Mask:
    """Return the ink without parts that only reach into the text's box, such as an axis."""
    parts, count = ndimage.label(ink, EIGHT)
    whole, within = (np.bincount(parts[mask], minlength=count + 1) for mask in (ink, ink & inside))
    own = within > 0.9 * whole
    own[0] = False
    return np.asarray(own[parts])


def _mark_within_corners(line: TextLine, left: int, top: int, size: tuple[int, ...]) -> Mask:
    """Mark the pixels of a window that lie within a text's corners, which run clockwise."""
    rows, columns = np.mgrid[: size[0], : size[1]] + 0.5
    inside = np.ones(size[:2], bool)
    corners: npt.NDArray[np.float64] = np.array(line.corners) - (left, top)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= (x1 - x0) * (rows - y0) - (y1 - y0) * (columns - x0) >= 0
    return inside


@dataclass(unsafe_hash=True)
class _Look:
    """A picture, and whether OCR helps, as a key of the cache: equal if the bytes are."""

    sha256: str
    ocr: bool
    picture: Picture | None = field(compare=False)


@lru_cache(maxsize=REMEMBERED)
def _perceive_look(look: _Look) -> Perception:
    assert look.picture is not None  # noqa: S101 - set whenever it is not yet in the cache
    return perceive_pixels(look.picture.pixels, read_text(look.picture.pixels) if look.ocr else ())


def _is_dot(percept: Percept) -> TypeGuard[Shape]:
    """Tell whether a solid is about as small and round as a marker on a line."""
    if not isinstance(percept, Shape) or percept.colour is None or percept.outline:
        return False
    low, high = sorted(percept.size)
    return high <= MAX_MARKER and high < 1.45 * low


def _find_solids(blobs: list[SolidRegion], segmentation: Segmentation) -> list[Percept]:
    """Turn blobs into a pie, bars and single shapes."""
    percepts: list[Percept] = []
    pie = find_pie(blobs, segmentation)
    if pie is not None:
        percepts.append(pie[0])
        blobs = [blob for blob in blobs if not any(blob is member for member in pie[1])]
    shapes = [measure_shape(blob, segmentation) for blob in blobs]
    groups = [series for group in find_bars(shapes) for series in split_series(group)]
    taken = {bar.box for group in groups for bar in group.bars}
    return [*percepts, *groups, *(shape for shape in shapes if shape.box not in taken)]


def _remove_pie_labels(percepts: list[Percept]) -> list[Percept]:
    """Return the percepts without labels on a pie: small things that lie wholly inside the pie."""
    pies = [p for p in percepts if isinstance(p, Pie)]
    if not pies:
        return percepts
    left, top, right, bottom = pies[0].box
    reach = 0.45 * pies[0].radius

    def is_label(percept: Percept) -> bool:
        box = percept.box
        inside = box[0] >= left and box[1] >= top and box[2] <= right and box[3] <= bottom
        return not isinstance(percept, Pie) and inside and max(box[2] - box[0], box[3] - box[1]) < reach

    return [percept for percept in percepts if not is_label(percept)]


def _build_backdrop(segmentation: Segmentation) -> Backdrop:
    if segmentation.ends is None:
        return Backdrop(segmentation.hex(0))
    first, last, direction = segmentation.ends
    return Backdrop(format_rgb_array(first), format_rgb_array(last), direction)


def _sort_for_painting(percepts: list[Percept]) -> list[Percept]:
    """Put percepts in the order of painting: grids, large before small, lines over areas, dots last."""

    def layer(percept: Percept) -> tuple[int, float]:
        if isinstance(percept, Grid):
            return 0, -percept.area
        if isinstance(percept, Shape) and percept.colour and percept.size[0] > MAX_MARKER:
            return 1, -percept.area
        if isinstance(percept, (Bars, Pie)):
            return 2, -percept.area
        if isinstance(percept, Shape) and not percept.colour:
            return 3, -percept.area
        if isinstance(percept, (Stroke, Ticks)):
            return 4, -percept.area
        return 5, -percept.area

    return sorted(percepts, key=layer)


def _perceive_photograph(pixels: Pixels, spotted: tuple[TextLine, ...]) -> Perception:
    grid = reduce_to_cells(pixels)
    backdrop = fit_backdrop(grid)
    chosen = choose_patches(grid, render_fade(backdrop), PATCHES)
    height, width = pixels.shape[:2]
    shapes = [convert_to_shape(patch, width, height) for patch in chosen]
    return Perception(width, height, backdrop, (*shapes, *build_texts(spotted, pixels)), photo=True)
