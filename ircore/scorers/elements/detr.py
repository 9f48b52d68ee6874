"""Elements by DETR (Carion et al. 2020) through ``transformers``: classes of COCO, boxes, a threshold of 0.9."""

from functools import lru_cache
from typing import Any

from ircore.core.elements import ElementList, SeenElement
from ircore.core.extras import load_pretrained
from ircore.core.images import Pixels
from ircore.scorers.metrics.networks.embeddings import PACKAGES
from ircore.scorers.metrics.networks.weights import fingerprint, named, obstacle_of

DETR = "IRCORE_DETR_MODEL"
"""Environment variable: a folder, or a name such as facebook/detr-resnet-101."""

THRESHOLD = 0.9
"""Confidence from which on ConvGenVisMo takes a detection."""

obstacle = obstacle_of(DETR, packages=PACKAGES)


def detect(pixels: Pixels, threshold: float = THRESHOLD) -> ElementList:
    """Return the elements that DETR detects in a picture.

    Args:
        pixels: Height × width × 3 RGB.
        threshold: Least confidence, 0–1.

    Raises:
        InputError: No model is named, or it cannot be used.
    """
    import torch

    place = named(DETR)
    model, processor = _model(place)
    height, width = pixels.shape[:2]
    with torch.inference_mode():
        inputs = processor(images=pixels, return_tensors="pt")
        outputs = model(**inputs)
    # The processor scales pictures for the network; the sizes bring the boxes back to this picture's pixels.
    (objects,) = processor.post_process_object_detection(outputs, threshold=threshold, target_sizes=[(height, width)])
    elements = tuple(
        SeenElement(
            label=model.config.id2label[int(label)],
            box=(float(box[0]), float(box[1]), float(box[2]), float(box[3])),
            score=float(score),
        )
        for label, box, score in zip(objects["labels"], objects["boxes"], objects["scores"], strict=True)
    )
    return ElementList(width=width, height=height, source=f"detr {fingerprint(place)}"[:200], elements=elements)


@lru_cache(maxsize=1)
def _model(place: str) -> tuple[Any, Any]:
    from transformers import AutoImageProcessor, DetrForObjectDetection

    return load_pretrained(DETR, place, DetrForObjectDetection, AutoImageProcessor)
