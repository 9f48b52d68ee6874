"""Imports GIR-Bench's tasks from its public files, in the layout that its evaluation code reads.

The folder is that of the download, or its part ``reference``::

    prompt/NumericalReasoning.json   [{id, prompt, task: {objects, number}}]
    prompt/SpatialLayout.json        [{id, prompt, task: {objects, colors, relative_position}}]
    prompt/TextRendering.json        [{id, prompt, text}]
    prompt/Zoology.json, Botany.json, Geography.json   [{id, prompt}], implicit descriptions
    Zoology/12_red_panda/*.png       reference pictures of an entity
    VisualPuzzle/solution/012.png    and the exchanged tiles, see ``SHUFFLED``
    VisualLogic/sudoku/012.json, question/012.png, answer/012.png
    ReasoningPerception/image/012.png, mask/012.png, with prompt/ReasoningPerception.json [{id, prompt}]

What is missing is left out, as long as something is there. Source: Li et al., *GIR-Bench* (ICLR 2026), and its
repository HKUST-LongGroup/GIR-Bench on GitHub.

First come the files: lists of prompts and numbered pictures. Then tasks with a picture to edit: jigsaws, sudokus and
regions to be painted. Then those without one: quantity, layout, text and entities.
"""

import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy.optimize import linear_sum_assignment

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.images import Picture, Pixels, read_picture
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Difficulty, Instance, derive_seed
from ircore.core.validation import convert_validation_errors
from ircore.games.reasoning.dimensions.layout import Relation
from ircore.games.reasoning.tasks import DETECTOR, LONGEST, Task
from ircore.instances.requests import ImportRequest
from ircore.instances.store import GIR_BENCH, InstanceSet, refuse_other_licence, write_instances
from ircore.seeing.grids import cut_tiles

SOURCE = "GIR-Bench (Li et al. 2025)"
DIFFICULTY = "hard"
"""Difficulty of tasks that come in one form."""

_PLACES = (".", "reference", "dataset/reference", "benchmark", "reference/benchmark")

PROMPTS = "prompt"
"""Folder of the lists of prompts."""

_FOLDERS = (PROMPTS, "Zoology", "Botany", "Geography", "VisualPuzzle", "VisualLogic", "ReasoningPerception")

MAX_BYTES = 64 * 1024**2
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
RESTORE = "Restore the file as it was published."

TILES = range(2, 9)
"""Tiles a side that are looked for in a jigsaw, whose files do not state their number."""

SAME = 12.0
"""Mean difference of two tiles, 0–255, up to which they are the same: files may have been scaled and compressed."""

FINE = 16
"""Pixels a side to which tiles are brought before they are compared."""

GREEN = (0, 255, 0)
SUDOKU_FIELDS = {
    "puzzle": ("puzzle", "question", "problem", "grid"),
    "solution": ("solution", "answer", "ground_truth"),
}
"""Names under which a sudoku's file may hold its digits; the published code reads ``grid_size`` alone."""

SUBJECTS = ("Zoology", "Botany", "Geography")
"""Folders of the entities."""

CHOICES = 4
REFERENCES = 8
"""Reference pictures of an entity that are taken, at most."""

RELATIONS: Mapping[str, Relation] = {
    "left": "left", "right": "right", "up": "above", "above": "above", "down": "below", "below": "below",
}  # fmt: skip
"""Directions as its files name them."""


class ImportedTask(NamedTuple):
    """A task of GIR-Bench.

    >>> ImportedTask("012", Task("Draw 3 ducks.", {"expected": {"duck": 3}})).difficulty is None
    True

    Attributes:
        number: Number of the task in its list, and what else tells it apart; part of the instance's id.
        task: The task.
        difficulty: None where the tasks of a dimension come in one form.
    """

    number: str
    task: Task
    difficulty: Difficulty | None = None


