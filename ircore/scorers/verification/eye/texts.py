"""Texts: presence, size and place of writing, and which label it is, by likeness to the target's own labels.

No character is read here. A label's patch in the rendering is compared with the patches of all labels of the target:
where it is much more like another one, labels were exchanged; where it is much unlike its own while other labels are
alike, the wording is wrong; where the lettering as a whole is of another kind, the eye says that it cannot tell. Place
by place, ink of the rendering that does not fit the ink of the label shows a wrong letter: in the font of the target
all letters fit but those that differ; in another font none fit well.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

from ircore.core.records import Box, Element
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    Mask,
    clip_box,
    cut_window,
    find_commonest_colour,
    grow_box,
    measure_lab_distance,
)

LEAST_INK = 9.0
"""Distance in L*a*b* by which writing differs from what it stands on at least."""
INK_SHARES = (0.4, 0.55, 0.7)
"""Parts of the strongest ink from which on pixels are ink, tried one after the other until a text is found."""
THROUGH = 0.08
"""Share of a text's box that ink must cover if it runs out of the window: less is a line that passes by the box."""
NEXT, NEXT_WORD = 0.2, 0.8
"""Parts of a text's size by which its pieces lie apart at most, and by which its letters do along the text."""
LARGEST = 1.6
"""Times the sides of a text, six pixels more, that a part of its writing has at most; larger parts are other lines."""
HIGH = 20
WIDE = 40
"""Pixels to which a label's ink is brought before shapes are compared; how wide it was counts by itself."""

STRAY_INK, MOST_STRAYS = 24.0, 80
"""Distance in L*a*b* from the ground by which writing elsewhere differs; pieces of ink beyond which it is noise."""
FAR, UNLIKE_SIZE, NO_STRAY = 90.0, 0.5, 9.0
"""Pixels that a text may stand from its place; logarithm of the ratio of its sides; the cost of what is no text."""

LETTER = 0.55
"""Width of the window that is compared, in heights of the label: about one letter."""
REACH = 2
"""Pixels by which a label may be moved to fit."""
STEPS = (0.5, 0.25)
"""Parts of a pixel by which it is moved then: what another program draws seldom lies on the same pixels."""
SPACING = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""Pixels by which each window may be moved by itself."""
MARGIN = 4
"""Pixels of empty ground about a label."""
UNSHARP = 0.6
"""Pixels: σ by which both inks are blurred first, so that fractions of a pixel do not count."""


class Block(NamedTuple):
    """Writing that was found at the place of a text.

    Example:
        >>> Block(Box(10, 10, 40, 22), ink=np.ones((12, 30)), amount=360.0).box.left
        10
    """

    box: Box
    """The smallest box around its ink."""

    ink: Floats
    """Height × width: how much ink, 0–1, in the box."""

    amount: float
    """Sum of the ink."""


def find_blocks(view: EyeView, elements: Sequence[Element]) -> list[Block | None]:
    """Find the writing that belongs to each of a target's texts; None for a text without writing."""
    return [_find_block(view, element, elements) for element in elements]


def replace_missing_blocks(
    view: EyeView, elements: Sequence[Element], blocks: Sequence[Block | None], owns: Sequence[Block | None]
) -> list[Block | None]:
    """Return blocks, those of missing texts replaced by writing that stands elsewhere.

    Pieces of ink are assigned to missing texts by place and size, optimally.

    Args:
        view: The rendering over its target.
        elements: The target's texts.
        blocks: The writing that was found in the place of each.
        owns: The same in the target.
    """
    missing = [
        k for k, (element, block, own) in enumerate(zip(elements, blocks, owns, strict=True))
        if own is not None and read_turn(element) == 0 and not is_there(element, block, own)
    ]  # fmt: skip
    if not missing:
        return list(blocks)
    free = np.ones(view.pixels.shape[:2], bool)
    for block in blocks:
        if block is not None:
            cut_window(free, grow_box(block.box, 2))[...] = False
    far = measure_lab_distance(view.lab, view.background)
    ink = (far > STRAY_INK) & free
    sizes = [elements[k].box.bottom - elements[k].box.top for k in missing]
    letters = ndimage.binary_dilation(ink, np.ones((1, max(3, round(0.8 * float(np.median(sizes))))), bool))
    parts, count = ndimage.label(letters, np.ones((3, 3)))
    if not 0 < count <= MOST_STRAYS:
        return list(blocks)
    found = [_build_block(far, ink & (parts == number), place)
             for number, place in enumerate(ndimage.find_objects(parts), start=1)]  # fmt: skip
    strays = [block for block in found if block is not None]
    costs = np.full((len(missing), len(strays)), NO_STRAY)
    for row, k in enumerate(missing):
        own = owns[k]
        for column, stray in enumerate(strays):
            if own is not None:
                costs[row, column] = _measure_unlikeness(own.box, stray.box)
    moved = list(blocks)
    for line, chosen in zip(*linear_sum_assignment(costs), strict=True):
        if costs[line, chosen] < NO_STRAY:
            moved[missing[line]] = strays[chosen]
    return moved


