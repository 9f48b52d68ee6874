"""Labels of two pictures: counted by hand, and read by OCR where it is installed."""

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Pixels
from ircore.core.ocr import TextLine, ocr_missing
from ircore.scorers.metrics.base import MetricUnavailableError
from ircore.scorers.metrics.text import F1, RECALL, Label, label_scores, labels_of_lines

needs_ocr = pytest.mark.skipif(ocr_missing() is not None, reason="the extra ocr is not installed")

TARGET = [Label("Mon", 0.1, 0.9), Label("Tue", 0.5, 0.9), Label("10", 0.05, 0.2), Label("10", 0.05, 0.6)]


def test_equal_labels_in_their_places_are_perfect() -> None:
    scores = label_scores(TARGET, TARGET)
    assert (scores.precision, scores.recall, scores.f1, scores.texts_f1) == (1, 1, 1, 1)


def test_case_and_blanks_do_not_matter() -> None:
    assert label_scores([Label("Left Side", 0.5, 0.5)], [Label("LEFT  side", 0.5, 0.5)]).f1 == 1


def test_exchanged_labels_are_right_texts_in_wrong_places() -> None:
    exchanged = [Label("Tue", 0.1, 0.9), Label("Mon", 0.5, 0.9), *TARGET[2:]]
    scores = label_scores(TARGET, exchanged)
    assert (scores.recall, scores.texts_f1) == (0.5, 1)


def test_missing_and_invented_labels_by_hand() -> None:
    # Two of four are there, one of them twice as near as the other; one more was invented.
    scores = label_scores(TARGET, [Label("Mon", 0.12, 0.9), Label("10", 0.05, 0.55), Label("Wed", 0.9, 0.9)])
    assert (scores.precision, scores.recall) == (2 / 3, 2 / 4)
    assert scores.f1 == pytest.approx(2 * 2 / (4 + 3))


def test_one_label_cannot_stand_for_two() -> None:
    assert label_scores([Label("A", 0.5, 0.5)] * 2, [Label("A", 0.5, 0.5)]).recall == 0.5


def test_without_labels_there_is_nothing_to_say() -> None:
    assert label_scores([], []).f1 is None
    assert label_scores([], TARGET).recall is None
    assert label_scores(TARGET, []).f1 == 0


def test_labels_of_recognised_lines_are_shares_of_the_picture() -> None:
    line = TextLine("km", ((90, 0), (110, 0), (110, 20), (90, 20)), 0.9)
    assert labels_of_lines([line], 200, 100) == (Label("km", 0.5, 0.1),)
    assert labels_of_lines([TextLine("—", line.corners, 0.9), TextLine("km", line.corners, 0.5)], 200, 100) == ()


def sign(*texts: tuple[str, float, float]) -> Pixels:
    drawing = Drawing(400, 200)
    for text, x, y in texts:
        drawing.text((x, y), text, 26, "#000000")
    return drawing.pixels


@needs_ocr
def test_a_rendering_that_lost_a_label() -> None:
    target = sign(("Monday", 90, 50), ("Friday", 300, 150))
    assert F1.compute(target, target) == 1
    assert RECALL.compute(target, sign(("Monday", 90, 50))) == 0.5
    with pytest.raises(MetricUnavailableError, match="no text in the target"):
        RECALL.compute(sign(), target)
    assert "rapidocr" in F1.full_version