def import_jigsaws(root: Path) -> Iterator[ImportedTask]:
    """Yield the jigsaws; the number of tiles is what makes every tile of the puzzle one of the solution's."""
    folder = root / "VisualPuzzle"
    solutions = find_pictures(folder / "solution")
    if not solutions:
        return
    # The published code names no folder of puzzles.
    puzzles_folder = _find_other_folder(folder, "solution")
    puzzles = find_pictures(puzzles_folder)
    prompts = {entry.number: entry.prompt for entry in read_entries(root, "VisualPuzzle", PromptEntry)}
    for number in solutions:
        truth = read_picture_at(solutions, number, folder / "solution")
        shown = read_picture_at(puzzles, number, puzzles_folder)
        count, order = _match_tiles(shown.pixels, truth.pixels, puzzles[number])
        prompt = prompts.get(number) or (
            f"This picture was cut into {count} × {count} square tiles, and tiles were exchanged; none was turned. "
            "Draw the picture with every tile back in its place."
        )
        yield ImportedTask(number, Task(prompt, {"tiles": count, "order": order}, {"input": shown, "truth": truth}))


def import_sudokus(root: Path) -> Iterator[ImportedTask]:
    """Yield the sudokus; 4 × 4 is easy, 9 × 9 hard."""
    folder = root / "VisualLogic"
    questions, answers = find_pictures(folder / "question"), find_pictures(folder / "answer")
    prompts = {entry.number: entry.prompt for entry in read_entries(root, "VisualLogic", PromptEntry)}
    for path in sorted((folder / "sudoku").glob("*.json")):
        number = format_task_number(path.stem)
        cells, solution = _read_digits(path)
        side = isqrt(len(cells))
        prompt = prompts.get(number) or (
            f"Solve this {side} × {side} sudoku: draw the same picture with the missing digit in every empty cell."
        )
        pictures = {
            "input": read_picture_at(questions, number, folder / "question"),
            "truth": read_picture_at(answers, number, folder / "answer"),
        }
        task = Task(prompt, {"cells": cells, "solution": solution}, pictures)
        yield ImportedTask(number, task, "easy" if side == 4 else "hard")


def import_paintings(root: Path) -> Iterator[ImportedTask]:
    """Yield the regions to be painted, each with its description, which cannot be done without."""
    folder = root / "ReasoningPerception"
    shown = find_pictures(folder / "image")
    if not shown:
        return
    masks = find_pictures(folder / "mask")
    prompts = {entry.number: entry.prompt for entry in read_entries(root, "ReasoningPerception", PromptEntry)}
    for number in shown:
        if number not in prompts:
            raise InputError(
                f"{root}: prompt/ReasoningPerception.json: no entry of the number {number}",
                "Restore it: the task cannot be told without its description.",
            )
        before, mask = read_picture_at(shown, number, folder / "image"), read_picture_at(masks, number, folder / "mask")
        if (before.width, before.height) != (mask.width, mask.height):
            raise InputError(f"{masks[number]}: not of the size of {shown[number]}", RESTORE)
        painted = before.pixels.copy()
        # The threshold of the published masks' grey values, as in the verifier.
        painted[mask.pixels[..., 0] > 127] = GREEN
        pictures = {"input": before, "truth": Picture.from_pixels(painted), "mask": mask}
        yield ImportedTask(number, Task(prompts[number], {"description": prompts[number]}, pictures))


def import_quantities(root: Path) -> Iterator[ImportedTask]:
    """Yield the tasks of quantity; their things are real ones, which a detector alone can see."""
    for entry in read_entries(root, "NumericalReasoning", _QuantityEntry):
        expected = dict(zip(map(str.lower, entry.task.objects), entry.task.number, strict=True))
        yield ImportedTask(entry.number, Task(entry.prompt, {"expected": expected, DETECTOR: True}))


def import_layouts(root: Path) -> Iterator[ImportedTask]:
    """Yield the tasks of layout; a side of a relation is a list of labels, more than one for a group."""
    for entry in read_entries(root, "SpatialLayout", _LayoutEntry):
        labels = entry.task.labels
        where = f"{root}: SpatialLayout {entry.number}"
        relations = [
            {
                "first": _parse_side(position.subject, labels, where),
                "relation": RELATIONS[position.direction],
                "second": _parse_side(position.object, labels, where),
            }
            for position in entry.task.relative_position
        ]
        forms = [label.lower() for label in labels.values()]
        yield ImportedTask(entry.number, Task(entry.prompt, {"forms": forms, "relations": relations, DETECTOR: True}))


def import_texts(root: Path) -> Iterator[ImportedTask]:
    """Yield the tasks of text."""
    for entry in read_entries(root, "TextRendering", _TextEntry):
        yield ImportedTask(entry.number, Task(entry.prompt, {"answer": entry.text}))


