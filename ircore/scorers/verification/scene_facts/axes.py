"""The axes of a figure, and the facts about axes, grids, frames and texts that charts and graphs share."""

from collections.abc import Iterator, Sequence
from typing import Any

from ircore.core.drawing import Scale
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


def find_scale(scene: Scene, axis: str) -> Scale | None:
    """Return where the values of an axis lie in the target: from the drawn axis, else from its tick labels."""
    for element in scene.elements:
        about: Any = element.parameters
        if element.type == "axis" and about.get("axis") == axis:
            (low, high), (start, end) = about["data_range"], about["pixel_range"]
            return Scale(float(low), float(high), float(start), float(end))
    labels = [element for element in scene.elements if is_tick_label(element, axis)]
    ticks = [(float(label.parameters["value"]), compute_middle(label.box, axis)) for label in labels]  # type: ignore[arg-type]
    if len({value for value, _ in ticks}) < 2:
        return None
    (low_value, start), (high_value, end) = min(ticks), max(ticks)
    return Scale(low_value, high_value, start, end)


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


def text_marks(scene: Scene) -> list[Mark]:
    """Return the marks of all texts."""
    marks: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if element.text is None:
            continue
        called = TEXTS.get(element.type, ("text", 0.5))[0]
        of_axis = f" of the {element.parameters['axis']} axis" if "axis" in element.parameters else ""
        append_mark(marks, element.type, "text", f'the {called} "{element.text}"{of_axis}', index)
    return marks


def text_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
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


def grouped_marks(scene: Scene) -> list[Mark]:
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


GROUP_WEIGHTS = {
    "axis": 0.5, "frame": 0.2, "grid": 0.3, "leaders": 0.2, "panel": 0.3, "squares": 0.2, "ticks": 0.1,
    "zero_line": 0.3,
}  # fmt: skip


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


def _is_numeric(scene: Scene, axis: Element) -> bool:
    labels = [label for label in scene.elements if is_tick_label(label, str(axis.parameters["axis"]))]
    return all(label.text is not None and label.text.rstrip("°").replace("-", "").replace(".", "").isdigit()
               for label in labels)  # fmt: skip


def background_mark(scene: Scene) -> list[Mark]:
    """Return the mark of the ground on which everything is drawn."""
    return [Mark("background", "background", "region", "the background", ())] if scene.background else []


def background_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield the colour of the ground."""
    yield build_fact(mark, "colour", scene.background, 0.4, f"the background is {describe_colour(scene.background)}.")
