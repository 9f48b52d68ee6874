"""The importer of GIR-Bench, on a small folder in the published layout, and its tasks about real things."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import OpenAIServer, serving

from ircore.core.elements import ElementList, SeenElement
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture, Pixels
from ircore.games.reasoning.detections import Detections
from ircore.games.reasoning.gir_bench import READERS, import_gir_bench
from ircore.games.reasoning.measures import judge_attempt
from ircore.games.reasoning.tasks import TaskAttempt, TaskRecord, TaskVerdict
from ircore.instances.requests import ImportRequest
from ircore.instances.store import GIR_BENCH, InstanceSet, may_be_published
from ircore.scorers.game_measures import EpisodeInstruments

SUDOKU = ["1.34", "34.2", "2143", "4321"]
SOLVED = ["1234", "3412", "2143", "4321"]


def tile_picture(order: tuple[int, ...]) -> Pixels:
    """A picture of 3 × 3 plain tiles, each of a colour of its own, in an order."""
    pixels = np.zeros((90, 90, 3), np.uint8)
    for place, tile in enumerate(order):
        row, column = divmod(place, 3)
        pixels[row * 30 : row * 30 + 30, column * 30 : column * 30 + 30] = (tile * 28, 255 - tile * 28, tile % 2 * 200)
    return pixels


def save(path: Path, pixels: Pixels) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(Picture.from_pixels(pixels).data)


def write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A download with a task or two of every dimension."""
    root = tmp_path / "download" / "reference"
    plain = np.full((40, 40, 3), 200, np.uint8)
    farm = "4 animals, ducks and dogs, have 10 legs."
    counts = {"objects": ["duck", "dog"], "number": [3, 1]}
    write(root / "prompt" / "NumericalReasoning.json", [{"id": 1, "prompt": farm, "task": counts}])
    groups = {
        "objects": [["cat", "dog"], ["car"]],
        "colors": [["", "brown"], ["red"]],
        "relative_position": [{"subject": ["cat", "dog"], "direction": "left", "object": "car"}],
    }
    places = {"objects": ["bird", "tree"], "relative_position": [{"subject": 0, "direction": "up", "object": 1}]}
    layouts = [
        {"id": "002", "prompt": "The animals are left of the vehicle.", "task": groups},
        {"id": 3, "prompt": "The bird is over the tree.", "task": places},
    ]
    write(root / "prompt" / "SpatialLayout.json", layouts)
    write(root / "prompt" / "TextRendering.json", [{"id": 7, "prompt": "Nike's slogan.", "text": "Just do it"}])
    write(root / "prompt" / "Zoology.json", [{"id": 12, "prompt": "A small bear-like animal with a ringed tail."}])
    for number, name in ((12, "red_panda"), (13, "lynx")):
        save(root / "Zoology" / f"{number:03d}_{name}" / "a.png", plain - number)
    save(root / "Zoology" / "012_red_panda" / "b.png", plain)
    save(root / "VisualPuzzle" / "solution" / "005.png", tile_picture(tuple(range(9))))
    save(root / "VisualPuzzle" / "puzzle" / "5.png", tile_picture((1, 2, 0, 4, 3, 5, 6, 8, 7)))
    write(root / "VisualLogic" / "sudoku" / "004.json", {"grid_size": 4, "puzzle": SUDOKU, "solution": SOLVED})
    save(root / "VisualLogic" / "question" / "004.png", plain)
    save(root / "VisualLogic" / "answer" / "004.png", plain)
    mask = np.zeros((40, 40, 3), np.uint8)
    mask[10:20, 5:30] = 255
    save(root / "ReasoningPerception" / "image" / "009.png", plain)
    save(root / "ReasoningPerception" / "mask" / "009.png", mask)
    write(root / "prompt" / "ReasoningPerception.json", [{"id": 9, "prompt": "Paint what holds the water green."}])
    return tmp_path / "download"


def imported(folder: Path, category: str | None = None, **options: Any) -> InstanceSet:
    return import_gir_bench(ImportRequest(folder, folder.parent / "set", category, **options))


