"""The records of submissions: manifests, the identity of runs, and decisions about published results.

A decision says that results are withdrawn, corrected, reinstated, disputed or cleared, with its reason. Nothing is
deleted in silence. A withdrawn run leaves the next release and its boards; a record of it (a tombstone) stays in every
later release, and earlier releases keep the run itself under their tags. It does not come back by mistake: that it may
is a record too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from re import fullmatch
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from ircore.core.episode_records import repeat_id
from ircore.core.errors import InputError
from ircore.core.files import read_bounded
from ircore.core.plain_words import Day, Moment
from ircore.core.records import DEFAULT_GAME, NAME, Fields, Line, Name, PlayerSpec, Record, Sha256, is_none
from ircore.core.validation import describe_validation_error

COMMITMENT = "SHA-256 that fixes players, rules and a secret number before play: ircore submission commit."
"""Description of the field ``commitment`` of manifests."""

Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}(?:\[bot\])?)?$")]
"""Name of an account of the service that keeps the code."""

NOBODY = "nobody"
"""Label of an empty seat."""

PackageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
PackageVersion = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,99}$")]

MOST_REPEATS = 100
"""Episodes that a run may play of an instance."""

WithdrawalKind = Literal["withdrawn", "corrected", "disputed", "reinstated", "cleared"]
"""``withdrawn`` by its submitters or the maintainers; ``corrected``: another run takes its place; ``disputed``:
somebody objects, and until that is settled the run stays, with this mark; ``reinstated``: it may be released again;
``cleared``: maintainers looked at the findings in a run, which keeps its rank."""

DecisionT = TypeVar("DecisionT", bound=Record)

MOST_BYTES = 4 * 1024 * 1024


class Opening(Record):
    """Source of the seed and order of a run with a commitment, published with the run.

    >>> Opening(salt="0" * 64, nonce="1" * 64).salt[:4]
    '0000'
    """

    salt: Sha256 = Field(description="The secret number behind the commitment, 64 hexadecimal digits.")
    nonce: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")] = Field(
        description="The merge commit that brought the commitment, 40 or 64 hexadecimal digits."
    )


class TranscriptsReference(Record):
    """Where a submitter's own transcripts are published."""

    repo: Line = Field(description="ORG/NAME of a dataset repository.")
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] = Field(description="Commit, 40 hex digits.")
    run: Name = Field(description="The run's id in that dataset.")


class Dates(Record):
    """When a submission was made: services change under the same name.

    >>> Dates(submitted="2026-11-22").played is None
    True
    """

    submitted: Day | None = Field(default=None, description="When the pair was handed in, YYYY-MM-DD.")
    played: Day | None = Field(default=None, description="When the submitter played it, if so, YYYY-MM-DD.")


def build_game_field(game: str) -> dict[str, str]:
    """Return the field of a manifest that names its game; none for the game of manifests that name none.

    >>> build_game_field("reference"), build_game_field(DEFAULT_GAME)
    ({'game': 'reference'}, {})
    """
    return {} if game == DEFAULT_GAME else {"game": game}


class SubmissionFields(Record):
    """The fields that manifests ``submission.yaml`` of every game have, beside seats and rules."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this format.")
    game: Name = Field(default=DEFAULT_GAME, description="Entry-point name in the group ircore.games.")
    name: Line = Field(description="Shown on the submission's page; boards of two seats name the two players.")
    authors: tuple[Line, ...] = Field(default=(), description="Who submits it.")
    submitter: Login | None = Field(
        default=None,
        exclude_if=is_none,
        description="Account on the code host whose entry it is: it alone, and maintainers, may change it.",
    )
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
    def _checked(self) -> Self:
        check_terms(self.licence, self.links)
        return self


class Submission(SubmissionFields):
    """Players for the seats of a game, as a manifest ``submission.yaml`` states them: each seat is a key of its own.

    >>> pair = Submission(schema=1, name="classical + canvas", licence="Apache-2.0", describer={"player": "classical"},
    ...                   generator={"player": "canvas"})
    >>> pair.game, {seat: player.label for seat, player in pair.players.items()}
    ('reconstruction', {'describer': 'classical', 'generator': 'canvas'})
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, PlayerSpec]

    rules: Fields = Field(
        default_factory=dict,
        description="Rules that differ from the game's defaults: what is played by unless the command line differs.",
    )

    @model_validator(mode="after")
    def _has_seats(self) -> Self:
        if not self.__pydantic_extra__:
            raise ValueError("no seat is filled: name who takes each seat")
        for seat in self.__pydantic_extra__:
            if not fullmatch(NAME, seat):
                raise ValueError(f"{seat[:40]!r} is no name of a seat")
        return self

    @property
    def players(self) -> dict[str, PlayerSpec]:
        """Who takes each seat, by the seat's name."""
        return dict(self.__pydantic_extra__)

    @property
    def published(self) -> "Submission":
        """The manifest as others may read it: its players as ``PlayerSpec.published``."""
        return self.with_players({seat: player.published for seat, player in self.players.items()})

    def label_of(self, seat: str) -> str:
        """Return the label of a seat's player; ``nobody`` for a seat that the rules of the run leave empty."""
        player = self.__pydantic_extra__.get(seat)
        return NOBODY if player is None else player.label

    def in_order(self, seats: Iterable[str]) -> "Submission":
        """Return the manifest with its seats in this order: a pair is the same run however it is written."""
        players = self.players
        known = [seat for seat in seats if seat in players]
        rest = self.model_dump(by_alias=True, exclude=set(players))
        return Submission.model_validate({**rest, **{seat: players[seat] for seat in (*known, *players)}})

    def with_players(self, players: Mapping[str, PlayerSpec]) -> "Submission":
        """Return the manifest with other players, by their seats."""
        return self.model_copy(update=dict(players))


