"""Records of the reasoning game: a task and the attempt at it."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from ircore.core.episode_records import Rendering
from ircore.core.records import Fields, Name, Record

LONGEST = 8000
"""Characters of a prompt or of a thinker's words."""

Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Choice = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class TaskRecord(Record):
    """A task as an instance holds it."""

    dimension: Name = Field(description="The dimension that made the task and verifies answers.")
    prompt: Words = Field(description="The words that the player reads.")
    shown: tuple[Name, ...] = Field(default=(), description="Names of the pictures that the player sees.")
    choices: tuple[Choice, ...] = Field(default=(), description="Possible answers; empty where a picture is drawn.")
    answer: Choice | None = Field(default=None, description="The right choice; null where a picture is drawn.")
    task: Fields = Field(default_factory=dict, description="The dimension's own fields, such as expected counts.")

    @model_validator(mode="after")
    def _answer_is_a_choice(self) -> "TaskRecord":
        if (self.answer is None) != (not self.choices) or (self.choices and self.answer not in self.choices):
            raise ValueError("answer must be one of the choices")
        return self


class TaskAttempt(Record):
    """The attempt at a task.

    >>> TaskAttempt(told="Draw 3 red circles.", missing="The request was refused.").rendering is None
    True
    """

    told: Words = Field(description="The words that drawer or reader got.")
    thought: Words | None = Field(default=None, description="The thinker's words; null without a thinker.")
    rendering: Rendering | None = Field(default=None, description="The picture; null if there is none.")
    choice: Choice | None = Field(default=None, description="The chosen answer; null if there is none.")
    missing: str | None = Field(default=None, max_length=2000, description="Why there is no answer; null if there is.")
    notes: tuple[str, ...] = Field(default=(), description="Remarks of the player on its answer.")
