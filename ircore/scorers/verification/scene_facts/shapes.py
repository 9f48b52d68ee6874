"""Facts of coloured shapes and their relative positions, and of figures of geometry.

Figures consist of lines, circles, angles, marks, points and areas.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

from ircore.core import exact
from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.charts import TURN_TOLERANCE, find_line_style
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

KINDS = {
    "circle": 0, "ellipse": 180, "square": 90, "rectangle": 180, "triangle": 120, "diamond": 180, "pentagon": 72,
    "hexagon": 60, "star": 72, "cross": 90, "ring": 0, "half_circle": 360, "right_triangle": 360, "octagon": 45,
    "trapezoid": 360, "parallelogram": 180, "arrow": 360, "quarter_circle": 360,
}  # fmt: skip
"""Kinds of shapes, and by how many degrees one turns until it looks the same; 0 for any turn."""

LACKING = 0.005
"""Share of a shape's area that may be missing or added."""

TURNED = 12.0
"""Degrees by which a shape may be turned otherwise."""

RELATIONS = {"left_of": "to the left of", "right_of": "to the right of", "above": "above", "below": "below"}

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


def shape_marks(scene: Scene) -> list[Mark]:
    """Return a mark for each shape, and a mark for a ground of several colours."""
    shapes = [index for index, element in enumerate(scene.elements) if is_shape(element)]
    if not shapes:
        return []
    counts: dict[str, int] = {}
    marks = []
    for index in shapes:
        element = scene.elements[index]
        counts[element.type] = counts.get(element.type, 0) + 1
        key = f"{element.type}-{counts[element.type]}"
        marks.append(Mark(key, "shape", "region",
                          f"the {element.type.replace('_', ' ')} {describe_place(scene, element)}",
                          (index,)))  # fmt: skip
    ground = tuple(index for index, element in enumerate(scene.elements) if element.type == "background")
    return [*([Mark("ground", "ground", "group", "the ground", ground)] if ground else []), *marks]


def is_shape(element: Element) -> bool:
    """Tell whether an element is a coloured shape, not a line of a figure of geometry."""
    return element.type in KINDS and "centre" in element.parameters and "points" not in element.parameters


def is_hollow(element: Element) -> bool:
    """Tell whether a shape is drawn as an outline only."""
    return element.parameters.get("filled") is False


def compute_radius(element: Element) -> float:
    """Return half the larger side of a shape's box, in pixels."""
    box = element.box
    return max(box.right - box.left, box.bottom - box.top) / 2


def list_ground_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield the fact that lists the areas of the ground."""
    colours = list(dict.fromkeys([scene.background, *(scene.elements[index].colour for index in mark.elements)]))
    colour_names = " and ".join(describe_colour(colour) for colour in colours[:4])
    yield build_fact(mark, "presence", True, 0.5, f"the ground has {len(mark.elements) + 1} areas, {colour_names}.")


def shape_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, kind, colours, size, place and turn of a shape."""
    shape = scene.elements[mark.elements[0]]
    kind, about = shape.type.replace("_", " "), shape.parameters
    hollow, radius = is_hollow(shape), compute_radius(shape)
    yield build_fact(mark, "presence", True, 1.0, f"there is a shape {describe_place(scene, shape)}.")
    yield build_fact(
        mark, "shape", shape.type, 1.0, f"the shape {describe_place(scene, shape)} is {_choose_article(kind)} {kind}."
    )
    if not hollow:
        yield build_fact(
            mark, "whole", 0.0, 0.6, f"{mark.name} is whole: no part is missing, and none is added.", LACKING
        )
    yield build_fact(mark, "colour", shape.colour, 1.0, f"{mark.name} is {describe_colour(shape.colour)}.")
    if kind not in {"ring", "cross"}:
        filling = "hollow: an outline only" if hollow else "filled"
        yield build_fact(mark, "fill", "hollow" if hollow else "filled", 0.5, f"{mark.name} is {filling}.")
    if about.get("outline") and not hollow:
        words = describe_colour(str(about["outline"]))
        yield build_fact(mark, "outline", about["outline"], 0.4, f"{mark.name} has an outline, {words}.")
    wide = format_number(round(200 * radius / scene.width))
    yield build_fact(
        mark, "size", radius, 0.8, f"{mark.name} is {wide} % of the picture across.", max(0.12 * radius, 3.0)
    )
    box = shape.box
    at = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    yield build_fact(mark, "place", at, 0.8, f"{mark.name} has its middle there.", 0.05 * scene.width)
    if KINDS[shape.type]:
        turn = float(about.get("rotation", 0))  # type: ignore[arg-type]
        words = f"turned by {format_number(turn)}° clockwise" if turn else "not turned"
        yield build_fact(mark, "angle", turn, 0.4, f"{mark.name} is {words}.", TURNED, period=KINDS[shape.type])