def task_of(instances: InstanceSet, instance_id: str) -> TaskRecord:
    instance = next(member for member in instances.instances if member.instance_id == instance_id)
    return TaskRecord.model_validate(instance.payload)


def test_every_dimension_is_imported(folder: Path) -> None:
    instances = imported(folder)
    assert {instance.category for instance in instances.instances} == set(READERS)
    assert {instance.instance_id for instance in instances.instances} == {
        "gir-bench-quantity-001", "gir-bench-layout-002", "gir-bench-layout-003", "gir-bench-text-007",
        "gir-bench-jigsaw-005", "gir-bench-sudoku-004", "gir-bench-painting-009",
        *(f"gir-bench-{name}" for name in ENTITIES), "gir-bench-recognition-zoology-012",
        "gir-bench-recognition-zoology-013",
    }  # fmt: skip


ENTITIES = ("entity-named-zoology-012", "entity-named-zoology-013", "entity-described-zoology-012")
"""A description is there of one of the two animals."""


def test_pictures_are_never_published(folder: Path) -> None:
    instances = imported(folder)
    assert {instance.licence for instance in instances.instances} == {GIR_BENCH}
    assert not may_be_published(GIR_BENCH)
    with pytest.raises(InputError, match="must not be published"):
        imported(folder, licence="CC0-1.0")


def test_counts_and_relations_are_those_of_the_files(folder: Path) -> None:
    instances = imported(folder)
    assert task_of(instances, "gir-bench-quantity-001").task == {"expected": {"duck": 3, "dog": 1}, "detector": True}
    groups = task_of(instances, "gir-bench-layout-002").task
    assert groups["forms"] == ["cat", "brown dog", "red car"]
    assert groups["relations"] == [{"first": ["cat", "brown dog"], "relation": "left", "second": ["red car"]}]
    by_place = task_of(instances, "gir-bench-layout-003").task
    assert by_place["relations"] == [{"first": ["bird"], "relation": "above", "second": ["tree"]}]
    assert task_of(instances, "gir-bench-text-007").task == {"answer": "Just do it"}


def test_the_tiles_of_a_jigsaw_are_found_from_its_pictures(folder: Path) -> None:
    task = task_of(imported(folder), "gir-bench-jigsaw-005")
    assert task.task == {"tiles": 3, "order": [1, 2, 0, 4, 3, 5, 6, 8, 7]}
    assert task.shown == ("input",)


def test_a_sudoku_has_its_digits_from_its_file(folder: Path) -> None:
    task = task_of(imported(folder), "gir-bench-sudoku-004")
    assert task.task == {"cells": "".join(SUDOKU), "solution": "".join(SOLVED)}


def test_a_painting_is_true_where_the_mask_is(folder: Path) -> None:
    instances = imported(folder)
    instance = next(member for member in instances.instances if member.category == "painting")
    truth = instances.pictures(instance)["truth"].pixels
    assert truth[15, 10].tolist() == [0, 255, 0]
    assert truth[5, 10].tolist() == [200, 200, 200]


def test_an_entity_is_drawn_by_name_and_by_description_and_recognised(folder: Path) -> None:
    instances = imported(folder)
    named, described = (task_of(instances, f"gir-bench-{name}") for name in (ENTITIES[0], ENTITIES[2]))
    assert "red panda" in named.prompt
    assert "red panda" not in described.prompt
    instance = next(member for member in instances.instances if member.instance_id.endswith(ENTITIES[0]))
    assert set(instances.pictures(instance)) == {"reference_1", "reference_2"}
    assert named.shown == ()
    recognised = task_of(instances, "gir-bench-recognition-zoology-013")
    assert (set(recognised.choices), recognised.answer) == ({"red panda", "lynx"}, "lynx")


def test_one_dimension_alone_and_folders_at_any_depth(folder: Path) -> None:
    instances = imported(folder / "reference", "text")
    assert [instance.instance_id for instance in instances.instances] == ["gir-bench-text-007"]


