"""Check that a category of targets keeps the contract of ``ircore.instances.targets.base``."""

import random
from typing import get_args

from ircore.core.conformance import ConformanceError, expect, outside_calls
from ircore.core.images import Picture
from ircore.core.plugins import load
from ircore.core.records import Difficulty
from ircore.instances.readable_scenes import NEEDED, missing_parameters
from ircore.instances.targets.base import Builder, Drawn

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
        targets = [_target(build, difficulty, seed, where) for seed in SEEDS]
        with outside_calls() as calls:
            again = build(difficulty, random.Random(SEEDS[0]))
        expect(not calls, f"{where}: {calls[0] if calls else ''}: draw from the given generator alone")
        same = _sha256(again) == _sha256(targets[0]) and again.scene == targets[0].scene
        expect(same, f"{where}: the same generator gives another target the second time")
        hashes = [_sha256(drawn) for drawn in targets]
        expect(len(set(hashes)) > 1, f"{where}: {len(SEEDS)} different seeds give the same picture")


def _target(build: Builder, difficulty: Difficulty, seed: int, where: str) -> Drawn:
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
        missing = missing_parameters(element)
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
    seen = load("judges", "verified")().with_scene(drawn.scene).rate(picture, picture)
    expect(
        seen.value == 10,
        f"{where}: the judge verified rates the target of seed {seed} itself with {seen.value}"
        f" ({seen.reason or 'not all is seen'}): draw what the scene says, in its colour and large enough to be told",
    )
    return drawn


def _sha256(drawn: Drawn) -> str:
    return Picture.from_pixels(drawn.drawing.pixels).sha256
