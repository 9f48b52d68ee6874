"""Categories of drawn targets, and drawing a target of any of them from a seed."""

import random
from collections.abc import Mapping
from dataclasses import replace

from ircore.core.plugins import convert_plugin_errors, load_plugin
from ircore.core.records import Difficulty
from ircore.instances.requests import list_names
from ircore.instances.targets import (
    bar_graph,
    functions,
    geometry_easy,
    geometry_hard,
    line_graph,
    pie_graph,
    simple_shapes,
)
from ircore.instances.targets.base import Builder, Drawn
from ircore.instances.targets.sheet import CrowdedError, Sheet, choose_style

MOST_ATTEMPTS = 40
"""Figures tried until all labels of one find room; one or two are usual."""


def build_geometry(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a figure of school-book geometry: thin dark lines on light paper, few colours, labels where there is room.

    Args:
        difficulty: ``easy`` for one figure with few labels, ``hard`` for a construction of many parts.
        rng: The only source of chance.
    """
    recipes = geometry_easy.RECIPES if difficulty == "easy" else geometry_hard.RECIPES
    recipe = rng.choice(recipes)
    for _ in range(MOST_ATTEMPTS):
        sheet = Sheet(choose_style(rng, dense=difficulty == "hard"), rng)
        try:
            recipe(sheet)
            return replace(sheet.finish(), kind=recipe.__name__)
        except CrowdedError:
            continue
    raise AssertionError(f"{recipe.__name__}: labels found no room in {MOST_ATTEMPTS} figures")


BUILDERS: dict[str, Builder] = {
    "bar_graph": bar_graph.build,
    "functions": functions.build,
    "geometry": build_geometry,
    "line_graph": line_graph.build,
    "pie_graph": pie_graph.build,
    "simple_shapes": simple_shapes.build,
}
"""Builder of each of ``ircore.instances.targets.SYNTHETIC``."""

EDITIONS: dict[int, Mapping[str, Builder]] = {1: BUILDERS, 2: {**BUILDERS, "functions": functions.build_annotated}}
"""Builders by edition. The released versions 2026.1 are of the first, whose pictures never change; in the second, hard
graphs of functions bear more writing than easy ones, and the photographs are others, which no model knows by name."""


def draw_target(category: str, difficulty: Difficulty, seed: int, edition: int = 1) -> Drawn:
    """Draw a synthetic target: the same arguments give the same picture to the pixel.

    Args:
        category: One of ``BUILDERS`` or of ``list_plugin_categories``.
        difficulty: ``easy`` or ``hard``.
        seed: The picture's own, as an instance records it.
        edition: One of ``EDITIONS``.
    """
    builder = EDITIONS[edition].get(category) or load_plugin("instances", f"category.{category}")
    with convert_plugin_errors(f"category {category!r}"):
        drawn: Drawn = builder(difficulty, random.Random(seed))
    return drawn


def list_plugin_categories() -> tuple[str, ...]:
    """Return the categories that other packages add: drawn when they are asked for by name."""
    return list_names("category")
