"""Knowledge for reference describers alone: the engine hands it to players of that trait and to nobody else."""

from dataclasses import fields
from typing import Any, cast

from ircore.core.records import Instance
from ircore.games.base import EpisodeSetup
from ircore.games.reconstruction.informed import InformedView, Knowledge
from ircore.instances.store import AnyInstanceSet, InstanceSet
from ircore.players.base import Asked, DescriberView


def informed(question: Asked, setup: EpisodeSetup[Any], instances: AnyInstanceSet) -> Asked:
    """Return a describer's question with full knowledge of the target; any other question unchanged.

    Args:
        question: The game's question.
        setup: Setup of the episode.
        instances: The set that is played.
    """
    if not isinstance(question, DescriberView) or not isinstance(instances, InstanceSet):
        return question
    instance = setup.instance
    others = tuple(other for other in instances.instances if other.instance_id != instance.instance_id)
    knowledge = Knowledge(cast(Instance, instance), others, instances.target, setup.seed)
    shown = {field.name: getattr(question, field.name) for field in fields(question)}
    return InformedView(**shown, knowledge=knowledge)
