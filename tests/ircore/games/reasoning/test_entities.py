"""Things with attributes: what a picture of each must show, told from pictures of the others."""

import random

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.reasoning.puzzles.attributes import Above, Areas, Formed, Shows, Within
from ircore.games.reasoning.puzzles.entities import ENTITIES
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.editor.player import known_things, recognised

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
def test_drawings_of_a_thing_differ_and_a_blank_sheet_shows_nothing(name: str) -> None:
    drawings = {ENTITIES[name].draw(random.Random(seed)).pixels.tobytes() for seed in range(3)}
    assert len(drawings) == 3
    assert not any(ENTITIES[name].shown(Areas(np.full((64, 64, 3), 255, np.uint8))).values())


@NAMES
def test_another_drawing_from_words_shows_the_attributes_too(name: str) -> None:
    """The canvas draws from a text by another hand: attributes do not depend on our own drawing."""
    drawn = answer(*read([known_things()[name]])).picture
    assert all(ENTITIES[name].shown(Areas(drawn.pixels)).values())


@NAMES
def test_a_description_does_not_name_the_thing(name: str) -> None:
    words = set(ENTITIES[name].description.lower().replace(",", "").split())
    assert not words & set(name.lower().split()) - {"a", "of", "the", "that", "shows"}


def test_every_thing_has_three_others_of_its_family() -> None:
    for name, entity in ENTITIES.items():
        assert sum(other.family == entity.family for key, other in ENTITIES.items() if key != name) >= 3


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


def test_forms_are_told_by_how_much_of_their_box_they_fill() -> None:
    disc = picture((50, 50, 40, WHITE))
    assert Formed("white", "round").holds(disc)
    assert not Formed("white", "square").holds(disc)
    assert not Formed("white", "octagonal").holds(disc)


@pytest.mark.slow
def test_most_easy_pictures_are_recognised_by_colour() -> None:
    right = 0
    for seed, (name, entity) in enumerate(ENTITIES.items()):
        others = [other for other in ENTITIES if ENTITIES[other].family != entity.family]
        choices = [name, *random.Random(seed).sample(others, 3)]
        shown = Picture.from_pixels(entity.draw(random.Random(seed)).pixels)
        right += recognised(shown, choices) == name
    assert right >= 10  # of 14; 3.5 by chance
