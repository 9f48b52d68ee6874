"""Records of the game: a recorded dialogue about a picture, and a hop with its prompt and drawing."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from ircore.core.episode_records import Rendering
from ircore.core.records import Line, Record, Scene

MOST_HOPS = 20

Message = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class Exchange(Record):
    """A hop of a dialogue: a question and its answer."""

    asked: Message = Field(description="By the person who does not see the picture.")
    answered: Message = Field(description="By the person who sees it.")


class Dialogue(Record):
    """A dialogue about a picture, as it was recorded or written by a program.

    >>> talk = (Exchange(asked="What can you see?", answered="A girl."),)
    >>> Dialogue(dialogue=talk, elements=("girl", "snow")).asker
    'Joe'
    """

    dialogue: tuple[Exchange, ...] = Field(min_length=1, max_length=MOST_HOPS, description="Hop by hop, in order.")
    asker: Line = Field(default="Joe", description="Name of the person who asks.")
    answerer: Line = Field(default="Jill", description="Name of the person who sees the picture.")
    elements: tuple[Line, ...] = Field(default=(), description="What the picture shows, as annotators listed it.")
    scene: Scene | None = Field(default=None, description="Everything that was drawn in the picture, if it was drawn.")

    @model_validator(mode="after")
    def _two_names(self) -> "Dialogue":
        # In the written dialogue only the names tell who says what.
        if self.asker == self.answerer:
            raise ValueError(f"asker and answerer are both called {self.asker}")
        return self


class Hop(Record):
    """A hop: the dialogue so far, the prompt that was written from it, and the drawing.

    >>> drawing = Rendering(sha256="0" * 64, width=64, height=64)
    >>> Hop(hop=1, asked="What is it?", answered="A dog.", prompt="A dog.", tokens=3, cut=False, drawing=drawing).hop
    1
    """

    hop: int = Field(ge=1, le=MOST_HOPS, description="Number of exchanges of the dialogue so far.")
    asked: Message = Field(description="What was asked in this hop.")
    answered: Message = Field(description="What was answered.")
    prompt: Message = Field(description="The prompt that was written from the dialogue so far, as it was drawn.")
    tokens: int = Field(ge=1, description="Of the prompt, before it was cut.")
    cut: bool = Field(description="Whether the prompt was cut to the token budget.")
    drawing: Rendering = Field(description="What was drawn from the prompt.")