def import_named_entities(root: Path) -> Iterator[ImportedTask]:
    """Yield the entities to be drawn by name."""
    for subject in SUBJECTS:
        for entity in _read_entities(root, subject):
            task = Task(f"A photo of {entity.name}.", entity.payload(), entity.references())
            yield ImportedTask(entity.key, task)


def import_described_entities(root: Path) -> Iterator[ImportedTask]:
    """Yield the entities to be drawn from a description that does not name them."""
    for subject in SUBJECTS:
        described = {entry.number: entry.prompt for entry in read_entries(root, subject, PromptEntry)}
        for entity in _read_entities(root, subject):
            prompt = described.get(entity.key.partition("-")[2])
            if prompt is not None:
                yield ImportedTask(entity.key, Task(prompt, entity.payload(), entity.references()))


def import_recognised_entities(root: Path) -> Iterator[ImportedTask]:
    """Yield the entities to be recognised in their first reference picture, among three others of the subject.

    GIR-Bench's own questions are not in the layout that its evaluation code reads, so the other names are drawn here.
    """
    for subject in SUBJECTS:
        entities = list(_read_entities(root, subject))
        names = sorted({entity.name for entity in entities})
        for entity in entities:
            # Seeded by the entity, so that every import asks the same question.
            rng = random.Random(derive_seed(0, "recognition", entity.key))
            others = [name for name in names if name != entity.name]
            choices = [entity.name, *rng.sample(others, min(CHOICES - 1, len(others)))]
            # A question with a single choice is no question.
            if len(choices) < 2:
                continue
            rng.shuffle(choices)
            prompt = f"What does this picture show? Answer with one of these and nothing else: {', '.join(choices)}."
            pictures = {"input": read_picture(entity.files[0])}
            payload = {"entity": entity.name, "choices": choices}
            yield ImportedTask(entity.key, Task(prompt, payload, pictures, tuple(choices), entity.name))


READERS: Mapping[str, Callable[[Path], Iterator[ImportedTask]]] = {
    "quantity": import_quantities,
    "layout": import_layouts,
    "text": import_texts,
    "jigsaw": import_jigsaws,
    "sudoku": import_sudokus,
    "painting": import_paintings,
    "entity-named": import_named_entities,
    "entity-described": import_described_entities,
    "recognition": import_recognised_entities,
}
"""The function that reads the tasks of each dimension; it yields nothing where the files are missing."""


def import_gir_bench(request: ImportRequest) -> InstanceSet:
    """Make an instance set of the reasoning game from GIR-Bench's files.

    Args:
        request: Its path is the downloaded folder, its category a dimension, all if None.

    Raises:
        InputError: Another licence is given, or the category is no dimension.
        InputError: A file is wrong; the line names file, entry and field. Nothing is written.
    """
    refuse_other_licence(request.licence, GIR_BENCH)
    if request.category is not None and request.category not in READERS:
        raise build_unknown_name_error("dimension", request.category, tuple(READERS), "--category")
    root = _find_root(request.path)
    wanted = (request.category,) if request.category else tuple(READERS)
    # All at once and before the folder is made, so that a wrong file leaves no half-written set.
    tasks = [(name, task) for name in wanted for task in READERS[name](root)]
    if not tasks:
        raise InputError(f"{root}: no tasks of {', '.join(wanted)}", "Download the whole data set.")
    if missing := [name for name in wanted if name not in {dimension for dimension, _ in tasks}]:
        print(f"{root}: no files of {', '.join(missing)}", file=sys.stderr)
    return write_instances(request.out, (_build_instance(name, task, request) for name, task in tasks))


