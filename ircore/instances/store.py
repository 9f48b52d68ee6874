"""An instance set on disk: ``instances.jsonl`` with a record in each line, and the pictures that the records name.

The set's identity is the SHA-256 of ``instances.jsonl``, which holds the SHA-256 of every picture: two sets with the
same identity are the same to the byte, and results are only ever compared on the same set.
"""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from ircore.core.errors import InputError
from ircore.core.files import link_or_write, new_folder, write_bytes
from ircore.core.game_records import GameInstance, PictureFile
from ircore.core.images import ImageError, Picture, read_image_bytes
from ircore.core.plugins import unknown
from ircore.core.records import CATEGORIES, DIFFICULTIES, RECONSTRUCTION, AnyInstance, Instance
from ircore.instances.records import Instances, read_index
from ircore.instances.withheld_pictures import may_be_published, ways_to_get

INDEX = "instances.jsonl"

InstanceT = TypeVar("InstanceT", Instance, GameInstance)


@dataclass(frozen=True)
class _InstancesOf(ABC, Generic[InstanceT]):
    """A set of instances of one game, read from a folder.

    Attributes:
        folder: Folder of the set.
        identity: SHA-256 of ``instances.jsonl``.
        instances: In the order of the file.
    """

    folder: Path
    identity: str
    instances: Instances[InstanceT]

    @property
    @abstractmethod
    def game(self) -> str:
        """Name of the game that the set is for."""

    @abstractmethod
    def picture_files(self, instance: InstanceT) -> Mapping[str, Instance | PictureFile]:
        """Return the records of an instance's pictures (file, hash, size) by name; nothing is read."""

    def files(self, instance: InstanceT) -> dict[str, bytes]:
        """Return the bytes of an instance's pictures by their files' names, their hashes checked.

        Raises:
            InputError: A file is missing or is not the one that the set was made with.
        """
        return {file.image: _checked_bytes(self.folder, file) for file in self.picture_files(instance).values()}

    def pictures(self, instance: InstanceT) -> dict[str, Picture]:
        """Return an instance's pictures by name, their hashes checked.

        Raises:
            InputError: A picture is missing, or is not the one that the set was made with.
        """
        if not may_be_published(instance.licence) and not self._is_complete(instance, self.folder):
            (way,) = ways_to_get([instance])
            raise InputError(f"{self.folder}: {instance.instance_id}: its pictures are in no release", way)
        return {
            name: Picture.from_own_file(_checked_bytes(self.folder, file), file.width, file.height)
            for name, file in self.picture_files(instance).items()
        }

    @abstractmethod
    def payload(self, instance: InstanceT) -> dict[str, Any]:
        """Return the game's own fields of an instance."""

    def all_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of every picture of the set.

        A set that was brought back from a release lacks the pictures that must not be published; they are left out.
        """
        yield from self.files_of(self.instances)

    def files_of(self, instances: Iterable[AnyInstance], lacking: Path | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of every picture of some instances; see ``all_files``.

        Args:
            instances: Instances of this set.
            lacking: A folder; instances whose pictures it holds are left out.
        """
        for instance in cast(Iterable[InstanceT], instances):
            if lacking is not None and self._is_complete(instance, lacking):
                continue
            # A set from a release lacks these pictures on purpose; a set that was imported has all of them.
            if not may_be_published(instance.licence) and not self._is_complete(instance, self.folder):
                continue
            yield from self.files(instance).items()

    def hold(self, folder: Path, instances: Iterable[AnyInstance]) -> None:
        """Bring the missing pictures of instances into another folder, by hard link where possible.

        Args:
            folder: The other folder.
            instances: Instances of this set.

        Raises:
            InputError: A picture is missing, or is not the one that the set was made with.
            WorkError: The disk is full or the place cannot be written.
        """
        # A hard link takes no room on the disk beside the first copy.
        for name, data in self.files_of(instances, lacking=folder):
            link_or_write(self.folder / name, folder / name, data)

    def _is_complete(self, instance: InstanceT, folder: Path) -> bool:
        return all((folder / file.image).is_file() for file in self.picture_files(instance).values())

    def select(self, categories: Sequence[str] = (), difficulties: Sequence[str] = ()) -> Instances[InstanceT]:
        """Return the instances of the given categories and difficulties; an empty filter lets all through.

        Raises:
            InputError: The set has no instance of a category or difficulty that was asked for.
        """
        for kind, names, present in (
            ("category", categories, {entry.category for entry in self.instances.entries}),
            ("difficulty", difficulties, {entry.difficulty for entry in self.instances.entries}),
        ):
            for name in names:
                # A misspelt filter would otherwise select nothing without a word.
                if name not in present:
                    raise unknown(kind, name, sorted(present), str(self.folder / INDEX))
        return self.instances.where(
            lambda entry: (
                (not categories or entry.category in categories)
                and (not difficulties or entry.difficulty in difficulties)
            )
        )


