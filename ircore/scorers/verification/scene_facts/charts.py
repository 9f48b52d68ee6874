"""Facts of charts and graphs: their axes, bars, wedges, lines and curves, and the texts and grids that they share.

Courses of lines are stated in the figure's own axes.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ircore.core import exact
from ircore.core.drawing import AxisScale
from ircore.core.records import Box, Element, Scene
from ircore.scorers.verification.scene_facts.records import (
    Fact,
    Form,
    Mark,
    append_mark,
    build_fact,
    describe_colour,
    describe_place,
    format_number,
)

GROUPED = {"gridline": "grid", "grid_line": "squares", "leader": "leaders", "frame": "frame"}
"""Elements that a person sees as one thing, and the kind of that."""

TEXTS = {
    "tick_label": ("tick label", 0.5),
    "axis_label": ("axis title", 0.8),
    "value_label": ("value label", 0.5),
    "wedge_label": ("label", 0.8),
    "series_label": ("letter", 0.6),
    "curve_label": ("letter", 0.6),
    "point_label": ("label", 0.6),
    "label": ("label", 0.6),
}
"""Kinds of texts: what they are called, and the weight of each beside the others."""

LABEL = (0.1, 0.7, 0.2)
"""Parts of a label's weight: that it is there, that it is right, and that it stands in its place."""

GROUP_WEIGHTS = {
    "axis": 0.5, "frame": 0.2, "grid": 0.3, "leaders": 0.2, "panel": 0.3, "squares": 0.2, "ticks": 0.1,
    "zero_line": 0.3,
}  # fmt: skip

VALUE_TOLERANCE = 0.05
"""Share of a value by which it may be off."""
AXIS_TOLERANCE = 0.015
"""Share of the axis by which any value may be off: about what an eye can read off."""
SHARE_TOLERANCE = 1.5
"""Points of per cent by which the share of a wedge may be off."""
TURN_TOLERANCE = 8.0
"""Degrees by which a direction may be off."""

NO_MARKERS = "none"
"""Shape of the markers of a line without markers."""

SAMPLES = 9
"""Places along a curve at which its height is a fact."""


def find_scale(scene: Scene, axis: str) -> AxisScale | None:
    """Return where the values of an axis lie in the target: from the drawn axis, else from its tick labels."""
    for element in scene.elements:
        about: Any = element.parameters
        if element.type == "axis" and about.get("axis") == axis:
            (low, high), (start, end) = about["data_range"], about["pixel_range"]
            return AxisScale(float(low), float(high), float(start), float(end))
    labels = [element for element in scene.elements if is_tick_label(element, axis)]
    ticks = [(float(label.parameters["value"]), compute_middle(label.box, axis)) for label in labels]  # type: ignore[arg-type]
    if len({value for value, _ in ticks}) < 2:
        return None
    (low_value, start), (high_value, end) = min(ticks), max(ticks)
    return AxisScale(low_value, high_value, start, end)


def is_tick_label(element: Element, axis: str) -> bool:
    """Tell whether an element is a tick label of an axis."""
    return element.type == "tick_label" and element.parameters.get("axis") == axis


def compute_middle(box: Box, axis: str) -> float:
    """Return the middle of a box along an axis, in pixels."""
    return (box.left + box.right) / 2 if axis == "x" else (box.top + box.bottom) / 2


def find_data_range(scene: Scene, axis: str) -> tuple[float, float]:
    """Return the values at the ends of an axis; of the tick labels where no axis is drawn."""
    scale = find_scale(scene, axis)
    return (0.0, 1.0) if scale is None else (scale.low, scale.high)


def list_text_marks(scene: Scene) -> list[Mark]:
    """Return the marks of all texts."""
    marks: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if element.text is None:
            continue
        called = TEXTS.get(element.type, ("text", 0.5))[0]
        of_axis = f" of the {element.parameters['axis']} axis" if "axis" in element.parameters else ""
        append_mark(marks, element.type, "text", f'the {called} "{element.text}"{of_axis}', index)
    return marks


def list_text_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, wording and place of a text: degrees of one thing, see ``LABEL``."""
    element = scene.elements[mark.elements[0]]
    weight = scene.kinds.get(element.type, TEXTS.get(element.type, ("text", 0.5))[1])
    where = describe_place(scene, element)
    presence, wording, place = (weight * degree for degree in LABEL)
    yield build_fact(mark, "presence", True, presence, f"{mark.name} is written {where}.")
    upwards = ", reading upwards" if element.parameters.get("rotation") == 90 else ""
    yield build_fact(mark, "text", element.text, wording, f'the text {where} reads "{element.text}"{upwards}.')
    at = [compute_middle(element.box, axis) for axis in "xy"]
    yield build_fact(mark, "place", at, place, f"{mark.name} stands {where}.", 0.04 * scene.width)


def list_grouped_marks(scene: Scene) -> list[Mark]:
    """Return one mark for each grid, frame and set of leaders, and one for each axis, zero line and panel."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, element in enumerate(scene.elements):
        about = element.parameters
        if element.type in GROUPED:
            axis = str(about["axis"]) if element.type == "gridline" else ""
            groups.setdefault((GROUPED[element.type], axis), []).append(index)
        elif element.type in {"axis", "zero_line"}:
            groups.setdefault((element.type, str(about["axis"])), []).append(index)
        elif element.type == "tick" and "axis" in about:
            groups.setdefault(("ticks", str(about["axis"])), []).append(index)
        elif element.type == "panel":
            groups.setdefault(("panel", ""), []).append(index)
    return [_build_group_mark(kind, axis, members) for (kind, axis), members in groups.items()]


