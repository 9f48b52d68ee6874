"""Importing Visual Genome: easy pictures show few salient objects, hard ones are dense and cluttered.

The dataset (Krishna et al., *Visual Genome*, IJCV 2017) is read from its own files or from a copy on the Hub, see
``Genome``. The annotations are under CC-BY-4.0; the photographs are Flickr's, each with a licence of its own, so they
are never published.

Its own files are JSON arrays with a record for each image, and pictures. The files of versions 1.0 to 1.4 differ in
names: an image's number is ``image_id`` or ``id``. A copy on the Hub is streamed; it has a config for objects and
perhaps others for attributes and relations. A row is an image with its annotations, named as in the dataset's own
files. Pictures are only fetched for the images that were chosen.
"""

import hashlib
import heapq
import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TextIO, TypeVar

from PIL import Image
from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.plugins import load_plugin
from ircore.core.records import DIFFICULTIES, Box, Difficulty, Element, Instance, PictureFile, Record, Scene
from ircore.core.terminal import make_printable
from ircore.core.validation import convert_validation_errors
from ircore.games.reconstruction.records import RECONSTRUCTION
from ircore.instances.requests import ImportRequest, find_dataset_name
from ircore.instances.store import VISUAL_GENOME, InstanceSet, refuse_other_licence, write_instances

FILE_OF_IMAGES = "image_data.json"
OBJECTS, ATTRIBUTES, RELATIONS = "objects", "attributes", "relationships"

CATEGORY = "photos"
LONGEST_NAME = 100
UNNAMED = "object"

LARGEST_STRETCH = 0.02
"""Share by which the two scales of a picture to its annotations may differ: rounding, but no turned picture."""

CHUNK = 1024 * 1024
MAX_CHARACTERS = 16 * 1024 * 1024
"""Characters of one record."""

_BETWEEN = re.compile(r"[\s,]*")
"""Between two records; always matches."""

_REMEDY = "Restore the file as it was published."

FOLDERS = ("VG_100K", "VG_100K_2")
SUFFIX = ".jpg"
_RESTORE = "Restore the file as it was published."


def open_genome_on_hub(
    name: str, config: str | None, *, revision: str | None, split: str, streaming: bool
) -> "GenomeFiles | GenomeRows":
    """Return a copy of Visual Genome on the Hub: its own files, brought into the user's Hub cache, or a table.

    Args:
        name: ``ORG/NAME``.
        config: Of the objects; the last one named ``objects…`` if None.
        revision: Commit, branch or tag; the newest commit if None.
        split: Name of the split.
        streaming: Whether a table is read over the network; otherwise its files are downloaded first.

    Raises:
        InputError: That cannot be the name of a dataset, or it has no objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """
    dataset: _Dataset = load_plugin("releases", "open_dataset")(name, revision, split, streaming)
    if dataset.has_file(FILE_OF_IMAGES):
        return GenomeFiles(dataset.fetch(("*.json", "VG_100K/*", "VG_100K_2/*")))
    return GenomeRows(dataset, config)


class Annotated(NamedTuple):
    """An image with its objects as the dataset has them, unchecked."""

    image_id: int
    width: int
    height: int
    objects: list[Any]


class _Dataset(Protocol):
    """A dataset on the Hub, as ``dataset_card.hub.dataset_rows.HubDataset`` reads it."""

    name: str

    @property
    def configs(self) -> list[str]: ...

    def has_file(self, path: str) -> bool: ...

    def fetch(self, patterns: tuple[str, ...]) -> Path: ...

    def columns(self, config: str) -> set[str]: ...

    def rows(
        self, config: str, columns: tuple[str, ...], filters: object = None, picture: str = ""
    ) -> Iterator[dict[str, Any]]: ...


