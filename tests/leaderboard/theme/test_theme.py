"""The theme: what colours mean, and that words on them can be read."""

import re
from itertools import pairwise

import pytest

from ircore.seeing.colours import compute_contrast, compute_luminance
from leaderboard import theme
from leaderboard.theme import UNCOLOURED, assign_hues, describer_class, describer_colour, raise_contrast

SCHEMES = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


def test_contrast_of_known_colours() -> None:
    assert compute_contrast("#000000", "#ffffff") == pytest.approx(21)
    assert compute_contrast("#ffffff", "#ffffff") == 1
    # Published with WCAG's technique G18: the lightest grey that passes 4.5 : 1 on white is #767676.
    assert compute_contrast("#767676", "#ffffff") > 4.5 > compute_contrast("#777777", "#ffffff")


def test_a_colour_is_changed_only_as_far_as_needed() -> None:
    assert raise_contrast("#0072b2", "#ffffff", 4.5) == "#0072b2"
    darker = raise_contrast("#f0e442", "#ffffff", 3)
    assert 3 <= compute_contrast(darker, "#ffffff") < 3.3


@SCHEMES
def test_words_can_be_read(dark: bool) -> None:
    for ground in ("background", "surface"):
        assert compute_contrast(theme.neutral("text", dark), theme.neutral(ground, dark)) >= 7
        assert compute_contrast(theme.neutral("muted", dark), theme.neutral(ground, dark)) >= 4.5
        assert compute_contrast(theme.ACCENT[dark], theme.neutral(ground, dark)) >= 4.5
        for index in range(len(theme.OKABE_ITO)):
            assert compute_contrast(theme.describer_text_colour(index, dark), theme.neutral(ground, dark)) >= 4.5


@SCHEMES
def test_marks_can_be_seen(dark: bool) -> None:
    page = theme.neutral("background", dark)
    colours = [theme.describer_colour(index, dark) for index in range(7)]
    colours += [theme.judge_colour(index, dark) for index in range(3)]
    colours.append(theme.neutral("zero", dark))
    assert all(compute_contrast(colour, page) >= 3 for colour in colours)


@SCHEMES
def test_words_on_heat_cells_can_be_read(dark: bool) -> None:
    colours = theme.list_variables(dark)
    inks = [name for name in colours if name.endswith("-ink")]
    assert len(inks) == 67
    assert all(compute_contrast(colours[ink], colours[ink.removesuffix("-ink")]) >= 4.5 for ink in inks)


@SCHEMES
def test_similarity_runs_from_the_page_to_the_far_end(dark: bool) -> None:
    colours = theme.list_variables(dark)
    luminances = [compute_luminance(colours[theme.score_class(half / 2)]) for half in range(21)]
    steps = [later - earlier for earlier, later in pairwise(luminances)]
    assert all(step > 0 for step in steps) if dark else all(step < 0 for step in steps)
    assert theme.score_class(-3) == theme.score_class(0)
    assert theme.score_class(12) == theme.score_class(10)


@SCHEMES
def test_differences_are_centred_on_zero(dark: bool) -> None:
    colours = theme.list_variables(dark)
    middle = colours[theme.delta_class(0)]
    assert middle == theme.DELTA_STOPS[dark][2]
    away = [compute_contrast(colours[theme.delta_class(value)], middle) for value in (-5, -2.5, 2.5, 5)]
    assert away[0] > away[1] > 1.5
    assert away[3] > away[2] > 1.5


def test_the_stylesheet_defines_what_tokens_and_classes_name() -> None:
    css = theme.build_stylesheet()
    light, dark, paper = css.split('[data-md-color-scheme="slate"]')
    assert "--irc-background: #ffffff;" in paper
    assert "--irc-background: #ffffff;" in light
    assert "--irc-background: #16181d;" in dark
    assert theme.list_variables().keys() == theme.list_variables(dark=True).keys()
    used = set(re.findall(r"var\(--irc-([a-z0-9-]+)\)", css))
    assert used <= theme.list_variables().keys()
    names = [theme.describer_token(8), theme.score_ink_token(7.2), *(str(stop[1]) for stop in theme.score_scale())]
    assert {name.removeprefix("var(--irc-").removesuffix(")") for name in names} <= theme.list_variables().keys()
    assert ".score-14 {" in css
    assert css.count("{") == css.count("}")


FEW = ["ant", "bee", "cat"]
FAMILIES = [f"{family}-{size}" for family in ("gpt", "claude", "qwen") for size in ("large", "medium", "small")]
STRANGERS = [f"{letter}{letter}" for letter in "abcdefghij"]


def test_up_to_seven_describers_have_a_colour_each() -> None:
    hues = assign_hues(FEW, FEW)
    assert len({describer_colour(hues.number(label)) for label in FEW}) == 3
    assert hues.words == "Colour stands for the describer"


def test_of_more_the_families_share_one_each() -> None:
    hues = assign_hues(FAMILIES, FAMILIES)
    assert {hues.number(label) for label in FAMILIES if label.startswith("gpt")} == {hues.number("gpt-small")}
    assert len({hues.number(label) for label in FAMILIES}) == 3
    assert hues.words == "Colour stands for the first word of the describer’s name (claude, gpt, qwen)"


def test_without_few_families_only_the_best_are_coloured_and_the_page_says_so() -> None:
    hues = assign_hues(STRANGERS, list(reversed(STRANGERS)))
    coloured = [label for label in STRANGERS if hues.number(label) != UNCOLOURED]
    assert coloured == STRANGERS[3:]
    assert describer_class(hues.number("aa")) == "describer-0"
    assert hues.words == "Colours: the 7 best describers"
