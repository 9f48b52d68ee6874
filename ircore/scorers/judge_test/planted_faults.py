"""Faults that are planted in a scene, one at a time, each with the facts that it breaks."""

import itertools
import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from ircore.core.records import Box, Element, Scene
from ircore.scorers.judge_test.edits import measure_colour_difference as difference
from ircore.scorers.verification.scene_facts import Mark, list_marks
from ircore.scorers.verification.scene_facts.charts import find_scale

DATA = {"bar", "wedge", "line", "curve", "shape", "segment", "circle", "polygon"}
SPARE = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#00b8b8", "#8c564b", "#555555")
FAR, ASIDE = 0.14, 40.0
"""Share of the picture's width by which a thing is moved; pixels by which a line is moved off its course at least."""


class PlantedFault(NamedTuple):
    """A scene with a fault, and the keys of facts, any of which tells it when it fails."""

    scene: Scene
    broken: tuple[str, ...]


def plant_fault(scene: Scene, kind: str, rng: random.Random) -> PlantedFault | None:
    """Return a scene with one fault of a kind (a key of ``FAULTS``); None where it does not apply."""
    return FAULTS[kind](scene, rng)


def shift_element(element: Element, x: float, y: float) -> Element:
    """Return an element that is moved by some pixels."""
    about: dict[str, Any] = dict(element.parameters)
    for key in ("centre", "start", "end", "vertex"):
        if isinstance(about.get(key), list | tuple):
            about[key] = [about[key][0] + x, about[key][1] + y]
    for key in ("points", "corners"):
        if about.get(key):
            about[key] = [[point[0] + x, point[1] + y] for point in about[key]]
    return element.model_copy(update={"parameters": about, "box": _shift_box(element.box, x, y)})


def _remove_mark(scene: Scene, rng: random.Random) -> PlantedFault | None:
    marks = _list_data_marks(scene)
    if len(marks) < 2:
        return None
    mark = rng.choice(marks)
    return PlantedFault(_replace_elements(scene, dict.fromkeys(mark.elements)), (f"{mark.key}/presence",))


def _remove_text(scene: Scene, rng: random.Random) -> PlantedFault | None:
    marks = [mark for mark in list_marks(scene) if mark.form == "text"]
    if not marks:
        return None
    mark = rng.choice(marks)
    return PlantedFault(_replace_elements(scene, dict.fromkeys(mark.elements)), (f"{mark.key}/presence",))


def _recolour_mark(scene: Scene, rng: random.Random) -> PlantedFault | None:
    mark = rng.choice(_list_data_marks(scene))
    own = scene.elements[mark.elements[0]].colour or "#000000"
    palette = [element.colour for element in scene.elements if element.type == scene.elements[mark.elements[0]].type]
    colours = [colour for colour in {*palette, *SPARE} if colour and difference(colour, own) > 20]
    colours = [colour for colour in colours if difference(colour, scene.background or "#ffffff") > 20]
    colour = rng.choice(sorted(colours))
    changed = {index: scene.elements[index].model_copy(update={"colour": colour}) for index in mark.elements}
    return PlantedFault(_replace_elements(scene, dict(changed)), (f"{mark.key}/colour",))


def _move_mark(scene: Scene, rng: random.Random) -> PlantedFault | None:
    marks = [mark for mark in list_marks(scene) if mark.kind in {"shape", "segment", "circle"}]
    if not marks:
        return None
    mark = rng.choice(marks)
    index = mark.elements[0]
    ways = [(a * FAR * scene.width, b * FAR * scene.height) for a, b in ((1, 0.3), (-1, 0.3), (0.3, 1), (0.3, -1))]
    inside = [
        way
        for way in ways
        if _is_inside(scene, scene.elements[index].box, *way) and _is_off_course(scene.elements[index], way)
    ]
    if not inside:
        return None
    moved = shift_element(scene.elements[index], *rng.choice(inside))
    return PlantedFault(_replace_elements(scene, {index: moved}), (f"{mark.key}/place", f"{mark.key}/presence"))


def _move_text(scene: Scene, rng: random.Random) -> PlantedFault | None:
    index_of = {mark.elements[0]: mark for mark in list_marks(scene) if mark.form == "text"}
    places = [(index, way) for index in index_of for way in _list_free_moves(scene, index)]
    if not places:
        return None
    index, way = rng.choice(places)
    key = index_of[index].key
    return PlantedFault(
        _replace_elements(scene, {index: shift_element(scene.elements[index], *way)}),
        (f"{key}/place", f"{key}/presence"),
    )


def _misspell_text(scene: Scene, rng: random.Random) -> PlantedFault | None:
    """Put two different neighbouring letters of a word in the wrong order, or change a digit."""
    marks = [mark for mark in list_marks(scene) if mark.form == "text"]
    rng.shuffle(marks)
    for mark in marks:
        element = scene.elements[mark.elements[0]]
        text = element.text or ""
        pairs = list(itertools.pairwise(text))
        places = [k for k, (a, b) in enumerate(pairs) if k and a.isalpha() and b.isalpha() and a.lower() != b.lower()]
        digits = [k for k, letter in enumerate(text) if letter.isdigit()]
        if len(text) >= 4 and places:
            k = rng.choice(places)
            text = text[:k] + text[k + 1] + text[k] + text[k + 2 :]
        elif digits:
            k = rng.choice(digits)
            text = text[:k] + str((int(text[k]) + rng.randint(2, 8)) % 10) + text[k + 1 :]
        else:
            continue
        return PlantedFault(
            _replace_elements(scene, {mark.elements[0]: element.model_copy(update={"text": text})}),
            (f"{mark.key}/text",),
        )
    return None


