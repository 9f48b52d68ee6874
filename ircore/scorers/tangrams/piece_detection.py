"""Finding the seven pieces of a tangram in a picture, by their colours or by the white lines between them."""

from collections.abc import Mapping

import numpy as np
from scipy import ndimage

from ircore.core.images import Pixels
from ircore.core.records import Element
from ircore.scorers.tangrams.pieces import Labels

FARTHEST = 110.0
"""Distance in RGB beyond which a pixel has no piece's colour."""
LEAST_SHARE = 1 / 160
"""Part of all dark pixels below which a component is dirt: a tenth of a small triangle."""


def is_coloured(pieces: Mapping[str, Element]) -> bool:
    """Return whether all pieces differ in colour."""
    return len({element.colour for element in pieces.values()}) == len(pieces)


def labels_by_colour(pixels: Pixels, pieces: Mapping[str, Element], ground: str) -> Labels:
    """Give each pixel to the piece whose colour is nearest, or to none.

    Args:
        pixels: Height × width × 3.
        pieces: With their colours, by number.
        ground: Colour of the ground.
    """
    names = [0, *map(int, pieces)]
    colours = np.array([_rgb(ground), *(_rgb(element.colour or ground) for element in pieces.values())], np.int32)
    flat = pixels.reshape(-1, 3).astype(np.int32)
    distances = np.stack([((flat - colour) ** 2).sum(1) for colour in colours])
    nearest = distances.argmin(0)
    # Squared distances: their order is the same, and no root of every pixel is needed.
    labels = np.where(distances.min(0) <= FARTHEST**2, np.array(names)[nearest], 0)
    return labels.reshape(pixels.shape[:2])


def components(pixels: Pixels, colour: str, ground: str) -> Labels:
    """Number the connected areas of one colour from 1, dirt left out.

    Args:
        pixels: Height × width × 3.
        colour: Of all pieces.
        ground: Colour of the ground.
    """
    flat = pixels.astype(np.int32)
    own, other = (((flat - np.array(_rgb(name), np.int32)) ** 2).sum(2) for name in (colour, ground))
    areas, count = ndimage.label(own < other)
    sizes = np.bincount(areas.ravel(), minlength=count + 1)
    # Number 0 is the ground.
    sizes[0] = 0
    large_areas = np.flatnonzero(sizes >= max(1.0, LEAST_SHARE * int(sizes.sum())))
    renumbered = np.zeros(count + 1, int)
    renumbered[large_areas] = np.arange(1, len(large_areas) + 1)
    return np.asarray(renumbered[areas], int)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
