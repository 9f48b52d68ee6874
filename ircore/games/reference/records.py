"""Records of reference games: a context of pictures, people's messages and choices, and a round."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from ircore.core.records import Name, Record

INVALID = "invalid"
"""The listener's choice that is recorded for words which are no label."""

# Labels are the letters of the alphabet.
MOST_PICTURES = 26

Message = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


class HumanRound(Record):
    """Message and choice of two people in a round.

    >>> HumanRound(message="the red house", chosen=None).chosen is None  # an answer that was no label
    True
    """

    message: Message = Field(description="What the speaker wrote.")
    chosen: Name | None = Field(description="The picture that the listener chose; null if none.")


class Context(Record):
    """The pictures that are told apart, and the target of each round.

    >>> Context(context=("dog", "cat"), targets=("dog", "cat", "dog", "cat")).targets[1]
    'cat'
    """

    context: tuple[Name, ...] = Field(
        min_length=2, max_length=MOST_PICTURES, description="Names of the pictures in the speaker's order."
    )
    # At most 100 repetitions of 26 pictures.
    targets: tuple[Name, ...] = Field(min_length=1, max_length=2600, description="The target of each round.")
    seed: int = Field(default=0, ge=0, description="What the listener's orders are drawn from.")
    human: tuple[HumanRound, ...] = Field(default=(), description="What people said and chose, round by round.")

    @model_validator(mode="after")
    def _checked(self) -> "Context":
        names = set(self.context)
        if len(names) != len(self.context):
            raise ValueError("context names a picture twice")
        for number, name in enumerate(self.targets, start=1):
            if name not in names:
                raise ValueError(f"targets: round {number}: {name} is not in the context")
        for number, human in enumerate(self.human, start=1):
            if human.chosen is not None and human.chosen not in names:
                raise ValueError(f"human: round {number}: {human.chosen} is not in the context")
        return self


class Round(Record):
    """A round: target, message and choice.

    >>> names = ("dog", "cat")
    >>> Round(repetition=1, target="dog", labelled=names, shown=names, message="barks", answer="B", chosen="cat",
    ...       correct=False).chosen
    'cat'
    """

    repetition: int = Field(ge=1, description="How often every picture has been the target by now, this time included.")
    target: Name = Field(description="The picture that was to be described.")
    labelled: tuple[Name, ...] = Field(description="The listener's pictures in the order of their labels.")
    shown: tuple[Name, ...] = Field(description="The listener's pictures as they stood at the labels.")
    message: Message = Field(description="What the speaker said.")
    answer: str = Field(max_length=100, description="The label that the listener chose, or invalid.")
    chosen: Name | None = Field(description="The picture that it chose; null if its answer was not valid.")
    correct: bool = Field(description="Whether it is the target.")
