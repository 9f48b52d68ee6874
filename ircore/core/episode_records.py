"""Records of play: requests to providers, turns, episodes, and the reasons for which episodes were aborted."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, field_validator, model_validator

from ircore.core.images import Picture
from ircore.core.records import Difficulty, Fields, Name, Record, Sha256
from ircore.core.validation import convert_validation_errors

StepT = TypeVar("StepT", bound=Record)

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
    "answer_format",
    "answer_empty",
    "answer_refused",
    "rule_broken",
]
"""Why an episode was aborted: the first six name a seat of reconstruction; two are limits of a service that the rules
of the run pass; ``given_up`` is declared by ``ircore play --final``; the last four are those of games that name no
seat."""

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

    sha256: Sha256 = Field(description="Of the picture's size and pixels; the file is renderings/<sha256>.png.")
    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")

    @classmethod
    def of(cls, picture: Picture) -> "Rendering":
        """Return the record of a picture that a player drew; the engine keeps the picture's file."""
        return cls(sha256=picture.sha256, width=picture.width, height=picture.height)


_RENDERING_FIELDS = tuple(Rendering.model_fields)
_RENDERING_KEYS = frozenset(_RENDERING_FIELDS)
_NESTED = (dict, list)


class EpisodeCost(Record):
    """What the answers of an episode cost.

    >>> EpisodeCost(usd=0.0, seconds=0.4).usd
    0.0
    """

    usd: float | None = Field(default=None, description="US dollars; null where the cost of an answer is not known.")
    seconds: float | None = Field(default=None, ge=0, description="Seconds until the answers were there, together.")


PlacedRendering = tuple[int, str, int, int]
"""A rendering in the steps of an episode: place of its step, 1-based, then its hash, width and height."""

UNKNOWN_COST = EpisodeCost()
"""Of an episode of which nobody kept what it cost."""


def repeat_id(instance_id: str, repeat: int) -> str:
    """Return the id of an instance's episode in a repeat of the run, 1-based.

    >>> repeat_id("pie_graph-easy-01", 1), repeat_id("pie_graph-easy-01", 3)
    ('pie_graph-easy-01', 'pie_graph-easy-01.r3')
    """
    return instance_id if repeat == 1 else f"{instance_id}.r{repeat}"


class Episode(Record):
    """An instance as the players of a submission played it.

    >>> common = {"episode_id": "a", "instance_id": "a", "category": "geometry", "difficulty": "easy", "steps": ()}
    >>> Episode(**common, outcome="aborted", abort_reason="provider_error").finished  # will be played again
    False
    >>> class Guess(Record):
    ...     word: str
    >>> episode = Episode(**{**common, "steps": (Guess(word="apple"),)}, outcome="completed")
    >>> episode.steps[0]["word"], episode.steps_as(Guess)
    ('apple', (Guess(word='apple'),))
    """

    episode_id: Name = Field(description="The instance's id; of its N-th episode in a run with repeats .rN is added.")
    instance_id: Name = Field(description="What was played.")
    category: Name = Field(description="Of the instance.")
    difficulty: Difficulty = Field(description="Of the instance.")
    outcome: Name = Field(description="How it ended: one of the game's outcomes.")
    abort_reason: AbortReason | None = Field(default=None, description="Only when aborted.")
    detail: str | None = Field(default=None, max_length=2000, description="What was seen that led to the abort.")
    steps: tuple[Fields, ...] = Field(description="In order, each as the game's record of a step says.")

    @field_validator("steps", mode="before")
    @classmethod
    def _as_fields(cls, steps: Any) -> Any:
        if not isinstance(steps, list | tuple):
            return steps
        return tuple(step.model_dump(mode="json") if isinstance(step, Record) else step for step in steps)

    @model_validator(mode="after")
    def _reason_goes_with_abort(self) -> Self:
        if (self.abort_reason is not None) != (self.outcome == "aborted"):
            raise ValueError("abort_reason is given exactly when outcome is aborted")
        return self

    @property
    def repeat(self) -> int:
        """Which episode of its instance it is in the run, 1-based."""
        if self.episode_id == self.instance_id:
            return 1
        number = self.episode_id.removeprefix(f"{self.instance_id}.r")
        # Digits alone: an episode of a first repeat has the instance's id, which may be anything.
        return int(number) if number != self.episode_id and number.isdecimal() else 1

    @property
    def finished(self) -> bool:
        """Whether the episode has a result; after a technical failure it has none and is played again."""
        return self.abort_reason not in TECHNICAL_REASONS

    @property
    def played(self) -> bool:
        """Whether the episode counts for quality: in clembench's sense, it was not aborted."""
        return self.outcome != "aborted"

    def steps_as(self, kind: type[StepT]) -> tuple[StepT, ...]:
        """Return the steps as a game's records.

        Args:
            kind: The game's record of a step.

        Raises:
            InputError: They do not fit: another version of the game played it.
        """
        if isinstance(self.steps, PackedSteps):
            return self.steps.unpack_as(kind)
        # Beside the fields, and with what it was made of: a copy with other steps has other records.
        known: tuple[Any, ...] = self.__dict__.get("_typed", (None, None, ()))
        if known[0] is not self.steps or known[1] is not kind:
            remedy = "Install the version of the game that played it."
            with convert_validation_errors(f"{self.episode_id}: a step does not fit the game", remedy):
                known = self.steps, kind, tuple(kind.model_validate(step) for step in self.steps)
            self.__dict__["_typed"] = known
        typed: tuple[StepT, ...] = known[2]
        return typed

    @property
    def renderings(self) -> Mapping[int, Rendering]:
        """The first rendering of each step that has one, by the step's place, 1-based, in order."""
        return _read_drawn(self).first

    def with_steps(self, steps: Iterable[Record], **changes: Any) -> Self:
        """Return the episode with other steps, given as a game's records, and other fields changed too."""
        return self.model_copy(update={**changes, "steps": tuple(step.model_dump(mode="json") for step in steps)})


