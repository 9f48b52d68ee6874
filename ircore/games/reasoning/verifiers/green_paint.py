"""Green paint: where a model painted an object green, held against the object's mask."""

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.images import Pixels

SIDE = 512
"""Pixels a side to which both pictures are brought."""

BAND = (123, 159, 87)
"""A second green, red, green and blue, around which GIR-Bench takes a band."""

EIGHT = np.ones((3, 3), bool)
LEAST_SHARE = 0.03
"""Of the picture: smaller parts of the mask are dropped at the end."""

GROWTH_STEPS, GROWTH_DISTANCE = 5, 6.0

Mask = npt.NDArray[np.bool_]


def paint_iou(painted: Pixels, mask: npt.NDArray[np.uint8], original: "Pixels | None" = None, t: int = 100) -> float:
    """Return the IoU of green paint and an object's mask as GIR-Bench computes it, 0–1; 1 if both are empty.

    Args:
        painted: Height × width × 3 RGB: the model's picture.
        mask: Height × width, 0–255: the object where above 127.
        original: The picture before, for the second attempt where no plain green is there.
        t: Tolerance. At 100, the command's default, the second green's bounds wrap round in 8 bits and match nothing;
            at 50 plain grey counts as green.
    """
    return _iou(green_published(painted, t, original), at_512(mask))


def paint_iou_corrected(painted: Pixels, mask: npt.NDArray[np.uint8], original: "Pixels | None" = None) -> float:
    """Return the IoU of green paint and an object's mask: green pixels are clearly more green than red and blue.

    Args:
        painted: Height × width × 3 RGB.
        mask: Height × width, 0–255: the object where above 127.
        original: The picture before, if there is one: what was as green there is no paint.
    """
    return _iou(green(painted, original), at_512(mask))


def green_published(painted: Pixels, t: int = 100, original: "Pixels | None" = None) -> Mask:
    """Return where GIR-Bench sees green paint, 512 × 512.

    Red and blue at most t and green at least 255 − t, or within t of a second green, its bounds wrapping round as 8-bit
    numbers do; opened by 3, closed by 5, parts below max(50, 0.05 %) dropped, closed by 3. If nothing is left: green
    1.15 times red and blue and raised by more than 10, cleaned alike and grown by five steps of colour distance 6 in
    Lab. At last parts below 3 % of the picture are dropped.
    """
    pixels = resized(painted)
    red, green, blue = (pixels[..., channel] for channel in range(3))
    plain = (blue <= t) & (green >= 255 - t) & (red <= t)
    # The published code adds and subtracts in 8 bits, where 159 + 100 wraps round to 3.
    low, high = ((np.array(BAND) + sign * t).astype(np.uint8) for sign in (-1, 1))
    band = ((pixels >= low) & (pixels <= high)).all(axis=2)
    mask = _cleaned(plain | band)
    if not mask.any():
        # As in the published code: a paler green is sought only where no plain green is found.
        mask = _second_attempt(pixels, original)
    return _without_small(mask, LEAST_SHARE * SIDE * SIDE)


def green(painted: Pixels, original: "Pixels | None" = None) -> Mask:
    """Return the mask of paint: green leads red and blue by 40 or more, and by 20 more than before painting."""
    # Signed, because differences of bytes would wrap round below zero.
    pixels = resized(painted).astype(np.int16)
    lead = pixels[..., 1] - np.maximum(pixels[..., 0], pixels[..., 2])
    mask = lead >= 40
    if original is not None:
        before = resized(original).astype(np.int16)
        mask &= lead - (before[..., 1] - np.maximum(before[..., 0], before[..., 2])) >= 20
    return _cleaned(mask)


def resized(pixels: Pixels) -> Pixels:
    """Bring a picture to 512 × 512 by linear interpolation without antialiasing, its proportions not kept."""
    if pixels.shape[:2] == (SIDE, SIDE):
        return pixels
    rows, row_weights = _between(pixels.shape[0])
    columns, column_weights = _between(pixels.shape[1])
    values = pixels.astype(np.float64)
    tall = values[rows[0]] * (1 - row_weights)[:, None, None] + values[rows[1]] * row_weights[:, None, None]
    weights = column_weights[None, :, None]
    return np.rint(tall[:, columns[0]] * (1 - weights) + tall[:, columns[1]] * weights).astype(np.uint8)


def _between(size: int) -> tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], npt.NDArray[np.float64]]:
    """Return for each of 512 places the two neighbours among ``size``, and the weight of the second."""
    places = np.clip((np.arange(SIDE) + 0.5) * size / SIDE - 0.5, 0, size - 1)
    first = np.floor(places).astype(np.intp)
    return (first, np.minimum(first + 1, size - 1)), places - first


def at_512(mask: npt.NDArray[np.uint8]) -> Mask:
    """Bring a mask to 512 × 512, each place taking the pixel at its corner, and keep pixels above 127."""
    rows, columns = (np.arange(SIDE) * size // SIDE for size in mask.shape[:2])
    above: Mask = mask[rows][:, columns] > 127
    return above


def _second_attempt(pixels: Pixels, original: "Pixels | None") -> Mask:
    values = pixels.astype(np.float64)
    red, green, blue = (values[..., channel] for channel in range(3))
    before = resized(original)[..., 1].astype(np.float64) if original is not None else np.maximum(red, blue)
    mask = _cleaned((green > 1.15 * red) & (green > 1.15 * blue) & (green - before > 10))
    return _grown(mask, pixels) if mask.any() else mask


def _grown(mask: Mask, pixels: Pixels) -> Mask:
    """Add neighbours whose colour is near the mean of the mask, step by step."""
    from skimage.color import rgb2lab

    lab = np.asarray(rgb2lab(pixels))
    for _ in range(GROWTH_STEPS):
        near = np.linalg.norm(lab - lab[mask].mean(axis=0), axis=2) < GROWTH_DISTANCE
        mask = mask | (ndimage.binary_dilation(mask, EIGHT) & near)
    return mask


def _cleaned(mask: Mask) -> Mask:
    opened = _closed(_eroded_and_dilated(mask, 3), 5)
    return _closed(_without_small(opened, max(50, 0.0005 * SIDE * SIDE)), 3)


def _eroded_and_dilated(mask: Mask, size: int) -> Mask:
    kernel = np.ones((size, size), bool)
    return ndimage.binary_dilation(ndimage.binary_erosion(mask, kernel, border_value=1), kernel)


def _closed(mask: Mask, size: int) -> Mask:
    kernel = np.ones((size, size), bool)
    # Beyond the picture counts as set, so that closing takes nothing away at the edges.
    return ndimage.binary_erosion(ndimage.binary_dilation(mask, kernel), kernel, border_value=1)


def _without_small(mask: Mask, least: float) -> Mask:
    parts, count = ndimage.label(mask, EIGHT)
    large_labels = np.bincount(parts.ravel(), minlength=count + 1) >= least
    # Label 0 is the ground between the parts.
    large_labels[0] = False
    return large_labels[parts]


def _iou(first: Mask, second: Mask) -> float:
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else 1.0
