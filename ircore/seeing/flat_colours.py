"""Pixels as flat colours: the background, the few drawn colours, the drawn colour of each pixel, and large areas.

Drawn pictures hold few exact colours and many in-between ones along antialiased edges. A colour counts as drawn if
it fills some 3 × 3 square, or forms thin strokes that no mixture of the colours around them explains. Every other
pixel is assigned to the nearby drawn colour that covers most of it.

Large upright areas that lie under other things, such as plot areas, halves and bands, are background within. An area
may be cut to pieces by grid lines or covered in part by bars and shapes; it still is one rectangle if nothing of the
background shows in it but thin lines.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.images import Pixels
from ircore.seeing.arrays import Floats, Mask, compute_dot, compute_lengths, fit_line, mark_uniform_pixels
from ircore.seeing.colours import parse_hex
from ircore.seeing.percepts import Box, Shape, build_upright_shape

Labels = npt.NDArray[np.int16]
"""Height × width: 0 is the background, k the k-th drawn colour, in the order of ``Segmentation.colours``."""

FLAT_SHARE = 0.55
"""Least share of flat colours; a picture with less is a photograph, whose pixels keep their colours."""
LEAST_EVEN = 0.2
"""Share of a picture in the middle of 3 × 3 squares of one colour; one with less is noise, whatever its colours."""
MAX_COLOURS = 40
MIN_FLAT = 6
"""Pixels in the middle of 3 × 3 squares of one colour that make it a drawn colour."""
MIN_THIN = 14
"""Pixels of a colour that only occurs in thin strokes."""
STROKE_SHARE = 0.4
"""Coverage from which on a pixel belongs to a stroke on the background: thin strokes must not break up."""
WIDE = 0.06
"""Share of the picture from which on a colour counts as ground, like the background."""
BLEND_TOLERANCE = 7.0
"""Distance in RGB within which a colour is explained as a mixture of two others."""
_BITS = np.array([*(1 << label for label in range(63)), 0], np.uint64)
"""The bit that stands for a label in a set of labels; label −1, none, has the last entry and so no bit."""
LEAST = 0.25
"""Share of the picture that an area must have."""
LEAST_BAND = 0.045
"""Share of the picture that an area from edge to edge must have."""
MAX_THROUGH = 0.16
"""Share of an area in which thin lines may show the background."""
STRAY = 0.12
"""Largest share of an area's colour in rows and columns that hold only soft edges of texts."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A picture in flat colours.

    >>> segment_colours(np.full((64, 64, 3), 255, np.uint8)).hex(0)
    '#ffffff'

    Attributes:
        colours: Colours × 3, RGB; row 0 is the background (its middle colour, if it fades).
        ends: First and last colour of a fading background, RGB, and its direction, ``"down"`` or ``"right"``.
        flat_share: Share of the pixels, 0–1, that have exactly one of the colours.
        cover: Height × width: how much of each pixel, 0–1, is of the colour it was given to.
    """

    labels: Labels
    colours: Floats
    ends: tuple[Floats, Floats, str] | None
    flat_share: float
    cover: npt.NDArray[np.float32]

    def hex(self, label: int) -> str:
        """Return the colour of a label as #rrggbb."""
        return format_rgb_array(self.colours[label])


def parse_rgb_array(colour: str) -> Floats:
    """Return #rrggbb as an array of three numbers 0–255."""
    return np.array(parse_hex(colour), np.float64)


def format_rgb_array(colour: Floats) -> str:
    """Return an RGB colour, 0–255, as #rrggbb."""
    red, green, blue = (round(float(value)) for value in np.clip(colour, 0, 255))
    return f"#{red:02x}{green:02x}{blue:02x}"


def segment_colours(pixels: Pixels) -> Segmentation:
    """Return the drawn colours of a picture, with each pixel assigned to a drawn colour.

    Args:
        pixels: Height × width × 3, RGB.
    """
    ends = _fit_fade(pixels)
    codes = _encode_pixels(pixels)
    if ends is not None:
        codes = _replace_fade(pixels, codes, ends)
    flat = mark_uniform_pixels(codes)
    palette = _list_flat_colours(codes, flat, ends)
    colours = _decode_pixels(np.array(palette))
    if flat.mean() < LEAST_EVEN:
        return _segment_without_mixing(np.zeros(codes.shape, np.int16), colours, ends, 0.0)
    labels = np.full(codes.shape, -1, np.int16)
    for index, code in enumerate(palette):
        labels[codes == code] = index
    soft = _add_thin_colours(codes, flat, labels, palette)
    flat_share = float((labels >= 0).mean())
    colours = _decode_pixels(np.array(palette))
    if flat_share < FLAT_SHARE:
        return _segment_without_mixing(np.maximum(labels, 0), colours, ends, flat_share)
    cover = _assign_mixed_pixels(_decode_pixels(codes), labels, colours)
    for code, share in soft.items():
        cover[codes == code] = share
    return Segmentation(labels, colours, ends, flat_share, cover)


