"""Tasks of the reasoning game: a task, the attempt at it, and a dimension, which makes tasks and verifies answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints, model_validator

from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.core.records import Fields, Name, Record
from ircore.games.reasoning.detections import Detections, detect_forms

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


Part = Literal["generate", "edit", "understand"]


@dataclass(frozen=True)
class Task:
    """A task, its exact answer included.

    >>> Task("Draw a stop sign.", {"entity": "stop sign"}).shown
    ()

    Attributes:
        prompt: The words that the player reads.
        payload: Fields of the dimension, such as the expected counts; JSON values.
        pictures: By name. ``input`` is the picture that the player sees; others, such as ``truth``, nobody sees.
        choices: The possible answers of a task of recognition; empty where a picture is to be drawn.
        answer: The right one of the choices; None where a picture is to be drawn.
        source: Where its pictures come from, for people.
        licence: Of its pictures; SPDX identifier.
    """

    prompt: str
    payload: dict[str, Any]
    pictures: dict[str, Picture] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    answer: str | None = None
    source: str = "procedural"
    licence: str = "CC0-1.0"

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the pictures that the player sees."""
        return ("input",) if "input" in self.pictures else ()

    def record(self, dimension: str) -> TaskRecord:
        """Return the task as an instance holds it."""
        return TaskRecord(
            dimension=dimension,
            prompt=self.prompt,
            shown=self.shown,
            choices=self.choices,
            answer=self.answer,
            task=self.payload,
        )


@dataclass(frozen=True)
class TaskVerdict:
    """A verifier's judgement of one answer.

    Attributes:
        published: Score, 0–1, by the rule of GIR-Bench's code; None where the rule gives a single picture no score, or
            cannot be applied here.
        corrected: Score, 0–1, by the corrected rule; None where it cannot be applied.
        correct: Whether the answer is right in full.
        reasons: Observations in words, for people.
        unpublished: Why there is no published score, if there is none.
    """

    published: float | None
    corrected: float | None
    correct: bool
    reasons: tuple[str, ...]
    unpublished: str = "GIR-Bench's rule gives a single picture no score"


class Dimension(ABC):
    """Tasks of one kind.

    >>> import random
    >>> from ircore.games.reasoning.build import DIMENSIONS
    >>> quantity = DIMENSIONS["quantity"]
    >>> task = quantity.build("easy", random.Random(1))
    >>> quantity.verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0

    Attributes:
        name: The category of its instances.
        part: The part of the game that it belongs to.
        title: For people.
        things: Name that dimensions share which ask for the same things; tasks of one number are then about the same
            thing. Empty if there is no other such dimension.
        likeness: Metric whose mean over the task's reference pictures is the published score, such as ``dino``; empty
            if the verdict holds the published score.
    """

    name: ClassVar[str]
    part: ClassVar[Part]
    title: ClassVar[str]
    things: ClassVar[str] = ""
    likeness: ClassVar[str] = ""

    @abstractmethod
    def build(self, difficulty: str, rng: Any) -> Task:
        """Return a task of our own; the same state of ``rng``, a ``random.Random``, gives the same task."""

    @abstractmethod
    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:
        """Judge a picture.

        Args:
            payload: Of the task.
            pictures: Of the task.
            answer: The picture that was drawn.
        """


DETECTOR = "detector"
"""Field of a task about real things, which a vision model alone can see; coloured forms are seen without one."""

UNDECIDED = TaskVerdict(
    None, None, False, ("real things are seen by a vision model: name the file of a judge in IRCORE_DETECTOR",)
)
"""The verdict on real things where no vision model is set up."""


class SeenThings(Dimension):
    """Tasks about coloured forms, or about real things where a vision model is set up.

    >>> from ircore.games.reasoning.dimensions.quantity import Quantity
    >>> ducks = Detections({"duck": ((0, 0, 10, 10), (20, 0, 30, 10))})
    >>> Quantity().judge({"expected": {"duck": 2}}, ducks).correct
    True
    """

    @abstractmethod
    def labels(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the things that a task asks for."""

    @abstractmethod
    def judge(self, payload: Mapping[str, Any], detections: Detections) -> TaskVerdict:
        """Judge the things seen in an answer."""

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:  # noqa: ARG002 - what is asked needs no picture
        """Judge the coloured forms that are seen in an answer."""
        return self.judge(payload, detect_forms(answer.pixels))
