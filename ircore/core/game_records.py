"""Records of games other than reconstruction: the same shape for all of them, with the game's own fields inside.

The game's records check these fields where the game is installed; without it they are JSON that can still be read.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from ircore.core.episode_records import AnyEpisode, Episode, Rendering
from ircore.core.records import RECONSTRUCTION, Fields, Line, Name, PlayerSpec, Record, Sha256, is_none
from ircore.core.submission_records import COMMITMENT, AnyRun, Dates, Run, Submission, TranscriptsReference, check_terms

NOBODY = "nobody"
"""Label of an empty seat."""

LONGEST_NOTE = 2000
"""Characters of the words that explain a value."""


class GameSubmission(Record):
    """Players for the seats of a game, as a manifest ``submission.yaml`` of ``schema: 2`` states them.

    >>> GameSubmission(schema=2, game="guess", name="Looker", players={"guesser": {"player": "looker"}},
    ...                licence="Apache-2.0").players["guesser"].label
    'looker'
    """

    schema_: Literal[2] = Field(alias="schema", description="Version of this format.")
    game: Name = Field(description="Entry-point name in the group ircore.games.")
    name: Line = Field(description="Shown on the submission's page, and on boards of games with more than two seats.")
    players: dict[Name, PlayerSpec] = Field(min_length=1, description="Who takes each seat, by the seat's name.")
    rules: Fields = Field(
        default_factory=dict, description="Rules that differ from the game's defaults, by the game's own names."
    )
    authors: tuple[Line, ...] = Field(default=(), description="Who submits it.")
    links: dict[Name, Line] = Field(default_factory=dict, description="https links, such as paper and code.")
    licence: Line = Field(description="SPDX identifier of what is submitted.")
    hardware: Line | None = Field(
        default=None,
        exclude_if=is_none,
        description="What the models run on, such as 1 x A100 80 GB; or whose service.",
    )
    dates: Dates | None = Field(default=None, exclude_if=is_none, description="When it was made, YYYY-MM-DD.")
    transcripts: TranscriptsReference | None = Field(default=None, description="Transcripts played by the submitter.")
    commitment: Sha256 | None = Field(default=None, exclude_if=is_none, description=COMMITMENT)

    @model_validator(mode="after")
    def _checked(self) -> "GameSubmission":
        check_terms(self.licence, self.links)
        return self

    @property
    def published(self) -> "GameSubmission":
        """The manifest as others may read it: its players as ``PlayerSpec.published``."""
        return self.with_players({seat: player.published for seat, player in self.players.items()})

    def with_players(self, players: Mapping[str, PlayerSpec]) -> "GameSubmission":
        """Return the manifest with other players, by their seats."""
        return self.model_copy(update={"players": dict(players)})

    def label_of(self, seat: str) -> str:
        """Return the label of a seat's player; ``nobody`` for a seat that the rules of the run leave empty."""
        return self.players[seat].label if seat in self.players else NOBODY


AnySubmission = Submission | GameSubmission
"""A manifest of either format."""


class GameEpisode(AnyEpisode):
    """An instance of a game other than reconstruction as the players of a submission played it.

    >>> episode = GameEpisode(episode_id="a", instance_id="a", category="fruit", difficulty="easy", outcome="completed",
    ...                       steps=({"guess": "apple"},))
    >>> recorded_steps(episode)
    ({'guess': 'apple'},)
    """

    steps: tuple[Fields, ...] = Field(description="In order, each as the game's record of a step says.")


AnyEnded = Episode | GameEpisode
"""An episode of any game that has ended."""


def recorded_steps(episode: AnyEnded) -> tuple[Fields, ...]:
    """Return the steps of an episode of any game as JSON; in reconstruction, the turns are the steps."""
    if isinstance(episode, GameEpisode):
        return episode.steps
    return tuple(turn.model_dump(mode="json") for turn in episode.turns)


def drawn_renderings(episode: AnyEnded) -> tuple[tuple[int, Rendering], ...]:
    """Return every rendering in the steps of an episode with its 1-based step number."""
    steps = enumerate(recorded_steps(episode), start=1)
    return tuple((number, rendering) for number, step in steps for rendering in _renderings_in(step))