def _segment_without_mixing(
    labels: Labels, colours: Floats, ends: tuple[Floats, Floats, str] | None, share: float
) -> Segmentation:
    return Segmentation(labels, colours, ends, share, np.ones(labels.shape, np.float32))


def _encode_pixels(pixels: Pixels) -> npt.NDArray[np.int32]:
    wide = pixels.astype(np.int32)
    return (wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]


def _decode_pixels(codes: npt.NDArray[np.integer]) -> Floats:
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.float64)


def _fit_fade(pixels: Pixels) -> tuple[Floats, Floats, str] | None:
    """Fit a linear fade to the rim of a picture; None if the rim has one colour or no linear fade."""
    for direction, turned in (("down", pixels), ("right", pixels.transpose(1, 0, 2))):
        sides = np.stack([turned[:, 1], turned[:, -2]]).astype(np.float64)
        # Where both sides differ, something is drawn up to the rim.
        alike = np.abs(sides[0] - sides[1]).max(axis=1) <= 6
        if alike.mean() < 0.6:
            continue
        along, colour = np.flatnonzero(alike) + 0.5, sides[0][alike]
        slope, start = fit_line(along, colour)
        fits = np.abs(colour - (np.outer(along, slope) + start)).max(axis=1) <= 3
        last = start + slope * len(turned)
        if fits.mean() > 0.9 and np.abs(last - start).max() > 10:
            return start, last, direction
    return None


def _replace_fade(
    pixels: Pixels, codes: npt.NDArray[np.int32], ends: tuple[Floats, Floats, str]
) -> npt.NDArray[np.int32]:
    """Replace the pixels of a fading background by the middle colour of the fade."""
    height, width = codes.shape
    length = height if ends[2] == "down" else width
    along = (np.arange(length) + 0.5)[:, None] / length
    model = ends[0] + along * (ends[1] - ends[0])
    wide = model[:, None, :] if ends[2] == "down" else model[None, :, :]
    close = np.abs(pixels - wide).max(axis=2) <= 5
    return np.where(close, _compute_fade_middle(ends), codes).astype(np.int32)


def _compute_fade_middle(ends: tuple[Floats, Floats, str]) -> int:
    """Return the code of the colour halfway between the ends of a fade."""
    red, green, blue = np.round(np.clip((ends[0] + ends[1]) / 2, 0, 255)).astype(int).tolist()
    return int((red << 16) | (green << 8) | blue)


def _list_flat_colours(codes: npt.NDArray[np.int32], flat: Mask, ends: tuple[Floats, Floats, str] | None) -> list[int]:
    """List the colours that fill 3 × 3 squares, the background first, then from the most to the least frequent."""
    colours, counts = np.unique(codes[flat], return_counts=True)
    # Stable, so that colours of equal count come in the same order on every machine.
    order = np.argsort(-counts, kind="stable")
    palette = [int(colours[i]) for i in order if counts[i] >= MIN_FLAT][:MAX_COLOURS]
    rim = np.concatenate([codes[1], codes[-2], codes[:, 1], codes[:, -2]])
    if ends is not None:
        background = _compute_fade_middle(ends)
    else:
        values, rim_counts = np.unique(rim, return_counts=True)
        background = int(values[rim_counts.argmax()])
    return [background, *(code for code in palette if code != background)][:MAX_COLOURS]


