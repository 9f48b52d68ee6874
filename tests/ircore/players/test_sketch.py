"""Built-in players: the sketch, and the plain voice."""

import asyncio
import re
from collections.abc import Iterable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import ImageColor
from skimage.color import deltaE_ciede2000, rgb2lab

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import GRID, SketchGenerator, coarsen_canvas
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob, Label, LineItem
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.players.builtin.classical.describer import PlainDescriber
from ircore.players.builtin.classical.plain.everyday_names import ColourWords
from ircore.seeing.colours import (
    find_shortest_name,
    list_exact_names,
    parse_colour_name,
    parse_hex,
    replace_colour_words,
)

CIRCLE = "A red (#d62728) circle of radius 40 px centred at (120, 200)."


def sketched(*messages: str) -> Pixels:
    view = GeneratorView(len(messages), messages[-1], messages[:-1], None, 0, "\n".join(messages))
    return asyncio.run(SketchGenerator(PlayerSpec(player="sketch")).render(view)).picture.pixels


def test_positions_and_colours_are_coarse() -> None:
    canvas, _ = read([CIRCLE + " A 2 px dashed crimson line from (10, 10) to (333, 49)."])
    circle, line = coarsen_canvas(canvas).items
    assert isinstance(circle, Blob)
    assert isinstance(line, LineItem)
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


@pytest.mark.slow
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


PLAIN = PlayerSpec(player="plain")


def first_words(drawing: Drawing) -> str:
    """What the plain voice says first of a picture."""
    target = Picture.from_pixels(drawing.pixels)
    view = DescriberView(1, "", target, (), (), (), (), token_budget=200, seed=0)
    return asyncio.run(PlainDescriber(PLAIN).describe(view)).text


def bar_chart() -> Drawing:
    """Three red bars of 10, 20 and 30 on an axis from 0 to 40, 10 px a unit, with labels and the axes' names."""
    drawing = Drawing(512, 512, "#ffffff")
    for number, value in enumerate((10, 20, 30)):
        middle = 140 + 120 * number
        drawing.rectangle(middle - 30, 440 - 10 * value, middle + 30, 440, "#d62728")
        drawing.text((middle, 450), "ABC"[number] * 2, 14, "#000000", "mt")
    drawing.line([(80, 440.5), (460, 440.5)], "#000000", 1)
    drawing.line([(80.5, 40), (80.5, 440)], "#000000", 1)
    for value in range(0, 41, 10):
        drawing.line([(75, 440.5 - 10 * value), (80, 440.5 - 10 * value)], "#000000", 1)
        drawing.text((70, 440 - 10 * value), str(value), 14, "#000000", "rm")
    return drawing


@pytest.mark.slow
def test_a_chart_is_told_by_its_values() -> None:
    said = first_words(bar_chart())
    assert re.search(r'labels "AA", "BB", "CC" from 140 to 380 px', said)
    assert re.search(r"The y axis is a 1 px black line and runs from 0 to 40, labelled every 10", said)
    assert re.search(r"bars, 60 px wide: 10, 20, 30\.", said)
    # No everyday name is near enough to this red, so that its value stands beside the name; nothing else is in pixels.
    assert said.count("#") == said.count("(") == said.count("Red (#d62728) bars") == 1


def test_the_canvas_draws_a_chart_from_its_values() -> None:
    canvas, notes = read([
        "The plot spans 100 to 500 px across and 50 to 450 px down, with letters of 14 px in black. "
        'The x axis is a 2 px black line and has the labels "A", "B" from 200 to 400 px. '
        "The y axis runs from 0 to 40, labelled every 20. Red bars, 40 px wide: 10, 30, with their values above."
    ])  # fmt: skip
    bars = [item for item in canvas.items if isinstance(item, Blob)]
    # 400 px stand for 40 units, so 10 units are 100 px above the bottom at 450.
    assert [bar.box for bar in bars] == [(180, 350, 220, 450), (380, 150, 420, 450)]
    texts = {(item.text, round(item.centre[0])) for item in canvas.items if isinstance(item, Label)}
    assert {("10", 200), ("30", 400), ("A", 200), ("B", 400)} <= texts
    assert {item.text for item in canvas.items if isinstance(item, Label)} == {"A", "B", "0", "20", "40", "10", "30"}
    assert notes == ()


