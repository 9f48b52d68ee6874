"""Riddles answered with a picture: each has one answer, which an independent solver finds; faults are seen."""

import asyncio
import random
from collections.abc import Callable

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.games.reasoning.dimensions.base import Task, Verdict
from ircore.games.reasoning.dimensions.layout import Layout
from ircore.games.reasoning.dimensions.quantity import Quantity
from ircore.games.reasoning.dimensions.registry import DIMENSIONS
from ircore.games.reasoning.dimensions.text import Text
from ircore.games.reasoning.puzzles.counts import make_counts, solutions
from ircore.games.reasoning.puzzles.forms import Form, Placed, draw_forms
from ircore.players.base import Question
from ircore.players.builtin.editor import EditorPlayer
from ircore.players.builtin.solver import Solver

GENERATE = [dimension for dimension in DIMENSIONS.values() if dimension.part == "generate"]


def verdict(task: Task, answer: Picture) -> Verdict:
    return DIMENSIONS[_dimension_of(task)].verify(task.payload, task.pictures, answer)


def _dimension_of(task: Task) -> str:
    return {"expected": "quantity", "forms": "layout", "answer": "text"}[next(iter(task.payload))]


def forms(*placed: tuple[str, str, float, float]) -> Picture:
    drawing = draw_forms(Placed(Form(colour, shape), x, y, 30) for colour, shape, x, y in placed)
    return Picture.from_pixels(drawing.pixels)


def test_three_dimensions_are_generated() -> None:
    assert [dimension.name for dimension in GENERATE] == ["quantity", "layout", "text"]


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
@pytest.mark.parametrize("name", ["quantity", "layout", "text"])
def test_every_riddle_is_solved_from_its_words_alone(name: str, difficulty: str) -> None:
    solver, editor = Solver(PlayerSpec(player="solver")), EditorPlayer(PlayerSpec(player="editor"))
    for seed in range(12):
        task = DIMENSIONS[name].build(difficulty, random.Random(seed))
        thought = asyncio.run(solver.answer(Question(1, task.prompt))).text
        drawn = asyncio.run(editor.answer(Question(1, thought, answers="picture")))
        assert verdict(task, drawn.picture).correct, task.prompt  # type: ignore[union-attr]


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
@pytest.mark.parametrize("name", ["quantity", "layout", "text"])
@pytest.mark.slow
def test_the_truth_scores_one_and_the_picture_of_another_riddle_less(name: str, difficulty: str) -> None:
    dimension = DIMENSIONS[name]
    tasks = [dimension.build(difficulty, random.Random(seed)) for seed in range(12)]
    for task, other in zip(tasks, [*tasks[1:], tasks[0]], strict=True):
        assert verdict(task, task.pictures["truth"]) == verdict(task, task.pictures["truth"])
        assert verdict(task, task.pictures["truth"]).corrected == 1.0
        if task.payload != other.payload:
            assert (verdict(task, other.pictures["truth"]).corrected or 0.0) < 1.0
        assert verdict(task, Picture.from_pixels(Drawing(512, 512).pixels)).corrected == 0.0


@pytest.mark.parametrize("hard", [False, True])
def test_counts_have_one_solution_among_all(hard: bool) -> None:
    for seed in range(20):
        riddle = make_counts(hard, random.Random(seed))
        assert solutions(list(riddle.counts), riddle.clues) == [dict(riddle.counts)]


DUCKS = {"red circle": 3, "blue square": 1}
"""Four animals with ten legs: three ducks and a dog (GIR-Bench's example with our forms)."""
THREE = (("red", "circle", 60, 60), ("red", "circle", 160, 60), ("red", "circle", 260, 60))
DOG = ("blue", "square", 60, 200)


@pytest.mark.parametrize(
    ("picture", "published", "corrected"),
    [
        (forms(*THREE, DOG), 1.0, 1.0),
        (forms(*THREE[:2], DOG), 0.0, 0.0),
        (forms(*THREE, DOG, ("blue", "square", 160, 200)), 0.0, 0.0),
        (forms(*THREE), 0.0, 0.0),
        (forms(*THREE[:2], ("red", "square", 260, 60), DOG), 0.0, 0.0),
        (forms(*THREE, DOG, ("green", "circle", 400, 400)), 1.0, 0.0),  # published: what nobody asked for is not seen
    ],
    ids=["right", "one too few", "one too many", "a kind missing", "another shape", "something else as well"],
)
def test_quantity_by_hand(picture: Picture, published: float, corrected: float) -> None:
    seen = Quantity().verify({"expected": DUCKS}, {}, picture)
    assert (seen.published, seen.corrected) == (published, corrected)


LEFT_OF = {
    "forms": ["red circle", "blue square"],
    "relations": [{"first": "red circle", "relation": "left", "second": "blue square"}],
}


@pytest.mark.parametrize(
    ("picture", "corrected"),
    [
        (forms(("red", "circle", 100, 250), ("blue", "square", 400, 250)), 1.0),
        (forms(("red", "circle", 400, 250), ("blue", "square", 100, 250)), 0.0),
        (forms(("red", "circle", 250, 100), ("blue", "square", 250, 400)), 0.0),
        (forms(("red", "circle", 100, 250)), 0.0),
        (forms(("red", "circle", 100, 250), ("red", "circle", 100, 400), ("blue", "square", 400, 250)), 0.0),
        (forms(("red", "circle", 100, 250), ("blue", "square", 400, 250), ("black", "circle", 250, 50)), 0.0),
    ],
    ids=["right", "mirrored", "above instead", "one missing", "one twice", "one more"],
)
def test_layout_by_hand(picture: Picture, corrected: float) -> None:
    assert Layout().verify(LEFT_OF, {}, picture).corrected == corrected


def written(*lines: str) -> Picture:
    drawing = Drawing(512, 512)
    for number, line in enumerate(lines):
        drawing.text((256, 150 + 100 * number), line, size=24, colour="#000000")
    return Picture.from_pixels(drawing.pixels)


@pytest.mark.parametrize(
    ("picture", "corrected", "correct"),
    [
        (written("TRAIN"), 1.0, True),
        (written("TRAINS"), 0.0, False),
        (written("RIVER"), 0.0, False),
        (written("TRAIN", "RIVER"), 1.0, False),  # the word is there, and something else
    ],
    ids=["right", "a letter more", "another word", "a word more"],
)
def test_text_by_hand(picture: Picture, corrected: float, correct: bool) -> None:
    seen = Text().verify({"answer": "TRAIN"}, {}, picture)
    assert (seen.corrected, seen.correct) == (corrected, correct)


def test_as_published_a_word_is_found_inside_another() -> None:
    assert Text().verify({"answer": "TRAIN"}, {}, written("TRAINS")).published == 1.0


@pytest.mark.parametrize("change", [lambda p: p[::-1], lambda p: p[:, ::-1], lambda p: 255 - p])
def test_a_turned_or_inverted_layout_is_wrong(change: Callable[..., object]) -> None:
    task = Layout().build("hard", random.Random(3))
    changed = Picture.from_pixels(change(task.pictures["truth"].pixels).copy())  # type: ignore[attr-defined]
    corrected = verdict(task, changed).corrected
    assert corrected is not None
    assert corrected < 1.0
