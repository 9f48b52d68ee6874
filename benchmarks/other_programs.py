"""Matplotlib programs of kinds that models like besides the plain six: styles, twin axes, polar and 3-D axes, pictures.

Each has the elements that its figure has by its own words and that a scene can state; a picture, or a surface in space,
is no element.
"""

import random
from collections.abc import Callable

from plot_programs import COLOURS, WORDS, Expected, PlotProgram

Made = tuple[str, list[str], list[Expected]]
STYLES = ("ggplot", "seaborn-v0_8", "seaborn-v0_8-darkgrid", "bmh", "fivethirtyeight", "Solarize_Light2", "classic")


def other_program(number: int) -> PlotProgram:
    """Return the program with a number; the same number gives the same program, neighbours are of different kinds."""
    dice = random.Random(f"other {number}")
    category, body, expected = _KINDS[number % len(_KINDS)](dice)
    lines = ["import numpy as np", "import matplotlib.pyplot as plt", "from matplotlib import patches, path", ""]
    program = "\n".join([*lines, "def draw():", *(f"    {line}" for line in body), "    return figure", ""])
    return PlotProgram(category, "hard", program, tuple(expected))


def _labels(texts: list[str]) -> list[Expected]:
    return [Expected("tick_label", text) for text in texts]


def _styled_bars(dice: random.Random) -> Made:
    """Bars in a style sheet, with error bars or a hatch."""
    names, values = dice.sample(WORDS, 4), [dice.randint(2, 20) for _ in range(4)]
    colour = dice.choice(COLOURS)
    more = dice.choice(["", ", yerr=0.5, capsize=4", ", hatch='//'", ", width=0.5, edgecolor='#222222', linewidth=2"])
    body = [
        f"plt.style.use({dice.choice(STYLES)!r})", "figure, axes = plt.subplots(figsize=(6, 4.5))",
        f"axes.bar({names}, {values}, color={colour!r}{more})", "axes.set_ylabel('mass')",
        "figure.tight_layout(pad=2)",
    ]  # fmt: skip
    bars = [Expected("bar", colour=colour, value=value) for value in values]
    return "bar_graph", body, [*bars, *_labels(names), Expected("axis_label", "mass")]


def _annotated_line(dice: random.Random) -> Made:
    """A line with an arrow to its highest point and a text in a box."""
    values, colour = [dice.randint(1, 30) for _ in range(6)], dice.choice(COLOURS)
    top = values.index(max(values))
    arrow = dice.choice(["arrowstyle='->'", "arrowstyle='-|>', connectionstyle='arc3,rad=.2'", "facecolor='#333333'"])
    body = [
        "figure, axes = plt.subplots()", f"axes.plot({list(range(6))}, {values}, 'o-', color={colour!r})",
        f"axes.annotate('peak', ({top}, {max(values)}), xytext=({2.5}, {max(values) + 6}), arrowprops=dict({arrow}))",
        "axes.text(3, 0.5, 'note', bbox=dict(boxstyle='round', facecolor='#eeeeee'))",
        f"axes.set_ylim(0, {max(values) + 9})",
    ]  # fmt: skip
    expected = [Expected("polyline", colour=colour, value=values[-1])]
    expected += [Expected("marker", colour=colour, value=value) for value in values]
    return "line_graph", body, [*expected, Expected("series_label", "peak"), Expected("series_label", "note")]


def _twin_axes(dice: random.Random) -> Made:
    """Two lines against two vertical axes."""
    first, second = dice.sample(COLOURS, 2)
    values = [dice.randint(1, 20) for _ in range(5)]
    body = [
        "figure, axes = plt.subplots()", f"axes.plot(range(5), {values}, color={first!r})",
        f"axes.set_ylabel('left', color={first!r})", "other = axes.twinx()",
        f"other.{dice.choice(['plot', 'step'])}(range(5), [30, 80, 50, 60, 90], color={second!r})",
        f"other.set_ylabel('right', color={second!r})", "figure.tight_layout(pad=2)",
    ]  # fmt: skip
    expected = [Expected("polyline", colour=first, value=values[-1]), Expected("segment", colour=second)]
    expected += [Expected("axis_label", "left", first), Expected("value_label", "right", second)]
    return "line_graph", body, expected


def _polar(dice: random.Random) -> Made:
    """A rose or a spiral in polar coordinates."""
    colour, leaves = dice.choice(COLOURS), dice.randint(2, 5)
    formula = dice.choice([f"1 + np.cos({leaves} * turn)", f"turn / {leaves + 2}", f"np.abs(np.sin({leaves} * turn))"])
    body = [
        "figure, axes = plt.subplots(subplot_kw={'projection': 'polar'})", "turn = np.linspace(0, 2 * np.pi, 200)",
        f"axes.plot(turn, {formula}, color={colour!r})", "axes.set_rticks([0.5, 1])",
    ]  # fmt: skip
    texts = [f"{angle}°" for angle in range(0, 360, 45)]
    return "functions", body, [Expected("curve", colour=colour), *(Expected("value_label", text) for text in texts)]


def _space(dice: random.Random) -> Made:
    """A surface or points in three dimensions."""
    bend = dice.randint(1, 9)
    drawn = dice.choice([
        f"axes.plot_surface(x, y, np.sin({bend} * x) * y, cmap='viridis')",
        f"axes.scatter([1, 2, 3], [2, 1, 3], [{bend}, 4, 2])",
        f"axes.bar3d([1, 2], [1, 2], [0, 0], 0.4, 0.4, [3, {bend}])", f"axes.plot_wireframe(x, y, x * y ** {bend})",
    ])  # fmt: skip
    body = [
        "figure = plt.figure(figsize=(6, 6))", "axes = figure.add_subplot(projection='3d')",
        "x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))", drawn,
        f"axes.view_init({dice.randint(10, 60)}, {dice.randint(0, 359)})",
        "axes.set_xlabel('width'); axes.set_ylabel('depth')", "figure.text(0.1, 0.1, 'in space')",
    ]  # fmt: skip
    return "functions", body, [Expected("point_label", "in space")]


