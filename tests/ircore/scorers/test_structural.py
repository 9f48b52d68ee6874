"""The computed judge: what it must notice, and in which order."""

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.metrics.ssim import ssim

JUDGE = StructuralJudge()


def chart(heights: tuple[int, ...] = (120, 260, 190, 80), colour: str = "#1f77b4", dx: float = 0) -> Pixels:
    """Sparse bars on white, as in the game's bar graphs."""
    drawing = Drawing(512, 384)
    drawing.line([(60 + dx, 20), (60 + dx, 340), (490 + dx, 340)], "#222222", 2)
    for index, height in enumerate(heights):
        left = 90 + 100 * index + dx
        drawing.rectangle(left, 340 - height, left + 60, 340, fill=colour)
    return drawing.pixels


def shapes(colour: str = "#d62728", background: str = "#ffffff", at: tuple[int, int] = (150, 150)) -> Pixels:
    drawing = Drawing(512, 512, background)
    drawing.ellipse(at, (70, 70), fill=colour)
    drawing.rectangle(300, 320, 430, 400, fill="#2ca02c")
    return drawing.pixels


def rate(target: Pixels, image: Pixels) -> float:
    value = JUDGE.rate(Picture.from_pixels(target), Picture.from_pixels(image)).value
    assert value is not None
    return value


def flat(like: Pixels, value: int) -> Pixels:
    return np.full_like(like, value)


def test_it_says_that_it_is_no_judgement_of_anyone() -> None:
    assert JUDGE.label == "structural (computed, no human or LLM judgement)"
    assert JUDGE.kind == "computed"


def test_ten_is_for_identical_pictures_only() -> None:
    target = chart()
    assert rate(target, target.copy()) == 10
    touched = target.copy()
    touched[5, 5] = 254
    assert rate(target, touched) == 9.99


@pytest.mark.slow
@pytest.mark.parametrize("target", [chart(), shapes()], ids=["chart", "shapes"])
def test_blank_pages_get_nothing_though_their_ssim_is_high(target: Pixels) -> None:
    white = flat(target, 255)
    assert ssim(target, white) > 0.65
    assert rate(target, white) < 0.5
    assert rate(target, flat(target, 0)) < 0.5
    assert rate(target, flat(target, 128)) < 0.5


@pytest.mark.slow
def test_the_further_off_the_lower() -> None:
    shifted = [rate(chart(), chart(dx=step)) for step in (0, 1, 4, 10, 30)]
    assert shifted == sorted(shifted, reverse=True)
    assert 5 <= shifted[3] <= 8
    higher = [rate(chart(), chart((120 + step, 260, 190, 80))) for step in (0, 5, 20, 80)]
    assert higher == sorted(higher, reverse=True)


@pytest.mark.slow
def test_a_colour_slightly_off_costs_little_and_a_wrong_one_more() -> None:
    slightly, wrong = rate(shapes(), shapes("#c83c3c")), rate(shapes(), shapes("#1f77b4"))
    assert 8.5 <= slightly < 10
    assert wrong < slightly - 0.5


@pytest.mark.slow
def test_the_better_rendering_is_preferred_and_equal_ones_tie() -> None:
    target, near, far = (Picture.from_pixels(chart(dx=step)) for step in (0, 4, 30))
    assert JUDGE.prefer(target, far, near).value == 1
    assert JUDGE.prefer(target, near, far).value == 0
    assert JUDGE.prefer(target, near, near).value == 0.5
