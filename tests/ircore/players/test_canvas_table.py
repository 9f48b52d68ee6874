"""What canvas understands, as a table: each phrase and what is then on the picture.

A row is a dialogue and the things that must be there, in order among those of their kind; a thing is a kind and what
is expected of it: ``at`` and ``size`` in pixels within 3, ``colour`` (of the inside, else of the line), other fields.
"""
# ruff: noqa: E501 - a row of the table is a line

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ircore.core.drawing import Point
from ircore.players.builtin import editor as editor
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Canvas, Item, Label, LineItem, PieItem

Thing = dict[str, Any]
RED, GREEN, BLUE, BLACK = "#ff0000", "#008000", "#0000ff", "#000000"

SHAPES: list[tuple[str, list[Thing]]] = [
    ("A red circle of radius 40 px at (100, 200).", [{"is": "circle", "colour": RED, "at": (100, 200), "size": (80, 80)}]),
    ("A blue square with side 60 px at (50%, 25%).", [{"is": "square", "colour": BLUE, "at": (256, 128), "size": (60, 60)}]),
    ("A 120 x 60 px rectangle in green at (256, 256).", [{"is": "rectangle", "colour": GREEN, "size": (120, 60)}]),
    ("A red ellipse 90 px wide and 40 px high at (80, 80).", [{"is": "ellipse", "size": (90, 40)}]),
    ("A blue triangle with corners (10, 90), (90, 90) and (50, 20).", [{"is": "triangle", "at": (50, 55), "size": (80, 70)}]),
    ("A red five-pointed star of radius 50 px at (200, 200).", [{"is": "star", "colour": RED, "at": (200, 200)}]),
    ("A green hexagon, a blue octagon and a red pentagon.", [{"is": "hexagon"}, {"is": "octagon"}, {"is": "pentagon"}]),
    ("A yellow diamond 40 px wide and 80 px high at (100, 100).", [{"is": "diamond", "size": (40, 80)}]),
    ("A red plus sign 60 px wide at (300, 300).", [{"is": "cross", "colour": RED, "size": (60, 60)}]),
    ("A brown ring with outer diameter 100 px at (256, 256).", [{"is": "ring", "size": (100, 100)}]),
    ("A teal semicircle with a diameter of 80 px at (256, 100).", [{"is": "semicircle"}]),
    ("A purple trapezoid and an orange parallelogram.", [{"is": "trapezoid"}, {"is": "parallelogram"}]),
    ("A pink arrow with a black outline, pointing down, centred at (256, 256), 30% tall.", [{"is": "arrow", "outline": BLACK, "at": (256, 256)}]),
    ("A red heart at (256, 256).", [{"is": "heart", "colour": RED}]),
    ("A hollow circle with a 4 px blue outline at (100, 100).", [{"is": "circle", "fill": None, "outline": BLUE, "stroke": 4}]),
    ("A red square rotated 30 degrees at (256, 256).", [{"is": "square", "rotation": 30}]),
    ("A circle filled with rgb(10, 20, 30) at (50, 50).", [{"is": "circle", "colour": "#0a141e"}]),
    ("A dark green circle and a light blue square.", [{"is": "circle", "colour": "#006400"}, {"is": "square", "colour": "#add8e6"}]),
    ("A #1F77B4 circle.", [{"is": "circle", "colour": "#1f77b4"}]),
    ("A small red circle and a huge blue square.", [{"is": "circle", "size": (61, 61)}, {"is": "square", "size": (307, 307)}]),
]  # fmt: skip