def _patches(dice: random.Random) -> Made:
    """Patches of less usual classes."""
    colours = dice.sample(COLOURS, 6)
    turn = dice.randint(0, 80)
    things = [
        (f"patches.Ellipse((2, 2), 2, 1, angle={turn}", "ellipse"), ("patches.CirclePolygon((5, 2), 1, ", "circle"),
        ("patches.RegularPolygon((8, 2), 6, radius=1", "hexagon"),
        ("patches.Wedge((2, 6), 1, 30, 120", "quarter_circle"),
        ("patches.FancyBboxPatch((4, 5.5), 1.5, 1, boxstyle='round'", "rectangle"),
        ("patches.PathPatch(path.Path([(7, 5), (9, 5), (8, 7), (7, 5)])", "triangle"),
    ]  # fmt: skip
    body = ["figure, axes = plt.subplots(figsize=(5, 5))", "axes.set_xlim(0, 10); axes.set_ylim(0, 10)",
            "axes.set_aspect('equal'); axes.axis('off')"]  # fmt: skip
    for (call, _), colour in zip(things, colours, strict=True):
        call = call.rstrip(", ")
        body.append(f"axes.add_patch({call}, facecolor={colour!r}, edgecolor='none'))")
    return (
        "simple_shapes",
        body,
        [Expected(kind, colour=colour) for (_, kind), colour in zip(things, colours, strict=True)],
    )


def _picture(dice: random.Random) -> Made:
    """A heat map with numbers in its cells, or an image with a mark."""
    cells = [[dice.randint(0, 9) for _ in range(4)] for _ in range(4)]
    drawn = dice.choice(["imshow", "pcolormesh", "matshow"])
    shift = 0.5 if drawn == "pcolormesh" else 0
    body = [
        "figure, axes = plt.subplots(figsize=(5, 5))",
        f"axes.{drawn}(np.array({cells}), cmap={dice.choice(['Blues', 'viridis'])!r})",
        f"for row, values in enumerate({cells}):", "    for column, value in enumerate(values):",
        f"        axes.text(column + {shift}, row + {shift}, str(value), ha='center', va='center', color='#d62728')",
        "axes.set_xlabel('column')",
    ]  # fmt: skip
    texts = [Expected("value_label", str(value), "#d62728") for row in cells for value in row]
    return "bar_graph", body, [*texts, Expected("axis_label", "column")]


def _panels(dice: random.Random) -> Made:
    """Two panels side by side."""
    first, second = dice.sample(COLOURS, 2)
    values = [dice.randint(1, 20) for _ in range(4)]
    body = [
        "figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))", f"left.plot(range(4), {values}, color={first!r})",
        f"right.plot(range(4), {values[::-1]}, color={second!r})",
        "left.set_xlabel('before'); right.set_xlabel('after')",
        "figure.tight_layout(pad=2)",
    ]  # fmt: skip
    lines = [Expected("polyline", colour=first, value=values[-1]), Expected("segment", colour=second)]
    return "line_graph", body, [*lines, Expected("axis_label", "before"), Expected("value_label", "after")]


def _statistics(dice: random.Random) -> Made:
    """A histogram with a line of its mean, or stems."""
    colour, counts = dice.choice(COLOURS), [dice.randint(1, 9) for _ in range(5)]
    data = [place + 0.5 for place, count in enumerate(counts) for _ in range(count)]
    body = [
        "figure, axes = plt.subplots()", f"axes.hist({data}, bins=[0, 1, 2, 3, 4, 5], color={colour!r}, rwidth=0.8)",
        "axes.axvline(2.5, color='#111111', linestyle='--')", "axes.set_xlabel('size')",
        f"axes.tick_params(direction={dice.choice(['in', 'out', 'inout'])!r}); axes.minorticks_on()",
    ]  # fmt: skip
    bars = [Expected("bar", colour=colour, value=count) for count in counts]
    return "bar_graph", body, [*bars, Expected("asymptote", colour="#111111"), Expected("axis_label", "size")]


def _logarithmic(dice: random.Random) -> Made:
    """Two curves on logarithmic axes, the area between them filled."""
    first, second = dice.sample(COLOURS, 2)
    power, rise = dice.choice([-2, -1, 0.5, 2, 3, 4]), dice.choice([0.2, 1, 3, 9, 30])
    call = dice.choice(["set_yscale('log')", "set_xscale('log')", "set_yscale('symlog')"])
    body = [
        "figure, axes = plt.subplots()", f"x = np.linspace(1, {dice.randint(4, 40)}, 60)",
        f"axes.plot(x, x ** {power}, color={first!r})",
        f"axes.plot(x, {rise} * x, color={second!r})",
        f"axes.fill_between(x, x ** {power}, {rise} * x, color='#dddddd')",
        f"axes.{call}", "axes.set_xlabel('time'); axes.grid(True, which='major')",
    ]  # fmt: skip
    curves = [Expected("curve", colour=first), Expected("curve", colour=second)]
    return "functions", body, [*curves, Expected("area", colour="#dddddd")]


_KINDS: tuple[Callable[[random.Random], Made], ...] = (
    _styled_bars, _annotated_line, _twin_axes, _polar, _space, _patches, _picture, _panels, _statistics, _logarithmic,
)  # fmt: skip
