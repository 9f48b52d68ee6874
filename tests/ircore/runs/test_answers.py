"""An answer that no record can hold is refused in one line that says what to do."""

from typing import Any

import numpy as np
import pytest

from ircore.core.errors import WorkError
from ircore.core.images import Picture
from ircore.games.base import Seat
from ircore.players.base import Answer, AnswerKind, ChoiceAnswer, PictureAnswer, Question, TextAnswer
from ircore.runs.answers import fitting, written

SMALL = Picture.from_pixels(np.zeros((1, 1, 3), np.uint8))
WIDE = Picture.from_pixels(np.zeros((1, 9000, 3), np.uint8))


@pytest.mark.parametrize(
    ("answers", "answer", "problem", "remedy"),
    [
        ("text", None, "answered with a NoneType, not with a text", "Answer with a TextAnswer."),
        ("text", TextAnswer(5), "a TextAnswer whose text is of the type int", "It has to be of the type str."),  # type: ignore[arg-type]
        ("picture", PictureAnswer(b"PNG"), "whose picture is of the type bytes", "It has to be of the type Picture."),  # type: ignore[arg-type]
        ("picture", PictureAnswer(WIDE), "drew 9000 × 1 pixels", "Draw at most 8,192 pixels a side."),
        ("picture", PictureAnswer(SMALL, notes="unclear"), "notes that are no list", 'Write notes=("a note",).'),  # type: ignore[arg-type]
        ("choice", ChoiceAnswer("A", notes=(5,)), "notes that are no list", 'Write notes=("a note",).'),  # type: ignore[arg-type]
        ("choice", ChoiceAnswer("C"), "chose 'C'", "Choose one of: A, B."),
        ("choice", ChoiceAnswer(0), "whose choice is of the type int", "It has to be of the type str."),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_named(answers: AnswerKind, answer: Any, problem: str, remedy: str) -> None:
    seat: Seat[Question, Answer] = Seat("maker", "Maker", "the prompt", answers)
    question = Question(step=1, prompt="Make something.", choices=("A", "B"))
    with pytest.raises(WorkError, match=problem) as refused:
        fitting(seat, question, answer)
    assert refused.value.remedy == remedy


def test_a_question_without_choices_is_the_games_fault() -> None:
    seat: Seat[Question, Answer] = Seat("maker", "Maker", "the prompt", "choice")
    with pytest.raises(WorkError, match="the question to the seat maker in step 1 offers no choices") as refused:
        fitting(seat, Question(step=1, prompt="Choose something."), ChoiceAnswer("A"))
    assert refused.value.remedy == "This is a fault of the game: ask with Question(…, choices=…)."


def test_words_of_any_length_are_recorded_up_to_a_bound() -> None:
    talk = written(TextAnswer("word " * 500_000))
    assert isinstance(talk, TextAnswer)
    assert talk.text == "word " * 40_000  # 200,000 characters
    drawn = written(PictureAnswer(SMALL, notes=("\ud800" * 3_000,) * 500))
    assert isinstance(drawn, PictureAnswer)
    assert drawn.notes == ("?" * 2_000,) * 100


def test_characters_that_nobody_sees_are_not_recorded() -> None:
    said = written(TextAnswer("<DESCRIPTION>\u202ea r\u200bed\x00 block, 👩\u200d👧\n</DESCRIPTION>"))
    assert isinstance(said, TextAnswer)
    assert said.text == "<DESCRIPTION>a red block, 👩\u200d👧\n</DESCRIPTION>"
    drawn = written(PictureAnswer(SMALL, notes=("not\u2066 understood",)))
    assert isinstance(drawn, PictureAnswer)
    assert drawn.notes == ("not understood",)
