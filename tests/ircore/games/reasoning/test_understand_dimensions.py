"""Entity and recognition: references are perfect, every planted fault costs, and choices hold the answer."""

import random

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension
from ircore.games.reasoning.dimensions.entity import REFERENCES, EntityDescribed, EntityNamed
from ircore.games.reasoning.dimensions.recognition import CHOICES, Recognition
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
