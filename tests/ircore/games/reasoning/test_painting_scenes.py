"""Scenes to be painted: exact masks, nothing green, and descriptions that fit exactly one region."""

import random

import numpy as np
import pytest

from ircore.games.reasoning.dimensions.painting import (
    LEAST_SHARE,
    PAINT,
    SCENES,
    SIZE,
    PaintingScene,
    Region,
    compute_corrected_paint_iou,
    compute_paint_iou,
    describe_region,
    find_green,
    list_descriptions,
)
from ircore.players.builtin.editor import find_described_region

KINDS = pytest.mark.parametrize("kind", list(SCENES))


@KINDS
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_the_painted_picture_is_right_and_the_unpainted_one_is_not(kind: str, seed: int) -> None:
    scene = SCENES[kind](random.Random(seed))
    before = scene.drawing.pixels
    for region in scene.regions:
        mask = scene.mask_of(region).astype(np.uint8) * 255
        painted = scene.painted(region)
        assert compute_paint_iou(painted, mask, before) == compute_corrected_paint_iou(painted, mask, before) == 1
        assert compute_paint_iou(before, mask, before) == compute_corrected_paint_iou(before, mask, before) == 0


@pytest.mark.slow
@KINDS
def test_nothing_is_green_before_and_every_region_is_large_enough_to_count(kind: str) -> None:
    for seed in range(4):
        scene = SCENES[kind](random.Random(seed))
        assert not find_green(scene.drawing.pixels).any()
        for region in scene.regions:
            assert scene.mask_of(region).sum() > LEAST_SHARE * SIZE * SIZE  # GIR-Bench drops smaller areas


def test_a_later_region_covers_an_earlier_one() -> None:
    scene = PaintingScene("bars")
    scene.add(Region("back", "red"), "#d62828", lambda drawing, colour: drawing.rectangle(0, 0, 100, 100, colour))
    scene.add(Region("front", "blue"), "#1d4ed8", lambda drawing, colour: drawing.rectangle(50, 0, 150, 100, colour))
    assert scene.masks["back"].sum() == 50 * 100
    assert scene.masks["front"].sum() == 100 * 100
    assert scene.painted(scene.regions[0])[50, 25].tolist() == list(PAINT)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bars", "pie", "shapes"])
@pytest.mark.parametrize("hard", [False, True])
def test_a_solver_that_sees_the_picture_and_the_words_alone_finds_the_region(kind: str, hard: bool) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        scene = SCENES[kind](rng)
        text, region = describe_region(scene, hard, rng)
        seen = find_described_region(scene.drawing.pixels, f"Paint {text} pure green.")
        truth = scene.mask_of(region)
        assert seen is not None
        assert (seen & truth).sum() / (seen | truth).sum() > 0.95, (seed, text)


HEIGHTS = {"red": 150, "blue": 300, "yellow": 200, "pink": 400, "brown": 250}
"""Bars from left to right."""


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("the tallest bar", "pink"),
        ("the third tallest bar", "brown"),
        ("the second shortest bar", "yellow"),
        ("the bar directly to the left of the tallest bar", "yellow"),
        ("the bar directly to the right of the shortest bar", "blue"),
    ],
)
def test_descriptions_of_bars_mean_what_they_say(text: str, colour: str) -> None:
    bars = [Region(name, name, size=height, order=place) for place, (name, height) in enumerate(HEIGHTS.items())]
    by_text = {known.text: known for hard in (False, True) for known in list_descriptions("bars", hard)}
    assert [region.name for region in by_text[text].select(bars)] == [colour]
