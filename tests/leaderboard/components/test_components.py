"""Components write every mark, glyph and number; templates only lay them out, and scripts get prototypes to clone."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import leaderboard
from ircore.results.statistics.intervals import Estimate
from ircore.scorers.verification.eye.registration import Transform
from leaderboard.components import prototypes
from leaderboard.components.values import (
    delta,
    difference,
    difference_heat,
    extremes,
    heat,
    is_tenth,
    price,
    quality,
    stacked_quality,
)
from leaderboard.components.xray import matrix_of

TEMPLATES = Path(leaderboard.__file__).parent / "templates"


def test_no_template_writes_a_mark_itself() -> None:
    names = r'badge[ "]|heat |glyph|dotplot|wins|pair-names|rank-bar|tier tier-\{|own-family|missing|arrow|fix fix'
    marks = {path.name: re.findall(f'class="({names})', path.read_text("utf-8")) for path in TEMPLATES.glob("*.j2")}
    assert len(marks) > 40
    assert {name: found for name, found in marks.items() if found} == {}


def test_every_prototype_is_a_template_with_the_component_itself() -> None:
    for name, component in prototypes._PROTOTYPES.items():
        assert prototypes.prototypes(name) == f'<template data-component="{name}">{component()}</template>\n'


def test_a_difference_shows_ends_where_half_a_width_would_seem_to_reach_zero() -> None:
    # 1 to 5 leaves 0 out, but 2 ± 3 would not.
    assert '>+2.0 <span class="half">+1.0 to +5.0</span>' in difference(Estimate(2.0, 1.0, 5.0, 9), 1)
    assert '>+3.0 <span class="half">± 1.0</span>' in difference(Estimate(3.0, 2.0, 4.0, 9), 1)


def test_a_score_that_says_the_main_score_again_has_no_second_interval() -> None:
    main, own = Estimate(50.1, 39.9, 63.3, 10), Estimate(5.01, 4.06, 6.25, 10)
    whole: Any = SimpleNamespace(main=main, score=own, episodes=10, played=10, applicable=10, rated=10, doubt=None)
    assert is_tenth(whole)
    assert "4.06" not in quality(whole) + stacked_quality(whole)
    part: Any = SimpleNamespace(main=main, score=own, episodes=12, played=10, applicable=10, rated=10, doubt=None)
    assert "4.06 to 6.25" in quality(part)


def test_changes_have_arrows_and_true_minus_signs() -> None:
    assert "↓</span>−1.50" in delta(Estimate(-1.5, -2.0, -1.0, 9))
    assert "→</span>0.00" in delta(Estimate(0.001, None, None, 1))
    assert "no episode of two or more rated renderings" in delta(Estimate(None, None, None, 0))


def test_what_is_missing_could_decide_between_two_ends() -> None:
    assert extremes(None, None) == "–"
    assert "nothing missing" in extremes(1.0, 1.0)
    assert extremes(-0.5, 2.0) == "−0.50 to +2.00"


def test_cells_are_coloured_by_their_value_on_a_fixed_scale() -> None:
    assert heat(10.0) == '<span class="heat score-20">10.0</span>'
    assert 'class="heat none"' in difference_heat(None, 3.0)
    assert ">+2.0<" in difference_heat(5.0, 3.0)


def test_an_xray_lies_where_the_drawing_lies_in_its_own_proportions() -> None:
    found = Transform(x=0.1, y=-0.05, wide=0.5, high=0.8, turn=30.0)
    a, b, c, d, right, down = matrix_of(found.placement, 400, 200)
    for x, y in [(0, 0), (400, 0), (130, 170)]:
        placed = found.placed([(x, y)], 400, 200)[0]
        assert (a * x + c * y + right, b * x + d * y + down) == pytest.approx(placed, abs=0.1)


def test_a_cost_is_free_or_has_two_digits_and_no_spread_where_none_is_seen() -> None:
    assert price(Estimate(0.0, None, None, 42)) == "free"
    tiny = price(Estimate(0.000041, 0.00004, 0.000042, 42))
    assert ">0.000041<" in tiny
    assert "± 0.000001" in tiny
    # Each episode costs the same to a tenth of a cent: "0.1 to 0.1" would be no interval.
    assert "0.100</span>" in (even := price(Estimate(0.1, 0.0999999, 0.1000001, 42)))
    assert " to " not in even.split(">", 1)[1]
    assert "n 42" in even
