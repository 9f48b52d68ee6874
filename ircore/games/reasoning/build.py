"""Instances of our own: tasks of every dimension with exact answers, free to publish."""

import random
from collections.abc import Iterator
from itertools import product

from ircore.core.game_records import GameInstance
from ircore.core.images import Picture
from ircore.core.plugins import unknown
from ircore.core.records import DIFFICULTIES
from ircore.core.seeds import derived_seed
from ircore.games.reasoning.dimensions.base import Task
from ircore.games.reasoning.dimensions.registry import DIMENSIONS
from ircore.games.reasoning.records import TaskRecord
from ircore.instances.requests import BuildRequest
from ircore.instances.store import GameInstanceSet, write_game_instances


def build(request: BuildRequest) -> GameInstanceSet:
    """Build an instance set of the reasoning game.

    Raises:
        InputError: A category is none of this game's, or the folder holds something.
    """
    for category in request.categories:
        if category not in DIMENSIONS:
            raise unknown("category", category, tuple(DIMENSIONS), "--category")
    return write_game_instances(request.out, _made(request))


def _made(request: BuildRequest) -> Iterator[tuple[GameInstance, dict[str, Picture]]]:
    dimensions, difficulties = request.categories or tuple(DIMENSIONS), request.difficulties or DIFFICULTIES
    for dimension, difficulty in product(dimensions, difficulties):
        for number in range(1, request.per_condition + 1):
            name = f"{dimension}-{difficulty}-{number:02d}"
            things = DIMENSIONS[dimension].things or dimension
            seed = derived_seed(request.seed, f"{things}-{difficulty}-{number:02d}")
            task = DIMENSIONS[dimension].build(difficulty, random.Random(seed))
            yield _instance(name, dimension, difficulty, seed, task), task.pictures


def _instance(name: str, dimension: str, difficulty: str, seed: int, task: Task) -> GameInstance:
    record = TaskRecord(
        dimension=dimension,
        prompt=task.prompt,
        shown=task.shown,
        choices=task.choices,
        answer=task.answer,
        task=task.payload,
    )
    return GameInstance(
        instance_id=name,
        category=dimension,
        difficulty=difficulty,
        game="reasoning",
        payload=record.model_dump(mode="json"),
        source=task.source,
        licence=task.licence,
        seed=seed,
    )
