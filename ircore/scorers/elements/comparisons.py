"""Comparisons of two lists of elements by the names of their metrics, whoever saw the elements."""

from collections.abc import Callable, Mapping

from ircore.core.elements import ElementList
from ircore.scorers.elements.iou import element_iou
from ircore.scorers.elements.presence import presence, presence_published

COMPARISONS: Mapping[str, Callable[[ElementList, ElementList], float | None]] = {
    "ep_precision": lambda reference, drawn: presence(reference.counts, drawn.counts).precision,
    "ep_recall": lambda reference, drawn: presence(reference.counts, drawn.counts).recall,
    "ep_f1": lambda reference, drawn: presence(reference.counts, drawn.counts).f1,
    "ep_precision_published": lambda reference, drawn: presence_published(reference.counts, drawn.counts).precision,
    "ep_recall_published": lambda reference, drawn: presence_published(reference.counts, drawn.counts).recall,
    "ep_f1_published": lambda reference, drawn: presence_published(reference.counts, drawn.counts).f1,
    "iou_common": lambda reference, drawn: element_iou(reference, drawn).common,
    "iou_precision": lambda reference, drawn: element_iou(reference, drawn).precision,
    "iou_recall": lambda reference, drawn: element_iou(reference, drawn).recall,
}
"""Metrics of elements of a reference and of a drawn picture, 0–1; None where a comparison has no value."""
