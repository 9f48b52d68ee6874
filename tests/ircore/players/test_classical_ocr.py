"""Texts that OCR recognises: measured by their ink, taken only where nothing was read, real where it is installed."""

import asyncio

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.ocr import TextLine, ocr_missing, read_text
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView
from ircore.players.builtin.classical.describer import ClassicalDescriber
from ircore.players.builtin.classical.perceive import look_at
from ircore.players.builtin.classical.percepts import Text

needs_ocr = pytest.mark.skipif(ocr_missing() is not None, reason="the extra ocr is not installed")


def slanted(text: str = "2014", x: float = 200, y: float = 300) -> Drawing:
    drawing = Drawing(512, 512)
    drawing.text((x, y), text, 15, "#1e3a5f", rotation=45)
    return drawing


def around(x: float, y: float, text: str = "2014", score: float = 0.97) -> TextLine:
    """The corners of a text that climbs at 45 degrees, with the room that a detector leaves."""
    return TextLine(text, ((x - 20, y + 3), (x + 3, y - 20), (x + 20, y - 3), (x - 3, y + 20)), score)


@pytest.mark.parametrize(
    "wrong", [around(200, 300, score=0.5), around(200, 300, "キ"), around(200, 300, "_-"), around(400, 100)]
)
def test_what_is_doubtful_or_not_there_is_left_out(wrong: TextLine) -> None:
    assert look_at(slanted().pixels, (wrong,)).texts == ()


@pytest.mark.slow
def test_recognised_pixels_are_no_strokes() -> None:
    seen = look_at(slanted("Wednesday").pixels, ()).percepts
    read = look_at(
        slanted("Wednesday").pixels, (TextLine("Wednesday", ((160, 326), (226, 260), (240, 274), (174, 340)), 1),)
    )
    assert [type(percept) for percept in read.percepts] == [Text]
    assert not any(isinstance(percept, Text) for percept in seen)


@needs_ocr
def test_real_recognition_of_slanted_print() -> None:
    (result,) = read_text(slanted("2014").pixels)
    assert (result.text, result.rotation) == ("2014", 45)
    assert read_text(slanted("2014").pixels) is read_text(slanted("2014").pixels)


@needs_ocr
def test_the_describer_says_what_was_recognised() -> None:
    describer = ClassicalDescriber(PlayerSpec(player="classical", parameters={"ocr": True}))
    view = DescriberView(1, "", Picture.from_pixels(slanted("2014").pixels), (), (), (), (), 200, 0)
    said = asyncio.run(describer.describe(view)).text
    assert '"2014"' in said
    assert "rotated 45 degrees" in said
