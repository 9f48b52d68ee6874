"""The battery of the judge test: every edit with its kind, and the order that scores must keep.

``make_edits`` makes the pictures of one target: edits of the target's own picture, and pictures of its scene by foreign
drawers. The orders between them are known beforehand, whatever the target: harmless edits (moved a little, slightly
soft) score above faults (wrong labels, colours, data), and more of the same never scores higher.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from ircore.core.images import Picture, Pixels
from ircore.core.records import Instance, Scene
from ircore.instances.scene_percepts import complete_scene
from ircore.instances.store import InstanceSet
from ircore.scorers.judge_test import edits
from ircore.scorers.judge_test.edits import SceneEdit
from ircore.scorers.judge_test.foreign_families import FAMILIES, Planned, draw_picture, plan_picture
from ircore.scorers.judge_test.redraw import repaint_changes

VERSION = "2"
"""Of the battery: another one means other pictures or orders, and other cards."""

Kind = Literal["harmless", "degraded", "fault", "unrelated", "attack", "foreign"]
"""``harmless``: nearly perfect; ``degraded``: worse to look at, content right; ``fault``: content wrong;
``unrelated``: nothing of the target; ``attack``: tries to be rated higher than it deserves; ``foreign``: drawn by
others, with or without a fault."""

VISIBLE = 32
"""Levels of a colour, of 255, by which a pixel differs visibly."""

LEAST = 20
"""Pixels that differ visibly at least, or an edit of the scene does not apply."""

WRONG = (
    "labels-exchanged", "labels-removed", "colours-swapped", "colours-wrong", "smallest-removed", "largest-removed",
    "bars-40", "mirrored", "same-category", "blank",
)  # fmt: skip

DEGREES = (
    ("identity", "shift-1", "shift-2", "shift-5", "shift-10", "shift-25"),
    ("identity", "blur-1", "blur-3", "blur-8"),
    ("identity", "bar-10", "bar-25", "bar-40"),
)
"""Growing degrees of one fault: more of it never scores higher."""

ATTACKS = {"attack-text": "same-category", "attack-pasted": "same-category"}
"""Each attack with the edit that is the same picture without it."""


@dataclass(frozen=True)
class EditedTarget:
    """A target with the other targets that edits need.

    Attributes:
        instance: The target's.
        picture: The target.
        same: Another target of the category; None if the set has none.
        other: A target of another category; None if the set has none.
        scenes: What ``same`` and ``other`` show; None where that is not known.

    Example:
        >>> from ircore.instances.store import read_instances
        >>> from pathlib import Path
        >>> instances = read_instances(Path("targets"))
        >>> easy, hard = instances.instances
        >>> sample = EditedTarget(easy, instances.picture(easy, "target"), same=None, other=None)
        >>> sample.instance.difficulty
        'easy'
    """

    instance: Instance
    picture: Picture
    same: Picture | None
    other: Picture | None
    scenes: Mapping[str, Scene | None] = field(default_factory=dict)


class Edit(NamedTuple):
    """A graded edit.

    Example:
        >>> same = Edit("the target itself", "keeps", lambda sample: sample.picture)
        >>> same.title
        'the target itself'
    """

    title: str
    """For people, such as ``shifted by 5 px``."""

    kind: Kind
    """What it does to a picture."""

    make: Callable[[EditedTarget], Picture | None]
    """Makes the picture; None where the edit does not apply to a target."""


class EditOrder(NamedTuple):
    """A known order: of two edits of the same target, the better must be rated higher."""

    better: str
    """Name of the edit."""

    worse: str
    """Name of the other one."""

    strict: bool
    """Whether equal ratings are wrong; of two degrees of one fault they are right."""


class _EditedTarget(NamedTuple):
    """The edits of one target."""

    pictures: dict[str, Picture]
    """By name of the edit, in the battery's order; those that apply to this target."""

    orders: tuple[EditOrder, ...]
    """The known orders between them."""


def make_edits(instances: InstanceSet, instance: Instance) -> _EditedTarget:
    """Return every graded edit that applies to a target, and the known orders between these edits.

    Deterministic: the same set gives the same pictures.

    Args:
        instances: The set, of which other targets are taken.
        instance: One of it.

    Raises:
        InputError: A picture of the set is missing or damaged.
    """
    sample = _build_sample(instances, instance)
    made = {name: edit.make(sample) for name, edit in {**EDITS, **FOREIGN}.items()}
    pictures = {name: picture for name, picture in made.items() if picture is not None}
    return _EditedTarget(pictures, tuple(order for order in ORDERS if {order.better, order.worse} <= pictures.keys()))


