"""Curves are named by the function that they look like, and said so that the generator draws them."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Stroke as DrawnStroke
from ircore.players.builtin.classical.colours import exact
from ircore.players.builtin.classical.curve_wording import stroke_statement
from ircore.players.builtin.classical.families import likeness
from ircore.players.builtin.classical.opening import first_message
from ircore.players.builtin.classical.perceive import look_at
from ircore.players.builtin.classical.percepts import Likeness, Stroke

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
    likenesses = likeness(path_of(CURVES[family]))
    assert likenesses is not None
    assert likenesses.family == family


def test_what_is_measured_of_a_family_is_right() -> None:
    sine, hyperbola, growth = (likeness(path_of(CURVES[name])) for name in ("sine", "hyperbola", "exponential"))
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
    seen = look_at(graph(lambda x: 380 - 0.008 * (x - 250) ** 2).pixels)
    said = first_message(seen, 200)
    told = re.search(r"parabola opening upward, lowest at x (\d+), with zeros at x (\d+) and (\d+), through \(", said)
    assert told is not None
    assert [int(x) for x in told.groups()] == pytest.approx([250, 150, 350], abs=6)


def test_without_room_only_the_name_is_said() -> None:
    stroke = Stroke(
        "#d62728", 3, ((60, 100), (150, 250), (250, 300), (350, 250), (440, 100)), True, role="curve",
        likeness=Likeness("parabola", 0.3, upward=True),
    )  # fmt: skip
    whole = stroke_statement(stroke, exact, axis=200, telling=True)
    assert "lowest at x" in whole.text
    assert [element.text for element in whole.shorter] == [stroke_statement(stroke, exact).text]
    assert whole.shorter[0].text.startswith("A 3 px #d62728 parabola opening upward through (60, 100)")


@pytest.mark.parametrize("family", ["parabola", "sine", "exponential", "hyperbola", "root", "logarithm", "cubic"])
@pytest.mark.parametrize("smooth", [True, False])
def test_whatever_is_told_of_a_curve_canvas_draws_its_points(family: str, smooth: bool) -> None:
    points = ((60.0, 100.0), (150.0, 250.0), (250.0, 300.0), (350.0, 250.0), (440.0, 100.0))
    like = Likeness(family, 0.3, 120, (("x", 40.0), ("y", 320.0)), upward=True)
    stroke = Stroke("#d62728", 3, points, smooth, "dashed", role="curve", likeness=like)
    said = stroke_statement(stroke, exact, axis=200, telling=True).text
    canvas, notes = read([f"The picture has a white background. {said}"])
    assert notes == ()
    (item,) = canvas.items
    assert isinstance(item, DrawnStroke)
    assert (item.points, item.smooth, item.colour, item.stroke) == (points, smooth, "#d62728", 3)
    assert item.dash
