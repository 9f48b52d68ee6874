"""Few tokens a turn: what does not fit into one message is said over several, and what was said is drawn."""

import asyncio
import re

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Pie as DrawnPie
from ircore.players.builtin.classical.describer import ClassicalDescriber

pytestmark = pytest.mark.slow


def dialogue(target: Pixels, budget: int) -> tuple[list[str], list[Picture]]:
    describer = ClassicalDescriber(PlayerSpec(player="classical"))
    generator = CanvasGenerator(PlayerSpec(player="canvas"))
    picture, said, pictures = Picture.from_pixels(target), list[str](), list[Picture]()
    for turn in range(1, 11):
        seen = DescriberView(turn, "", picture, tuple(pictures), tuple(said), (), (), budget, 0)
        text = asyncio.run(describer.describe(seen)).text
        if text == "<DONE>":
            break
        message = text.removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")
        assert count_tokens(message) <= budget
        view = GeneratorView(turn, message, tuple(said), pictures[-1] if pictures else None, 0, "")
        pictures.append(asyncio.run(generator.render(view)).picture)
        said.append(message)
    return said, pictures


def off(one: Pixels, other: Pixels) -> float:
    return float((np.abs(one.astype(float) - other).max(axis=2) > 60).mean())


def line_chart() -> Pixels:
    drawing = Drawing(512, 512)
    corners = [(60 + 40 * n, 120 + 37 * n * (n + 3) % 230) for n in range(10)]
    drawing.line([(40, 450.5), (460, 450.5)], "#000000", 1)
    for x, _ in corners:
        drawing.line([(x + 0.5, 450), (x + 0.5, 455)], "#000000", 1)
    drawing.line(corners, "#d62728", 3)
    return drawing.pixels


def equal_bars() -> Pixels:
    drawing = Drawing(512, 512)
    for n in range(12):
        drawing.rectangle(40 + 36 * n, 420 - 50 - 23 * n * (n + 1) % 290, 62 + 36 * n, 420, "#1f77b4")
    return drawing.pixels


def stacked_bars() -> Pixels:
    drawing = Drawing(512, 512)
    for n in range(8):
        low, high = 330 - 17 * n % 60, 190 - 29 * n % 90
        drawing.rectangle(40 + 54 * n, low, 70 + 54 * n, 420, "#d62728")
        drawing.rectangle(40 + 54 * n, high, 70 + 54 * n, low, "#1f77b4")
    return drawing.pixels


def pie_chart() -> Pixels:
    canvas, _ = read(
        [
            "A pie of radius 150 px centred at (256, 256), clockwise from 12 o'clock: #d62728 9%, #1f77b4 14%, "
            "#2ca02c 8%, #ff7f0e 11%, #9467bd 17%, #8c564b 6%, #17becf 12%, #e377c2 23%."
        ]
    )
    return draw(canvas)


@pytest.mark.parametrize("target", [line_chart(), equal_bars(), stacked_bars(), pie_chart()])
def test_fifty_tokens_a_turn_are_enough_in_the_end(target: Pixels) -> None:
    said, pictures = dialogue(target, 50)
    first, last = off(pictures[0].pixels, target), off(pictures[-1].pixels, target)
    assert len(said) > 1
    assert last < 0.6 * first
    assert last < 0.01


def test_a_line_drawn_in_part_is_replaced_by_the_whole_if_it_fits() -> None:
    target = line_chart()
    part = "A 3 px #d62728 polyline through (60, 120), (100, 268), (140, 260), (180, 156)."
    drawn, _ = read([part])
    seen = (Picture.from_pixels(draw(drawn)),)
    view = DescriberView(2, "", Picture.from_pixels(target), seen, (part,), ("",), ("",), 200, 0)
    text = asyncio.run(ClassicalDescriber(PlayerSpec(player="classical")).describe(view)).text
    assert text.startswith("<DESCRIPTION>Replace the red")
    assert "through (60, 120), " in text
    last = re.search(r", \(420, (\d+)\)\.", text)
    assert last is not None
    assert abs(int(last[1]) - 206) <= 2  # where the line ends in truth


@pytest.mark.parametrize("words", ["Next wedges", "The remaining slices", "Further sectors"])
def test_more_wedges_go_on_where_the_pie_ends(words: str) -> None:
    canvas, notes = read(
        [
            "A pie of radius 100 px centred at (256, 256), clockwise from 12 o'clock: red 30%. "
            "A black circle of radius 9 px at (20, 20).",
            f"{words}: #1f77b4 50%, #2ca02c 20%.",
        ]
    )
    assert notes == ()
    (pie,) = [item for item in canvas.items if isinstance(item, DrawnPie)]
    assert [part.share for part in pie.slices] == [30, 50, 20]


def test_stacked_bars_are_said_layer_by_layer() -> None:
    drawing = Drawing(512, 512)
    layers = (
        ("#aedba4", (364, 349, 333, 338, 370)),
        ("#f5a897", (323, 260, 229, 271, 300)),
        ("#7fc9c4", (208, 167, 110, 224, 150)),
    )
    feet = [450] * 5
    for colour, tips in layers:
        for number, tip in enumerate(tips):
            drawing.rectangle(60 + 80 * number, tip, 110 + 80 * number, feet[number], colour)
        feet = list(tips)
    said, _ = dialogue(drawing.pixels, 50)
    bars = [item for item in read(said)[0].items if item.kind == "bar"]
    matches = {(bar.colour, round(bar.centre[0]), round(bar.box[1])) for bar in bars}
    assert matches == {(colour, 85 + 80 * n, tip) for colour, tips in layers for n, tip in enumerate(tips)}
    assert len(bars) == 15
