"""Fréchet distance between two sets of features from any network, as in FID."""

import numpy as np
import numpy.typing as npt

FEWEST = 2
"""Features a set must have for a covariance."""


def frechet_distance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
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
