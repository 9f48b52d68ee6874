"""What the eye makes of pictures whose content is known: a target, moved, blurred, with faults, and other pictures."""

import random

import numpy as np
import pytest
from known_values import known
from PIL import Image
from verified_drawings import target, verified

from ircore.core.images import Picture
from ircore.games.reconstruction.records import CATEGORIES
from ircore.instances.targets.base import Drawn
from ircore.scorers.judge_test.edits import build_bar_shortener, misspell_labels
from ircore.scorers.judge_test.redraw import repaint_changes
from ircore.scorers.verification.eye.look import compute_edit_distance
from ircore.scorers.verification.eye.registration import Model, Transform, register_rendering
from ircore.scorers.verification.eye.view import Observed
from ircore.scorers.verification.judge import VerifiedJudge
from ircore.scorers.verification.scene_facts import Fact
from ircore.scorers.verification.score import verify_picture
from ircore.scorers.verification.verdicts import check_fact, fail_exchanged_colours

pytestmark = pytest.mark.slow


DRAWN = [category for category in CATEGORIES if category != "photos"]


def colour_at(image: Image.Image, x: int, y: int) -> tuple[int, int, int]:
    red, green, blue = np.asarray(image)[y, x]
    return int(red), int(green), int(blue)


def moved(image: Image.Image, x: int, y: int) -> Image.Image:
    page = Image.new("RGB", image.size, colour_at(image, 1, 1))
    page.paste(image, (x, y))
    return page


def without_texts(drawn: Drawn) -> Image.Image:
    image = drawn.drawing.image.copy()
    for element in drawn.scene.elements:
        if element.text is not None:
            left, top, right, bottom = element.box
            image.paste(colour_at(image, left - 1, top - 1), (left, top, right, bottom))
    return image


QUICK = ("simple_shapes", "pie_graph")
TRIED = [
    category if category in QUICK else pytest.param(category, marks=pytest.mark.slow, id=category) for category in DRAWN
]
"""All drawn categories; two of them are tried on every run."""


@pytest.mark.parametrize("category", TRIED)
def test_the_target_itself_gets_ten_and_a_blank_page_nothing(category: str) -> None:
    drawn = target(category)
    blank = Image.new("RGB", (512, 512), drawn.scene.background)
    assert verified(drawn, drawn.drawing.image).score == 10
    assert verified(drawn, blank).score == 0


@pytest.mark.parametrize("category", TRIED)
def test_a_move_costs_little_and_another_target_shows_little(category: str) -> None:
    drawn, other = target(category), target(category, 8)
    near, far = (verified(drawn, moved(drawn.drawing.image, by, 0)).score for by in (5, 10))
    another = verified(drawn, other.drawing.image).score
    assert near is not None
    assert far is not None
    assert another is not None
    assert near >= 9 > 4 >= another
    assert near >= far >= 9


def test_a_move_is_reported() -> None:
    drawn = target("geometry")
    own = Picture.from_pixels(drawn.drawing.pixels)
    transform, agreement, *_ = register_rendering(
        Model(own, drawn.scene), np.asarray(moved(drawn.drawing.image, 8, -4))
    )
    assert transform.x * 512 == pytest.approx(8, abs=1)
    assert transform.y * 512 == pytest.approx(-4, abs=1)
    assert transform.scale == pytest.approx(1, abs=0.01)
    assert agreement > 0.9


def test_a_transform_goes_about_the_middle_of_the_picture() -> None:
    assert Transform(wide=0.5, high=0.5).place_points([(50, 50), (0, 0)], 100, 100).tolist() == [[50, 50], [25, 25]]


def test_a_missing_bar_is_named() -> None:
    drawn = target("bar_graph")
    bars = [element for element in drawn.scene.elements if element.type == "bar"]
    image = drawn.drawing.image.copy()
    left, top, right, bottom = bars[1].box
    image.paste(colour_at(image, left - 2, top + 1), (left, top, right, bottom))
    result = verified(drawn, image)
    failing = {checked.fact.key for checked in result.facts if checked.verdict == "fails"}
    assert {"bar-2/presence", "bar-2/value", "bar-2/colour", "count/bar"} <= failing
    assert not {"bar-1/value", "bar-3/value"} & failing
    assert known(result.score) < 9


@pytest.mark.parametrize("category", ["bar_graph", "line_graph", "pie_graph"])
def test_words_with_two_letters_in_the_wrong_order_cost_something(category: str) -> None:
    drawn = target(category)
    changed = known(misspell_labels(drawn.scene))
    own = Picture.from_pixels(drawn.drawing.pixels)
    misspelt = Picture.from_pixels(repaint_changes(drawn.drawing.pixels, drawn.scene, changed))
    result = verify_picture(own, drawn.scene, misspelt)
    wrong = [checked for checked in result.facts if checked.fact.attribute == "text" and checked.verdict == "fails"]
    pairs = zip(drawn.scene.elements, changed.elements, strict=True)
    swapped = {element.text for element, other in pairs if element.text != other.text}
    assert wrong
    assert {checked.fact.expected for checked in wrong} <= swapped
    # A reader of texts reads such a word as it is; without one its wrong letters are "?".
    assert all(checked.seen not in {None, checked.fact.expected} for checked in wrong)
    assert known(result.score) < 10


