"""Tasks about real things, as GIR-Bench's: a vision model sees them, and without one nothing is judged."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import OpenAIServer, serving

from ircore.core.elements import ElementList, SeenElement
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Verdict
from ircore.games.reasoning.measures import judge_attempt
from ircore.games.reasoning.puzzles.detections import Detections
from ircore.games.reasoning.records import Attempt, TaskRecord
from ircore.scorers.game_measures import EpisodeInstruments

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


def verdict(task: TaskRecord) -> Verdict:
    attempt = Attempt(told=task.prompt, rendering=Rendering.of(FARM))
    return judge_attempt(task, attempt, EpisodeInstruments({}, lambda _: FARM))


DUCK_BOXES = [[0, 0, 100, 100], [200, 0, 300, 100], [400, 0, 500, 100]]
DOG_BOX = [[700, 0, 900, 500]]


def test_without_a_vision_model_real_things_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IRCORE_DETECTOR", raising=False)
    undecided = verdict(DUCKS)
    assert (undecided.published, undecided.corrected) == (None, None)
    assert "IRCORE_DETECTOR" in undecided.reasons[0]


@pytest.mark.slow
def test_right_counts_are_right(server: OpenAIServer) -> None:
    server.judge = lambda _: answer({"duck": DUCK_BOXES, "dog": DOG_BOX})
    right = verdict(DUCKS)
    assert (right.published, right.corrected, right.correct) == (1.0, 1.0, True)
    assert "duck: 3 of 3" in right.reasons
    assert "look for: duck, dog" in str(server.seen[0].document)


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


def test_things_that_nobody_asked_for_cost_nothing_in_the_published_rule_alone(server: OpenAIServer) -> None:
    server.judge = lambda _: answer({"duck": DUCK_BOXES, "dog": DOG_BOX, "cow": [[0, 500, 100, 900]]})
    extra = verdict(DUCKS)
    assert (extra.published, extra.corrected) == (1.0, 0.0)


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


def test_a_picture_is_looked_at_once(server: OpenAIServer) -> None:
    server.judge = lambda _: answer({"duck": DUCK_BOXES, "dog": DOG_BOX})
    assert verdict(DUCKS) == verdict(DUCKS)
    assert len(server.seen) == 1


def test_elements_become_thousandths_of_the_picture() -> None:
    elements = ElementList(
        width=100,
        height=50,
        elements=(SeenElement(label="duck", box=(10, 10, 20, 20)), SeenElement(label="duck"), SeenElement(label="dog")),
    )
    seen = Detections.of_elements(elements)
    assert seen.boxes == {"duck": ((100, 200, 200, 400),)}
    assert (seen.found("duck"), seen.found("dog")) == (2, 1)
