"""Knowledge of the target for reference describers alone; no other player may import this module."""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.players.base import DescriberView


@dataclass(frozen=True)
class Knowledge:
    """Full knowledge of a target, for reference describers alone (see ``Traits.reference``).

    >>> from pathlib import Path
    >>> from ircore.instances.store import read_instances
    >>> targets = read_instances(Path("targets"))
    >>> known = Knowledge(
    ...     targets.instances[0], targets.instances[1:], lambda other: targets.picture(other, "target"), seed=7
    ... )
    >>> known.instance.scene.background, known.picture_of(known.instance).width
    ('#ffffff', 512)

    Attributes:
        instance: Category, difficulty and, if the target was drawn, its scene.
        others: Every other instance of the set.
        picture_of: Returns the picture of an instance of the set.
        seed: Seed of the episode, the same at every turn.
    """

    instance: Instance
    others: tuple[Instance, ...]
    picture_of: Callable[[Instance], Picture]
    seed: int


@dataclass(frozen=True)
class InformedView(DescriberView):
    """The view of a reference describer: the view of any describer, with full knowledge of the target.

    >>> issubclass(InformedView, DescriberView)
    True

    Attributes:
        knowledge: All that is known of the target.
    """

    knowledge: Knowledge
