"""The describer's plain voice: what it says of pictures of known content, and that the canvas understands it."""

import asyncio
import re
from collections.abc import Iterable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.color import deltaE_ciede2000, rgb2lab

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView
from ircore.players.builtin.canvas.colours import hex_colours, rgb
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob, Label, Stroke
from ircore.players.builtin.classical.describer import ClassicalDescriber, PlainDescriber
from ircore.players.builtin.classical.plain.colour_words import ColourWords, apart

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


def test_labels_at_uneven_places_are_told_one_by_one() -> None:
    canvas, notes = read([
        'The plot spans 100 to 500 px across and 50 to 450 px down. The x axis has the labels "A", "B", "C" at 150, '
        "250, 450 px. The y axis runs from 0 to 40, labelled every 20. Red bars, 40 px wide: 10, none, 20."
    ])  # fmt: skip
    assert [bar.box[0] for bar in canvas.items if isinstance(bar, Blob)] == [130, 430]
    assert [item.at[0] for item in canvas.items if isinstance(item, Label) and item.text in "ABC"] == [150, 250, 450]
    assert notes == ()


def test_a_curve_runs_through_points_in_units_of_the_axes() -> None:
    canvas, notes = read([
        "The plot spans 100 to 500 px across and 50 to 450 px down. The x axis runs from -2 to 2, labelled every 1. "
        "The y axis runs from 0 to 4, labelled every 2.",
        "Add a 3 px red parabola through the points (-2, 4), (0, 0), (2, 4). Grey grid lines run at all labels.",
    ])  # fmt: skip
    curves = [item for item in canvas.items if isinstance(item, Stroke) and item.smooth]
    assert [curve.points for curve in curves] == [((100, 50), (300, 450), (500, 50))]
    assert [item.colour for item in curves] == ["#ff0000"]
    assert len([item for item in canvas.items if item.kind == "grid"]) == 5 + 3
    assert notes == ()


def test_named_points_stand_for_their_places() -> None:
    canvas, notes = read([
        "Point A is at (100, 400), point B at (400, 400), point M at (250, 250). "
        "A 2 px blue line from point A to point B. "
        "A 2 px red circle around point M through point A. "
        'The letter "B" in black, font size 20, 15 px below and 10 px right of point B.'
    ])  # fmt: skip
    line = next(item for item in canvas.items if isinstance(item, Stroke))
    assert line.points == ((100, 400), (400, 400))
    circle = next(item for item in canvas.items if isinstance(item, Blob))
    # By Pythagoras: 150 px across and 150 px down.
    assert circle.centre == (250, 250)
    assert circle.width == pytest.approx(2 * 212.13, abs=0.02)
    assert next(item for item in canvas.items if isinstance(item, Label)).centre == pytest.approx((410, 415), abs=1)
    assert notes == ()


def test_wedges_get_their_labels_beside_and_inside() -> None:
    canvas, notes = read([
        "A pie of radius 100 px centred at (250, 250), clockwise from 12 o'clock: red 50%, blue 25%, green 25%. "
        'Beside the wedges in black, letters of 14 px: "Coal", none, "Gas". Inside the wedges in white, letters of '
        '12 px: "50%", "25%", none.'
    ])  # fmt: skip
    labels = {item.text: item for item in canvas.items if isinstance(item, Label)}
    # The first wedge points to 3 o'clock, the last one, from 9 to 12 o'clock, to the upper left.
    assert labels["Coal"].at == pytest.approx((360, 250))
    assert labels["Gas"].anchor == "rb"
    assert labels["50%"].at == pytest.approx((318, 250))
    assert len(labels) == 4
    assert notes == ()


def test_colours_of_a_picture_get_different_common_names() -> None:
    words = ColourWords(["#ff0000", "#0000ff", "#0000cd", "#222222", "#ffffff"])
    assert [words(colour) for colour in ("#ff0000", "#0000ff", "#ffffff")] == ["red", "blue", "white"]
    assert len({words(colour) for colour in ("#0000ff", "#0000cd", "#222222")}) == 3
    assert words.said("An unfilled circle of radius 9 px, outlined in 1 px #ff0000") == (
        "An unfilled circle of radius 9 px, outlined in 1 px red"
    )
    assert words.said("A #0000ff dot, An #ff0000 line") == "A blue dot, A red line"


def test_black_and_white_differ_by_a_hundred() -> None:
    # The lightness of CIE L*a*b* runs from 0 to 100.
    assert apart("#000000", "#ffffff") == pytest.approx(100, abs=0.01)
    assert apart("#7f7f7f", "#7f7f7f") == 0


def test_a_voice_is_no_setting() -> None:
    for player in (ClassicalDescriber, PlainDescriber):
        with pytest.raises(InputError, match="voice"):
            player(PlayerSpec(player="classical", parameters={"voice": "plain"}))


GREYED = ("#e6e6fa", "#dcdce6", "#d3d3d3", "#f2f2fc", "#b3b3bd", "#ede7e0", "#9b9e9b", "#2a3249")
"""From lavender over its neighbours to grey, and other greys with a hint of colour."""


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
        assert hex_colours(f"a {name} circle") == f"a {words.shown(colour)} circle", name
        worded += not name.endswith(")")
        both = rgb2lab(_pixel(colour)), rgb2lab(_pixel(words.shown(colour)))
        off.append(float(deltaE_ciede2000(*both)[0, 0]))  # type: ignore[no-untyped-call]
    # CIEDE2000 (CIE 142-2001) by scikit-image: two colours 3 apart are told apart only side by side.
    assert max(off) < 4
    assert sorted(off)[int(0.95 * len(off))] < 3
    assert worded > 30


def _hex(channels: Iterable[int]) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _pixel(colour: str) -> NDArray[np.float64]:
    return np.array([[rgb(colour)]]) / 255
