"""Varied matplotlib programs, each with the elements that its figure has by its own words: known without reading it."""

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ircore.core.records import Element, Scene

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#111111", "#7a1f3d")
WORDS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Tea", "Rye", "Oats", "Kiwi", "Plum", "Iron", "Zinc")


class Expected(NamedTuple):
    """An element that a figure shows: its type, text and colour; None for what is left open."""

    type: str
    text: str | None = None
    colour: str | None = None
    value: float | None = None


class PlotProgram(NamedTuple):
    """A program with the elements of its figure."""

    category: str
    difficulty: str
    program: str
    expected: tuple[Expected, ...]


def missing_from(scene: Scene | None, expected: Sequence[Expected]) -> list[Expected]:
    """Return the expected elements that a scene lacks; each element of the scene stands for one."""
    left = list(scene.elements) if scene else []
    missing = []
    for wanted in expected:
        match = next((element for element in left if fits(element, wanted)), None)
        if match is None:
            missing.append(wanted)
        else:
            left.remove(match)
    return missing


def fits(element: Element, wanted: Expected) -> bool:
    """Return whether an element has the expected type, text, colour and value."""
    about: dict[str, Any] = element.parameters
    value = about.get("value", about.get("share", (about.get("values") or [None])[-1]))
    near = wanted.value is None or (isinstance(value, int | float) and abs(value - wanted.value) < 0.006)
    return (
        element.type == wanted.type
        and near
        and wanted.text in (None, element.text)
        and wanted.colour in (None, element.colour)
    )


def plot_program(category: str, number: int) -> PlotProgram:
    """Return the program of a category with a number; the same number gives the same program."""
    dice = random.Random(f"{category} {number}")
    difficulty = "hard" if number % 2 else "easy"
    body, expected = _KINDS[category](dice, difficulty == "hard")
    program = "\n".join([
        "import numpy as np", "import matplotlib.pyplot as plt", "from matplotlib import patches", "",
        "def draw():", *(f"    {line}" for line in body), "",
    ])  # fmt: skip
    return PlotProgram(category, difficulty, program, tuple(expected))


Made = tuple[list[str], list[Expected]]


def _ground(dice: random.Random) -> str:
    style = dice.choice(["", "", "facecolor='#fdf6e3'", "facecolor='#f0f4f8'"])
    return f"figure, axes = plt.subplots(figsize=(5.12, 5.12){', ' + style if style else ''})"


def _axes(dice: random.Random, expected: list[Expected]) -> list[str]:
    """Return lines about labels, grid and frame."""
    lines = []
    if dice.random() < 0.7:
        x, y = dice.sample(["day", "city", "units", "mass", "year"], 2)
        lines.append(f"axes.set_xlabel({x!r}); axes.set_ylabel({y!r})")
        expected += [Expected("axis_label", x), Expected("axis_label", y)]
    if dice.random() < 0.5:
        lines += ["axes.grid(axis='y', color='#cccccc', linestyle='--')", "axes.set_axisbelow(True)"]
        expected.append(Expected("gridline", colour="#cccccc"))
    if dice.random() < 0.5:
        lines.append("axes.spines[['top', 'right']].set_visible(False)")
    else:
        expected += [Expected("frame")] * 2
    expected += [Expected("axis"), Expected("axis")]
    return lines