class PromptEntry(BaseModel):
    """An entry of a list of prompts; unknown fields are passed over, since the format is not ours.

    >>> PromptEntry(id="007", prompt="Draw it.", note="checked").number
    '007'
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int | str = Field(description="Number of the task, such as 7 or 007.")
    prompt: str = Field(min_length=1, max_length=LONGEST)

    @property
    def number(self) -> str:
        """The number with three digits, as its pictures are named."""
        return format_task_number(str(self.id))


EntryT = TypeVar("EntryT", bound=PromptEntry)


def read_entries(root: Path, name: str, kind: type[EntryT]) -> Iterator[EntryT]:
    """Yield the entries of a list of prompts; none if there is no such list.

    Args:
        root: Folder of the data set.
        name: Of the list, such as ``TextRendering``.
        kind: Record of an entry.

    Raises:
        InputError: The file cannot be read, or an entry is not as expected or occurs twice.
    """
    # A partial download is allowed, so a list that is missing means no tasks.
    path = root / PROMPTS / f"{name}.json"
    if not path.is_file():
        return
    entries = read_task_json(path)
    if not isinstance(entries, list):
        raise InputError(f"{path}: no list of tasks", "Expected [{id, prompt, …}, …].")
    places_by_id: dict[str, int] = {}
    for place, entry in enumerate(entries, start=1):
        where = f"{path}: entry {place}"
        with convert_validation_errors(where, RESTORE):
            checked = kind.model_validate(entry)
        if places_by_id.setdefault(checked.number, place) != place:
            raise InputError(f"{where}: id {checked.id} stands in entry {places_by_id[checked.number]}, too", RESTORE)
        yield checked


def read_task_json(path: Path) -> Any:
    """Return the content of a JSON file, see ``read_json``."""
    return read_json(path, MAX_BYTES, RESTORE)


def find_pictures(folder: Path) -> Mapping[str, Path]:
    """Return the files of the pictures in a folder by their numbers with three digits, in order.

    Raises:
        InputError: Two pictures have the same number.
    """
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix.lower() in SUFFIXES:
            number = format_task_number(path.stem)
            if number in files:
                raise InputError(f"{path} and {files[number].name} have the same number", "Remove one of them.")
            files[number] = path
    return files


def read_picture_at(files: Mapping[str, Path], number: str, folder: Path) -> Picture:
    """Return the picture of a number.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    if number not in files:
        raise InputError(f"{folder}: no picture of the number {number}", RESTORE)
    return read_picture(files[number])


def format_task_number(name: str) -> str:
    """Return a task's number with three digits, from an id or the name of a file or folder.

    >>> format_task_number("7"), format_task_number("012_red_panda"), format_task_number("1204")
    ('007', '012', '1204')

    Raises:
        InputError: The name has no number.
    """
    digits = re.search(r"\d{1,9}", name)
    if digits is None:
        raise InputError(f"{name!r} has no number of a task", RESTORE)
    return f"{int(digits[0]):03d}"


def _find_root(path: Path) -> Path:
    """Return the folder that holds the tasks: the given one, or the one in it."""
    # Downloads and the repository hold the data set at different depths.
    for place in _PLACES:
        if any((path / place / folder).is_dir() for folder in _FOLDERS):
            return path / place
    raise InputError(
        f"{path}: holds none of GIR-Bench's folders ({', '.join(_FOLDERS)})",
        "Download them: hf download --repo-type dataset lihxxx/GIR-Bench --local-dir DIR – and give DIR.",
    )


def _build_instance(
    dimension: str, imported: ImportedTask, request: ImportRequest
) -> tuple[Instance, Mapping[str, Picture]]:
    task = imported.task
    instance = Instance(
        instance_id=f"gir-bench-{dimension}-{imported.number}",
        category=dimension,
        difficulty=request.difficulty or imported.difficulty or DIFFICULTY,
        game="reasoning",
        payload=task.record(dimension).model_dump(mode="json"),
        source=request.source or SOURCE,
        licence=GIR_BENCH,
    )
    return instance, task.pictures


def _find_other_folder(folder: Path, known: str) -> Path:
    """Return the one folder beside a known one: the published code never reads it, and so does not name it."""
    others = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name != known]
    if len(others) != 1:
        named = ", ".join(path.name for path in others) or "none"
        raise InputError(f"{folder}: one folder beside {known} holds the puzzles; there are: {named}", RESTORE)
    return others[0]


def _match_tiles(shown: Pixels, truth: Pixels, path: Path) -> tuple[int, list[int]]:
    """Return the tiles a side, and for each place of the puzzle the solution's tile that it shows.

    Raises:
        InputError: No number of tiles turns one picture into the other.
    """
    for count in TILES:
        wanted = [_shrink_tile(tile) for tile in cut_tiles(truth, count)]
        cut = [_shrink_tile(tile) for tile in cut_tiles(shown, count)]
        differences = np.array([[float(np.abs(tile - other).mean()) for other in wanted] for tile in cut])
        # Tiles that look alike, such as those of a clear sky, could each stand for the other: the best pairs count.
        places, tiles = linear_sum_assignment(differences)
        order = [int(tile) for tile in tiles]
        # The identity would make any two equal pictures a puzzle with nothing to move.
        if float(differences[places, tiles].max()) <= SAME and order != sorted(order):
            return count, order
    raise InputError(
        f"{path}: its tiles are not the solution's, from {TILES.start} to {TILES.stop - 1} a side", RESTORE
    )


