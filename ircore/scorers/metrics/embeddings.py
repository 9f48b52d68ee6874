"""Similarity of two pictures by the embeddings of a model of ``transformers``: CLIP, and DINO of any version."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.core.plugins import load_pretrained
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.network_weights import (
    build_obstacle_check,
    build_weights_check,
    convert_to_tensor,
    read_variable,
)

if TYPE_CHECKING:
    from torch import Tensor

CLIP, DINO = "IRCORE_CLIP_MODEL", "IRCORE_DINO_MODEL"
DINO_SIDE = 224
"""Pixels to which GIR-Bench squashes pictures before DINO sees them."""
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and standard deviation of red, green and blue, 0–1."""
PACKAGES = ("torch", "transformers")


def clip_similarity(target: Pixels, image: Pixels) -> float:
    """Return the cosine of CLIP's embeddings of two pictures, −1 to 1, not times 100 and not cut off."""
    return _compute_similarity(CLIP, target, image)


def dino_similarity(target: Pixels, image: Pixels) -> float:
    """Return the cosine of DINO's embeddings of two pictures (class token), −1 to 1, by GIR-Bench's rule.

    Both pictures are squashed to 224 × 224, whatever the model's own processor does.
    """
    return _compute_similarity(DINO, target, image)


def compute_embedding(variable: str, pixels: Pixels) -> "Tensor":
    """Return the embedding of a picture by the model that a variable names.

    Args:
        variable: ``CLIP`` or ``DINO``.
        pixels: Height × width × 3 RGB.

    Raises:
        InputError: No model is named, or it cannot be used.
    """
    import torch

    model, processor = _load_model(variable, read_variable(variable))
    with torch.inference_mode():
        if variable == DINO:
            return model(pixel_values=_resize_and_normalise(pixels)).last_hidden_state[0, 0]
        inputs = processor(images=pixels, return_tensors="pt")
        features = model.get_image_features(pixel_values=inputs["pixel_values"])
        # Versions of transformers differ: the features themselves, or an output that holds them.
        return (features if isinstance(features, torch.Tensor) else features.pooler_output)[0]


def _resize_and_normalise(pixels: Pixels) -> "Tensor":
    """Return a picture as 1 × 3 × 224 × 224, proportions not kept, normalised by ImageNet's mean and deviation."""
    import torch

    square = Image.fromarray(pixels).resize((DINO_SIDE, DINO_SIDE), Image.Resampling.BILINEAR)
    mean, deviation = (torch.tensor(of_channels).reshape(1, 3, 1, 1) for of_channels in IMAGENET)
    return (convert_to_tensor(np.asarray(square)) - mean) / deviation


def _compute_similarity(variable: str, target: Pixels, image: Pixels) -> float:
    from torch.nn import functional

    try:
        of_target, of_image = compute_embedding(variable, target), compute_embedding(variable, image)
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error
    # Rounding in 32 bits takes the cosine of equal vectors a little above 1, out of the metric's range.
    return float(functional.cosine_similarity(of_target, of_image, dim=0).clamp(-1, 1))


@lru_cache(maxsize=2)
def _load_model(variable: str, place: str) -> tuple[Any, Any]:
    from transformers import AutoImageProcessor, AutoModel, CLIPModel

    return load_pretrained(variable, place, CLIPModel if variable == CLIP else AutoModel, AutoImageProcessor)


CLIP_METRIC = Metric(
    name="clip",
    title="CLIP similarity",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="Radford et al. 2021; cosine of image embeddings as published by ConvGenVisMo (clip-vit-base-patch32)",
    compute=clip_similarity,
    needs=f"extra perceptual; {CLIP}: folder or name, such as openai/clip-vit-base-patch32",
    obstacle=build_obstacle_check(CLIP, packages=PACKAGES),
    weights=build_weights_check(CLIP),
    trap="Rarely below 0.4, even for unrelated pictures; blind to places and counts.",
)

DINO_METRIC = replace(
    CLIP_METRIC,
    name="dino",
    title="DINO similarity",
    source="cosine of class tokens at 224 × 224 pixels; GIR-Bench takes DINOv3 ViT-7B/16 (Siméoni et al. 2025)",
    compute=dino_similarity,
    version="2",
    needs=f"extra perceptual; {DINO}: folder or name, such as facebook/dinov2-base",
    obstacle=build_obstacle_check(DINO, packages=PACKAGES),
    weights=build_weights_check(DINO),
    trap="Values of different DINO models cannot be compared; the weights are recorded with each.",
)
