"""Instances of our own: tasks of every dimension with exact answers, free to publish."""

import random
from collections.abc import Mapping
from dataclasses import replace

from ircore.core.images import Picture
from ircore.core.records import Instance, derive_seed
from ircore.games.reasoning.dimensions.entity import EntityDescribed, EntityNamed, Recognition
from ircore.games.reasoning.dimensions.jigsaw import Jigsaw
from ircore.games.reasoning.dimensions.layout import Layout
from ircore.games.reasoning.dimensions.painting import Painting
from ircore.games.reasoning.dimensions.quantity import Quantity
from ircore.games.reasoning.dimensions.sudoku import Sudoku
from ircore.games.reasoning.dimensions.text import HiddenWord
from ircore.games.reasoning.tasks import Dimension
from ircore.instances.requests import BuildRequest, SetPlace
from ircore.instances.store import InstanceSet, write_instances

_ALL = (
    Quantity(), Layout(), HiddenWord(), Jigsaw(), Sudoku(), Painting(), EntityNamed(), EntityDescribed(), Recognition(),
)  # fmt: skip

DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in _ALL}
"""Dimensions by name."""


def build(request: BuildRequest) -> InstanceSet:
    """Build an instance set of the reasoning game.

    Raises:
        InputError: A category is none of this game's, or the folder holds something.
    """
    places = request.places(tuple(DIMENSIONS))
    return write_instances(request.out, (_build_instance(place, request.seed) for place in places))


def _build_instance(place: SetPlace, set_seed: int) -> tuple[Instance, dict[str, Picture]]:
    dimension = DIMENSIONS[place.category]
    # Dimensions that ask for the same things share their seeds, so that tasks of one number are about the same thing.
    seed = derive_seed(set_seed, replace(place, category=dimension.things or place.category).instance_id)
    task = dimension.build(place.difficulty, random.Random(seed))
    instance = Instance(
        instance_id=place.instance_id,
        category=place.category,
        difficulty=place.difficulty,
        game="reasoning",
        payload=task.record(place.category).model_dump(mode="json"),
        source=task.source,
        licence=task.licence,
        seed=seed,
    )
    return instance, task.pictures
