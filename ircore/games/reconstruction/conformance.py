"""Check that a category of targets keeps the contract of ``ircore.games.reconstruction.targets.base``."""

import random
from typing import get_args

from ircore.core.conformance import ConformanceError, expect, outside_calls
from ircore.core.images import Picture
from ircore.core.records import Difficulty
from ircore.games.reconstruction.targets.base import Builder, Drawn

SEEDS = range(3)
"""Seeds of the generators that a category is tried with."""


def check_category(build: Builder, name: str = "") -> None:
    """Check a category: draws easy and hard targets from the generator alone, with a scene that fits the picture.

    Args:
        build: The function that the entry point names.
        name: Name of the category, for messages; the name of the function's module if empty.

    Raises:
        ConformanceError: The first fault.
    """
    for difficulty in get_args(Difficulty):
        where = f"category {name or build.__module__}, {difficulty}"
        targets = [_target(build, difficulty, seed, where) for seed in SEEDS]
        with outside_calls() as calls:
            again = build(difficulty, random.Random(SEEDS[0]))
        expect(not calls, f"{where}: {calls[0] if calls else ''}: draw from the given generator alone")
        same = _sha256(again) == _sha256(targets[0]) and again.scene == targets[0].scene
        expect(same, f"{where}: the same generator gives another target the second time")
        hashes = [_sha256(drawn) for drawn in targets]
        expect(len(set(hashes)) > 1, f"{where}: {len(SEEDS)} different seeds give the same picture")


def _target(build: Builder, difficulty: Difficulty, seed: int, where: str) -> Drawn:
    drawn = build(difficulty, random.Random(seed))
    if not isinstance(drawn, Drawn):
        raise ConformanceError(f"{where}: returns a {type(drawn).__name__}, not a Drawn: end with SceneDrawing.finish")
    width, height = drawn.drawing.width, drawn.drawing.height
    expect((drawn.scene.width, drawn.scene.height) == (width, height), f"{where}: scene and picture differ in size")
    expect(bool(drawn.scene.elements), f"{where}: the scene of seed {seed} is empty")
    for element in drawn.scene.elements:
        left, top, right, bottom = element.box
        inside = 0 <= left <= right <= width and 0 <= top <= bottom <= height
        expect(inside, f"{where}: {element.type} at {tuple(element.box)} leaves the picture")
    return drawn


def _sha256(drawn: Drawn) -> str:
    return Picture.from_pixels(drawn.drawing.pixels).sha256
