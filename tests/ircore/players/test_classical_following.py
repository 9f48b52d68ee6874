"""On later turns: what was said in vain is put otherwise once, then left; and details that a first look misses."""

import asyncio

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Label
from ircore.players.builtin.classical.compare import correct_texts
from ircore.players.builtin.classical.describer import ClassicalDescriber
from ircore.players.builtin.classical.perceive import perceive_pixels
from ircore.players.builtin.classical.wording import describe_texts
from ircore.seeing.colours import find_shortest_name, measure_rgb_distance
from ircore.seeing.glyphs import read_line
from ircore.seeing.ocr import TextLine, find_missing_ocr_package, read_text
from ircore.seeing.percepts import Bars, Grid, Shape, Stroke, Text, Ticks


def answer(target: Pixels, rendering: Pixels, said: tuple[str, ...]) -> str:
    """What the describer says when the same rendering came back for each message."""
    pictures = tuple(Picture.from_pixels(rendering) for _ in said)
    view = DescriberView(len(said) + 1, "", Picture.from_pixels(target), pictures, said, said, said, 200, 0)
    text = asyncio.run(ClassicalDescriber(PlayerSpec(player="classical")).describe(view)).text
    return text.removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")


def circle(x: float = 120, radius: float = 40, outline: str | None = None) -> Pixels:
    drawing = Drawing(512, 512)
    drawing.ellipse((x, 200), (radius, radius), "#d62728", outline=outline, width=4)
    return drawing.pixels


BLANK = Drawing(512, 512).pixels


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "rendering", "first", "second"),
    [
        (circle(), BLANK, "Add a #d62728 circle", "There should be a #d62728 circle"),
        (BLANK, circle(), "Remove the red (#d62728) circle", "Delete the red (#d62728) circle"),
        (circle(120), circle(160), "Move the red (#d62728) circle", "should be centred at (120, 200)"),
        (circle(), circle(radius=60), "Make the red (#d62728) circle", "should have a radius 40 px"),
        (circle(outline="#000000"), circle(radius=42), "px black outline", "Give the red"),
    ],
)
def test_what_was_said_in_vain_is_put_in_other_words_and_then_left(
    target: Pixels, rendering: Pixels, first: str, second: str
) -> None:
    once = answer(target, rendering, ("A picture.",))
    assert first in once
    again = answer(target, rendering, ("A picture.", once))
    assert second in again
    assert again != once
    other = rendering.copy()
    other[0, 0] = 1  # that the last three renderings are equal would end it anyway
    pictures = tuple(Picture.from_pixels(pixels) for pixels in (other, rendering, rendering))
    said = ("A picture.", once, again)
    view = DescriberView(4, "", Picture.from_pixels(target), pictures, said, said, said, 200, 0)
    assert asyncio.run(ClassicalDescriber(PlayerSpec(player="classical")).describe(view)).text == "<DONE>"


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        "A #d62728 circle of radius 40 px centred at (160, 200).",
        "A #d62728 circle of radius 60 px centred at (120, 200).",
        "A #1f77b4 circle of radius 40 px centred at (120, 200).",
        "A #d62728 circle of radius 40 px centred at (120, 200), with a 4 px black outline.",
    ],
)
def test_both_wordings_are_followed(message: str) -> None:
    target, rendering = circle(), draw(read([message])[0])
    once = answer(target, rendering, (message,))
    again = answer(target, rendering, (message, once))
    for correction in (once, again):
        assert correction != "<DONE>"
        canvas, notes = read([message, correction])
        assert notes == ()
        assert abs(draw(canvas).astype(int) - target).mean() < 0.3


@pytest.mark.parametrize(("low", "high", "side"), [(301, 308, "outside"), (293, 300, "inside"), (296, 305, "across")])
def test_ticks_say_where_they_reach(low: float, high: float, side: str) -> None:
    drawing = Drawing(512, 512)
    drawing.line([(60, 300.5), (460, 300.5)], "#000000", 1)
    for x in range(80, 450, 60):
        drawing.line([(x + 0.5, low), (x + 0.5, high)], "#000000", 1)
    (ticks,) = [percept for percept in perceive_pixels(drawing.pixels).percepts if isinstance(percept, Ticks)]
    assert ticks.side == side


def test_bars_have_outlines_and_the_axis_that_they_stand_on_is_seen() -> None:
    drawing = Drawing(512, 512)
    for n, high in enumerate((120, 260, 90, 180)):
        drawing.rectangle(80 + 90 * n, 420 - high, 130 + 90 * n, 420, "#7bcf9b", "#000000", 1)
    drawing.line([(50, 420), (470, 420)], "#000000", 1)
    seen = perceive_pixels(drawing.pixels).percepts
    (bars,) = [percept for percept in seen if isinstance(percept, Bars)]
    # A line of 1 px that lies between two rows fills none of them, so its colour is not exact.
    assert all(
        bar.outline and bar.outline[1] == 1 and measure_rgb_distance(bar.outline[0], "#000000") < 80
        for bar in bars.bars
    )
    assert any(isinstance(p, Stroke) and abs(p.points[0][1] - 420) < 2 and p.box[2] - p.box[0] > 400 for p in seen)


