"""Jigsaw: how near put-together pictures come to the originals, as a normalised Fréchet distance of features."""

from math import exp

import numpy as np
import numpy.typing as npt

from ircore.scorers.metrics.frechet import frechet_distance

SCALE = 60.0
"""FID at which the score falls to 1/e."""


def normalised(distance: float) -> float:
    """Return exp(−distance / 60), 0–1; 1 for a distance of 0."""
    return min(max(exp(-distance / SCALE), 0.0), 1.0)


def jigsaw_published(references: npt.ArrayLike, generated: npt.ArrayLike) -> float:
    """Return GIR-Bench's score: one FID over the whole set, normalised.

    It does not know which picture belongs to which, so a set in which all pictures are exchanged is perfect.

    Args:
        references: Features of the originals, shape (pictures, features): 2048 of the Inception network, of pictures
            squashed to 512 × 512 (``metrics.fid``).
        generated: The same of the answers.
    """
    return normalised(frechet_distance(references, generated))


def jigsaw_each(references: npt.ArrayLike, generated: npt.ArrayLike) -> tuple[float, ...]:
    """Return the score of each picture against its own original: the same distance of two points, normalised.

    The Gaussian of a single picture has no spread, so that the distance is ‖f₁ − f₂‖².

    Args:
        references: Features of the originals, shape (pictures, features).
        generated: Features of the answers in the same order.

    Returns:
        0–1 each; their mean is the corrected score of the set.

    Raises:
        ValueError: The shapes differ.
    """
    originals, answers = (np.asarray(features, np.float64) for features in (references, generated))
    if originals.shape != answers.shape:
        raise ValueError("as many answers as originals, with the same features, are needed")
    return tuple(normalised(float(distance)) for distance in ((originals - answers) ** 2).sum(axis=1))