@pytest.mark.parametrize(
    ("words", "tops"),
    [
        ("Red bars, 40 px wide, 20 px left of the labels: 10, 20. Blue bars, 40 px wide, 20 px right of the labels: "
         "5, none", {(160, 350), (360, 250), (200, 400)}),
        ("Red bars, 40 px wide: 10, 20. Stacked blue bars, 40 px wide: 5, 10",
         {(180, 350), (380, 250), (180, 300), (380, 150)}),
        ("Bars, 40 px wide: red 10, blue 20", {(180, 350), (380, 250)}),
    ],
)  # fmt: skip
def test_bars_stand_beside_and_on_one_another(words: str, tops: set[tuple[int, int]]) -> None:
    axes = (
        'The plot spans 100 to 500 px across and 50 to 450 px down. The x axis has the labels "A", "B" from 200 to '
        "400 px. The y axis runs from 0 to 40, labelled every 20. "
    )
    canvas, notes = read([axes + words])
    assert {bar.box[:2] for bar in canvas.items if isinstance(bar, Blob)} == tops
    assert notes == ()


def test_a_curve_runs_through_points_in_units_of_the_axes() -> None:
    canvas, notes = read([
        "The plot spans 100 to 500 px across and 50 to 450 px down. The x axis runs from -2 to 2, labelled every 1. "
        "The y axis runs from 0 to 4, labelled every 2.",
        "Add a 3 px red parabola through the points (-2, 4), (0, 0), (2, 4). Grey grid lines run at all labels.",
    ])  # fmt: skip
    curves = [item for item in canvas.items if isinstance(item, LineItem) and item.smooth]
    assert [curve.points for curve in curves] == [((100, 50), (300, 450), (500, 50))]
    assert [item.colour for item in curves] == ["#ff0000"]
    assert len([item for item in canvas.items if item.kind == "grid"]) == 5 + 3
    assert notes == ()


GREYED = ("#e6e6fa", "#dcdce6", "#d3d3d3", "#f2f2fc", "#b3b3bd", "#ede7e0", "#9b9e9b", "#2a3249")
"""From lavender over its neighbours to grey, and other greys with a hint of colour."""


@pytest.mark.slow
def test_what_is_drawn_by_a_name_is_what_was_seen() -> None:
    random = Random(7)
    seen = [*GREYED, *(_hex(random.randrange(256) for _ in range(3)) for _ in range(120))]
    greys = [random.randrange(16, 240) for _ in range(60)]
    seen += [_hex(level + random.randrange(-15, 16) for _ in range(3)) for level in greys]
    off, worded = [], 0
    for colour in seen:
        words = ColourWords([colour])
        name = words(colour)
        # The canvas reads each name as the colour that the voice means by it.
        assert replace_colour_words(f"a {name} circle") == f"a {words.find_shown_colour(colour)} circle", name
        worded += not name.endswith(")")
        both = rgb2lab(_pixel(colour)), rgb2lab(_pixel(words.find_shown_colour(colour)))
        off.append(float(deltaE_ciede2000(*both)[0, 0]))  # type: ignore[no-untyped-call]
    # CIEDE2000 (CIE 142-2001) by scikit-image: two colours 3 apart are told apart only side by side.
    assert max(off) < 4
    assert sorted(off)[int(0.95 * len(off))] < 3
    assert worded > 30


def _hex(channels: Iterable[int]) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _pixel(colour: str) -> NDArray[np.float64]:
    return np.array([[parse_hex(colour)]]) / 255
