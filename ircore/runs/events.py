"""The events that a run's journal records: answers, questions without an answer, episodes that ended."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from ircore.core.episode_records import TECHNICAL_REASONS, AbortReason, Attempt, Episode, Rendering, Usage
from ircore.core.images import Picture
from ircore.core.records import Name, Record, Sha256


class Call(Record):
    """A player's answer to a question.

    >>> Call(episode_id="geometry-easy-01", turn=1, role="describer", text="A red circle.", seconds=0.5).usage.requests
    1
    """

    event: Literal["call"] = "call"
    episode_id: Name
    turn: int = Field(ge=1, description="Of reconstruction the turn, of other games the step.")
    role: Name = Field(description="The seat.")
    question: Sha256 | None = Field(
        default=None, description="Hash of the question: seat, player and its version, words, pictures; see answers."
    )
    prompt: str | None = Field(default=None, description="What the game master said to a describer.")
    text: str | None = Field(default=None, description="A describer's raw answer, tags included.")
    choice: str | None = Field(default=None, description="The choice of a seat that chooses.")
    rendering: Rendering | None = Field(default=None, description="A generator's answer.")
    notes: tuple[str, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    seconds: float = Field(ge=0, description="Wall-clock seconds until the answer was there.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="The requests it took; usage is their sum.")


class Failure(Record):
    """A question that brought no answer: the episode ended, or the whole run was stopped.

    >>> Failure(episode_id="a", turn=1, role="generator", reason="stopped", detail="no credit left").attempts
    ()
    """

    event: Literal["failure"] = "failure"
    episode_id: Name
    turn: int = Field(ge=1)
    role: Name = Field(description="The seat.")
    reason: AbortReason | Literal["stopped"] = Field(description="``stopped``: every further request would fail too.")
    question: Sha256 | None = Field(default=None, description="Hash of the question, as of an answer.")
    detail: str = Field(max_length=2000)
    attempts: tuple[Attempt, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether the failure is the player's answer, such as a refusal, and not an outage: it is not asked again."""
        return self.reason != "stopped" and self.reason not in TECHNICAL_REASONS


class End(Record):
    """The end of an episode.

    >>> line = format_event(End(episode={"episode_id": "a", "instance_id": "a", "category": "fruit",
    ...                                "difficulty": "easy", "outcome": "completed", "steps": ()}))
    >>> EVENTS.validate_json(line).episode.outcome
    'completed'
    """

    event: Literal["end"] = "end"
    episode: Episode


Event = Call | Failure | End
"""An event of a run."""

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])
"""Reads a line of the journal."""


class EventEntry(NamedTuple):
    """An event to be recorded, with the event's picture.

    >>> entry = EventEntry(Call(episode_id="a", turn=1, role="describer", text="A red circle.", seconds=0.5))
    >>> entry.picture is None, entry.counted.text
    (True, 'A red circle.')
    """

    event: Event
    picture: Picture | None = None

    @property
    def counted(self) -> Event:
        """The event whose requests, tokens and cost are counted."""
        return self.event


class CallKey(NamedTuple):
    """The identity of an answer within a run: each is asked for once.

    >>> CallKey("geometry-easy-01", 1, "describer") == CallKey("geometry-easy-01", 1, "generator")
    False
    """

    episode_id: str
    turn: int
    role: str


def get_episode_id(event: Event) -> str:
    """Return the id of the episode in which an event happened."""
    return event.episode.episode_id if isinstance(event, End) else event.episode_id


def replace_episode_id(event: Event, name: str) -> Event:
    """Return an event as one of an episode with another id."""
    if isinstance(event, End):
        return event.model_copy(update={"episode": event.episode.model_copy(update={"episode_id": name})})
    return event.model_copy(update={"episode_id": name})


def format_event(event: Event) -> bytes:
    """Return an event as a line of the journal, without newline."""
    # Ends keep their nulls: the records of episodes are published, with the same fields in every line.
    return event.model_dump_json(exclude_none=not isinstance(event, End)).encode()
