"""What a release says of itself: ``release.json``, from which also its tag and its change log come.

A release is a benchmark version, a date and a hash of its content: the same runs give the same name. What was added,
changed and withdrawn against the previous release stays in the history of every later one.
"""

import hashlib
from pathlib import Path

from pydantic import Field, ValidationError

from dataset_card.releases.renderer import Renderer
from dataset_card.tables.parts import Part
from ircore.core.errors import InputError
from ircore.core.lifecycle import Withdrawal
from ircore.core.records import Day, Line, Name, Record, Run, Sha256
from ircore.core.validation import describe_validation_error
from ircore.runs.provenance import Commit, Provenance

RELEASE = "release.json"
RUNS = "runs.jsonl"
"""One line a run: its identity, as in ``run.json``."""

JUDGES = "judges.jsonl"
"""One line a judge: who it is, as far as a run says so."""

PROVENANCE = "provenance.jsonl"
"""One line a run that somebody vouches for; not there if there is none."""

TOMBSTONES = "tombstones.jsonl"
"""One line a run that was withdrawn, corrected or reinstated since it was published, or is disputed; else not there."""

CHANGES = "CHANGELOG.md"

MAX_BYTES = 64 * 1024 * 1024
"""Of a release's files beside the tables."""


class Vouched(Record):
    """Who vouches for a run: a line of ``provenance.jsonl``."""

    run_id: Name
    provenance: Provenance


class RunNote(Record):
    """A run as the history names it."""

    run_id: Name = Field(description="The run.")
    slug: Name = Field(description="Its submission's folder name.")
    name: Line = Field(description="The pair's name.")

    @classmethod
    def of(cls, run: Run) -> "RunNote":
        """Return the note of a run."""
        return cls(run_id=run.run_id, slug=run.slug, name=run.submission.name)


class RunChange(Record):
    """A run of the previous release that holds something else now."""

    run: RunNote = Field(description="Which one.")
    tables: tuple[Name, ...] = Field(description="The tables in which its rows are not what they were.")


class Entry(Record):
    """What a release brought, against the previous one."""

    name: Name = Field(description="The release.")
    date: Day = Field(description="Its date.")
    added: tuple[RunNote, ...] = Field(default=(), description="Runs that are new.")
    changed: tuple[RunChange, ...] = Field(default=(), description="Runs whose rows changed, such as re-scored ones.")
    withdrawals: tuple[Withdrawal, ...] = Field(default=(), description="Of its and previous runs, if new.")
    notes: tuple[Line, ...] = Field(default=(), description="What else changed, one sentence each.")


class Parent(Record):
    """The release that another one was built upon."""

    release: Name = Field(description="Its name.")
    commit: Commit | None = Field(
        default=None, description="The commit that it was read from, 40 hex digits; null if it was a folder."
    )


class ReleaseRecord(Record):
    """The identity of a release, what it is made of, and how it came about. File ``release.json``."""

    schema_: int = Field(default=1, alias="schema", ge=1, le=1, description="Version of this format.")
    name: Name = Field(description="Benchmark version, date and the first digits of content; its tag on the Hub.")
    benchmark: Name | None = Field(description="Version of the benchmark; null if the set is not a released one.")
    instance_set: Sha256 = Field(description="Identity of the instance set that all runs were played on.")
    prompts: Line = Field(description="Version of the prompts that all runs were played with.")
    date: Day = Field(description="Of the release; if nobody named one, the day of the newest thing in it.")
    content: Sha256 = Field(description="Hash of layout and of all rows, pictures, runs, judges and tombstones.")
    layout: Sha256 = Field(description="Hash of the columns and of how tables are written.")
    program: Sha256 = Field(description="Hash of the code that computed its numbers.")
    renderer: Renderer | None = Field(
        default=None, description="Code that wrote its derived files; null in releases of earlier layouts."
    )
    judges: tuple[Name, ...] = Field(description="Every judge on its boards.")
    parts: tuple[Part, ...] = Field(description="What each run adds to each table, and the tables of no run.")
    files: tuple[Line, ...] = Field(
        default=(), description="Every file beside the tables, by its path; empty in releases of earlier layouts."
    )
    parent: Parent | None = Field(
        default=None, description="What it was built upon; null if nothing, and in releases of earlier layouts."
    )
    history: tuple[Entry, ...] = Field(min_length=1, description="This release and all before it, newest first.")

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of every file of a table, by its path."""
        return {name: shard.sha256 for part in self.parts for name, shard in part.files.items()}


def release_name(benchmark: str | None, date: str, content: str) -> str:
    """Return the name of a release, which serves as its tag: ``2026.1-2026-12-01-1a2b3c4d``."""
    return f"{benchmark or 'unreleased'}-{date}-{content[:8]}"


def content_hash(parts: tuple[Part, ...], texts: dict[str, str], layout: str) -> str:
    """Return the hash of all that a release holds, and of how it is written.

    Args:
        parts: Of its tables, in any order.
        texts: The content of its files of records, by name.
        layout: Hash of the columns and of how its tables are written.
    """
    lines = [f"layout {layout}"]
    lines += [f"{one.config}/{one.run_id or ''} {one.key}" for one in parts]
    lines += [f"{name} {hashlib.sha256(text.encode()).hexdigest()}" for name, text in texts.items() if text]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def read_release(folder: Path) -> ReleaseRecord:
    """Read what a release says of itself.

    Raises:
        InputError: The folder holds no release, or one whose ``release.json`` is damaged.
    """
    path = folder / RELEASE
    if not path.is_file():
        raise InputError(f"{folder}: no release here (no {RELEASE})", "Name a folder made by: ircore release build")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB")
    try:
        return ReleaseRecord.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Build the release again.") from error


def render_changes(record: ReleaseRecord) -> str:
    """Return the content of ``CHANGELOG.md``."""
    from dataset_card.markdown import render

    return render("CHANGELOG.md.j2", history=record.history)
