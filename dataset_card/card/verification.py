"""``verification.json``: values of a release that were computed again before publication; the card shows them too."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from dataset_card.tables.schema import holds_records
from dataset_card.tables.writing import TablePart
from ircore.core.errors import InputError
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.validation import describe_validation_error

VERIFICATION = "verification.json"

MAX_BYTES = 16 * 1024 * 1024

REPLAYED = ("turn order", "message", "message_tokens", "over_budget", "leniencies", "outcome", "abort_reason")
"""Fields that are compared when an episode is played again by the rules of the game."""


class RunVerification(Record):
    """Values of one run that were computed again without a difference.

    >>> drawn = RunVerification(run_id="a", key="0" * 64, share=0.25, seed=7, episodes=21, rules=REPLAYED,
    ...                         judges={"structural": 42}, metrics={}, not_verified={}, version="1.0")
    >>> merge_verifications(VerificationRecord(), {"a": drawn}).runs[0].episodes
    21
    """

    run_id: Name = Field(description="The run.")
    key: Sha256 = Field(description="Hash of the rows that were compared: transcripts, episodes and scores of the run.")
    share: float = Field(gt=0, le=1, description="Share of its episodes that was drawn; 1 is all of them.")
    seed: int | None = Field(default=None, ge=0, description="Seed of the draw; null if all episodes were taken.")
    episodes: int = Field(ge=0, description="Episodes that were computed again.")
    rules: tuple[Line, ...] = Field(description="What was compared after playing them again by the rules.")
    judges: dict[Name, int] = Field(description="Values of each judge that were computed again.")
    metrics: dict[Name, int] = Field(
        description="Values of each metric, or of each measure of another game, that were computed again."
    )
    not_verified: dict[Name, Line] = Field(description="What could not be computed again, and why, by judge or metric.")
    version: Line = Field(description="Version of ircore that computed it.")


class VerificationRecord(Record):
    """Values of a release that were computed again. File ``verification.json``.

    >>> read_verification(Path("release")).runs
    ()
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    runs: tuple[RunVerification, ...] = Field(default=(), description="In the order of their ids.")


def run_key(parts: Iterable[TablePart], run_id: str) -> str:
    """Return the hash of the rows of a run that a verification rests on."""
    own = (part for part in parts if part.run_id == run_id and holds_records(part.config))
    # Sorted, so that the order of the tables in release.json does not count.
    keys = sorted(f"{part.config} {part.key}" for part in own)
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()


def read_verification(release: Path) -> VerificationRecord:
    """Return the verification of a release; an empty verification without a file ``verification.json``.

    Raises:
        InputError: The file is damaged.
    """
    path = release / VERIFICATION
    if not path.is_file():
        return VerificationRecord()
    # Asked before reading, because the file may come with a stranger's release.
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB", "Remove it; push makes it again.")
    try:
        return VerificationRecord.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Remove it; push makes it again.") from error


def dump_verification(verification: VerificationRecord) -> str:
    """Return the content of ``verification.json``."""
    return verification.model_dump_json(by_alias=True, indent=1) + "\n"


def keep_unchanged(verification: VerificationRecord, parts: Iterable[TablePart]) -> VerificationRecord:
    """Return the verification of the runs whose rows have not changed in a release of these parts."""
    release_parts = tuple(parts)
    runs = tuple(run for run in verification.runs if run.key == run_key(release_parts, run.run_id))
    return VerificationRecord(runs=runs)


def merge_verifications(verification: VerificationRecord, more: Mapping[str, RunVerification]) -> VerificationRecord:
    """Return a verification with further runs, which replace former entries of the same runs."""
    runs = {run.run_id: run for run in verification.runs} | dict(more)
    # Sorted, so that the same runs give the same bytes however often the release is pushed.
    return VerificationRecord(runs=tuple(runs[run_id] for run_id in sorted(runs)))
