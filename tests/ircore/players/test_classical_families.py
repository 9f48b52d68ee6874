"""Curves are named by the function that they look like, and said so that the generator draws them."""

import asyncio
import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ircore.core.drawing import Drawing, Point
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import LineItem, PieItem
from ircore.players.builtin.classical.curves import find_likeness
from ircore.players.builtin.classical.describer import ClassicalDescriber, write_first_message
from ircore.players.builtin.classical.perceive import perceive_pixels
from ircore.players.builtin.classical.wording import describe_stroke
from ircore.seeing.colours import find_shortest_name
from ircore.seeing.percepts import Likeness, Pie, Stroke

Curve = Callable[[np.ndarray], np.ndarray]


def path_of(curve: Curve, low: float = 80, high: float = 430) -> np.ndarray:
    """A curve as it is traced: to half a pixel, within the picture."""
    x = np.arange(low, high, 1.5)
    y = curve(x)
    kept = (y > 20) & (y < 490)
    return np.round(2 * np.column_stack([x, y])[kept]) / 2


CURVES: dict[str, Curve] = {
    "parabola": lambda x: 400 - 0.012 * (x - 250) ** 2,
    "sine": lambda x: 250 + 90 * np.sin(2 * math.pi * x / 180),
    "exponential": lambda x: 420 - 3 * np.exp((x - 80) / 75),
    "hyperbola": lambda x: 150 + 14000 / (x - 40),
    "root": lambda x: 400 - 15 * np.sqrt(x - 79.9),
    "logarithm": lambda x: 400 - 60 * np.log(x - 76),
    "absolute": lambda x: 120 + 0.9 * np.abs(x - 240),
    "cubic": lambda x: 250 + 3e-5 * (x - 250) ** 3 - 0.7 * (x - 250),
}


@pytest.mark.parametrize("family", CURVES)
def test_each_family_is_told(family: str) -> None:
    likenesses = find_likeness(path_of(CURVES[family]))
    assert likenesses is not None
    assert likenesses.family == family


def test_what_is_measured_of_a_family_is_right() -> None:
    sine, hyperbola, growth = (find_likeness(path_of(CURVES[name])) for name in ("sine", "hyperbola", "exponential"))
    assert sine is not None
    assert sine.period == pytest.approx(180, abs=3)
    assert hyperbola is not None
    assert dict(hyperbola.levels) == pytest.approx({"x": 40, "y": 150}, abs=6)
    assert growth is not None
    assert dict(growth.levels) == pytest.approx({"y": 420}, abs=8)


def graph(curve: Curve) -> Drawing:
    drawing = Drawing(512, 512)
    drawing.line([(40, 300.5), (470, 300.5)], "#222222", 1)
    for x in range(70, 460, 40):
        drawing.line([(x + 0.5, 297), (x + 0.5, 304)], "#222222", 1)
    drawing.line([(float(x), float(y)) for x, y in path_of(curve, 60, 450)], "#d62728", 3)
    return drawing


@pytest.mark.slow
def test_the_first_message_names_the_function_and_where_it_turns() -> None:
    seen = perceive_pixels(graph(lambda x: 380 - 0.008 * (x - 250) ** 2).pixels)
    said = write_first_message(seen, 200)
    told = re.search(r"parabola opening upward, lowest at x (\d+), with zeros at x (\d+) and (\d+), through \(", said)
    assert told is not None
    assert [int(x) for x in told.groups()] == pytest.approx([250, 150, 350], abs=6)


def test_without_room_only_the_name_is_said() -> None:
    stroke = Stroke(
        "#d62728", 3, ((60, 100), (150, 250), (250, 300), (350, 250), (440, 100)), True, role="curve",
        likeness=Likeness("parabola", 0.3, upward=True),
    )  # fmt: skip
    whole = describe_stroke(stroke, find_shortest_name, axis=200, telling=True)
    assert "lowest at x" in whole.text
    assert [element.text for element in whole.shorter] == [describe_stroke(stroke, find_shortest_name).text]
    assert whole.shorter[0].text.startswith("A 3 px #d62728 parabola opening upward through (60, 100)")


@pytest.mark.parametrize("family", ["parabola", "sine", "exponential", "hyperbola", "root", "logarithm", "cubic"])
@pytest.mark.parametrize("smooth", [True, False])
def test_whatever_is_told_of_a_curve_canvas_draws_its_points(family: str, smooth: bool) -> None:
    points = ((60.0, 100.0), (150.0, 250.0), (250.0, 300.0), (350.0, 250.0), (440.0, 100.0))
    like = Likeness(family, 0.3, 120, (("x", 40.0), ("y", 320.0)), upward=True)
    stroke = Stroke("#d62728", 3, points, smooth, "dashed", role="curve", likeness=like)
    said = describe_stroke(stroke, find_shortest_name, axis=200, telling=True).text
    canvas, notes = read([f"The picture has a white background. {said}"])
    assert notes == ()
    (item,) = canvas.items
    assert isinstance(item, LineItem)
    assert (item.points, item.smooth, item.colour, item.stroke) == (points, smooth, "#d62728", 3)
    assert item.dash