LINES_AND_TEXTS: list[tuple[str, list[Thing]]] = [
    ("A 3 px red line from (10, 20) to (200, 20).", [{"is": "line", "colour": RED, "points": ((10, 20), (200, 20)), "stroke": 3}]),
    ("A dashed blue line from (0, 0) to (100, 100).", [{"is": "line", "dashed": True}]),
    ("A dotted line from (0, 50) to (512, 50).", [{"is": "line", "dashed": True}]),
    ("An arrow from (50, 50) to (150, 50).", [{"is": "arrow", "arrow": "end"}]),
    ("A smooth green curve through (10, 100), (60, 40) and (110, 100).", [{"is": "curve", "colour": GREEN, "smooth": True}]),
    ("A polyline through (10, 100), (60, 40), (110, 100) with square markers.", [{"is": "polyline", "marker": "square"}]),
    ('The text "Hello" in blue at (256, 40), font size 20.', [{"is": "text", "text": "Hello", "colour": BLUE, "at": (256, 40), "font": 20}]),
    ('The word "Up" rotated 90 degrees at (30, 200).', [{"is": "text", "text": "Up", "rotation": 90}]),
    ("Horizontal grid lines in light grey at y 100, 200, 300.", [{"is": "grid", "points": ((0, 100), (512, 100))}, {"is": "grid"}, {"is": "grid"}]),
    ("A black x axis from (60, 450) to (480, 450).", [{"is": "x axis", "points": ((60, 450), (480, 450))}]),
    ("Ticks of 6 px on the x axis at x 60, 120, 180.", [{"is": "tick"}, {"is": "tick"}, {"is": "tick"}]),
]  # fmt: skip

PLACES: list[tuple[str, list[Thing]]] = [
    ("A red circle of radius 20 px in the upper left.", [{"is": "circle", "at": (102, 102)}]),
    ("A red circle of radius 20 px in the centre.", [{"is": "circle", "at": (256, 256)}]),
    ("A red circle of radius 20 px 25% from the left and 75% from the top.", [{"is": "circle", "at": (128, 384)}]),
    ("A red circle of radius 20 px at (100, 100). A blue square of side 20 px 30 px below the red circle.", [{"is": "circle"}, {"is": "square", "at": (100, 160)}]),
    ("A red square of side 100 px at (256, 256). A blue circle of radius 20 px inside it.", [{"is": "square"}, {"is": "circle", "at": (256, 256)}]),
    ("Three blue circles of radius 20 px in a row.", [{"is": "circle"}, {"is": "circle"}, {"is": "circle"}]),
    ("Red circles of radius 5 px at (10, 10), (20, 20), (30, 30).", [{"is": "circle", "at": (10, 10)}, {"is": "circle"}, {"is": "circle"}]),
    ("A circle with a diameter of a third of the picture.", [{"is": "circle", "size": (169, 169)}]),
]  # fmt: skip

CHARTS: list[tuple[str, list[Thing]]] = [
    ("Bar chart: Mon 10, Tue 40, Wed 20. The y-axis runs from 0 to 40.",
     [{"is": "bar", "size": (81, 106)}, {"is": "bar", "size": (81, 425)}, {"is": "bar", "size": (81, 212)}]),
    ("A horizontal bar chart: Mon 10, Tue 40. The x-axis goes from 0 to 40.", [{"is": "bar", "size": (105, 127)}, {"is": "bar", "size": (421, 127)}]),
    ("A stacked bar chart with categories: A, B, C. Bottom layer red: 10, 20, 5; top layer blue: 10, 5, 5. Y-axis from 0 to 40.",
     [{"is": "bar", "colour": RED, "size": (81, 106)}, {"is": "bar", "colour": RED, "size": (81, 212)}, {"is": "bar", "colour": RED},
      {"is": "bar", "colour": BLUE, "size": (81, 106)}, {"is": "bar", "colour": BLUE}, {"is": "bar", "colour": BLUE}]),
    ('Bars for 2019, 2020 and 2021 in #ff7f0e: 2019: 5, 2020: 7, 2021: 3. Y-axis labeled "Sales".',
     [{"is": "bar", "colour": "#ff7f0e"}, {"is": "bar"}, {"is": "bar"}, {"is": "text", "text": "Sales", "rotation": 90}]),
    ("A line chart with a red dashed line and round markers. X-axis: Jan, Feb, Mar. Values: 10, 30, 20. Y-axis from 0 to 40.",
     [{"is": "polyline", "colour": RED, "dashed": True, "marker": "round"}, {"is": "text", "text": "Jan"}]),
    ("A pie chart: Coal (red) 25%, Gas (blue) 50%, Oil (green) 25%.", [{"is": "pie", "shares": (25, 50, 25)}, {"is": "text", "text": "Coal"}]),
    ("A donut chart with three slices: red 20%, green 30%, blue 50%.", [{"is": "pie", "shares": (20, 30, 50), "has_hole": True}]),
    ("Slices clockwise from the top of a pie chart: A is red (40%), B is blue (60%).", [{"is": "pie", "shares": (40, 60), "start": 0}]),
]  # fmt: skip

