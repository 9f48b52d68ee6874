"""The offline player of reference games tells drawn things apart by looking at them."""

import asyncio
import re
from random import Random
from typing import cast

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.games.reference.build import PIECE_COLOURS
from ircore.games.reference.game import ReferenceGame
from ircore.instances.tangrams import draw_tangram, make_tangram
from ircore.players.base import Captioned, ChoiceAnswer, PlayerError, Question, TextAnswer
from ircore.players.builtin.extractive import ExtractivePlayer, write_summary
from ircore.players.builtin.looker import LiteralPlayer, LookerPlayer, find_features


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
    assert {"form": "circle", "fill": "filled", "colour": "red"}.items() <= find_features(circle("#d62828")).items()
    assert find_features(circle("#1d4ed8", filled=False))["fill"] == "hollow"


@pytest.mark.parametrize(("message", "choice"), [("the red circle", "A"), ("something blue", "B"), ("a square", "C")])
def test_it_chooses_the_picture_that_words_fit(message: str, choice: str) -> None:
    question = Question(1, f"Which is meant?\n\n{message}", SHOWN, ("A", "B", "C"), answers="choice")
    assert asked(question) == ChoiceAnswer(choice)


@pytest.mark.parametrize("colours", [{}, PIECE_COLOURS])
def test_a_speaker_keeps_to_the_whole_or_adds_parts_as_it_is_told(colours: dict[str, str]) -> None:
    drawn = [draw_tangram(make_tangram(Random(seed)), 128, colours) for seed in range(6)]
    pictures = [Picture.from_pixels(drawing.pixels) for drawing in drawn]
    shown = tuple(Captioned(f"Picture {name}:", picture) for name, picture in zip("ABCDEF", pictures, strict=True))
    texts = ReferenceGame().read_prompts(None).texts
    for name in "ABCDEF":
        told = [
            Question(1, f"{texts[text]}\n\nThe target is picture {name}.", shown)
            for text in ("speaker_whole", "speaker_parts")
        ]
        whole, message = (cast(TextAnswer, asked(question)).text for question in told)
        assert re.fullmatch("((large|black|colourful|compact|tall|broad) )+figure", whole)
        parts = message.removeprefix(f"{whole}, ").split(", ")
        assert all(" at the " in part for part in parts)
        assert any(not part.startswith(("full", "empty")) for part in parts) == bool(colours)
        assert asked(Question(1, message, shown, tuple("ABCDEF"), answers="choice")) == ChoiceAnswer(name)
        literal = asyncio.run(LiteralPlayer(PlayerSpec(player="literal")).answer(told[0])).text
        assert literal in set(whole.split()) & {"tall", "broad", "compact"}


def test_without_pictures_or_target_the_episode_ends() -> None:
    for question in (Question(1, "The target is picture A."), Question(1, "Describe it.", SHOWN)):
        with pytest.raises(PlayerError):
            asked(question)


SNOW = (
    ("What is observed in this image?", "I can see a girl."),
    ("What is she doing?", "She is lying on the ground, which is covered with snow."),
    ("Is she wearing bright clothes?", "No, she is wearing dark clothes."),
)


def test_answers_become_a_prompt_without_chat() -> None:
    told = "A girl. She is lying on the ground, which is covered with snow. She is wearing dark clothes."
    assert write_summary(SNOW, 200).lower() == told.lower()
    chatty = (*SNOW, ("And the sky?", "I love your questions! The sky is grey. Thanks for your patience with me."))
    assert write_summary(chatty, 200).lower() == f"{told} The sky is grey.".lower()


def test_sentences_without_a_mark_are_closed() -> None:
    talk = (("What is it?", "A cake"), ("And the colours?", "They are yellow and green."))
    assert write_summary(talk, 50) == "A cake. They are yellow and green."


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    talk = (
        ("What is there?", "A red circle at the top. A green square at the left."),
        ("Are you sure?", "Sorry, I was wrong before: a blue circle at the top."),
    )
    assert write_summary(talk, 200) == "A blue circle at the top. A green square at the left."


def test_a_bare_yes_brings_its_question_along_and_a_bare_no_says_nothing() -> None:
    assert "wearing a hat" in write_summary((("Is he wearing a hat?", "Yes."),), 50)
    talk = (("What is it?", "A dog on a sofa."), ("Is there a cat?", "No."))
    assert write_summary(talk, 50) == "A dog on a sofa."


def test_what_was_said_before_is_not_said_again() -> None:
    talk = (("What is it?", "A grey cat on a chair."), ("What?", "A grey cat on a chair. It sleeps."))
    assert write_summary(talk, 50) == "A grey cat on a chair. It sleeps."


@pytest.mark.parametrize("budget", [10, 20, 40])
def test_the_budget_is_kept_and_the_first_things_stay(budget: int) -> None:
    things = ("a red house", "a green tree", "a yellow sun", "a blue lake", "a brown horse", "a black bird")
    talk = tuple(("What else?", f"There is {thing} in the picture.") for thing in things)
    told = write_summary(talk, budget)
    assert count_tokens(told) <= budget
    assert told.startswith("There is a red house")


def test_the_player_reads_dialogue_and_budget_from_the_prompt() -> None:
    prompt = "Two talk.\n\nAnn: What is it?\nBob: A long wooden bridge over a wide river. Two men fish there.\n\n"
    player = ExtractivePlayer(PlayerSpec(player="extractive"))
    told = asyncio.run(player.answer(Question(step=1, prompt=f"{prompt}Answer with at most 12 tokens."))).text
    assert told in ("A long wooden bridge over a wide river.", "Two men fish there.")
    with pytest.raises(PlayerError, match="no dialogue"):
        asyncio.run(player.answer(Question(step=1, prompt="Draw a bridge.")))


def test_a_literal_speaker_says_what_the_target_is_and_not_what_sets_it_apart() -> None:
    speaker = LiteralPlayer(PlayerSpec(player="literal"))

    def said(target: str, shown: tuple[Captioned, ...] = SHOWN) -> str:
        return asyncio.run(speaker.answer(Question(1, f"The target is picture {target}.", shown))).text

    assert (said("A"), said("B"), said("C")) == ("circle", "circle", "square")
    blank = Captioned("Picture D:", Picture.from_pixels(Drawing(128, 128).pixels))
    assert said("D", (*SHOWN, blank)) == ""
