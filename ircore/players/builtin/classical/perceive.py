"""Perception: finds the percepts in a picture. Each picture is examined once."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from ircore.core.images import Picture, Pixels
from ircore.players.builtin.classical import photo
from ircore.players.builtin.classical.bars import by_series, find_bars
from ircore.players.builtin.classical.chart_columns import is_ruled
from ircore.players.builtin.classical.linechart import find_lines, without
from ircore.players.builtin.classical.ocr import add_spotted, texts_of
from ircore.players.builtin.classical.pies import find_pie
from ircore.players.builtin.classical.regions import Blob, split
from ircore.players.builtin.classical.series import MAX_MARKER, join_series
from ircore.players.builtin.classical.shapes import shape_of
from ircore.players.builtin.classical.thin import read_strokes
from ircore.seeing.flat_colours import FLAT_SHARE, Segmentation, find_grounds, segment, to_hex
from ircore.seeing.ocr import TextLine, read_text
from ircore.seeing.percepts import (
    Backdrop,
    Bars,
    Grid,
    Percept,
    Perception,
    Pie,
    Shape,
    Stroke,
    Ticks,
)
from ircore.seeing.writing import find_writing

REMEMBERED = 64
"""Perceptions kept; each is a few kilobytes."""
PATCHES = 9


@dataclass(unsafe_hash=True)
class _Look:
    """A picture, and whether OCR helps, as a key of the cache: equal if the bytes are."""

    sha256: str
    ocr: bool
    picture: Picture | None = field(compare=False)


def perceive(picture: Picture, ocr: bool = False) -> Perception:
    """Return everything perceived in a picture, from its pixels alone; with ``ocr``, texts in other fonts too."""
    look = _Look(picture.sha256, ocr, picture)
    perception = _perceive(look)
    # The cache keeps its keys; without this, they would keep the pictures alive.
    look.picture = None
    return perception


def in_size_of(target: Picture, rendering: Picture) -> Picture:
    """Return a rendering resized to its target (nearest neighbour), so that positions can be compared."""
    size = target.width, target.height
    if (rendering.width, rendering.height) == size:
        return rendering
    columns, rows = (
        (2 * np.arange(wanted) + 1) * drawn // (2 * wanted)
        for wanted, drawn in zip(size, (rendering.width, rendering.height), strict=True)
    )
    return Picture.from_pixels(rendering.pixels[rows[:, None], columns])


@lru_cache(maxsize=REMEMBERED)
def _perceive(look: _Look) -> Perception:
    assert look.picture is not None  # noqa: S101 - set whenever it is not yet in the cache
    return look_at(look.picture.pixels, read_text(look.picture.pixels) if look.ocr else ())


def look_at(pixels: Pixels, spotted: tuple[TextLine, ...] = ()) -> Perception:
    """Return everything perceived in an array of pixels, with the texts that OCR recognised."""
    if min(pixels.shape[:2]) < photo.CELLS:
        return _photograph(pixels, spotted)
    segmentation = segment(pixels)
    if segmentation.flat_share < FLAT_SHARE:
        return _photograph(pixels, spotted)
    height, width = pixels.shape[:2]
    grounds = find_grounds(segmentation)
    writing = add_spotted(find_writing(pixels, grounds), pixels, spotted)
    segmentation = writing.segmentation
    blobs, thin = split(segmentation)
    solids = _solids(blobs, segmentation)
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
    percepts_seen = _without_labels([*without([*solids, *strokes, *loose], charted), *charted])
    percepts = [*grounds.areas, *_in_order(percepts_seen), *writing.texts]
    unread = tuple(line.box for line in writing.unread)
    return Perception(width, height, _backdrop(segmentation), tuple(percepts), unread=unread)


def _is_dot(percept: Percept) -> TypeGuard[Shape]:
    """Tell whether a solid is about as small and round as a marker on a line."""
    if not isinstance(percept, Shape) or percept.colour is None or percept.outline:
        return False
    low, high = sorted(percept.size)
    return high <= MAX_MARKER and high < 1.45 * low


def _solids(blobs: list[Blob], segmentation: Segmentation) -> list[Percept]:
    """Turn blobs into a pie, bars and single shapes."""
    percepts: list[Percept] = []
    pie = find_pie(blobs, segmentation)
    if pie is not None:
        percepts.append(pie[0])
        blobs = [blob for blob in blobs if not any(blob is member for member in pie[1])]
    shapes = [shape_of(blob, segmentation) for blob in blobs]
    groups = [series for group in find_bars(shapes) for series in by_series(group)]
    taken = {bar.box for group in groups for bar in group.bars}
    return [*percepts, *groups, *(shape for shape in shapes if shape.box not in taken)]


def _without_labels(percepts: list[Percept]) -> list[Percept]:
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


def _backdrop(segmentation: Segmentation) -> Backdrop:
    if segmentation.ends is None:
        return Backdrop(segmentation.hex(0))
    first, last, direction = segmentation.ends
    return Backdrop(to_hex(first), to_hex(last), direction)


def _in_order(percepts: list[Percept]) -> list[Percept]:
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


def _photograph(pixels: Pixels, spotted: tuple[TextLine, ...]) -> Perception:
    grid = photo.coarse(pixels)
    backdrop = photo.backdrop_of(grid)
    patches = photo.patches(grid, photo.faded(backdrop), PATCHES)
    height, width = pixels.shape[:2]
    shapes = [photo.as_shape(p, width, height) for p in patches]
    return Perception(width, height, backdrop, (*shapes, *texts_of(spotted, pixels)), photo=True)
