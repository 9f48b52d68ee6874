"""Entities: how much a generated picture resembles reference pictures of the same thing, by a network's embeddings."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt


def cosine(one: npt.ArrayLike, other: npt.ArrayLike) -> float | None:
    """Return the cosine of two embeddings, −1 to 1; None if either embedding is zero."""
    x, y = (np.asarray(embedding, np.float64).ravel() for embedding in (one, other))
    length = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(np.clip(x @ y / length, -1, 1)) if length else None


def entity_similarity(generated: npt.ArrayLike, references: Sequence[npt.ArrayLike]) -> float | None:
    """Return the mean cosine of a picture with all reference pictures of its entity; None without references.

    Args:
        generated: Embedding of the picture; GIR-Bench takes DINOv3 ViT-7B/16 at 224 × 224 (``metrics.dino``).
        references: Embeddings of the reference pictures.
    """
    cosines = [value for reference in references if (value := cosine(generated, reference)) is not None]
    return fmean(cosines) if cosines else None


def category_similarity_published(by_category: Mapping[str, Sequence[float | None]]) -> dict[str, float | None]:
    """Return the mean of each category over the pictures that exist; None stands for a missing picture."""
    known = {name: [value for value in values if value is not None] for name, values in by_category.items()}
    return {name: fmean(values) if values else None for name, values in known.items()}


def category_similarity(by_category: Mapping[str, Sequence[float | None]]) -> dict[str, float | None]:
    """Return the mean of each category over all pictures asked for; a missing picture counts 0."""
    return {name: fmean([value or 0.0 for value in values]) if values else None for name, values in by_category.items()}
