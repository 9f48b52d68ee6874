"""What happens in a run, as its journal records it: answers, questions without one, episodes that ended."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from ircore.core.episode_records import AnyAbortReason, Attempt, Episode, Rendering, Usage
from ircore.core.game_records import GameEpisode
from ircore.core.images import Picture
from ircore.core.records import RECONSTRUCTION, Name, Record


class Call(Record):
    """An answer of a player, as it came."""

    event: Literal["call"] = "call"
    episode_id: Name
    turn: int = Field(ge=1, description="Of reconstruction the turn, of other games the step.")
    role: Name = Field(description="The seat.")
    prompt: str | None = Field(default=None, description="What the game master said to a describer.")
    text: str | None = Field(default=None, description="A describer's raw answer, tags included.")
    choice: str | None = Field(default=None, description="The choice of a seat that chooses.")
    rendering: Rendering | None = Field(default=None, description="A generator's answer.")
    notes: tuple[str, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    seconds: float = Field(ge=0, description="Wall-clock seconds until the answer was there.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="The requests it took; usage is their sum.")


class Failure(Record):
    """A question that was asked in vain. The episode ended with it, or the run was stopped by it."""

    event: Literal["failure"] = "failure"
    episode_id: Name
    turn: int = Field(ge=1)
    role: Name = Field(description="The seat.")
    reason: AnyAbortReason | Literal["stopped"] = Field(
        description="``stopped``: every further request would fail too."
    )
    detail: str = Field(max_length=2000)
    attempts: tuple[Attempt, ...] = ()


class End(Record):
    """An episode that has ended."""

    event: Literal["end"] = "end"
    episode: Episode


class GameEnd(Record):
    """An episode of a game other than reconstruction that has ended."""

    event: Literal["game_end"] = "game_end"
    episode: GameEpisode


Event = Annotated[Call | Failure | End, Field(discriminator="event")]
"""What happened in a run of the reconstruction game."""

EVENTS: TypeAdapter[Call | Failure | End] = TypeAdapter(Event)
"""Reads a line of the journal of a reconstruction run."""

GAME_EVENTS: TypeAdapter[Call | Failure | GameEnd] = TypeAdapter(
    Annotated[Call | Failure | GameEnd, Field(discriminator="event")]
)
"""Reads a line of the journal of a run of another game."""

AnyEnd = End | GameEnd
"""The end of an episode of any game."""

AnyEvent = Call | Failure | AnyEnd
"""What happened in a run of any game."""


class Entry(NamedTuple):
    """Something to be recorded, with the picture that belongs to it."""

    event: AnyEvent
    picture: Picture | None = None

    @property
    def counted(self) -> AnyEvent:
        """The event whose requests, tokens and cost are counted."""
        return self.event


class CallKey(NamedTuple):
    """Which answer a call is: a run asks each of them once."""

    episode_id: str
    turn: int
    role: str


def episode_id_of(event: AnyEvent) -> str:
    """Return the id of the episode in which an event happened."""
    return event.episode.episode_id if isinstance(event, AnyEnd) else event.episode_id


def step_word(game: str) -> str:
    """Return what a step of an episode is called: a turn of reconstruction, a step of any other game."""
    return "turn" if game == RECONSTRUCTION else "step"


def end_entry(episode: Episode | GameEpisode) -> Entry:
    """Return the entry that records the end of an episode."""
    return Entry(End(episode=episode) if isinstance(episode, Episode) else GameEnd(episode=episode))


def event_line(event: AnyEvent) -> bytes:
    """Return an event as a line of the journal, without newline."""
    return event.model_dump_json(exclude_none=not isinstance(event, AnyEnd)).encode()
