"""Presence and overlap of the elements of two pictures, as ConvGenVisMo defines them; as metrics with DETR's elements.

For every class the boxes of all its instances are drawn into one mask of 512 × 512, both pictures stretched to it, and
the IoU of the two masks is taken. The values follow the paper's text: the published code keeps the last box of each
class only and was never run on the published set.

DETR (Carion et al. 2020) comes through ``transformers``: classes of COCO, boxes, a threshold of 0.9.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ircore.core.elements import ElementList, SeenElement
from ircore.core.errors import InputError
from ircore.core.images import Pixels, hash_pixels
from ircore.core.plugins import load_pretrained
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.network_weights import (
    build_obstacle_check,
    build_weights_check,
    compute_fingerprint,
    read_variable,
)
from ircore.scorers.metrics.networks import PACKAGES

Empty = Literal["neither", "reference", "generated", "both"]
"""Which of the two lists has no element."""

EmptyRule = Literal["one", "zero", "none"]
"""What a ratio is whose denominator is an empty list: 1, as published; 0; or no value."""

SIDE = 512
"""Pixels of the masks."""

Mask = npt.NDArray[np.bool_]

COMPARISONS: Mapping[str, Callable[[ElementList, ElementList], float | None]] = {
    "ep_precision": lambda reference, drawn: compute_presence(reference.counts, drawn.counts).precision,
    "ep_recall": lambda reference, drawn: compute_presence(reference.counts, drawn.counts).recall,
    "ep_f1": lambda reference, drawn: compute_presence(reference.counts, drawn.counts).f1,
    "ep_precision_published": lambda reference, drawn: (
        compute_published_presence(reference.counts, drawn.counts).precision
    ),
    "ep_recall_published": lambda reference, drawn: compute_published_presence(reference.counts, drawn.counts).recall,
    "ep_f1_published": lambda reference, drawn: compute_published_presence(reference.counts, drawn.counts).f1,
    "iou_common": lambda reference, drawn: compute_element_iou(reference, drawn).common,
    "iou_precision": lambda reference, drawn: compute_element_iou(reference, drawn).precision,
    "iou_recall": lambda reference, drawn: compute_element_iou(reference, drawn).recall,
}
"""Metrics of elements of a reference and of a drawn picture, 0–1; None where a comparison has no value."""

DETR = "IRCORE_DETR_MODEL"
"""Environment variable: a folder, or a name such as facebook/detr-resnet-101."""

THRESHOLD = 0.9
"""Confidence from which on ConvGenVisMo takes a detection."""

obstacle = build_obstacle_check(DETR, packages=PACKAGES)

REMEMBERED = 64
"""Pictures whose elements are kept in memory."""

_known: "OrderedDict[str, ElementList]" = OrderedDict()

_CORRECTED = "DETR knows the 80 classes of COCO and nothing of charts; pictures in which it sees nothing have no value."
_PUBLISHED = "Classes over instances: a perfect picture of two persons gets 0.5; an empty list gets 1."
_IOU = "By the paper's text; its code keeps one box a class and was not run on the published set."


@dataclass(frozen=True)
class Presence:
    """Element presence of one pair of pictures."""

    precision: float | None
    """Share of the generated elements that the reference has, 0–1; None where the rule gives none."""

    recall: float | None
    """Share of the reference's elements that were generated, 0–1."""

    f1: float | None
    """Harmonic mean of both; 0 where they add up to 0."""

    empty: Empty
    """Which list was empty, so that the rule and not the picture decided."""


def find_empty_side(reference: Mapping[str, object] | int, generated: Mapping[str, object] | int) -> Empty:
    """Say which side has nothing."""
    if not reference:
        return "reference" if generated else "both"
    return "neither" if generated else "generated"


def compute_published_presence(reference: Mapping[str, int], generated: Mapping[str, int]) -> Presence:
    """Return element presence as ConvGenVisMo's code computes it.

    P = n / Σ generated, R = n / Σ reference with n the number of classes in both; 1 where the side is empty; F1 is 0
    if P + R = 0. A perfect picture with two of a kind scores below 1.

    Args:
        reference: Instances by label in the reference.
        generated: Instances by label in the generated picture.
    """
    shared = len(_drop_zero_counts(reference) & _drop_zero_counts(generated))
    return _build_presence(shared, reference, generated, "one")


def compute_presence(reference: Mapping[str, int], generated: Mapping[str, int], rule: EmptyRule = "none") -> Presence:
    """Return element presence over instances: each label counts as often as both pictures show it.

    P = Σ min(r, g) / Σ g, R = Σ min(r, g) / Σ r.

    Args:
        reference: Instances by label in the reference.
        generated: Instances by label in the generated picture.
        rule: What a ratio over an empty list is. With ``none`` it has no value; F1 is then 0 if one list is empty,
            since everything was missed or invented, and has no value if both are.
    """
    shared = (_drop_zero_counts(reference) & _drop_zero_counts(generated)).total()
    return _build_presence(shared, reference, generated, rule)


