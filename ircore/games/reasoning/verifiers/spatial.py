"""Spatial relations between things, or groups of things, by the centres of their boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Literal

from ircore.games.reasoning.verifiers.detections import Box, Detections

Relation = Literal["left", "right", "above", "below"]

SHARE = 0.25
"""Of the sum of both sizes: centres must be farther apart than this along one axis."""

LEAST_GAP = 1e-3
DIRECTION = 0.5
"""Least share of the unit vector between centres that must point the way of the relation (60° to either side)."""


@dataclass(frozen=True)
class Asked:
    """A relation that was asked for: ``left`` means that the first is left of the second.

    Example:
        >>> Asked(first=("cat",), relation="left", second=("dog", "bird")).labels
        ('cat', 'dog', 'bird')

    Attributes:
        first: Label, or the labels of a group.
    """

    first: tuple[str, ...]
    relation: Relation
    second: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of both sides."""
        return (*self.first, *self.second)


def relation_holds(first: Box, relation: Relation, second: Box) -> bool:
    """Say whether a relation holds between two boxes, by GIR-Bench's rule.

    With o the difference of the centres, it fails where |o| − 0.25 · (size + size) is below 0.001 along both axes;
    else o / ‖o‖ decides: left dx < −0.5, right dx > 0.5, above dy < −0.5, below dy > 0.5 (y grows downwards).
    """
    dx = (first[0] + first[2] - second[0] - second[2]) / 2
    dy = (first[1] + first[3] - second[1] - second[3]) / 2
    wide = SHARE * (first[2] - first[0] + second[2] - second[0])
    high = SHARE * (first[3] - first[1] + second[3] - second[1])
    # Centres so near that the boxes overlap much have no direction.
    if max(abs(dx) - wide, 0) < LEAST_GAP and max(abs(dy) - high, 0) < LEAST_GAP:
        return False
    x, y = dx / hypot(dx, dy), dy / hypot(dx, dy)
    return {"left": x < -DIRECTION, "right": x > DIRECTION, "above": y < -DIRECTION, "below": y > DIRECTION}[relation]


def union_box(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around one or more boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def relations_published(wanted_relations: Sequence[Asked], detections: Detections) -> tuple[bool, ...]:
    """Return for each relation whether the relation holds; a group is the union of its detected members."""
    return tuple(_holds(relation, detections, whole=False) for relation in wanted_relations)


def relations(wanted_relations: Sequence[Asked], detections: Detections) -> tuple[bool, ...]:
    """Return for each relation whether the relation holds; a group needs all its members."""
    return tuple(_holds(relation, detections, whole=True) for relation in wanted_relations)


def spatial_published(wanted_relations: Sequence[Asked], detections: Detections) -> bool:
    """Say whether a picture is fully right: every named thing exactly once, nothing missing, all relations true."""
    labels = {label for relation in wanted_relations for label in relation.labels}
    once = all(detections.found(label) == 1 for label in labels)
    return once and not detections.missing and all(relations_published(wanted_relations, detections))


def spatial(wanted_relations: Sequence[Asked], detections: Detections) -> bool:
    """Return whether a picture is fully right: every named thing has exactly one box, and all relations hold.

    A thing that was counted and has no box does not do, and what was reported missing counts only if it was asked for.
    """
    labels = {label for relation in wanted_relations for label in relation.labels}
    once = all(len(detections.boxes.get(label, ())) == 1 and label not in detections.missing for label in labels)
    return once and all(relations(wanted_relations, detections))


def _holds(relation: Asked, detections: Detections, whole: bool) -> bool:
    sides = []
    for labels in (relation.first, relation.second):
        known = [detections.boxes.get(label, ()) for label in labels if label not in detections.missing]
        if whole and (len(known) < len(labels) or not all(known)):
            return False
        boxes = [box for group in known for box in group]
        if not boxes:
            return False
        sides.append(union_box(boxes))
    return relation_holds(sides[0], relation.relation, sides[1])
