"""Seasons: a fresh, secret instance set, whose hash is published before anybody plays the set.

    begin     the maintainers draw a set from a seed that nobody can guess, keep it, and publish a commitment to it
    play      in the protected job, on the secret set
    reveal    set, seed and results are published; the commitment shows that the set was not chosen afterwards

The commitment is SHA-256 of the season's name, the set's identity and 32 random bytes. It binds, since another set
would need a second preimage; and it hides, since nobody can try likely sets against it without these bytes.

Every evaluation plays a slice of the secret season: ten pictures that the pair has not seen, and nobody publishes.
Whoever knows the public targets does worse on these. Each pair's pictures are drawn by the season's salt, so that they
are the same if the evaluation is repeated, that nobody can guess them, and that no service sees the whole set soon.

The gaps of a revealed season stand in a file, which ``ircore maintain season gap --out`` writes and the site shows.
"""

import hashlib
import hmac
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from secrets import randbits, token_hex
from typing import Literal, NamedTuple, Self, TypeVar

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from ircore import __version__
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_text
from ircore.core.records import DEFAULT_GAME, DIFFICULTIES, Instance, Line, Name, Record, Sha256, is_none
from ircore.core.validation import describe_validation_error
from ircore.games.registry import load_game, require_support
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet, read_instances, write_instances
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate, subtract_estimates
from ircore.results.tables.model import Table
from ircore.runs.folder import RunFolder

T = TypeVar("T", bound=Record)

SECRET = "secret.json"  # noqa: S105 - the name of a file
INSTANCES = "instances"
SEED_BITS = 62
"""Of a season's seed: more cannot be tried out, and it fits into 64 bits."""

MAX_BYTES = 64 * 1024

SEASON_GAPS = "season_gaps.json"
"""File of a release, and of the folder that a release is pulled into, with the gaps; only if a season was played."""

MAX_GAP_BYTES = 4 * 1024 * 1024

PICTURES = 10
"""Pictures that each evaluation adds."""

JUDGE = "verified"
"""Judge whose scores are compared."""

SLICES = "slices"
"""Folder beside the secret set with the pictures and the run of each pair."""


