"""School-book geometry: thin dark lines on light paper, few colours, labels where there is room for them."""

import random
from dataclasses import replace

from ircore.core.records import Difficulty
from ircore.instances.targets import geometry_easy, geometry_hard
from ircore.instances.targets.base import Drawn
from ircore.instances.targets.sheet import CrowdedError, Sheet, random_style

MOST_ATTEMPTS = 40
"""Figures tried until all labels of one find room; one or two are usual."""


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a figure of school geometry.

    Args:
        difficulty: ``easy`` for one figure with few labels, ``hard`` for a construction of many parts.
        rng: The only source of chance.
    """
    recipes = geometry_easy.RECIPES if difficulty == "easy" else geometry_hard.RECIPES
    recipe = rng.choice(recipes)
    for _ in range(MOST_ATTEMPTS):
        sheet = Sheet(random_style(rng, dense=difficulty == "hard"), rng)
        try:
            recipe(sheet)
            return replace(sheet.finish(), kind=recipe.__name__)
        except CrowdedError:
            continue
    raise AssertionError(f"{recipe.__name__}: labels found no room in {MOST_ATTEMPTS} figures")
