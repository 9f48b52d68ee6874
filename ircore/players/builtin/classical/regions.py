"""From flat colours to regions: solid blobs, and the thin strokes that are left.

Each colour's pixels fall into connected components. Where a component is thick (a 7 × 7 square fits) it is a blob; what
sticks out far from a blob, and all components that are thin everywhere, are strokes.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.masks import EIGHT, Mask, filled, grown, touched, uniform
from ircore.seeing.percepts import Box

CORE = 7
MAX_OUTLINE = 8
"""Pixels; a wider rim is a shape of its own."""
PAD = 10
RUN = 6
"""Pixels over which a line continues past a blob; an outline ends with its blob."""


@dataclass(frozen=True, eq=False)
class Blob:
    """A solid region of one colour.

    >>> Blob(1, left=10, top=20, mask=np.ones((5, 8), bool)).box
    (10, 20, 18, 25)

    Attributes:
        left: Column of the mask's first column in the picture.
        top: Row of the mask's first row in the picture.
        mask: Pixels of the blob, cropped to its box.
        outline: Label and width in pixels of the rim around it, if it has one.
    """

    label: int
    left: int
    top: int
    mask: Mask
    outline: tuple[int, float] | None = None

    @property
    def box(self) -> Box:
        """Smallest box around the blob."""
        height, width = self.mask.shape
        return self.left, self.top, self.left + width, self.top + height

    @property
    def area(self) -> int:
        """Number of pixels."""
        return int(self.mask.sum())


def split(segmentation: Segmentation) -> tuple[list[Blob], Labels]:
    """Separate a picture into blobs and thin strokes.

    Returns:
        The blobs, largest first, and the labels of the pixels that belong to strokes (0 elsewhere).
    """
    labels = segmentation.labels
    # ``uniform`` already takes a pixel on each side.
    core = ~grown(~uniform(labels), CORE // 2 - 1) & (labels > 0)
    thin = labels.copy()
    blobs: list[Blob] = []
    boxes = ndimage.find_objects(labels)
    for label in np.unique(labels[core]):
        blobs += _blobs_of(int(label), boxes[label - 1], labels, core, thin)
    blobs = [_with_outline(blob, segmentation, thin) for blob in blobs]
    return sorted(blobs, key=lambda blob: -blob.area), thin


def _blobs_of(label: int, box: tuple[slice, slice], labels: Labels, core: Mask, thin: Labels) -> list[Blob]:
    """Return the blobs of one colour in a box; the blobs' pixels are cleared in ``thin``."""
    components, _ = ndimage.label(labels[box] == label, EIGHT)
    places = ndimage.find_objects(components)
    blobs = []
    for index in np.unique(components[core[box]]):
        if not index:
            continue
        place = places[index - 1]
        component = components[place] == index
        solid = _solid_part(component, core[box][place] & component)
        for part, corner in pieces_of(solid, least=40):
            top, left = (window.start + own.start + at for window, own, at in zip(box, place, corner, strict=True))
            blobs.append(Blob(label, left, top, part))
            thin[top : top + part.shape[0], left : left + part.shape[1]][part] = 0
    return blobs