CHARTS += [
    ('{"type": "bar", "data": {"Mon": 10, "Tue": 40}, "color": "#ff0000", "yAxis": {"min": 0, "max": 40, "label": "Visitors"}}',
     [{"is": "bar", "colour": RED, "size": (121, 106)}, {"is": "bar", "size": (121, 425)}, {"is": "text", "text": "Visitors"}]),
    ('{"chart": {"kind": "bar", "bars": [{"label": "Dog", "value": 12, "color": "#ff0000"}, {"label": "Cat", "value": 8, "color": "#0000ff"}]}}',
     [{"is": "bar", "colour": RED}, {"is": "bar", "colour": BLUE}, {"is": "text", "text": "Dog"}]),
    ("| Fruit | Sold |\n|---|---|\n| Apples | 30 |\n| Pears | 45 |\n\nVertical bar chart of this table, bars in green, y-axis from 0 to 50.",
     [{"is": "bar", "colour": GREEN}, {"is": "bar"}, {"is": "text", "text": "Apples"}]),
    ("A line graph. It starts at 5 in Jan, rises to 12 in Mar, peaks at 25 in Jul and falls to 8 in Nov. Blue line, y-axis 0 to 30.",
     [{"is": "polyline", "colour": BLUE}, {"is": "text", "text": "Jul"}]),
    ("Bar chart. Groups: 2016, 2017, 2018. Orange bars: 465, 80, 450. Green bars: 330, 130, 350. Y-axis 0 to 600.",
     [{"is": "bar", "colour": "#ffa500"}] * 3 + [{"is": "bar", "colour": GREEN}] * 3),
    ("The donut chart has: Rent - 40% (blue), Food - 30% (green), Fun - 30% (red).", [{"is": "pie", "colour": BLUE, "has_hole": True}, {"is": "text", "text": "Food"}]),
]  # fmt: skip

GRAPHS: list[tuple[str, list[Thing]]] = [
    ("The graph of y = x^2 in red, x from -2 to 2, y from 0 to 4.", [{"is": "polyline", "colour": RED}]),
    ("A blue curve of the function f(x) = 2*sin(x) + 1. The x-axis goes from -6 to 6, the y-axis from -2 to 4.", [{"is": "polyline", "colour": BLUE}, {"is": "x axis"}, {"is": "y axis"}]),
    ("A hyperbola y = 1/x in green; x-axis from -4 to 4, y-axis from -4 to 4.", [{"is": "polyline"}, {"is": "polyline"}]),
    ('A red curve passes through (-1, 1), (0, 0) and (1, 1). Both axes from -2 to 2. A black dot at (1, 1) labeled "P".', [{"is": "curve", "colour": RED}, {"is": "circle"}, {"is": "text", "text": "P"}]),
]  # fmt: skip

TRIANGLE = "Triangle ABC with A (20%, 80%), B (80%, 80%) and C (50%, 20%). "
GEOMETRY: list[tuple[str, list[Thing]]] = [
    (TRIANGLE, [{"is": "polygon", "fill": None}, {"is": "text", "text": "A"}, {"is": "text", "text": "B"}, {"is": "text", "text": "C"}]),
    (TRIANGLE + "M is the midpoint of AB. A red line from C to M.", [{"is": "line", "colour": RED, "points": ((256, 102.4), (256, 409.6))}]),
    (TRIANGLE + "A blue perpendicular from A to BC.", [{"is": "line", "colour": BLUE}]),
    (TRIANGLE + "The perpendicular bisector of AB in green.", [{"is": "line", "colour": GREEN}]),
    (TRIANGLE + "The three medians in red.", [{"is": "line", "colour": RED}] * 3),
    (TRIANGLE + "The three altitudes in blue.", [{"is": "line", "colour": BLUE}] * 3),
    (TRIANGLE + "The circumscribed circle is orange.", [{"is": "circle", "outline": "#ffa500", "at": (256, 294.4)}]),
    (TRIANGLE + "A green line parallel to AB through C.", [{"is": "line", "points": ((102.4, 102.4), (409.6, 102.4))}]),
    ("A circle with center M (30%, 50%) and radius 15% of the width. The tangents from P (80%, 50%) in red.", [{"is": "circle", "at": (153.6, 256)}, {"is": "line", "colour": RED}, {"is": "line", "colour": RED}]),
    (TRIANGLE + 'At A there is an orange angle arc labeled "63°". The sides AC and BC carry double tick marks.', [{"is": "arc", "colour": "#ffa500"}, {"is": "text", "text": "63°"}, *[{"is": "tick"}] * 4]),
    ('Right triangle ABC with the right angle at A. A is at (100, 400), B at (400, 400), C at (100, 150). AB is labeled "8 cm".', [{"is": "polygon", "size": (300, 250)}, {"is": "polyline"}, {"is": "text", "text": "8 cm"}]),
    (TRIANGLE + "D is the intersection of AC and BC.", [{"is": "text", "text": "D"}]),
]  # fmt: skip

