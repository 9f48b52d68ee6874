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
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Instance
from ircore.games.reasoning.gir_bench_tasks import (
    PROMPTS,
    ImportedTask,
    import_described_entities,
    import_jigsaws,
    import_layouts,
    import_named_entities,
    import_paintings,
    import_quantities,
    import_recognised_entities,
    import_sudokus,
    import_texts,
)
from ircore.instances.requests import ImportRequest
from ircore.instances.store import GIR_BENCH, InstanceSet, refuse_other_licence, write_instances

SOURCE = "GIR-Bench (Li et al. 2025)"
DIFFICULTY = "hard"
"""Difficulty of tasks that come in one form."""

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

_PLACES = (".", "reference", "dataset/reference", "benchmark", "reference/benchmark")
_FOLDERS = (PROMPTS, "Zoology", "Botany", "Geography", "VisualPuzzle", "VisualLogic", "ReasoningPerception")


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
