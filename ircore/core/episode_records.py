"""Records of play: requests to providers, turns, episodes, and the reasons for which episodes were aborted."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ircore.core.images import Picture
from ircore.core.records import Difficulty, Name, Record, Sha256

Action = Literal["describe", "done"]
Outcome = Literal["converged", "turn_limit", "aborted"]

AbortReason = Literal[
    "describer_format",
    "describer_empty",
    "describer_done_first",
    "describer_over_budget",
    "describer_refused",
    "generator_refused",
    "generator_no_image",
    "too_many_pictures",
    "context_too_long",
    "provider_error",
    "given_up",
]
"""Why an episode was aborted: the first four are the describer's protocol violations; two are limits of a service that
the rules of the run pass; the last one is declared by ``ircore play --final``."""

AnyAbortReason = AbortReason | Literal["answer_format", "answer_empty", "answer_refused", "rule_broken"]
"""Why an episode of any game was aborted; games other than reconstruction name no seat in the reason."""

FaultKind = Literal[
    "rate_limit",
    "server",
    "timeout",
    "unreachable",
    "dropped",
    "malformed",
    "cut_off",
    "empty",
    "no_image",
    "bad_image",
    "refused",
    "filtered",
    "rejected",
    "denied",
    "not_found",
    "no_credit",
    "unsupported",
    "no_edits",
    "too_many_pictures",
    "context_too_long",
    "answer_too_long",
]
"""Faults of a request to a provider; ``ircore.players.calls`` says how each is handled."""

Purpose = Literal["rewriter"]
"""What a request was for, where it was not the seat's answer itself: the prompt that a rewriter makes of a dialogue."""

TECHNICAL_REASONS: frozenset[str] = frozenset({"provider_error"})
"""Reasons that say nothing about the pair: such episodes are played again when the run is resumed."""

GIVEN_UP: AbortReason = "given_up"
"""Reason of an episode that was declared final before it had a result: it counts as not played."""


class Usage(Record):
    """Requests, tokens and cost of an answer, as far as the player knows them.

    >>> Usage(prompt_tokens=1200, completion_tokens=80).requests
    1
    """

    requests: int = Field(default=1, ge=0, description="Requests sent, retries included.")
    prompt_tokens: int | None = Field(default=None, ge=0, description="Tokens read, the provider's count.")
    completion_tokens: int | None = Field(default=None, ge=0, description="Tokens written, reasoning included.")
    reasoning_tokens: int | None = Field(default=None, ge=0, description="Of these, tokens not shown.")
    cached_tokens: int | None = Field(default=None, ge=0, description="Of the tokens read, from the provider's cache.")
    cost_usd: float | None = Field(default=None, ge=0, description="US dollars, where the provider reports it.")


class Attempt(Record):
    """A single request to a provider and its outcome; a call that needed retries has several attempts.

    >>> Attempt(kind="rate_limit", status=429, seconds=0.2).reached
    True
    >>> Attempt(kind="unreachable", seconds=5).reached
    False
    """

    kind: FaultKind | Literal["answered"]
    status: int | None = Field(default=None, ge=100, le=599, description="HTTP status; null if none was read.")
    seconds: float = Field(ge=0, description="From sending to the last byte read, waiting for a retry not included.")
    received: int = Field(default=0, ge=0, description="Bytes of the reply's body that arrived.")
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    reasoning_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    detail: str | None = Field(default=None, max_length=500, description="What the provider said, if it failed.")
    served: str | None = Field(
        default=None,
        max_length=300,
        description="The model that answered, as the service names it; then @ and its fingerprint, if it gives one.",
    )
    purpose: Purpose | None = Field(default=None, description="Null for the seat's answer itself.")

    @property
    def reached(self) -> bool:
        """Whether the request arrived at the provider, who may then bill for it."""
        return self.kind != "unreachable"


class Rendering(Record):
    """A picture that a generator made, stored in the run folder under its hash."""

    sha256: Sha256 = Field(description="Of the PNG file's bytes; the file is renderings/<sha256>.png.")
    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")

    @classmethod
    def of(cls, picture: Picture) -> "Rendering":
        """Return the record of a picture that a player drew, for a step's record; the engine keeps the picture's file.

        >>> Rendering.of(Picture(b"", 64, 48)).height
        48
        """
        return cls(sha256=picture.sha256, width=picture.width, height=picture.height)


