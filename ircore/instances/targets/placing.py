"""Checking that texts can be read: no text lies on top of another or across data."""

import random
from collections.abc import Callable, Iterable

from ircore.core.drawing import Point, text_size
from ircore.core.records import Box, Scene
from ircore.instances.targets.base import MARGIN, Drawn, SceneDrawing

ATTEMPTS = 60


def first_legible(draw: Callable[[random.Random], Drawn], rng: random.Random) -> Drawn:
    """Return the first drawn target whose texts do not overlap.

    Layouts are made to fit; once in a while labels of chance lengths meet all the same.
    """
    for _ in range(ATTEMPTS):
        drawn = draw(rng)
        if not overlapping_texts(drawn.scene):
            return drawn
    raise AssertionError(f"no legible picture in {ATTEMPTS} attempts")


def overlapping_texts(scene: Scene, gap: int = 2) -> bool:
    """Return whether two texts are nearer than ``gap`` pixels to each other."""
    boxes = [element.box for element in scene.elements if element.text is not None]
    return any(meet(grown(box, gap), other) for index, box in enumerate(boxes) for other in boxes[:index])


def meet(first: Box, second: Box) -> bool:
    """Return whether two boxes have a pixel in common."""
    return (
        first.left < second.right
        and second.left < first.right
        and first.top < second.bottom
        and second.top < first.bottom
    )  # fmt: skip


def grown(box: Box, by: int) -> Box:
    """Return a box with ``by`` more pixels on each side."""
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def text_box(centre: Point, text: str, size: float) -> Box:
    """Return the box that a text centred on a point needs."""
    width, height = text_size(text, size)
    left, top = int(centre[0] - width / 2), int(centre[1] - height / 2)
    return Box(left, top, left + int(width) + 2, top + int(height) + 2)


def is_free(scene: SceneDrawing, box: Box, over: Iterable[str]) -> bool:
    """Return whether a box lies inside the margin and on nothing but the colours in ``over``."""
    width, height = scene.drawing.width, scene.drawing.height
    if min(box.left, box.top, width - box.right, height - box.bottom) < MARGIN:
        return False
    allowed = {tuple(bytes.fromhex(colour[1:])) for colour in over}
    # More colours than are allowed give None, which is cheaper than a look at every pixel.
    colours = scene.drawing.image.crop((box.left, box.top, box.right, box.bottom)).getcolors(maxcolors=len(allowed))
    return colours is not None and all(colour in allowed for _, colour in colours)
