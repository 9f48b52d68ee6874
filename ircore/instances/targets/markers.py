"""The small signs that mark data points on lines and curves."""

from typing import Any

from ircore.core.drawing import Drawing, Point
from ircore.core.records import Box, Element
from ircore.instances.targets.base import SceneDrawing

SHAPES = ("circle", "square", "triangle", "diamond", "ring")
"""A ring is a circle filled with the colour beneath."""


def draw_marker(
    scene: SceneDrawing, centre: Point, shape: str, size: float, colour: str, surface: str, **parameters: Any
) -> Element:
    """Draw a marker and add it to the scene.

    Args:
        scene: The picture.
        centre: In pixels.
        shape: One of ``SHAPES``.
        size: Diameter of a circle, in pixels; the other shapes are made to look as large.
        colour: Colour of the marker, or of a ring's rim.
        surface: Colour inside a ring.
        parameters: Added to the element's own: centre, shape and size.
    """
    box = _draw(scene.drawing, centre, shape, size / 2, colour, surface)
    at = [round(centre[0], 2), round(centre[1], 2)]
    return scene.add("marker", box, colour, shape=shape, centre=at, size=size, **parameters)


def _draw(drawing: Drawing, centre: Point, shape: str, half: float, colour: str, surface: str) -> Box:
    x, y = centre
    if shape == "circle":
        return drawing.ellipse(centre, (half, half), colour)
    if shape == "ring":
        drawing.ellipse(centre, (half, half), surface)
        return drawing.ellipse(centre, (half, half), outline=colour, width=2.0)
    if shape == "square":
        half *= 0.9
        return drawing.rectangle(x - half, y - half, x + half, y + half, colour)
    if shape == "triangle":
        return drawing.polygon([(x, y - half * 1.25), (x + half * 1.2, y + half), (x - half * 1.2, y + half)], colour)
    half *= 1.25
    return drawing.polygon([(x, y - half), (x + half, y), (x, y + half), (x - half, y)], colour)
