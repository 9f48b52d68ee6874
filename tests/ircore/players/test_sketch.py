"""The weaker generator: coarse, forgetful of what a correction is, and honest about it."""

import asyncio
import re

import pytest
from PIL import ImageColor

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob, Stroke
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.players.builtin.sketch import GRID, SketchGenerator, coarsen_canvas
from ircore.seeing.colours import find_shortest_name, list_exact_names, parse_colour_name

CIRCLE = "A red (#d62728) circle of radius 40 px centred at (120, 200)."


def sketched(*messages: str) -> Pixels:
    view = GeneratorView(len(messages), messages[-1], messages[:-1], None, 0, "\n".join(messages))
    return asyncio.run(SketchGenerator(PlayerSpec(player="sketch")).render(view)).picture.pixels


def test_positions_and_colours_are_coarse() -> None:
    canvas, _ = read([CIRCLE + " A 2 px dashed crimson line from (10, 10) to (333, 49)."])
    circle, line = coarsen_canvas(canvas).items
    assert isinstance(circle, Blob)
    assert isinstance(line, Stroke)
    assert (circle.centre, circle.width, circle.fill) == ((128, 192), 64, "#e02020")
    assert (line.points, line.dash, line.colour) == (((0, 0), (320, 64)), (), "#e02020")
    assert all(part % GRID == 0 for point in line.points for part in point)


@pytest.mark.slow
def test_a_correction_is_taken_for_a_description() -> None:
    once = sketched(CIRCLE)
    again = sketched(CIRCLE, "Move the red circle 200 px right.")
    assert tuple(again[192, 128]) == tuple(once[192, 128]) == (0xE0, 0x20, 0x20)
    assert tuple(sketched(CIRCLE, "Remove the red circle.")[192, 128]) == (0xE0, 0x20, 0x20)
    added = sketched(CIRCLE, "Add a blue square of side 96 px centred at (384, 384).")
    assert tuple(added[384, 384]) == (0x20, 0x60, 0xD0)


def test_a_moved_thing_is_there_twice() -> None:
    pixels = sketched(CIRCLE, "Move the red circle 200 px right.")
    red = (pixels == (0xE0, 0x20, 0x20)).all(axis=2)
    assert red[:, :256].any()
    assert red[:, 320:].any()


def answer(target: Drawing, *renderings: Drawing, budget: int = 200) -> str:
    pictures = tuple(Picture.from_pixels(drawing.pixels) for drawing in renderings)
    said = ("Something.",) * len(pictures)
    view = DescriberView(
        len(pictures) + 1, "", Picture.from_pixels(target.pixels), pictures, said, said, said, budget, 0
    )
    return asyncio.run(CaptionerDescriber(PlayerSpec(player="captioner")).describe(view)).text


def scene(x: float = 90) -> Drawing:
    drawing = Drawing(512, 512)
    drawing.ellipse((x, 90), (85, 85), "#d62728")
    drawing.rectangle(240, 240, 280, 280, "#1f77b4")
    return drawing


def test_caption_has_kinds_places_and_no_measures() -> None:
    said = answer(scene())
    assert "A large red circle in the upper left." in said
    assert "A small blue square near the centre." in said
    assert not re.search(r"\d|#", said)


@pytest.mark.parametrize("budget", [10, 50, 200])
def test_budget_and_own_limit(budget: int) -> None:
    drawing = Drawing(512, 512)
    for number in range(12):
        drawing.ellipse((40 + 38 * number, 40 + 35 * number), (15, 15), f"#{20 * number:02x}40a0")
    said = answer(drawing, budget=budget).removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")
    assert 0 < count_tokens(said) <= min(budget, 60)


def test_corrections_are_vague() -> None:
    assert answer(scene(), scene(x=300)) == "<DESCRIPTION>The red circle should be further left.</DESCRIPTION>"


def test_gives_up_by_the_third_turn() -> None:
    assert answer(scene(), scene(x=300), scene(x=310)) == "<DONE>"
    assert answer(scene(), scene()) == "<DONE>"


def test_a_colour_keeps_its_name_once_pillow_has_drawn_with_it() -> None:
    ImageColor.getrgb("black")  # from now on Pillow's table holds (0, 0, 0) for it
    assert not isinstance(ImageColor.colormap["black"], str)
    list_exact_names.cache_clear()
    assert (find_shortest_name("#000000"), find_shortest_name("#ff0000")) == ("black", "red")
    assert parse_colour_name("black") is not None
