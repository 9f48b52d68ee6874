"""GIR-Bench's tasks without a picture to edit: quantity, layout, text and entities."""

import random
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.seeds import derived_seed
from ircore.games.reasoning.dimensions.base import DETECTOR, Task
from ircore.games.reasoning.gir_bench_files import RESTORE, SUFFIXES, Entry, Imported, entries_of, numbered
from ircore.games.reasoning.verifiers.spatial import Relation

SUBJECTS = ("Zoology", "Botany", "Geography")
"""Folders of the entities."""

CHOICES = 4
REFERENCES = 8
"""Reference pictures of an entity that are taken, at most."""

RELATIONS: Mapping[str, Relation] = {
    "left": "left", "right": "right", "up": "above", "above": "above", "down": "below", "below": "below",
}  # fmt: skip
"""Directions as its files name them."""


class _Counts(BaseModel):
    """Demands of a task of quantity."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    objects: tuple[str, ...] = Field(min_length=1, max_length=50)
    number: tuple[int, ...] = Field(description="How many of each object.")

    @model_validator(mode="after")
    def _checked(self) -> "_Counts":
        if len(self.objects) != len(self.number):
            raise ValueError(f"{len(self.objects)} objects and {len(self.number)} numbers")
        if len(set(self.objects)) != len(self.objects):
            raise ValueError("an object is named twice")
        if any(count < 0 for count in self.number):
            raise ValueError("a number is below zero")
        return self


class _QuantityEntry(Entry):
    task: _Counts


class _Position(BaseModel):
    """A relation: objects by name, by names of a group, or by place in the list."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    subject: str | int | tuple[str, ...]
    direction: str
    object: str | int | tuple[str, ...]

    @model_validator(mode="after")
    def _checked(self) -> "_Position":
        if self.direction not in RELATIONS:
            raise ValueError(f"direction is {self.direction!r}, known are {', '.join(RELATIONS)}")
        return self


