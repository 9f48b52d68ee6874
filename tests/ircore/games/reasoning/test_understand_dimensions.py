"""Entity and recognition: references are perfect, every planted fault costs, and choices hold the answer."""

import random

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension
from ircore.games.reasoning.dimensions.entity import CHOICES, REFERENCES, EntityDescribed, EntityNamed, Recognition
from ircore.games.reasoning.puzzles.attributes import Above, Areas, Shows, Within
from ircore.games.reasoning.puzzles.entities import ENTITIES

DIFFICULTIES = pytest.mark.parametrize("difficulty", ["easy", "hard"])


@pytest.mark.slow
@DIFFICULTIES
@pytest.mark.parametrize("dimension", [EntityNamed(), EntityDescribed()], ids=["named", "described"])
def test_every_reference_picture_shows_the_thing(dimension: Dimension, difficulty: str) -> None:
    for seed in range(6):
        task = dimension.build(difficulty, random.Random(seed))
        assert len(task.pictures) == REFERENCES
        assert task.shown == ()  # nobody sees the references
        for reference in task.pictures.values():
            verdict = dimension.verify(task.payload, task.pictures, reference)
            assert (verdict.corrected, verdict.correct) == (1, True)


@pytest.mark.slow
@DIFFICULTIES
def test_the_same_thing_is_told_by_name_described_and_to_be_recognised(difficulty: str) -> None:
    for seed in range(20):
        named, described, recognised = (
            dimension.build(difficulty, random.Random(seed))
            for dimension in (EntityNamed(), EntityDescribed(), Recognition())
        )
        name = named.payload["entity"]
        assert described.payload["entity"] == recognised.payload["entity"] == recognised.answer == name
        assert name in named.prompt
        assert name.lower() not in described.prompt.lower()
        assert ENTITIES[name].description in described.prompt


def lamps(*colours: str) -> Picture:
    """Return a dark housing with lamps from the top down."""
    drawing = Drawing(200, 300, "#dbeafe")
    drawing.rectangle(50, 20, 150, 280, fill="#111111")
    for number, colour in enumerate(colours):
        drawing.ellipse((100, 60 + 80 * number), (30, 30), fill=colour)
    return Picture.from_pixels(drawing.pixels)


RED, YELLOW, GREEN = "#e02020", "#ffd60a", "#22a948"


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        (lamps(RED, YELLOW, GREEN), 6 / 6),
        (lamps(GREEN, YELLOW, RED), 4 / 6),  # upside down: neither above the other as asked
        (lamps(RED, YELLOW), 4 / 6),  # no green, and so not below yellow
        (lamps(RED), 2 / 6),
        (lamps(), 1 / 6),  # a dark upright box alone
        (Picture.from_pixels(np.full((200, 300, 3), 255, np.uint8)), 0),
    ],
    ids=["right", "upside down", "two lamps", "one lamp", "no lamp", "blank"],
)
def test_each_planted_fault_in_a_traffic_light_costs_an_attribute(answer: Picture, share: float) -> None:
    verdict = EntityNamed().verify({"entity": "traffic light"}, {}, answer)
    assert verdict.corrected == pytest.approx(share)
    assert verdict.correct == (share == 1)


@pytest.mark.slow
@DIFFICULTIES
def test_choices_hold_the_answer_once_and_are_alike_when_hard(difficulty: str) -> None:
    for seed in range(12):
        task = Recognition().build(difficulty, random.Random(seed))
        choices, name = task.choices, task.payload["entity"]
        assert len(set(choices)) == CHOICES
        assert choices.count(name) == 1
        family = ENTITIES[name].family
        alike = sum(ENTITIES[choice].family == family for choice in choices)
        assert alike == (CHOICES if difficulty == "hard" else 1)


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
