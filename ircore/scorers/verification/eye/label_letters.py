"""Letters of a label, place by place: where the rendering's ink does not fit the ink of the target's label.

No letter is read. In the font of the target all letters fit but those that differ; in another font none fit well.
"""

import numpy as np
from scipy import ndimage

from ircore.scorers.verification.eye.texts import Block
from ircore.scorers.verification.eye.view import Floats, Mask

LETTER = 0.55
"""Width of the window that is compared, in heights of the label: about one letter."""
REACH = 2
"""Pixels by which a label may be moved to fit; each window may be moved by one more."""
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
    span = range(-REACH - 1, REACH + 2)
    moves = [(down, across) for down in span for across in span]
    # All in one call: on a label a call takes longer than its work.
    copies = dict(zip(moves, _blurred(np.stack([_placed(ink, height, width, *move) for move in moves])), strict=True))
    inner = [move for move in copies if max(map(abs, move)) <= REACH]
    down, across = min(inner, key=lambda move: (float(np.abs(wanted - copies[move]).sum()), move))
    # Spacing differs by fractions of a pixel: towards its end a label may need another move than at its beginning.
    near = [copies[down + i, across + j] for i in (-1, 0, 1) for j in (-1, 0, 1)]
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


def _placed(ink: Floats, height: int, width: int, down: int, across: int) -> Floats:
    """Return ink in the middle of a patch of another size, moved by some pixels."""
    page = np.zeros((height, width), np.float32)
    top = (height - ink.shape[0]) // 2 + down
    left = (width - ink.shape[1]) // 2 + across
    rows = slice(max(top, 0), min(top + ink.shape[0], height))
    columns = slice(max(left, 0), min(left + ink.shape[1], width))
    page[rows, columns] = ink[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    return page


def _blurred(ink: Floats) -> Floats:
    blurred: Floats = ndimage.gaussian_filter(ink.astype(np.float32), UNSHARP, axes=(-2, -1))
    return blurred


def _windowed(ink: Floats, window: int) -> Floats:
    """Return the sum of ink in a window about each column."""
    sums: Floats = ndimage.uniform_filter1d(ink.sum(axis=0), window, mode="constant")
    return sums