def list_relation_facts(scene: Scene, marks: list[Mark]) -> Iterator[Fact]:
    """Yield how each shape lies to the next one, by the rules of GIR-Bench's spatial check."""
    shapes = [mark for mark in marks if mark.kind == "shape"]
    for mark, other in itertools.pairwise(shapes):
        for relation in find_relations(scene.elements[mark.elements[0]].box, scene.elements[other.elements[0]].box):
            statement = f"{mark.name} lies {RELATIONS[relation]} {other.name}."
            yield build_fact(
                mark, "relation", relation, 0.3, statement, suffix=f"{relation}-{other.key}", other=other.key
            )


def find_relations(box: Any, other: Any) -> list[str]:
    """Return which of left of, above (and their opposites by exchange) hold between two boxes.

    The rule is GIR-Bench's: the distance of the centres, less a quarter of both sizes, must not vanish, and its
    direction must lie within 60° of the axis.
    """
    offset = [((box[k] + box[k + 2]) - (other[k] + other[k + 2])) / 2 for k in (0, 1)]
    reach = [0.25 * (box[k + 2] - box[k] + other[k + 2] - other[k]) for k in (0, 1)]
    length = exact.hypot(*offset)
    if all(abs(off) - near < 1e-3 for off, near in zip(offset, reach, strict=True)):
        return []
    names = []
    if abs(offset[0]) / length > 0.5:
        names.append("left_of" if offset[0] < 0 else "right_of")
    if abs(offset[1]) / length > 0.5:
        names.append("above" if offset[1] < 0 else "below")
    return names


def is_figure(scene: Scene) -> bool:
    """Tell whether a scene is a figure of geometry: lines and labels, no axes."""
    types = {element.type for element in scene.elements}
    return "label" in types and not types & {"axis", "tick_label", "wedge"}


def list_figure_marks(scene: Scene) -> list[Mark]:
    """Return one mark for each element of a figure except texts and squared paper."""
    if not is_figure(scene):
        return []
    marks: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if element.type in FORMS:
            append_mark(marks, element.type, FORMS[element.type], _name_element(scene, element), index)
    return marks


def list_figure_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def _choose_article(word: str) -> str:
    return "an" if word[0] in "aeo" else "a"


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


def _add_article(name: str) -> str:
    article = "an " if name.removeprefix("the ")[0] in "aeio" else "a "
    return article + name.removeprefix("the ")


def _list_segment_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:
    about: Any = element.parameters
    ends = [about["start"], about["end"]]
    turn = math.degrees(exact.atan2(ends[0][1] - ends[1][1], ends[1][0] - ends[0][0])) % 180
    yield build_fact(
        mark, "place", ends, 0.8, f"{mark.name} ends there, and no sooner or later.", 2 * PLACE * scene.width
    )
    yield build_fact(mark, "angle", round(turn, 2), 0.3,
                     f"{mark.name} rises by {format_number(round(turn))}° from the horizontal.",
               TURN_TOLERANCE, period=180)  # fmt: skip


def _list_polygon_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:
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


def _list_angle_facts(scene: Scene, mark: Mark, element: Element) -> Iterator[Fact]:  # noqa: ARG001 - as the others
    degrees = float(element.parameters["degrees"])  # type: ignore[arg-type]
    yield build_fact(mark, "angle", degrees, 0.2, f"{mark.name} spans {format_number(degrees)}°.", TURN_TOLERANCE)


_OWN: dict[str, Callable[[Scene, Mark, Element], Iterator[Fact]]] = {
    "segment": _list_segment_facts,
    "polygon": _list_polygon_facts,
    "circle": _circle_facts,
    "angle": _list_angle_facts,
}
