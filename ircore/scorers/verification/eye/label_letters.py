"""Letters of a label, place by place: where the rendering's ink does not fit the ink of the target's label.

No letter is read. In the font of the target all letters fit but those that differ; in another font none fit well.
"""

import math
from functools import cache

import numpy as np
from scipy import ndimage

from ircore.scorers.verification.eye.texts import Block
from ircore.scorers.verification.eye.view import Floats, Mask

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


def misfits_of(block: Block, own: Block, turn: float) -> Floats:
    """Return the misfit of a label's ink to the target's label, 0–1, at each place along the label.

    Args:
        block: The writing in the rendering.
        own: That label in the target.
        turn: Degrees by which the text is turned.

    Returns:
        One value a pixel of the target's label, from its first letter to its last: the ink that differs in a window
        of a letter's width as a share of all ink there.
    """
    own_ink, ink = (laid_level(writing.ink, turn) for writing in (own, block))
    wanted = _blurred(np.pad(own_ink, MARGIN))
    height, width = wanted.shape
    window = max(3, round(LETTER * own_ink.shape[0]))
    # Room on all sides, so that the label moves by taking another part of the page.
    room = REACH + 2
    page = _blurred(_placed(ink, height + 2 * room, width + 2 * room))

    @cache
    def phase(down: float, across: float) -> Floats:
        return _shifted(_shifted(page, down, 0), across, 1)

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
    places: Floats = np.min([_misfit(wanted, copy, window) for copy in near], axis=0)
    return np.round(places[MARGIN : width - MARGIN], 4)


def _misfit(target_ink: Floats, ink: Floats, window: int) -> Floats:
    differing = _windowed(np.abs(target_ink - ink), window)
    misfit: Floats = differing / np.maximum(_windowed(target_ink + ink, window), 1e-3)
    return misfit


def fit_of(misfits: Floats) -> float:
    """Return the misfit of the best-fitting quarter of a label, which the font alone explains."""
    return float(np.percentile(misfits, 25))


def with_differing(text: str, differs: Mask) -> str:
    """Return a text with a question mark for each letter that differs; letters count as equally wide.

    >>> with_differing("tulip", np.array([False, False, True, True, False, False, False, False, False, False]))
    't?lip'
    """
    edges = np.round(np.linspace(0, len(differs), len(text) + 1)).astype(int)
    letters = []
    for letter, start, end in zip(text, edges, edges[1:], strict=False):
        is_other = letter != " " and end > start and differs[start:end].mean() >= 0.5
        letters.append("?" if is_other else letter)
    return "".join(letters)


def laid_level(ink: Floats, turn: float) -> Floats:
    """Turn a label's ink so that its letters stand upright."""
    # Quarter turns move whole pixels; any other turn has to interpolate.
    if turn % 90 == 0:
        return np.rot90(ink, -round(turn / 90))
    level: Floats = ndimage.rotate(ink, -turn, order=1)
    rows, columns = np.nonzero(level > 0.2)
    return level[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] if len(rows) else level


def _placed(ink: Floats, height: int, width: int) -> Floats:
    """Return ink in the middle of a patch of another size."""
    page = np.zeros((height, width), np.float32)
    top = (height - ink.shape[0]) // 2
    left = (width - ink.shape[1]) // 2
    rows = slice(max(top, 0), min(top + ink.shape[0], height))
    columns = slice(max(left, 0), min(left + ink.shape[1], width))
    page[rows, columns] = ink[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    return page


def _shifted(page: Floats, by: float, axis: int) -> Floats:
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


def _blurred(ink: Floats) -> Floats:
    blurred: Floats = ndimage.gaussian_filter(ink.astype(np.float32), UNSHARP, axes=(-2, -1))
    return blurred


def _windowed(ink: Floats, window: int) -> Floats:
    """Return the sum of ink in a window about each column."""
    sums: Floats = ndimage.uniform_filter1d(ink.sum(axis=0), window, mode="constant")
    return sums