GROUNDS: list[tuple[str, list[Thing]]] = [
    ("The background consists of three vertical bands: #ff0000, #008000, #0000ff.", [{"is": "rectangle", "colour": GREEN, "size": (170.7, 512)}, {"is": "rectangle", "colour": BLUE}]),
    ("Background: horizontal stripes alternating between red and blue, 4 stripes.", [{"is": "rectangle", "colour": BLUE}] * 2),
    ("The background is split into a red left half and a blue right half.", [{"is": "rectangle", "colour": BLUE, "at": (384, 256)}]),
    ("A checkerboard background of white and blue with 128 px cells.", [{"is": "rectangle", "colour": BLUE}] * 8),
    ("The background is split diagonally: red upper right half, blue lower left half.", [{"is": "triangle", "colour": BLUE}]),
]  # fmt: skip

TWO = "A red circle of radius 40 px at (100, 100). A blue square with side 80 px at (300, 300)."
CORRECTIONS: list[tuple[tuple[str, ...], list[Thing]]] = [
    ((TWO, "Move the red circle 20 px right."), [{"is": "circle", "at": (120, 100)}, {"is": "square", "at": (300, 300)}]),
    ((TWO, "The square should be at (400, 300)."), [{"is": "square", "at": (400, 300)}]),
    ((TWO, "Make the circle larger: radius 60 px."), [{"is": "circle", "size": (120, 120)}]),
    ((TWO, "The square should be half as large."), [{"is": "square", "size": (40, 40)}]),
    ((TWO, "Change the colour of the left shape to green."), [{"is": "circle", "colour": GREEN}]),
    ((TWO, "Remove the square."), [{"is": "circle"}]),
    ((TWO, "Add a green triangle at (400, 100)."), [{"is": "circle"}, {"is": "square"}, {"is": "triangle", "at": (400, 100)}]),
    ((TWO, "Swap the circle and the square."), [{"is": "circle", "at": (300, 300)}, {"is": "square", "at": (100, 100)}]),
    ((TWO, "Swap the colours of the circle and the square."), [{"is": "circle", "colour": BLUE}, {"is": "square", "colour": RED}]),
    ((TWO, "Rotate it by 45 degrees."), [{"is": "square", "rotation": 45}]),
    ((TWO, "Bring the circle to the front."), [{"is": "square"}, {"is": "circle"}]),
    ((TWO, "Replace the square with a green star."), [{"is": "circle"}, {"is": "star", "colour": GREEN, "at": (300, 300)}]),
    ((TWO, "The circle should have a 3 px black outline."), [{"is": "circle", "outline": BLACK, "stroke": 3}]),
    (('The text "A" at (50, 50).', 'Change the text "A" to "B".'), [{"is": "text", "text": "B"}]),
    (("Bars: Mon 10, Tue 40, Wed 20 in a bar chart. The y-axis runs from 0 to 40.", "The bar for Wed should be 40."),
     [{"is": "bar", "size": (81, 106)}, {"is": "bar", "size": (81, 425)}, {"is": "bar", "size": (81, 425)}]),
    (("Bars: Mon 10, Tue 40, Wed 20 in a bar chart. The y-axis runs from 0 to 40.", "The second bar should be 20, not 40."),
     [{"is": "bar", "size": (81, 106)}, {"is": "bar", "size": (81, 212)}]),
    (("Bars: Mon 10, Tue 40, Wed 20 in a bar chart. The y-axis runs from 0 to 40.", "Make the Mon bar red."), [{"is": "bar", "colour": RED}]),
    (("A pie chart: Coal (red) 25%, Gas (blue) 50%, Oil (green) 25%.", "Gas should be 30%."), [{"is": "pie", "shares": (25, 30, 25)}]),
    (("A line chart. X-axis: Jan, Feb, Mar. Values: 10, 30, 20. Y-axis from 0 to 40.", "The value for Mar should be 40."),
     [{"is": "polyline"}]),
]  # fmt: skip

