"""Verifiers of GIR-Bench: its rules by cases whose answer follows from them, and what the corrected ones do."""

import pytest

from ircore.games.reasoning.dimensions.quantity import quantity, quantity_published
from ircore.games.reasoning.dimensions.text import word_coverage, word_coverage_published
from ircore.games.reasoning.verifiers.detections import Box, DetectionError, Detections, read_detections
from ircore.games.reasoning.verifiers.spatial import (
    Asked,
    Relation,
    relation_holds,
    relations,
    relations_published,
    spatial,
    spatial_published,
)

SQUARE: Box = (0, 0, 100, 100)


def boxes(**counts: int) -> Detections:
    return Detections({label: (SQUARE,) * count for label, count in counts.items()})


def test_quantity_takes_the_larger_of_count_and_boxes() -> None:
    counted = Detections({"cat": (SQUARE,) * 2}, {"cat": 3})
    assert quantity_published({"cat": 3}, counted)
    assert not quantity_published({"cat": 2}, counted)
    assert quantity({"cat": 2}, counted)  # the third one is nowhere
    assert not quantity_published({"cat": 2}, Detections({"cat": (SQUARE,) * 2}, {}, frozenset({"cat"})))


def test_things_nobody_asked_for_count_in_the_corrected_rule_alone() -> None:
    seen = boxes(cat=2, dog=1)
    assert quantity_published({"cat": 2}, seen)
    assert not quantity({"cat": 2}, seen)


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
    assert relation_holds(first, relation, (300, 0, 400, 100)) is holds


def test_a_diagonal_is_both_left_and_above() -> None:
    first: Box = (0, 0, 100, 100)
    other: Box = (400, 400, 500, 500)
    assert [relation_holds(first, relation, other) for relation in ("left", "above", "right", "below")] == [
        True, True, False, False
    ]  # fmt: skip


def test_a_group_is_its_members() -> None:
    asked = [Asked(("cat", "dog"), "left", ("car",))]
    half = Detections({"cat": (SQUARE,), "car": ((800, 0, 900, 100),)})
    assert relations_published(asked, half) == (True,)  # of those found
    assert relations(asked, half) == (False,)
    whole = Detections({**half.boxes, "dog": ((0, 200, 100, 300),)})
    assert relations(asked, whole) == (True,)
    assert spatial(asked, whole)
    assert spatial_published(asked, whole)


def test_every_named_thing_must_be_there_once() -> None:
    asked = [Asked(("cat",), "left", ("car",))]
    two = Detections({"cat": (SQUARE, SQUARE), "car": ((800, 0, 900, 100),)})
    assert not spatial_published(asked, two)
    assert not spatial(asked, two)
    assert relations_published(asked, two) == (True,)


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
    assert word_coverage_published(wanted, read) == pytest.approx(published)
    assert word_coverage(wanted, read) == corrected


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
