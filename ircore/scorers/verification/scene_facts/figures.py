"""Facts of figures of geometry: lines, circles, angles, marks, points and areas."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from ircore.core import exact
from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.charts import TURN_TOLERANCE
from ircore.scorers.verification.scene_facts.lines import find_line_style
from ircore.scorers.verification.scene_facts.records import (
    Fact,
    Form,
    Mark,
    append_mark,
    build_fact,
    describe_colour,
    describe_place,
    describe_point,
    format_number,
)

FORMS: dict[str, Form] = {
    "segment": "stroke", "polygon": "stroke", "circle": "stroke", "arc": "stroke", "angle": "stroke",
    "right_angle": "stroke", "tick": "stroke", "arrowhead": "stroke", "point": "dots", "area": "region",
    "disc": "region", "sector": "region",
}  # fmt: skip
NAMES = {
    "segment": "line", "polygon": "polygon", "circle": "circle", "arc": "arc", "angle": "angle mark",
    "right_angle": "right-angle mark", "tick": "short stroke", "arrowhead": "arrowhead", "point": "dot",
    "area": "filled area", "disc": "filled disc", "sector": "filled sector",
}  # fmt: skip
WEIGHTS = {
    "segment": 1.0, "polygon": 1.5, "circle": 1.5, "arc": 1.0, "angle": 0.6, "right_angle": 0.5, "tick": 0.3,
    "arrowhead": 0.3, "point": 0.4, "area": 0.7, "disc": 0.7, "sector": 0.5,
}  # fmt: skip

PLACE = 0.025
"""Share of the picture's width by which an end of a line may be off its place."""


def is_figure(scene: Scene) -> bool:
    """Tell whether a scene is a figure of geometry: lines and labels, no axes."""
    types = {element.type for element in scene.elements}
    return "label" in types and not types & {"axis", "tick_label", "wedge"}


def figure_marks(scene: Scene) -> list[Mark]:
    """Return one mark for each element of a figure except texts and squared paper."""
    if not is_figure(scene):
        return []
    marks: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if element.type in FORMS:
            append_mark(marks, element.type, FORMS[element.type], _name_element(scene, element), index)
    return marks


def _name_element(scene: Scene, element: Element) -> str:
    about: Any = element.parameters
    called = f"the {NAMES[element.type]}"
    if element.type == "point":
        return f"{called} {about['name']}"
    if element.type == "segment":
        return f"{called} from {_format_point(scene, about['start'])} to {_format_point(scene, about['end'])}"
    if element.type in {"polygon", "area"} and "corners" in about:
        corners = ", ".join(_format_point(scene, corner) for corner in about["corners"])
        sides = {3: "triangle", 4: "quadrilateral"}.get(len(about["corners"]), NAMES[element.type])
        filled = "filled " if element.type == "area" else ""
        return f"the {filled}{sides.removeprefix(filled)} with corners {corners}"
    return f"{called} {describe_place(scene, element)}"


def _format_point(scene: Scene, point: list[float]) -> str:
    return f"({round(100 * point[0] / scene.width)}, {round(100 * point[1] / scene.height)})"


def figure_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield the facts of one thing in a figure."""
    element = scene.elements[mark.elements[0]]
    weight = WEIGHTS[mark.kind]
    yield build_fact(mark, "presence", True, weight, f"there is {_add_article(mark.name)}.")
    if mark.kind not in {"tick", "arrowhead", "right_angle"}:
        # Dots and angle marks are small: little of the figure's colours is theirs.
        colour_weight = weight / (4 if mark.kind in {"point", "angle"} else 2)
        yield build_fact(
            mark, "colour", element.colour, colour_weight, f"{mark.name} is {describe_colour(element.colour)}."
        )
    if mark.kind in {"segment", "circle"}:
        yield build_fact(
            mark, "line_style", find_line_style(element), 0.3, f"{mark.name} is {find_line_style(element)}."
        )
    if mark.kind in _OWN:
        yield from _OWN[mark.kind](scene, mark, element)


def _add_article(name: str) -> str:
    article = "an " if name.removeprefix("the ")[0] in "aeio" else "a "
    return article + name.removeprefix("the ")


def _segment_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:
    about: Any = element.parameters
    ends = [about["start"], about["end"]]
    turn = math.degrees(exact.atan2(ends[0][1] - ends[1][1], ends[1][0] - ends[0][0])) % 180
    yield build_fact(
        mark, "place", ends, 0.8, f"{mark.name} ends there, and no sooner or later.", 2 * PLACE * scene.width
    )
    yield build_fact(mark, "angle", round(turn, 2), 0.3,
                     f"{mark.name} rises by {format_number(round(turn))}° from the horizontal.",
               TURN_TOLERANCE, period=180)  # fmt: skip


def _polygon_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:
    about: Any = element.parameters
    for count, corner in enumerate(about["corners"], start=1):
        yield build_fact(mark, "place", corner, 0.8 / len(about["corners"]),
                   f"a corner of {mark.name.split(' with ')[0]} lies {describe_point(scene, tuple(corner))}.",
                   PLACE * scene.width, suffix=str(count))  # fmt: skip


def _circle_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:
    about: Any = element.parameters
    wide = format_number(round(200 * about["radius"] / scene.width))
    where = describe_point(scene, tuple(about["centre"]))
    yield build_fact(mark, "size", about["radius"], 0.8, f"{mark.name} is {wide} % of the picture wide.",
               max(0.06 * about["radius"], 4.0))  # fmt: skip
    yield build_fact(mark, "place", about["centre"], 0.5, f"{mark.name} has its centre {where}.",
               PLACE * scene.width)  # fmt: skip


def _angle_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:  # noqa: ARG001 - as the others
    degrees = float(element.parameters["degrees"])  # type: ignore[arg-type]
    yield build_fact(mark, "angle", degrees, 0.2, f"{mark.name} spans {format_number(degrees)}°.", TURN_TOLERANCE)


_OWN: dict[str, Callable[[Scene, Mark, Element], Iterator[Fact]]] = {
    "segment": _segment_facts,
    "polygon": _polygon_facts,
    "circle": _circle_facts,
    "angle": _angle_facts,
}