def group_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield the facts of an axis, a grid, a frame or a panel."""
    element, weight = scene.elements[mark.elements[0]], GROUP_WEIGHTS[mark.kind]
    statement = f"{mark.name} {'are' if mark.kind == 'ticks' else 'is'} drawn"
    if mark.kind == "axis":
        low, high = find_data_range(scene, str(element.parameters["axis"]))
        statement += (
            f"; it runs from {format_number(low)} to {format_number(high)}" if _is_numeric(scene, element) else ""
        )
    elif mark.kind in {"grid", "ticks"}:
        statement = f"{mark.name}: {len(mark.elements)} thin lines" if mark.kind == "grid" else statement
    if mark.kind == "leaders":
        statement = "thin lines lead from the wedges to their labels"
    yield build_fact(mark, "presence", True, weight, statement + ".")
    if mark.kind == "panel":
        yield build_fact(mark, "colour", element.colour, weight, f"{mark.name} is {describe_colour(element.colour)}.")


def build_background_mark(scene: Scene) -> list[Mark]:
    """Return the mark of the ground on which everything is drawn."""
    return [Mark("background", "background", "region", "the background", ())] if scene.background else []


def list_background_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield the colour of the ground."""
    yield build_fact(mark, "colour", scene.background, 0.4, f"the background is {describe_colour(scene.background)}.")


def compute_tolerance(value: float, low: float, high: float) -> float:
    """Return by how much a value on an axis from ``low`` to ``high`` may be off."""
    return max(AXIS_TOLERANCE * abs(high - low), VALUE_TOLERANCE * abs(value))


def list_bar_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each bar."""
    bars = [(index, element) for index, element in enumerate(scene.elements) if element.type == "bar"]
    several = len({element.parameters["series"] for _, element in bars}) > 1
    return [
        Mark(f"bar-{count}", "bar", "region", _name_bar(element, several), (index,))
        for count, (index, element) in enumerate(bars, start=1)
    ]


def list_bar_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, value, colour and outline of a bar."""
    bar = scene.elements[mark.elements[0]]
    value, lying = float(bar.parameters["value"]), bar.parameters["orientation"] == "horizontal"  # type: ignore[arg-type]
    low, high = find_data_range(scene, "x" if lying else "y")
    base = float(bar.parameters["baseline"])  # type: ignore[arg-type]
    direction = "a horizontal bar" if lying else "an upright bar"
    stands = f" on top of {format_number(base)}" if base else ""
    yield build_fact(mark, "presence", True, 1.0, f"there is {mark.name.replace('the bar', direction, 1)}.")
    yield build_fact(
        mark, "value", value, 1.5, f"{mark.name} shows the value {format_number(value)}{stands}.",
        compute_tolerance(value, low, high),
    )  # fmt: skip
    yield build_fact(mark, "colour", bar.colour, 1.0, f"{mark.name} is {describe_colour(bar.colour)}.")
    outline = bar.parameters.get("outline")
    if outline:
        yield build_fact(
            mark, "outline", outline, 0.1, f"{mark.name} has a thin outline, {describe_colour(str(outline))}."
        )


def list_wedge_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each wedge, and a mark for the whole pie."""
    wedges = [(index, element) for index, element in enumerate(scene.elements) if element.type == "wedge"]
    marks = [
        Mark(f"wedge-{count}", "wedge", "region", f'the wedge for "{element.parameters["category"]}"', (index,))
        for count, (index, element) in enumerate(wedges, start=1)
    ]
    if not wedges:
        return []
    ring = wedges[0][1].parameters["hole"]
    return [Mark("pie", "pie", "group", "the ring" if ring else "the pie", tuple(index for index, _ in wedges)), *marks]


def list_pie_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield size, place and hole of the pie as a whole."""
    wedges = [scene.elements[index] for index in mark.elements]
    about: Any = next((wedge for wedge in wedges if not wedge.parameters["exploded"]), wedges[0]).parameters
    radius, (x, y) = float(about["radius"]), about["centre"]
    wide = round(200 * radius / scene.width)
    yield build_fact(mark, "presence", True, 0.5, f"there is a pie chart of {len(wedges)} wedges.")
    yield build_fact(mark, "size", radius, 0.4, f"{mark.name} is {wide} % of the picture wide.", 0.12 * radius)
    yield build_fact(mark, "place", [x, y], 0.4, f"the middle of {mark.name} lies near the middle of the picture.",
               0.05 * scene.width)  # fmt: skip
    hole = float(about["hole"])
    statement = (f"the pie is a ring; its hole is {round(100 * hole / radius)} % of it wide" if hole
                 else "the pie is a full disc, without a hole")  # fmt: skip
    yield build_fact(mark, "value", hole / radius, 0.4, statement + ".", 0.12, suffix="hole")