def _bar_graph(dice: random.Random, hard: bool) -> Made:
    names = dice.sample(WORDS, dice.randint(5, 8) if hard else dice.randint(3, 5))
    series = dice.randint(2, 3) if hard else 1
    lying, stacked, labelled = dice.random() < 0.35, hard and dice.random() < 0.4, dice.random() < 0.5
    colours = dice.sample(COLOURS, series)
    expected, lines = [], [_ground(dice), f"names = {names}", "places = np.arange(len(names))", "below = 0 * places"]
    for number, colour in enumerate(colours):
        values = [dice.randint(1, 20) if not hard else round(dice.uniform(1, 20), 1) for _ in names]
        wide = 0.8 if stacked else 0.8 / series
        shift = 0.0 if stacked else round((number - (series - 1) / 2) * wide, 3)
        call = "barh" if lying else "bar"
        base = f", {'left' if lying else 'bottom'}=below" if stacked else ""
        edge = ", edgecolor='#222222'" if dice.random() < 0.4 else ""
        lines.append(f"axes.{call}(places + {shift}, {values}, {wide:.3f}{base}, color={colour!r}{edge})")
        lines += [f"below = below + np.array({values})"] if stacked else []
        expected += [Expected("bar", colour=colour, value=value) for value in values]
        if labelled and not stacked and not lying:
            lines += [f"for k, value in enumerate({values}):",
                      f"    axes.text(k + {shift}, value + 0.2, f'{{value:g}}', ha='center', fontsize=7)"]  # fmt: skip
            expected += [Expected("value_label", f"{value:g}") for value in values]
    lines.append(
        f"axes.set_{'y' if lying else 'x'}ticks(places, names, rotation={0 if lying else dice.choice([0, 45])})"
    )
    expected += [Expected("tick_label", name) for name in names]
    return [*lines, *_axes(dice, expected), "figure.tight_layout(pad=2)", "return figure"], expected


def _line_graph(dice: random.Random, hard: bool) -> Made:
    points = dice.randint(8, 12) if hard else dice.randint(4, 7)
    expected, lines = [], [_ground(dice)]
    names = [str(2001 + k) for k in range(points)]
    for number, colour in enumerate(dice.sample(COLOURS, dice.randint(3, 5) if hard else 1)):
        values = [round(dice.uniform(0, 50), 1) if hard else dice.randint(0, 20) for _ in range(points)]
        marker = dice.choice(["o", "s", "^", "D"]) if not hard or dice.random() < 0.6 else ""
        style = dice.choice(["-", "--", ":", "-."])
        lines.append(f"axes.plot({names}, {values}, color={colour!r}, linestyle={style!r}, marker={marker!r})")
        expected.append(Expected("polyline", colour=colour, value=values[-1]))
        expected += [Expected("marker", colour=colour, value=value) for value in values if marker]
        if hard:
            letter = "ABCDE"[number]
            lines.append(f"axes.text({points - 1} + 0.2, {values[-1]}, {letter!r}, color={colour!r})")
            expected.append(Expected("series_label", letter, colour))
    lines.append("axes.tick_params(axis='x', labelsize=7)")
    expected += [Expected("tick_label", name) for name in names]
    if dice.random() < 0.3:
        lines.append("axes.axhline(10, color='#888888', linestyle=':')")
        expected.append(Expected("asymptote", colour="#888888"))
    return [*lines, *_axes(dice, expected), "return figure"], expected


def _pie_graph(dice: random.Random, hard: bool) -> Made:
    count = dice.randint(7, 10) if hard else dice.randint(3, 5)
    names, colours = dice.sample(WORDS, count), dice.sample(COLOURS, count)
    values = [dice.randint(5, 12) if hard else dice.randint(5, 40) for _ in range(count)]
    more = [f"startangle={dice.choice([0, 45, 90])}", f"counterclock={dice.random() < 0.5}"]
    if dice.random() < 0.4:
        more.append("wedgeprops={'width': 0.45, 'edgecolor': '#ffffff'}")
    if dice.random() < 0.4:
        more.append(f"explode={[0.12] + [0] * (count - 1)}")
    shares = [round(100 * value / sum(values), 2) for value in values]
    expected = [Expected("wedge", colour=colour, value=share) for colour, share in zip(colours, shares, strict=True)]
    expected += [Expected("wedge_label", name) for name in names]
    if hard or dice.random() < 0.3:
        more.append("autopct=lambda share: f'{share:.1f}%'")
        expected += [Expected("wedge_label", f"{100 * value / sum(values):.1f}%") for value in values]
    call = f"axes.pie({values}, labels={names}, colors={colours}, {', '.join(more)})"
    return [_ground(dice), call, "return figure"], expected