def _solid_part(component: Mask, core: Mask) -> Mask:
    """Return a component without long thin parts that stick out."""
    rest, count = ndimage.label(component & ~grown(core, CORE // 2 + 1), EIGHT)
    if not count:
        return component
    solid = component.copy()
    for index, box in enumerate(ndimage.find_objects(rest), 1):
        height, width = box[0].stop - box[0].start, box[1].stop - box[1].start
        piece = rest[box] == index
        long_side = max(height, width)
        if long_side > 26 and piece.sum() < 6.5 * long_side and not _tapers(piece):
            solid[box][piece] = False
    return solid


def _tapers(piece: Mask) -> bool:
    """Tell whether a thin piece narrows steadily, as the tip of a triangle or star does."""
    along = piece.sum(axis=0 if piece.shape[1] >= piece.shape[0] else 1)
    third = max(1, len(along) // 3)
    ends = sorted((float(along[:third].mean()), float(along[-third:].mean())))
    return ends[1] > 1.8 * ends[0] and piece.sum() > 2 * len(along)


def pieces_of(mask: Mask, least: int) -> list[tuple[Mask, tuple[int, int]]]:
    """Return the connected pieces of a mask that hold ``least`` pixels, with top and left of each."""
    labels, _ = ndimage.label(mask, EIGHT)
    pieces = ((labels[box] == index, box) for index, box in enumerate(ndimage.find_objects(labels), 1))
    return [(piece, (box[0].start, box[1].start)) for piece, box in pieces if piece.sum() >= least]


def _going_on(ink: Mask, filled: Mask, ground: Mask) -> Mask:
    """Mark the rows and columns of a rim in which a line runs on over the background, as an axis under bars does."""
    marked = np.zeros(ink.shape, bool)
    # Rows as they are, then columns as rows; the marks of the turned view are those of ``marked`` itself.
    for along, free, solid, marks in ((ink, ground, filled, marked), (ink.T, ground.T, filled.T, marked.T)):
        inside = np.flatnonzero(solid.any(axis=0))
        first, last = int(inside[0]) - 2, int(inside[-1]) + 3
        for part in (slice(max(0, first - RUN), max(0, first)), slice(last, last + RUN)):
            if part.stop - part.start < RUN or part.stop > along.shape[1]:
                continue
            whole = along[:, part].all(axis=1)
            open_ = np.pad(free[:, part].mean(axis=1) > 0.8, 3)
            beside = np.asarray(open_[:-6] & open_[6:])
            marks[whole & beside] = True
    return marked


def _with_outline(blob: Blob, segmentation: Segmentation, thin: Labels) -> Blob:
    """Return a blob with its outline, if any; the outline's pixels are cleared in ``thin``."""
    top, left = max(0, blob.top - PAD), max(0, blob.left - PAD)
    height, width = blob.mask.shape
    view = (slice(top, blob.top + height + PAD), slice(left, blob.left + width + PAD))
    around = segmentation.labels[view]
    inside = np.zeros(around.shape, bool)
    inside[blob.top - top :, blob.left - left :][:height, :width] = filled(blob.mask)
    rim_label, rims, wider = _rims(inside, around)
    # A rim of background is no outline.
    if rim_label in (0, blob.label) or not rims:
        return blob
    window = thin[view]
    cleared = grown(wider, 1) & ~inside & (window == rim_label)
    window[cleared & ~_going_on(window == rim_label, inside, around == 0)] = 0
    mean_cover = float(np.mean([segmentation.cover[view][rim & (around == rim_label)].mean() for rim in rims]))
    line = max(1.0, round(2 * len(rims) * mean_cover) / 2)
    return replace(blob, outline=(rim_label, line))


def _rims(inside: Mask, around: Labels) -> tuple[int, list[Mask], Mask]:
    """Grow a blob pixel by pixel as long as a single colour surrounds the blob.

    Returns:
        The label of that colour, the pixels of each step, none if it goes on for more than an outline would, and blob
        and outline together.
    """
    rim_label, rims = 0, []
    for step in range(1, MAX_OUTLINE + 2):
        # In turn by sides and by corners too, which keeps the growing rim about as round as the blob.
        larger = touched(inside) if step % 2 else grown(inside, 1)
        rim = larger & ~inside
        values = np.bincount(around[rim], minlength=rim_label + 1)
        if step == 1:
            rim_label = int(values.argmax())
        if not values.sum() or values[rim_label] < (0.72 if step < 3 else 0.5) * values.sum():
            break
        if not rim_label or step > MAX_OUTLINE:
            return rim_label, [], inside
        rims.append(rim)
        inside = larger
    return rim_label, rims, inside
