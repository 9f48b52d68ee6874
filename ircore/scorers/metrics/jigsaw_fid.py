"""Jigsaw: how near put-together pictures come to the originals, as a normalised Fréchet distance of features."""

from math import exp

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
