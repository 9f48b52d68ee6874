"""Verifiers of GIR-Bench: its rules by cases whose answer follows from them, and what the corrected ones do."""

from math import exp

import numpy as np
import pytest

from ircore.core.images import Pixels
from ircore.games.reasoning.detections import Box, DetectionError, Detections, read_detections
from ircore.games.reasoning.dimensions.layout import (
    AskedRelation,
    Relation,
    check_published_relations,
    check_relations,
    is_relation_true,
    is_right_layout,
    is_right_layout_published,
)
from ircore.games.reasoning.dimensions.painting import (
    SIDE,
    compute_corrected_paint_iou,
    compute_paint_iou,
    find_published_green,
    resize_pixels,
)
from ircore.games.reasoning.dimensions.quantity import is_right_quantity, is_right_quantity_published
from ircore.games.reasoning.dimensions.sudoku import (
    Digit,
    compute_tolerance,
    read_digits,
    read_published_digits,
    score_published_sudoku,
    score_sudoku,
)
from ircore.games.reasoning.dimensions.text import compute_published_coverage, compute_word_coverage
from ircore.games.reasoning.measures import compute_entity_similarity
from ircore.scorers.metrics.base import (
    compute_frechet_distance,
    normalise_distance,
    score_each_jigsaw,
    score_jigsaw_set,
)
from ircore.seeing.ocr import TextLine

SQUARE: Box = (0, 0, 100, 100)


def boxes(**counts: int) -> Detections:
    return Detections({label: (SQUARE,) * count for label, count in counts.items()})


def test_quantity_takes_the_larger_of_count_and_boxes() -> None:
    counted = Detections({"cat": (SQUARE,) * 2}, {"cat": 3})
    assert is_right_quantity_published({"cat": 3}, counted)
    assert not is_right_quantity_published({"cat": 2}, counted)
    assert is_right_quantity({"cat": 2}, counted)  # the third one is nowhere
    assert not is_right_quantity_published({"cat": 2}, Detections({"cat": (SQUARE,) * 2}, {}, frozenset({"cat"})))


def test_things_nobody_asked_for_count_in_the_corrected_rule_alone() -> None:
    seen = boxes(cat=2, dog=1)
    assert is_right_quantity_published({"cat": 2}, seen)
    assert not is_right_quantity({"cat": 2}, seen)


@pytest.mark.parametrize(
    ("first", "relation", "holds"),
    [
        ((0, 0, 100, 100), "left", True),
        ((0, 0, 100, 100), "right", False),
        ((0, 0, 100, 100), "above", False),
        ((300, 0, 400, 100), "left", False),  # the same place
        ((255, 0, 355, 100), "left", False),  # 45 apart: no more than a quarter of 100 + 100
        ((245, 0, 345, 100), "left", True),  # 55 apart
    ],
)
def test_a_relation_needs_distance_and_direction(first: Box, relation: Relation, holds: bool) -> None:
    assert is_relation_true(first, relation, (300, 0, 400, 100)) is holds


def test_a_diagonal_is_both_left_and_above() -> None:
    first: Box = (0, 0, 100, 100)
    other: Box = (400, 400, 500, 500)
    assert [is_relation_true(first, relation, other) for relation in ("left", "above", "right", "below")] == [
        True, True, False, False
    ]  # fmt: skip


def test_a_group_is_its_members() -> None:
    asked = [AskedRelation(("cat", "dog"), "left", ("car",))]
    half = Detections({"cat": (SQUARE,), "car": ((800, 0, 900, 100),)})
    assert check_published_relations(asked, half) == (True,)  # of those found
    assert check_relations(asked, half) == (False,)
    whole = Detections({**half.boxes, "dog": ((0, 200, 100, 300),)})
    assert check_relations(asked, whole) == (True,)
    assert is_right_layout(asked, whole)
    assert is_right_layout_published(asked, whole)


def test_every_named_thing_must_be_there_once() -> None:
    asked = [AskedRelation(("cat",), "left", ("car",))]
    two = Detections({"cat": (SQUARE, SQUARE), "car": ((800, 0, 900, 100),)})
    assert not is_right_layout_published(asked, two)
    assert not is_right_layout(asked, two)
    assert check_published_relations(asked, two) == (True,)


@pytest.mark.parametrize(
    ("wanted", "read", "published", "corrected"),
    [
        ("to be or not to be", ["to be or not to be"], 4 / 6, 1.0),
        ("I am a cat", ["caramel"], 0.5, 0.0),
        ("a", ["banana"], 1.0, 0.0),
        ("Grüße", ["grüße"], 1.0, 1.0),  # deleted to "gre" on both sides
        ("привет мир", ["Привет, мир!"], 0.0, 1.0),
        ("Fresh Bread", ["BREAD", "fresh"], 1.0, 1.0),
        ("two words", [], 0.0, 0.0),
        ("", ["words"], 0.0, None),
    ],
)
def test_word_coverage(wanted: str, read: list[str], published: float, corrected: float | None) -> None:
    assert compute_published_coverage(wanted, read) == pytest.approx(published)
    assert compute_word_coverage(wanted, read) == corrected


