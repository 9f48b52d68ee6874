"""Instances of the reconstruction game made by hand."""

from collections.abc import Mapping
from typing import Any

from ircore.core.records import Instance, PictureFile, Scene


def target_instance(
    *,
    image: str,
    sha256: str,
    width: int,
    height: int,
    scene: Scene | None = None,
    measures: Mapping[str, float] | None = None,
    **fields: Any,
) -> Instance:
    """Return the instance of a target picture."""
    file = PictureFile(image=image, sha256=sha256, width=width, height=height)
    payload = {} if scene is None else {"scene": scene.model_dump(mode="json")}
    payload |= {} if measures is None else {"measures": dict(measures)}
    return Instance(game="reconstruction", pictures={"target": file}, payload=payload, **fields)


def with_target(instance: Instance, **changes: Any) -> Instance:
    """Return an instance whose target's file, hash or size is another one."""
    changed = instance.pictures["target"].model_copy(update=changes)
    return instance.model_copy(update={"pictures": {"target": changed}})


def with_scene(instance: Instance, scene: Scene | None) -> Instance:
    """Return an instance with another scene."""
    return instance.model_copy(update={"payload": {} if scene is None else {"scene": scene.model_dump(mode="json")}})