class Season(Record):
    """The published record of a season: first the commitment, later the set and salt behind the commitment.

    >>> commitment = compute_commitment("2027-spring", identity="1" * 64, salt="2" * 64)
    >>> season = Season(season="2027-spring", commitment=commitment, committed="2027-03-01T00:00:00+00:00",
    ...                 instances=160, version="1.0")
    >>> season.revealed is None
    True
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    season: Name = Field(description="Its name, such as 2027-spring.")
    commitment: Sha256 = Field(description="SHA-256 of 'ircore season', name, identity and salt, one a line.")
    committed: Line = Field(description="When, ISO 8601 in UTC.")
    instances: int = Field(ge=1, description="Pictures in the set.")
    version: Line = Field(description="Version of ircore that drew it.")
    edition: int | None = Field(default=None, ge=1, description="Of the builders; null for a given set.")
    revealed: Line | None = Field(default=None, description="When the set was published, ISO 8601 in UTC.")
    identity: Sha256 | None = Field(default=None, description="Of the set: the SHA-256 of its instances.jsonl.")
    salt: Sha256 | None = Field(default=None, description="32 random bytes as hexadecimal digits.")
    seed: int | None = Field(default=None, ge=0, description="It was drawn from; null if it was not drawn.")

    @model_validator(mode="after")
    def _all_or_nothing_is_revealed(self) -> "Season":
        if len({field is None for field in (self.revealed, self.identity, self.salt)}) != 1:
            raise ValueError("revealed, identity and salt are given together")
        return self


def compute_commitment(season: str, identity: str, salt: str) -> str:
    """Return the SHA-256 that commits to an instance set.

    Args:
        season: Name of the season.
        identity: Identity of the instance set.
        salt: 64 hexadecimal digits.
    """
    return hashlib.sha256(f"ircore season\n{season}\n{identity}\n{salt}\n".encode()).hexdigest()


def begin_season(
    name: str,
    folder: Path,
    publication: Path,
    per_condition: int = 10,
    instance_set: Path | None = None,
    game: str = DEFAULT_GAME,
    edition: int | None = None,
) -> Season:
    """Draw a secret set and publish the commitment to it.

    Args:
        name: Name of the season.
        folder: Folder for the set and the secret, which must not be published; it must not exist or be empty.
        publication: The file to publish.
        per_condition: Instances for each category and difficulty.
        instance_set: A set to commit to instead of drawing one.
        game: The game whose instances are drawn.
        edition: Edition of the game's builders; the newest one if None.

    Raises:
        InputError: ``folder`` or ``publication`` holds something, the name cannot be used, or nothing draws instances
            of the game.
        WorkError: A place cannot be written.
    """
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise InputError(f"{name!a}: cannot be the name of a season", "Name it like 2027-spring.") from error
    # Before the set is drawn, which takes a while.
    if publication.exists():
        raise InputError(f"{publication}: exists already", "A commitment is never replaced: name another file.")
    _refuse_full(folder)
    build = find_builder(game) if instance_set is None else None
    _own_folder(folder)
    seed, drawn_by = randbits(SEED_BITS) if build else None, None
    if build and seed is not None:
        known = load_game(game)
        drawn_by = (edition or known.editions) if known.secret_categories else None
        request = BuildRequest(folder / INSTANCES, seed, per_condition, known.secret_categories, edition=drawn_by or 1)
        instances = build(request)
    else:
        instances = read_instances(instance_set or folder)
    salt = token_hex(32)
    season = Season(
        season=name,
        commitment=compute_commitment(name, instances.identity, salt),
        committed=datetime.now(UTC).isoformat(timespec="seconds"),
        instances=len(instances.instances),
        version=__version__,
        edition=drawn_by,
    )
    secret = _SeasonSecret(season=season, identity=instances.identity, salt=salt, seed=seed, game=game)
    write_text(folder / SECRET, secret.model_dump_json(indent=2, by_alias=True) + "\n")
    _publish(publication, season)
    return season


def restore_season(name: str, secret_text: str, folder: Path) -> Season:
    """Draw the set of a season again from its secret, so that a job needs no more than a line of text.

    Args:
        name: Name of the season.
        secret_text: Content of the season's ``secret.json``.
        folder: Folder for the set and the secret; it must not exist or be empty.

    Raises:
        InputError: The text is no secret or of another season, the set was given and not drawn, this version draws
            another set, or ``folder`` holds something.
        WorkError: ``folder`` cannot be written.
    """
    remedy = f"Give the content of the {SECRET} that season begin made."
    try:
        secret = _SeasonSecret.model_validate_json(secret_text)
    except ValidationError as error:
        # Without the values, which belong to nobody who reads a job's log.
        fields = ", ".join(sorted({".".join(map(str, fault["loc"])) for fault in error.errors()}))
        raise InputError(f"season {name[:80]!a}: its secret cannot be read ({fields or 'no JSON'})", remedy) from None
    season = secret.season
    if season.season != name:
        raise InputError(f"season {name[:80]!a}: the secret is that of season {season.season}", remedy)
    if secret.seed is None or season.edition is None:
        raise InputError(f"season {name}: its set was given, not drawn", "Begin a season without --instances.")
    _refuse_full(folder)
    _own_folder(folder)
    # The record states the number of all pictures, which every condition has an equal part of.
    categories = load_game(secret.game).secret_categories
    each = season.instances // (len(categories) * len(DIFFICULTIES))
    find_builder(secret.game)(BuildRequest(folder / INSTANCES, secret.seed, each, categories, edition=season.edition))
    write_text(folder / SECRET, secret.model_dump_json(indent=2, by_alias=True) + "\n")
    # Refuses if the builders of this version draw another set than the one that was committed to.
    read_committed_set(folder)
    return season


def reveal_season(folder: Path, publication: Path) -> Season:
    """Publish the set, seed and salt behind a season's commitment.

    Args:
        folder: The folder that ``begin_season`` made.
        publication: The file that was published.

    Raises:
        InputError: They are not of one season.
    """
    secret = _read(folder / SECRET, _SeasonSecret)
    known = read_season(publication)
    if known.commitment != secret.season.commitment:
        raise InputError(
            f"{publication}: commits to another set than {folder / SECRET}", "Name the files of one season."
        )
    revealing = {"identity": secret.identity, "salt": secret.salt, "seed": secret.seed}
    revealed = datetime.now(UTC).isoformat(timespec="seconds")
    season = known.model_copy(update={**revealing, "revealed": known.revealed or revealed})
    # Before publication: once published, a wrong salt could not be taken back.
    verify_season(season, None)
    _publish(publication, season)
    return season


class CommittedSeason(NamedTuple):
    """A season's secret set with its commitment.

    >>> made = begin_season("spring", Path("secret"), Path("spring.json"), instance_set=Path("targets"))
    >>> read_committed_set(Path("secret"), Path("targets")).season == made
    True
    """

    season: Season
    """The published record, not revealed yet."""

    instances: InstanceSet
    """The set."""

    salt: str
    """The random bytes of the commitment, as hexadecimal digits."""


def read_committed_set(folder: Path, instances: Path | None = None) -> CommittedSeason:
    """Return the secret set of a season.

    Args:
        folder: The folder that ``begin_season`` made.
        instances: The set, if the season committed to a given one; None for the set in ``folder``.

    Raises:
        InputError: There is no season, or the set is not the one that was committed to.
    """
    secret = _read(folder / SECRET, _SeasonSecret)
    known = read_instances(instances or folder / INSTANCES)
    commitment = compute_commitment(secret.season.season, known.identity, secret.salt)
    if commitment != secret.season.commitment:
        raise InputError(f"{known.folder}: not the set of season {secret.season.season}", "Name the season's own set.")
    return CommittedSeason(secret.season, known, secret.salt)


def verify_season(season: Season, instances: InstanceSet | None) -> None:
    """Check that a revealed set matches the commitment.

    Args:
        season: The published record.
        instances: The set as published; None to check the published identity alone.

    Raises:
        InputError: It is not revealed yet, or is another set.
    """
    if season.identity is None or season.salt is None:
        raise InputError(f"season {season.season}: not revealed yet", "Wait until its results are published.")
    if compute_commitment(season.season, season.identity, season.salt) != season.commitment:
        raise InputError(
            f"season {season.season}: the published identity and salt do not give the commitment",
            "The set was exchanged, or the file was changed.",
        )
    if instances is not None and instances.identity != season.identity:
        raise InputError(
            f"{instances.folder}: not the set of season {season.season}", "The set was exchanged, or it is another one."
        )
    if instances is not None:
        for _ in instances.all_files():
            pass  # each picture's own hash is checked


def read_season(path: Path) -> Season:
    """Read the published record of a season.

    Raises:
        InputError: It cannot be read, or is not in the format.
    """
    return _read(path, Season)


class PairGap(Record):
    """Public minus secret main score of a pair.

    >>> PairGap(run_id="classical-canvas-1a2b3c4d", mean=10, low=5, high=15, n=40).estimate.half_width
    5.0
    """

    run_id: Line = Field(description="The run on the public set.")
    mean: float | None = Field(ge=-100, le=100, description="Public minus secret main score; null if one is missing.")
    low: float | None = Field(description="Lower end of the 95 % interval; null if there is none.")
    high: float | None = Field(description="Upper end of the 95 % interval; null if there is none.")
    n: int = Field(ge=0, description="Episodes on the smaller of the two sets.")

    @model_validator(mode="after")
    def _the_interval_holds_the_gap(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high are given together")
        if self.low is None or self.high is None:
            return self
        if self.mean is None or not self.low <= self.mean <= self.high:
            raise ValueError("mean is not within low and high")
        return self

    @property
    def estimate(self) -> Estimate:
        """The gap with its interval."""
        return Estimate(self.mean, self.low, self.high, self.n)


class SeasonGaps(Record):
    """The gaps of all pairs that played a public set and a season's set, by one judge.

    >>> from ircore.submissions.seasons import compute_commitment
    >>> commitment = compute_commitment("spring", identity="1" * 64, salt="2" * 64)
    >>> season = Season(season="spring", commitment=commitment, committed="2027-03-01", instances=160, version="1.0",
    ...                 revealed="2027-06-01", identity="1" * 64, salt="2" * 64)
    >>> SeasonGaps(season=season, public="3" * 64, judge="verified", gaps=()).season.season
    'spring'
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    season: Season = Field(description="The published record, with set and salt: the proof of the commitment.")
    public: Sha256 = Field(description="Identity of the public set.")
    judge: Line = Field(description="Whose scores.")
    category: Line | None = Field(default=None, description="Of this category alone; null for all.")
    pictures: int | None = Field(
        default=None,
        ge=2,
        exclude_if=is_none,
        description="Pictures of the season's set that each pair played, drawn for each; null for the whole set.",
    )
    gaps: tuple[PairGap, ...] = Field(description="One for each pair.")

    def of(self, run_ids: Collection[str]) -> Self:
        """Return the gaps of some runs."""
        return self.model_copy(update={"gaps": tuple(gap for gap in self.gaps if gap.run_id in run_ids)})

    def with_gaps(self, gaps: Iterable[PairGap]) -> Self:
        """Return the same with the gaps of some runs, in place of earlier gaps of these runs."""
        known = {gap.run_id: gap for gap in (*self.gaps, *gaps)}
        return self.model_copy(update={"gaps": tuple(known[run_id] for run_id in sorted(known))})

    def fits(self, other: "SeasonGaps") -> bool:
        """Return whether others are of the same season, public set, judge and number of pictures."""
        # Without gaps, a record is nothing but season, public set, judge and number of pictures.
        return self.of(()) == other.of(())


