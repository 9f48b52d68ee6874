"""Elements: published vectors, cases counted by hand, one form for everything, and lists that are empty."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import OpenAIServer
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.core.drawing import Drawing
from ircore.core.elements import (
    ElementList,
    SeenElement,
    build_counted_elements,
    list_scene_elements,
    read_elements,
    write_elements,
)
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import Box, Element, Scene
from ircore.instances.targets.categories import draw_target
from ircore.scorers.elements.comparisons import compute_element_iou, compute_presence, compute_published_presence
from ircore.scorers.elements.eye import UNKNOWN, detect_by_eye
from ircore.scorers.elements.grounded import detect_by_model
from ircore.scorers.judge_test import edits

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
VECTORS = SHARED / "metrics" / "ep_vectors.json"
published = pytest.mark.skipif(not VECTORS.is_file(), reason="the published values are not beside the checkout")


def listed(*elements: tuple[str, tuple[float, float, float, float] | None], side: int = 512) -> ElementList:
    return ElementList(width=side, height=side, elements=tuple(SeenElement(label=a, box=b) for a, b in elements))


@published
def test_published_rows_are_met_exactly() -> None:
    rows: list[dict[str, Any]] = json.loads(VECTORS.read_text())["rows"]
    assert len(rows) == 250
    for row in rows:
        ours = compute_published_presence(row["elements_reference"], row["elements_generated"])
        theirs = row["published"]
        assert (ours.precision, ours.recall, ours.f1) == (theirs["precision"], theirs["recall"], theirs["f1"]), row


@published
def test_identical_lists_are_perfect_by_the_corrected_definition_alone() -> None:
    rows = json.loads(VECTORS.read_text())["rows"]
    same = [row["elements_reference"] for row in rows if row["elements_reference"] == row["elements_generated"] != {}]
    assert all(compute_presence(counts, counts).f1 == 1 for counts in same)
    assert any((compute_published_presence(counts, counts).f1 or 0) < 1 for counts in same)


def test_two_persons_for_two_persons() -> None:
    two = {"person": 2}
    assert compute_published_presence(two, two).f1 == 0.5  # one class of two instances
    assert compute_presence(two, two).f1 == 1


def test_instances_are_counted_by_hand() -> None:
    # Shared: 2 of 3 persons, the dog. Generated 2 + 1 + 1 = 4, asked 3 + 1 = 4.
    result = compute_presence({"person": 3, "dog": 1}, {"person": 2, "dog": 1, "cat": 1})
    assert (result.precision, result.recall, result.f1) == (3 / 4, 3 / 4, 3 / 4)
    assert result.empty == "neither"


@pytest.mark.parametrize(
    ("reference", "generated", "empty", "one", "zero", "none"),
    [
        ({}, {"dog": 1}, "reference", (0, 1, 0), (0, 0, 0), (0, None, 0)),
        ({"dog": 1}, {}, "generated", (1, 0, 0), (0, 0, 0), (None, 0, 0)),
        ({}, {}, "both", (1, 1, 1), (0, 0, 0), (None, None, None)),
    ],
)
def test_the_rule_for_empty_lists_is_chosen_and_reported(
    reference: dict[str, int], generated: dict[str, int], empty: str, one: Any, zero: Any, none: Any
) -> None:
    for rule, expected in (("one", one), ("zero", zero), ("none", none)):
        result = compute_presence(reference, generated, rule)  # type: ignore[arg-type]
        assert (result.precision, result.recall, result.f1) == expected
        assert result.empty == empty
    assert compute_published_presence(reference, generated) == compute_presence(reference, generated, "one")


def test_iou_takes_the_union_of_all_instances() -> None:
    # Two persons, left half and right half, against one box over all: the union covers everything.
    halves = listed(("person", (0, 0, 256, 512)), ("person", (256, 0, 512, 512)))
    whole = listed(("person", (0, 0, 512, 512)))
    result = compute_element_iou(halves, whole)
    assert (result.common, result.precision, result.recall) == (1, 1, 1)


def test_the_three_means_by_hand() -> None:
    # dog: half of it is covered (IoU 1/2). Only the reference has a cat, only the generated picture two more classes.
    reference = listed(("dog", (0, 0, 100, 100)), ("cat", (0, 0, 9, 9)))
    generated = listed(("dog", (0, 0, 100, 50)), ("car", (0, 0, 9, 9)), ("bus", (0, 0, 9, 9)))
    result = compute_element_iou(reference, generated)
    assert result.by_label == {"dog": 0.5}
    assert result.common == 0.5
    assert result.precision == pytest.approx(0.5 / 3)
    assert result.recall == 0.25


def test_pictures_of_other_sizes_are_compared_by_shares() -> None:
    small = listed(("dog", (0, 0, 64, 128)), side=128)
    large = listed(("dog", (0, 0, 512, 1024)), side=1024)
    assert compute_element_iou(small, large).common == 1


def test_boxes_without_area_and_elements_without_boxes_are_left_out_and_named() -> None:
    flat = listed(("line", (10, 10, 10, 90)), ("dog", (0, 0, 50, 50)), ("sky", None))
    result = compute_element_iou(flat, flat)
    assert (result.common, result.without_area, result.without_box) == (1, ("line",), ("sky",))
    nothing = compute_element_iou(listed(("line", (10, 10, 10, 90))), listed())
    assert (nothing.common, nothing.empty) == (None, "both")
    assert compute_element_iou(listed(), listed(), "zero").common == 0


def test_one_form_for_scene_detector_and_hand(tmp_path: Path) -> None:
    scene = Scene(width=512, height=512, elements=(Element(type="bar", box=Box(10, 20, 30, 40)),))
    (tmp_path / "scene.json").write_text(scene.model_dump_json())
    (tmp_path / "counts.json").write_text('{"Bar": 1}')
    write_elements(tmp_path / "list.json", listed(("BAR ", (10, 20, 30, 40))))
    read = [read_elements(tmp_path / f"{name}.json") for name in ("scene", "counts", "list")]
    assert {str(elements.counts) for elements in read} == {str(Counter(bar=1))}
    assert read[0].elements == read[2].elements == list_scene_elements(scene).elements
    assert build_counted_elements({"dog": 2}).counts == {"dog": 2}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[{", "not JSON"),
        ('{"width": 5, "elements": []}', "height"),
        ('{"width": 5, "height": 5, "elements": [{"label": "a", "box": [9, 0, 1, 1]}]}', "ends before it begins"),
        ('{"width": 5, "height": 5, "elements": [{"label": ""}]}', "label"),
        ('{"person": -1}', "person: the count -1"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "elements.json"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        read_elements(path)
    assert str(path) in caught.value.problem
    with pytest.raises(InputError, match="cannot be read"):
        read_elements(tmp_path / "missing.json")


ANSWER = '{"objects": [{"label": "Circle", "count": 1, "boxes": [[0, 0, 500, 500]]}], "missing_objects": ["dog"]}'
PICTURE = Picture.from_pixels(Drawing(80, 40).pixels)


def model_file(folder: Path, server: OpenAIServer) -> Path:
    path = folder / "model.yaml"
    path.write_text(
        f"schema: 1\nname: seer\nlabel: A seer\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
    )
    return path


def test_a_models_boxes_become_pixels(tmp_path: Path, server: OpenAIServer) -> None:
    server.judge = lambda _: ANSWER
    elements = detect_by_model(model_file(tmp_path, server), PICTURE, ("circle", "dog"))
    assert [(element.label, element.box) for element in elements.elements] == [("circle", (0, 0, 40, 20))]
    assert (elements.width, elements.height, elements.source) == (80, 40, "model seer")
    assert "look for: circle, dog" in str(server.seen[0].document)


def test_an_answer_that_cannot_be_used_is_asked_again_once(tmp_path: Path, server: OpenAIServer) -> None:
    answers = iter(["I see a circle.", ANSWER])
    server.judge = lambda _: next(answers)
    assert len(detect_by_model(model_file(tmp_path, server), PICTURE).elements) == 1
    server.judge = lambda _: "a circle"
    with pytest.raises(InputError, match="the model's answer cannot be used: no JSON object"):
        detect_by_model(model_file(tmp_path, server), PICTURE)


DRAWN = draw_target("bar_graph", "easy", 5)
TARGET = Picture.from_pixels(DRAWN.drawing.pixels)
BARS = [element.box for element in DRAWN.scene.elements if element.type == "bar"]


@pytest.mark.slow
def test_all_bars_and_labels_of_the_target_are_seen_in_their_places() -> None:
    seen = detect_by_eye(TARGET, DRAWN.scene, TARGET)
    truth = list_scene_elements(DRAWN.scene).counts
    assert seen.counts["bar"] == truth["bar"]
    assert seen.counts["tick_label"] == truth["tick_label"]
    assert UNKNOWN not in seen.counts
    boxes = sorted(element.box for element in seen.elements if element.label == "bar" if element.box)
    for box, bar in zip(boxes, sorted(BARS), strict=True):
        assert box == pytest.approx(tuple(bar), abs=2)


@pytest.mark.slow
def test_boxes_lie_in_the_rendering_which_may_be_moved_and_of_another_size() -> None:
    moved = Image.fromarray(edits.shift(DRAWN.drawing.pixels, distance=10)).resize((1024, 1024))
    seen = detect_by_eye(TARGET, DRAWN.scene, Picture.from_pixels(np.asarray(moved)))
    boxes = sorted(element.box for element in seen.elements if element.label == "bar" if element.box)
    x, y = (2 * round(boxes[0][axis] / 2 - sorted(BARS)[0][axis]) for axis in (0, 1))
    for box, bar in zip(boxes, sorted(BARS), strict=True):
        assert box == pytest.approx((2 * bar.left + x, 2 * bar.top + y, 2 * bar.right + x, 2 * bar.bottom + y), abs=6)
    assert (seen.width, seen.height) == (1024, 1024)


@pytest.mark.slow
def test_a_missing_bar_lowers_recall_and_a_stain_lowers_precision() -> None:
    reference = detect_by_eye(TARGET, DRAWN.scene, TARGET)
    image = DRAWN.drawing.image.copy()
    left, top, right, bottom = BARS[1]
    image.paste(tuple(int(part) for part in DRAWN.drawing.pixels[top + 1, left - 2]), (left, top, right, bottom))
    less = detect_by_eye(TARGET, DRAWN.scene, Picture.from_pixels(np.asarray(image)))
    result = compute_presence(reference.counts, less.counts)
    total = len(reference.elements)
    assert result.precision == 1
    assert result.recall == pytest.approx((total - 1) / total)
    assert compute_element_iou(reference, less).common is not None


@pytest.mark.slow
def test_the_command_writes_the_list_or_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, image = str(tmp_path / "set"), str(tmp_path / "image.png")
    built = ["instances", "build", "--category", "bar_graph", "--difficulty", "easy", "--per-condition", "1"]
    assert ircore([*built, "--out", folder]) == 0
    DRAWN.drawing.image.save(image)
    capsys.readouterr()
    asked = ["elements", "detect", image, "--detector", "eye"]
    assert ircore([*asked, "--instances", folder, "--instance", "bar_graph-easy-01"]) == 0
    assert json.loads(capsys.readouterr().out)["source"].startswith("eye ")
    assert ircore(asked) == 2
    assert "detector eye: --instances is missing" in capsys.readouterr().err
    assert ircore([*asked, "--instances", folder, "--instance", "bar_graph-easy-99"]) == 2
    assert "bar_graph-easy-99" in capsys.readouterr().err