def test_an_answer_of_a_model_is_read_with_words_around_it() -> None:
    seen = read_detections(
        'Here it is:\n```json\n{"objects": [{"label": "Cat", "count": 2, "boxes": [[0, 0, 500, 1000]]}], '
        '"missing_objects": ["dog"]}\n```'
    )
    assert (seen.found("cat"), seen.found("dog"), seen.missing) == (2, 0, frozenset({"dog"}))
    elements = seen.as_elements(200, 100, "a model")
    assert [element.box for element in elements.elements] == [(0, 0, 100, 100), None]
    assert elements.counts == {"cat": 2}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("I see a cat.", "no JSON object"),
        ('{"objects": {"cat": 1}}', "objects is no list"),
        ('{"objects": [{"count": 1}]}', "no label"),
        ('{"objects": [{"label": "cat", "count": -1}]}', "cat: count"),
        ('{"objects": [{"label": "cat", "boxes": [[0, 0, 2000, 10]]}]}', "beyond 0 to 1000"),
        ('{"objects": [{"label": "cat", "boxes": [[0, 0, 10]]}]}', "a box is not"),
    ],
)
def test_answers_that_cannot_be_used_say_why(answer: str, problem: str) -> None:
    with pytest.raises(DetectionError, match=problem):
        read_detections(answer)


RNG = np.random.default_rng(7)


@pytest.mark.slow
def test_frechet_distance_of_moved_and_scaled_features() -> None:
    features = RNG.normal(size=(200, 5))
    assert compute_frechet_distance(features, features) == pytest.approx(0, abs=1e-9)
    assert compute_frechet_distance(features, features + np.array([3, 4, 0, 0, 0])) == pytest.approx(25)
    # Of Σ and 4Σ: tr(Σ + 4Σ − 2·2Σ) = tr Σ, beside the means' distance.
    spread = np.trace(np.cov(features.T)) + (features.mean(axis=0) ** 2).sum()
    assert compute_frechet_distance(features, 2 * features) == pytest.approx(spread)


def test_frechet_distance_by_the_root_of_the_covariances() -> None:
    from scipy.linalg import sqrtm

    row, other = RNG.normal(size=(60, 4)), RNG.normal(size=(80, 4)) @ RNG.normal(size=(4, 4)) + 1
    first, second = np.cov(row.T), np.cov(other.T)
    difference = row.mean(axis=0) - other.mean(axis=0)
    expected = difference @ difference + np.trace(first + second - 2 * np.real(sqrtm(first @ second)))
    assert compute_frechet_distance(row, other) == pytest.approx(expected)
    with pytest.raises(ValueError, match="at least two"):
        compute_frechet_distance(row[:1], other)


def test_jigsaw_of_exchanged_pictures_is_perfect_as_published() -> None:
    features = RNG.normal(size=(10, 6))
    assert normalise_distance(60) == pytest.approx(exp(-1))
    assert score_jigsaw_set(features, features[::-1]) == pytest.approx(1)


def test_jigsaws_one_by_one_are_held_against_their_own_originals() -> None:
    originals = np.zeros((2, 4))
    answers = np.array([[0, 0, 0, 0], [7, 3, 1, 1]])  # squared distances 0 and 49 + 9 + 1 + 1 = 60
    assert score_each_jigsaw(originals, answers) == pytest.approx((1, exp(-1)))
    features = RNG.normal(size=(10, 6))
    assert max(score_each_jigsaw(features, features[::-1])) < 1  # exchanged pictures are wrong


@pytest.mark.parametrize(("cosines", "similarity"), [((0.9, 0.6), 0.75), ((1, 1, 1), 1), ((0.2, -0.6), 0), ((), None)])
def test_an_entity_resembles_its_references_by_the_mean_cosine(
    cosines: tuple[float, ...], similarity: float | None
) -> None:
    assert compute_entity_similarity(cosines) == (None if similarity is None else pytest.approx(similarity))


def grid(rows: list[str], cell: float = 100.0) -> list[Digit]:
    return [
        Digit(value, column * cell + 50, row * cell + 50)
        for row, values in enumerate(rows)
        for column, value in enumerate(values)
        if value != "."
    ]


PUZZLE, SOLUTION = ["1.3.", "..1.", "2...", "..2."], ["1234", "3412", "2143", "4321"]