def read_gap_table(season: Season, table: Table, public: str, judge: str, category: str | None) -> SeasonGaps:
    """Return the gaps of a table that ``season_gap_table`` made.

    Args:
        season: The revealed season.
        table: The table.
        public: Identity of the public set.
        judge: Whose scores.
        category: The category of the table; None for all.
    """
    gaps = tuple(
        PairGap(run_id=str(run.value), mean=_number(gap.value), low=gap.low, high=gap.high, n=gap.n or 0)
        for run, gap in zip(table.column("run_id"), table.column("gap"), strict=True)
    )
    return SeasonGaps(season=season, public=public, judge=judge, category=category, gaps=gaps)


def write_season_gaps(path: Path, gaps: SeasonGaps) -> None:
    """Write gaps to a file; WorkError if the file cannot be written."""
    write_text(path, gaps.model_dump_json(indent=2, by_alias=True) + "\n")


def read_season_gaps(path: Path) -> SeasonGaps:
    """Read a file of gaps, and verify the season: its set is the one that was committed to.

    A season of which each pair plays a slice stays secret; then there is only its commitment.

    Raises:
        InputError: The file cannot be read, is not in the format, or the season's proof fails.
    """
    remedy = "Make it with: ircore maintain season gap … --out FILE"
    try:
        with path.open("rb") as file:
            # A file that is too long is cut off, and then no JSON.
            gaps = SeasonGaps.model_validate_json(file.read(MAX_GAP_BYTES + 1))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", remedy) from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", remedy) from error
    if gaps.pictures is None or gaps.season.revealed is not None:
        verify_season(gaps.season, None)
    return gaps


