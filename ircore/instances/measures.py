"""Measures that tell how hard a picture is to describe: elements, edges, text, colours; and its likeness to others.

They are taken from the picture and from its scene alone, whoever drew it, so that *easy* and *hard* can be checked
instead of declared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.core.records import Scene

EDGE_STEP = 32
"""Difference of two neighbours' luma, of 255, from which a pixel lies on an edge."""

COLOUR_BITS = 4
"""Bits of each channel that tell colours apart: shades that differ by less than 16 levels count once."""

COLOUR_SHARE = 0.001
"""Share of the pixels that a colour needs, so that the blurred rims of lines count no colours."""

HASH_SIDE = 8
NEAR = 3
"""Bits of 64 in which the perceptual hashes of near-duplicates differ at most."""

_LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in luma (ITU-R BT.601)."""


@dataclass(frozen=True)
class Measures:
    """Measures of one picture.

    Attributes:
        elements: Elements of the scene; None without a scene.
        text_density: Written characters in 10,000 pixels; None without a scene.
        edge_density: Share of the pixels that lie on an edge, 0–1.
        colours: Colours that cover a thousandth of the picture or more.
    """

    elements: int | None
    text_density: float | None
    edge_density: float
    colours: int


MEASURES = tuple(field.name for field in fields(Measures))
"""Names of the measures."""


def measure(pixels: Pixels, scene: Scene | None) -> Measures:
    """Return the measures of a picture.

    Args:
        pixels: Height × width × 3, 0–255.
        scene: What was drawn, if that is known.
    """
    area = pixels.shape[0] * pixels.shape[1]
    letters = None if scene is None else sum(len(element.text or "") for element in scene.elements)
    return Measures(
        elements=None if scene is None else len(scene.elements),
        text_density=None if letters is None else letters * 10_000 / area,
        edge_density=edge_density(pixels),
        colours=count_colours(pixels),
    )


def edge_density(pixels: Pixels) -> float:
    """Return the share of pixels whose luma differs by ``EDGE_STEP`` or more from the pixel to the right or below.

    >>> half_black = np.zeros((10, 10, 3), np.uint8)
    >>> half_black[:, 5:] = 255
    >>> edge_density(half_black)  # one of ten columns
    0.1
    """
    luma = _luma(pixels)
    edges = np.zeros(luma.shape, dtype=bool)
    edges[:, :-1] |= np.abs(np.diff(luma, axis=1)) >= EDGE_STEP
    edges[:-1] |= np.abs(np.diff(luma, axis=0)) >= EDGE_STEP
    return float(edges.mean())


def _luma(pixels: Pixels) -> npt.NDArray[np.float64]:
    luma: npt.NDArray[np.float64] = pixels.astype(np.float64) @ np.array(_LUMA)
    return luma


def count_colours(pixels: Pixels) -> int:
    """Return how many colours, of ``COLOUR_BITS`` a channel, cover ``COLOUR_SHARE`` of a picture or more."""
    # Eight bits would overflow when the channels are packed into one code.
    levels = (pixels >> (8 - COLOUR_BITS)).astype(np.uint32)
    codes = (levels[..., 0] << 2 * COLOUR_BITS) | (levels[..., 1] << COLOUR_BITS) | levels[..., 2]
    counts = np.bincount(codes.ravel(), minlength=1 << 3 * COLOUR_BITS)
    return int((counts >= COLOUR_SHARE * codes.size).sum())


def perceptual_hash(pixels: Pixels) -> int:
    """Return a 64-bit difference hash: which of two neighbours in a picture of 9 × 8 grey cells is brighter.

    Pictures whose hashes differ in few bits look alike, whatever their size (N. Krawetz, *Kind of Like That*, 2013).
    """
    from PIL import Image

    # One column more than the hash: each bit compares two neighbours.
    small = Image.fromarray(np.asarray(pixels)).convert("L").resize((HASH_SIDE + 1, HASH_SIDE), Image.Resampling.BOX)
    # Grey cells alone: pictures that differ in colour only count as alike.
    grey = np.asarray(small, dtype=np.int16)
    bits = (grey[:, 1:] > grey[:, :-1]).ravel()
    return int("".join("1" if bit else "0" for bit in bits), 2)


def near_duplicates(hashes: Mapping[str, int], most: int = NEAR) -> list[tuple[str, str]]:
    """Return the pairs of names whose hashes differ in at most ``most`` bits, in the order of the names given.

    >>> near_duplicates({"a": 0b1111, "b": 0b1110, "c": 0}, most=1)
    [('a', 'b')]
    """
    pairs = combinations(hashes.items(), 2)
    return [(name, other) for (name, own), (other, its_hash) in pairs if (own ^ its_hash).bit_count() <= most]


def mean(values: Iterable[float]) -> float | None:
    """Return the arithmetic mean; None without values."""
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else None
