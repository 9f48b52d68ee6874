"""What reference describers are told beside what every describer sees; no other player may import this."""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.players.base import DescriberView


@dataclass(frozen=True)
class Knowledge:
    """What reference describers alone are told, see ``Traits.reference``: all that is known of the target.

    Attributes:
        instance: Category, difficulty and, if the target was drawn, its scene.
        others: Every other instance of the set.
        picture_of: Returns the picture of an instance of the set.
        seed: Of the episode, the same at every turn.
    """

    instance: Instance
    others: tuple[Instance, ...]
    picture_of: Callable[[Instance], Picture]
    seed: int


@dataclass(frozen=True)
class InformedView(DescriberView):
    """What a reference describer sees: as any describer, and what no describer may see.

    Attributes:
        knowledge: All that is known of the target.
    """

    knowledge: Knowledge
