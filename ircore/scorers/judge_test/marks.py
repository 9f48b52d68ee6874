"""The marks of a scene: elements that carry the content, each with its labels and other belongings."""

from collections.abc import Iterable
from typing import NamedTuple

from ircore.core.records import Element, Scene

CHART_MARKS = {"bar": None, "wedge": "category", "polyline": "series", "curve": "function"}
"""Types of marks in charts, and the parameter that names what belongs together."""

SHEET_MARKS = ("segment", "circle", "polygon", "arc", "area", "disc")
"""Types of marks in geometry."""

ATTACHED = {
    "wedge": ("wedge_label", "leader"),
    "polyline": ("marker", "area", "series_label"),
    "curve": ("curve_label",),
}
"""Types of the elements that go with a mark: by the same parameter, or by the same colour where they have none."""


class Mark(NamedTuple):
    """A mark of a scene."""

    members: tuple[int, ...]
    """Places of its elements in the scene, the mark itself first."""

    colour: str
    """As drawn, ``#rrggbb``."""

    size: float
    """What it takes of the picture: square pixels, of thin lines their length in pixels."""


def marks_of(scene: Scene) -> tuple[Mark, ...]:
    """Return the marks of a scene in the order in which they were drawn."""
    kinds = {element.type for element in scene.elements}
    for kind, key in CHART_MARKS.items():
        if kind in kinds:
            # The first type that occurs decides: a chart has bars or wedges or lines, and an area belongs to its line.
            return tuple(_chart_marks(scene, kind, key))
    # A circle of a geometry sheet is a drawn line with points; one with centre and radius alone is a coloured shape.
    if any(element.type in SHEET_MARKS and (element.type != "circle" or "points" in element.parameters)
           for element in scene.elements):  # fmt: skip
        return tuple(_sheet_marks(scene))
    return tuple(
        Mark((index,), element.colour or "", _area(element))
        for index, element in enumerate(scene.elements)
        if element.type != "background"
    )


def _chart_marks(scene: Scene, kind: str, key: str | None) -> Iterable[Mark]:
    groups: dict[object, list[int]] = {}
    for index, element in enumerate(scene.elements):
        if element.type == kind:
            # Pieces of one series or function are one mark: a curve is cut at its poles into several elements.
            groups.setdefault(element.parameters[key] if key else index, []).append(index)
    for name, members in groups.items():
        first = scene.elements[members[0]]
        attached = [
            index
            for index, element in enumerate(scene.elements)
            if element.type in ATTACHED.get(kind, ())
            and (
                element.parameters.get(key or "") == name or (key not in element.parameters and _alike(element, first))
            )
        ]
        if kind == "bar":
            # Value labels name no bar, so the place tells which bar they belong to.
            attached = _value_label_of(scene, first)
        yield Mark((*members, *attached), first.colour or "", sum(_area(scene.elements[index]) for index in members))


def _sheet_marks(scene: Scene) -> Iterable[Mark]:
    """Yield the marks of a geometry sheet; a filled polygon is an area and a polygon with the same corners."""
    filled: dict[str, int] = {}
    for index, element in enumerate(scene.elements):
        corners = str(element.parameters.get("corners"))
        if element.type == "area":
            filled[corners] = index
        # The tint is drawn before its outline, so it was met earlier in the scene.
        elif element.type == "polygon" and corners in filled:
            area = filled.pop(corners)
            yield Mark((index, area), element.colour or "", _area(scene.elements[area]))
        elif element.type in SHEET_MARKS:
            yield Mark((index,), element.colour or "", _area(element))
    # Tints whose corners no polygon shares.
    for area in filled.values():
        yield Mark((area,), scene.elements[area].colour or "", _area(scene.elements[area]))


def _value_label_of(scene: Scene, bar: Element) -> list[int]:
    """Return the place of the label that says a bar's value: the nearest with this value, in or beside the bar."""
    labels = [
        (_distance(bar, element), index)
        for index, element in enumerate(scene.elements)
        if element.type == "value_label" and element.parameters.get("value") == bar.parameters["value"]
    ]
    return [index for distance, index in sorted(labels)[:1] if distance <= LABEL_REACH]


LABEL_REACH = 12
"""Pixels that a bar's label lies off its bar at most."""


def _distance(first: Element, second: Element) -> float:
    """Return the pixels between two elements' boxes; 0 if they touch."""
    a, b = first.box, second.box
    across = max(a.left - b.right, b.left - a.right, 0)
    down = max(a.top - b.bottom, b.top - a.bottom, 0)
    return float(max(across, down))


def _alike(first: Element, second: Element) -> bool:
    return first.colour == second.colour


def _area(element: Element) -> float:
    """Return an element's extent in a picture: the length of a thin line, or the box of any other element."""
    box = element.box
    width, height = box.right - box.left, box.bottom - box.top
    # The share, since the box of a thin wedge may be as large as that of a wide one.
    if element.type == "wedge":
        return element.number("share")
    if "width" in element.parameters and element.type not in ("circle", "polygon"):
        return float(max(width, height))
    return float(width * height)