def find_inks(view: EyeView, boxes: Sequence[Box]) -> list[Floats]:
    """Return all ink in some boxes, 0–1, each without its empty rims; boxes without ink are left out."""
    inks = []
    for box in boxes:
        patch, around = (cut_window(view.lab, part) for part in (box, grow_box(box, 4)))
        if not patch.size:
            continue
        far = measure_lab_distance(patch, find_commonest_colour(around.reshape(-1, 3)))
        most = float(np.percentile(far, 96))
        rows, columns = (np.flatnonzero((far > 0.4 * most).any(axis=axis)) for axis in (1, 0))
        if most >= LEAST_INK and len(rows):
            part = far[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            inks.append(np.minimum(1.0, part / most).astype(np.float32))
    return inks


def is_there(element: Element, block: Block | None, own: Block | None) -> bool:
    """Tell whether there is writing of about the right amount at the place of a text.

    Args:
        element: The text.
        block: What was found in the rendering.
        own: What was found in the target, by which amounts are told.
    """
    if block is None:
        return False
    box = element.box
    wide, high = box.right - box.left, box.bottom - box.top
    found_wide, found_high = block.box.right - block.box.left, block.box.bottom - block.box.top
    least = 0.35 * (own.amount if own else 0.3 * wide * high)
    return block.amount >= least and found_wide >= 0.4 * wide and found_high >= 0.45 * high


def is_written(view: EyeView, own: EyeView, element: Element) -> bool:
    """Return whether a text's box is about as uneven as in the target, as where writing touches other things."""
    lightness, own_lightness = (cut_window(side.lab[..., 0], element.box) for side in (view, own))
    if not lightness.size or not own_lightness.size:
        return False
    return float(lightness.std()) >= 0.5 * float(own_lightness.std()) >= 1.0


def compute_likenesses(blocks: Sequence[Block], others: Sequence[Block], turns: Sequence[float]) -> Floats:
    """Return how alike the letterings of blocks are: correlations, −1 to 1, less for another ratio of the sides.

    Args:
        blocks: One for each row of the result.
        others: One for each column.
        turns: Degrees by which the texts are turned, for rows and columns alike.

    Returns:
        len(blocks) × len(others).
    """
    levels = [_turn_level(block.ink, turn) for block, turn in zip(blocks, turns, strict=True)]
    other_levels = [_turn_level(block.ink, turn) for block, turn in zip(others, turns, strict=True)]
    first, second = (np.stack([_resize_ink(ink) for ink in inks]) for inks in (levels, other_levels))
    # A box may be a pixel off, so the best of nine small shifts counts.
    shifts = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)]
    best = np.max(
        [_normalise_patches(np.roll(first, shift, (1, 2))) @ _normalise_patches(second).T for shift in shifts], axis=0
    )
    unlike = np.abs(np.log(_compute_ratios(levels))[:, None] - np.log(_compute_ratios(other_levels))[None, :])
    alike: Floats = np.round(best - 0.6 * np.maximum(0.0, unlike - 0.1), 4)
    return alike


def read_turn(element: Element) -> float:
    """Return the degrees by which a text is turned."""
    return float(element.parameters.get("rotation", 0))  # type: ignore[arg-type]