_FUNCTIONS = (
    "x", "x ** 2 - 3", "np.sin(x)", "2 * np.cos(x)", "np.abs(x) - 2", "np.exp(x / 2) - 2", "0.1 * x ** 3",
    "np.tanh(x)", "3 - x", "np.sqrt(np.abs(x))", "-x ** 2 / 4 + 2",
)  # fmt: skip


def _functions(dice: random.Random, hard: bool) -> Made:
    expected: list[Expected] = []
    lines = [_ground(dice), "x = np.linspace(-5, 5, 401)", "axes.set_xlim(-5, 5); axes.set_ylim(-5, 5)"]
    formulas = dice.sample(_FUNCTIONS, dice.randint(2, 3) if hard else 1)
    colours = dice.sample(COLOURS, 5)
    for formula, colour in zip(formulas, colours, strict=False):
        style = dice.choice(["-", "--"])
        lines.append(
            f"axes.plot(x, {formula}, color={colour!r}, linestyle={style!r}, linewidth={dice.choice([1.5, 2.5])})"
        )
        expected.append(Expected("curve", colour=colour))
    if dice.random() < 0.6:
        lines.append("axes.axhline(0, color='#333333'); axes.axvline(0, color='#333333')")
        expected += [Expected("zero_line", colour="#333333")] * 2
    if hard:
        at = dice.choice([-3, 2, 3])
        lines += [
            f"axes.axvline({at}, color='#777777', linestyle='--')",
            f"axes.plot([{at}], [1], 'o', color='#aa0000')",
            f"axes.annotate('P', ({at}, 1), xytext=(6, 6), textcoords='offset points')",
        ]
        expected += [Expected("asymptote", colour="#777777"), Expected("marker", colour="#aa0000"),
                     Expected("point_label", "P")]  # fmt: skip
        if dice.random() < 0.5:
            lines += ["x = x[150:250]", f"axes.fill_between(x, {formulas[0]}, -4, color='#ffcc00')"]
            expected.append(Expected("area", colour="#ffcc00"))
    expected += [Expected("tick_label", text) for text in ("−4", "−2", "0", "2", "4")]
    return [*lines, *_axes(dice, expected), "return figure"], expected


def _plane(dice: random.Random) -> list[str]:
    return [_ground(dice), "axes.set_xlim(0, 10); axes.set_ylim(0, 10)", "axes.set_aspect('equal'); axes.axis('off')"]


def _geometry(dice: random.Random, hard: bool) -> Made:
    corners = [[dice.uniform(1, 3), dice.uniform(1, 3)], [dice.uniform(7, 9), dice.uniform(1, 3)],
               [dice.uniform(4, 8), dice.uniform(6, 9)]]  # fmt: skip
    corners = [[round(x, 1), round(y, 1)] for x, y in corners]
    lines, expected = _plane(dice), []
    if dice.random() < 0.5:
        lines.append(f"axes.add_patch(patches.Polygon({corners}, facecolor='#ece3fb', edgecolor='none'))")
        expected.append(Expected("area", colour="#ece3fb"))
    if dice.random() < 0.5:
        lines.append(f"axes.add_patch(patches.Polygon({corners}, fill=False, edgecolor='#111827', linewidth=2))")
    else:
        closed = [*corners, corners[0]]
        lines.append(f"axes.plot({[x for x, _ in closed]}, {[y for _, y in closed]}, color='#111827', linewidth=2)")
    expected.append(Expected("polygon", colour="#111827"))
    for (x, y), letter in zip(corners, "ABC", strict=True):
        lines += [
            f"axes.plot({x}, {y}, 'o', color='#c62828')",
            f"axes.text({x} + 0.3, {y} + 0.3, {letter!r}, fontsize=14)",
        ]
        expected += [Expected("point", colour="#c62828"), Expected("label", letter)]
    if hard:
        foot = corners[2][0]
        lines += [
            f"axes.plot([{foot}, {foot}], [{corners[2][1]}, {corners[0][1]}], '--', color='#0b6e4f')",
            "axes.add_patch(patches.Circle((5, 4), 2.2, fill=False, edgecolor='#1f77b4'))",
            f"axes.add_patch(patches.Arc({tuple(corners[0])}, 2, 2, theta1=0, theta2=40, color='#7a1f3d'))",
            f"axes.add_patch(patches.Rectangle(({foot}, 1), 0.4, 0.4, fill=False, edgecolor='#555555'))",
            "axes.plot([1, 9], [9.2, 9.2], color='#8c564b')",
            "axes.text(5, 9.4, '8 cm', color='#8c564b')",
        ]
        expected += [Expected("segment", colour="#0b6e4f"), Expected("circle", colour="#1f77b4"),
                     Expected("angle", colour="#7a1f3d"), Expected("right_angle", colour="#555555"),
                     Expected("segment", colour="#8c564b"), Expected("label", "8 cm", "#8c564b")]  # fmt: skip
    return [*lines, "return figure"], expected


