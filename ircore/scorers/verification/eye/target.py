"""A target prepared for the eye: readings of the target itself, computed once for all its renderings."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import ndimage

from ircore.core.images import Picture
from ircore.core.records import Element, Scene
from ircore.instances.readable_scenes import readable_scene
from ircore.scorers.verification.eye.regions import covered, hidden_by, outline_mask, shape_mask
from ircore.scorers.verification.eye.texts import Block, blocks_of
from ircore.scorers.verification.eye.view import Mask, View, distinct
from ircore.scorers.verification.scene_facts import Fact, Mark, facts_of, marks_of

REMEMBERED = 16
"""Targets whose side is kept."""
SLACK = 7
"""Pixels about everything expected within which nothing counts as extra."""


@dataclass(frozen=True, eq=False)
class Target:
    """A target with its scene, its facts, and the eye's own view of the target.

    Example:
        >>> from ircore.instances.targets.categories import draw
        >>> drawn = draw("pie_graph", "easy", seed=1)
        >>> target = Target(Picture.from_pixels(drawn.drawing.pixels), drawn.scene)
        >>> {fact.mark for fact in target.facts} >= {mark.key for mark in target.marks if mark.kind == "wedge"}
        True
    """

    picture: Picture
    scene: Scene

    @cached_property
    def facts(self) -> list[Fact]:
        """All facts."""
        return facts_of(self.scene)

    @cached_property
    def marks(self) -> list[Mark]:
        """All marks."""
        return marks_of(self.scene)

    @cached_property
    def view(self) -> View:
        """The target as the eye sees it."""
        return View(self.picture.pixels, self.scene)

    @cached_property
    def texts(self) -> list[Element]:
        """The elements that are texts."""
        return [element for element in self.scene.elements if element.text is not None]

    @cached_property
    def blocks(self) -> list[Block | None]:
        """The writing of each text, in the target."""
        return blocks_of(self.view, self.texts)

    @cached_property
    def colours(self) -> list[str]:
        """The scene's colours that differ."""
        return distinct([*(element.colour for element in self.scene.elements), self.scene.background])

    def hidden(self, index: int) -> Mask:
        """Return which pixels of an element something else covers."""
        return self.view.noted(f"hidden {index}", lambda: hidden_by(self.scene, index))

    def others(self, index: int) -> Mask:
        """Return where anything else than an element is drawn, above it or below it, or close by."""
        return self.view.noted(f"others {index}", lambda: ndimage.binary_dilation(self._drawn(index), iterations=3))

    def outline(self, index: int) -> Mask:
        """Return which pixels a filled element covers."""
        element, size = self.scene.elements[index], (self.scene.height, self.scene.width)
        return self.view.noted(f"outline {index}", lambda: outline_mask(element, *size))

    def shape(self, index: int) -> Mask:
        """Return which pixels lie within a shape's rim, any hole included."""
        element, size = self.scene.elements[index], (self.scene.height, self.scene.width)
        return self.view.noted(f"shape {index}", lambda: shape_mask(element, *size))

    @cached_property
    def explained(self) -> Mask:
        """Where anything is expected, with some slack."""
        return np.asarray(ndimage.binary_dilation(self.drawn, iterations=SLACK))

    @cached_property
    def beside(self) -> Mask:
        """The ground close beside drawn elements, which is uneven in a heavily compressed rendering."""
        return self.explained & ~np.asarray(ndimage.binary_dilation(self.drawn, iterations=3))

    @cached_property
    def drawn(self) -> Mask:
        """Where anything is drawn."""
        return self._drawn()

    def _drawn(self, without: int | None = None) -> Mask:
        mask = np.zeros((self.scene.height, self.scene.width), bool)
        for index, element in enumerate(self.scene.elements):
            if index != without and element.type not in {"background", "panel"}:
                mask |= covered(self.scene, element)
        return mask


_targets: "OrderedDict[str, Target]" = OrderedDict()


def target_of(picture: Picture, scene: Scene) -> Target:
    """Return a target prepared for the eye; the last few prepared targets are kept."""
    scene = readable_scene(scene)
    target = _targets.get(picture.sha256)
    if target is None or target.scene != scene:
        target = Target(picture, scene)
        _targets[picture.sha256] = target
        while len(_targets) > REMEMBERED:
            _targets.popitem(last=False)
    return target
