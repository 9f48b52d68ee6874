"""Things with attributes: what a picture of each must show, told from pictures of the others."""

import random

import pytest

from ircore.core.drawing import Drawing
from ircore.games.reasoning.puzzles.attributes import Above, Areas, Shows, Within
from ircore.games.reasoning.puzzles.entities import ENTITIES

NAMES = pytest.mark.parametrize("name", list(ENTITIES))


@NAMES
@pytest.mark.slow
def test_every_drawing_of_a_thing_shows_its_attributes_and_no_other_thing(name: str) -> None:
    for seed in range(5):
        areas = Areas(ENTITIES[name].draw(random.Random(seed)).pixels)
        assert all(ENTITIES[name].shown(areas).values()), ENTITIES[name].shown(areas)
        for other in ENTITIES.keys() - {name}:
            assert not all(ENTITIES[other].shown(areas).values()), other


@NAMES
def test_a_description_does_not_name_the_thing(name: str) -> None:
    words = set(ENTITIES[name].description.lower().replace(",", "").split())
    assert not words & set(name.lower().split()) - {"a", "of", "the", "that", "shows"}


def picture(*discs: tuple[int, int, int, str]) -> Areas:
    """Return the areas of discs (x, y, radius, colour) on a pale ground of 100 × 100 pixels."""
    drawing = Drawing(100, 100, "#dbeafe")
    for x, y, radius, colour in discs:
        drawing.ellipse((x, y), (radius, radius), fill=colour)
    return Areas(drawing.pixels)


RED, YELLOW, BLACK, WHITE = "#e02020", "#ffd60a", "#111111", "#ffffff"


def test_above_needs_both_colours_in_that_order() -> None:
    lamps = picture((50, 20, 10, RED), (50, 60, 10, YELLOW))
    assert Above("red", "yellow").holds(lamps)
    assert not Above("yellow", "red").holds(lamps)
    assert not Above("red", "green").holds(lamps)


def test_parts_are_counted_within_the_largest_area_of_a_colour() -> None:
    beetle = picture((50, 50, 40, RED), (35, 40, 6, BLACK), (65, 40, 6, BLACK), (35, 65, 6, BLACK), (5, 5, 4, BLACK))
    assert Within("black", "red", least=3, most=3).holds(beetle)
    assert not Within("black", "red", least=4).holds(beetle)
    assert Shows("black", least=4, most=4).holds(beetle)
