"""Fréchet distance between two sets of features from any network, as in FID."""

from math import exp

import numpy as np
import numpy.typing as npt

FEWEST = 2
"""Features a set must have for a covariance."""


def compute_frechet_distance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the squared Fréchet distance between Gaussians fitted to two sets of features.

    ‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁Σ₂)^½), covariances with divisor n − 1 (Heusel et al. 2017, eq. 6; Dowson and Landau
    1982). The trace of the root is the sum of the roots of the eigenvalues of Σ₁Σ₂, which are never negative; what
    rounding makes of zero is cut off.

    Args:
        first: Shape (pictures, features), at least two pictures.
        second: The same number of features.

    Returns:
        0 or more; 0 for equal means and covariances.

    Raises:
        ValueError: A set has fewer than two pictures, or the numbers of features differ.
    """
    x, y = (np.asarray(features, np.float64) for features in (first, second))
    if x.ndim != 2 or y.ndim != 2 or min(len(x), len(y)) < FEWEST or x.shape[1] != y.shape[1]:
        raise ValueError("two sets of at least two pictures each, with the same features, are needed")
    difference = x.mean(axis=0) - y.mean(axis=0)
    # With centred X and Y, (Σ₁Σ₂)^½ has the trace of the singular values of X Yᵀ: no root of a large matrix is taken.
    centred_x, centred_y = ((f - f.mean(axis=0)) / np.sqrt(len(f) - 1) for f in (x, y))
    shared = np.linalg.svd(centred_x @ centred_y.T, compute_uv=False).sum()
    spread = (centred_x**2).sum() + (centred_y**2).sum() - 2 * shared
    return float(max(difference @ difference + spread, 0.0))


SCALE = 60.0
"""FID at which the score falls to 1/e."""


def normalise_distance(distance: float) -> float:
    """Return exp(−distance / 60), 0–1; 1 for a distance of 0."""
    return min(max(exp(-distance / SCALE), 0.0), 1.0)


def score_jigsaw_set(references: npt.ArrayLike, generated: npt.ArrayLike) -> float:
    """Return GIR-Bench's score: one FID over the whole set, normalised.

    It does not know which picture belongs to which, so a set in which all pictures are exchanged is perfect.

    Args:
        references: Features of the originals, shape (pictures, features): 2048 of the Inception network, of pictures
            squashed to 512 × 512 (``metrics.fid``).
        generated: The same of the answers.
    """
    return normalise_distance(compute_frechet_distance(references, generated))


def score_each_jigsaw(references: npt.ArrayLike, generated: npt.ArrayLike) -> tuple[float, ...]:
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
    return tuple(normalise_distance(float(distance)) for distance in ((originals - answers) ** 2).sum(axis=1))
