"""Colours of describers: one each for few, families or the best for many, and words that say which."""

from leaderboard.theme import describer_class, describer_colour
from leaderboard.theme.hues import UNCOLOURED, hues_of

FEW = ["ant", "bee", "cat"]
FAMILIES = [f"{family}-{size}" for family in ("gpt", "claude", "qwen") for size in ("large", "medium", "small")]
STRANGERS = [f"{letter}{letter}" for letter in "abcdefghij"]


def test_up_to_seven_describers_have_a_colour_each() -> None:
    hues = hues_of(FEW, FEW)
    assert len({describer_colour(hues.number(label)) for label in FEW}) == 3
    assert hues.words == "Colour stands for the describer"


def test_of_more_the_families_share_one_each() -> None:
    hues = hues_of(FAMILIES, FAMILIES)
    assert {hues.number(label) for label in FAMILIES if label.startswith("gpt")} == {hues.number("gpt-small")}
    assert len({hues.number(label) for label in FAMILIES}) == 3
    assert hues.words == "Colour stands for the first word of the describer’s name (claude, gpt, qwen)"


def test_without_few_families_only_the_best_are_coloured_and_the_page_says_so() -> None:
    hues = hues_of(STRANGERS, list(reversed(STRANGERS)))
    coloured = [label for label in STRANGERS if hues.number(label) != UNCOLOURED]
    assert coloured == STRANGERS[3:]
    assert describer_class(hues.number("aa")) == "describer-0"
    assert hues.words == "The 7 best describers have a colour, the others are grey"