def _shrink_tile(tile: Pixels) -> "np.ndarray[Any, Any]":
    return np.asarray(Image.fromarray(tile).resize((FINE, FINE), Image.Resampling.BOX), np.float64)


def _read_digits(path: Path) -> tuple[str, str]:
    """Return given digits and solution, row by row, ``.`` for an empty cell.

    Raises:
        InputError: The file lacks them, or the solution is not one of the puzzle.
    """
    document = read_task_json(path)
    document = document if isinstance(document, dict) else {}
    cells, solution = (_parse_cells(document, names, path) for names in SUDOKU_FIELDS.values())
    side = isqrt(len(solution))
    if side not in (4, 9) or side * side != len(solution) or len(cells) != len(solution):
        raise InputError(f"{path}: {len(cells)} and {len(solution)} cells are no sudoku of 4 × 4 or 9 × 9", RESTORE)
    if "." in solution or any(cell not in (".", right) for cell, right in zip(cells, solution, strict=True)):
        raise InputError(f"{path}: the solution leaves cells empty or changes given digits", RESTORE)
    return cells, solution


def _parse_cells(document: dict[str, Any], names: tuple[str, ...], path: Path) -> str:
    """Return the cells of a field: rows as lists or texts, or a single text; 0, null and dots are empty."""
    value = next((document[name] for name in names if name in document), None)
    if value is None:
        raise InputError(f"{path}: lacks {' or '.join(names)}", RESTORE)
    rows = value if isinstance(value, list) else [value]
    written = "".join(_parse_characters(cell) for row in rows for cell in (row if isinstance(row, list) else [row]))
    # Grids come as lists of numbers, lists of texts or one text, so the cells are checked after joining.
    wrong = next((cell for cell in written if cell not in "123456789."), None)
    if wrong is not None or not written:
        raise InputError(f"{path}: {names[0]}: {wrong!r} is no digit", RESTORE)
    return written


def _parse_characters(cell: object) -> str:
    """Return a cell, or a row that is written as one text, with a dot for every empty cell."""
    return re.sub(r"[0_ ]", ".", str(cell)) if cell not in (None, "") else "."


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


class _QuantityEntry(PromptEntry):
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
        names = [name for name in _flatten(self.objects) if name]
        # Files may list fewer colours than objects, or none.
        colours = (*_flatten(self.colors), *[None] * len(names))
        return {name: f"{colour} {name}" if colour else name for name, colour in zip(names, colours, strict=False)}


class _LayoutEntry(PromptEntry):
    task: _Places


class _TextEntry(PromptEntry):
    text: str = Field(min_length=1, max_length=500)


class _Entity(NamedTuple):
    """An entity: its subject and number, its name, and its reference pictures."""

    key: str
    name: str
    files: tuple[Path, ...]

    def payload(self) -> dict[str, Any]:
        return {"entity": self.name, "references": [f"reference_{place + 1}" for place in range(len(self.files))]}

    def references(self) -> dict[str, Picture]:
        return {f"reference_{place}": read_picture(path) for place, path in enumerate(self.files, start=1)}


def _read_entities(root: Path, subject: str) -> Iterator[_Entity]:
    """Yield the entities of a subject, by the names of their folders, such as ``012_red_panda``."""
    folder = root / subject
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not place.is_dir():
            continue
        _, _, name = place.name.partition("_")
        files = tuple(path for path in sorted(place.iterdir()) if path.suffix.lower() in SUFFIXES)[:REFERENCES]
        if not name or not files:
            raise InputError(f"{place}: no {'name in it' if not name else 'pictures'}", RESTORE)
        yield _Entity(f"{subject.lower()}-{format_task_number(place.name)}", name.replace("_", " "), files)


def _parse_side(side: str | int | tuple[str, ...], labels: Mapping[str, str], where: str) -> list[str]:
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


def _flatten(values: tuple[str | tuple[str | None, ...] | None, ...]) -> list[str | None]:
    return list(chain.from_iterable(value if isinstance(value, tuple) else (value,) for value in values))