def check_terms(licence: str, links: Mapping[str, str]) -> None:
    """Refuse a licence that is no SPDX identifier or expression, and links that are not https.

    Raises:
        ValueError: The message names the field.
    """
    if not fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*( (AND|OR|WITH) [A-Za-z0-9][A-Za-z0-9.+-]*)*", licence):
        raise ValueError("licence must be an SPDX identifier, such as Apache-2.0 or CC-BY-4.0")
    for name, link in links.items():
        # Links are shown on the site: another scheme, such as javascript:, could run there.
        if not link.startswith("https://"):
            raise ValueError(f"links.{name} must start with https://")


class Run(Record):
    """The identity of a run: everything that decides its results. File ``run.json``.

    >>> from pathlib import Path
    >>> run = Run.model_validate_json(Path("run/run.json").read_bytes())
    >>> run.game, run.rules["max_turns"]
    ('reconstruction', 10)
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    run_id: Name = Field(description="Slug of the submission and a hash of everything below but started.")
    game: Name = Field(default=DEFAULT_GAME, description="Entry-point name in the group ircore.games.")
    slug: Name = Field(description="The submission's folder name.")
    submission: Submission = Field(description="The manifest as it was read.")
    instance_set: Sha256 = Field(description="Identity of the instance set: the SHA-256 of its instances.jsonl.")
    rules: Fields = Field(
        description="As played, every rule of the game: the submission's, unless the command line said otherwise."
    )
    prompts: Line = Field(description="Version of the prompts: a name and the hash of their texts.")
    seed: int = Field(ge=0, description="For players that draw lots, ≥ 0.")
    more_seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        default=(),
        max_length=MOST_REPEATS - 1,
        exclude_if=lambda seeds: not seeds,  # as runs before there were repeats
        description="Seeds of the second and further episodes of each instance; none where each is played once.",
    )
    version: Line = Field(description="Version of ircore that played it.")
    packages: dict[PackageName, PackageVersion] = Field(
        default_factory=dict,
        max_length=20,
        exclude_if=lambda packages: not packages,
        description="Versions of the other packages that add the game or players, as far as they were installed.",
    )
    started: Moment = Field(description="When play began, ISO 8601 in UTC.")
    opening: Opening | None = Field(
        default=None,
        exclude_if=is_none,
        description="Of a run with a commitment: what its seed and the order of its episodes follow from.",
    )
    reference: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="Whether a player saw what no player may see: a ceiling or a floor, never ranked.",
    )

    @field_validator("rules", mode="before")
    @classmethod
    def _as_fields(cls, rules: Any) -> Any:
        return rules.model_dump(mode="json") if isinstance(rules, Record) else rules

    @model_validator(mode="after")
    def _is_of_one_game(self) -> Self:
        if self.submission.game != self.game:
            raise ValueError(f"game is {self.game}, that of the submission {self.submission.game}")
        return self

    @model_validator(mode="after")
    def _seeds_differ(self) -> Self:
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("more_seeds: repeats need different seeds")
        return self

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each repeat, in their order."""
        return self.seed, *self.more_seeds

    @property
    def repeats(self) -> int:
        """Episodes that the run plays of each instance."""
        return len(self.seeds)

    def episode_ids(self, instance_ids: Iterable[str]) -> list[str]:
        """Return the ids of the episodes of some instances, those of one instance side by side."""
        return [repeat_id(name, repeat) for name in instance_ids for repeat in range(1, self.repeats + 1)]


