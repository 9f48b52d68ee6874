"""Rules of the reasoning game with players that answer as they are told to."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.games.base import Ending, EpisodeSetup, Measured, Seat
from ircore.games.reasoning.build import DIMENSIONS
from ircore.games.reasoning.game import UNCLEAR, ReasoningGame, ReasoningRules
from ircore.games.reasoning.records import Attempt, TaskRecord
from ircore.players.base import ChoiceAnswer, PictureAnswer, PlayerError, Question, TextAnswer

GAME = ReasoningGame()
WHITE = Picture.from_pixels(np.full((64, 64, 3), 255, np.uint8))
RIDDLE = DIMENSIONS["quantity"].build("easy", random.Random(1))
TASK = TaskRecord(dimension="quantity", prompt=RIDDLE.prompt, task=RIDDLE.payload)
CHOICE = TaskRecord(
    dimension="recognition", prompt="What is it?", shown=("input",), choices=("dog", "cat"), answer="cat"
)


class Table:
    """Answers each seat with what is given for it, and keeps the questions."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, list[tuple[str, Question]]()

    async def ask(self, seat: Seat[Any, Any], question: Question) -> Any:
        self.asked.append((seat.name, question))
        answer = self.answers[seat.name]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Pictures:
    """Instruments that hold pictures."""

    def __init__(self, pictures: Mapping[str, Picture], drawn: Picture) -> None:
        self.pictures, self.drawn = pictures, drawn

    def picture(self, name: str) -> Picture:
        return self.pictures[name]

    def rendering(self, rendering: object) -> Picture:
        return self.drawn


def played(table: Any, task: TaskRecord, rules: ReasoningRules | None = None) -> Ending:
    instance = Instance(
        instance_id="a",
        category=task.dimension,
        difficulty="easy",
        game="reasoning",
        source="by hand",
        licence="CC0-1.0",
    )
    pictures = dict.fromkeys(task.shown, WHITE)
    setup = EpisodeSetup(instance, task, pictures, rules or ReasoningRules(), GAME.prompts(None))
    return asyncio.run(GAME.play(table, setup))


def measured(task: TaskRecord, ending: Ending, drawn: Picture = WHITE) -> dict[str, Measured]:
    instruments: Any = Pictures(RIDDLE.pictures, drawn)
    values = [*GAME.measured(task, ending), *GAME.measured_pictures(task, ending, instruments)]
    return {value.measure: value for value in values}


def test_the_drawer_reads_the_task_itself() -> None:
    table = Table(drawer=PictureAnswer(WHITE))
    assert played(table, TASK).outcome == "answered"
    assert [(seat, question.prompt) for seat, question in table.asked] == [("drawer", RIDDLE.prompt)]


def test_with_thinking_the_drawer_reads_the_thinkers_words_alone() -> None:
    table = Table(thinker=TextAnswer(" Three red circles. "), drawer=PictureAnswer(WHITE))
    ending = played(table, TASK, ReasoningRules(thinking=True))
    assert [seat for seat, _ in table.asked] == ["thinker", "drawer"]
    assert RIDDLE.prompt in table.asked[0][1].prompt
    assert table.asked[1][1].prompt == "Three red circles."
    (attempt,) = ending.steps
    assert isinstance(attempt, Attempt)
    assert attempt.thought == "Three red circles."


def test_the_reader_sees_the_picture_and_chooses() -> None:
    table = Table(reader=ChoiceAnswer("cat"))
    ending = played(table, CHOICE, ReasoningRules(thinking=True))
    assert [(seat, question.choices) for seat, question in table.asked] == [("reader", ("dog", "cat"))]
    values = measured(CHOICE, ending)
    assert (values["recognised"].value, values["verified"].value) == (1.0, 1.0)


def test_a_wrong_choice_scores_nothing_and_says_so() -> None:
    values = measured(CHOICE, played(Table(reader=ChoiceAnswer("dog")), CHOICE))
    assert values["verified"].value == 0.0
    assert values["verified"].note == "dog instead of cat"


def test_words_that_name_no_choice_are_a_missing_answer() -> None:
    ending = played(Table(reader=ChoiceAnswer(UNCLEAR)), CHOICE)
    assert ending.outcome == "missing"
    assert measured(CHOICE, ending)["answered"].value == 0.0


def test_the_truth_is_verified_and_a_white_picture_is_not() -> None:
    ending = played(Table(drawer=PictureAnswer(WHITE)), TASK)
    assert measured(TASK, ending, RIDDLE.pictures["truth"])["verified"].value == 1.0
    assert measured(TASK, ending, WHITE)["verified"].value == 0.0


def test_a_refused_picture_is_a_failure_that_the_published_score_leaves_out() -> None:
    ending = played(Table(drawer=PlayerError("answer_refused", "not allowed")), TASK)
    assert ending.outcome == "missing"
    values = measured(TASK, ending)
    assert (values["verified"].value, values["answered"].value, values["published"].value) == (0.0, 0.0, None)
    assert "leaves missing pictures out" in str(values["published"].reason)


def test_a_technical_failure_is_no_answer_of_the_pair() -> None:
    with pytest.raises(PlayerError):
        played(Table(drawer=PlayerError("provider_error", "status 500")), TASK)
