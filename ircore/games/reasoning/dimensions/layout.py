"""*Layout*: where things lie to each other is told by descriptions of directions that must be worked out.

A picture is right if the relations between things, or groups of things, hold for the centres of their boxes.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import Any, Literal, NamedTuple

from ircore.core.images import Picture
from ircore.games.reasoning.detections import (
    COLOURS,
    FORMS,
    SIDE,
    Box,
    Detections,
    Form,
    Placed,
    draw_forms,
    name_thing,
)
from ircore.games.reasoning.tasks import SeenThings, Task, TaskVerdict

Relation = Literal["left", "right", "above", "below"]

SHARE = 0.25
"""Of the sum of both sizes: centres must be farther apart than this along one axis."""

LEAST_GAP = 1e-3
DIRECTION = 0.5
"""Least share of the unit vector between centres that must point the way of the relation (60° to either side)."""

WAYS: Mapping[Relation, tuple[str, ...]] = {
    "right": (
        "on the side where the sun rises on a map with north at the top",
        "on the side to which a clock's hour hand points at three",
        "on the side where a line of English writing ends",
    ),
    "left": (
        "on the side where the sun sets on a map with north at the top",
        "on the side to which a clock's hour hand points at nine",
        "on the side where a line of English writing begins",
    ),
    "above": (
        "on the side to which a compass needle points on a map with north at the top",
        "on the side to which a clock's hour hand points at noon",
        "on the side to which smoke rises",
    ),
    "below": (
        "on the side where the South Pole lies on a map with north at the top",
        "on the side to which a clock's hour hand points at six",
        "on the side to which a dropped stone falls",
    ),
}
"""Descriptions of a direction as it is seen in a picture."""

OPPOSITE: Mapping[Relation, Relation] = {"left": "right", "right": "left", "above": "below", "below": "above"}
STEPS: Mapping[Relation, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "above": (0, -1), "below": (0, 1)}

RADIUS = 0.28
"""Half a form's side as a share of the distance between two places."""


