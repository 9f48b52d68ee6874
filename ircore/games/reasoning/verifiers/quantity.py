"""Quantity: are there exactly as many of each thing as were asked for?"""

from collections.abc import Mapping

from ircore.games.reasoning.verifiers.detections import Detections


def quantity_published(expected: Mapping[str, int], detections: Detections) -> bool:
    """Say whether a picture is right by GIR-Bench's rule.

    Each count is the larger of what was reported and the number of boxes, 0 for what was reported missing; all must be
    as expected and nothing reported missing. Things that nobody asked for are not penalised.
    """
    return not detections.missing and all(detections.found(label) == count for label, count in expected.items())


def quantity(expected: Mapping[str, int], detections: Detections) -> bool:
    """Return whether a picture shows exactly the expected classes, each as often as expected.

    A class of which boxes are known is counted by its boxes, since a bare number was not grounded. A class that was
    expected 0 times may be reported missing.
    """
    classes = {*expected, *detections.boxes, *detections.counts}
    return all(_grounded(detections, label) == expected.get(label, 0) for label in classes)


def _grounded(detections: Detections, label: str) -> int:
    if label in detections.missing:
        return 0
    boxes = detections.boxes.get(label, ())
    return len(boxes) if boxes else detections.counts.get(label, 0)
