"""An instance set on disk: ``instances.jsonl``, one record a line, and the pictures it names.

The set's identity is the SHA-256 of ``instances.jsonl``, which holds the SHA-256 of every picture: two sets with the
same identity are the same to the byte, and results are only ever compared on the same set.
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_bytes
from ircore.core.images import ImageError, Picture, read_image_bytes
from ircore.core.records import CATEGORIES, DIFFICULTIES, Instance
from ircore.core.validation import describe_validation_error

INDEX = "instances.jsonl"
MAX_INDEX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class InstanceSet:
    """A set of instances read from a folder.

    Attributes:
        folder: Where it lies.
        identity: SHA-256 of ``instances.jsonl``.
        instances: In the order of the file.
    """

    folder: Path
    identity: str
    instances: tuple[Instance, ...]

    def picture_bytes(self, instance: Instance) -> bytes:
        """Return the bytes of an instance's picture after checking their hash.

        Raises:
            InputError: The file is missing or is not the one that the set was made with.
        """
        return _checked_bytes(self.folder, instance)

    def target(self, instance: Instance) -> Picture:
        """Return an instance's picture, its hash checked."""
        return Picture.from_own_file(self.picture_bytes(instance), instance.width, instance.height)

    def select(self, categories: Sequence[str] = (), difficulties: Sequence[str] = ()) -> tuple[Instance, ...]:
        """Return the instances of the given categories and difficulties; an empty filter lets all through.

        Raises:
            InputError: The set has no instance of a category or difficulty that was asked for.
        """
        for kind, asked, present in (
            ("category", categories, {one.category for one in self.instances}),
            ("difficulty", difficulties, {one.difficulty for one in self.instances}),
        ):
            for name in asked:
                if name not in present:
                    from ircore.core.plugins import unknown

                    raise unknown(kind, name, sorted(present), str(self.folder / INDEX))
        return tuple(
            one
            for one in self.instances
            if (not categories or one.category in categories) and (not difficulties or one.difficulty in difficulties)
        )


def read_instances(folder: Path) -> InstanceSet:
    """Read an instance set; pictures are read and checked when they are asked for.

    Raises:
        InputError: There is no index, or a line of it is not a valid instance.
    """
    index = folder / INDEX
    if not index.is_file():
        raise InputError(
            f"{folder}: no instance set here (no {INDEX})", "Make one with: ircore instances build --out DIR"
        )
    if index.stat().st_size > MAX_INDEX_BYTES:
        raise InputError(f"{index}: larger than {MAX_INDEX_BYTES // 2**20} MiB", "Split the set.")
    data = index.read_bytes()
    instances: dict[str, Instance] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            instance = Instance.model_validate_json(line)
        except ValidationError as error:
            raise InputError(f"{index}:{number}: {describe_validation_error(error)}", "Build the set again.") from error
        if instance.instance_id in instances:
            raise InputError(
                f"{index}:{number}: instance_id {instance.instance_id!r} is there twice", "Build the set again."
            )
        instances[instance.instance_id] = instance
    if not instances:
        raise InputError(f"{index}: holds no instance", "Build the set again.")
    return InstanceSet(folder, hashlib.sha256(data).hexdigest(), tuple(instances.values()))


def write_instances(folder: Path, made: Iterable[tuple[Instance, bytes]]) -> InstanceSet:
    """Write an instance set; the folder appears only when it is complete.

    Args:
        folder: Where to; it must not exist or be empty.
        made: Each instance with the bytes of its picture. Written in the game's order of categories whatever the
            order here, so that the same content is the same set.

    Raises:
        InputError: The folder holds something, or two pictures are alike.
    """
    with new_folder(folder) as temporary:
        seen: dict[str, str] = {}
        instances = []
        for instance, data in made:
            twin = seen.setdefault(instance.sha256, instance.instance_id)
            if twin != instance.instance_id:
                raise InputError(f"{instance.instance_id} and {twin} are the same picture", "Remove one of them.")
            write_bytes(temporary / instance.image, data)
            instances.append(instance)
        instances.sort(key=_order)
        write_bytes(temporary / INDEX, index_bytes(instances))
    return read_instances(folder)


def index_bytes(instances: Iterable[Instance]) -> bytes:
    """Return the content of ``instances.jsonl`` for these instances, in their order."""
    return b"".join(instance.model_dump_json().encode() + b"\n" for instance in instances)


def _order(instance: Instance) -> tuple[int, str, int, str]:
    rank = CATEGORIES.index(instance.category) if instance.category in CATEGORIES else len(CATEGORIES)
    return rank, instance.category, DIFFICULTIES.index(instance.difficulty), instance.instance_id


def _checked_bytes(folder: Path, instance: Instance) -> bytes:
    path = folder / instance.image
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ImageError(f"{folder / INDEX}: image {instance.image!r} lies outside the set", "Build the set again.")
    data = read_image_bytes(path)
    if hashlib.sha256(data).hexdigest() != instance.sha256:
        raise ImageError(
            f"{path}: not the picture that the set was made with", "Restore the file or build the set again."
        )
    return data