def compute_misfits(block: Block, own: Block, turn: float) -> Floats:
    """Return the misfit of a label's ink to the target's label, 0–1, at each place along the label.

    Args:
        block: The writing in the rendering.
        own: That label in the target.
        turn: Degrees by which the text is turned.

    Returns:
        One value a pixel of the target's label, from its first letter to its last: the ink that differs in a window
        of a letter's width as a share of all ink there.
    """
    own_ink, ink = (lay_level(writing.ink, turn) for writing in (own, block))
    wanted = _blur(np.pad(own_ink, MARGIN))
    height, width = wanted.shape
    window = max(3, round(LETTER * own_ink.shape[0]))
    # Room on all sides, so that the label moves by taking another part of the page.
    room = REACH + 2
    page = _blur(_place_in_patch(ink, height + 2 * room, width + 2 * room))

    @cache
    def phase(down: float, across: float) -> Floats:
        return _shift_page(_shift_page(page, down, 0), across, 1)

    def moved(down: float, across: float) -> Floats:
        top, left = room - math.floor(down), room - math.floor(across)
        return phase(down % 1, across % 1)[top : top + height, left : left + width]

    def differing(place: tuple[float, float]) -> float:
        return round(float(np.abs(wanted - moved(*place)).sum()), 3)

    span = range(-REACH, REACH + 1)
    best = min(((float(down), float(across)) for down in span for across in span), key=differing)
    for step in STEPS:
        moves = [(best[0] + down * step, best[1] + across * step) for down in (0, -1, 1) for across in (0, -1, 1)]
        best = min(moves, key=differing)
    # Spacing differs by fractions of a pixel: towards its end a label may need another move than at its beginning.
    near = [moved(best[0], best[1] + across) for across in SPACING]
    places: Floats = np.min([_compute_misfit(wanted, copy, window) for copy in near], axis=0)
    return np.round(places[MARGIN : width - MARGIN], 4)


def compute_fit(misfits: Floats) -> float:
    """Return the misfit of the best-fitting quarter of a label, which the font alone explains."""
    return float(np.percentile(misfits, 25))


def mark_differing_letters(text: str, differs: Mask) -> str:
    """Return a text with a question mark for each letter that differs; letters count as equally wide.

    >>> mark_differing_letters("tulip", np.array([False, False, True, True, False, False, False, False, False, False]))
    't?lip'
    """
    edges = np.round(np.linspace(0, len(differs), len(text) + 1)).astype(int)
    letters = []
    for letter, start, end in zip(text, edges, edges[1:], strict=False):
        is_other = letter != " " and end > start and differs[start:end].mean() >= 0.5
        letters.append("?" if is_other else letter)
    return "".join(letters)


def lay_level(ink: Floats, turn: float) -> Floats:
    """Turn a label's ink so that its letters stand upright."""
    # Quarter turns move whole pixels; any other turn has to interpolate.
    if turn % 90 == 0:
        return np.rot90(ink, -round(turn / 90))
    level: Floats = ndimage.rotate(ink, -turn, order=1)
    rows, columns = np.nonzero(level > 0.2)
    return level[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] if len(rows) else level


def _find_block(view: EyeView, element: Element, others: Sequence[Element]) -> Block | None:
    size = float(element.parameters.get("size", 13))  # type: ignore[arg-type]
    height, width = view.lab.shape[:2]
    box = clip_box(grow_box(element.box, 5 + 0.4 * size), height, width)
    if box.right - box.left < 4 or box.bottom - box.top < 4:
        return None
    patch = view.lab[box.top : box.bottom, box.left : box.right]
    ground = find_commonest_colour(patch.reshape(-1, 3))
    far = measure_lab_distance(patch, ground)
    inner = _cut_inner(far, element.box, box)
    most = float(np.percentile(inner, 96)) if inner.size else 0.0
    if most < LEAST_INK:
        return None
    # Blurred letters run into the line beside them; at a higher threshold they come apart.
    for share in INK_SHARES:
        own = _select_own_parts(far > max(LEAST_INK * 0.7, share * most), element, others, box)
        if own is not None and _has_size_of_text(own, element.box):
            break
    if own is None:
        return None
    rows, columns = np.nonzero(own)
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    ink = np.minimum(1.0, far / most) * ndimage.binary_dilation(own)
    ink = ink[top:bottom, left:right].astype(np.float32)
    around = Box(int(box.left + left), int(box.top + top), int(box.left + right), int(box.top + bottom))
    return Block(around, ink, round(float(ink.sum()), 2))


