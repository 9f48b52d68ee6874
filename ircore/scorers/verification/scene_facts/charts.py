"""Facts of bar and pie charts."""

from collections.abc import Iterator
from typing import Any

from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.axes import find_data_range
from ircore.scorers.verification.scene_facts.records import Fact, Mark, build_fact, describe_colour, format_number

VALUE_TOLERANCE = 0.05
"""Share of a value by which it may be off."""
AXIS_TOLERANCE = 0.015
"""Share of the axis by which any value may be off: about what an eye can read off."""
SHARE_TOLERANCE = 1.5
"""Points of per cent by which the share of a wedge may be off."""
TURN_TOLERANCE = 8.0
"""Degrees by which a direction may be off."""


def compute_tolerance(value: float, low: float, high: float) -> float:
    """Return by how much a value on an axis from ``low`` to ``high`` may be off."""
    return max(AXIS_TOLERANCE * abs(high - low), VALUE_TOLERANCE * abs(value))


def bar_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each bar."""
    bars = [(index, element) for index, element in enumerate(scene.elements) if element.type == "bar"]
    several = len({element.parameters["series"] for _, element in bars}) > 1
    return [
        Mark(f"bar-{count}", "bar", "region", _name_bar(element, several), (index,))
        for count, (index, element) in enumerate(bars, start=1)
    ]


def _name_bar(bar: Element, several: bool) -> str:
    series = f" of series {bar.parameters['series']}" if several else ""
    return f'the bar{series} for "{bar.parameters["category"]}"'


def bar_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def wedge_marks(scene: Scene) -> list[Mark]:
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


def pie_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def wedge_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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