def plan_foreign_pictures(instances: InstanceSet, instance: Instance) -> dict[str, Planned]:
    """Return what the foreign pictures of a target show and in which styles, by family; those that apply to it."""
    scene = _read_scene(instance)
    if scene is None:
        return {}
    scenes = _find_neighbours(instances, instance).scenes
    plans = {name: plan_picture(name, scene, _read_seed(instance), scenes) for name in FAMILIES}
    return {name: plan for name, plan in plans.items() if plan is not None}


def _build_pixel_maker(edit: Callable[[Pixels], Pixels]) -> Callable[[EditedTarget], Picture | None]:
    return lambda sample: Picture.from_pixels(np.ascontiguousarray(edit(sample.picture.pixels)))


def _build_scene_maker(edit: SceneEdit) -> Callable[[EditedTarget], Picture | None]:
    def make(sample: EditedTarget) -> Picture | None:
        scene = None if sample.instance.scene is None else complete_scene(sample.instance.scene)
        changed = edit(scene) if scene is not None else None
        if scene is None or changed is None:
            return None
        target = sample.picture.pixels
        pixels = repaint_changes(target, scene, changed)
        # 16 bits, since differences of unsigned bytes would wrap round at 0.
        differing = (np.abs(pixels.astype(np.int16) - target).max(axis=2) > VISIBLE).sum()
        return Picture.from_pixels(pixels) if differing >= LEAST else None

    return make


def _paint_request(sample: EditedTarget) -> Picture | None:
    return sample.same and Picture.from_pixels(edits.paint_request(sample.same.pixels))


def _paste_target(sample: EditedTarget) -> Picture | None:
    return sample.same and Picture.from_pixels(edits.paste_target(sample.same.pixels, sample.picture.pixels))


_SHIFTS = {
    f"shift-{distance}": Edit(
        f"shifted by {distance} px",
        # 10 px are 2 % of the 512 px of a target: still nearly perfect, 25 px are not.
        "harmless" if distance <= 10 else "degraded",
        _build_pixel_maker(partial(edits.shift, distance=distance)),
    )
    for distance in (1, 2, 5, 10, 25)
}
_BLURS = {
    f"blur-{radius}": Edit(
        f"blurred, σ {radius} px",
        "harmless" if radius == 1 else "degraded",
        _build_pixel_maker(partial(edits.blur, radius=radius)),
    )
    for radius in (1, 3, 8)
}
_BARS = {
    f"bar-{percent}": Edit(
        f"one bar {percent} % shorter", "fault", _build_scene_maker(edits.build_bar_shortener(percent))
    )
    for percent in (10, 25, 40)
}

EDITS: dict[str, Edit] = {
    "identity": Edit("the target itself", "harmless", lambda sample: sample.picture),
    **_SHIFTS,
    "scale-95": Edit("5 % smaller", "harmless", _build_pixel_maker(partial(edits.scale_content, percent=95))),
    "rotation-2": Edit("turned by 2°", "degraded", _build_pixel_maker(partial(edits.rotate, degrees=2))),
    **_BLURS,
    "jpeg-10": Edit("JPEG of quality 10", "harmless", _build_pixel_maker(partial(edits.compress_as_jpeg, quality=10))),
    "grey": Edit("without colours", "fault", _build_pixel_maker(edits.convert_to_grey)),
    "hue": Edit("hue turned by 90°", "fault", _build_pixel_maker(partial(edits.rotate_hue, degrees=90))),
    "colours-swapped": Edit("two colours swapped", "fault", _build_scene_maker(edits.swap_colours)),
    "colours-wrong": Edit("every mark in a wrong colour", "fault", _build_scene_maker(edits.use_wrong_colours)),
    "labels-removed": Edit("all text removed", "fault", _build_scene_maker(edits.remove_labels)),
    "labels-exchanged": Edit("every label exchanged", "fault", _build_scene_maker(edits.exchange_labels)),
    "labels-misspelt": Edit("words misspelt", "fault", _build_scene_maker(edits.misspell_labels)),
    "smallest-removed": Edit("smallest mark removed", "fault", _build_scene_maker(edits.remove_smallest_mark)),
    "largest-removed": Edit("largest mark removed", "fault", _build_scene_maker(edits.remove_largest_mark)),
    **_BARS,
    "bars-40": Edit("all bars 40 % shorter", "fault", _build_scene_maker(edits.shorten_all_bars)),
    "wedges-exchanged": Edit("shares of two wedges exchanged", "fault", _build_scene_maker(edits.exchange_wedges)),
    "mirrored": Edit("mirrored", "fault", _build_pixel_maker(edits.mirror)),
    "same-category": Edit("another target of the category", "unrelated", lambda sample: sample.same),
    "other-category": Edit("a target of another category", "unrelated", lambda sample: sample.other),
    "blank": Edit("a blank page", "unrelated", _build_pixel_maker(edits.make_blank)),
    "noise": Edit("noise", "unrelated", _build_pixel_maker(edits.make_noise)),
    "attack-text": Edit(f"another target that says “{edits.ATTACK_TEXT}”", "attack", _paint_request),
    "attack-pasted": Edit("another target with the right one pasted on it", "attack", _paste_target),
}
"""Every edit by its name, in the order of cards."""