def test_a_solved_sudoku_is_perfect_and_an_untouched_one_worth_nothing() -> None:
    for verify in (score_published_sudoku, score_sudoku):
        assert verify(grid(SOLUTION), grid(SOLUTION), grid(PUZZLE)) == 1
        assert verify(grid(PUZZLE), grid(SOLUTION), grid(PUZZLE)) == 0


def test_a_wrong_digit_and_a_changed_original_by_hand() -> None:
    # 11 empty cells; one is filled with a wrong digit, and the given 3 became a 4.
    changed = ["1244", "3412", "2143", "4322"]
    assert score_published_sudoku(grid(changed), grid(SOLUTION), grid(PUZZLE)) == pytest.approx(10 / 12)
    assert score_sudoku(grid(changed), grid(SOLUTION), grid(PUZZLE)) == pytest.approx(10 / 12)


def test_a_lost_original_costs_in_the_corrected_rule_alone() -> None:
    lost = [".234", "3412", "2143", "4321"]
    assert score_published_sudoku(grid(lost), grid(SOLUTION), grid(PUZZLE)) == 1
    assert score_sudoku(grid(lost), grid(SOLUTION), grid(PUZZLE)) == pytest.approx(11 / 12)


def test_an_answer_of_another_size_is_rescaled_by_the_corrected_rule() -> None:
    small = grid(SOLUTION, cell=50)
    assert (
        score_sudoku([Digit(d.value, d.x - 25, d.y - 25) for d in small], grid(SOLUTION, 100), grid(PUZZLE, 100)) != 1
    )
    rescaled = [Digit(d.value, (d.x - 25), (d.y - 25)) for d in small]
    assert score_sudoku(rescaled, grid(SOLUTION), grid(PUZZLE), scale=(2.0, 2.0), cell=100) == 1


def test_tolerance_is_a_share_of_a_cell_and_never_small() -> None:
    assert compute_tolerance(grid(SOLUTION, 200)) == pytest.approx(120)
    assert compute_tolerance(grid(SOLUTION, 50)) == 60
    assert compute_tolerance(grid(["1.2"])) == 80


def test_digits_of_one_line_stand_apart_when_corrected() -> None:
    line = TextLine("12", ((0, 0), (200, 0), (200, 50), (0, 50)), 0.9)
    assert [(digit.x, digit.y) for digit in read_published_digits([line])] == [(100, 25), (100, 25)]
    assert [(digit.x, digit.y) for digit in read_digits([line])] == [(50, 25), (150, 25)]
    assert read_published_digits([TextLine("1", line.corners, 0.5)]) == ()  # above 0.5, not at it


def painted(colour: tuple[int, int, int], share: int = 2) -> Pixels:
    pixels = np.full((SIDE, SIDE, 3), 200, np.uint8)
    pixels[: SIDE // share] = colour
    return pixels


UPPER = np.zeros((SIDE, SIDE), np.uint8)
UPPER[: SIDE // 2] = 255


@pytest.mark.slow
def test_green_paint_on_the_object_is_perfect() -> None:
    assert compute_paint_iou(painted((0, 255, 0)), UPPER) == 1
    assert compute_corrected_paint_iou(painted((0, 255, 0)), UPPER) == 1
    assert compute_paint_iou(painted((0, 255, 0), share=4), UPPER) == pytest.approx(0.5)


@pytest.mark.slow
def test_grey_is_green_at_fifty_and_the_band_is_empty_at_a_hundred() -> None:
    grey = np.full((SIDE, SIDE, 3), 128, np.uint8)
    assert find_published_green(grey, t=50).all()
    assert not find_published_green(grey, t=100).any()
    assert compute_corrected_paint_iou(grey, UPPER) == 0


@pytest.mark.slow
def test_nothing_painted_where_nothing_should_be_is_perfect() -> None:
    nothing = np.zeros((40, 60), np.uint8)
    blank = np.full((30, 20, 3), 255, np.uint8)
    assert compute_paint_iou(blank, nothing) == compute_corrected_paint_iou(blank, nothing) == 1


def test_what_was_green_before_is_no_paint() -> None:
    meadow = np.full((SIDE, SIDE, 3), (60, 160, 40), np.uint8)
    answer = meadow.copy()
    answer[: SIDE // 2] = (0, 255, 0)
    assert compute_corrected_paint_iou(answer, UPPER, meadow) == 1
    assert compute_corrected_paint_iou(answer, UPPER) == 0.5


def test_a_picture_is_resized_linearly() -> None:
    ramp = np.repeat(np.array([[0, 200]], np.uint8)[:, :, None], 3, axis=2)
    large = resize_pixels(ramp)[0, :, 0].astype(int)
    assert (large[0], large[-1]) == (0, 200)
    assert (np.diff(large) >= 0).all()
    assert large[SIDE // 2 - 1] + large[SIDE // 2] == pytest.approx(200, abs=1)