def test_three_dark_parallels_are_lines_three_pale_ones_a_grid() -> None:
    for colour, kind in (("#1f2937", Stroke), ("#d9d9d9", Grid)):
        drawing = Drawing(512, 512)
        for y in (150.5, 256.5, 362.5):
            drawing.line([(50, y), (460, y)], colour, 1)
        assert {type(percept) for percept in perceive_pixels(drawing.pixels).percepts} == {kind}


def test_print_on_graph_paper_is_read_and_the_paper_is_whole() -> None:
    drawing = Drawing(512, 512, "#fffdf5")
    for at in range(32, 512, 32):
        drawing.line([(at + 0.5, 0), (at + 0.5, 512)], "#dfe7ee", 1)
        drawing.line([(0, at + 0.5), (512, at + 0.5)], "#dfe7ee", 1)
    drawing.text((258, 200), "M", 18, "#1f2937")
    seen = perceive_pixels(drawing.pixels)
    assert [text.text for text in seen.texts] == ["M"]
    assert [len(percept.at) for percept in seen.percepts if isinstance(percept, Grid)] == [15, 15]
    assert len(seen.percepts) == 3


def test_a_panel_lies_under_the_grid_though_it_is_told_first() -> None:
    messages = [
        "A white rectangle 400 px wide and 400 px high centred at (256, 256). The picture has a #e3ebf3 background."
    ]
    lines = "Horizontal grid lines in #ff0000, 1 px, at y 100, 200, 300 from x 60 to x 450."
    drawn = draw(read([*messages, f"Add {lines[0].lower()}{lines[1:]}"])[0])
    assert tuple(drawn[200, 256]) == (255, 0, 0)
    assert tuple(drawn[210, 256]) == (255, 255, 255)


WORDS = ("Rabbit", "Height (cm)", "25", "-3", "2.5", "38%", "52°", "Traffic", "y", "1", "10", "Sheffield", "f(x)")


def ink_of(text: str, size: float, shift: float = 0.0) -> np.ndarray:
    drawing = Drawing(200, 60)
    drawing.text((100 + shift, 30 + shift / 2), text, size)
    return np.asarray(1 - drawing.pixels[..., 0] / 255, np.float32)


def page(*texts: tuple[str, float, float], size: float = 13, colour: str = "#333333", turn: float = 0) -> Pixels:
    drawing = Drawing(512, 512)
    for text, x, y in texts:
        drawing.text((x, y), text, size, colour, rotation=turn)
    return drawing.pixels


def texts_of(pixels: Pixels) -> list[Text]:
    return [percept for percept in perceive_pixels(pixels).percepts if isinstance(percept, Text)]


@pytest.mark.slow
@pytest.mark.parametrize("size", [11, 13, 16, 22])
@pytest.mark.parametrize("word", WORDS)
def test_print_is_read_at_any_place_within_a_pixel(word: str, size: int) -> None:
    for shift in (0.0, 0.3, 0.8):
        parsed_line = read_line(ink_of(word, size, shift))
        assert parsed_line is not None
        assert (parsed_line.text, parsed_line.size) == (word, size)


@pytest.mark.slow
def test_what_is_no_print_is_not_read() -> None:
    rng = np.random.default_rng(2)
    assert read_line(rng.random((14, 60)).astype(np.float32)) is None
    scrawl = Drawing(120, 40)
    scrawl.line([(10, 30), (30, 8), (42, 30), (60, 10), (80, 28), (100, 9)], "#000000", 2)
    assert read_line(np.asarray(1 - scrawl.pixels[..., 0] / 255, np.float32)) is None
    assert read_line(np.zeros((20, 20), np.float32)) is None


def test_texts_have_colour_size_and_place() -> None:
    (text,) = texts_of(page(("Rainfall (mm)", 200.25, 80.5), size=14, colour="#7a2600"))
    assert (text.text, text.size, text.rotation) == ("Rainfall (mm)", 14, 0)
    assert measure_rgb_distance(text.colour, "#7a2600") < 3
    assert text.centre == pytest.approx((200.25, 80.5), abs=0.26)


def test_upright_text_reads_upwards() -> None:
    (text,) = texts_of(page(("Height (cm)", 20, 250), turn=90))
    assert (text.text, text.rotation) == ("Height (cm)", 90)
    assert text.centre == pytest.approx((20, 250), abs=0.26)


