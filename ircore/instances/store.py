"""An instance set on disk: ``instances.jsonl`` with a record in each line, and the pictures that the records name.

The set's identity is the SHA-256 of ``instances.jsonl``, which holds the SHA-256 of every picture: two sets with the
same identity are the same to the pixel, and results are only ever compared on the same set.

Some licences let pictures be played with and never published. Releases hold ids and SHA-256 of these pictures, sites
show a place holder, packs hold neither: each of them asks here.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from ircore.core.errors import InputError
from ircore.core.files import link_or_write, write_bytes, write_new_folder
from ircore.core.images import ImageError, Picture, read_image_bytes
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DIFFICULTIES, Instance, PictureFile
from ircore.instances.records import Instances, read_index

COCO = "LicenseRef-COCO-photographs"
CONVGENVISMO = "LicenseRef-ConvGenVisMo-found-pictures"
GIR_BENCH = "LicenseRef-GIR-Bench"
KILOGRAM = "LicenseRef-KiloGram-tangrams"
VISUAL_GENOME = "LicenseRef-Visual-Genome-photographs"

UNSTATED = "LicenseRef-unstated"
"""Licence recorded where none is known."""

WITHHELD = "LicenseRef-withheld"
"""Beginning of the licences by which other packages keep pictures unpublished, as in ``LicenseRef-withheld-atlas``."""

HOW_TO_GET: Mapping[str, str] = MappingProxyType(
    {
        COCO: "Photographs of COCO val2014, each with a licence of its own. They come with the recorded games of the "
        "repository lil-lab/ICCA on GitHub: ircore instances import icca PATH --out DIR",
        GIR_BENCH: "Pictures of GIR-Bench, under licences that its files do not state. They come with the data set "
        "lihxxx/GIR-Bench on the Hub: ircore instances import gir-bench PATH --out DIR",
        CONVGENVISMO: "Pictures of Flickr and Pinterest that others made. They come with the repository "
        "nabihach/ConvGenVisMo on GitHub: ircore instances import convgenvismo PATH --out DIR",
        KILOGRAM: "Tangrams of a book, for education and research only. They come with the repository lil-lab/kilogram "
        "on GitHub: ircore instances import kilogram PATH --out DIR",
        VISUAL_GENOME: "Photographs of Flickr, each with a licence of its own; the annotations are under "
        "CC-BY-4.0. They come with Visual Genome: ircore instances import visual-genome PATH --out DIR",
    }
)
"""For each licence: the reason why pictures under it are not published, and where readers get them."""

INDEX = "instances.jsonl"

PULLED = "instances"
"""How the names of folders begin in which ``ircore release pull`` lays the sets of a release."""


def may_be_published(licence: str) -> bool:
    """Return whether pictures of a licence may stand in a release, on a site or in a pack.

    >>> may_be_published("CC0-1.0"), may_be_published("LicenseRef-COCO-photographs")
    (True, False)
    >>> may_be_published("LicenseRef-withheld-atlas")
    False
    """
    return licence not in HOW_TO_GET and not licence.startswith(WITHHELD)


def select_published_pictures(instance: Instance) -> Mapping[str, PictureFile]:
    """Return the pictures of an instance that may be published, by name: all of them or none."""
    # The licence is one for the whole instance, so there are all pictures or none.
    return instance.pictures if may_be_published(instance.licence) else {}


def describe_ways_to_get(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return how readers get the pictures of these instances that are not published, each way once."""
    # A dict keeps the order of first occurrence, which a set would not.
    licences = dict.fromkeys(instance.licence for instance in instances)
    return tuple(
        HOW_TO_GET.get(licence, f"Pictures that must not be published ({licence}). Ask who made the set.")
        for licence in licences
        if not may_be_published(licence)
    )


def refuse_withheld(instances: Iterable[Instance], purpose: str) -> None:
    """Refuse instances whose pictures are not to be published, where a page or table cannot do without them.

    Args:
        instances: Of one set.
        purpose: What would publish them, such as ``release``.

    Raises:
        InputError: There is one; the line names it and its licence.
    """
    for instance in instances:
        if not may_be_published(instance.licence):
            raise InputError(
                f"instance {instance.instance_id}: its picture ({instance.licence}) must not be published, and the "
                f"{purpose} would hold it",
                f"Leave its runs out of the {purpose}; ircore results and ircore show work with them.",
            )


def refuse_other_licence(stated: str | None, licence: str) -> None:
    """Refuse ``--licence`` for pictures whose licence is known, since it decides whether they are published.

    Raises:
        InputError: Another licence was given.
    """
    # A free licence given here would publish pictures that must stay withheld.
    if stated not in (None, licence):
        raise InputError(
            f"--licence {stated}: these pictures have the licence {licence} and must not be published",
            "Leave --licence out.",
        )


