"""Scenes that come from the inside of the sandbox: each element must have the fields of its type."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import JsonValue, ValidationError

from ircore.core.records import Element, Scene
from ircore.core.untrusted_text import replace_controls

Check = Callable[[Any], bool]

FARTHEST = 16_384
"""Pixels from the picture's corner beyond which no point of an element lies."""
WIDEST = 500
"""Pixels that a line may be wide."""


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number of reasonable size."""
    # A bool is an int in Python, and no measure.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e15


def is_text(value: Any) -> bool:
    """Return whether a value is a short line of text."""
    return isinstance(value, str) and len(value) <= 200 and value.isprintable()


def is_pixels(value: Any) -> bool:
    """Return whether a value is a place or a length in pixels; none lies far outside of the largest picture."""
    return is_number(value) and abs(value) <= FARTHEST


def is_point(value: Any) -> bool:
    """Return whether a value is a point in pixels."""
    return _is_list(value, is_pixels, 2, 2)


def is_points(value: Any) -> bool:
    """Return whether a value is a list of 2 to 500 points."""
    return _is_list(value, is_point, 2)


def is_range(value: Any) -> bool:
    """Return whether a value is a range that is not empty."""
    return _is_list(value, is_number, 2, 2) and value[0] != value[1]


def is_colour(value: Any) -> bool:
    """Return whether a value is ``#rrggbb``."""
    return isinstance(value, str) and len(value) == 7 and value[0] == "#" and set(value[1:]) <= set("0123456789abcdef")


def _is_list(value: Any, check: Check, least: int = 0, most: int = 500) -> bool:
    return isinstance(value, list) and least <= len(value) <= most and all(map(check, value))


def _is_numbers(value: Any) -> bool:
    return _is_list(value, is_number)


def _is_angle(value: Any) -> bool:
    return is_number(value) and abs(value) <= 1080


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10_000


def _is_width(value: Any) -> bool:
    return is_pixels(value) and 0 <= value <= WIDEST


FIELDS: dict[str, Check] = {
    "axis": lambda value: value in ("x", "y"), "baseline": is_number,
    "categories": lambda value: _is_list(value, is_text), "category": is_text, "centre": is_point,
    "corners": is_points, "dash": _is_numbers, "dashed": _is_flag, "data_range": is_range, "degrees": _is_angle,
    "exploded": _is_flag, "filled": _is_flag, "formula": is_text, "function": _is_count, "hole": is_pixels,
    "name": is_text, "orientation": lambda value: value in ("vertical", "horizontal"), "outline": is_colour,
    "outline_width": _is_width, "pixel_range": lambda value: is_range(value) and is_point(value), "points": is_points,
    "radius": lambda value: is_pixels(value) and value > 0, "rotation": _is_angle, "series": _is_count,
    "shape": is_text, "share": lambda value: is_number(value) and 0 <= value <= 100, "side": is_text,
    "size": is_pixels, "vertex": is_point, "value": is_number, "values": _is_numbers, "width": _is_width,
    "x": is_number, "y": is_number,
}  # fmt: skip
"""What a parameter may be; ``start`` and ``end`` are degrees of a wedge and points of a segment."""

NEEDED: dict[str, tuple[str, ...]] = {
    "angle": ("points", "degrees"), "arc": ("points",), "area": ("corners",), "arrow": ("centre",), "asymptote": (),
    "axis": ("axis", "data_range", "pixel_range", "points"), "axis_label": ("axis",),
    "bar": ("value", "baseline", "category", "series", "orientation"),
    "circle": ("centre", "radius"), "cross": ("centre",), "curve": ("points", "function", "formula"),
    "diamond": ("centre",), "disc": ("centre", "radius"), "ellipse": ("centre",), "frame": ("side", "points"),
    "gridline": ("axis",), "half_circle": ("centre",), "hexagon": ("centre",), "label": (),
    "marker": ("shape", "centre"), "octagon": ("centre",), "panel": (), "parallelogram": ("centre",),
    "pentagon": ("centre",), "point": ("name", "centre", "radius"), "point_label": (), "polygon": ("corners",),
    "polyline": ("points", "series", "values", "categories"), "quarter_circle": ("centre",), "rectangle": ("centre",),
    "right_angle": ("points",), "ring": ("centre",), "sector": ("corners",), "segment": ("points", "start", "end"),
    "series_label": (), "square": ("centre",), "star": ("centre",), "tick": (), "tick_label": ("axis", "value"),
    "trapezoid": ("centre",), "triangle": ("centre",), "value_label": (),
    "wedge": ("category", "share", "start", "end", "centre", "radius", "hole", "exploded"), "wedge_label": (),
    "zero_line": ("axis", "points"),
}  # fmt: skip
"""Types of elements that a scene may have, and the parameters that each must state."""


def build_scene(
    elements: Sequence[JsonValue], width: int, height: int, background: str
) -> tuple[Scene | None, tuple[str, ...]]:
    """Return the scene of a figure, and why elements were left out.

    Args:
        elements: As the inside wrote them; nothing about them is trusted.
        width: Of the picture, in pixels.
        height: Of the picture, in pixels.
        background: ``#rrggbb``.

    Returns:
        The scene, None if no element is left; a reason for each kind of fault.
    """
    taken, faults = [], []
    for element in elements:
        try:
            taken.append(_parse_element(element, width, height))
        except (ValueError, ValidationError, TypeError) as error:
            kind = element.get("type") if isinstance(element, dict) else None
            faults.append(f"an element of type {str(kind)[:40]}: {_format_first_line(error)}")
    if not taken:
        return None, tuple(dict.fromkeys(faults))
    scene = Scene(width=width, height=height, background=background, elements=tuple(taken))
    return scene, tuple(dict.fromkeys(faults))


def _format_first_line(error: Exception) -> str:
    text = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
    # The message may quote a stranger's text, which must not steer a terminal.
    return replace_controls(text)[:100]


def _parse_element(entry: JsonValue, width: int, height: int) -> Element:
    element = Element.model_validate(entry)
    about: dict[str, Any] = element.parameters
    if element.type not in NEEDED:
        raise ValueError("is no type of a scene")
    if element.text is not None and not is_text(element.text.replace("\n", " ")):
        raise ValueError("its text has control characters")
    box = element.box
    if not (0 <= box.left < box.right <= width and 0 <= box.top < box.bottom <= height):
        raise ValueError("its box lies outside of the picture")
    for name, value in about.items():
        if name not in (*FIELDS, "start", "end") or not is_fitting_parameter(element.type, name, value):
            raise ValueError(f"its {name} cannot be used")
    missing = [name for name in _list_needed_parameters(element) if name not in about]
    if missing:
        raise ValueError(f"states no {', '.join(missing)}")
    if element.type == "polyline" and not len(about["points"]) == len(about["values"]) == len(about["categories"]):
        raise ValueError("has not as many values as points")
    return element


def _list_needed_parameters(element: Element) -> tuple[str, ...]:
    needed = NEEDED[element.type]
    if element.type == "marker" and "series" not in element.parameters:
        return (*needed, "x", "y")
    if element.type == "asymptote" and "x" not in element.parameters:
        return (*needed, "y")
    return needed


def is_fitting_parameter(kind: str, name: str, value: Any) -> bool:
    """Return whether the value of a parameter is what elements state under that name; True of names that none has."""
    if name in ("start", "end"):
        return _is_angle(value) if kind == "wedge" else is_point(value)
    return name not in FIELDS or FIELDS[name](value)
