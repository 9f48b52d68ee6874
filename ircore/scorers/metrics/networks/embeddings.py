"""Similarity of two pictures by the embeddings of a model of ``transformers``: CLIP, and DINO of any version."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.networks.weights import named, obstacle_of, weights_of

if TYPE_CHECKING:
    from torch import Tensor

CLIP, DINO = "IRCORE_CLIP_MODEL", "IRCORE_DINO_MODEL"
REMEMBERED = 64
PACKAGES = ("torch", "transformers")


def clip_similarity(target: Pixels, image: Pixels) -> float:
    """Return the cosine of CLIP's embeddings of two pictures, −1 to 1, not times 100 and not cut off."""
    return _similarity(CLIP, target, image)


def dino_similarity(target: Pixels, image: Pixels) -> float:
    """Return the cosine of DINO's embeddings of two pictures (class token), −1 to 1."""
    return _similarity(DINO, target, image)


def embedding(variable: str, pixels: Pixels) -> "Tensor":
    """Return the embedding of a picture by the model that a variable names.

    Args:
        variable: ``CLIP`` or ``DINO``.
        pixels: Height × width × 3 RGB.

    Raises:
        InputError: No model is named, or it cannot be used.
    """
    import torch

    model, processor = _model(variable, named(variable))
    with torch.inference_mode():
        inputs = processor(images=pixels, return_tensors="pt")
        if variable == CLIP:
            seen = model.get_image_features(pixel_values=inputs["pixel_values"])
            return (seen if isinstance(seen, torch.Tensor) else seen.pooler_output)[0]
        return model(pixel_values=inputs["pixel_values"]).last_hidden_state[0, 0]


def load_pretrained(variable: str, place: str, kind: Any, processor_kind: Any, **settings: Any) -> tuple[Any, Any]:
    """Load a model of ``transformers`` and its image processor, strictly.

    Args:
        variable: Which named it, for messages.
        place: A folder, or the name of a model on the Hub.
        kind: Class of the model.
        processor_kind: Class of the processor.
        settings: Passed to the model's class.

    Raises:
        InputError: There is no such model, or its weights lack something or have something left over.
    """
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)  # scoring has a process for each core
    try:
        model, report = kind.from_pretrained(place, output_loading_info=True, **settings)
        processor = processor_kind.from_pretrained(place)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{variable}: {place}: cannot be loaded ({said})", "Name a folder or a model.") from error
    for what in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        faults = sorted(map(str, report.get(what, ())))
        if faults:
            words = what.removesuffix("_keys")
            raise InputError(
                f"{variable}: {place}: {words} weights: {faults[0]} of {len(faults)}", "Name another model."
            )
    return model.eval(), processor


def _similarity(variable: str, target: Pixels, image: Pixels) -> float:
    from torch.nn import functional

    try:
        one, other = embedding(variable, target), embedding(variable, image)
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error
    return float(functional.cosine_similarity(one, other, dim=0).clamp(-1, 1))


@lru_cache(maxsize=2)
def _model(variable: str, place: str) -> tuple[Any, Any]:
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
    obstacle=obstacle_of(CLIP, packages=PACKAGES),
    weights=weights_of(CLIP),
    trap="Rarely below 0.4, even for unrelated pictures; blind to places and counts.",
)

DINO_METRIC = Metric(
    name="dino",
    title="DINO similarity",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="cosine of class tokens; GIR-Bench takes DINOv3 ViT-7B/16 (Siméoni et al. 2025)",
    compute=dino_similarity,
    needs=f"extra perceptual; {DINO}: folder or name, such as facebook/dinov2-base",
    obstacle=obstacle_of(DINO, packages=PACKAGES),
    weights=weights_of(DINO),
    trap="Values of different DINO models cannot be compared; the weights are recorded with each.",
)
