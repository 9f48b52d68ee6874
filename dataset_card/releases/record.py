"""``release.json``: the record of a release, the source of its tag and change log.

A release is a benchmark version, a date and a hash of its content: the same runs give the same name. What was added,
changed and withdrawn against the previous release stays in the history of every later one. The record also names the
code that computed the numbers, and that which wrote the derived files: card, datasheet, licences, change log,
Croissant and pictures.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import asdict
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

import dataset_card
import ircore
from dataset_card.markdown import render
from dataset_card.tables.columns import Config, Kind, ReleaseColumn
from dataset_card.tables.schema import OPTIONAL_NAMES
from dataset_card.tables.writing import TablePart
from ircore.core.errors import InputError
from ircore.core.plain_words import Day
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.submission_records import Run, Withdrawal
from ircore.core.validation import describe_validation_error
from ircore.runs.provenance import Commit, Provenance

# Everything else that a number depends on stands in the tables as episodes and scores.
_NUMBER_PACKAGES = ("results",)
"""Packages of ``ircore`` that a number depends on."""


@cache
def compute_program_key() -> str:
    """Return the hash of the code: numbers of the previous release are reused only if the code has not changed."""
    root = Path(ircore.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for part in _NUMBER_PACKAGES for path in (root / part).rglob("*.py")):
        data = path.read_bytes()
        # With the length, so that code cannot move from one file into the next unseen.
        digest.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


TEXT_SOURCES = (
    "card/*.py",
    "templates/*.j2",
    "tables/columns.py",
    "tables/schema.py",
    "tables/game_tables.py",
    "tables/rows.py",
    "markdown.py",
    "croissant_context.json",
)
"""Patterns of the files of this package that a derived text depends on; numbers and boards come from ``ircore``."""


class RendererCode(Record):
    """The code that wrote the derived files of a release: the same code writes the same bytes.

    >>> from dataset_card.releases.record import read_release
    >>> read_release(Path("release")).renderer == identify_renderer()
    True
    """

    texts: Sha256 = Field(description="Hash of the code and templates of the texts.")
    pictures: Sha256 = Field(description="The same with the versions of what draws and encodes the pictures.")


def list_renderer_files() -> tuple[Path, ...]:
    """Return the files of code and templates that decide a derived text, besides those of ``compute_program_key``."""
    own, core = Path(dataset_card.__file__).parent, Path(ircore.__file__).parent
    patterns = (*((own, pattern) for pattern in TEXT_SOURCES), (core, "results/tables/*.py"))
    return tuple(path for folder, pattern in patterns for path in sorted(folder.glob(pattern)))


@cache
def identify_renderer() -> RendererCode:
    """Return the hashes of the code of this program."""
    from PIL import __version__, features

    texts = hashlib.sha256(compute_program_key().encode())
    for path in list_renderer_files():
        texts.update(f"{path.parent.name}/{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    # zlib packs the PNG files, FreeType and Raqm draw their letters: other versions may give other bytes.
    drawing = [__version__, *(features.version(name) or "" for name in ("zlib", "freetype2", "raqm"))]
    pictures = hashlib.sha256(" ".join((texts.hexdigest(), *drawing)).encode())
    return RendererCode(texts=texts.hexdigest(), pictures=pictures.hexdigest())


RELEASE = "release.json"
RUNS = "runs.jsonl"
"""One line for each run: its identity, as in ``run.json``."""

JUDGES = "judges.jsonl"
"""One line for each judge: its identity, as far as a run states it."""

PROVENANCE = "provenance.jsonl"
"""One line for each run that somebody vouches for; missing without such runs."""

TOMBSTONES = "tombstones.jsonl"
"""One line for each run that was withdrawn, corrected, reinstated or disputed; missing without such runs."""

CHANGES = "CHANGELOG.md"

MAX_BYTES = 64 * 1024 * 1024
"""Maximal size of a release's files beside the tables."""


class Vouched(Record):
    """Who vouches for a run: a line of ``provenance.jsonl``.

    >>> by_us = Provenance(kind="maintainers", when="2026-11-22T12:00:00+00:00", version="1.0", manifest="0" * 64)
    >>> Vouched(run_id="a-run", provenance=by_us).provenance.kind
    'maintainers'
    """

    run_id: Name
    provenance: Provenance


ANY_RUN = TypeAdapter(Run)
"""A line of ``runs.jsonl``: a run of any game."""


