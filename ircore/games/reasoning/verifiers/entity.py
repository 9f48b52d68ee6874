"""Entity: how much a picture resembles reference pictures of the same thing, by a network's embeddings."""

from collections.abc import Sequence
from statistics import fmean


def entity_similarity(cosines: Sequence[float]) -> float | None:
    """Return the similarity of a picture to an entity by GIR-Bench's rule: the mean cosine with all its references.

    A mean below 0 counts as 0, where the game's scores begin. GIR-Bench leaves missing pictures out of the mean over
    a category; the table ``girbench`` has that mean, and the corrected one in which they count 0.

    Args:
        cosines: Cosine of the picture's embedding with that of each reference picture, −1 to 1; GIR-Bench takes
            DINOv3 ViT-7B/16 at 224 × 224 pixels (metric ``dino``).

    Returns:
        0–1; None without a reference picture.
    """
    return max(0.0, fmean(cosines)) if cosines else None
