"""Shared by all builders of targets: the size of a picture, and drawing that records its scene.

Check that a category of targets keeps the contract of ``ircore.instances.targets.base``.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ircore.core.conformance import ConformanceError, expect, watch_outside_calls
from ircore.core.drawing import Anchor, Drawing, Point
from ircore.core.images import Picture
from ircore.core.plugins import load_plugin
from ircore.core.records import Box, Difficulty, Element, Scene
from ircore.instances.scene_percepts import NEEDED, find_missing_parameters

SIZE = 512
"""Width and height of every procedural target, in pixels."""

MARGIN = 6
"""Pixels along each edge that no element may touch, so that nothing looks cut off."""


@dataclass(frozen=True)
class Drawn:
    """A finished target.

    >>> from ircore.instances.targets.categories import draw_target
    >>> drawn = draw_target("geometry", "easy", seed=7)
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
        return self.add(type, box, colour, points=round_points(points), width=width, dash=list(dash), **parameters)

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


def round_points(points: Sequence[Point]) -> list[list[float]]:
    """Return points as a scene holds them: ``[x, y]`` to the hundredth of a pixel."""
    return [[round(x, 2), round(y, 2)] for x, y in points]


SEEDS = range(3)
"""Seeds of the generators that a category is tried with."""


def check_category(build: Builder, name: str = "") -> None:
    """Check a category: draws easy and hard targets from the generator alone, with a scene that fits the picture.

    The judge ``verified`` looks at each target, so that whatever scores, pages and releases read of a scene is read.

    Args:
        build: The function that the entry point names.
        name: Name of the category, for messages; the name of the function's module if empty.

    Raises:
        ConformanceError: The first fault.
    """
    for difficulty in get_args(Difficulty):
        where = f"category {name or build.__module__}, {difficulty}"
        targets = [_check_target(build, difficulty, seed, where) for seed in SEEDS]
        with watch_outside_calls() as calls:
            again = build(difficulty, random.Random(SEEDS[0]))
        expect(not calls, f"{where}: {calls[0] if calls else ''}: draw from the given generator alone")
        same = _hash_drawing(again) == _hash_drawing(targets[0]) and again.scene == targets[0].scene
        expect(same, f"{where}: the same generator gives another target the second time")
        hashes = [_hash_drawing(drawn) for drawn in targets]
        expect(len(set(hashes)) > 1, f"{where}: {len(SEEDS)} different seeds give the same picture")


def _check_target(build: Builder, difficulty: Difficulty, seed: int, where: str) -> Drawn:
    drawn = build(difficulty, random.Random(seed))
    if not isinstance(drawn, Drawn):
        raise ConformanceError(f"{where}: returns a {type(drawn).__name__}, not a Drawn: end with SceneDrawing.finish")
    width, height = drawn.drawing.width, drawn.drawing.height
    expect((drawn.scene.width, drawn.scene.height) == (width, height), f"{where}: scene and picture differ in size")
    expect(bool(drawn.scene.elements), f"{where}: the scene of seed {seed} is empty")
    for element in drawn.scene.elements:
        left, top, right, bottom = element.box
        inside = 0 <= left <= right <= width and 0 <= top <= bottom <= height
        expect(inside, f"{where}: {element.type} at {tuple(element.box)} leaves the picture")
        missing = find_missing_parameters(element)
        expect(
            not missing,
            f"{where}: {element.type} at {tuple(element.box)} states no {', '.join(missing)} in the form that"
            f" elements of this type have: state it, or give the type a name of your own",
        )
        expect(
            element.text is None or element.type not in NEEDED,
            f"{where}: {element.type} has the text {element.text!r}: give texts a type of their own, such as label",
        )
    common = sorted(set(drawn.scene.kinds) & set(NEEDED))
    expect(not common, f"{where}: kinds gives {', '.join(common)} a weight, which is no kind of the category's own")
    picture = Picture.from_pixels(drawn.drawing.pixels)
    seen = load_plugin("judges", "verified")().with_scene(drawn.scene).rate(picture, picture)
    expect(
        seen.value == 10,
        f"{where}: the judge verified rates the target of seed {seed} itself with {seen.value}"
        f" ({seen.reason or 'not all is seen'}): draw what the scene says, in its colour and large enough to be told",
    )
    return drawn


def _hash_drawing(drawn: Drawn) -> str:
    return Picture.from_pixels(drawn.drawing.pixels).sha256
