"""Charts as the classical describer says and the canvas draws them, checked against what was drawn."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ircore.core.drawing import Drawing, Point
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Pie as DrawnPie
from ircore.players.builtin.classical.opening import first_message
from ircore.players.builtin.classical.perceive import look_at
from ircore.players.builtin.classical.percepts import Pie, Stroke

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
    matches = [p for p in look_at(drawing.pixels).percepts if isinstance(p, Stroke) and len(p.points) == len(COLUMNS)]
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
    assert isinstance(drawn, DrawnPie)
    assert [part.pulled for part in drawn.slices] == [15, 0, 0, 0]
    (pie,) = look_at(draw(canvas)).percepts
    assert isinstance(pie, Pie)
    assert [colour for colour, _ in pie.wedges] == ["#d62728", "#1f77b4", "#2ca02c", "#ff7f0e"]
    assert np.allclose([share for _, share in pie.wedges], [0.28, 0.22, 0.34, 0.16], atol=0.02)
    assert pie.pulled[0] == pytest.approx(15, abs=3)
    assert not any(pie.pulled[1:])


def test_few_tokens_say_all_wedges_of_a_pie_in_everyday_colours() -> None:
    pie = Pie((256, 256), 150, 0, 0, (("#d62728", 0.283), ("#1f77b4", 0.717)), ("#ffffff", 2), (106, 106, 406, 406))
    perception = replace(look_at(Drawing(512, 512).pixels), percepts=(pie,))
    assert first_message(perception, 50).endswith("clockwise from 12 o'clock: red 28%, blue 72%.")