JSON = """```json
{"background": "#ffffff", "shapes": [
  {"type": "circle", "color": "#ff0000", "center": [100, 200], "radius": 40},
  {"type": "square", "color": "#0000ff", "center": [300, 300], "size": 80, "rotation": 15}]}
```"""
STYLES: list[tuple[str, list[Thing]]] = [
    (JSON, [{"is": "circle", "colour": RED, "at": (100, 200), "size": (80, 80)}, {"is": "square", "colour": BLUE, "rotation": 15}]),
    ("## Shapes\n- **Red circle** – centered at (20%, 40%), diameter 16%\n- **Blue square** – side 80 px, at (300, 300)", [{"is": "circle", "colour": RED, "at": (102.4, 204.8)}, {"is": "square", "colour": BLUE, "at": (300, 300)}]),
    ("A clean flat vector illustration. Minimalist, no text, no shadows. A red circle at (100, 100).", [{"is": "circle", "colour": RED}]),
]  # fmt: skip


def near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 3 for a, b in zip(one, other, strict=True))


def same_path(item: Item, points: Sequence[Point]) -> bool:
    if not isinstance(item, LineItem) or len(item.points) != len(points):
        return False
    return any(all(map(near, item.points, way)) for way in (points, points[::-1]))


def fits(item: Item, thing: Thing) -> bool:
    left, top, right, bottom = item.box
    checks: dict[str, Callable[[Any], bool]] = {
        "is": lambda wanted: bool(item.kind == wanted),
        "at": lambda wanted: near(item.centre, wanted),
        "size": lambda wanted: near((right - left, bottom - top), wanted),
        "points": lambda wanted: same_path(item, wanted),
        "dashed": lambda wanted: bool(getattr(item, "dash", ())) == wanted,
        "font": lambda wanted: isinstance(item, Label) and item.size == wanted,
        "shares": lambda wanted: isinstance(item, PieItem) and tuple(part.share for part in item.slices) == wanted,
        "has_hole": lambda wanted: isinstance(item, PieItem) and (item.hole > 0) == wanted,
    }
    return all(checks[key](wanted) if key in checks else getattr(item, key) == wanted for key, wanted in thing.items())


def missing(canvas: Canvas, things: list[Thing]) -> list[Thing]:
    """Return the things that no item of their own fits; things of one kind stand in the order of the items."""
    left, items = [], list(canvas.items)
    for thing in things:
        match = next((item for item in items if item.kind == thing["is"] and fits(item, thing)), None)
        if match is None:
            left.append(thing)
        else:
            items.remove(match)
    return left


ROWS = [((message,), things) for message, things in
        [*SHAPES, *LINES_AND_TEXTS, *PLACES, *CHARTS, *GRAPHS, *GEOMETRY, *GROUNDS, *STYLES]] + CORRECTIONS  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dialogue", "things"), ROWS, ids=lambda value: value[-1][-60:] if isinstance(value, tuple) else ""
)
def test_phrases(dialogue: tuple[str, ...], things: list[Thing]) -> None:
    canvas, notes = read(dialogue)
    shown = [(item.kind, item.colour, item.centre, item.box) for item in canvas.items]
    assert not missing(canvas, things), shown
    assert not notes


def test_of_several_values_at_one_place_the_first_that_is_told_counts() -> None:
    graph = "Both axes from -2 to 8. A red curve passes through (-1, 1), (0, 3), {}(2, 4)."
    assert read([graph.format("(0, 5), ")]) == read([graph.format("")])
    assert read([graph.format("(1, 5), ")]) != read([graph.format("")])
