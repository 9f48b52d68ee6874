"""Quantity: are there exactly as many of each thing as were asked for?"""

from collections.abc import Mapping, Sequence

from ircore.games.reasoning.verifiers.detections import Detections


def quantity_published(expected: Mapping[str, int], seen: Detections) -> bool:
    """Say whether a picture is right by GIR-Bench's rule.

    Each count is the larger of what was reported and the number of boxes, 0 for what was reported missing; all must be
    as expected and nothing reported missing. Things that nobody asked for are not penalised.
    """
    return not seen.missing and all(seen.found(label) == count for label, count in expected.items())


def quantity(expected: Mapping[str, int], seen: Detections) -> bool:
    """Return whether a picture shows exactly the expected classes, each as often as expected.

    A class of which boxes are known is counted by its boxes, since a bare number was not grounded. A class that was
    expected 0 times may be reported missing.
    """
    classes = {*expected, *seen.boxes, *seen.counts}
    return all(_grounded(seen, label) == expected.get(label, 0) for label in classes)


def quantity_share(expected: Mapping[str, int], seen: Detections) -> float | None:
    """Return the share of the expected classes that have the right count, 0–1; None if nothing was expected."""
    right = [_grounded(seen, label) == count for label, count in expected.items()]
    return sum(right) / len(right) if right else None


def score_published(verdicts: Sequence[bool | None]) -> float | None:
    """Return GIR-Bench's score: the share of right pictures among existing pictures; None stands for a missing one."""
    known = [verdict for verdict in verdicts if verdict is not None]
    return sum(known) / len(known) if known else None


def score(verdicts: Sequence[bool | None]) -> float | None:
    """Return the share of right pictures among all asked for; a missing picture is wrong; None without any."""
    return sum(verdict is True for verdict in verdicts) / len(verdicts) if verdicts else None


def _grounded(seen: Detections, label: str) -> int:
    if label in seen.missing:
        return 0
    boxes = seen.boxes.get(label, ())
    return len(boxes) if boxes else seen.counts.get(label, 0)
