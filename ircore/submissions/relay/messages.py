"""Questions and answers as a relay and its client exchange them: JSON, with pictures as base64."""

import json
from base64 import urlsafe_b64encode
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, Field, JsonValue, ValidationError, model_validator

from ircore.core.episode_records import AnyAbortReason, Attempt, Usage
from ircore.core.errors import InputError, WorkError
from ircore.core.images import MAX_BYTES, Picture
from ircore.core.lifecycle import refuse_double_keys
from ircore.core.private_text import without_leaks
from ircore.core.records import Name, Record
from ircore.core.validation import describe_validation_error
from ircore.games.base import Seat
from ircore.players.base import (
    Answer,
    Asked,
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.runs.answers import fitting
from ircore.submissions.answer_limits import LARGEST, MAX_NOTE_CHARACTERS, MAX_NOTES, MAX_TEXT_CHARACTERS

ViewT = TypeVar("ViewT")

MAX_ANSWER_BYTES = MAX_BYTES * 4 // 3 + 1024**2
"""A picture of ``MAX_BYTES`` as base64, with room for everything else."""

REFUSALS: frozenset[AnyAbortReason] = frozenset(
    {
        "describer_refused", "describer_empty", "generator_refused", "generator_no_image", "too_many_pictures",
        "context_too_long", "answer_refused", "answer_empty", "answer_format",
    }
)  # fmt: skip
"""Reasons that a player may give instead of an answer; technical ones never leave the submitter's machine."""


class _Shown(Record, Generic[ViewT]):
    model_config = ConfigDict(val_json_bytes="base64", arbitrary_types_allowed=True)
    view: ViewT


_SHOWN: dict[str, Any] = {
    "describe": _Shown[DescriberView],
    "render": _Shown[GeneratorView],
    "answer": _Shown[Question],
}
"""The view of each method of players that a relay hands out."""


class Handed(Record):
    """A question that is handed out."""

    question: Name = Field(description="Its name, the same when it is asked again.")
    seat: Name
    method: Name = Field(description="Of the player.")
    view: dict[str, JsonValue] = Field(description="What the player sees.")
    seconds: float = Field(description="Until the question counts as not answered.")
    done: int = Field(ge=0, description="Episodes that have ended.")
    total: int = Field(ge=0, description="Episodes in all.")

    def opened(self) -> Asked:
        """Return the view as a player gets it.

        Raises:
            WorkError: It is in another format than this version reads.
        """
        try:
            shown: Asked = _SHOWN[self.method].model_validate_json(json.dumps({"view": self.view})).view
        except (KeyError, ValidationError) as error:
            raise WorkError("the relay asks what this version does not know", "Use the relay's version.") from error
        return shown


def shown_view(view: object) -> Any:
    """Return a view as JSON.

    >>> shown_view(GeneratorView(1, "A circle.", (), Picture(b"?", 8, 8), seed=5, prompt=""))["previous"]
    {'data': 'Pw==', 'width': 8, 'height': 8}
    """
    if isinstance(view, Picture):
        return {"data": urlsafe_b64encode(view.data).decode(), "width": view.width, "height": view.height}
    if is_dataclass(view):
        return {field.name: shown_view(getattr(view, field.name)) for field in fields(view)}
    if isinstance(view, tuple) and hasattr(view, "_asdict"):
        return {name: shown_view(value) for name, value in view._asdict().items()}
    return [shown_view(part) for part in view] if isinstance(view, tuple) else view


class HandedAnswer(Record):
    """An answer as it is handed in: a text, a choice, a picture, or the reason why the player gave none."""

    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")

    text: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS)
    choice: str | None = Field(default=None, max_length=MAX_NOTE_CHARACTERS)
    picture: bytes | None = Field(default=None, max_length=MAX_BYTES, description="A picture's file.")
    refusal: AnyAbortReason | None = None
    detail: str = Field(default="", max_length=2000, description="Of a refusal.")
    notes: tuple[str, ...] = Field(default=(), max_length=MAX_NOTES)
    usage: Usage = Field(default_factory=Usage)
    attempts: tuple[Attempt, ...] = Field(default=(), max_length=100)

    @model_validator(mode="after")
    def _is_one_answer(self) -> "HandedAnswer":
        if sum(part is not None for part in (self.text, self.choice, self.picture, self.refusal)) != 1:
            raise ValueError("give exactly one of text, choice, picture and refusal")
        # A technical reason would let a submitter have any episode played again.
        if self.refusal is not None and self.refusal not in REFUSALS:
            raise ValueError(f"refusal: {self.refusal} is not for a player to say")
        if any(len(note) > MAX_NOTE_CHARACTERS for note in self.notes):
            raise ValueError(f"notes: longer than {MAX_NOTE_CHARACTERS} characters")
        counts: tuple[Record, ...] = (self.usage, *self.attempts)
        for name, most in LARGEST.items():
            if any((getattr(count, name, None) or 0) > most for count in counts):
                raise ValueError(f"{name}: more than {most:,}")
        return self

    @classmethod
    def of(cls, answer: Answer | PlayerError) -> "HandedAnswer":
        """Return an answer, or the reason for none, in the form that is handed in."""
        if isinstance(answer, PlayerError):
            return cls(refusal=answer.reason, detail=answer.detail[:2000], attempts=answer.attempts)
        common_fields: dict[str, Any] = {"usage": answer.usage, "attempts": answer.attempts}
        if isinstance(answer, TextAnswer):
            # UTF-8 has no lone surrogates, which some models answer with.
            return cls(text=answer.text.encode(errors="replace").decode(), **common_fields)
        if isinstance(answer, ChoiceAnswer):
            return cls(choice=answer.choice, notes=answer.notes, **common_fields)
        return cls(picture=answer.picture.data, notes=answer.notes, **common_fields)

    def answer(self, seat: Seat[Any, Any], question: Asked) -> Answer:
        """Return the answer for the rules, checked as a stranger's.

        Raises:
            PlayerError: The player gave no answer.
            InputError: It is no answer to this question.
        """
        # Details are error messages of the submitter's machine, and will be published.
        attempts = tuple(
            attempt.model_copy(update={"detail": attempt.detail and without_leaks(attempt.detail)[:500]})
            for attempt in self.attempts
        )
        if self.refusal is not None:
            raise PlayerError(self.refusal, without_leaks(self.detail)[:2000], attempts)
        answer: Answer
        if self.text is not None:
            answer = TextAnswer(self.text, self.usage, attempts=attempts)
        elif self.choice is not None:
            answer = ChoiceAnswer(self.choice, self.notes, self.usage, attempts=attempts)
        else:
            # Encoded anew from its pixels, so that packing the run changes no signed name.
            picture = Picture.from_pixels(Picture.from_untrusted(self.picture or b"", "picture").pixels)
            answer = PictureAnswer(picture, self.notes, self.usage, attempts=attempts)
        try:
            return fitting(seat, question, answer)
        except WorkError as error:
            raise InputError(error.problem, error.remedy) from error


def read_handed_answer(data: bytes) -> HandedAnswer:
    """Read an answer that a stranger hands in: closed, strict, each key once.

    Raises:
        InputError: It is not in the format.
    """
    try:
        answer = HandedAnswer.model_validate_json(data, strict=True)
        # pydantic takes the last of two equal keys, other readers may take the first.
        refuse_double_keys(data)
    except (ValueError, RecursionError) as error:
        problem = describe_validation_error(error) if isinstance(error, ValidationError) else str(error)
        raise InputError(f"answer: {problem[:400]}", "See docs/relay.md.") from error
    return answer