def _renderings_in(value: object) -> Iterator[Rendering]:
    # Steps of other games are plain JSON here: a rendering is known by having these fields and no others.
    if isinstance(value, dict) and value.keys() == Rendering.model_fields.keys():
        yield Rendering.model_validate(value)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _renderings_in(part)


class GameScore(Record):
    """A value of a measure of a game. A line of the file ``measures.jsonl``."""

    episode_id: Name = Field(description="The episode that was measured.")
    measure: Name = Field(description="Key of the measure, as the game declares it.")
    step: int | None = Field(default=None, ge=1, description="The step, 1-based; null for a measure of the episode.")
    value: float | None = Field(description="In the measure's unit; null if there is none.")
    reason: str | None = Field(default=None, max_length=500, description="Why value is null.")
    note: str | None = Field(
        default=None, max_length=LONGEST_NOTE, exclude_if=is_none, description="The value explained in words."
    )

    @model_validator(mode="after")
    def _value_or_reason(self) -> "GameScore":
        if (self.value is None) == (self.reason is None):
            raise ValueError("a score has either a value or a reason why not")
        return self


class GameRun(AnyRun):
    """The identity of a run of a game other than reconstruction. File ``run.json``.

    >>> manifest = {"schema": 2, "game": "guess", "name": "Looker", "players": {"guesser": {"player": "looker"}},
    ...             "licence": "Apache-2.0"}
    >>> GameRun(run_id="looker-1", game="guess", slug="looker", submission=manifest, instance_set="0" * 64, rules={},
    ...         prompts="built-in", seed=0, version="1.0", started="2026-11-22T12:00:00+00:00").submission.game
    'guess'
    """

    submission: GameSubmission = Field(description="The manifest as it was read.")
    rules: Fields = Field(description="As played, every rule of the game.")

    @model_validator(mode="after")
    def _another_game(self) -> "GameRun":
        if self.game == RECONSTRUCTION or self.submission.game != self.game:
            raise ValueError(f"game is {self.game}, that of the submission {self.submission.game}")
        return self


def stated_rules(stated: AnySubmission | Run | GameRun) -> dict[str, Any]:
    """Return the rules that a manifest or a run states, as JSON by name."""
    return stated.rules if isinstance(stated.rules, dict) else stated.rules.model_dump(mode="json")


def manifest_record(document: dict[str, object]) -> AnySubmission:
    """Return the record of a manifest; both ``schema: 1`` and reconstruction's ``schema: 2`` give a ``Submission``.

    Raises:
        pydantic.ValidationError: The document does not fit.
    """
    if document.get("schema") != 2 or not document.keys() & {"game", "players"}:
        return Submission.model_validate(document)
    stated = GameSubmission.model_validate(document)
    if stated.game != RECONSTRUCTION:
        return stated
    rest = {name: value for name, value in document.items() if name not in ("schema", "game", "players")}
    return Submission.model_validate({"schema": 1, **stated.players, **rest})


def rules_key(rules: Fields) -> str:
    """Return the rules of a run as one word for tables; equal rules have equal keys.

    >>> rules_key({"rounds": 3, "feedback": True})
    'feedback=true,rounds=3'
    >>> rules_key({})
    'none'
    """
    return ",".join(f"{name}={rule_word(value)}" for name, value in sorted(rules.items())) or "none"


def rules_words(rules: Fields) -> str:
    """Return the rules of a run for people; empty without rules.

    >>> rules_words({"rounds": 3, "feedback": True})
    'feedback=true, rounds=3'
    """
    return ", ".join(f"{name}={rule_word(value)}" for name, value in sorted(rules.items()))


def rule_word(value: object) -> str:
    """Return the value of a rule as a manifest has it, a text without its quotation marks.

    >>> rule_word(False), rule_word(3), rule_word("edit")
    ('false', '3', 'edit')
    """
    return json.dumps(value, sort_keys=True, default=str).strip('"')