def _build_block(far: Floats, ink: Mask, place: tuple[slice, ...]) -> Block | None:
    """Return a piece of ink as a block; None if there is hardly any in it."""
    rows, columns = (np.flatnonzero(ink[place].any(axis=axis)) for axis in (1, 0))
    if len(rows) < 4 or len(columns) < 2:
        return None
    top, left = place[0].start + int(rows[0]), place[1].start + int(columns[0])
    box = Box(left, top, place[1].start + int(columns[-1]) + 1, place[0].start + int(rows[-1]) + 1)
    part = cut_window(far, box)
    amount = np.minimum(1.0, part / max(float(np.percentile(part, 96)), LEAST_INK)).astype(np.float32)
    return Block(box, amount, round(float(amount.sum()), 2))


def _measure_unlikeness(own: Box, stray: Box) -> float:
    """Return how little a piece of ink can be a text: by its distance, and by its width and height."""
    apart = math.hypot(own.left + own.right - stray.left - stray.right, own.top + own.bottom - stray.top - stray.bottom)
    wide, high = (
        abs(math.log((stray[2 + at] - stray[at]) / max(1, own[2 + at] - own[at]))) for at in (0, 1)
    )  # fmt: skip
    if max(wide, high) > UNLIKE_SIZE or apart / 2 > FAR:
        return NO_STRAY
    return apart / 2 / FAR + wide + high


def _has_size_of_text(ink: Mask, box: Box) -> bool:
    """Tell whether ink is about as wide and high as a text."""
    rows, columns = np.nonzero(ink)
    wide, high = box.right - box.left, box.bottom - box.top
    return bool(np.ptp(columns) + 1 >= 0.4 * wide and np.ptp(rows) + 1 >= 0.45 * high)


def _cut_inner(far: Floats, box: Box, around: Box) -> Floats:
    return far[
        max(0, box.top - around.top - 3) : box.bottom - around.top + 3,
        max(0, box.left - around.left - 3) : box.right - around.left + 3,
    ]


def _select_own_parts(ink: Mask, element: Element, others: Sequence[Element], box: Box) -> Mask | None:
    """Keep the parts that are letters of this text, not lines running through or letters of a text beside."""
    parts, count = ndimage.label(ink, np.ones((3, 3)))
    if not count:
        return None
    size = float(element.parameters.get("size", 13))  # type: ignore[arg-type]
    text_wide, text_high = element.box.right - element.box.left, element.box.bottom - element.box.top
    own = np.zeros(count + 1, bool)
    near = [other.box for other in others if other is not element and grow_box(other.box, 4).overlaps(box)]
    for number, place in enumerate(ndimage.find_objects(parts), start=1):
        rows, columns = place
        high, wide = rows.stop - rows.start, columns.stop - columns.start
        runs_through = (
            rows.start == 0 or columns.start == 0 or rows.stop == ink.shape[0] or columns.stop == ink.shape[1]
        )
        middle = (box.left + (columns.start + columns.stop) / 2, box.top + (rows.start + rows.stop) / 2)
        mine = _measure_distance_to_box(middle, element.box)
        is_long = max(high, wide) > 2.2 * size + 4 and element.parameters.get("rotation") != 45
        is_large = wide > LARGEST * text_wide + 6 or high > LARGEST * text_high + 6
        if is_large or (runs_through and mine > 2) or (is_long and (runs_through or mine > 0)):
            continue
        if runs_through and _compute_covered_share(parts == number, element.box, box) < THROUGH:
            continue
        if any(_measure_distance_to_box(middle, other) < mine for other in near):
            continue
        own[number] = True
    mask = _select_connected_ink(own[parts], element)
    return mask if mask.sum() >= 4 else None


