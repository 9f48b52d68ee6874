"""The offline summariser of conversations: what it takes from a dialogue, and what it leaves."""

import asyncio

import pytest

from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import PlayerError, Question
from ircore.players.builtin.extractive import ExtractivePlayer, summary

SNOW = (
    ("What is observed in this image?", "I can see a girl."),
    ("What is she doing?", "She is lying on the ground, which is covered with snow."),
    ("Is she wearing bright clothes?", "No, she is wearing dark clothes."),
)


def test_answers_become_a_prompt_without_chat() -> None:
    told = "A girl. She is lying on the ground, which is covered with snow. She is wearing dark clothes."
    assert summary(SNOW, 200).lower() == told.lower()
    chatty = (*SNOW, ("And the sky?", "I love your questions! The sky is grey. Thanks for your patience with me."))
    assert summary(chatty, 200).lower() == f"{told} The sky is grey.".lower()


def test_sentences_without_a_mark_are_closed() -> None:
    talk = (("What is it?", "A cake"), ("And the colours?", "They are yellow and green."))
    assert summary(talk, 50) == "A cake. They are yellow and green."


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    talk = (
        ("What is there?", "A red circle at the top. A green square at the left."),
        ("Are you sure?", "Sorry, I was wrong before: a blue circle at the top."),
    )
    assert summary(talk, 200) == "A blue circle at the top. A green square at the left."


def test_a_bare_yes_brings_its_question_along_and_a_bare_no_says_nothing() -> None:
    assert "wearing a hat" in summary((("Is he wearing a hat?", "Yes."),), 50)
    talk = (("What is it?", "A dog on a sofa."), ("Is there a cat?", "No."))
    assert summary(talk, 50) == "A dog on a sofa."


def test_what_was_said_before_is_not_said_again() -> None:
    talk = (("What is it?", "A grey cat on a chair."), ("What?", "A grey cat on a chair. It sleeps."))
    assert summary(talk, 50) == "A grey cat on a chair. It sleeps."


@pytest.mark.parametrize("budget", [10, 20, 40])
def test_the_budget_is_kept_and_the_first_things_stay(budget: int) -> None:
    things = ("a red house", "a green tree", "a yellow sun", "a blue lake", "a brown horse", "a black bird")
    talk = tuple(("What else?", f"There is {thing} in the picture.") for thing in things)
    told = summary(talk, budget)
    assert count_tokens(told) <= budget
    assert told.startswith("There is a red house")


def test_the_player_reads_dialogue_and_budget_from_the_prompt() -> None:
    prompt = "Two talk.\n\nAnn: What is it?\nBob: A long wooden bridge over a wide river. Two men fish there.\n\n"
    player = ExtractivePlayer(PlayerSpec(player="extractive"))
    told = asyncio.run(player.answer(Question(step=1, prompt=f"{prompt}Answer with at most 12 tokens."))).text
    assert told in ("A long wooden bridge over a wide river.", "Two men fish there.")
    with pytest.raises(PlayerError, match="no dialogue"):
        asyncio.run(player.answer(Question(step=1, prompt="Draw a bridge.")))
