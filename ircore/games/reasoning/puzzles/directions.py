"""Descriptions of directions that must be worked out, and arrangements that a chain of them describes."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from ircore.games.reasoning.verifiers.spatial import Relation

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


class Step(NamedTuple):
    """The direction in which a thing lies, seen from the thing before it in the chain, and the words for it."""

    relation: Relation
    words: str


class Arrangement(NamedTuple):
    """Places of things on a grid, the first at (0, 0), and the steps between them.

    >>> arrange(3, hard=False, rng=random.Random(1)).places[0]
    (0, 0)
    """

    places: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]


def arrange(count: int, hard: bool, rng: random.Random) -> Arrangement:
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
            steps.append(_told(relation, hard and number % 2 == 1, rng))
        # A chain that crosses itself would put two things in one place.
        if len(set(places)) == count:
            return Arrangement(tuple(places), tuple(steps))


def _told(relation: Relation, turned: bool, rng: random.Random) -> Step:
    """Return a step with places for the thing before, ``{0}``, and the next, ``{1}``."""
    if turned:
        return Step(relation, f"Seen from {{1}}, {{0}} lies {rng.choice(WAYS[OPPOSITE[relation]])}.")
    return Step(relation, f"Seen from {{0}}, {{1}} lies {rng.choice(WAYS[relation])}.")