def test_missing_dimensions_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "reference" / "prompt" / "TextRendering.json").unlink()
    imported(folder)
    assert "no files of text" in capsys.readouterr().err


Change = Callable[[Path], None]


def rewritten(name: str, document: Any) -> Change:
    return lambda root: write(root / name, document)


def removed(name: str) -> Change:
    return lambda root: (root / name).unlink()


TASK = {"id": 1, "prompt": "Draw.", "task": {"objects": ["duck"], "number": [1]}}
NO_DOG = {"objects": ["cat"], "relative_position": [{"subject": "dog", "direction": "left", "object": "cat"}]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (rewritten("prompt/NumericalReasoning.json", {"tasks": []}), "NumericalReasoning.json: no list of tasks"),
        (rewritten("prompt/NumericalReasoning.json", [TASK, TASK]), "entry 2: id 1 stands in entry 1, too"),
        (
            rewritten("prompt/NumericalReasoning.json", [{**TASK, "task": {"objects": ["duck"], "number": [1, 2]}}]),
            "entry 1: task: 1 objects and 2 numbers",
        ),
        (rewritten("prompt/TextRendering.json", [{"id": 1, "prompt": "Draw."}]), "entry 1: text: is missing"),
        (
            rewritten("prompt/SpatialLayout.json", [{**TASK, "task": NO_DOG}]),
            "SpatialLayout 001: relative_position names 'dog', which is none of the objects",
        ),
        (removed("VisualPuzzle/puzzle/5.png"), "VisualPuzzle/puzzle: no picture of the number 005"),
        (
            lambda root: save(root / "VisualPuzzle" / "puzzle" / "5.png", tile_picture((0, 0, 0, 0, 0, 0, 0, 0, 0))),
            "5.png: its tiles are not the solution's",
        ),
        (rewritten("VisualLogic/sudoku/004.json", {"grid_size": 4}), "004.json: lacks puzzle or question"),
        (
            rewritten("VisualLogic/sudoku/004.json", {"puzzle": SOLVED, "solution": SUDOKU}),
            "004.json: the solution leaves cells empty",
        ),
        (removed("ReasoningPerception/mask/009.png"), "ReasoningPerception/mask: no picture of the number 009"),
        (removed("prompt/ReasoningPerception.json"), "ReasoningPerception.json: no entry of the number 009"),
    ],
)
def test_a_wrong_file_is_named_and_nothing_is_written(folder: Path, change: Change, problem: str) -> None:
    change(folder / "reference")
    with pytest.raises(InputError, match=problem.replace("(", "\\(")):
        imported(folder)
    assert not (folder.parent / "set").exists()


def test_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds none of GIR-Bench's folders"):
        imported(tmp_path / "empty")


def test_a_category_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="unknown dimension 'counting'"):
        imported(folder, "counting")


