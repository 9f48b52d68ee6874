"""*Quantity*: how many of each kind are to be drawn follows from totals of animals and legs.

The verifier asks whether there are exactly as many of each as were asked for.
"""

import random
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Task, Verdict
from ircore.games.reasoning.dimensions.seen_things import SeenThings
from ircore.games.reasoning.puzzles.counts import PLURALS, make_counts
from ircore.games.reasoning.puzzles.forms import COLOURS, FORMS, Form, draw_forms, scattered
from ircore.games.reasoning.verifiers.detections import Detections

A_ROW = 5
"""Forms a row of the true picture, at most."""


class Quantity(SeenThings):
    """Two kinds with two clues (easy), three or four with as many (hard); each kind stands for a coloured form.

    >>> task = Quantity().build("easy", random.Random(1))
    >>> Quantity().verify(task.payload, task.pictures, task.pictures["truth"]).correct
    True
    """

    name = "quantity"
    part = "generate"
    title = "Quantity"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a riddle of our own, and a picture that solves it."""
        riddle = make_counts(difficulty == "hard", rng)
        # Shapes may come twice and colours once, so that every kind has a look of its own.
        shapes, colours = rng.sample(2 * FORMS, len(riddle.counts)), rng.sample(list(COLOURS), len(riddle.counts))
        forms = {kind: Form(*look) for kind, look in zip(riddle.counts, zip(colours, shapes, strict=True), strict=True)}
        *others, last = (PLURALS[kind] for kind in riddle.counts)
        drawn_as = ", ".join(
            f"every {kind} as {'an' if form.colour[0] in 'aeiou' else 'a'} {form.label}" for kind, form in forms.items()
        )
        prompt = (
            f"On a meadow there are {', '.join(others)} and {last}. {' '.join(clue.words for clue in riddle.clues)} "
            f"Draw all of them on a white ground, apart from each other: {drawn_as}. Draw nothing else."
        )
        placed = [forms[kind] for kind, count in riddle.counts.items() for _ in range(count)]
        pictures = {"truth": Picture.from_pixels(draw_forms(scattered(placed, rng, A_ROW)).pixels)}
        return Task(prompt, {"expected": {forms[kind].label: count for kind, count in riddle.counts.items()}}, pictures)

    def labels(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the kinds that are counted."""
        return tuple(payload["expected"])

    def judge(self, payload: Mapping[str, Any], detections: Detections) -> Verdict:
        """Count the things: right only if every count is, and corrected, if nothing else is there."""
        expected = payload["expected"]
        right = quantity(expected, detections)
        counts = {
            label: len(detections.boxes.get(label, ())) for label in {**dict.fromkeys(expected), **detections.boxes}
        }
        reasons = tuple(
            f"{label}: {count} of {expected[label]}" if label in expected else f"{label}: {count}, not asked for"
            for label, count in counts.items()
        )
        return Verdict(float(quantity_published(expected, detections)), float(right), right, reasons)


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
