"""Metrics by the features of published networks: CLIP and DINO of any version, and LPIPS 0.1.

CLIP and DINO are the similarity of two pictures by the embeddings of a model of ``transformers``. LPIPS is their
distance by the weighted features of AlexNet (Zhang et al. 2018), written from the paper; its weights are published
files: torchvision's AlexNet and the linear heads of the authors.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.core.plugins import load_pretrained
from ircore.scorers.metrics.base import Metric, MetricUnavailableError, resize_to_target
from ircore.scorers.metrics.network_weights import (
    build_obstacle_check,
    build_weights_check,
    convert_to_tensor,
    read_state,
    read_variable,
    select_tensors,
)

if TYPE_CHECKING:
    from torch import Tensor

CLIP, DINO = "IRCORE_CLIP_MODEL", "IRCORE_DINO_MODEL"
DINO_SIDE = 224
"""Pixels to which GIR-Bench squashes pictures before DINO sees them."""
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and standard deviation of red, green and blue, 0–1."""
PACKAGES = ("torch", "transformers")

BACKBONE, HEADS = "IRCORE_LPIPS_BACKBONE", "IRCORE_LPIPS_HEADS"
SHIFT, SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
"""Of red, green and blue in −1 … 1, before the network (the authors' scaling layer)."""

LAYERS = ((0, 11, 4, 2, False), (3, 5, 1, 2, True), (6, 3, 1, 1, True), (8, 3, 1, 1, False), (10, 3, 1, 1, False))
"""Number in ``features``, kernel, stride, padding, and whether the largest of 3 × 3, stride 2, is taken before."""

CHANNELS = (3, 64, 192, 384, 256, 256)
SMALLEST_SIDE = 32
"""Pixels, so that every layer has something to look at."""


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


def list_shapes() -> dict[str, tuple[int, ...]]:
    """Return name and shape of every tensor that is taken from AlexNet's weights."""
    convolutions = {
        f"features.{layer}": (after, before, kernel, kernel)
        for (layer, kernel, *_), (before, after) in zip(LAYERS, pairwise(CHANNELS), strict=True)
    }
    weights: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in convolutions.items()}
    return weights | {f"{name}.bias": shape[:1] for name, shape in convolutions.items()}


def list_head_shapes() -> dict[str, tuple[int, ...]]:
    """Return name and shape of the linear heads."""
    return {f"lin{index}.model.1.weight": (1, channels, 1, 1) for index, channels in enumerate(CHANNELS[1:])}


def lpips(target: Pixels, image: Pixels) -> float:
    """Return the LPIPS distance, 0 or more; 0 for identical pictures.

    At each of five layers the features are brought to unit length along channels; the squared differences, weighted by
    the heads, are averaged over places and added up.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is too small, or the weights cannot be used.
    """
    fitted = resize_to_target(target, image)
    if min(target.shape[:2]) < SMALLEST_SIDE:
        raise MetricUnavailableError(f"smaller than {SMALLEST_SIDE} pixels a side")
    try:
        network = _load_network(read_variable(BACKBONE), read_variable(HEADS))
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error
    return compute_distance(network, convert_to_tensor(target), convert_to_tensor(fitted))


def compute_distance(network: "dict[str, Tensor]", first: "Tensor", second: "Tensor") -> float:
    """Return the distance of two pictures, each 1 × 3 × height × width, 0–1."""
    import torch

    total = 0.0
    with torch.inference_mode():
        for index, (x, y) in enumerate(
            zip(_compute_features(network, first), _compute_features(network, second), strict=True)
        ):
            # The small number keeps places without any feature, such as blank paper, from 0/0.
            squares = (x / (x.norm(dim=1, keepdim=True) + 1e-10) - y / (y.norm(dim=1, keepdim=True) + 1e-10)) ** 2
            total += float((squares * network[f"lin{index}.model.1.weight"]).sum(dim=1).mean())
    return total


LPIPS_METRIC = Metric(
    name="lpips",
    title="LPIPS (AlexNet)",
    unit="",
    higher_is_better=False,
    low=0.0,
    high=None,
    source="Zhang, Isola, Efros, Shechtman and Wang 2018, version 0.1, AlexNet",
    compute=lpips,
    needs=f"extra perceptual; {BACKBONE}: torchvision's AlexNet, {HEADS}: the authors' heads",
    obstacle=build_obstacle_check(BACKBONE, HEADS),
    weights=build_weights_check(BACKBONE, HEADS),
    trap="Trained on photographs; what it makes of charts nobody has shown.",
)


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


def _compute_features(network: "dict[str, Tensor]", picture: "Tensor") -> "list[Tensor]":
    import torch
    from torch.nn import functional

    shift, scale = (torch.tensor(values).reshape(1, 3, 1, 1) for values in (SHIFT, SCALE))
    x = (2 * picture - 1 - shift) / scale
    layers = []
    for layer, _, stride, padding, pooled in LAYERS:
        if pooled:
            x = functional.max_pool2d(x, 3, 2)
        weight, bias = network[f"features.{layer}.weight"], network[f"features.{layer}.bias"]
        x = functional.relu(functional.conv2d(x, weight, bias, stride, padding))
        layers.append(x)
    return layers


@lru_cache(maxsize=1)
def _load_network(backbone: str, heads: str) -> "dict[str, Tensor]":
    import torch

    torch.set_num_threads(1)  # scoring has a process for each core
    # AlexNet's file also holds the layers that name the 1000 classes of ImageNet.
    network = select_tensors(Path(backbone), read_state(Path(backbone)), list_shapes(), unused=("classifier.",))
    return network | select_tensors(Path(heads), read_state(Path(heads)), list_head_shapes())