_SHAPES: dict[str, Callable[[float, float, float, int], str]] = {
    "circle": lambda x, y, r, _: f"patches.Circle(({x}, {y}), {r}, ",
    "ellipse": lambda x, y, r, turn: f"patches.Ellipse(({x}, {y}), {2 * r}, {r}, angle={turn}, ",
    "square": lambda x, y, r, _: f"patches.Rectangle(({x - r}, {y - r}), {2 * r}, {2 * r}, ",
    "rectangle": lambda x, y, r, turn: f"patches.Rectangle(({x - r / 2}, {y - r / 2}), {r}, {r / 2}, angle={turn}, ",
    "triangle": lambda x, y, r, _: f"patches.Polygon([[{x - r}, {y - r}], [{x + r}, {y - r}], [{x}, {y + r}]], ",
    "pentagon": lambda x, y, r, _: f"patches.RegularPolygon(({x}, {y}), 5, radius={r}, ",
    "hexagon": lambda x, y, r, _: f"patches.RegularPolygon(({x}, {y}), 6, radius={r}, ",
    "diamond": lambda x, y, r, _: f"patches.Polygon([[{x - r}, {y}], [{x}, {y - r}], [{x + r}, {y}], [{x}, {y + r}]], ",
    "half_circle": lambda x, y, r, turn: f"patches.Wedge(({x}, {y}), {r}, {turn}, {turn + 180}, ",
    "ring": lambda x, y, r, _: f"patches.Annulus(({x}, {y}), {r}, {r / 3}, ",
    "star": lambda x, y, r, _: (
        f"patches.Polygon([[{x} + {r} * (1 - 0.55 * (k % 2)) * np.sin(k * np.pi / 5), "
        f"{y} + {r} * (1 - 0.55 * (k % 2)) * np.cos(k * np.pi / 5)] for k in range(10)], "
    ),
}


def _simple_shapes(dice: random.Random, hard: bool) -> Made:
    lines, expected = _plane(dice), []
    kinds = list(_SHAPES) if hard else ["circle", "ellipse", "square", "rectangle", "triangle"]
    places = [(x, y) for x in (2, 5, 8) for y in (2, 5, 8)]
    for x, y in dice.sample(places, dice.randint(6, 9) if hard else dice.randint(2, 4)):
        kind, colour, radius = dice.choice(kinds), dice.choice(COLOURS), round(dice.uniform(0.7, 1.4), 1)
        turn = dice.choice([0, 30, 60]) if hard else 0
        outline = hard and dice.random() < 0.3
        paint = (
            f"fill=False, edgecolor={colour!r}, linewidth=3" if outline else f"facecolor={colour!r}, edgecolor='none'"
        )
        lines.append(f"axes.add_patch({_SHAPES[kind](x, y, radius, turn)}{paint}))")
        expected.append(Expected(kind, colour=colour))
    return [*lines, "return figure"], expected


_KINDS: dict[str, Callable[[random.Random, bool], Made]] = {
    "bar_graph": _bar_graph, "line_graph": _line_graph, "pie_graph": _pie_graph, "functions": _functions,
    "geometry": _geometry, "simple_shapes": _simple_shapes,
}  # fmt: skip