@dataclass(frozen=True)
class AskedRelation:
    """A relation that was asked for: ``left`` means that the first is left of the second.

    Example:
        >>> AskedRelation(first=("cat",), relation="left", second=("dog", "bird")).labels
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


def is_relation_true(first: Box, relation: Relation, second: Box) -> bool:
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


def compute_union_box(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around one or more boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def check_published_relations(wanted_relations: Sequence[AskedRelation], detections: Detections) -> tuple[bool, ...]:
    """Return for each relation whether the relation holds; a group is the union of its detected members."""
    return tuple(_is_detected_relation(relation, detections, whole=False) for relation in wanted_relations)


def check_relations(wanted_relations: Sequence[AskedRelation], detections: Detections) -> tuple[bool, ...]:
    """Return for each relation whether the relation holds; a group needs all its members."""
    return tuple(_is_detected_relation(relation, detections, whole=True) for relation in wanted_relations)


def is_right_layout_published(wanted_relations: Sequence[AskedRelation], detections: Detections) -> bool:
    """Say whether a picture is fully right: every named thing exactly once, nothing missing, all relations true."""
    labels = {label for relation in wanted_relations for label in relation.labels}
    once = all(detections.found(label) == 1 for label in labels)
    return once and not detections.missing and all(check_published_relations(wanted_relations, detections))


def is_right_layout(wanted_relations: Sequence[AskedRelation], detections: Detections) -> bool:
    """Return whether a picture is fully right: every named thing has exactly one box, and all relations hold.

    A thing that was counted and has no box does not do, and what was reported missing counts only if it was asked for.
    """
    labels = {label for relation in wanted_relations for label in relation.labels}
    once = all(len(detections.boxes.get(label, ())) == 1 and label not in detections.missing for label in labels)
    return once and all(check_relations(wanted_relations, detections))


class Step(NamedTuple):
    """The direction in which a thing lies, seen from the thing before it in the chain, and the words for it."""

    relation: Relation
    words: str


class Arrangement(NamedTuple):
    """Places of things on a grid, the first at (0, 0), and the steps between them.

    >>> arrange_in_chain(3, hard=False, rng=random.Random(1)).places[0]
    (0, 0)
    """

    places: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]


def arrange_in_chain(count: int, hard: bool, rng: random.Random) -> Arrangement:
    """Return an arrangement of things in a chain, each at a place of its own.

    Args:
        count: Things, at least 2.
        hard: Whether some steps are told from the other end: by where the thing before lies, seen from the next one.
        rng: Draws it.
    """
    while True:
        places, steps = [(0, 0)], []
        for number in range(count - 1):
            relation = rng.choice(tuple(STEPS))
            across, down = STEPS[relation]
            places.append((places[-1][0] + across, places[-1][1] + down))
            steps.append(_describe_step(relation, hard and number % 2 == 1, rng))
        # A chain that crosses itself would put two things in one place.
        if len(set(places)) == count:
            return Arrangement(tuple(places), tuple(steps))


class Layout(SeenThings):
    """Three things (easy) or five (hard), each placed by the one before it; hard ones partly from the other end.

    >>> task = Layout().build("easy", random.Random(1))
    >>> Layout().verify(task.payload, task.pictures, task.pictures["truth"]).correct
    True
    """

    name = "layout"
    part = "generate"
    title = "Layout"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a chain of descriptions, and a picture that fits it."""
        count = 5 if difficulty == "hard" else 3
        forms = [Form(colour, rng.choice(FORMS)) for colour in rng.sample(list(COLOURS), count)]
        chain = arrange_in_chain(count, difficulty == "hard", rng)
        names = [f"the {form.label}" for form in forms]
        descriptions = " ".join(
            step.words.format(before, after) for step, (before, after) in zip(chain.steps, pairwise(names), strict=True)
        )
        listed = f"{', '.join(form.label for form in forms[:-1])} and {forms[-1].label}"
        prompt = (
            f"Draw these forms on a white ground, one of each and nothing else: {listed}. {descriptions} "
            "Neighbours of this chain lie straight beside or straight below each other."
        )
        relation_rows = [
            {"first": after.label, "relation": step.relation, "second": before.label}
            for step, (before, after) in zip(chain.steps, pairwise(forms), strict=True)
        ]
        pictures = {"truth": Picture.from_pixels(draw_forms(_place_forms(forms, chain)).pixels)}
        return Task(prompt, {"forms": [form.label for form in forms], "relations": relation_rows}, pictures)

    def labels(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the things that are placed."""
        return tuple(payload["forms"])

    def judge(self, payload: Mapping[str, Any], detections: Detections) -> TaskVerdict:
        """Check every relation by the centres of the things' boxes, and that each thing is there once."""
        wanted_relations = [
            AskedRelation(_list_group(row["first"]), row["relation"], _list_group(row["second"]))
            for row in payload["relations"]
        ]
        holding = check_relations(wanted_relations, detections)
        counts = {label: len(detections.boxes.get(label, ())) for label in payload["forms"]}
        reasons = [
            f"{label}: seen {count} times" if count else f"{label}: not seen"
            for label, count in counts.items()
            if count != 1
        ]
        reasons += [f"{name_thing(label)}: not asked for" for label in detections.boxes if label not in counts]
        reasons += [
            _describe_relation(relation, holds) for relation, holds in zip(wanted_relations, holding, strict=True)
        ]
        right = (
            is_right_layout(wanted_relations, detections)
            and set(counts.values()) == {1}
            and detections.boxes.keys() <= counts.keys()
        )
        published = is_right_layout_published(wanted_relations, detections) and all(
            detections.found(label) == 1 for label in counts
        )
        return TaskVerdict(float(published), float(right), right, tuple(reasons))


def _is_detected_relation(relation: AskedRelation, detections: Detections, whole: bool) -> bool:
    sides = []
    for labels in (relation.first, relation.second):
        known = [detections.boxes.get(label, ()) for label in labels if label not in detections.missing]
        if whole and (len(known) < len(labels) or not all(known)):
            return False
        boxes = [box for group in known for box in group]
        if not boxes:
            return False
        sides.append(compute_union_box(boxes))
    return is_relation_true(sides[0], relation.relation, sides[1])


def _describe_step(relation: Relation, turned: bool, rng: random.Random) -> Step:
    """Return a step with places for the thing before, ``{0}``, and the next, ``{1}``."""
    if turned:
        return Step(relation, f"Seen from {{1}}, {{0}} lies {rng.choice(WAYS[OPPOSITE[relation]])}.")
    return Step(relation, f"Seen from {{0}}, {{1}} lies {rng.choice(WAYS[relation])}.")


def _list_group(side: str | Sequence[str]) -> tuple[str, ...]:
    """Return one side of a relation: a thing, or the things of a group."""
    return (side,) if isinstance(side, str) else tuple(side)


def _describe_relation(relation: AskedRelation, holds: bool) -> str:
    side = {"left": "left of", "right": "right of"}.get(relation.relation, relation.relation)
    first, second = (" and ".join(labels) for labels in (relation.first, relation.second))
    verb = "is" if len(relation.first) == 1 else "are"
    return f"{first} {verb if holds else f'{verb} not'} {side} the {second}"


def _place_forms(forms: Sequence[Form], chain: Arrangement) -> list[Placed]:
    """Return the forms at their places, the whole in the middle of the picture."""
    across, down = zip(*chain.places, strict=True)
    cells = max(max(across) - min(across), max(down) - min(down)) + 1
    cell = SIDE / cells
    left, top = ((cells - (max(axis) - min(axis) + 1)) / 2 - min(axis) for axis in (across, down))
    return [
        Placed(form, (left + x + 0.5) * cell, (top + y + 0.5) * cell, min(RADIUS * cell, 80))
        for form, (x, y) in zip(forms, chain.places, strict=True)
    ]