def test_white_print_on_a_bar_and_thin_grey_print_are_read() -> None:
    drawing = Drawing(512, 512, "#1f2532")
    drawing.rectangle(100, 100, 180, 400, "#1f77b4")
    drawing.text((140, 200), "38%", 12, "#ffffff")
    drawing.text((300, 300), "11", 12, "#dbe2ec")
    drawing.text((300, 340), "Weekday", 12, "#dbe2ec")
    by_name = {text.text: text.colour for text in texts_of(drawing.pixels)}
    assert by_name == {"38%": "#ffffff", "11": "#dbe2ec", "Weekday": "#dbe2ec"}


@pytest.mark.slow
def test_dashes_and_dots_are_no_texts() -> None:
    drawing = Drawing(512, 512)
    for y in (100.5, 200.5, 300.5):
        drawing.line([(40, y), (460, y)], "#444444", 1, dash=(6, 4))
    drawing.line([(80, 60), (80, 460)], "#444444", 2, dash=(2, 4))
    for x in range(100, 400, 40):
        drawing.ellipse((x, 150), (4, 4), "#444444")
    assert texts_of(drawing.pixels) == []


def test_letters_are_taken_out_of_the_picture() -> None:
    drawing = Drawing(512, 512)
    drawing.rectangle(100, 100, 400, 400, "#1f77b4")
    drawing.text((250, 250), "Inside", 20, "#ffffff")
    seen = perceive_pixels(drawing.pixels).percepts
    assert [type(percept) for percept in seen] == [Shape, Text]


def rendered(texts: list[Text], message: str) -> list[Label]:
    canvas, notes = read([message])
    assert notes == ()
    assert len(canvas.items) == len(texts)
    return [item for item in canvas.items if isinstance(item, Label)]


@pytest.mark.parametrize(
    "written",
    [
        [("6", 85, 460), ("7", 165, 460), ("8", 245, 460)],
        [("0", 46, 450), ("25", 42.5, 350), ("50", 42.5, 250), ("75", 42.5, 150), ("100", 39, 50)],
        [("Rabbit", 90, 100), ("Fish", 300, 222), ("Dog", 40, 400)],
        [("0.5", 80, 300)],
        [("-2", 60, 460), ("-1", 160, 460), ("0", 260, 460), ("1", 360, 460), ("2", 460, 460)],
    ],
)
def test_what_is_said_of_texts_is_what_canvas_writes(written: list[tuple[str, float, float]]) -> None:
    target = page(*written)
    seen = perceive_pixels(target)
    message = " ".join(said.text for said in describe_texts(seen.texts, find_shortest_name, seen.backdrop))
    labels = rendered(list(seen.texts), message)
    assert sorted(label.text for label in labels) == sorted(text for text, _, _ in written)
    drawn = draw(read([message])[0])
    assert float((np.abs(drawn.astype(int) - target).max(axis=2) > 90).mean()) < 0.0005


def corrected(target: Pixels, rendering: Pixels) -> list[str]:
    said = correct_texts(perceive_pixels(target), perceive_pixels(rendering), target, rendering)
    return [statement.text for statement in said]


@pytest.mark.slow
def test_corrections_of_texts() -> None:
    wanted = page(("Week", 200, 300))
    assert corrected(wanted, wanted) == []
    assert corrected(wanted, page(("Week", 204, 300))) == ['Move the text "Week" to (199.75, 300).']
    assert corrected(wanted, page(("Weak", 200, 300))) == ['Change the text "Weak" to "Week".']
    assert corrected(wanted, page(("Week", 200, 300), size=16)) == ['The text "Week" should have font size 13.']
    assert corrected(page(), wanted) == ['Remove the text "Week".']
    (added,) = corrected(wanted, page())
    assert added == 'Add the text "Week" in #333333, font size 13, centred at (199.75, 300).'
    (colour,) = corrected(wanted, page(("Week", 200, 300), colour="#d62728"))
    assert colour == 'Change the colour of the text "Week" to #333333.'


def test_a_text_in_another_font_is_not_written_over() -> None:
    # Print that cannot be read lies where the text should be: letters doubled with a slant.
    drawing = Drawing(512, 512)
    for n in range(6):
        drawing.line([(186 + 5 * n, 305), (190 + 5 * n, 295)], "#333333", 1.3)
        drawing.line([(186 + 5 * n, 296), (190 + 5 * n, 304)], "#333333", 1.3)
    assert corrected(page(("Week", 200, 300)), drawing.pixels) == []


needs_ocr = pytest.mark.skipif(find_missing_ocr_package() is not None, reason="the extra ocr is not installed")


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
    assert perceive_pixels(slanted().pixels, (wrong,)).texts == ()


@pytest.mark.slow
def test_recognised_pixels_are_no_strokes() -> None:
    seen = perceive_pixels(slanted("Wednesday").pixels, ()).percepts
    read = perceive_pixels(
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