class RunNote(Record):
    """A run in the history.

    >>> RunNote(run_id="my-pair-01234567", slug="my-pair", name="a + b").model_dump()
    {'run_id': 'my-pair-01234567', 'slug': 'my-pair', 'name': 'a + b'}
    """

    run_id: Name = Field(description="The run.")
    slug: Name = Field(description="Its submission's folder name.")
    name: Line = Field(description="The pair's name.")

    @classmethod
    def of(cls, run: Run) -> "RunNote":
        """Return the note of a run."""
        return cls(run_id=run.run_id, slug=run.slug, name=run.submission.name)


class RunChange(Record):
    """A run of the previous release that holds something else now.

    >>> run = RunNote(run_id="my-pair-01234567", slug="my-pair", name="a + b")
    >>> RunChange(run=run, tables=("scores",)).tables
    ('scores',)
    """

    run: RunNote = Field(description="The run.")
    tables: tuple[Name, ...] = Field(description="The tables in which its rows are not what they were.")


class ChangeLogEntry(Record):
    """Changes of a release against the previous release.

    >>> from pathlib import Path
    >>> from dataset_card.releases.record import read_release
    >>> (entry,) = read_release(Path("release")).history
    >>> [run.slug for run in entry.added], entry.changed
    (['builtin-classical-canvas'], ())
    """

    name: Name = Field(description="The release.")
    date: Day = Field(description="Its date.")
    added: tuple[RunNote, ...] = Field(default=(), description="Runs that are new.")
    changed: tuple[RunChange, ...] = Field(default=(), description="Runs whose rows changed, such as re-scored ones.")
    withdrawals: tuple[Withdrawal, ...] = Field(default=(), description="Of its and previous runs, if new.")
    notes: tuple[Line, ...] = Field(default=(), description="Further changes, one sentence each.")


class Parent(Record):
    """The release that another release was built upon.

    >>> Parent(release="2026.1-2026-12-01-1a2b3c4d").commit is None
    True
    """

    release: Name = Field(description="Its name.")
    commit: Commit | None = Field(
        default=None, description="The commit that it was read from, 40 hex digits; null if it was a folder."
    )


class _ColumnRecord(Record):
    """A column of a table."""

    name: str = Field(pattern=r"^[a-z][A-Za-z0-9_.-]{0,120}$", description="Its name.")
    kind: Kind = Field(description="Type of its values.")
    description: str = Field(max_length=4000, description="Meaning of its values.")
    nullable: bool = Field(default=False, description="Whether a row may have no value here.")
    repeats: bool = Field(default=False, description="Whether a row group stores a picture of several rows once.")
    field: str = Field(default="", max_length=250, description="Its place in the record that the row is of.")
    as_json: bool = Field(default=False, description="Whether its text is the JSON of the value.")


class TableRecord(Record):
    """A table, with the columns that the games of the release declare.

    >>> from dataset_card.tables.schema import SCORES
    >>> TableRecord.of(SCORES).config() == SCORES
    True
    """

    name: Name = Field(description="Its name in load_dataset.")
    row: str = Field(max_length=1000, description="Meaning of a row.")
    columns: tuple[_ColumnRecord, ...] = Field(description="In the order of the files.")
    default: bool = Field(default=False, description="Whether it is loaded when no table is named.")

    @classmethod
    def of(cls, config: Config) -> "TableRecord":
        """Return the record of a table."""
        columns = tuple(_ColumnRecord.model_validate(asdict(column)) for column in config.columns)
        return cls(name=config.name, row=config.row, columns=columns, default=config.default)

    def config(self) -> Config:
        """Return the table in the form in which its files are read."""
        columns = (ReleaseColumn(**column.model_dump()) for column in self.columns)
        return Config(self.name, self.row, tuple(columns), self.default)


class GameRecord(Record):
    """A game of a release on one of its instance sets: of several sets, each has a record."""

    name: Name = Field(description="Entry-point name in the group ircore.games.")
    title: Line = Field(description="Name of the game for people.")
    paper: Line | None = Field(default=None, description="Address of the paper that describes it.")
    headline: Line = Field(description="Title of the measure that its board is ordered by.")
    seats: tuple[Name, ...] = Field(description="Its seats in the order of the game.")
    instance_set: Sha256 = Field(description="Identity of the instance set that its runs were played on.")
    prompts: Line = Field(description="Version of the prompts that its runs were played with.")