def _add_thin_colours(codes: npt.NDArray[np.int32], flat: Mask, labels: Labels, palette: list[int]) -> dict[int, float]:
    """Add colours of thin strokes to ``palette`` and mark their pixels in ``labels``.

    Returns:
        Colours of strokes that nowhere fill a pixel, and how much of it they fill.
    """
    soft: dict[int, float] = {}
    rest = (labels < 0) & ~flat
    shades, counts = np.unique(codes[rest], return_counts=True)
    often = counts >= MIN_THIN
    shades = shades[often][np.argsort(-counts[often], kind="stable")][:60]
    back = _decode_pixels(np.array(palette[0]))
    contrast = [float(compute_lengths(_decode_pixels(code) - back)) for code in shades]
    unlabelled = np.argwhere(labels < 0)
    their_codes = codes[labels < 0]
    for index in np.argsort(np.array(contrast) * -1, kind="stable"):
        code = int(shades[index])
        at = unlabelled[their_codes == code]
        # About sixty pixels tell as much as all of them.
        few = at[:: max(1, len(at) // 60)]
        if len(palette) >= MAX_COLOURS or _is_blend(code, few, labels, palette):
            continue
        between = _find_blurred_outline(code, few, labels, palette)
        if between is not None:
            label, soft[code] = between
            labels[at[:, 0], at[:, 1]] = label
            continue
        labels[at[:, 0], at[:, 1]] = len(palette)
        palette.append(code)
    return soft


def _is_blend(code: int, at: npt.NDArray[np.intp], labels: Labels, palette: list[int]) -> bool:
    """Whether a colour is a mixture of two drawn colours beside it."""
    colours = _decode_pixels(np.array(palette))
    near = _measure_segment_distance(_decode_pixels(np.array(code)), colours) <= BLEND_TOLERANCE
    pairs = [(a, b) for a, b in np.argwhere(near) if a < b]
    if not pairs:
        return False
    bits = _find_labels_nearby(labels, at, 2)
    explained = _are_faded_edges(at, labels, near)
    for a, b in pairs:
        pair = _BITS[a] | _BITS[b]
        explained |= (bits & pair) == pair
    return bool(explained.mean() >= 0.6)


def _find_blurred_outline(
    code: int, at: npt.NDArray[np.intp], labels: Labels, palette: list[int]
) -> tuple[int, float] | None:
    """Recognise a thin outline between two rows of pixels: each row holds only part of it.

    Returns:
        Label of the outline's colour and the share of a pixel that it fills; None for other colours.
    """
    bits = _find_labels_nearby(labels, at, 2)
    common = [label for label in range(len(palette)) if ((bits & _BITS[label]) > 0).mean() >= 0.6]
    if len(common) < 2:
        return None
    colour, colours = _decode_pixels(np.array(code)), _decode_pixels(np.array(palette))
    best: tuple[float, int, float] | None = None
    for ground in common:
        for label in range(1, len(palette)):
            way = colours[label] - colours[ground]
            share = float(compute_dot(colour - colours[ground], way) / max(float(compute_dot(way, way)), 1e-9))
            off = float(compute_lengths(colours[ground] + share * way - colour))
            if label not in common and 0.2 < share < 0.95 and off <= 5 and (best is None or off < best[0]):
                best = (off, label, share)
    return None if best is None else best[1:]


def _are_faded_edges(at: npt.NDArray[np.intp], labels: Labels, near: Mask) -> Mask:
    """Tell where a colour is but the edge of a stroke: paler than a drawn colour within 4 pixels, on the background."""
    others = np.flatnonzero(near[0, 1:]) + 1
    if not len(others):
        return np.zeros(len(at), bool)
    return np.asarray(_find_labels_nearby(labels, at, 4) & np.bitwise_or.reduce(_BITS[others]) > 0)


def _measure_segment_distance(point: Floats, colours: Floats) -> Floats:
    """Return the distance of a colour from the segment between every two of ``colours``."""
    start, way = colours[:, None, :], colours[None, :, :] - colours[:, None, :]
    length = np.maximum(np.square(way).sum(-1), 1e-9)
    share = np.clip(((point - start) * way).sum(-1) / length, 0, 1)
    return compute_lengths(start + share[..., None] * way - point)


def _find_labels_nearby(labels: Labels, at: npt.NDArray[np.intp], reach: int) -> npt.NDArray[np.uint64]:
    """Return for each position the set of labels within ``reach`` pixels, as bits."""
    steps = np.arange(-reach, reach + 1)
    rows = np.clip(at[:, 0, None] + steps, 0, labels.shape[0] - 1)
    columns = np.clip(at[:, 1, None] + steps, 0, labels.shape[1] - 1)
    around = labels[rows[:, :, None], columns[:, None, :]].reshape(len(at), len(steps) * len(steps))
    return np.asarray(np.bitwise_or.reduce(_BITS[around], axis=1))


def _assign_mixed_pixels(pixels: Floats, labels: Labels, colours: Floats) -> npt.NDArray[np.float32]:
    """Assign each in-between pixel to a colour beside the pixel; return how far the colour covers each pixel."""
    cover = np.ones(labels.shape, np.float32)
    at = np.argwhere(labels < 0)
    if not len(at):
        return cover
    bits = _find_labels_nearby(labels, at, 1)
    few = np.bitwise_count(bits) < 2
    # Where fewer than two colours lie beside a pixel, its wider surroundings count.
    bits[few] = _find_labels_nearby(labels, at[few], 2)
    values = pixels[at[:, 0], at[:, 1]]
    low, high = _find_lowest_and_highest(bits)
    # Exactly two colours leave no choice; otherwise the nearest mixture decides.
    many = np.bitwise_count(bits) != 2
    if many.any():
        low[many], high[many] = _select_best_pairs(values[many], bits[many], colours)
    way = colours[high] - colours[low]
    share = np.clip(((values - colours[low]) * way).sum(-1) / np.maximum(np.square(way).sum(-1), 1e-9), 0, 1)
    wide = np.bincount(labels[labels >= 0], minlength=len(colours)) > WIDE * labels.size
    wide[0] = True
    threshold = np.where(wide[low] == wide[high], 0.5, np.where(wide[low], STROKE_SHARE, 1 - STROKE_SHARE))
    is_high = share > threshold
    labels[at[:, 0], at[:, 1]] = np.where(is_high, high, low)
    cover[at[:, 0], at[:, 1]] = np.where(is_high, share, 1 - share)
    return cover


def _find_lowest_and_highest(bits: npt.NDArray[np.uint64]) -> tuple[Labels, Labels]:
    """Return the lowest and highest label of each set; (0, 0) for an empty set."""
    some = np.maximum(bits, np.uint64(1))
    low = np.bitwise_count((some & (~some + np.uint64(1))) - np.uint64(1)).astype(np.int16)
    return low, (np.frexp(some.astype(np.float64))[1] - 1).astype(np.int16)


def _select_best_pairs(values: Floats, bits: npt.NDArray[np.uint64], colours: Floats) -> tuple[Labels, Labels]:
    """Return for each value the two colours nearby with the nearest mixture; a single colour mixes with background."""
    best = np.full(len(values), np.inf)
    low, high = np.zeros(len(values), np.int16), np.zeros(len(values), np.int16)
    alone = np.bitwise_count(bits) < 2
    for a, b in np.argwhere(np.triu(np.ones((len(colours), len(colours)), bool), 1)):
        both = _BITS[a] | _BITS[b]
        allowed = np.flatnonzero(((bits & both) == both) | (alone & (a == 0)))
        if not len(allowed):
            continue
        way = colours[b] - colours[a]
        offset = values[allowed] - colours[a]
        share = np.clip(compute_dot(offset, way) / max(float(compute_dot(way, way)), 1e-9), 0, 1)
        distance = compute_lengths(offset - share[:, None] * way)
        better = distance < best[allowed]
        chosen = allowed[better]
        best[chosen], low[chosen], high[chosen] = distance[better], a, b
    return low, high


@dataclass(frozen=True, eq=False)
class Grounds:
    """A picture whose large areas became background, and these areas in the order of painting.

    >>> from ircore.seeing.flat_colours import segment_colours
    >>> find_grounds(segment_colours(np.full((64, 64, 3), 255, np.uint8))).areas
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
        for box in _find_areas(labels.copy(), int(label)):
            left, top, right, bottom = box
            kind = "square" if right - left == bottom - top else "rectangle"
            areas.append(build_upright_shape(kind, format_rgb_array(colours[label]), box))
            window = labels[top:bottom, left:right]
            before = segmentation.labels[top:bottom, left:right]
            colours = _make_background(window, before, int(label), colours)
    return Grounds(replace(segmentation, labels=labels, colours=colours), tuple(areas))


def _make_background(window: Labels, before: Labels, label: int, colours: Floats) -> Floats:
    """Make an area background; a large enough part of the background inside the area gets its own label."""
    through = before == 0
    window[before == label] = 0
    if through.sum() < 20:
        return colours
    # Lines in the colour of the background, such as white grid lines on a grey panel, stay visible.
    window[through] = len(colours)
    return np.vstack([colours, colours[:1]])


def _find_areas(labels: Labels, label: int) -> list[Box]:
    """Return the boxes of a colour's areas: of all pixels together, else of each connected part."""
    mask = labels == label
    for share in (0.0, STRAY):
        whole = _find_extent(mask, share)
        if _is_area(labels, label, whole):
            return [whole]
    parts, _ = ndimage.label(mask)
    boxes = [(box[1].start, box[0].start, box[1].stop, box[0].stop) for box in ndimage.find_objects(parts)]
    return [box for box in boxes if _is_area(labels, label, box)]


def _find_extent(mask: Mask, share: float) -> Box:
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