def list_wedge_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, share, colour and direction of a wedge, and whether it is pulled out."""
    wedge = scene.elements[mark.elements[0]]
    about = wedge.parameters
    share, start = float(about["share"]), float(about["start"])  # type: ignore[arg-type]
    yield build_fact(mark, "presence", True, 1.0, f"there is {mark.name.replace('the wedge', 'a wedge', 1)}.")
    yield build_fact(mark, "value", share, 1.5, f"{mark.name} is {format_number(share)} % of the pie.",
               max(SHARE_TOLERANCE, VALUE_TOLERANCE * share))  # fmt: skip
    yield build_fact(mark, "colour", wedge.colour, 1.0, f"{mark.name} is {describe_colour(wedge.colour)}.")
    clock = round((start + 1.8 * share + 90) % 360 / 30, 1)
    yield build_fact(mark, "angle", (start + 1.8 * share) % 360, 0.8,
               f"the middle of {mark.name} points to {format_number(clock or 12)} o'clock.",
               TURN_TOLERANCE)  # fmt: skip
    if about["exploded"]:
        yield build_fact(mark, "place", "pulled out", 0.5, f"{mark.name} is pulled out of the pie.", suffix="pulled")


def find_line_style(element: Element) -> str:
    """Return ``solid`` or ``dashed``; dots count as short dashes."""
    return "dashed" if element.parameters.get("dash") else "solid"


def list_line_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each line of a line chart, with the line's markers."""
    lines = [(index, element) for index, element in enumerate(scene.elements) if element.type == "polyline"]
    return [
        Mark(f"line-{line.parameters['series']}", "line", "stroke",
             f"line {line.parameters['series']}" if len(lines) > 1 else "the line",
             (index, *_find_markers(scene, line)))
        for index, line in lines
    ]  # fmt: skip


def list_line_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def list_curve_marks(scene: Scene) -> list[Mark]:
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


def list_curve_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def list_detail_marks(scene: Scene) -> list[Mark]:
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


def list_dot_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, place and filling of a marked point of a graph."""
    dot = scene.elements[mark.elements[0]]
    ring = dot.parameters["shape"] == "ring"
    fill = "hollow" if ring else "filled"
    yield build_fact(mark, "presence", True, 0.6, f"there is {mark.name.replace('the', 'a', 1)}.")
    yield build_fact(mark, "fill", fill, 0.2, f"{mark.name} is {fill}.")
    yield build_fact(mark, "colour", dot.colour, 0.2, f"{mark.name} is {describe_colour(dot.colour)}.")


def list_asymptote_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence and style of an asymptote."""
    yield build_fact(mark, "presence", True, 0.6, f"{mark.name} is drawn.")
    style = find_line_style(scene.elements[mark.elements[0]])
    yield build_fact(mark, "line_style", style, 0.2, f"{mark.name} is {style}.")


def list_area_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence and colour of a filled area."""
    area = scene.elements[mark.elements[0]]
    where = describe_place(scene, area)
    yield build_fact(mark, "presence", True, 0.8, f"there is {mark.name.replace('the', 'a', 1)}, its middle {where}.")
    yield build_fact(mark, "colour", area.colour, 0.6, f"{mark.name} is {describe_colour(area.colour)}.")


def _build_group_mark(kind: str, axis: str, members: Sequence[int]) -> Mark:
    names = {
        "grid": f"the grid from the {axis} axis",
        "squares": "the squared paper",
        "leaders": "the thin lines from wedges to their labels",
        "frame": "the frame that closes the plot area",
        "axis": f"the {axis} axis",
        "zero_line": f"the line at zero parallel to the {axis} axis",
        "ticks": f"the tick marks of the {axis} axis",
        "panel": "the panel behind the data",
    }
    form: Form = "region" if kind == "panel" else "stroke"
    return Mark(f"{kind}-{axis}" if axis else kind, kind, form, names[kind], tuple(members))


def _is_numeric(scene: Scene, axis: Element) -> bool:
    labels = [label for label in scene.elements if is_tick_label(label, str(axis.parameters["axis"]))]
    return all(label.text is not None and label.text.rstrip("°").replace("-", "").replace(".", "").isdigit()
               for label in labels)  # fmt: skip


def _name_bar(bar: Element, several: bool) -> str:
    series = f" of series {bar.parameters['series']}" if several else ""
    return f'the bar{series} for "{bar.parameters["category"]}"'


def _find_markers(scene: Scene, line: Element) -> list[int]:
    series = line.parameters["series"]
    return [
        index for index, element in enumerate(scene.elements)
        if element.type == "marker" and element.parameters.get("series") == series
    ]  # fmt: skip


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