class _Places(BaseModel):
    """Demands of a task of layout; objects may stand in groups, with colours grouped alike."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    objects: tuple[str | tuple[str, ...], ...] = Field(min_length=1, max_length=50)
    colors: tuple[str | tuple[str | None, ...] | None, ...] = ()
    relative_position: tuple[_Position, ...] = ()

    @property
    def labels(self) -> Mapping[str, str]:
        """Words by which each object is sought: its colour, if it has one, and its name."""
        names = [name for name in _flat(self.objects) if name]
        # Files may list fewer colours than objects, or none.
        colours = (*_flat(self.colors), *[None] * len(names))
        return {name: f"{colour} {name}" if colour else name for name, colour in zip(names, colours, strict=False)}


class _LayoutEntry(Entry):
    task: _Places


class _TextEntry(Entry):
    text: str = Field(min_length=1, max_length=500)


def quantities(root: Path) -> Iterator[Imported]:
    """Yield the tasks of quantity; their things are real ones, which a detector alone can see."""
    for entry in entries_of(root, "NumericalReasoning", _QuantityEntry):
        expected = dict(zip(map(str.lower, entry.task.objects), entry.task.number, strict=True))
        yield Imported(entry.number, Task(entry.prompt, {"expected": expected, DETECTOR: True}))


def layouts(root: Path) -> Iterator[Imported]:
    """Yield the tasks of layout; a side of a relation is a list of labels, more than one for a group."""
    for entry in entries_of(root, "SpatialLayout", _LayoutEntry):
        labels = entry.task.labels
        where = f"{root}: SpatialLayout {entry.number}"
        relations = [
            {
                "first": _side(position.subject, labels, where),
                "relation": RELATIONS[position.direction],
                "second": _side(position.object, labels, where),
            }
            for position in entry.task.relative_position
        ]
        forms = [label.lower() for label in labels.values()]
        yield Imported(entry.number, Task(entry.prompt, {"forms": forms, "relations": relations, DETECTOR: True}))


def texts(root: Path) -> Iterator[Imported]:
    """Yield the tasks of text."""
    for entry in entries_of(root, "TextRendering", _TextEntry):
        yield Imported(entry.number, Task(entry.prompt, {"answer": entry.text}))


class _Entity(NamedTuple):
    """An entity: its subject and number, its name, and its reference pictures."""

    key: str
    name: str
    files: tuple[Path, ...]

    def payload(self) -> dict[str, Any]:
        return {"entity": self.name, "references": [f"reference_{place + 1}" for place in range(len(self.files))]}

    def references(self) -> dict[str, Picture]:
        return {f"reference_{place}": read_picture(path) for place, path in enumerate(self.files, start=1)}


def named_entities(root: Path) -> Iterator[Imported]:
    """Yield the entities to be drawn by name."""
    for subject in SUBJECTS:
        for entity in _entities(root, subject):
            task = Task(f"A photo of {entity.name}.", entity.payload(), entity.references())
            yield Imported(entity.key, task)


def described_entities(root: Path) -> Iterator[Imported]:
    """Yield the entities to be drawn from a description that does not name them."""
    for subject in SUBJECTS:
        described = {entry.number: entry.prompt for entry in entries_of(root, subject, Entry)}
        for entity in _entities(root, subject):
            prompt = described.get(entity.key.partition("-")[2])
            if prompt is not None:
                yield Imported(entity.key, Task(prompt, entity.payload(), entity.references()))


def recognised_entities(root: Path) -> Iterator[Imported]:
    """Yield the entities to be recognised in their first reference picture, among three others of the subject.

    GIR-Bench's own questions are not in the layout that its evaluation code reads, so the other names are drawn here.
    """
    for subject in SUBJECTS:
        entities = list(_entities(root, subject))
        names = sorted({entity.name for entity in entities})
        for entity in entities:
            # Seeded by the entity, so that every import asks the same question.
            rng = random.Random(derived_seed(0, "recognition", entity.key))
            others = [name for name in names if name != entity.name]
            choices = [entity.name, *rng.sample(others, min(CHOICES - 1, len(others)))]
            # A question with a single choice is no question.
            if len(choices) < 2:
                continue
            rng.shuffle(choices)
            prompt = f"What does this picture show? Answer with one of these and nothing else: {', '.join(choices)}."
            pictures = {"input": read_picture(entity.files[0])}
            payload = {"entity": entity.name, "choices": choices}
            yield Imported(entity.key, Task(prompt, payload, pictures, tuple(choices), entity.name))


def _entities(root: Path, subject: str) -> Iterator[_Entity]:
    """Yield the entities of a subject, by the names of their folders, such as ``012_red_panda``."""
    folder = root / subject
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not place.is_dir():
            continue
        _, _, name = place.name.partition("_")
        files = tuple(path for path in sorted(place.iterdir()) if path.suffix.lower() in SUFFIXES)[:REFERENCES]
        if not name or not files:
            raise InputError(f"{place}: no {'name in it' if not name else 'pictures'}", RESTORE)
        yield _Entity(f"{subject.lower()}-{numbered(place.name)}", name.replace("_", " "), files)


def _side(side: str | int | tuple[str, ...], labels: Mapping[str, str], where: str) -> list[str]:
    """Return the labels of one side of a relation."""
    names = (side,) if isinstance(side, str) else side
    if isinstance(names, int):
        if not 0 <= names < len(labels):
            raise InputError(f"{where}: relative_position names object {names} of {len(labels)}", RESTORE)
        names = (list(labels)[names],)
    strangers = [name for name in names if name not in labels]
    if strangers:
        raise InputError(f"{where}: relative_position names {strangers[0]!r}, which is none of the objects", RESTORE)
    return [labels[name].lower() for name in names]


def _flat(values: tuple[str | tuple[str | None, ...] | None, ...]) -> list[str | None]:
    return list(chain.from_iterable(value if isinstance(value, tuple) else (value,) for value in values))