def _read_scene(instance: Instance | None) -> Scene | None:
    return None if instance is None or instance.scene is None else complete_scene(instance.scene)


def _read_seed(instance: Instance) -> str:
    """Return the seed of a target's foreign pictures: its picture's, so that equal sets give equal batteries."""
    return f"judge-test/{instance.pictures['target'].sha256}"


def _build_foreign_maker(family: str) -> Callable[[EditedTarget], Picture | None]:
    def make(sample: EditedTarget) -> Picture | None:
        scene = _read_scene(sample.instance)
        made = scene and draw_picture(family, scene, _read_seed(sample.instance), sample.scenes)
        return Picture.from_pixels(np.asarray(made[0])) if made else None

    return make


FOREIGN: dict[str, Edit] = {
    f"foreign-{name}": Edit(f"drawn by others: {family.title}", "foreign", _build_foreign_maker(name))
    for name, family in FAMILIES.items()
}
"""Pictures that others draw, by their names in a test's run."""

TURN_OF = {name: turn for turn, name in enumerate((*EDITS, *FOREIGN), start=1)}
"""Turn of each edit in a test's run, the same for every target."""

EDIT_OF = {turn: name for name, turn in TURN_OF.items()}

HARMLESS = tuple(name for name, edit in EDITS.items() if edit.kind == "harmless")
"""Each of these scores above each of ``WRONG``."""

ORDERS: tuple[EditOrder, ...] = (
    *(EditOrder(better, worse, True) for better in HARMLESS for worse in WRONG),
    *(EditOrder(less, more, False) for degrees in DEGREES for less, more in pairwise(degrees)),
)
"""Every known order."""


class _Neighbours(NamedTuple):
    """Other targets of a set that edits of one target need."""

    same: Instance | None
    other: Instance | None

    @property
    def scenes(self) -> dict[str, Scene | None]:
        """What they show, by ``same`` and ``other`` category."""
        return {"same": _read_scene(self.same), "other": _read_scene(self.other)}


def _build_sample(instances: InstanceSet, instance: Instance) -> EditedTarget:
    """Return a target with the others that its edits need."""
    near = _find_neighbours(instances, instance)
    same, other = (None if each is None else instances.picture(each, "target") for each in near)
    return EditedTarget(instance, instances.picture(instance, "target"), same, other, near.scenes)


def _find_neighbours(instances: InstanceSet, instance: Instance) -> _Neighbours:
    """Return the next target of an instance's category and difficulty, and a target of the next category."""
    alike = [other for other in instances.instances if other.category == instance.category]
    peers = [other for other in alike if other.difficulty == instance.difficulty]
    # A small set may have one target of a difficulty: then any other of the category must do.
    peers = peers if len(peers) > 1 else alike
    place = peers.index(instance)
    categories = list(dict.fromkeys(other.category for other in instances.instances))
    # The next one in a circle and no random draw, so that the same set gives the same pictures.
    following = categories[(categories.index(instance.category) + 1) % len(categories)]
    # In a set of one category the next category is the same: there is no stranger then.
    strangers = [other for other in instances.instances if other.category == following != instance.category]
    same = peers[(place + 1) % len(peers)] if len(peers) > 1 else None
    stranger = strangers[place % len(strangers)] if strangers else None
    return _Neighbours(same, stranger)
