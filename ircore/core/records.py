"""The one vocabulary that instances, play, score, site and release share.

Every record is validated when it is made, frozen afterwards, and refuses unknown fields. ``Record.model_json_schema()``
gives the JSON Schema of each; the descriptions below are part of it. Turns are counted from 1 everywhere.
"""

from collections.abc import Mapping
from datetime import date, datetime
from re import ASCII, fullmatch
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    TypeAdapter,
    model_validator,
)

CATEGORIES = ("bar_graph", "functions", "geometry", "line_graph", "pie_graph", "simple_shapes", "photos")
"""The seven categories of the reconstruction game, in the order in which boards show them."""

DIFFICULTIES = ("easy", "hard")

NAME = r"^[a-z0-9][a-z0-9_.-]{0,99}$"
Name = Annotated[str, StringConstraints(pattern=NAME)]
"""An identifier that is safe as a file name and in a URL: lower-case ASCII letters, digits, ``_ . -``."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=ONE_LINE)]
"""Text of one line, 1–300 characters, no control characters."""


def _as_day(value: Any) -> str:
    """Take what YAML makes of 2026-11-22, a date, or the text itself."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if not (isinstance(value, str) and fullmatch(r"\d{4}-\d{2}-\d{2}", value, flags=ASCII)):
        raise ValueError("must be a date, YYYY-MM-DD")
    return date.fromisoformat(value).isoformat()


Day = Annotated[str, BeforeValidator(_as_day), Field(json_schema_extra={"format": "date"})]
"""A date, YYYY-MM-DD."""

RECONSTRUCTION = "reconstruction"
"""Name of the game that older files mean without naming it."""

Role = Literal["describer", "generator", "judge"]
Difficulty = Literal["easy", "hard"]


class Record(BaseModel):
    """Base of every record: frozen, closed, finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)


class Box(NamedTuple):
    """A rectangle of pixels, half open: column ``left`` is inside, column ``right`` is not."""

    left: int
    top: int
    right: int
    bottom: int


class Element(Record):
    """One thing drawn in a target."""

    type: Name = Field(description="What it is: circle, rectangle, line, curve, bar, wedge, axis, tick, label, point …")
    text: str | None = Field(default=None, max_length=200, description="The characters drawn, if it is a text.")
    colour: Colour | None = Field(default=None, description="Its main colour as drawn, #rrggbb.")
    box: Box = Field(description="The smallest box of pixels that holds all it touched, [left, top, right, bottom).")
    parameters: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="What defines it (values, coordinates in pixels unless the key says otherwise).",
    )


class Scene(Record):
    """Everything that was drawn in a target, back to front: ground truth that no judge model can bias."""

    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")
    background: Colour | None = Field(
        default=None, description="Colour of the pixels no element touched; null if not one colour."
    )
    elements: tuple[Element, ...] = Field(description="Back to front.")


class AnyInstance(Record):
    """What instances of every game have."""

    instance_id: Name = Field(description="Unique in its set.")
    category: Name = Field(description="One of the game's categories, such as bar_graph.")
    difficulty: Difficulty = Field(description="easy or hard.")


class Instance(AnyInstance):
    """One target picture and what is known of it."""

    image: Line = Field(description="The picture's file, relative to the instance set's folder, with forward slashes.")
    sha256: Sha256 = Field(description="Of the image file's bytes.")
    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")
    scene: Scene | None = Field(default=None, description="What was drawn; null for photographs and imported pictures.")
    source: Line = Field(description="Where the picture comes from, for people: 'procedural' or a work and its author.")
    licence: Line = Field(description="SPDX identifier, or 'LicenseRef-…' for a public-domain statement.")
    seed: int | None = Field(default=None, ge=0, description="The seed it was drawn from; null if it was not drawn.")


def is_none(value: object) -> bool:
    """Leave out what is not given where a record is written, so that what was written before is the same as ever."""
    return value is None


def is_unset(value: object) -> bool:
    """Leave out a mark that is not set where a record is written, as ``is_none`` leaves out what is not given."""
    return value is False


class PlayerSpec(Record):
    """Which player takes a seat, with the settings that define it."""

    player: Name = Field(description="Entry-point name in the group ircore.players.")
    model: Line | None = Field(default=None, description="Model name as the provider knows it.")
    revision: Line | None = Field(
        default=None,
        exclude_if=is_none,
        description="Which version of the model: the commit of its weights, or the name or date of a snapshot.",
    )
    base_url: Line | None = Field(default=None, description="https, or http on loopback.")
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*_KEY$")] | None = Field(
        default=None, description="Name of the environment variable that holds the key; never the key."
    )
    parameters: dict[str, JsonValue] = Field(default_factory=dict, description="Passed to the player as they are.")
    source: Name | None = Field(
        default=None,
        exclude_if=is_none,
        description="Of the player 'recorded': whose recorded answers take the seat, such as human.",
    )

    @property
    def label(self) -> str:
        """The name shown for this player: the model, or the built-in player's own name."""
        return self.model or self.player

    @model_validator(mode="after")
    def _base_url_is_safe(self) -> "PlayerSpec":
        if self.base_url is not None:
            from urllib.parse import urlsplit

            parts = urlsplit(self.base_url)
            loopback = parts.hostname in {"127.0.0.1", "localhost", "::1"}
            if parts.username or not (parts.scheme == "https" or (parts.scheme == "http" and loopback)):
                raise ValueError("base_url must be https, or http on loopback, without credentials")
        return self


class GameRules(Record):
    """Base of every game's rules: closed, and every field has a default."""