@dataclass(frozen=True)
class InstanceSet:
    """A set of instances of one game, read from a folder.

    >>> targets = read_instances(Path("targets"))
    >>> [instance.instance_id for instance in targets.select(difficulties=["easy"])]
    ['simple_shapes-easy-01']
    >>> targets.game, targets.picture(targets.instances[0], "target").width
    ('reconstruction', 512)

    Attributes:
        folder: Folder of the set.
        identity: SHA-256 of ``instances.jsonl``.
        instances: In the order of the file.
    """

    folder: Path
    identity: str
    instances: Instances

    @property
    def game(self) -> str:
        """Name of the game that the set is for."""
        return self.instances[0].game

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of its instances, in their order."""
        return tuple(dict.fromkeys(entry.category for entry in self.instances.entries))

    def picture_bytes(self, instance: Instance, name: str) -> bytes:
        """Return the bytes of a picture of an instance, by the picture's name, after checking its pixels.

        Raises:
            InputError: The file is missing or is not the one that the set was made with.
        """
        return self.picture(instance, name).data

    def picture(self, instance: Instance, name: str) -> Picture:
        """Return a picture of an instance, by the picture's name, after checking its pixels.

        Raises:
            InputError: The file is missing or is not the one that the set was made with.
        """
        file = instance.pictures[name]
        path = self.folder / file.image
        # An index may come from a stranger, and its names from anywhere: no link and no .. may lead out of the folder.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.folder)):
            problem = f"{self.folder / INDEX}: image {file.image!r} lies outside the set"
            raise ImageError(problem, "Build the set again.")
        # Results are compared on the same pictures only, so a picture that was changed by hand must not be played.
        remedy = "Restore the file or build the set again."
        return Picture.from_own_file(read_image_bytes(path, remedy), file, str(path), remedy)

    def pictures(self, instance: Instance) -> dict[str, Picture]:
        """Return an instance's pictures by name, their pixels checked.

        Raises:
            InputError: A picture is missing, or is not the one that the set was made with.
        """
        if not may_be_published(instance.licence) and not _is_complete(instance, self.folder):
            (way,) = describe_ways_to_get([instance])
            raise InputError(f"{self.folder}: {instance.instance_id}: its pictures are in no release", way)
        return {name: self.picture(instance, name) for name in instance.pictures}

    def files(self, instance: Instance) -> dict[str, bytes]:
        """Return the bytes of an instance's pictures by their files' names, their pixels checked.

        Raises:
            InputError: A file is missing or is not the one that the set was made with.
        """
        return {file.image: self.picture_bytes(instance, name) for name, file in instance.pictures.items()}

    def all_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of every picture of the set.

        A set that was brought back from a release lacks the pictures that must not be published; they are left out.
        """
        yield from self.files_of(self.instances)

    def files_of(self, instances: Iterable[Instance], lacking: Path | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of every picture of some instances; see ``all_files``.

        Args:
            instances: Instances of this set.
            lacking: A folder; instances whose pictures it holds are left out.
        """
        for instance in instances:
            if lacking is not None and _is_complete(instance, lacking):
                continue
            # A set from a release lacks these pictures on purpose; a set that was imported has all of them.
            if not may_be_published(instance.licence) and not _is_complete(instance, self.folder):
                continue
            yield from self.files(instance).items()

    @property
    def is_whole(self) -> bool:
        """Whether every picture that may be published is here; a run of a part of a set holds that part alone."""
        instances = (item for item in self.instances if may_be_published(item.licence))
        return all(_is_complete(instance, self.folder) for instance in instances)

    def hold(self, folder: Path, instances: Iterable[Instance]) -> None:
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

    def select(self, categories: Sequence[str] = (), difficulties: Sequence[str] = ()) -> Instances:
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
                    raise build_unknown_name_error(kind, name, sorted(present), str(self.folder / INDEX))
        return self.instances.where(
            lambda entry: (
                (not categories or entry.category in categories)
                and (not difficulties or entry.difficulty in difficulties)
            )
        )


def read_instances(folder: Path, identity: str | None = None, game: str | None = None) -> InstanceSet:
    """Read an instance set; records and pictures are read when they are asked for.

    Args:
        folder: The set.
        identity: SHA-256 of an index that was validated before, whose records need not be validated now.
        game: The only game whose sets are taken; None for any game.

    Raises:
        InputError: There is no index, a line of it is not a valid instance or is of another game than the first, or the
            set is for another game than the one asked for.
    """
    path = folder / INDEX
    if not path.is_file():
        raise InputError(
            f"{folder}: holds no instance set (no {INDEX})", "Make a set with: ircore instances build --out DIR"
        )
    read = InstanceSet(folder, *read_index(path, identity))
    if game is not None and read.game != game:
        raise InputError(
            f"{path}: the instances are of the game {read.game}, not of {game}", f"Name an instance set of {game}."
        )
    return read


def write_instances(
    folder: Path, made: Iterable[tuple[Instance, Mapping[str, Picture]]], categories: Sequence[str] = ()
) -> InstanceSet:
    """Write an instance set; the folder appears only when complete.

    Args:
        folder: Where to; it must not exist or be empty.
        made: Each instance and its pictures by name. A picture whose file the field ``pictures`` does not name gets a
            file; pictures of the same name and content share it. Written in the order of category, difficulty and id,
            whatever the order here, so that the same content is the same set.
        categories: Categories that come before all others, in this order; the others follow in that of their names.

    Raises:
        InputError: The folder holds something, or the instances are no sound set.
    """
    with write_new_folder(folder) as temporary:
        instances: dict[str, Instance] = {}
        hashes: dict[str, str] = {}
        asked: dict[str, str] = {}
        for bare, pictures in made:
            instance = _add_files(bare, pictures)
            _refuse_twin(instance, asked)
            if instances.setdefault(instance.instance_id, instance) is not instance:
                raise InputError(f"{folder}: instance_id {instance.instance_id!r} is there twice", "Name each once.")
            for name, picture in pictures.items():
                file = instance.pictures[name]
                if hashes.setdefault(file.image, picture.sha256) != picture.sha256 or file.sha256 != picture.sha256:
                    problem = f"{folder}: {instance.instance_id}: {file.image} is the file of two pictures"
                    raise InputError(problem, "Give each picture a file of its own.")
                write_bytes(temporary / file.image, picture.data)
        # Sorted, so that the order in which a builder works does not change the set's identity.
        write_bytes(
            temporary / INDEX, build_index_bytes(sorted(instances.values(), key=partial(_build_sort_key, categories)))
        )
    return read_instances(folder)


def build_index_bytes(instances: Iterable[Instance]) -> bytes:
    """Return the content of ``instances.jsonl`` for these instances, in their order."""
    return b"".join(instance.model_dump_json().encode() + b"\n" for instance in instances)


def read_sets(folders: Sequence[Path]) -> dict[str, InstanceSet]:
    """Return instance sets, several of a game too, by identity.

    Args:
        folders: Sets. A folder that ``ircore release pull`` made stands for its sets of the games that no other folder
            is a set of.

    Raises:
        InputError: A folder holds no set.
    """
    pulled = [folder for folder in folders if is_pulled(folder)]
    named = [read_instances(folder) for folder in folders if folder not in pulled]
    paths = [path for folder in pulled for path in sorted(folder.glob(f"{PULLED}*")) if path.is_dir()]
    games = {instances.game for instances in named}
    brought = [instances for instances in map(read_instances, paths) if instances.game not in games]
    return {instances.identity: instances for instances in (*brought, *named)}


def set_of_game(sets: Iterable[InstanceSet], game: str) -> InstanceSet:
    """Return the one set of a game.

    Args:
        sets: Sets of any games.
        game: The game's name.

    Raises:
        InputError: There is none, or several.
    """
    own = [instances for instances in sets if instances.game == game]
    if len(own) == 1:
        return own[0]
    problem = f"several sets of {game} are given" if own else f"no set of {game} is given"
    raise InputError(problem, "Name the set that counts with --instances.")


def is_pulled(folder: Path) -> bool:
    """Return whether ``ircore release pull`` made a folder, with the sets of its runs."""
    return not (folder / INDEX).is_file() and (folder / PULLED / INDEX).is_file()


def _is_complete(instance: Instance, folder: Path) -> bool:
    return all((folder / file.image).is_file() for file in instance.pictures.values())


def _refuse_twin(instance: Instance, asked: dict[str, str]) -> None:
    """Refuse an instance whose picture is all that it asks about, if an earlier one has it: it would count twice."""
    if len(instance.pictures) != 1 or not instance.payload.keys() <= {"scene", "measures"}:
        return
    (file,) = instance.pictures.values()
    twin = asked.setdefault(file.sha256, instance.instance_id)
    if twin != instance.instance_id:
        raise InputError(f"{instance.instance_id} and {twin} are the same picture", "Remove one of the two.")


def _add_files(instance: Instance, pictures: Mapping[str, Picture]) -> Instance:
    """Return an instance with the files of all its pictures."""
    files = {
        # With a part of the hash, so that one name may stand for another picture in each instance.
        name: PictureFile.of(f"images/{name}-{picture.sha256[:8]}.png", picture)
        for name, picture in pictures.items()
        if name not in instance.pictures
    }
    return instance.model_copy(update={"pictures": {**instance.pictures, **files}}) if files else instance


def _build_sort_key(categories: Sequence[str], instance: Instance) -> tuple[int, str, int, str]:
    rank = categories.index(instance.category) if instance.category in categories else len(categories)
    return rank, instance.category, DIFFICULTIES.index(instance.difficulty), instance.instance_id
