"""Implicit descriptions of a region in a scene, each of which fits exactly one region."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ircore.games.reasoning.puzzles.painting_scenes import PaintingScene, Region

Select = Callable[[Sequence[Region]], Sequence[Region]]
"""Returns the regions that a description fits, among all regions of a scene."""

AS_MANY_CORNERS = {
    0: "without any corner",
    3: "with as many corners as a tricycle has wheels",
    4: "with as many corners as a year has seasons",
    5: "with as many corners as a hand has fingers",
    6: "with as many corners as an insect has legs",
}
RANKS = {1: "", 2: "second ", 3: "third "}
SIZES = {"bars": ("bar", "tallest", "shortest"), "pie": ("slice", "largest", "smallest")}
"""What regions of a scene are called, and the words for the greatest and the least of them."""

WAYS = {
    "shapes": {"to the right of": (0, 1), "to the left of": (0, -1), "below": (1, 0), "above": (-1, 0)},
    "bars": {"to the right of": (0, 1), "to the left of": (0, -1)},
    "pie": {"clockwise after": (0, 1), "clockwise before": (0, -1)},
}
"""Steps to a neighbour, as rows and places, by scene."""

USES = {
    "sun": ("what gives light by day", "what will have set by midnight and rise again in the morning"),
    "cloud": ("what rain falls from", "what would hide the sun if the wind moved it there"),
    "roof": ("what keeps the rain off the people in the house", "what a chimney would stand on"),
    "wall": ("what a painter would paint white to make the house look new", "what the door is set in"),
    "door": ("what the people go in and out through", "what needs a key"),
    "tree": ("what will lose its leaves before winter", "what a bird would build its nest in"),
    "lake": ("what fish live in", "what keeps the boat from lying on the ground"),
    "sail": ("what catches the wind and moves the boat", "what is taken down when the boat is to stay where it is"),
}
"""An easy and a hard description of each thing in a landscape."""


class Description(NamedTuple):
    """Words, and the regions that they fit."""

    text: str
    select: Select


def describe(scene: PaintingScene, hard: bool, rng: random.Random) -> tuple[str, Region]:
    """Return a description that fits exactly one region of a scene, and the region.

    Args:
        scene: The scene.
        hard: Whether the description takes two steps, such as finding a region by its neighbour.
        rng: Chooses among the descriptions that fit a single region.
    """
    matches = [(known.text, known.select(scene.regions)) for known in descriptions(scene.kind, hard)]
    text, regions = rng.choice([(text, regions) for text, regions in matches if len(regions) == 1])
    return text, regions[0]


def descriptions(kind: str, hard: bool) -> Iterator[Description]:
    """Yield every description of a kind of scene, whether or not it fits a single region."""
    if kind == "landscape":
        for name, texts in USES.items():
            yield Description(texts[hard], _named(name))
        return
    if kind == "shapes":
        easy = [Description(f"the shape {words}", _cornered(corners)) for corners, words in AS_MANY_CORNERS.items()]
    else:
        easy = list(_by_size(kind, (1,)))
    if not hard:
        yield from easy
        return
    if kind != "shapes":
        yield from _by_size(kind, (2, 3))
    noun = SIZES[kind][0] if kind in SIZES else "shape"
    for known in easy:
        for words, step in WAYS[kind].items():
            text = f"the {noun} directly {words} {known.text}"
            yield Description(text, _beside(known.select, step, round_about=kind == "pie"))


def _by_size(kind: str, ranks: Sequence[int]) -> Iterator[Description]:
    noun, greatest, least = SIZES[kind]
    for rank in ranks:
        yield Description(f"the {RANKS[rank]}{greatest} {noun}", _ranked(rank, from_greatest=True))
        yield Description(f"the {RANKS[rank]}{least} {noun}", _ranked(rank, from_greatest=False))


def _named(name: str) -> Select:
    return lambda regions: [region for region in regions if region.name == name]


def _cornered(corners: int) -> Select:
    return lambda regions: [region for region in regions if region.corners == corners]


def _ranked(rank: int, from_greatest: bool) -> Select:
    """Select the region with the ``rank``-th size; all of them if several have the same."""

    def select(regions: Sequence[Region]) -> Sequence[Region]:
        sizes = sorted({region.size for region in regions}, reverse=from_greatest)
        return [region for region in regions if region.size == sizes[rank - 1]]

    return select


def _beside(known: Select, step: tuple[int, int], round_about: bool) -> Select:
    """Select the neighbours of a region that is described, if no other region fits the description."""

    def select(regions: Sequence[Region]) -> Sequence[Region]:
        marks = known(regions)
        if len(marks) != 1:
            return ()
        row, order = marks[0].row + step[0], marks[0].order + step[1]
        # The first slice of a pie lies beside the last.
        place = (row, order % len(regions) if round_about else order)
        return [region for region in regions if (region.row, region.order) == place]

    return select