@dataclass(frozen=True)
class _ElementIoU:
    """Mean IoU over classes, in the three readings of the paper."""

    common: float | None
    """Over the classes that both pictures show, 0–1; None where the rule gives none."""

    precision: float | None
    """Over the classes of the generated picture; one that the reference lacks counts 0."""

    recall: float | None
    """Over the classes of the reference; one that was not generated counts 0."""

    by_label: dict[str, float]
    """IoU of each class that both show and whose boxes have an area."""

    empty: Empty
    """Which list has no element with a box, so that the rule decided."""

    without_box: tuple[str, ...]
    """Labels of which an instance has no box: they are left out."""

    without_area: tuple[str, ...]
    """Labels whose boxes cover no pixel in either picture, where IoU would be 0/0: they are left out."""


def compute_element_iou(reference: ElementList, generated: ElementList, rule: EmptyRule = "none") -> _ElementIoU:
    """Return the three mean IoUs of two lists of elements.

    Args:
        reference: What the reference shows.
        generated: What the generated picture shows.
        rule: What a mean over no class is: 0 as published (``zero``), 1 (``one``), or no value (``none``).
    """
    # A label of which one instance lacks its box is left out on both sides: its mask would be too small.
    without_box = sorted({e.label for e in (*reference.elements, *generated.elements) if e.box is None})
    wanted, drawn = (_draw_masks(elements, set(without_box)) for elements in (reference, generated))
    # Boxes narrower than a pixel of the mask, such as 0.3 wide, cut to nothing.
    covering = {label for masks in (wanted, drawn) for label, mask in masks.items() if mask.any()}
    flat = sorted({*wanted, *drawn} - covering)
    for label in flat:
        wanted.pop(label, None)
        drawn.pop(label, None)
    by_label = {label: _compute_iou(wanted[label], drawn[label]) for label in sorted(wanted.keys() & drawn.keys())}
    otherwise = {"one": 1.0, "zero": 0.0, "none": None}[rule]

    def mean(labels: Iterable[str]) -> float | None:
        values = [by_label.get(label, 0.0) for label in labels]
        return sum(values) / len(values) if values else otherwise

    return _ElementIoU(
        common=mean(by_label),
        precision=mean(sorted(drawn)),
        recall=mean(sorted(wanted)),
        by_label=by_label,
        empty=find_empty_side(len(wanted), len(drawn)),
        without_box=tuple(without_box),
        without_area=tuple(flat),
    )


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


def _drop_zero_counts(counts: Mapping[str, int]) -> Counter[str]:
    # A list by hand may say {"person": 0}: that is no shared class.
    return Counter({label: count for label, count in counts.items() if count > 0})


def _build_presence(
    shared: int, reference: Mapping[str, int], generated: Mapping[str, int], rule: EmptyRule
) -> Presence:
    reference_count, generated_count = sum(reference.values()), sum(generated.values())
    empty = find_empty_side(reference_count, generated_count)
    otherwise = {"one": 1.0, "zero": 0.0, "none": None}[rule]
    precision = shared / generated_count if generated_count else otherwise
    recall = shared / reference_count if reference_count else otherwise
    return Presence(precision, recall, _compute_f1(precision, recall, empty), empty)


def _compute_f1(precision: float | None, recall: float | None, empty: Empty) -> float | None:
    if precision is None or recall is None:
        # The rule "none" alone leads here: one list is empty, so the other one was missed or invented as a whole.
        return None if empty == "both" else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _draw_masks(elements: ElementList, left_out: set[str]) -> dict[str, Mask]:
    """Return each label's union of boxes as a mask, coordinates scaled to the mask and cut to whole pixels."""
    masks: dict[str, Mask] = {}
    for element in elements.elements:
        if element.box is None or element.label in left_out:
            continue
        mask = masks.setdefault(element.label, np.zeros((SIDE, SIDE), bool))
        left, right = (_scale_to_mask(x, elements.width) for x in (element.box[0], element.box[2]))
        top, bottom = (_scale_to_mask(y, elements.height) for y in (element.box[1], element.box[3]))
        mask[top:bottom, left:right] = True
    return masks


def _scale_to_mask(value: float, side: int) -> int:
    # Detectors return boxes that reach beyond the edge of the picture.
    return int(min(max(value / side, 0.0), 1.0) * SIDE)


def _compute_iou(first: Mask, second: Mask) -> float:
    return int((first & second).sum()) / int((first | second).sum())


@lru_cache(maxsize=1)
def _load_model(place: str) -> tuple[Any, Any]:
    from transformers import AutoImageProcessor, DetrForObjectDetection

    return load_pretrained(DETR, place, DetrForObjectDetection, AutoImageProcessor)


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