def test_a_bar_that_is_shorter_scores_less_the_shorter_it_is() -> None:
    drawn = target("bar_graph")
    own = Picture.from_pixels(drawn.drawing.pixels)
    scores = [10.0]
    for percent in (10, 25, 40):
        changed = known(build_bar_shortener(percent)(drawn.scene))
        shorter = Picture.from_pixels(repaint_changes(drawn.drawing.pixels, drawn.scene, changed))
        scores.append(verify_picture(own, drawn.scene, shorter).score or 0.0)
    assert scores == sorted(set(scores), reverse=True)


@pytest.mark.parametrize(("seen", "credit"), [(100, 1.0), (104, 1.0), (80, 0.5), (120, 0.5), (60, 0.0), (20, 0.0)])
def test_a_value_earns_less_the_larger_its_relative_error(seen: float, credit: float) -> None:
    value = Fact("bar-1/value", "bar-1", "bar", "value", "value", 100, 5.0, 1.5, "The bar shows 100.")
    assert check_fact(value, Observed(seen), ()).credit == credit


PURPLE, GREY, GREEN = "#7b6d8d", "#6b7280", "#2a9d8f"


@pytest.mark.parametrize(
    ("colours", "exchanged"),
    [
        ((GREY, PURPLE, GREEN), {0, 1}),  # ΔE2000 15 apart
        (("#6f7583", "#786b8a", GREEN), {0, 1}),  # a shade off, too
        ((GREEN, GREY, PURPLE), {0, 2}),
        ((GREY, GREEN, PURPLE), {0, 1, 2}),  # round in a circle
        ((GREY, GREY, GREEN), set()),  # none has the other's place
        (("#73707f", "#747086", GREEN), set()),  # both half way
        ((PURPLE, GREY, GREEN), set()),
    ],
)
def test_marks_that_exchanged_their_colours_are_mistaken_and_no_shade_off(
    colours: tuple[str, ...], exchanged: set[int]
) -> None:
    scene = (PURPLE, GREY, GREEN)
    facts = [
        Fact(f"shape-{k}/colour", f"shape-{k}", "shape", "colour", "colour", scene[k], None, 5.0, "…") for k in range(3)
    ]
    checked = fail_exchanged_colours([check_fact(fact, Observed(colours[k]), scene) for k, fact in enumerate(facts)])
    assert {k for k in range(3) if checked[k].credit == -1.5} == exchanged


def test_texts_that_are_gone_are_seen_without_reading() -> None:
    drawn = target("line_graph")
    result = verified(drawn, without_texts(drawn))
    assert result.parts["text"].share == 0
    assert result.parts["colour"].share == 1


def test_something_drawn_in_the_middle_of_nothing_counts_against_precision() -> None:
    drawn = target("simple_shapes")
    image = drawn.drawing.image.copy()
    occupied = np.zeros((512, 512), bool)
    for element in drawn.scene.elements:
        if element.type != "background":
            occupied[element.box.top : element.box.bottom, element.box.left : element.box.right] = True
    rng = random.Random(1)
    while True:
        x, y = rng.randrange(20, 430), rng.randrange(20, 430)
        if not occupied[y - 12 : y + 72, x - 12 : x + 72].any():
            break
    image.paste((200, 30, 200), (x, y, x + 60, y + 60))
    result = verified(drawn, image)
    assert len(result.extras) == 1
    assert known(result.parts["extra"].share) < 1


def random_squares(side: int, seed: int = 1) -> Image.Image:
    """Return a page of squares in random colours, ``side`` pixels each."""
    count = -(-512 // side)
    colours = np.random.default_rng(seed).integers(0, 256, (count, count, 3), dtype=np.uint8)
    return (
        Image.fromarray(colours).resize((count * side, count * side), Image.Resampling.NEAREST).crop((0, 0, 512, 512))
    )


@pytest.mark.parametrize("side", [1, 4, 16, 64])
@pytest.mark.parametrize("category", ["functions", "geometry"])
def test_noise_of_any_grain_shows_nothing_of_a_target(category: str, side: int) -> None:
    # Wherever the eye looks there is something, so that "something is there" says nothing.
    score = verified(target(category), random_squares(side)).score
    assert score is None or score <= 0.5


def test_the_judge_needs_a_scene() -> None:
    drawn = target("bar_graph")
    own = Picture.from_pixels(drawn.drawing.pixels)
    assert VerifiedJudge().rate(own, own).value is None
    assert VerifiedJudge().with_scene(drawn.scene).rate(own, own).value == 10
    assert "photos" not in VerifiedJudge.categories


@pytest.mark.parametrize(
    ("text", "other", "apart"), [("kitten", "sitting", 3), ("", "abc", 3), ("same", "same", 0), ("ab", "ba", 2)]
)
def test_the_edit_distance_counts_single_letters(text: str, other: str, apart: int) -> None:
    assert compute_edit_distance(text, other) == apart