COLUMNS = (80.0, 150.0, 220.0, 290.0, 360.0, 430.0)
UPPER = tuple(zip(COLUMNS, (120.0, 200.0, 90.0, 240.0, 180.0, 100.0), strict=True))
LOWER = tuple(zip(COLUMNS, (330.0, 150.0, 300.0, 360.0, 250.0, 320.0), strict=True))


def chart(*lines: tuple[tuple[Point, ...], str, tuple[float, ...]], markers: str = "") -> Drawing:
    drawing = Drawing(512, 512)
    drawing.line([(50, 450.5), (460, 450.5)], "#000000", 1)
    drawing.line([(50.5, 50), (50.5, 450)], "#000000", 1)
    for x in COLUMNS:
        drawing.line([(x + 0.5, 450), (x + 0.5, 455)], "#000000", 1)
    for points, colour, dash in lines:
        drawing.line(list(points), colour, 2, dash)
        for point in points if markers else ():
            drawing.ellipse(point, (4, 4), "#ffffff" if markers == "hollow" else colour)
            drawing.ellipse(point, (4, 4), outline=colour, width=2)
    return drawing


def seen(drawing: Drawing) -> list[Stroke]:
    matches = [
        p for p in perceive_pixels(drawing.pixels).percepts if isinstance(p, Stroke) and len(p.points) == len(COLUMNS)
    ]
    return sorted(matches, key=lambda line: line.points[0][1])


def assert_near(line: Stroke, corners: tuple[Point, ...]) -> None:
    assert all(math.dist(item, other) < 3.5 for item, other in zip(line.points, corners, strict=True)), line.points


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dash", "name"), [((), "solid"), ((9, 5), "dashed"), ((2, 4), "dotted"), ((12, 4, 2, 4), "dash-dot")]
)
@pytest.mark.parametrize("markers", ["", "full", "hollow"])
def test_a_line_is_followed_from_tick_to_tick_whatever_its_stroke(
    dash: tuple[float, ...], name: str, markers: str
) -> None:
    (line,) = seen(chart((UPPER, "#1f77b4", dash), markers=markers))
    assert_near(line, UPPER)
    assert line.dash == name
    assert (line.marker is not None) == bool(markers)


@pytest.mark.slow
@pytest.mark.parametrize("colours", [("#1f77b4", "#d62728"), ("#333333", "#333333")])
def test_two_lines_that_cross_are_told_apart(colours: tuple[str, str]) -> None:
    item, other = seen(chart((UPPER, colours[0], ()), (LOWER, colours[1], (9, 5)), markers="full"))
    assert_near(item, UPPER)
    assert_near(other, LOWER)


def test_a_parabola_over_ticks_stays_a_curve() -> None:
    points = tuple((float(x), 100 + (x - 255) ** 2 / 120) for x in range(80, 431, 2))
    drawing = chart((points, "#1f77b4", ()))
    assert not [line for line in seen(drawing) if line.colour == "#1f77b4" and not line.smooth]


@pytest.mark.slow
def test_a_wedge_pulled_out_is_still_of_the_pie() -> None:
    message = (
        "A pie of radius 150 px centred at (256, 256) with white 2 px wedge borders, clockwise from 12 o'clock: "
        "#d62728 28% pulled out 15 px, #1f77b4 22%, #2ca02c 34%, #ff7f0e 16%."
    )
    canvas, notes = read([message])
    assert notes == ()
    (drawn,) = canvas.items
    assert isinstance(drawn, PieItem)
    assert [part.pulled for part in drawn.slices] == [15, 0, 0, 0]
    (pie,) = perceive_pixels(draw(canvas)).percepts
    assert isinstance(pie, Pie)
    assert [colour for colour, _ in pie.wedges] == ["#d62728", "#1f77b4", "#2ca02c", "#ff7f0e"]
    assert np.allclose([share for _, share in pie.wedges], [0.28, 0.22, 0.34, 0.16], atol=0.02)
    assert pie.pulled[0] == pytest.approx(15, abs=3)
    assert not any(pie.pulled[1:])


def test_few_tokens_say_all_wedges_of_a_pie_in_everyday_colours() -> None:
    pie = Pie((256, 256), 150, 0, 0, (("#d62728", 0.283), ("#1f77b4", 0.717)), ("#ffffff", 2), (106, 106, 406, 406))
    perception = replace(perceive_pixels(Drawing(512, 512).pixels), percepts=(pie,))
    assert write_first_message(perception, 50).endswith("clockwise from 12 o'clock: red 28%, blue 72%.")


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


@pytest.mark.slow
@pytest.mark.parametrize("target", [line_chart(), equal_bars(), stacked_bars(), pie_chart()])
def test_fifty_tokens_a_turn_are_enough_in_the_end(target: Pixels) -> None:
    said, pictures = dialogue(target, 50)
    first, last = off(pictures[0].pixels, target), off(pictures[-1].pixels, target)
    assert len(said) > 1
    assert last < 0.6 * first
    assert last < 0.01


@pytest.mark.slow
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


@pytest.mark.slow
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
    (pie,) = [item for item in canvas.items if isinstance(item, PieItem)]
    assert [part.share for part in pie.slices] == [30, 50, 20]


@pytest.mark.slow
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
