"""``ircore elements detect --detector eye``: what the judge's eye sees, as elements with boxes."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.core.elements import elements_of_scene
from ircore.core.images import Picture
from ircore.games.reconstruction.build_targets import draw
from ircore.scorers.elements.eye import UNKNOWN, detect_by_eye
from ircore.scorers.elements.iou import element_iou
from ircore.scorers.elements.presence import presence
from ircore.scorers.judge_test import pixel_edits

DRAWN = draw("bar_graph", "easy", 5)
TARGET = Picture.from_pixels(DRAWN.drawing.pixels)
BARS = [element.box for element in DRAWN.scene.elements if element.type == "bar"]


@pytest.mark.slow
def test_all_bars_and_labels_of_the_target_are_seen_in_their_places() -> None:
    seen = detect_by_eye(TARGET, DRAWN.scene, TARGET)
    truth = elements_of_scene(DRAWN.scene).counts
    assert seen.counts["bar"] == truth["bar"]
    assert seen.counts["tick_label"] == truth["tick_label"]
    assert UNKNOWN not in seen.counts
    boxes = sorted(element.box for element in seen.elements if element.label == "bar" if element.box)
    for box, bar in zip(boxes, sorted(BARS), strict=True):
        assert box == pytest.approx(tuple(bar), abs=2)


@pytest.mark.slow
def test_boxes_lie_in_the_rendering_which_may_be_moved_and_of_another_size() -> None:
    moved = Image.fromarray(pixel_edits.shifted(DRAWN.drawing.pixels, distance=10)).resize((1024, 1024))
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
    result = presence(reference.counts, less.counts)
    total = len(reference.elements)
    assert result.precision == 1
    assert result.recall == pytest.approx((total - 1) / total)
    assert element_iou(reference, less).common is not None


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