@dataclass(frozen=True)
class InstanceSet(_InstancesOf[Instance]):
    """A set of targets of the reconstruction game.

    >>> targets = read_instances(Path("targets"))
    >>> [instance.instance_id for instance in targets.select(difficulties=["easy"])]
    ['simple_shapes-easy-01']
    >>> targets.target(targets.instances[0]).width
    512
    """

    @property
    def game(self) -> str:
        """See ``_InstancesOf``."""
        return RECONSTRUCTION

    def picture_bytes(self, instance: Instance) -> bytes:
        """Return the bytes of an instance's picture after checking their hash.

        Raises:
            InputError: The file is missing or is not the one that the set was made with.
        """
        return _checked_bytes(self.folder, instance)

    def target(self, instance: Instance) -> Picture:
        """Return an instance's picture after checking its hash."""
        return Picture.from_own_file(self.picture_bytes(instance), instance.width, instance.height)

    def picture_files(self, instance: Instance) -> Mapping[str, Instance | PictureFile]:
        """See ``_InstancesOf``."""
        return {"target": instance}

    def payload(self, instance: Instance) -> dict[str, Any]:
        """See ``_InstancesOf``."""
        return {"scene": instance.scene}


@dataclass(frozen=True)
class GameInstanceSet(_InstancesOf[GameInstance]):
    """A set of instances of another game than reconstruction.

    >>> apple = GameInstance(instance_id="apple", game="guess", category="fruit", difficulty="easy", source="by hand",
    ...                      licence="CC0-1.0", payload={"secret": "apple"})
    >>> instances = write_game_instances(Path("guesses"), [(apple, {})])
    >>> instances.game, instances.payload(instances.instances[0])
    ('guess', {'secret': 'apple'})
    """

    @property
    def game(self) -> str:
        """See ``_InstancesOf``."""
        return self.instances[0].game

    def picture_files(self, instance: GameInstance) -> Mapping[str, Instance | PictureFile]:
        """See ``_InstancesOf``."""
        return instance.pictures

    def payload(self, instance: GameInstance) -> dict[str, Any]:
        """See ``_InstancesOf``."""
        return dict(instance.payload)


AnyInstanceSet = InstanceSet | GameInstanceSet
"""A set of instances of any game."""


def read_instances(folder: Path) -> InstanceSet:
    """Read an instance set of the reconstruction game; pictures are read and checked when they are asked for.

    Raises:
        InputError: There is no index, a line of it is not a valid instance, or the set is for another game.
    """
    instances = read_any_instances(folder)
    if not isinstance(instances, InstanceSet):
        raise InputError(
            f"{folder / INDEX}: the instances are of the game {instances.game}, not of {RECONSTRUCTION}",
            f"Name an instance set of {RECONSTRUCTION}.",
        )
    return instances


def read_any_instances(folder: Path, identity: str | None = None) -> AnyInstanceSet:
    """Read an instance set of any game; records and pictures are read when they are asked for.

    Args:
        folder: The set.
        identity: SHA-256 of an index that was validated before, whose records need not be validated now.

    Raises:
        InputError: There is no index, or a line of it is not a valid instance, or of another game than the first.
    """
    path = folder / INDEX
    if not path.is_file():
        raise InputError(
            f"{folder}: holds no instance set (no {INDEX})", "Make a set with: ircore instances build --out DIR"
        )
    index = read_index(path, identity)
    if index.kind is Instance:
        return InstanceSet(folder, index.identity, cast(Instances[Instance], index.instances))
    instances = GameInstanceSet(folder, index.identity, cast(Instances[GameInstance], index.instances))
    # An index of a known identity was validated before, games included.
    games = set() if identity else {instance.game for instance in instances.instances}
    if len(games) > 1:
        raise InputError(
            f"{path}: the instances are of several games: {', '.join(sorted(games))}", "Make a set for each game."
        )
    return instances


def write_instances(folder: Path, made: Iterable[tuple[Instance, bytes]]) -> InstanceSet:
    """Write an instance set; the folder appears only when complete.

    Args:
        folder: Where to; it must not exist or be empty.
        made: Each instance with the bytes of its picture. Written in the game's order of categories whatever the
            order here, so that the same content is the same set.

    Raises:
        InputError: The folder holds something, or two pictures are alike.
    """
    ids_by_hash: dict[str, str] = {}

    def unlike() -> Iterator[tuple[Instance, dict[str, bytes]]]:
        for instance, data in made:
            # Two ids of one picture would count its result twice.
            twin = ids_by_hash.setdefault(instance.sha256, instance.instance_id)
            if twin != instance.instance_id:
                raise InputError(f"{instance.instance_id} and {twin} are the same picture", "Remove one of the two.")
            yield instance, {instance.image: data}

    _write(folder, unlike())
    return read_instances(folder)


