"""Finding the region that a description means, in a picture of flat colours: bars, slices of a pie, shapes."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.images import Pixels

LEAST = 0.01
"""Share of the picture: smaller areas are no regions."""

CORNERS = {"tricycle": 3, "year": 4, "hand": 5, "insect": 6}
"""What the editor knows: wheels, seasons, fingers, legs."""
FIGURES = {0: (0.785, 1.0), 3: (0.5, 0.866), 4: (1.0, 1.0), 5: (0.691, 0.951), 6: (0.75, 1.155)}
"""Regular figures that stand upright: share of their box that they fill, and its height over its width, by corners."""
RANKS = {"": 1, "second ": 2, "third ": 3}
STEPS = {
    "to the right of": (0, 1), "to the left of": (0, -1), "below": (1, 0), "above": (-1, 0),
    "clockwise after": (0, 1), "clockwise before": (0, -1),
}  # fmt: skip
_NEIGHBOUR = re.compile(rf"directly ({'|'.join(STEPS)}) (the .+)")
_RANK = re.compile(r"(second |third |)(tallest|largest|shortest|smallest) (bar|slice)")
_FORM = re.compile(r"without any corner|as many corners as an? (\w+)")

Mask = npt.NDArray[np.bool_]


class SeenRegion(NamedTuple):
    """A region that was seen in a picture.

    Attributes:
        mask: Its pixels.
        size: Height of a bar, pixels of anything else.
        row: Of shapes, 0 in the upper half of the picture and 1 in the lower half.
        order: From the left in its row; of slices, clockwise.
        corners: Of a shape; None if they were not seen.
    """

    mask: Mask
    size: int
    row: int
    order: int
    corners: int | None


def described_region(pixels: Pixels, description: str) -> Mask | None:
    """Return the pixels of the region that a description means; None if the words or the picture are not understood."""
    kind = re.search(r"\b(bar|slice|shape)\b", description)
    if kind is None:
        return None
    matches = _matching(description, seen_regions(pixels, kind[0]), kind[0])
    return matches[0].mask if len(matches) == 1 else None


def seen_regions(pixels: Pixels, kind: str) -> tuple[SeenRegion, ...]:
    """Return the regions of a picture in the order in which their kind (bar, slice or shape) is counted."""
    masks = areas_of(pixels)
    if not masks:
        return ()
    places = [_middle(mask) for mask in masks]
    rows = [int(kind == "shape" and 2 * y > len(pixels)) for _, y in places]
    if kind == "slice":
        left, top, right, bottom = _box(np.logical_or.reduce(masks))
        centre = ((left + right) / 2, (top + bottom) / 2)
        keys = [exact.atan2(y - centre[1], x - centre[0]) for x, y in places]
    else:
        keys = [x for x, _ in places]
    regions = []
    for row in sorted(set(rows)):
        members = sorted((key, index) for index, key in enumerate(keys) if rows[index] == row)
        for order, (_, index) in enumerate(members):
            _, top, _, bottom = _box(masks[index])
            size = bottom - top if kind == "bar" else int(np.count_nonzero(masks[index]))
            corners = _corners(masks[index]) if kind == "shape" else None
            regions.append(SeenRegion(masks[index], size, row, order, corners))
    return tuple(regions)


def areas_of(pixels: Pixels) -> list[Mask]:
    """Return the pixels of each area of a single colour; the colour of the first pixel is the ground."""
    packed = pixels.astype(np.int64) @ np.array([65536, 256, 1])  # exact: adds whole numbers
    colours, counts = np.unique(packed, return_counts=True)
    masks = []
    for colour, count in zip(colours, counts, strict=True):
        if colour == packed[0, 0] or count < LEAST * packed.size:
            continue
        parts, number = ndimage.label(packed == colour)
        areas = (parts == part for part in range(1, number + 1))
        masks += [area for area in areas if np.count_nonzero(area) >= LEAST * packed.size]
    return masks


def _matching(description: str, regions: Sequence[SeenRegion], kind: str) -> list[SeenRegion]:
    """Return the regions that a description fits: first the regions of the neighbour that it names, if any."""
    if neighbour := _NEIGHBOUR.search(description):
        known = _matching(neighbour[2], regions, kind)
        if len(known) != 1:
            return []
        row, order = known[0].row + STEPS[neighbour[1]][0], known[0].order + STEPS[neighbour[1]][1]
        # Slices follow each other around the pie; bars and shapes end at both sides.
        order = order % len(regions) if kind == "slice" else order
        return [region for region in regions if (region.row, region.order) == (row, order)]
    if rank := _RANK.search(description):
        sizes = sorted((region.size for region in regions), reverse=rank[2] in ("tallest", "largest"))
        place = RANKS[rank[1]] - 1
        return [region for region in regions if place < len(sizes) and region.size == sizes[place]]
    if form := _FORM.search(description):
        corners = 0 if form[1] is None else CORNERS.get(form[1])
        return [region for region in regions if corners is not None and region.corners == corners]
    return []


def _corners(mask: Mask) -> int:
    """Return the corners of an upright regular figure, by how much of its box it fills and how tall the box is."""
    left, top, right, bottom = _box(mask)
    high, wide = bottom - top, right - left
    fill, tall = int(np.count_nonzero(mask)) / (high * wide), high / wide
    return min(FIGURES, key=lambda corners: abs(FIGURES[corners][0] - fill) + abs(FIGURES[corners][1] - tall))


def _middle(mask: Mask) -> tuple[float, float]:
    rows, columns = np.nonzero(mask)
    return int(columns.sum()) / len(columns), int(rows.sum()) / len(rows)


def _box(mask: Mask) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