def _change_value(scene: Scene, rng: random.Random) -> PlantedFault | None:
    marks = [mark for mark in list_marks(scene) if mark.kind in {"bar", "wedge", "line"}]
    bars = [mark for mark in marks
            if mark.kind != "bar" or not scene.elements[mark.elements[0]].parameters["baseline"]]  # fmt: skip
    if not bars:
        return None
    mark = rng.choice(bars)
    change = {"bar": _shorten_bar, "wedge": _narrow_wedge, "line": _bend_line}[mark.kind]
    return change(scene, mark, rng)


FAULTS: dict[str, Callable[[Scene, random.Random], PlantedFault | None]] = {
    "removed": _remove_mark,
    "text removed": _remove_text,
    "recoloured": _recolour_mark,
    "moved": _move_mark,
    "text moved": _move_text,
    "misspelt": _misspell_text,
    "wrong value": _change_value,
}


def _list_data_marks(scene: Scene) -> list[Mark]:
    return [mark for mark in list_marks(scene) if mark.kind in DATA]


def _replace_elements(scene: Scene, changed: dict[int, Element | None]) -> Scene:
    elements = [changed.get(index, element) for index, element in enumerate(scene.elements)]
    return scene.model_copy(update={"elements": tuple(element for element in elements if element is not None)})


def _is_off_course(element: Element, way: tuple[float, float]) -> bool:
    """Tell whether a move takes a line off its own course; of shapes, any move does."""
    if element.type != "segment":
        return True
    about: Any = element.parameters
    across, down = (about["end"][axis] - about["start"][axis] for axis in (0, 1))
    return bool(abs(way[0] * down - way[1] * across) > ASIDE * math.hypot(across, down))


def _list_free_moves(scene: Scene, index: int) -> list[tuple[float, float]]:
    """Return moves that keep a text inside the picture and off every other text."""
    box = scene.elements[index].box
    ways = [(a * FAR * scene.width, b * FAR * scene.height) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    others = [element.box for element in scene.elements if element.text is not None and element.box != box]
    near = [way for way in ways if _is_inside(scene, box, *way)]
    return [way for way in near if not any(_shift_box(box, *way).overlaps(other) for other in others)]


def _is_inside(scene: Scene, box: Box, x: float, y: float) -> bool:
    moved = _shift_box(box, x, y)
    return moved.left >= 4 and moved.top >= 4 and moved.right <= scene.width - 4 and moved.bottom <= scene.height - 4


def _shift_box(box: Box, x: float, y: float) -> Box:
    return Box(round(box.left + x), round(box.top + y), round(box.right + x), round(box.bottom + y))


def _shorten_bar(scene: Scene, mark: Mark, rng: random.Random) -> PlantedFault:  # noqa: ARG001 - as the others
    bar = scene.elements[mark.elements[0]]
    left, top, right, bottom = bar.box
    negative, lying = float(bar.parameters["value"]) < 0, bar.parameters["orientation"] == "horizontal"  # type: ignore[arg-type]
    cut = round(0.3 * ((right - left) if lying else (bottom - top)))
    if lying:
        box = (left + cut, top, right, bottom) if negative else (left, top, right - cut, bottom)
    else:
        box = (left, top, right, bottom - cut) if negative else (left, top + cut, right, bottom)
    changed = bar.model_copy(update={"box": Box(*box)})
    return PlantedFault(
        _replace_elements(scene, {mark.elements[0]: changed}), (f"{mark.key}/value", f"{mark.key}/presence")
    )


def _narrow_wedge(scene: Scene, mark: Mark, rng: random.Random) -> PlantedFault | None:  # noqa: ARG001 - as the others
    """Give the next wedge a part of this one's share."""
    wedges = [other for other in list_marks(scene) if other.kind == "wedge"]
    following = wedges[(wedges.index(mark) + 1) % len(wedges)]
    index, after = mark.elements[0], following.elements[0]
    first, second = scene.elements[index].parameters, scene.elements[after].parameters
    share = float(first["share"])  # type: ignore[arg-type]
    part = max(4.0, 0.35 * share)
    if share - part < 2.5:
        return None
    changed = {
        index: scene.elements[index].model_copy(update={"parameters": {**first, "share": share - part}}),
        after: scene.elements[after].model_copy(update={"parameters": {
            **second, "share": float(second["share"]) + part, "start": float(second["start"]) - 3.6 * part}}),  # type: ignore[arg-type]
    }  # fmt: skip
    return PlantedFault(_replace_elements(scene, dict(changed)), (f"{mark.key}/value", f"{following.key}/value"))


def _bend_line(scene: Scene, mark: Mark, rng: random.Random) -> PlantedFault:
    """Move one point of a line up or down by a fifth of the axis."""
    index = mark.elements[0]
    line = scene.elements[index]
    about: Any = line.parameters
    points = [list(point) for point in about["points"]]
    scale = find_scale(scene, "y")
    start, end = (0.0, 512.0) if scale is None else (scale.start, scale.end)
    place = rng.randrange(len(points))
    up = points[place][1] - min(start, end) > max(start, end) - points[place][1]
    points[place][1] += (-0.2 if up else 0.2) * abs(start - end)
    changed: dict[int, Element | None] = {
        index: line.model_copy(update={"parameters": {**line.parameters, "points": points}})
    }
    for other in mark.elements[1:]:
        marker = scene.elements[other]
        if marker.parameters["centre"][0] == points[place][0]:  # type: ignore[index]
            changed[other] = shift_element(marker, 0.0, points[place][1] - marker.parameters["centre"][1])  # type: ignore[index]
    return PlantedFault(_replace_elements(scene, changed), (f"{mark.key}/value/{place + 1}",))