@dataclass(frozen=True, slots=True)
class PackedSteps(Sequence[Fields]):
    """The steps of an episode for those who hold many episodes and rarely look into them.

    They are unpacked at every question and not kept: the steps of 28,000 episodes take most of the memory of a site of
    200 pairs, and most of its pages need none of them.

    >>> common = {"episode_id": "a", "instance_id": "a", "category": "geometry", "difficulty": "easy"}
    >>> whole = Episode(**common, outcome="completed", steps=({"word": "apple"},))
    >>> packed = PackedSteps.of(whole)
    >>> packed[0], len(packed)
    ({'word': 'apple'}, 1)
    >>> packed.put_into(whole, ())
    >>> whole.steps is packed
    True
    """

    __pydantic_config__: ClassVar = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    data: bytes
    """JSON, compressed with zlib."""

    @classmethod
    def of(cls, episode: Episode) -> "PackedSteps":
        """Return the steps of an episode, packed."""
        text = json.dumps(episode.steps, ensure_ascii=False, separators=(",", ":"))
        return cls(zlib.compress(text.encode(), level=1))

    def put_into(self, episode: Episode, drawn: Iterable[PlacedRendering]) -> None:
        """Let an episode have these steps in place of its own.

        Args:
            episode: The episode, which is changed.
            drawn: Every rendering in the steps, which is asked for most: place of its step, 1-based, then its fields.
        """
        # Records are frozen: pydantic's own setter would refuse.
        object.__setattr__(episode, "steps", self)
        _keep_drawn(episode, tuple((place, _make_shared_rendering(*fields)) for place, *fields in drawn))

    def unpack_as(self, kind: type[StepT]) -> tuple[StepT, ...]:
        """Return the steps as a game's records."""
        steps: tuple[StepT, ...] = _load_format(kind).validate_json(zlib.decompress(self.data))
        return steps

    def __getitem__(self, place: Any) -> Any:
        """Return a step by its place, 0-based, or the steps of a slice."""
        return json.loads(zlib.decompress(self.data))[place]

    def __iter__(self) -> Iterator[Fields]:
        """Return the steps, unpacked once for all of them."""
        return iter(self[:])

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self[:])


@cache
def _load_format(kind: type[StepT]) -> TypeAdapter[tuple[StepT, ...]]:
    return TypeAdapter(tuple[kind, ...])  # type: ignore[valid-type]


def list_renderings(episode: Episode) -> tuple[tuple[int, Rendering], ...]:
    """Return every rendering in the steps of an episode with its 1-based step number; each episode is read once."""
    return _read_drawn(episode).all


def find_renderings(value: object) -> list[Rendering]:
    """Return every rendering in a step, which is plain JSON, or in a part of it."""
    found: list[Rendering] = []
    if isinstance(value, _NESTED):
        _collect_renderings(value, found)
    return found


def _collect_renderings(value: dict[str, Any] | list[Any], found: list[Rendering]) -> None:
    # In JSON a rendering is known by having these fields and no others.
    if isinstance(value, dict) and value.keys() == _RENDERING_KEYS:
        found.append(_make_rendering(*[value[name] for name in _RENDERING_FIELDS]))
        return
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, _NESTED):
            _collect_renderings(part, found)


class _Drawn(NamedTuple):
    """The renderings in the steps of an episode."""

    steps: object
    """The steps that were read."""

    all: tuple[tuple[int, Rendering], ...]
    """Every rendering with the place of its step, 1-based."""

    first: Mapping[int, Rendering]
    """The first rendering of each step that has one."""


def _read_drawn(episode: Episode) -> _Drawn:
    # Beside the fields, and with what it was made of: a copy with other steps has other renderings.
    known: _Drawn | None = episode.__dict__.get("_drawn")
    if known is None or known.steps is not episode.steps:
        steps = enumerate(episode.steps, start=1)
        return _keep_drawn(episode, tuple((place, drawn) for place, step in steps for drawn in find_renderings(step)))
    return known


def _keep_drawn(episode: Episode, drawn: tuple[tuple[int, Rendering], ...]) -> _Drawn:
    first: dict[int, Rendering] = {}
    for place, rendering in drawn:
        first.setdefault(place, rendering)
    # Beside the fields, and with what it was made of: a copy with other steps has other renderings.
    known = episode.__dict__["_drawn"] = _Drawn(episode.steps, drawn, first)
    return known


def _make_rendering(*fields: Any) -> Rendering:
    """Return the record with these fields, in their order; the same one for the same picture, named many times."""
    if list(map(type, fields)) == [str, int, int]:
        return _make_shared_rendering(*fields)
    return Rendering.model_validate(dict(zip(_RENDERING_FIELDS, fields, strict=True)))


@lru_cache(maxsize=20_000)
def _make_shared_rendering(*fields: Any) -> Rendering:
    return Rendering.model_validate(dict(zip(_RENDERING_FIELDS, fields, strict=True)))