def select_slice(committed: CommittedSeason, run_id: str, count: int = PICTURES) -> tuple[Instance, ...]:
    """Return a pair's pictures of a season: as many conditions as possible, in an order that only the salt tells.

    Args:
        committed: The season's set.
        run_id: The run on the public set.
        count: Pictures.

    Raises:
        InputError: The set is of another game, or has fewer pictures.
    """
    instances = committed.instances
    require_support("secret slice", instances.game, str(instances.folder))
    if len(instances.instances) < count:
        raise InputError(f"{instances.folder}: has no {count} pictures", "Name another season.")
    by_condition: dict[tuple[str, str], list[Instance]] = {}
    for instance in sorted(
        instances.instances, key=lambda known: _compute_digest(committed, run_id, known.instance_id)
    ):
        by_condition.setdefault((instance.category, instance.difficulty), []).append(instance)
    # By place within a condition first, so that ten pictures are of ten conditions where there are as many.
    ranked = [(place, instance) for known in by_condition.values() for place, instance in enumerate(known)]
    # The sort is stable: within a round of the conditions the salt's order stays.
    return tuple(instance for _, instance in sorted(ranked, key=lambda pair: pair[0])[:count])


def write_slice(committed: CommittedSeason, run_id: str, folder: Path, count: int = PICTURES) -> InstanceSet:
    """Write a pair's pictures of a season as an instance set of their own; one that is there stays.

    Raises:
        InputError: As ``select_slice``; or the folder holds another set.
    """
    chosen = select_slice(committed, run_id, count)
    if not folder.exists():
        return write_instances(folder, ((instance, committed.instances.pictures(instance)) for instance in chosen))
    known = read_instances(folder)
    if {instance.instance_id for instance in known.instances} != {instance.instance_id for instance in chosen}:
        raise InputError(f"{folder}: holds other pictures than those of {run_id}", "Remove it.")
    return known


