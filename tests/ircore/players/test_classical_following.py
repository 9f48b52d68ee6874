"""On later turns: what was said in vain is put otherwise once, then left; and details that a first look misses."""

import asyncio

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.classical.describer import ClassicalDescriber
from ircore.players.builtin.classical.perceive import perceive_pixels
from ircore.seeing.colours import measure_rgb_distance
from ircore.seeing.percepts import Bars, Grid, Stroke, Ticks


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