class Turn(Record):
    """A move of the describer and, unless that move ended the game, the rendering that answered the move.

    >>> Turn(turn=1, action="describe", message="A red circle.", message_tokens=4).over_budget
    False
    """

    turn: int = Field(ge=1, description="1-based.")
    action: Action = Field(description="describe, or done.")
    message: str | None = Field(default=None, description="What the generator was told; null on a done turn.")
    message_tokens: int = Field(
        default=0, ge=0, description="o200k_base tokens of the message as the describer wrote it."
    )
    over_budget: bool = Field(default=False, description="Whether message_tokens exceeds the token budget.")
    leniencies: tuple[Name, ...] = Field(default=(), description="Deviations from the protocol that were accepted.")
    notes: tuple[str, ...] = Field(default=(), description="What the generator said it could not follow.")
    rendering: Rendering | None = Field(default=None, description="Null on a done turn and where none was made.")
    seconds: float = Field(default=0.0, ge=0, description="Seconds that describer and generator took to answer.")


def repeat_id(instance_id: str, repeat: int) -> str:
    """Return the id of an instance's episode in a repeat of the run, 1-based.

    >>> repeat_id("pie_graph-easy-01", 1), repeat_id("pie_graph-easy-01", 3)
    ('pie_graph-easy-01', 'pie_graph-easy-01.r3')
    """
    return instance_id if repeat == 1 else f"{instance_id}.r{repeat}"


class AnyEpisode(Record):
    """Fields that episodes of every game have.

    >>> common = {"episode_id": "a", "instance_id": "a", "category": "geometry", "difficulty": "easy"}
    >>> AnyEpisode(**common, outcome="aborted", abort_reason="provider_error").finished  # will be played again
    False
    >>> AnyEpisode(**common, outcome="completed").finished
    True
    """

    episode_id: Name = Field(description="The instance's id; of its N-th episode in a run with repeats .rN is added.")
    instance_id: Name = Field(description="What was played.")
    category: Name = Field(description="Of the instance.")
    difficulty: Difficulty = Field(description="Of the instance.")
    outcome: Name = Field(description="How it ended: one of the game's outcomes.")
    abort_reason: AnyAbortReason | None = Field(default=None, description="Only when aborted.")
    detail: str | None = Field(default=None, max_length=2000, description="What was seen that led to the abort.")

    @model_validator(mode="after")
    def _reason_goes_with_abort(self) -> Self:
        if (self.abort_reason is not None) != (self.outcome == "aborted"):
            raise ValueError("abort_reason is given exactly when outcome is aborted")
        return self

    @property
    def repeat(self) -> int:
        """Which episode of its instance it is in the run, 1-based."""
        number = self.episode_id.removeprefix(f"{self.instance_id}.r")
        # Digits alone: an episode of a first repeat has the instance's id, which may be anything.
        return int(number) if number != self.episode_id and number.isdecimal() else 1

    @property
    def finished(self) -> bool:
        """Whether the episode has a result; after a technical failure it has none and is played again."""
        return self.abort_reason not in TECHNICAL_REASONS


class Episode(AnyEpisode):
    """An instance of the reconstruction game as a pair played it.

    >>> turn = Turn(turn=1, action="describe", rendering=Rendering(sha256="0" * 64, width=8, height=8))
    >>> episode = Episode(episode_id="a", instance_id="a", category="geometry", difficulty="easy", outcome="turn_limit",
    ...                   turns=(turn,))
    >>> episode.played, len(episode.rendered_turns)
    (True, 1)
    """

    outcome: Outcome = Field(description="How it ended: exactly one of converged, turn_limit, aborted.")
    abort_reason: AbortReason | None = Field(default=None, description="Only when aborted.")
    turns: tuple[Turn, ...] = Field(description="In order, the first is turn 1.")

    @property
    def played(self) -> bool:
        """Whether the episode counts for quality: in clembench's sense, it was not aborted."""
        return self.outcome != "aborted"

    @property
    def renderings(self) -> dict[int, Rendering]:
        """The renderings by turn, in order."""
        return {turn.turn: turn.rendering for turn in self.turns if turn.rendering is not None}

    @property
    def rendered_turns(self) -> tuple[Turn, ...]:
        """The turns that have a rendering, in order."""
        return tuple(turn for turn in self.turns if turn.rendering is not None)
