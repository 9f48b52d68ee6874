"""Elements by DETR (Carion et al. 2020) through ``transformers``: classes of COCO, boxes, a threshold of 0.9.

Element presence and IoU as metrics of two pictures, by the elements that DETR detects in both.
"""

from collections import OrderedDict
from functools import lru_cache
from typing import Any

from ircore.core.elements import ElementList, SeenElement
from ircore.core.errors import InputError
from ircore.core.images import Pixels, hash_pixels
from ircore.core.plugins import load_pretrained
from ircore.scorers.elements.comparisons import COMPARISONS
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.networks.embeddings import PACKAGES
from ircore.scorers.metrics.networks.weights import (
    build_obstacle_check,
    build_weights_check,
    compute_fingerprint,
    read_variable,
)

DETR = "IRCORE_DETR_MODEL"
"""Environment variable: a folder, or a name such as facebook/detr-resnet-101."""

THRESHOLD = 0.9
"""Confidence from which on ConvGenVisMo takes a detection."""

obstacle = build_obstacle_check(DETR, packages=PACKAGES)


def detect(pixels: Pixels, threshold: float = THRESHOLD) -> ElementList:
    """Return the elements that DETR detects in a picture.

    Args:
        pixels: Height × width × 3 RGB.
        threshold: Least confidence, 0–1.

    Raises:
        InputError: No model is named, or it cannot be used.
    """
    import torch

    place = read_variable(DETR)
    model, processor = _load_model(place)
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
    return ElementList(width=width, height=height, source=f"detr {compute_fingerprint(place)}"[:200], elements=elements)


@lru_cache(maxsize=1)
def _load_model(place: str) -> tuple[Any, Any]:
    from transformers import AutoImageProcessor, DetrForObjectDetection

    return load_pretrained(DETR, place, DetrForObjectDetection, AutoImageProcessor)


REMEMBERED = 64
"""Pictures whose elements are kept in memory."""

_known: "OrderedDict[str, ElementList]" = OrderedDict()


def _detect_elements(pixels: Pixels) -> ElementList:
    """Return the elements of a picture; a picture is analysed once for all metrics."""
    key = hash_pixels(pixels)
    # Taken out and put back below: the order of the entries is then that of their last use.
    elements = _known.pop(key, None)
    if elements is None:
        try:
            elements = detect(pixels)
        except InputError as error:
            raise MetricUnavailableError(error.problem) from error
    _known[key] = elements
    if len(_known) > REMEMBERED:
        _known.popitem(last=False)
    return elements


def _build_metric(name: str, title: str, trap: str) -> Metric:
    def compute(target: Pixels, image: Pixels) -> float:
        value = COMPARISONS[name](_detect_elements(target), _detect_elements(image))
        if value is None:
            raise MetricUnavailableError("the detector sees nothing that it could be computed from")
        return value

    return Metric(
        name=name,
        title=title,
        unit="",
        higher_is_better=True,
        low=0.0,
        high=1.0,
        source="ConvGenVisMo, elements by DETR (Carion et al. 2020) from a confidence of 0.9 on",
        compute=compute,
        needs=f"extra perceptual; {DETR}: folder or name, such as facebook/detr-resnet-101",
        obstacle=obstacle,
        weights=build_weights_check(DETR),
        trap=trap,
    )


_CORRECTED = "DETR knows the 80 classes of COCO and nothing of charts; pictures in which it sees nothing have no value."
_PUBLISHED = "Classes over instances: a perfect picture of two persons gets 0.5; an empty list gets 1."
_IOU = "By the paper's text; its code keeps one box a class and was not run on the published set."

# One constant each, since every entry point of a plug-in names an attribute of a module.
EP_PRECISION = _build_metric("ep_precision", "Element precision", _CORRECTED)
EP_RECALL = _build_metric("ep_recall", "Element recall", _CORRECTED)
EP_F1 = _build_metric("ep_f1", "Element F1", _CORRECTED)
EP_PRECISION_PUBLISHED = _build_metric("ep_precision_published", "Element precision, published form", _PUBLISHED)
EP_RECALL_PUBLISHED = _build_metric("ep_recall_published", "Element recall, published form", _PUBLISHED)
EP_F1_PUBLISHED = _build_metric("ep_f1_published", "Element F1, published form", _PUBLISHED)
IOU_COMMON = _build_metric("iou_common", "Common IoU", _IOU)
IOU_PRECISION = _build_metric("iou_precision", "Precision IoU", _IOU)
IOU_RECALL = _build_metric("iou_recall", "Recall IoU", _IOU)