def _select_connected_ink(ink: Mask, element: Element) -> Mask:
    """Return the part of some ink that hangs together as a text does, without strokes that lie about it."""
    size, turn = float(element.parameters.get("size", 13)), read_turn(element)  # type: ignore[arg-type]
    along = NEXT_WORD if len(element.text or "") > 1 else NEXT
    gaps = [round(size * part) + 1 for part in ((along, along) if turn % 90 else (NEXT, along))]
    near = ndimage.binary_dilation(ink, np.ones(gaps[::-1] if turn % 180 == 90 else gaps, bool))
    parts, _ = ndimage.label(near)
    largest: Mask = ink & (parts == np.bincount(parts[ink], minlength=2)[1:].argmax() + 1)
    return largest


def _compute_covered_share(ink: Mask, box: Box, around: Box) -> float:
    """Return the share of a text's box that ink covers; the ink is of the window ``around``."""
    inside = cut_window(ink, Box(*(edge - (around.left, around.top)[at % 2] for at, edge in enumerate(box))))
    return float(inside.mean()) if inside.size else 0.0


def _measure_distance_to_box(point: tuple[float, float], box: Box) -> float:
    """Return how far a point lies outside a box, in pixels."""
    across = max(box.left - point[0], 0.0, point[0] - box.right)
    down = max(box.top - point[1], 0.0, point[1] - box.bottom)
    return math.hypot(across, down)


def _turn_level(ink: Floats, turn: float) -> Floats:
    # Laid level, because the ratio of the sides is compared, too.
    return np.rot90(ink, -1) if turn == 90 else ink


def _compute_ratios(inks: Sequence[Floats]) -> Floats:
    return np.array([ink.shape[1] / ink.shape[0] for ink in inks], np.float32)


def _resize_ink(ink: Floats) -> Floats:
    image = Image.fromarray((ink * 255).astype(np.uint8)).resize((WIDE, HIGH), Image.Resampling.BILINEAR)
    smooth: Floats = ndimage.gaussian_filter(np.asarray(image, np.float32), 1.2)
    return smooth


def _normalise_patches(patches: Floats) -> Floats:
    flat = patches.reshape(len(patches), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    unit: Floats = flat / np.maximum(np.sqrt((flat**2).sum(axis=1, keepdims=True)), 1e-6)
    return unit


def _compute_misfit(target_ink: Floats, ink: Floats, window: int) -> Floats:
    differing = _sum_in_window(np.abs(target_ink - ink), window)
    misfit: Floats = differing / np.maximum(_sum_in_window(target_ink + ink, window), 1e-3)
    return misfit


def _place_in_patch(ink: Floats, height: int, width: int) -> Floats:
    """Return ink in the middle of a patch of another size."""
    page = np.zeros((height, width), np.float32)
    top = (height - ink.shape[0]) // 2
    left = (width - ink.shape[1]) // 2
    rows = slice(max(top, 0), min(top + ink.shape[0], height))
    columns = slice(max(left, 0), min(left + ink.shape[1], width))
    page[rows, columns] = ink[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    return page


def _shift_page(page: Floats, by: float, axis: int) -> Floats:
    """Return a page moved by a part of a pixel along an axis, by cubic convolution (Keys 1981)."""
    if not by:
        return page
    weights = (
        by * (-0.5 + by * (1 - 0.5 * by)),
        1 + by**2 * (1.5 * by - 2.5),
        by * (0.5 + by * (2 - 1.5 * by)),
        by**2 * (0.5 * by - 0.5),
    )
    shifted: Floats = ndimage.correlate1d(page, weights[::-1], axis, mode="constant", origin=0)
    return shifted


def _blur(ink: Floats) -> Floats:
    blurred: Floats = ndimage.gaussian_filter(ink.astype(np.float32), UNSHARP, axes=(-2, -1))
    return blurred


def _sum_in_window(ink: Floats, window: int) -> Floats:
    """Return the sum of ink in a window about each column."""
    sums: Floats = ndimage.uniform_filter1d(ink.sum(axis=0), window, mode="constant")
    return sums
