"""Shared by all builders of targets: the size of a picture, and drawing that records its scene."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ircore.core.drawing import Anchor, Drawing, Point
from ircore.core.records import Box, Difficulty, Element, Scene

SIZE = 512
"""Width and height of every procedural target, in pixels."""

MARGIN = 6
"""Pixels along each edge that no element may touch, so that nothing looks cut off."""


@dataclass(frozen=True)
class Drawn:
    """A finished target.

    >>> from ircore.instances.targets.categories import draw
    >>> drawn = draw("geometry", "easy", seed=7)
    >>> drawn.drawing.width, len(drawn.scene.elements) > 0
    (512, True)

    Attributes:
        drawing: The picture.
        scene: Everything in it, back to front.
        kind: Kind of the drawn figure; empty if the builder does not tell. The first pictures of a set
            are of different kinds.
    """

    drawing: Drawing
    scene: Scene
    kind: str = ""


Builder = Callable[[Difficulty, random.Random], Drawn]
"""Draws one target of a category; the same difficulty and state of the generator give the same target to the pixel."""


class SceneDrawing:
    """A picture that records its scene during drawing.

    Draw with ``drawing`` and hand the returned box to ``add``; ``line`` and ``text`` do both at once.

    >>> scene = SceneDrawing()
    >>> label = scene.text("label", (256, 256), "A", 20, "#000000")
    >>> [element.text for element in scene.finish().scene.elements]
    ['A']

    Args:
        background: ``#rrggbb``, lower case.
        width: In pixels.
        height: In pixels.
        kinds: The category's own types of elements, and what the presence of one weighs in the judge ``verified``; the
            presence of a bar weighs 1, which is also the weight of own types that are not named here.

    Attributes:
        drawing: The picture as drawn so far.
    """

    def __init__(
        self,
        background: str = "#ffffff",
        width: int = SIZE,
        height: int = SIZE,
        kinds: Mapping[str, float] | None = None,
    ) -> None:
        self._kinds = dict(kinds or {})
        self.drawing = Drawing(width, height, background)
        self._background: str | None = background
        self._elements: list[Element] = []
        self._bleeding: list[int] = []

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements added so far, back to front."""
        return tuple(self._elements)

    def add(
        self, type: str, box: Box, colour: str | None = None, text: str | None = None, *, bleeds: bool = False,  # noqa: A002 - the field's name
        **parameters: Any,
    ) -> Element:  # fmt: skip
        """Append the element that was drawn last to the scene.

        Args:
            type: Of the element, such as ``bar``.
            box: As the drawing call returned it.
            colour: Its main colour as drawn, ``#rrggbb``.
            text: The characters, if it is a text.
            bleeds: Whether it is meant to reach the picture's edge, as part of a background does.
            parameters: What defines it, as JSON values; in pixels unless the key says otherwise.
        """
        element = Element(type=type, text=text, colour=colour, box=box, parameters=parameters)
        if bleeds:
            self._bleeding.append(len(self._elements))
        self._elements.append(element)
        return element

    def line(
        self, type: str, points: Sequence[Point], colour: str, width: float = 2.0, dash: Sequence[float] = (),  # noqa: A002
        *, closed: bool = False, **parameters: Any,
    ) -> Element:  # fmt: skip
        """Draw a line as ``Drawing.line`` does and add it to the scene with its ``points``, ``width`` and ``dash``."""
        box = self.drawing.line(points, colour, width, dash, closed)
        return self.add(type, box, colour, points=rounded(points), width=width, dash=list(dash), **parameters)

    def text(
        self, type: str, at: Point, text: str, size: float, colour: str, anchor: Anchor = "mm", rotation: float = 0.0,  # noqa: A002
        **parameters: Any,
    ) -> Element:  # fmt: skip
        """Write a text as ``Drawing.text`` does and add it to the scene with its ``size`` of font."""
        box = self.drawing.text(at, text, size, colour, anchor, rotation)
        if rotation:
            parameters["rotation"] = rotation
        return self.add(type, box, colour, text, size=size, **parameters)

    def finish(self) -> Drawn:
        """Return the finished target.

        Raises:
            AssertionError: An element is not wholly inside the picture's margin: a mistake in the builder.
        """
        width, height = self.drawing.width, self.drawing.height
        for index, element in enumerate(self._elements):
            box = element.box
            inside = min(box.left, box.top, width - box.right, height - box.bottom) >= MARGIN
            if not inside and index not in self._bleeding:
                raise AssertionError(f"{element.type} {element.text or ''} at {tuple(box)} leaves the margin")
        scene = Scene(
            width=width,
            height=height,
            background=self._background,
            elements=tuple(self._elements),
            kinds=self._kinds,
        )
        return Drawn(self.drawing, scene)


def rounded(points: Sequence[Point]) -> list[list[float]]:
    """Return points as a scene holds them: ``[x, y]`` to the hundredth of a pixel."""
    return [[round(x, 2), round(y, 2)] for x, y in points]
