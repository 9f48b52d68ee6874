"""Importing Visual Genome: easy pictures show few salient objects, hard ones are dense and cluttered.

The dataset's own files are read as published (Krishna et al., *Visual Genome*, IJCV 2017): JSON arrays
with a record for each image, and pictures in ``VG_100K`` and ``VG_100K_2``. The annotations are under CC-BY-4.0; the
photographs are Flickr's, each with a licence of its own, so they are never published.
"""

import hashlib
import heapq
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.json_stream import read_array
from ircore.core.records import DIFFICULTIES, Box, Difficulty, Element, Instance, Record, Scene
from ircore.core.validation import validating
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.withheld import VISUAL_GENOME, refuse_other_licence

FOLDERS = ("VG_100K", "VG_100K_2")
CATEGORY = "photos"
LONGEST_NAME = 100


class Selection(Record):
    """Limits that decide which images are easy, which are hard, and how many are taken.

    >>> Selection(easy_objects=3).difficulty_of(objects=3, salient=1)
    'easy'
    >>> Selection().difficulty_of(objects=20, salient=2) is None  # neither easy nor hard
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


class _Image(NamedTuple):
    """An image of ``image_data.json`` whose picture is on the disk."""

    path: Path
    width: int
    height: int


@dataclass
class _Chosen:
    """An image that was chosen, with its annotations."""

    image_id: int
    difficulty: Difficulty
    objects: list[dict[str, Any]]
    attributes: dict[int, list[str]] = field(default_factory=dict)
    relations: dict[int, list[str]] = field(default_factory=dict)


def import_visual_genome(request: ImportRequest) -> InstanceSet:
    """Make an instance set of Visual Genome's files on the disk; annotations are streamed, never read as a whole.

    Which of the images that qualify are taken is decided by a hash of their ids, so that it is always the same ones.

    Args:
        request: Folder of the dataset, the set to make, and ``Selection``'s fields as options.

    Raises:
        InputError: A file is missing or damaged, an option is wrong, or no image qualifies.
    """
    refuse_other_licence(request.licence, VISUAL_GENOME)
    selection, root = _selection(request.options), request.path
    if selection.easy_objects >= selection.hard_objects:
        raise InputError("--option easy_objects is not below hard_objects", "Lower easy_objects or raise hard_objects.")
    images = dict(_images(root))
    chosen = _choose(root / "objects.json", images, selection, request.difficulty)
    if not chosen:
        raise InputError(f"{root}: no image is easy or hard", "Raise easy_objects or lower hard_objects with --option.")
    _add_attributes(root / "attributes.json", chosen)
    _add_relations(root / "relationships.json", chosen)
    category = request.category or CATEGORY
    return write_instances(request.out, _made(chosen, images, category, request.source))


def _selection(options: Mapping[str, str]) -> Selection:
    with validating("--option", "See `ircore instances import -h`."):
        return Selection.model_validate(options)


def _images(root: Path) -> Iterator[tuple[int, _Image]]:
    present = {path.stem: path for name in FOLDERS for path in sorted((root / name).glob("*.jpg"))}
    if not present:
        raise InputError(
            f"{root}: holds no pictures in {' or '.join(FOLDERS)}", "Unpack images.zip and images2.zip there."
        )
    for record in read_array(root / "image_data.json"):
        image_id = _whole(record, "image_id", root / "image_data.json")
        if path := present.get(str(image_id)):
            where = root / "image_data.json"
            yield image_id, _Image(path, _whole(record, "width", where), _whole(record, "height", where))


def _whole(record: Mapping[str, Any], name: str, path: Path) -> int:
    value = record.get(name)
    if type(value) is not int:
        raise InputError(f"{path}: {name}: {value!r} is not a whole number", "Restore the file as it was published.")
    return value


def _choose(
    path: Path, images: Mapping[int, _Image], selection: Selection, only: str | None
) -> dict[int, _Chosen]:  # fmt: skip
    """Return the images of each difficulty with the smallest hashes; no others are kept in memory."""
    heaps: dict[str, list[tuple[int, int, _Chosen]]] = {difficulty: [] for difficulty in DIFFICULTIES}
    for record in read_array(path):
        image_id = _whole(record, "image_id", path)
        if image_id not in images:
            continue
        objects = [item for item in record.get("objects", ()) if _is_box(item)]
        image = images[image_id]
        salient = sum(item["w"] * item["h"] >= selection.salient_share * image.width * image.height for item in objects)
        difficulty = selection.difficulty_of(len(objects), salient)
        if difficulty is None or only not in (None, difficulty):
            continue
        heap, rank = heaps[difficulty], -int.from_bytes(hashlib.sha256(str(image_id).encode()).digest()[:8])
        entry = (rank, image_id, _Chosen(image_id, difficulty, objects))
        if len(heap) < selection.per_condition:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    return {image_id: item for heap in heaps.values() for _, image_id, item in sorted(heap, reverse=True)}


def _is_box(item: object) -> bool:
    return isinstance(item, dict) and all(type(item.get(name)) is int for name in ("x", "y", "w", "h", "object_id"))


def _add_attributes(path: Path, chosen: Mapping[int, _Chosen]) -> None:
    for record in read_array(path) if path.exists() else ():
        if image := chosen.get(record.get("image_id", 0)):
            for item in record.get("attributes", ()):
                if isinstance(item.get("object_id"), int):
                    image.attributes[item["object_id"]] = [str(word) for word in item.get("attributes") or ()]


def _add_relations(path: Path, chosen: Mapping[int, _Chosen]) -> None:
    for record in read_array(path) if path.exists() else ():
        if image := chosen.get(record.get("image_id", 0)):
            for item in record.get("relationships", ()):
                subject, thing = item.get("subject") or {}, item.get("object") or {}
                words = f"{item.get('predicate', '')} {_name_of(thing)}".strip().lower()
                image.relations.setdefault(subject.get("object_id", 0), []).append(words)


def _name_of(item: Mapping[str, Any]) -> str:
    """Return an object's name: files have ``names``, or ``name`` in relationships."""
    names = item.get("names") or [item.get("name") or "object"]
    return str(names[0])[:LONGEST_NAME]


