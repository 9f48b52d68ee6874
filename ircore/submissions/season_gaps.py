"""The gaps of a revealed season in a file, which ``ircore maintain season gap --out`` writes and the site shows."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.records import Line, Record, Sha256, is_none
from ircore.core.validation import describe_validation_error
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.model import Table
from ircore.submissions.seasons import Season, verify_season

SEASON_GAPS = "season_gaps.json"
"""File of a release, and of the folder that a release is pulled into, with the gaps; only if a season was played."""

MAX_BYTES = 4 * 1024 * 1024


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

    >>> from ircore.submissions.seasons import commitment_to
    >>> commitment = commitment_to("spring", identity="1" * 64, salt="2" * 64)
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


def season_gaps(season: Season, table: Table, public: str, judge: str, category: str | None) -> SeasonGaps:
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


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)


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
            gaps = SeasonGaps.model_validate_json(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", remedy) from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", remedy) from error
    if gaps.pictures is None or gaps.season.revealed is not None:
        verify_season(gaps.season, None)
    return gaps
