"""Elements of kinds that this project does not draw, such as those of a category from a plug-in.

Of such an element the program knows what every element states: that it is there, its colour, its place, its text. The
same goes for an element of a known type that lacks what the type defines, see ``ircore.instances.readable_scenes``.
"""

from collections.abc import Iterator, Sequence

from ircore.core.records import Scene
from ircore.scorers.verification.scene_facts.axes import middle
from ircore.scorers.verification.scene_facts.records import Fact, Mark, colour_words, fact, place_words

PLACE = 0.05
"""Share of the picture's width by which an element's middle may be off its place."""

UNMARKED = {"patch", "arrow_head", "background"}
"""Types without a mark of their own: parts of other things, and areas of the ground."""


def other_marks(scene: Scene, marks: Sequence[Mark]) -> list[Mark]:
    """Return a mark for each element that has none and is neither a part of something else nor of the ground.

    Args:
        scene: What a target shows.
        marks: Of the kinds that this project knows, and of texts.
    """
    covered = {index for mark in marks for index in mark.elements}
    keys = {mark.key for mark in marks}
    others: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if index in covered or element.type in UNMARKED:
            continue
        number = 1
        while (key := f"{element.type}-{number}") in keys:
            number += 1
        keys.add(key)
        words = element.type.replace("_", " ")
        others.append(Mark(key, element.type, "other", f"the {words} {place_words(scene, element)}", (index,)))
    return others


def other_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, colour and place of an element of which no more is known."""
    element = scene.elements[mark.elements[0]]
    weight = scene.kinds.get(element.type, 1.0)
    yield fact(mark, "presence", True, weight, f"{mark.name} is there.")
    if element.colour is not None:
        yield fact(mark, "colour", element.colour, weight / 2, f"{mark.name} is {colour_words(element.colour)}.")
    at = [middle(element.box, axis) for axis in "xy"]
    yield fact(mark, "place", at, weight / 2, f"{mark.name} has its middle there.", PLACE * scene.width)
