"""What any drawer can draw: filled areas, lines and texts, in the order in which a scene shows them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ircore.core.drawing import find_sector_start
from ircore.core.records import Element, Scene
from ircore.scorers.verification.eye.regions import draw_filled_mask, draw_shape_mask
from ircore.scorers.verification.scene_facts.shapes import is_hollow, is_shape

Points: TypeAlias = list[tuple[float, float]]


@dataclass(frozen=True)
class FilledArea:
    """An area: its rims (the second is a hole), its colour or None, its edge's colour or None, and width in pixels."""

    rims: tuple[Points, ...]
    colour: str | None
    edge: str | None = None
    width: float = 0.0
    mark: str = ""
    """Type of the element if it shows content; empty for ground, ticks and the like."""


@dataclass(frozen=True)
class OutlineStroke:
    """A line, with dashes in pixels; empty if it is solid."""

    points: Points
    colour: str
    width: float
    dash: tuple[float, ...] = ()
    closed: bool = False


@dataclass(frozen=True)
class OutlineText:
    """A text about its middle: size of the font in pixels, degrees anticlockwise, room along its line or 0 for any."""

    at: tuple[float, float]
    text: str
    colour: str
    size: float
    turn: float
    room: float = 0.0


Outline: TypeAlias = FilledArea | OutlineStroke | OutlineText

FILLED_MARKS = {"bar", "wedge", "disc"}
"""Types of filled elements that show content, beside shapes."""


def trace_scene(scene: Scene) -> Iterator[Outline]:
    """Yield what a scene shows, the lowest first."""
    for element in scene.elements:
        for outline in _trace_element(scene, element):
            is_mark = isinstance(outline, FilledArea) and (element.type in FILLED_MARKS or is_shape(element))
            yield replace(outline, mark=element.type) if isinstance(outline, FilledArea) and is_mark else outline


def _trace_element(scene: Scene, element: Element) -> Iterator[Outline]:
    about: Any = element.parameters
    colour, box = element.colour or "#000000", element.box
    if element.text is not None:
        at = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        turn = float(about.get("rotation", 0))
        room = {0: box.right - box.left, 90: box.bottom - box.top}.get(round(turn) % 180, 0)
        yield OutlineText(at, element.text, colour, float(about.get("size", 13)), turn, float(room))
    elif element.type == "wedge":
        yield _trace_wedge(element, colour)
    elif element.type == "marker":
        yield _trace_marker(scene, element, colour)
    elif is_shape(element):
        yield _trace_shape(scene, element, colour)
    elif "points" in about and element.type != "area":
        closed = element.type in {"polygon", "circle"}
        dash = tuple(float(part) for part in about.get("dash") or ())
        yield OutlineStroke(_build_path(about["points"]), colour, float(about.get("width") or 1.0), dash, closed)
    elif element.type == "grid_line":
        yield OutlineStroke(_build_path([about["start"], about["end"]]), colour, 1.0)
    elif element.type == "sector":
        start = float(find_sector_start(element.point("centre"), about["radius"], about["degrees"], box))
        rim = trace_arc(about["centre"], about["radius"], start, start + about["degrees"])
        yield FilledArea(([*rim, tuple(about["centre"])],), colour)
    elif element.type == "arrow_head":
        yield FilledArea((_trace_arrow_head(box),), colour)
    elif element.type in {"disc", "point"}:
        yield FilledArea((trace_arc(about["centre"], about["radius"], 0, 360),), colour)
    else:
        corners = about.get("corners") or about.get("points") or _list_corners(box)
        edge = about.get("outline")
        yield FilledArea((_build_path(corners),), colour, edge, 1.0 if edge else 0.0)


def _build_path(points: Any) -> Points:
    return [(float(x), float(y)) for x, y in points]


def _list_corners(box: Any) -> Points:
    return [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]


def _trace_arrow_head(box: Any) -> Points:
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    if box.right - box.left > box.bottom - box.top:
        return [(box.left, box.bottom), (box.right, box.bottom), (across, box.top)]
    return [(box.left, box.top), (box.left, box.bottom), (box.right, down)]


def trace_arc(centre: Any, radius: float, start: float, end: float) -> Points:
    """Return points of an arc, clockwise, degrees from 3 o'clock."""
    count = max(3, round(abs(end - start) / 3) + 1)
    turns = np.radians(np.linspace(start, end, count))
    return [(float(centre[0] + radius * math.cos(turn)), float(centre[1] + radius * math.sin(turn))) for turn in turns]


def _trace_wedge(element: Element, colour: str) -> FilledArea:
    about: Any = element.parameters
    end = about["start"] + 3.6 * about["share"]
    outer = trace_arc(about["centre"], about["radius"], about["start"], end)
    hole = about.get("hole") or 0.0
    inner = trace_arc(about["centre"], hole, end, about["start"]) if hole else [tuple(about["centre"])]
    return FilledArea(([*outer, *inner],), colour, about.get("outline"), float(about.get("outline_width") or 0.0))


def _trace_marker(scene: Scene, element: Element, colour: str) -> FilledArea:
    about: Any = element.parameters
    (x, y), half = about["centre"], float(about.get("size", 8)) / 2
    shape = about.get("shape", "circle")
    if shape in {"circle", "ring", "dot"}:
        fill = scene.background if shape == "ring" else colour
        return FilledArea((trace_arc((x, y), half, 0, 360),), fill, colour if shape == "ring" else None, 1.8)
    corners: dict[str, Points] = {
        "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)], "diamond": [(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)],
        "triangle": [(0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    }  # fmt: skip
    return FilledArea(([(x + half * a, y + half * b) for a, b in corners.get(shape, corners["square"])],), colour)


def _trace_shape(scene: Scene, element: Element, colour: str) -> FilledArea:
    from skimage.measure import find_contours

    about: Any = element.parameters
    if element.type == "ring":
        rims = (
            trace_arc(about["centre"], about["radius"], 0, 360),
            trace_arc(about["centre"], about["inner_radius"], 360, 0),
        )
        return FilledArea(rims, colour)
    if about.get("corners"):
        rim = _build_path(about["corners"])
    else:
        mask = (draw_shape_mask if is_shape(element) else draw_filled_mask)(element, scene.height, scene.width)
        rim = [(float(x) - 0.5, float(y) - 0.5) for y, x in find_contours(np.pad(mask, 1).astype(float), 0.5)[0]]  # type: ignore[no-untyped-call]
    width = float(about.get("outline_width") or 4.0)
    if is_hollow(element):
        return FilledArea((rim,), None, about.get("outline") or colour, width)
    edge = about.get("outline")
    return FilledArea((rim,), colour, edge, width if edge else 0.0)
