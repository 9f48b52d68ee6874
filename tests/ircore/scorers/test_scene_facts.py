"""What is true of a target, read off scenes small enough to check by hand."""

import random
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from ircore.core.records import Box, Difficulty, Element, Scene
from ircore.instances.targets.categories import BUILDERS
from ircore.scorers.verification.scene_facts import (
    PARTS,
    SHARES,
    Fact,
    Share,
    find_share,
    list_facts,
    list_marks,
    weigh_facts,
)
from ircore.scorers.verification.scene_facts.shapes import find_relations


def two_bars() -> Scene:
    """Two bars on a y axis from 0 to 100 that is 400 px high: 1 px is a quarter of a unit."""
    ends = [[60, 450], [60, 50]]
    axis = {"axis": "y", "data_range": [0, 100], "pixel_range": [450, 50], "points": ends}
    bars = [
        Element(
            type="bar", colour=colour, box=Box(left, 450 - 4 * value, left + 80, 450),
            parameters={"value": value, "baseline": 0, "category": word, "series": 1, "orientation": "vertical",
                        "outline": None},
        )
        for word, value, left, colour in (("Mon", 20, 100, "#d62728"), ("Tue", 80, 250, "#1f77b4"))
    ]  # fmt: skip
    label = Element(type="tick_label", text="Mon", colour="#000000", box=Box(120, 460, 160, 472),
                    parameters={"axis": "x", "value": 0, "size": 14})  # fmt: skip
    line = Element(type="axis", colour="#000000", box=Box(60, 50, 61, 450), parameters=axis)
    return Scene(width=512, height=512, background="#ffffff", elements=(*bars, label, line))


def test_a_bar_is_there_has_a_value_and_a_colour() -> None:
    facts = {fact.key: fact for fact in list_facts(two_bars())}
    assert facts["bar-2/value"].expected == 80
    assert facts["bar-2/value"].tolerance == 4.0  # 5 % of 80 is more than 1.5 % of the axis
    assert facts["bar-1/value"].tolerance == 1.5  # 1.5 % of the axis is more than 5 % of 20
    assert facts["bar-1/colour"].expected == "#d62728"
    assert facts["count/bar"].expected == 2


def test_facts_are_sentences() -> None:
    sentences = [fact.sentence for fact in list_facts(two_bars())]
    assert 'The bar for "Tue" shows the value 80.' in sentences
    assert 'The bar for "Mon" is red (#d62728).' in sentences
    assert "There are 2 bars." in sentences


def test_a_text_stands_where_it_stands_and_says_what_it_says() -> None:
    facts = {fact.key: fact for fact in list_facts(two_bars())}
    assert facts["tick_label-1/text"].expected == "Mon"
    assert facts["tick_label-1/place"].expected == [140, 466]


@pytest.mark.parametrize(
    ("box", "other", "expected"),
    [
        ((0, 0, 10, 10), (100, 0, 110, 10), ["left_of"]),
        ((0, 100, 10, 110), (0, 0, 10, 10), ["below"]),
        ((0, 0, 10, 10), (100, 100, 110, 110), ["left_of", "above"]),
        ((0, 0, 10, 10), (2, 2, 12, 12), []),  # as good as the same place
    ],
)
def test_relations_follow_gir_bench(box: Box, other: Box, expected: list[str]) -> None:
    assert find_relations(box, other) == expected


@pytest.mark.parametrize("category", sorted(BUILDERS))
@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_every_drawn_category_has_facts_with_keys_of_their_own(category: str, difficulty: Difficulty) -> None:
    scene = BUILDERS[category](difficulty, random.Random(7)).scene
    facts = list_facts(scene)
    assert len({fact.key for fact in facts}) == len(facts) > 10
    assert {fact.part for fact in facts} <= set(PARTS)
    assert all(fact.weight > 0 and fact.sentence.endswith(".") for fact in facts)
    assert {fact.mark for fact in facts if fact.attribute != "count"} <= {mark.key for mark in list_marks(scene)}


def shares(facts: list[Fact]) -> dict[Share, float]:
    written = {fact.mark for fact in facts if fact.attribute == "text"}
    sums: dict[Share, float] = dict.fromkeys(SHARES, 0.0)
    for fact in facts:
        sums[find_share(fact, written)] += fact.weight
    return sums


@pytest.mark.parametrize("category", sorted(BUILDERS))
@pytest.mark.parametrize("difficulty", ["easy", "hard"])
@pytest.mark.parametrize("seed", [7, 8])
def test_marks_that_carry_data_weigh_most_and_all_writing_little(
    category: str, difficulty: Difficulty, seed: int
) -> None:
    sums = shares(list_facts(BUILDERS[category](difficulty, random.Random(seed)).scene))
    assert sum(sums.values()) == pytest.approx(100, abs=0.01)
    assert sums["data"] + sums["data colours"] >= 60
    assert sums["writing"] <= 30


def test_shares_hold_when_facts_are_not_asked() -> None:
    facts = list_facts(two_bars())
    asked = weigh_facts(facts, {"bar-1/value", "bar-1/presence"})
    assert shares(asked) == pytest.approx(shares(facts), abs=0.01)
    weights = {fact.key: fact.weight for fact in asked}
    assert weights["bar-1/value"] == weights["bar-1/presence"] == 0
    # What is left of a share keeps its proportions.
    before = {fact.key: fact.weight for fact in facts}
    assert weights["bar-2/value"] / weights["bar-2/presence"] == pytest.approx(
        before["bar-2/value"] / before["bar-2/presence"], abs=0.001
    )


def test_a_label_is_one_thing_of_which_most_is_what_it_says() -> None:
    weights = {fact.key: fact.weight for fact in list_facts(two_bars())}
    label = [weights[f"tick_label-1/{attribute}"] for attribute in ("presence", "text", "place")]
    assert label == pytest.approx([2.2, 15.4, 4.4], abs=0.01)  # the only text has all of the 22 of writing


@pytest.mark.slow
def test_the_page_states_the_weights_of_each_category() -> None:
    page = (Path(__file__).parents[3] / "docs" / "verification.md").read_text("utf-8")
    for category, build in BUILDERS.items():
        sums: dict[Share, float] = dict.fromkeys(SHARES, 0.0)
        for difficulty, seed in product(get_args(Difficulty), range(10)):
            for share, weight in shares(list_facts(build(difficulty, random.Random(seed)).scene)).items():
                sums[share] += weight / 20
        cells = " | ".join(str(round(weight)) if round(weight) else "–" for weight in ordered(sums))
        assert f"| {category} | {cells} |" in page


def ordered(sums: dict[Share, float]) -> list[float]:
    return [sums[share] for share in ("data", "data colours", "writing", "frame", "ground")]
