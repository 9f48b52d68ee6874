"""Facts of coloured shapes, and of the shapes' positions relative to one another."""

import itertools
from collections.abc import Iterator
from typing import Any

from ircore.core import exact
from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.records import (
    Fact,
    Mark,
    build_fact,
    describe_colour,
    describe_place,
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


def ground_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def _choose_article(word: str) -> str:
    return "an" if word[0] in "aeo" else "a"


def relation_facts(scene: Scene, marks: list[Mark]) -> Iterator[Fact]:
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
