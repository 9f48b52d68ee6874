"""Checks of a figure before a person looks at it: size, ink, edges, titles, and likeness to earlier figures."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ircore.core.images import Picture, Pixels
from ircore.instances.synthesis.studio import Figure

SMALLEST, LARGEST = 256, 1024
"""Pixels that a side of a target may have."""
LONGEST_RATIO = 2.0
EDGE = 2
"""Pixels along each edge that must be of one colour."""
NEAR_COLOUR = 24
"""Levels of a channel by which pixels of one colour may differ."""
LEAST_INK = 0.005
"""Share of the pixels that must differ from the ground."""
NEAR_DUPLICATE = 12
"""Bits of 256 in which the hashes of two different figures differ at least."""

Hash = npt.NDArray[np.bool_]


def faults_of(figure: Figure, earlier: Mapping[str, Hash] | None = None) -> tuple[str, ...]:
    """Return what is wrong with a figure, in words that the model that wrote it can act on; empty if nothing is.

    Args:
        figure: The figure.
        earlier: Hashes of earlier figures by their names.
    """
    picture = figure.picture
    if fault := _size_fault(picture):
        return (fault,)
    faults = []
    if _ink(picture.pixels) < LEAST_INK:
        faults.append("the figure is blank or almost blank")
    elif fault := _edge_fault(picture.pixels):
        faults.append(fault)
    if figure.titles:
        faults.append(f"the figure has a title ({figure.titles[0][:60]!r}); draw none")
    if figure.legends:
        faults.append("the figure has a legend; write labels beside the things instead, or none")
    if figure.scene is None and not faults:
        faults.append("nothing in the figure could be read from its artists; use plain matplotlib artists")
    if not faults and (twin := twin_of(perceptual_hash(picture.pixels), earlier or {})):
        faults.append(f"the figure looks like the earlier figure {twin}; draw another one")
    return tuple(faults)


def perceptual_hash(pixels: Pixels) -> Hash:
    """Return 256 bits that change little when a picture changes little.

    The signs, against their median, of the 16 × 16 lowest frequencies of the picture in grey at 64 × 64 pixels (Zauner,
    *Implementation and Benchmarking of Perceptual Image Hash Functions*, 2010, section 3.2.1), here with 16 instead
    of 8 frequencies a side.
    """
    from PIL import Image
    from scipy.fft import dctn

    small = Image.fromarray(np.asarray(pixels)).convert("L").resize((64, 64), Image.Resampling.LANCZOS)
    frequencies = dctn(np.asarray(small, dtype=np.float64), norm="ortho")[:16, :16].ravel()
    signs: Hash = frequencies > np.median(frequencies[1:])
    return signs


def twin_of(own: Hash, earlier: Mapping[str, Hash]) -> str | None:
    """Return the name of an earlier figure that a figure is nearly a duplicate of; None if there is none."""
    return next((name for name, other in earlier.items() if int((own != other).sum()) < NEAR_DUPLICATE), None)


def _size_fault(picture: Picture) -> str | None:
    width, height = picture.width, picture.height
    sides = sorted((width, height))
    if sides[0] < SMALLEST or sides[1] > LARGEST or sides[1] > LONGEST_RATIO * sides[0]:
        return (
            f"the figure has {width} x {height} pixels; sides have {SMALLEST} to {LARGEST} pixels, and the longer "
            f"one is at most twice the shorter (figsize=(5.12, 5.12) at 100 dpi is right)"
        )
    return None


def _ink(pixels: Pixels) -> float:
    """Return the share of the pixels that differ from the most frequent colour of the edge."""
    ground = _edge_colour(pixels)
    return float((np.abs(pixels.astype(np.int16) - ground).max(axis=2) > NEAR_COLOUR).mean())


def _edge_colour(pixels: Pixels) -> npt.NDArray[np.int16]:
    colours, counts = np.unique(_edge(pixels), axis=0, return_counts=True)
    colour: npt.NDArray[np.int16] = colours[counts.argmax()].astype(np.int16)
    return colour


def _edge(pixels: Pixels) -> Pixels:
    """Return the pixels along the four edges, one after the other."""
    sides = (pixels[:EDGE], pixels[-EDGE:], pixels[:, :EDGE], pixels[:, -EDGE:])
    return np.concatenate([side.reshape(-1, 3) for side in sides])


def _edge_fault(pixels: Pixels) -> str | None:
    """Return at which edges something is cut off; None if every edge is of one colour."""
    ground = _edge_colour(pixels)
    sides = {"left": pixels[:, :EDGE], "right": pixels[:, -EDGE:], "top": pixels[:EDGE], "bottom": pixels[-EDGE:]}
    cut = [
        name for name, side in sides.items() if (np.abs(side.astype(np.int16) - ground).max(axis=2) > NEAR_COLOUR).any()
    ]
    return f"something is cut off at the edge ({', '.join(cut)}); leave a margin" if cut else None