class Rules(GameRules):
    """The rules a run of the reconstruction game is played by; part of its identity."""

    token_budget: int = Field(
        default=200, strict=True, ge=1, le=10_000, description="Tokens a describer message may have (o200k_base)."
    )
    max_turns: int = Field(
        default=10, strict=True, ge=1, le=100, description="Turns after which an episode ends as turn_limit."
    )
    over_budget: Literal["allow", "truncate", "abort"] = Field(
        default="allow", description="What happens to a message over the budget; allow only flags it, as in the paper."
    )

    @property
    def key(self) -> str:
        """The rules as one word, the same in every table, file and export; safe in file names and addresses.

        ``b`` and the token budget, ``t`` and the turn limit, then what happens to a message over the budget.

        >>> Rules().key
        'b200-t10-allow'
        """
        return f"b{self.token_budget}-t{self.max_turns}-{self.over_budget}"

    def tagged(self, label: str) -> str:
        """Return a model's name as other tools get it: with the key behind it, so that no two rules share a name."""
        return f"{label}-{self.key}"

    def untagged(self, name: str) -> str:
        """Return the model's own name from what ``tagged`` made of it; any other name as it is."""
        return name.removesuffix(f"-{self.key}") or name


class TranscriptsReference(Record):
    """Where a submitter's own transcripts are published."""

    repo: Line = Field(description="ORG/NAME of a dataset repository.")
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] = Field(description="Commit, 40 hex digits.")
    run: Name = Field(description="The run's id in that dataset.")


class Dates(Record):
    """When what is submitted was made: services change under one name."""

    submitted: Day | None = Field(default=None, description="When the pair was handed in, YYYY-MM-DD.")
    played: Day | None = Field(default=None, description="When the submitter played it, if so, YYYY-MM-DD.")


class Submission(Record):
    """A describer–generator pair, as its manifest ``submission.yaml`` states it."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this format.")
    name: Line = Field(description="Shown on the pair's page; boards name the two players.")
    describer: PlayerSpec = Field(description="Who sees the target and writes.")
    generator: PlayerSpec = Field(description="Who reads and draws.")
    rules: Rules = Field(
        default_factory=Rules, description="What the pair is played by unless the command line differs."
    )
    authors: tuple[Line, ...] = Field(default=(), description="Who submits the pair.")
    links: dict[Name, Line] = Field(default_factory=dict, description="https links, such as paper and code.")
    licence: Line = Field(description="SPDX identifier of what is submitted.")
    hardware: Line | None = Field(
        default=None,
        exclude_if=is_none,
        description="What the models run on, such as 1 x A100 80 GB; or whose service.",
    )
    dates: Dates | None = Field(default=None, exclude_if=is_none, description="When it was made, YYYY-MM-DD.")
    transcripts: TranscriptsReference | None = Field(default=None, description="Transcripts played by the submitter.")

    @property
    def game(self) -> str:
        """The game: this format knows one."""
        return RECONSTRUCTION

    @property
    def players(self) -> dict[str, PlayerSpec]:
        """The two players by their seats."""
        return {"describer": self.describer, "generator": self.generator}

    @model_validator(mode="after")
    def _checked(self) -> "Submission":
        check_terms(self.licence, self.links)
        return self


def check_terms(licence: str, links: Mapping[str, str]) -> None:
    """Refuse a licence that is no SPDX identifier or expression, and links that are not https.

    Raises:
        ValueError: The message names the field.
    """
    if not fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*( (AND|OR|WITH) [A-Za-z0-9][A-Za-z0-9.+-]*)*", licence):
        raise ValueError("licence must be an SPDX identifier, such as Apache-2.0 or CC-BY-4.0")
    for name, link in links.items():
        if not link.startswith("https://"):
            raise ValueError(f"links.{name} must start with https://")


class AnyRun(Record):
    """What runs of every game have."""

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    run_id: Name = Field(description="Slug of the submission and a hash of everything below but started.")
    game: Name = Field(default=RECONSTRUCTION, description="Entry-point name in the group ircore.games.")
    slug: Name = Field(description="The submission's folder name.")
    submission: Any = Field(description="The manifest as it was read.")
    instance_set: Sha256 = Field(description="Identity of the instance set: the SHA-256 of its instances.jsonl.")
    rules: Any = Field(description="As played: the submission's, unless the command line said otherwise.")
    prompts: Line = Field(description="Version of the prompts: a name and the hash of their texts.")
    seed: int = Field(ge=0, description="For players that draw lots, ≥ 0.")
    version: Line = Field(description="Version of ircore that played it.")
    started: Line = Field(description="When play began, ISO 8601 in UTC.")
    reference: bool = Field(
        default=False,
        exclude_if=is_unset,
        description="Whether a player saw what no player may see: a ceiling or a floor, never ranked.",
    )


class Run(AnyRun):
    """The identity of a run: what must be the same for results to be the same. File ``run.json``."""

    submission: Submission = Field(description="The manifest as it was read.")
    rules: Rules = Field(description="As played: the submission's, unless the command line said otherwise.")


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every record by its name, for publishing."""
    from ircore.core.episode_records import Episode
    from ircore.core.game_records import AnySubmission, GameEpisode, GameInstance, GameRun, GameScore
    from ircore.core.score_records import JudgeIdentity, Score

    kinds = (Instance, Run, Episode, Score, JudgeIdentity, GameInstance, GameRun, GameEpisode, GameScore)
    manifest = {"title": "Submission", **TypeAdapter(AnySubmission).json_schema()}
    return {**{kind.__name__.lower(): kind.model_json_schema() for kind in kinds}, "submission": manifest}
