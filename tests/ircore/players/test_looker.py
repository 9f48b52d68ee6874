"""The offline player of reference games tells drawn things apart by looking at them."""

import asyncio

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import Captioned, ChoiceAnswer, PlayerError, Question, TextAnswer
from ircore.players.builtin.looker import LookerPlayer, features_of


def circle(colour: str, filled: bool = True) -> Picture:
    drawing = Drawing(128, 128)
    drawing.ellipse((64, 64), (40, 40), colour if filled else None, colour, width=6)
    return Picture.from_pixels(drawing.pixels)


def square(colour: str) -> Picture:
    drawing = Drawing(128, 128)
    drawing.rectangle(30, 30, 98, 98, colour)
    return Picture.from_pixels(drawing.pixels)


SHOWN = tuple(
    Captioned(f"Picture {label}:", picture)
    for label, picture in zip("ABC", (circle("#d62828"), circle("#1d4ed8"), square("#d62828")), strict=True)
)
PLAYER = LookerPlayer(PlayerSpec(player="looker"))


def asked(question: Question) -> TextAnswer | ChoiceAnswer:
    return asyncio.run(PLAYER.answer(question))


def test_it_sees_form_fill_and_colour() -> None:
    assert {"form": "circle", "fill": "filled", "colour": "red"}.items() <= features_of(circle("#d62828")).items()
    assert features_of(circle("#1d4ed8", filled=False))["fill"] == "hollow"


@pytest.mark.parametrize(("message", "choice"), [("the red circle", "A"), ("something blue", "B"), ("a square", "C")])
def test_it_chooses_the_picture_that_words_fit(message: str, choice: str) -> None:
    question = Question(1, f"Which is meant?\n\n{message}", SHOWN, ("A", "B", "C"), answers="choice")
    assert asked(question) == ChoiceAnswer(choice)


def test_without_pictures_or_target_the_episode_ends() -> None:
    for question in (Question(1, "The target is picture A."), Question(1, "Describe it.", SHOWN)):
        with pytest.raises(PlayerError):
            asked(question)