class Withdrawal(Record):
    """Why a published run was withdrawn or marked. A line of ``tombstones.jsonl`` in a release.

    >>> gone = Withdrawal(slug="my-pair", kind="withdrawn", reason="wrong model", date="2026-11-01")
    >>> back = Withdrawal(slug="my-pair", kind="reinstated", reason="played again", date="2026-11-20")
    >>> gone.removes, back.follows(gone).kind
    (True, 'reinstated')
    """

    slug: Name = Field(description="The submission's folder name.")
    run_id: Name | None = Field(
        default=None, description="The run; if null, every run of the submission that began on or before the date."
    )
    kind: WithdrawalKind = Field(description="withdrawn, corrected, disputed, reinstated or cleared.")
    reason: Line = Field(description="Why, in one line that everybody may read.")
    date: Day = Field(description="When this was decided, YYYY-MM-DD.")
    transcripts: TranscriptsReference | None = Field(
        default=None, description="If given and run_id is not: the runs of these transcripts, whenever they began."
    )

    @property
    def removes(self) -> bool:
        """Whether the run leaves boards and tables."""
        return self.kind in ("withdrawn", "corrected")

    def concerns(self, run: Run) -> bool:
        """Say whether this decision is about a run; a reinstated submission concerns runs of any date."""
        if self.slug != run.slug:
            return False
        if self.run_id is not None:
            return self.run_id == run.run_id
        if self.transcripts is not None:
            return run.submission.transcripts == self.transcripts
        # A run that began after the withdrawal is not what was withdrawn.
        return self.kind == "reinstated" or run.started[:10] <= self.date

    def follows(self, known: "Withdrawal | None") -> "Withdrawal | None":
        """Return which decision holds for a run after this decision is added to an earlier decision about the run.

        A withdrawn run stays withdrawn until it is reinstated.

        Args:
            known: The decision that held; None if there was none.
        """
        if known is None or not known.removes:
            # What was decided before the run came back is settled.
            settled = known is not None and known.kind == "reinstated" and self.date < known.date
            return known if self.kind == "reinstated" or settled else self
        # That a run was wrong is not taken back by a word about all of them.
        ends = self.kind == "reinstated" and (known.kind == "withdrawn" or self.run_id is not None)
        return self if ends and self.date >= known.date else known


def read_decisions(
    lines: Iterable[tuple[int, bytes]], kind: type[DecisionT], name: str, remedy: str
) -> Iterator[DecisionT]:
    """Yield the decisions in lines that people write: a JSON record in each line, no key twice.

    Args:
        lines: Each line with its number.
        kind: The record: a ``Withdrawal`` of a release, or a step of a submission's history.
        name: Name of the file in an error message.
        remedy: Remedy for a line that does not fit.

    Raises:
        InputError: A line is no such record.
    """
    for number, line in lines:
        try:
            decision = kind.model_validate_json(line)
            # Separately, since pydantic takes the last of two values and says nothing.
            refuse_double_keys(line)
        except ValueError as error:
            problem = describe_validation_error(error)[:300] if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{name}:{number}: {problem}", remedy) from error
        yield decision


def refuse_double_keys(text: bytes) -> None:
    """Check that no object in a JSON text has a key twice.

    Raises:
        ValueError: A key is given twice, or the text is no JSON.
    """
    json.loads(text, object_pairs_hook=_refuse_repeated_keys)


def format_decisions(decisions: Iterable[Record]) -> str:
    """Return decisions as the content of a file with a JSON record in each line."""
    return "".join(decision.model_dump_json(exclude_none=True) + "\n" for decision in decisions)


def read_withdrawals(path: Path) -> tuple[Withdrawal, ...]:
    """Read a file of withdrawals with a JSON record in each line.

    Raises:
        InputError: There is no such file, it is larger than 4 MiB, or a line is no withdrawal.
    """
    data = read_bounded(
        path, MOST_BYTES, "Name a file with a JSON record in each line.", "A line for each withdrawal is enough."
    )
    # Not a journal, whose last line counts only if it was ended: people write this file.
    lines = ((number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip())
    remedy = "Give it slug, kind, reason and date; see docs/release.md."
    return tuple(read_decisions(lines, Withdrawal, str(path), remedy))


def _refuse_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object with a key given twice: people read the first value, programs take the second."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is given twice")
    return members