FARM = Picture.from_pixels(np.full((50, 100, 3), 90, np.uint8))
DUCKS = TaskRecord(
    dimension="quantity", prompt="4 animals have 10 legs.", task={"expected": {"duck": 3, "dog": 1}, "detector": True}
)
GROUPS = TaskRecord(
    dimension="layout",
    prompt="The animals are left of the car.",
    task={
        "forms": ["cat", "dog", "red car"],
        "relations": [{"first": ["cat", "dog"], "relation": "left", "second": ["red car"]}],
        "detector": True,
    },
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A vision model on loopback, set up as the detector."""
    with serving() as running:
        path = tmp_path / "seer.yaml"
        path.write_text(
            f"schema: 1\nname: seer\nlabel: A seer\nplayer: openai\nmodel: judge-1\nbase_url: {running.base_url}\n"
        )
        monkeypatch.setenv("IRCORE_DETECTOR", str(path))
        yield running


def answer(boxes: Mapping[str, list[list[int]]], missing: tuple[str, ...] = ()) -> str:
    objects = [{"label": label, "count": len(places), "boxes": places} for label, places in boxes.items()]
    return json.dumps({"objects": objects, "missing_objects": list(missing)})


def verdict(task: TaskRecord) -> TaskVerdict:
    attempt = TaskAttempt(told=task.prompt, rendering=Rendering.of(FARM))
    return judge_attempt(task, attempt, EpisodeInstruments({}, lambda _: FARM))


DUCK_BOXES = [[0, 0, 100, 100], [200, 0, 300, 100], [400, 0, 500, 100]]
DOG_BOX = [[700, 0, 900, 500]]


def test_without_a_vision_model_real_things_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IRCORE_DETECTOR", raising=False)
    undecided = verdict(DUCKS)
    assert (undecided.published, undecided.corrected) == (None, None)
    assert "IRCORE_DETECTOR" in undecided.reasons[0]


@pytest.mark.slow
def test_right_counts_are_right_and_a_picture_is_looked_at_once(server: OpenAIServer) -> None:
    server.judge = lambda _: answer({"duck": DUCK_BOXES, "dog": DOG_BOX})
    right = verdict(DUCKS)
    assert (right.published, right.corrected, right.correct) == (1.0, 1.0, True)
    assert "duck: 3 of 3" in right.reasons
    assert "look for: duck, dog" in str(server.seen[0].document)
    assert verdict(DUCKS) == right
    assert len(server.seen) == 1  # a picture is looked at once


@pytest.mark.slow
@pytest.mark.parametrize(
    "seen",
    [
        answer({"duck": DUCK_BOXES[:2], "dog": DOG_BOX}),
        answer({"duck": DUCK_BOXES, "dog": [*DOG_BOX, [600, 600, 700, 700]]}),
        answer({"duck": DUCK_BOXES}, missing=("dog",)),
        answer({}, missing=("duck", "dog")),
    ],
)
def test_wrong_counts_are_wrong_by_both_rules(server: OpenAIServer, seen: str) -> None:
    server.judge = lambda _: seen
    wrong = verdict(DUCKS)
    assert (wrong.published, wrong.corrected, wrong.correct) == (0.0, 0.0, False)


def test_a_group_lies_where_the_box_around_it_lies(server: OpenAIServer) -> None:
    boxes = {"cat": [[0, 0, 100, 100]], "dog": [[150, 50, 250, 150]], "red car": [[700, 0, 950, 150]]}
    server.judge = lambda _: answer(boxes)
    right = verdict(GROUPS)
    assert right.correct
    assert right.reasons == ("cat and dog are left of the red car",)


def test_a_group_on_the_wrong_side_is_wrong(server: OpenAIServer) -> None:
    boxes = {"cat": [[800, 0, 900, 100]], "dog": [[650, 50, 750, 150]], "red car": [[0, 0, 250, 150]]}
    server.judge = lambda _: answer(boxes)
    wrong = verdict(GROUPS)
    assert (wrong.published, wrong.corrected) == (0.0, 0.0)
    assert "cat and dog are not left of the red car" in wrong.reasons


def test_a_thing_without_a_relation_must_be_there_too(server: OpenAIServer) -> None:
    forms: Any = [*GROUPS.task["forms"], "tree"]  # type: ignore[misc]
    task = GROUPS.model_copy(update={"task": {**GROUPS.task, "forms": forms}})
    boxes = {"cat": [[0, 0, 100, 100]], "dog": [[150, 50, 250, 150]], "red car": [[700, 0, 950, 150]]}
    server.judge = lambda _: answer(boxes, missing=("tree",))
    assert verdict(task).corrected == 0.0


def test_elements_become_thousandths_of_the_picture() -> None:
    elements = ElementList(
        width=100,
        height=50,
        elements=(SeenElement(label="duck", box=(10, 10, 20, 20)), SeenElement(label="duck"), SeenElement(label="dog")),
    )
    seen = Detections.of_elements(elements)
    assert seen.boxes == {"duck": ((100, 200, 200, 400),)}
    assert (seen.found("duck"), seen.found("dog")) == (2, 1)
