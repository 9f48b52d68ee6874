"""Facts of line charts and graphs of functions: courses of lines in the figure's own axes."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ircore.core import exact
from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.axes import find_data_range, find_scale
from ircore.scorers.verification.scene_facts.charts import compute_tolerance
from ircore.scorers.verification.scene_facts.records import (
    Fact,
    Mark,
    append_mark,
    build_fact,
    describe_colour,
    describe_place,
    format_number,
)

NO_MARKERS = "none"
"""Shape of the markers of a line without markers."""

SAMPLES = 9
"""Places along a curve at which its height is a fact."""


def find_line_style(element: Element) -> str:
    """Return ``solid`` or ``dashed``; dots count as short dashes."""
    return "dashed" if element.parameters.get("dash") else "solid"


def line_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each line of a line chart, with the line's markers."""
    lines = [(index, element) for index, element in enumerate(scene.elements) if element.type == "polyline"]
    return [
        Mark(f"line-{line.parameters['series']}", "line", "stroke",
             f"line {line.parameters['series']}" if len(lines) > 1 else "the line",
             (index, *_find_markers(scene, line)))
        for index, line in lines
    ]  # fmt: skip


def _find_markers(scene: Scene, line: Element) -> list[int]:
    series = line.parameters["series"]
    return [
        index for index, element in enumerate(scene.elements)
        if element.type == "marker" and element.parameters.get("series") == series
    ]  # fmt: skip


def line_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, colour, style, markers and values of a line."""
    line = scene.elements[mark.elements[0]]
    about: Any = line.parameters
    low, high = find_data_range(scene, "y")
    name = "a line" if mark.name == "the line" else mark.name
    yield build_fact(mark, "presence", True, 1.0, f"there is {name}, through {len(about['values'])} points.")
    yield build_fact(mark, "colour", line.colour, 1.0, f"{mark.name} is {describe_colour(line.colour)}.")
    yield build_fact(mark, "line_style", find_line_style(line), 0.3, f"{mark.name} is {find_line_style(line)}.")
    markers = [scene.elements[index] for index in mark.elements[1:]]
    shape = str(markers[0].parameters["shape"]) if markers else NO_MARKERS
    statement = f"{mark.name} has a {shape} at each of its points" if markers else f"{mark.name} has no markers"
    yield build_fact(mark, "markers", shape, 0.1, statement + ".")
    weight = 3.0 / len(about["values"])
    for place, (value, word) in enumerate(zip(about["values"], about["categories"], strict=True)):
        yield build_fact(
            mark, "value", float(value), weight, f'{mark.name} is at {format_number(value)} at "{word}".',
            compute_tolerance(value, low, high), suffix=str(place + 1), at=about["points"][place],
        )  # fmt: skip


def curve_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each function, with all branches of the function."""
    functions: dict[Any, list[int]] = {}
    for index, element in enumerate(scene.elements):
        if element.type == "curve":
            functions.setdefault(element.parameters["function"], []).append(index)
    alone = len(functions) == 1
    return [
        Mark(f"curve-{function}", "curve", "stroke", "the curve" if alone else f"curve {function}", tuple(members))
        for function, members in functions.items()
    ]


def curve_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, colour, style and heights of a curve."""
    branches = [scene.elements[index] for index in mark.elements]
    first = branches[0]
    statement = f"there is {'a curve' if mark.name == 'the curve' else mark.name}: {first.parameters['formula']}"
    yield build_fact(mark, "presence", True, 1.0, statement + ".")
    yield build_fact(mark, "colour", first.colour, 1.0, f"{mark.name} is {describe_colour(first.colour)}.")
    yield build_fact(mark, "line_style", find_line_style(first), 0.3, f"{mark.name} is {find_line_style(first)}.")
    x, y = find_scale(scene, "x"), find_scale(scene, "y")
    if x is None or y is None:
        return
    for number_of_place, (at_x, at_y) in enumerate(_sample_places(branches)):
        left, height = round(x.value(at_x), 4), round(y.value(at_y), 4)
        point = f"({format_number(round(left, 2))}, {format_number(round(height, 2))})"
        yield build_fact(
            mark, "value", height, 3.0 / SAMPLES, f"{mark.name} runs through {point}.",
            compute_tolerance(height, y.low, y.high), suffix=str(number_of_place + 1), at=[at_x, at_y],
        )  # fmt: skip


def _sample_places(branches: Sequence[Element]) -> list[tuple[float, float]]:
    """Return points in pixels spread evenly along the branches of a curve, away from the ends."""
    paths = [np.array(branch.parameters["points"], dtype=float) for branch in branches]
    lengths = [exact.hypot(*np.diff(path, axis=0).T) for path in paths]
    total = math.fsum(float(length.sum()) for length in lengths)
    places: list[tuple[float, float]] = []
    for path, length in zip(paths, lengths, strict=True):
        count = max(1, round(SAMPLES * float(length.sum()) / total))
        along = np.concatenate([[0.0], np.cumsum(length)])
        wanted = (np.arange(count) + 0.5) / count * along[-1]
        places += [
            (round(float(x), 2), round(float(y), 2))
            for x, y in zip(
                np.interp(wanted, along, path[:, 0]),  # exact: rounded to hundredths of a pixel
                np.interp(wanted, along, path[:, 1]),  # exact: as above
                strict=True,
            )
        ]
    return places


def detail_marks(scene: Scene) -> list[Mark]:
    """Return the marks of points, asymptotes and areas of graphs."""
    has_axes = any(element.type == "axis" for element in scene.elements)
    marks: list[Mark] = []
    for index, element in enumerate(scene.elements):
        kind = element.type
        if kind == "marker" and "series" not in element.parameters:
            x, y = (format_number(float(element.parameters[axis])) for axis in "xy")  # type: ignore[arg-type]
            append_mark(marks, "dot", "dots", f"the dot at ({x}, {y})", index)
        elif kind == "asymptote":
            axis = "x" if "x" in element.parameters else "y"
            at = format_number(float(element.parameters[axis]))  # type: ignore[arg-type]
            append_mark(marks, "asymptote", "stroke", f"the asymptote {axis} = {at}", index)
        elif kind == "area" and has_axes:
            append_mark(marks, "area", "region", "the shaded area", index)
    return marks


def dot_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, place and filling of a marked point of a graph."""
    dot = scene.elements[mark.elements[0]]
    ring = dot.parameters["shape"] == "ring"
    fill = "hollow" if ring else "filled"
    yield build_fact(mark, "presence", True, 0.6, f"there is {mark.name.replace('the', 'a', 1)}.")
    yield build_fact(mark, "fill", fill, 0.2, f"{mark.name} is {fill}.")
    yield build_fact(mark, "colour", dot.colour, 0.2, f"{mark.name} is {describe_colour(dot.colour)}.")


def asymptote_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence and style of an asymptote."""
    yield build_fact(mark, "presence", True, 0.6, f"{mark.name} is drawn.")
    style = find_line_style(scene.elements[mark.elements[0]])
    yield build_fact(mark, "line_style", style, 0.2, f"{mark.name} is {style}.")


def area_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence and colour of a filled area."""
    area = scene.elements[mark.elements[0]]
    where = describe_place(scene, area)
    yield build_fact(mark, "presence", True, 0.8, f"there is {mark.name.replace('the', 'a', 1)}, its middle {where}.")
    yield build_fact(mark, "colour", area.colour, 0.6, f"{mark.name} is {describe_colour(area.colour)}.")