def compute_gap(public: RunFolder, secret: RunFolder, judge: str) -> PairGap:
    """Return public minus secret main score of a pair.

    Raises:
        InputError: The runs are of different players or rules, or the judge has not rated one of them.
    """
    for name in ("rules", "submission"):
        # Another rule or player would make a gap of its own.
        if getattr(public.run, name) != getattr(secret.run, name):
            raise InputError(f"{secret.path}: was played with another {name} than {public.path}", "Play it again.")
    main = []
    for run in (public, secret):
        results = Results.from_runs([run])
        if judge not in results.judges:
            raise InputError(f"{run.path}: {judge} has not rated it", f"Score it with: ircore score {run.path}")
        main.append(results.cell(run.run.run_id, judge).main)
    gap = subtract_estimates(*main)
    return PairGap(run_id=public.run.run_id, mean=gap.mean, low=gap.low, high=gap.high, n=gap.n)


def add_gap(path: Path, gap: PairGap, committed: CommittedSeason, public: str, judge: str, count: int) -> SeasonGaps:
    """Return the gaps of a file with the gap of a pair; of a new file if there is none.

    Args:
        path: The file.
        gap: Of the pair.
        committed: The season.
        public: Identity of the public set.
        judge: Whose scores.
        count: Pictures that each pair plays.

    Raises:
        InputError: The file is of another season, set, judge or number of pictures.
    """
    new = build_empty_gaps(committed, public, judge, count)
    known = read_season_gaps(path) if path.is_file() else new
    if not known.fits(new):
        raise InputError(f"{path}: is of another season, public set, judge or number of pictures", "Name another file.")
    return known.with_gaps([gap])


def build_empty_gaps(committed: CommittedSeason, public: str, judge: str = JUDGE, count: int = PICTURES) -> SeasonGaps:
    """Return the gaps of a season that no pair has played yet; see ``add_gap``."""
    return SeasonGaps(season=committed.season, public=public, judge=judge, pictures=count, gaps=())


class _SeasonSecret(Record):
    """The secret that maintainers keep until the season is over. File ``secret.json`` beside the set."""

    season: Season
    identity: Sha256
    salt: Sha256
    seed: int | None = None
    game: Name = DEFAULT_GAME


def _refuse_full(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: exists already", "Choose another --out, or remove it first.")


def _own_folder(path: Path) -> None:
    """Make a folder that no other user of this machine can read: the pictures in it are as secret as the seed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        # After mkdir, because the folder may have been there before, with another mode.
        path.chmod(0o700)
    except OSError as error:
        raise WorkError(f"{path}: cannot be written ({error.strerror})", "Choose another --out.") from error


def _publish(path: Path, season: Season) -> None:
    write_text(path, season.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n")


def _read(path: Path, kind: type[T]) -> T:
    try:
        with path.open("rb") as file:
            # A file that is too long is cut off, and then no JSON.
            data = file.read(MAX_BYTES + 1)
        return kind.model_validate_json(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", "Name a file of a season.") from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Name a file of a season.") from error


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)


def _compute_digest(committed: CommittedSeason, run_id: str, instance_id: str) -> bytes:
    text = f"ircore slice\n{run_id}\n{instance_id}\n".encode()
    # With the salt as key, the pictures of a pair can be checked once the season is revealed, and not before.
    return hmac.new(bytes.fromhex(committed.salt), text, hashlib.sha256).digest()