class GenomeRows:
    """A copy of Visual Genome as a dataset of rows.

    Args:
        dataset: The dataset.
        config: Of the objects; the last one named ``objects…`` if None.

    Raises:
        InputError: No config has objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """

    def __init__(self, dataset: _Dataset, config: str | None) -> None:
        self._dataset, self.name = dataset, dataset.name
        configs = dataset.configs
        self._objects = config or self._find_config(OBJECTS) or configs[-1]
        if self._objects not in configs:
            raise InputError(
                f"--option config={self._objects}: {self.name} has no such config", f"Known: {', '.join(configs)}."
            )
        missing = {OBJECTS, "width", "height"} - dataset.columns(self._objects)
        if missing:
            raise InputError(
                f"{self.name}: the config {self._objects} has no column {', '.join(sorted(missing))}",
                f"Name the config of the objects with --option config=…; there are: {', '.join(configs)}.",
            )

    def images(self) -> Iterator[Annotated]:
        """Yield the images that have a size, with their objects; WorkError if the Hub cannot be reached."""
        for row in self._dataset.rows(self._objects, ("image_id", "width", "height", OBJECTS)):
            # Places of objects are pixels, which say nothing without the size of the image.
            if row["width"] and row["height"]:
                yield Annotated(row["image_id"], row["width"], row["height"], row[OBJECTS] or [])

    def attributes(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and objects with attributes, if there is a config of them."""
        return self._read_annotations(ATTRIBUTES)

    def relations(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and relations, if there is a config of them."""
        return self._read_annotations(RELATIONS)

    def pictures(self, image_ids: Collection[int]) -> Iterator[tuple[int, Picture]]:
        """Yield the pictures of images, each once.

        Raises:
            InputError: The config has no pictures, or one cannot be read.
            WorkError: The Hub cannot be reached.
        """
        if "image" not in self._dataset.columns(self._objects):
            raise InputError(f"{self.name}: the config {self._objects} has no pictures", "Name another dataset.")
        wanted = set(image_ids)
        filters = [("image_id", "in", sorted(wanted))]
        for row in self._dataset.rows(self._objects, ("image_id", "image"), filters, picture="image"):
            if row["image_id"] in wanted:
                wanted.discard(row["image_id"])
                data = (row["image"] or {}).get("bytes") or b""
                yield row["image_id"], Picture.read_untrusted(data, f"{self.name}: image {row['image_id']}")

    def _read_annotations(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        config = self._find_config(name) or self._objects
        columns = self._dataset.columns(config)
        # The published attributes stand under "objects" in one version of the dataset's loader.
        column = name if name in columns else OBJECTS
        if column not in columns or (column == OBJECTS and config == self._objects):
            return
        for row in self._dataset.rows(config, ("image_id", column)):
            yield row["image_id"], row[column] or []

    def _find_config(self, name: str) -> str | None:
        """Return the newest config of some annotations, such as ``objects_v1.2.0``."""
        return next((config for config in reversed(self._dataset.configs) if config.startswith(name)), None)


class ImageLimits(Record):
    """Limits that decide which images are easy, which are hard, and how many are taken.

    >>> ImageLimits(easy_objects=3).difficulty_of(objects=3, salient=1)
    'easy'
    >>> ImageLimits().difficulty_of(objects=20, salient=2) is None  # neither easy nor hard
    True
    """

    easy_objects: int = Field(default=8, ge=1, description="Objects that an easy image has at most.")
    hard_objects: int = Field(default=30, ge=1, description="Objects that a hard image has at least.")
    salient_share: float = Field(
        default=0.02, gt=0, le=1, description="Share of the image from which a box is salient."
    )
    per_condition: int = Field(default=10, ge=1, le=10_000, description="Images of each difficulty at most.")

    def difficulty_of(self, objects: int, salient: int) -> Difficulty | None:
        """Return the difficulty of an image; None if it is neither easy nor hard.

        Args:
            objects: Annotated objects.
            salient: Those whose box covers ``salient_share`` of the image or more; an easy image needs one.
        """
        if objects >= self.hard_objects:
            return "hard"
        return "easy" if salient and objects <= self.easy_objects else None


class HubSelection(ImageLimits):
    """Limits, and which part of a dataset on the Hub is read.

    >>> HubSelection(revision="refs/convert/parquet").split
    'train'
    """

    revision: str | None = Field(default=None, description="Commit, branch or tag; the newest commit if not given.")
    config: str | None = Field(default=None, description="Of the objects; the last one named objects… if not given.")
    split: str = Field(default="train", description="Name of the split.")
    streaming: bool = Field(default=True, description="Read over the network; false downloads the files first.")


class Genome(Protocol):
    """A copy of Visual Genome. Each method reads one pass over the copy and keeps no more than a record in memory.

    >>> from pathlib import Path
    >>> GenomeFiles(Path("genome")).root.name  # the one on this disk; the other one is on the Hub
    'genome'
    """

    def images(self) -> Iterator[Annotated]:
        """Yield the images whose pictures are there, with their objects."""

    def attributes(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and objects with attributes; nothing if the copy has none."""

    def relations(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and relations; nothing if the copy has none."""

    def pictures(self, image_ids: Collection[int]) -> Iterator[tuple[int, Picture]]:
        """Yield the pictures of images."""


def import_visual_genome(request: ImportRequest) -> InstanceSet:
    """Make an instance set of Visual Genome; annotations are streamed, never read as a whole.

    Which of the images that qualify are taken is decided by a hash of their ids, so that it is always the same ones.
    Annotations that cannot be used are left out, and a line on stderr says how many.

    Args:
        request: Folder of the dataset or ``hf://datasets/ORG/NAME``, the set to make, and the fields of ``Selection``,
            for the Hub of ``HubSelection``, as options.

    Raises:
        InputError: A file is missing or damaged, an option is wrong, or no image qualifies.
        WorkError: The Hub has no such dataset, or cannot be reached.
    """
    refuse_other_licence(request.licence, VISUAL_GENOME)
    dataset = find_dataset_name(request.path)
    selection = _parse_options(request.options, HubSelection if dataset else ImageLimits)
    # With overlapping limits an image could be easy and hard at once.
    if selection.easy_objects >= selection.hard_objects:
        raise InputError("--option easy_objects is not below hard_objects", "Lower easy_objects or raise hard_objects.")
    genome: Genome = GenomeFiles(request.path)
    if isinstance(selection, HubSelection):
        genome = open_genome_on_hub(
            dataset or "", selection.config, revision=selection.revision, split=selection.split,
            streaming=selection.streaming,
        )  # fmt: skip
    chosen = _choose(genome.images(), selection, request.difficulty)
    if not chosen:
        raise InputError(
            f"{request.path}: no image is easy or hard", "Raise easy_objects or lower hard_objects with --option."
        )
    _add_attributes(genome.attributes(), chosen)
    _add_relations(genome.relations(), chosen)
    category = request.category or CATEGORY
    return write_instances(request.out, _build_instances(chosen, genome, category, request.source))


SelectionT = TypeVar("SelectionT", bound=ImageLimits)


def read_array(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file that holds one JSON array of objects.

    Memory is bounded by the largest object, not by the file.

    Raises:
        InputError: The file is missing, no array of objects, cut short, or an object is longer than 16 MiB.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "images.json"
    ...     _ = file.write_text('[{"image_id": 1}, {"image_id": 2}]')
    ...     [record["image_id"] for record in read_array(file)]
    [1, 2]
    """
    try:
        with path.open(encoding="utf-8") as file:
            yield from _read_objects(path, file)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", "Download the file from the dataset's page."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text", _REMEDY) from None


class GenomeFiles:
    """A folder with ``image_data.json``, ``objects.json``, maybe other annotations, and the folders of pictures.

    Args:
        root: The folder.

    >>> GenomeFiles(Path("genome")).root.name
    'genome'
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def images(self) -> Iterator[Annotated]:
        """Yield the images whose pictures are there; an image without a stated size has its picture's.

        Raises:
            InputError: A file is missing or damaged, or there are no pictures.
        """
        sizes = self._read_sizes()
        for image_id, objects in self._read_list("objects.json", "objects"):
            # Objects of images without a picture on this disk are of no use.
            if image_id in sizes:
                width, height = sizes[image_id] or self._read_picture_size(image_id)
                yield Annotated(image_id, width, height, objects)

    def attributes(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and objects with attributes; InputError if the file is damaged."""
        return self._read_optional_list("attributes.json", "attributes")

    def relations(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and relations; InputError if the file is damaged."""
        return self._read_optional_list("relationships.json", "relationships")

    def pictures(self, image_ids: Collection[int]) -> Iterator[tuple[int, Picture]]:
        """Yield the pictures of images; InputError if one cannot be read."""
        for image_id in image_ids:
            yield image_id, read_picture(self._find_path(image_id))

    def _read_sizes(self) -> dict[int, tuple[int, int] | None]:
        """Return width and height by id, for images with a picture; None where the file states no size."""
        present = {path.stem for folder in FOLDERS for path in (self.root / folder).glob(f"*{SUFFIX}")}
        if not present:
            raise InputError(
                f"{self.root}: holds no pictures in {' or '.join(FOLDERS)}", "Unpack images.zip and images2.zip there."
            )
        path = self.root / "image_data.json"
        sizes: dict[int, tuple[int, int] | None] = {}
        for record in read_array(path):
            image_id = _find_image_id(record, path)
            # Copies often hold only a part of the 108,000 pictures.
            if str(image_id) in present:
                sizes.setdefault(image_id, _find_size(record))
        return sizes

    def _read_list(self, name: str, field: str) -> Iterator[tuple[int, list[Any]]]:
        path = self.root / name
        for record in read_array(path):
            items = record.get(field)
            yield _find_image_id(record, path), items if isinstance(items, list) else []

    def _read_optional_list(self, name: str, field: str) -> Iterator[tuple[int, list[Any]]]:
        return self._read_list(name, field) if (self.root / name).exists() else iter(())

    def _find_path(self, image_id: int) -> Path:
        paths = [self.root / folder / f"{image_id}{SUFFIX}" for folder in FOLDERS]
        return next((path for path in paths if path.exists()), paths[0])

    def _read_picture_size(self, image_id: int) -> tuple[int, int]:
        path = self._find_path(image_id)
        try:
            with Image.open(path) as image:
                return image.size
        except (OSError, Image.DecompressionBombError):
            raise InputError(f"{path}: not a JPEG picture", "Restore it, or remove it.") from None


class _Thing(NamedTuple):
    """An object within its image, in pixels of the annotations."""

    object_id: int | None
    name: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)


@dataclass
class _Chosen:
    """An image that was chosen, with its annotations."""

    image: Annotated
    difficulty: Difficulty
    things: list[_Thing]
    salient: int
    attributes: dict[int, list[str]] = field(default_factory=dict)
    relations: dict[int, list[str]] = field(default_factory=dict)


def _parse_options(options: Mapping[str, str], kind: type[SelectionT]) -> SelectionT:
    with convert_validation_errors("--option", "See `ircore instances import -h`."):
        return kind.model_validate(options)


def _choose(images: Iterable[Annotated], selection: ImageLimits, only: str | None) -> dict[int, _Chosen]:
    """Return the images of each difficulty with the smallest hashes; no others are kept in memory."""
    heaps: dict[str, list[tuple[int, int, _Chosen]]] = {difficulty: [] for difficulty in DIFFICULTIES}
    known_ids: set[int] = set()
    faults: Counter[str] = Counter()
    for image in images:
        # A repeated image would take two of the few places of its difficulty.
        if image.image_id in known_ids:
            faults["images listed again"] += 1
            continue
        known_ids.add(image.image_id)
        things = _collect_things(image, faults)
        salient = sum(thing.area >= selection.salient_share * image.width * image.height for thing in things)
        difficulty = selection.difficulty_of(len(things), salient)
        if difficulty is None or only not in (None, difficulty):
            continue
        # Negative, so that the heap's smallest entry, which goes first, has the largest hash.
        heap, rank = heaps[difficulty], -int.from_bytes(hashlib.sha256(str(image.image_id).encode()).digest()[:8])
        # Unchecked objects would keep megabytes for each image; what is needed of them is in things.
        chosen = _Chosen(image._replace(objects=[]), difficulty, things, salient)
        if len(heap) < selection.per_condition:
            heapq.heappush(heap, (rank, image.image_id, chosen))
        else:
            heapq.heappushpop(heap, (rank, image.image_id, chosen))
    for fault, count in faults.items():
        print(f"left out: {count} {fault}", file=sys.stderr)
    return {image_id: chosen for heap in heaps.values() for _, image_id, chosen in sorted(heap, reverse=True)}


def _collect_things(image: Annotated, faults: Counter[str]) -> list[_Thing]:
    """Return the objects of an image, boxes cut at the image's edges, and the number of objects left out."""
    things: list[_Thing] = []
    known: set[int] = set()
    for item in image.objects:
        box = _clip_box(item, image)
        if box is None:
            faults["objects without a box in the picture"] += 1
            continue
        object_id = item.get("object_id")
        if object_id in known:
            faults["objects listed again"] += 1
            continue
        if type(object_id) is int:
            known.add(object_id)
        things.append(_Thing(object_id if type(object_id) is int else None, _name_of(item), *box))
    return things


def _clip_box(item: object, image: Annotated) -> tuple[float, float, float, float] | None:
    """Return the part of an object's box that lies in its image; None if no part does, or the box has no size."""
    if not isinstance(item, dict):
        return None
    numbers = [item.get(name) for name in ("x", "y", "w", "h")]
    # JSON of Python may hold NaN, and a true that passes for a number.
    if not all(type(number) in (int, float) and isfinite(number) for number in numbers):  # type: ignore[arg-type]
        return None
    x, y, width, height = (float(number) for number in numbers)  # type: ignore[arg-type]
    left, top = max(0.0, x), max(0.0, y)
    right, bottom = min(float(image.width), x + width), min(float(image.height), y + height)
    return (left, top, right, bottom) if right > left and bottom > top else None


def _add_attributes(records: Iterable[tuple[int, list[Any]]], chosen: Mapping[int, _Chosen]) -> None:
    for image_id, items in records:
        for item in items if image_id in chosen else ():
            words = _clean_words(item.get("attributes")) if isinstance(item, dict) else []
            if words and type(item.get("object_id")) is int:
                known = chosen[image_id].attributes.setdefault(item["object_id"], [])
                known += [word for word in words if word not in known]


def _clean_words(values: object) -> list[str]:
    """Return the attributes of an object without blanks and repetitions; files lack the field, or have null."""
    words = [" ".join(str(value).split())[:LONGEST_NAME] for value in values] if isinstance(values, list) else []
    return list(dict.fromkeys(word for word in words if word))


def _add_relations(records: Iterable[tuple[int, list[Any]]], chosen: Mapping[int, _Chosen]) -> None:
    for image_id, items in records:
        for item in items if image_id in chosen else ():
            if not isinstance(item, dict):
                continue
            subject, thing = (item.get(role) for role in ("subject", "object"))
            if isinstance(subject, dict) and isinstance(thing, dict) and type(subject.get("object_id")) is int:
                words = f"{item.get('predicate') or ''} {_name_of(thing)}".lower().split()
                known = chosen[image_id].relations.setdefault(subject["object_id"], [])
                if (relation := " ".join(words)) not in known:
                    known.append(relation)


def _name_of(item: Mapping[str, Any]) -> str:
    """Return an object's name: files have ``names``, some relations ``name``; either may be empty or blank."""
    names = item.get("names")
    listed = [*(names if isinstance(names, list) else [names]), item.get("name")]
    written = (" ".join(name.split()) for name in listed if isinstance(name, str))
    return next((name for name in written if name), UNNAMED)[:LONGEST_NAME]


def _build_instances(
    chosen: Mapping[int, _Chosen], genome: Genome, category: str, source: str | None
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for image_id, picture in genome.pictures(tuple(chosen)):
        item = chosen[image_id]
        scales = picture.width / item.image.width, picture.height / item.image.height
        # Boxes of a picture that was turned or cut would lie on other things.
        if abs(scales[0] - scales[1]) > LARGEST_STRETCH * max(scales):
            size, stated = f"{picture.width} × {picture.height}", f"{item.image.width} × {item.image.height}"
            print(f"left out: image {image_id}: the picture is {size}, its annotations say {stated}", file=sys.stderr)
            continue
        name = f"{category}-{item.difficulty}-vg{image_id}"
        instance = Instance(
            instance_id=name,
            category=category,
            difficulty=item.difficulty,
            game=RECONSTRUCTION,
            pictures={"target": PictureFile.of(f"images/{name}.png", picture)},
            payload={
                "scene": _build_scene(item, picture, scales).model_dump(mode="json"),
                "measures": {"objects": float(len(item.things)), "salient": float(item.salient)},
            },
            source=source or f"Visual Genome, image {image_id}; annotations CC-BY-4.0",
            licence=VISUAL_GENOME,
        )
        yield instance, {"target": picture}


def _build_scene(item: _Chosen, picture: Picture, scales: tuple[float, float]) -> Scene:
    """Return the annotated boxes as a scene, largest first; boxes are scaled if the file has another size."""
    across, down = scales
    elements = []
    # A scene goes back to front, and a small thing usually lies on a large one.
    for thing in sorted(item.things, key=lambda thing: -thing.area):
        left, top = round(thing.left * across), round(thing.top * down)
        # A box narrower than a pixel keeps one pixel instead of vanishing by rounding.
        right = min(picture.width, max(left + 1, round(thing.right * across)))
        bottom = min(picture.height, max(top + 1, round(thing.bottom * down)))
        if right > left and bottom > top:
            known: dict[str, Any] = {"name": make_printable(thing.name)}
            if thing.object_id is not None:
                known |= {"attributes": words} if (words := item.attributes.get(thing.object_id)) else {}
                known |= {"relations": words} if (words := item.relations.get(thing.object_id)) else {}
            box = Box(left, top, right, bottom)
            elements.append(Element(type=_find_type(thing.name), box=box, parameters=known))
    return Scene(width=picture.width, height=picture.height, elements=tuple(elements))


def _find_type(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_NAME] or UNNAMED


def _read_objects(path: Path, file: TextIO) -> Iterator[dict[str, Any]]:
    text = file.read(CHUNK).lstrip()
    if not text.startswith("["):
        raise InputError(f"{path}: holds no JSON array", _REMEDY)
    decoder, number, place, wanted = json.JSONDecoder(), 0, 1, CHUNK
    while True:
        # A position, since cutting each record off would copy the chunk once for each of its records.
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        if text.startswith("]", place):
            return
        try:
            record, place = decoder.raw_decode(text, place)
        except ValueError:
            # The record goes on behind the chunk: twice as much is read each time, so that work stays linear.
            more = file.read(wanted)
            if not more or len(text) - place > MAX_CHARACTERS:
                raise InputError(f"{path}: record {number + 1} is damaged or cut short", _REMEDY) from None
            text, place, wanted = text[place:] + more, 0, wanted * 2
            continue
        except RecursionError:
            raise InputError(f"{path}: record {number + 1} is nested too deeply", _REMEDY) from None
        # A record was complete: the next one is again expected to be of usual size.
        number, wanted = number + 1, CHUNK
        if not isinstance(record, dict):
            raise InputError(f"{path}: record {number} is not an object", _REMEDY)
        yield record


def _find_size(record: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the width and height that a record states, None if it states none."""
    width, height = record.get("width"), record.get("height")
    known = type(width) is int and type(height) is int and width > 0 and height > 0
    return (width, height) if known else None  # type: ignore[return-value]


def _find_image_id(record: Mapping[str, Any], path: Path) -> int:
    """Return the number of the image that a record is about.

    Raises:
        InputError: There is none.
    """
    value = record.get("image_id", record.get("id"))
    # A JSON true would pass isinstance, since a bool is an int of Python.
    if type(value) is not int:
        raise InputError(f"{path}: image_id: {value!r} is not a whole number", _RESTORE)
    return value
