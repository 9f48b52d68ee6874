"""Parameters of a scene's elements, which are JSON, as the numbers and points that they are."""

from typing import Any

from ircore.core.drawing import Point
from ircore.core.records import Element


def number(element: Element, name: str, default: float = 0.0) -> float:
    """Return a parameter that is a number; ``default`` if the element has no parameter of this name."""
    value: Any = element.parameters.get(name, default)
    return float(value)


def point(element: Element, name: str) -> Point:
    """Return a parameter that is a point, ``[x, y]`` in pixels."""
    return _point(element.parameters[name])


def points(element: Element, name: str) -> list[Point]:
    """Return a parameter that is a list of points."""
    value: Any = element.parameters[name]
    return [_point(item) for item in value]


def numbers(element: Element, name: str) -> list[float]:
    """Return a parameter that is a list of numbers; empty if the element has no parameter of this name."""
    value: Any = element.parameters.get(name, [])
    return [float(item) for item in value]


def _point(value: Any) -> Point:
    return float(value[0]), float(value[1])
