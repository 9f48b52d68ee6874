"""Instances made by hand, most of them of the reconstruction game."""

from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.core.records import Instance, PictureFile, Scene


def target_instance(
    instance_id: str,
    picture: Picture | None = None,
    scene: Scene | None = None,
    measures: Mapping[str, float] | None = None,
    **fields: Any,
) -> Instance:
    """Return the instance of a target picture; without one it is said to be of 64 × 64 pixels."""
    about = {"sha256": "0" * 64, "width": 64, "height": 64}
    if picture is not None:
        about = {"sha256": picture.sha256, "width": picture.width, "height": picture.height}
    file = PictureFile.model_validate({"image": f"images/{instance_id}.png", **about})
    payload = {} if scene is None else {"scene": scene.model_dump(mode="json")}
    payload |= {} if measures is None else {"measures": dict(measures)}
    usual = {"difficulty": "easy", "source": "drawn for a test", "licence": "CC0-1.0"} | fields
    pictures = {"target": file}
    return Instance(instance_id=instance_id, game="reconstruction", pictures=pictures, payload=payload, **usual)


def instance_by_hand(game: str, category: str, payload: Any = None) -> Instance:
    """Return an instance of another game that has no picture."""
    about = {"instance_id": "one", "category": category, "difficulty": "easy", "game": game, "payload": payload or {}}
    return Instance.model_validate({**about, "source": "by hand", "licence": "CC0-1.0"})


def with_target(instance: Instance, **changes: Any) -> Instance:
    """Return an instance whose target's file, hash or size is another one."""
    changed = instance.pictures["target"].model_copy(update=changes)
    return instance.model_copy(update={"pictures": {"target": changed}})


def with_scene(instance: Instance, scene: Scene | None) -> Instance:
    """Return an instance with another scene."""
    return instance.model_copy(update={"payload": {} if scene is None else {"scene": scene.model_dump(mode="json")}})