class ReleaseRecord(Record):
    """Identity, content and history of a release. File ``release.json``.

    >>> from pathlib import Path
    >>> from dataset_card.releases.record import read_release
    >>> record = read_release(Path("release"))
    >>> [table.name for table in record.configs][:3]
    ['transcripts', 'instances', 'episodes']
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    name: Name = Field(description="Benchmark version, date and the first digits of content; its tag on the Hub.")
    benchmark: Name | None = Field(description="Version of the benchmark; null if the set is not a released one.")
    games: tuple[GameRecord, ...] = Field(min_length=1, description="Its games: the default one first, then by name.")
    tables: tuple[TableRecord, ...] = Field(min_length=1, description="Its tables, the default one first.")
    date: Day = Field(description="Of the release; if nobody named one, the day of the newest thing in it.")
    content: Sha256 = Field(description="Hash of layout and of all rows, pictures, runs, judges and tombstones.")
    layout: Sha256 = Field(description="Hash of the columns and of how tables are written.")
    program: Sha256 = Field(description="Hash of the code that computed its numbers.")
    renderer: RendererCode = Field(description="Code that wrote its derived files.")
    judges: tuple[Name, ...] = Field(description="Every judge on its boards.")
    parts: tuple[TablePart, ...] = Field(description="What each run adds to each table, and the tables of no run.")
    files: tuple[Line, ...] = Field(description="Every file beside the tables, by its path.")
    parent: Parent | None = Field(default=None, description="What it was built upon; null if nothing.")
    history: tuple[ChangeLogEntry, ...] = Field(
        min_length=1, description="This release and all before it, newest first."
    )

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of every file of a table, by the file's path."""
        return {name: shard.sha256 for part in self.parts for name, shard in part.files.items()}

    @property
    def configs(self) -> tuple[Config, ...]:
        """The release's tables, the default table first."""
        return tuple(table.config() for table in self.tables)

    @property
    def instance_sets(self) -> dict[str, tuple[str, ...]]:
        """The identities of the instance sets of each game."""
        names = dict.fromkeys(game.name for game in self.games)
        return {name: tuple(game.instance_set for game in self.games if game.name == name) for name in names}


def select_layout_configs(configs: Iterable[Config]) -> tuple[Config, ...]:
    """Return the tables whose columns decide the layout of a release: the tables that every release has."""
    return tuple(config for config in configs if config.name not in OPTIONAL_NAMES)


def release_name(benchmark: str | None, date: str, content: str, taken: Collection[str] = ()) -> str:
    """Return the name of a release, which is also the tag: ``2026.1-2026-12-01-1a2b3c4d``.

    Args:
        benchmark: Version of the benchmark; None if it is not a released one.
        date: Of the release, YYYY-MM-DD.
        content: Hash of its content.
        taken: Names of the releases before: content that comes back on the same day is numbered, from 2.
    """
    name = f"{benchmark or 'unreleased'}-{date}-{content[:8]}"
    return next(free for free in chain([name], (f"{name}-{number}" for number in count(2))) if free not in taken)


def compute_content_hash(parts: tuple[TablePart, ...], texts: dict[str, str], layout: str) -> str:
    """Return the hash of a release's content and layout.

    Args:
        parts: Parts of the tables, in any order.
        texts: The content of its files of records, by name.
        layout: Hash of the columns and of how its tables are written.
    """
    lines = [f"layout {layout}"]
    lines += [f"{part.config}/{part.run_id or ''} {part.key}" for part in parts]
    # An empty file counts like an absent one: only the file of judges is written without a line.
    lines += [f"{name} {hashlib.sha256(text.encode()).hexdigest()}" for name, text in texts.items() if text]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def render_changes(record: ReleaseRecord) -> str:
    """Return the content of ``CHANGELOG.md``."""
    return render("CHANGELOG.md.j2", history=record.history)


def read_release(folder: Path) -> ReleaseRecord:
    """Read the record of a release.

    Raises:
        InputError: The folder holds no release, or one whose ``release.json`` is damaged.
    """
    path = folder / RELEASE
    if not path.is_file():
        raise InputError(f"{folder}: no release here (no {RELEASE})", "Name a folder made by: ircore release build")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB", "Build the release again.")
    data = path.read_bytes()
    try:
        return ReleaseRecord.model_validate_json(data)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Build the release again.") from error
