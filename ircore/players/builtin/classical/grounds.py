"""Large upright areas that lie under other things: plot areas, halves, bands. Within them, they are the background.

An area may be cut to pieces by grid lines or covered in part by bars and shapes; it still is one rectangle if nothing
of the background shows in it but thin lines.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from ircore.players.builtin.classical.algebra import Floats
from ircore.players.builtin.classical.masks import Mask
from ircore.players.builtin.classical.palette import Labels, Segmentation, to_hex
from ircore.players.builtin.classical.percepts import Box, Shape, upright_shape

LEAST = 0.25
"""Share of the picture that an area must have."""
LEAST_BAND = 0.045
"""Share of the picture that an area from edge to edge must have."""
MAX_THROUGH = 0.16
"""Share of an area in which thin lines may show the background."""
STRAY = 0.12
"""Largest share of an area's colour in rows and columns that hold only soft edges of texts."""


@dataclass(frozen=True, eq=False)
class Grounds:
    """A picture whose large areas became background, and these areas in the order of painting.

    >>> from ircore.players.builtin.classical.palette import segment
    >>> find_grounds(segment(np.full((64, 64, 3), 255, np.uint8))).areas
    ()
    """

    segmentation: Segmentation
    areas: tuple[Shape, ...]


def find_grounds(segmentation: Segmentation) -> Grounds:
    """Find the areas; their pixels become background, and background lines in them become strokes."""
    labels, colours = segmentation.labels.copy(), segmentation.colours
    counts = np.bincount(labels.ravel(), minlength=len(colours))
    areas: list[Shape] = []
    # Largest first: what lies under it becomes background before smaller areas are looked at.
    for label in np.argsort(-counts[1:], kind="stable") + 1:
        if counts[label] < LEAST_BAND * labels.size * 0.4:
            break
        for box in _areas_of(labels.copy(), int(label)):
            left, top, right, bottom = box
            kind = "square" if right - left == bottom - top else "rectangle"
            areas.append(upright_shape(kind, to_hex(colours[label]), box))
            window = labels[top:bottom, left:right]
            before = segmentation.labels[top:bottom, left:right]
            colours = _swap(window, before, int(label), colours)
    return Grounds(replace(segmentation, labels=labels, colours=colours), tuple(areas))


def _swap(window: Labels, before: Labels, label: int, colours: Floats) -> Floats:
    """Make an area background; a large enough part of the background inside the area gets its own label."""
    through = before == 0
    window[before == label] = 0
    if through.sum() < 20:
        return colours
    # Lines in the colour of the background, such as white grid lines on a grey panel, stay visible.
    window[through] = len(colours)
    return np.vstack([colours, colours[:1]])


def _areas_of(labels: Labels, label: int) -> list[Box]:
    """Return the boxes of a colour's areas: of all pixels together, else of each connected part."""
    mask = labels == label
    for share in (0.0, STRAY):
        whole = _extent(mask, share)
        if _is_area(labels, label, whole):
            return [whole]
    parts, _ = ndimage.label(mask)
    boxes = [(box[1].start, box[0].start, box[1].stop, box[0].stop) for box in ndimage.find_objects(parts)]
    return [box for box in boxes if _is_area(labels, label, box)]


def _extent(mask: Mask, share: float) -> Box:
    """Return the box of rows and columns with more than ``share`` of the fullest row's or column's pixels."""
    down, across = mask.sum(axis=1), mask.sum(axis=0)
    rows, columns = np.flatnonzero(down > share * down.max()), np.flatnonzero(across > share * across.max())
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _is_area(labels: Labels, label: int, box: Box) -> bool:
    left, top, right, bottom = box
    from_edge_to_edge = bottom - top == labels.shape[0] or right - left == labels.shape[1]
    least = LEAST_BAND if from_edge_to_edge else LEAST
    if (right - left) * (bottom - top) < least * labels.size or min(right - left, bottom - top) < 24:
        return False
    window = labels[top:bottom, left:right]
    own, through = window == label, window == 0
    rim = np.concatenate([own[1], own[-2], own[:, 1], own[:, -2]])
    if own.mean() < 0.4 or rim.mean() < 0.6 or through.mean() > MAX_THROUGH:
        return False
    return bool(through.mean() < 0.004 or not ndimage.minimum_filter(through, 6).any())