def _made(
    chosen: Mapping[int, _Chosen], images: Mapping[int, _Image], category: str, source: str | None
) -> Iterator[tuple[Instance, bytes]]:  # fmt: skip
    for image_id, item in chosen.items():
        picture = read_picture(images[image_id].path)
        name = f"{category}-{item.difficulty}-vg{image_id}"
        yield (
            Instance(
                instance_id=name,
                category=category,
                difficulty=item.difficulty,
                image=f"images/{name}.png",
                sha256=picture.sha256,
                width=picture.width,
                height=picture.height,
                scene=_scene(item, images[image_id], picture),
                source=source or f"Visual Genome, image {image_id}; annotations CC-BY-4.0",
                licence=VISUAL_GENOME,
                measures={"objects": float(len(item.objects))},
            ),
            picture.data,
        )


def _scene(item: _Chosen, image: _Image, picture: Picture) -> Scene:
    """Return the annotated boxes as a scene, largest first; boxes are scaled if the file has another size."""
    across, down = picture.width / image.width, picture.height / image.height
    ordered = sorted(item.objects, key=lambda thing: -thing["w"] * thing["h"])
    elements = []
    for thing in ordered:
        left, top = max(0, round(thing["x"] * across)), max(0, round(thing["y"] * down))
        right = min(picture.width, round((thing["x"] + thing["w"]) * across))
        bottom = min(picture.height, round((thing["y"] + thing["h"]) * down))
        if right > left and bottom > top:
            known: dict[str, Any] = {"name": _name_of(thing)}
            known |= {"attributes": words} if (words := item.attributes.get(thing["object_id"])) else {}
            known |= {"relations": words} if (words := item.relations.get(thing["object_id"])) else {}
            box = Box(left, top, right, bottom)
            elements.append(Element(type=_type_of(known["name"]), box=box, parameters=known))
    return Scene(width=picture.width, height=picture.height, elements=tuple(elements))


def _type_of(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_NAME] or "object"