def write_game_instances(folder: Path, made: Iterable[tuple[GameInstance, Mapping[str, Picture]]]) -> GameInstanceSet:
    """Write an instance set of a game other than reconstruction; the folder appears only when complete.

    Args:
        folder: Where to; it must not exist or be empty.
        made: Each instance, without its field ``pictures``, and its pictures by name. Written in the order of category,
            difficulty and id; pictures of the same name and content share a file.

    Raises:
        InputError: The folder holds something, or the instances are no sound set.
    """
    _write(folder, (_with_files(instance, pictures) for instance, pictures in made))
    read = read_any_instances(folder)
    if not isinstance(read, GameInstanceSet):
        raise InputError(f"{folder}: the instances name no game", "Write the name of the game into every instance.")
    for instance in read.instances:
        # Read back at once: a picture under another's name would otherwise be found only when it is played.
        read.files(instance)
    return read


def _with_files(instance: GameInstance, pictures: Mapping[str, Picture]) -> tuple[GameInstance, Mapping[str, bytes]]:
    files = {
        name: PictureFile(
            # With a part of the hash, so that one name may stand for another picture in each instance.
            image=f"images/{name}-{picture.sha256[:8]}.png",
            sha256=picture.sha256,
            width=picture.width,
            height=picture.height,
        )
        for name, picture in pictures.items()
    }
    data = {files[name].image: picture.data for name, picture in pictures.items()}
    return instance.model_copy(update={"pictures": files}), data


def _write(folder: Path, made: Iterable[tuple[AnyInstance, Mapping[str, bytes]]]) -> None:
    """Write instances, in the game's order, and their pictures by the names of their files."""
    with new_folder(folder) as temporary:
        instances = []
        for instance, pictures in made:
            for name, data in pictures.items():
                write_bytes(temporary / name, data)
            instances.append(instance)
        # Sorted, so that the order in which a builder works does not change the set's identity.
        write_bytes(temporary / INDEX, index_bytes(sorted(instances, key=_order)))


def index_bytes(instances: Iterable[AnyInstance]) -> bytes:
    """Return the content of ``instances.jsonl`` for these instances, in their order."""
    return b"".join(instance.model_dump_json().encode() + b"\n" for instance in instances)


def _order(instance: AnyInstance) -> tuple[int, str, int, str]:
    # Categories of a user's own come after the game's, in the order of their names.
    rank = CATEGORIES.index(instance.category) if instance.category in CATEGORIES else len(CATEGORIES)
    return rank, instance.category, DIFFICULTIES.index(instance.difficulty), instance.instance_id


def _checked_bytes(folder: Path, instance: Instance | PictureFile) -> bytes:
    path = folder / instance.image
    # An index may come from a stranger, and its names from anywhere: no link and no .. may lead out of the folder.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ImageError(f"{folder / INDEX}: image {instance.image!r} lies outside the set", "Build the set again.")
    data = read_image_bytes(path)
    # Results are compared on the same pictures only, so a picture that was changed by hand must not be played.
    if hashlib.sha256(data).hexdigest() != instance.sha256:
        raise ImageError(
            f"{path}: is not the picture that the set was made with", "Restore the file or build the set again."
        )
    return data


PULLED = "instances"
"""How the names of folders begin in which ``ircore release pull`` lays the sets of a release."""


def read_sets(folders: Sequence[Path]) -> dict[str, AnyInstanceSet]:
    """Return the instance set of each game by the game's name.

    Args:
        folders: Sets. A folder that ``ircore release pull`` made stands for its sets of the games that no other folder
            is a set of.

    Raises:
        InputError: A folder holds no set, or two sets are of one game.
    """
    pulled = [folder for folder in folders if _is_pulled(folder)]
    named: dict[str, AnyInstanceSet] = {}
    _add_sets(named, [folder for folder in folders if folder not in pulled])
    brought: dict[str, AnyInstanceSet] = {}
    _add_sets(brought, [path for folder in pulled for path in sorted(folder.glob(f"{PULLED}*")) if path.is_dir()])
    return {**brought, **named}


def _is_pulled(folder: Path) -> bool:
    return not (folder / INDEX).is_file() and (folder / PULLED / INDEX).is_file()


def _add_sets(sets: dict[str, AnyInstanceSet], folders: Sequence[Path]) -> None:
    for folder in folders:
        instances = read_any_instances(folder)
        twin = sets.setdefault(instances.game, instances)
        if twin.identity != instances.identity:
            problem = f"{twin.folder} and {folder}: two instance sets of {instances.game}"
            raise InputError(problem, "Give one set for each game.")
