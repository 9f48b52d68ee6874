"""Drawing a scene again, element by element, so that a picture can be made of a scene that was changed.

A scene holds all that decides where an element lies, but texts only to the pixel and a few small decorations by their
box alone. So a changed scene is not drawn as a whole: only the pixels in which the drawings of the scene before and
after the change differ are painted over the target (``repaint_changes``); everywhere else it stays as it was. Elements
that carry the content are its marks, each with its labels and other belongings.
"""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ircore.core.drawing import Drawing, Point, find_sector_start
from ircore.core.images import Pixels
from ircore.core.records import Element, Scene
from ircore.instances.scene_percepts import NEEDED
from ircore.instances.targets.axes import draw_marker
from ircore.instances.targets.base import SceneDrawing
from ircore.instances.targets.simple_shapes import RING_HOLE, compute_corners

FRINGE = 2
"""Pixels about a changed one that are painted over too: a redrawn text may lie half a pixel off."""

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

LABEL_REACH = 12
"""Pixels that a bar's label lies off its bar at most."""


def repaint_changes(target: Pixels, before: Scene, after: Scene) -> Pixels:
    """Return a target's picture with the changes between two of its scenes painted over.

    Args:
        target: Height × width × 3, the picture of ``before``.
        before: What was drawn.
        after: What shall be seen.
    """
    old, new = redraw_scene(before), redraw_scene(after)
    # Imported where it is needed: whoever reads judges' cards would wait for it too.
    from scipy import ndimage

    changed = ndimage.binary_dilation((old != new).any(axis=2), iterations=FRINGE)
    return np.where(changed[:, :, None], new, target)


def redraw_scene(scene: Scene) -> Pixels:
    """Return a picture of a scene, height × width × 3."""
    drawing = Drawing(scene.width, scene.height, scene.background or "#ffffff")
    # Hollow markers are filled with the colour of what they lie on: the panel, where there is one.
    surface = next((element.colour for element in scene.elements if element.type == "panel"), scene.background)
    for element in scene.elements:
        _draw(drawing, element, surface or "#ffffff")
    return drawing.pixels


class SceneMark(NamedTuple):
    """A mark of a scene."""

    members: tuple[int, ...]
    """Places of its elements in the scene, the mark itself first."""

    colour: str
    """As drawn, ``#rrggbb``."""

    size: float
    """What it takes of the picture: square pixels, of thin lines their length in pixels."""


def find_marks(scene: Scene) -> tuple[SceneMark, ...]:
    """Return the marks of a scene in the order in which they were drawn."""
    kinds = {element.type for element in scene.elements}
    for kind, key in CHART_MARKS.items():
        if kind in kinds:
            # The first type that occurs decides: a chart has bars or wedges or lines, and an area belongs to its line.
            return tuple(_find_chart_marks(scene, kind, key))
    # A circle of a geometry sheet is a drawn line with points; one with centre and radius alone is a coloured shape.
    if any(element.type in SHEET_MARKS and (element.type != "circle" or "points" in element.parameters)
           for element in scene.elements):  # fmt: skip
        return tuple(_find_sheet_marks(scene))
    return tuple(
        SceneMark((index,), element.colour or "", _measure_extent(element))
        for index, element in enumerate(scene.elements)
        if element.type != "background"
    )


def _draw(drawing: Drawing, element: Element, surface: str) -> None:
    colour, about = element.colour or "#000000", element.parameters
    if element.text is not None:
        box = element.box
        at = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        size = element.number("size") if element.number("size") > 0 else max(1, box.bottom - box.top)
        drawing.text(at, element.text, size, colour, "mm", element.number("rotation"))
    elif element.type == "marker":
        _draw_marker(drawing, element, colour, surface)
    elif element.type in _BY_TYPE and ("centre" in about or element.type != "disc"):
        _BY_TYPE[element.type](drawing, element, colour)
    elif "width" in about and "points" in about:
        dash = element.numbers("dash")
        drawing.line(element.points("points"), colour, element.number("width"), dash, closed=element.type == "polygon")
    elif "centre" in about and ("corners" in about or NEEDED.get(element.type) == ("centre", "radius")):
        _draw_shape(drawing, element, colour)
    elif "corners" in about or "points" in about:
        drawing.polygon(element.points("corners" if "corners" in about else "points"), colour)
    else:
        drawing.rectangle(*element.box, colour)


def _draw_bar(drawing: Drawing, element: Element, colour: str) -> None:
    left, top, right, bottom = element.box
    drawing.rectangle(left, top, right, bottom, colour)
    outline = element.parameters.get("outline")
    if outline:
        # Half a pixel inwards, so that a line of width 1 lies within the bar's box.
        drawing.rectangle(left + 0.5, top + 0.5, right - 0.5, bottom - 0.5, outline=str(outline), width=1.0)


def _draw_wedge(drawing: Drawing, element: Element, colour: str) -> None:
    about = element.parameters
    drawing.wedge(
        element.point("centre"), element.number("radius"), element.number("start"), element.number("end"), colour,
        str(about["outline"]), element.number("outline_width"), element.number("hole"),
    )  # fmt: skip


def _draw_grid_line(drawing: Drawing, element: Element, colour: str) -> None:
    drawing.line([element.point("start"), element.point("end")], colour, 1)


def _draw_disc(drawing: Drawing, element: Element, colour: str) -> None:
    radius = element.number("radius")
    drawing.ellipse(element.point("centre"), (radius, radius), colour)


def _draw_sector(drawing: Drawing, element: Element, colour: str) -> None:
    centre, radius, degrees = element.point("centre"), element.number("radius"), element.number("degrees")
    start = find_sector_start(centre, radius, degrees, element.box)
    drawing.wedge(centre, radius, start, start + degrees, colour)


def _draw_arrow_head(drawing: Drawing, element: Element, colour: str) -> None:
    left, top, right, bottom = element.box
    across, down = (left + right) / 2, (top + bottom) / 2
    # A head that points up is wider than high; the axes of the targets point up or to the right alone.
    is_upright = right - left > bottom - top
    tip: Point = (across, top) if is_upright else (right, down)
    base: list[Point] = [(left, bottom), (right, bottom)] if is_upright else [(left, top), (left, bottom)]
    drawing.polygon([*base, tip], colour)


_BY_TYPE: dict[str, Callable[[Drawing, Element, str], None]] = {
    "bar": _draw_bar,
    "wedge": _draw_wedge,
    "grid_line": _draw_grid_line,
    "disc": _draw_disc,
    "point": _draw_disc,
    "sector": _draw_sector,
    "arrow_head": _draw_arrow_head,
}


def _draw_marker(drawing: Drawing, element: Element, colour: str, surface: str) -> None:
    about = element.parameters
    scene = SceneDrawing()
    scene.drawing = drawing
    draw_marker(scene, element.point("centre"), str(about["shape"]), element.number("size"), colour, surface)


def _draw_shape(drawing: Drawing, element: Element, colour: str) -> None:
    """Draw a simple shape: by its corners, or by its radius for a round shape."""
    about = element.parameters
    edge = str(about["outline"]) if about.get("outline") else None
    fill = colour if about.get("filled", True) else None
    width = element.number("outline_width")
    if "corners" in about:
        drawing.polygon(element.points("corners"), fill, edge, width)
        return
    (x, y), radius = element.point("centre"), element.number("radius")
    if element.type == "ring":
        drawing.wedge((x, y), radius, 0, 360, fill, hole=round(radius * RING_HOLE))
        return
    turn = math.radians(element.number("rotation"))
    outline = [
        (x + across * math.cos(turn) - down * math.sin(turn), y + across * math.sin(turn) + down * math.cos(turn))
        for across, down in compute_corners(element.type, radius - width / 2)
    ]
    drawing.polygon(outline, fill, edge, width)


def _find_chart_marks(scene: Scene, kind: str, key: str | None) -> Iterable[SceneMark]:
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
                element.parameters.get(key or "") == name
                or (key not in element.parameters and element.colour == first.colour)
            )
        ]
        if kind == "bar":
            # Value labels name no bar, so the place tells which bar they belong to.
            attached = _find_value_label(scene, first)
        yield SceneMark(
            (*members, *attached), first.colour or "", sum(_measure_extent(scene.elements[index]) for index in members)
        )


def _find_sheet_marks(scene: Scene) -> Iterable[SceneMark]:
    """Yield the marks of a geometry sheet; a filled polygon is an area and a polygon with the same corners."""
    filled: dict[str, int] = {}
    for index, element in enumerate(scene.elements):
        corners = str(element.parameters.get("corners"))
        if element.type == "area":
            filled[corners] = index
        # The tint is drawn before its outline, so it was met earlier in the scene.
        elif element.type == "polygon" and corners in filled:
            area = filled.pop(corners)
            yield SceneMark((index, area), element.colour or "", _measure_extent(scene.elements[area]))
        elif element.type in SHEET_MARKS:
            yield SceneMark((index,), element.colour or "", _measure_extent(element))
    # Tints whose corners no polygon shares.
    for area in filled.values():
        yield SceneMark((area,), scene.elements[area].colour or "", _measure_extent(scene.elements[area]))


def _find_value_label(scene: Scene, bar: Element) -> list[int]:
    """Return the place of the label that says a bar's value: the nearest with this value, in or beside the bar."""
    labels = [
        (_measure_distance(bar, element), index)
        for index, element in enumerate(scene.elements)
        if element.type == "value_label" and element.parameters.get("value") == bar.parameters["value"]
    ]
    return [index for distance, index in sorted(labels)[:1] if distance <= LABEL_REACH]


def _measure_distance(first: Element, second: Element) -> float:
    """Return the pixels between two elements' boxes; 0 if they touch."""
    a, b = first.box, second.box
    across = max(a.left - b.right, b.left - a.right, 0)
    down = max(a.top - b.bottom, b.top - a.bottom, 0)
    return float(max(across, down))


def _measure_extent(element: Element) -> float:
    """Return an element's extent in a picture: the length of a thin line, or the box of any other element."""
    box = element.box
    width, height = box.right - box.left, box.bottom - box.top
    # The share, since the box of a thin wedge may be as large as that of a wide one.
    if element.type == "wedge":
        return element.number("share")
    if "width" in element.parameters and element.type not in ("circle", "polygon"):
        return float(max(width, height))
    return float(width * height)
