"""A previous release as the base of the next one: its runs without their folders, and its files as they are."""

import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dataset_card.releases.program import program_key
from dataset_card.releases.record import JUDGES, PROVENANCE, RUNS, TOMBSTONES, Parent, Vouched, read_release
from dataset_card.releases.run_records import RunRecords, read_run_records, records_path
from dataset_card.tables.embedded import EmbeddedPictures
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.parts import Part
from dataset_card.tables.records_of_rows import (
    EPISODE_COLUMNS,
    SCORE_COLUMNS,
    TURN_COLUMNS,
    cell_of,
    cost_of,
    episode_fields,
    score_fields,
    turn_fields,
)
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import EPISODES, LEADERBOARD, PREVIEWS, SCORES, TRANSCRIPTS, Config
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.journal import read_records
from ircore.core.lifecycle import Withdrawal
from ircore.core.records import Episode, Rendering, Run
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.validation import describe_validation_error
from ircore.instances.store import InstanceSet
from ircore.results.cell import Cell
from ircore.results.cells import BoardKey
from ircore.runs.provenance import Provenance


class StoredRelease:
    """A release that was built before.

    Args:
        folder: The release.
        commit: The commit of a repository that it was read from; None if it is a folder of this machine.

    Raises:
        InputError: It is none, or its records are damaged.
    """

    def __init__(self, folder: Path, commit: str | None = None) -> None:
        self.folder = folder
        self.commit = commit
        self.record = read_release(folder)
        self.parts = {(one.config, one.run_id): one for one in self.record.parts}
        self.runs = {one.run_id: one for one in read_records(folder / RUNS, TypeAdapter(Run))}
        self.judges = {one.name: one for one in read_records(folder / JUDGES, TypeAdapter(JudgeIdentity))}
        vouched = read_records(folder / PROVENANCE, TypeAdapter(Vouched))
        self.provenance = {one.run_id: one.provenance for one in vouched}
        self.tombstones = tuple(read_records(folder / TOMBSTONES, TypeAdapter(Withdrawal)))

    def as_parent(self) -> Parent:
        """Return how a release that is built upon this one names it."""
        return Parent(release=self.record.name, commit=self.commit)

    @property
    def has_previews(self) -> bool:
        """Whether it has a table with small pictures."""
        return any(config == PREVIEWS.name for config, _ in self.parts)

    @cached_property
    def cells(self) -> Mapping[str, Mapping[BoardKey, Cell]]:
        """The numbers of its boards by run, if they were computed as they would be now."""
        part = self.parts.get((LEADERBOARD.name, None))
        if part is None or self.record.program != program_key():
            return {}
        cells: defaultdict[str, dict[BoardKey, Cell]] = defaultdict(dict)
        files = (self.folder / name for name in part.files)
        for row in read_plain(files, LEADERBOARD, [column.name for column in LEADERBOARD.columns]):
            if any(column.name not in row for column in LEADERBOARD.columns):
                return {}  # of an earlier layout, which does not have all that a cell is made of
            cell = cell_of(row)
            cells[cell.run_id][cell.category, cell.difficulty, cell.judge] = cell
        return cells

    def paths(self, config: Config, run_id: str) -> tuple[Path, ...]:
        """Return the files that hold what a run adds to a table."""
        part = self.parts.get((config.name, run_id))
        return tuple(self.folder / name for name in part.files) if part is not None else ()

    def records_path(self, run_id: str) -> Path:
        """Return where the records of a run lie, if they are kept."""
        return records_path(self.folder, (part for (_, owner), part in self.parts.items() if owner == run_id))

    def take_over(self, part: Part, folder: Path) -> None:
        """Put the files of a part into another release as they are: as further names of the same files if possible.

        Raises:
            WorkError: A file is not as large as the record says, or cannot be had.
        """
        for name, shard in part.files.items():
            source, target = self.folder / name, folder / name
            try:
                if source.stat().st_size != shard.size:
                    raise WorkError(f"{source}: has changed since it was built", "Get the previous release again.")
                link_or_copy(source, target)
            except OSError as error:
                raise WorkError(
                    f"{source}: cannot be taken over ({error.strerror})", "Look at both folders."
                ) from error


class StoredRun:
    """A run of a previous release; its tables are read when they are asked for, pictures one row group at a time.

    Args:
        release: The release.
        run: Its identity.
        instances: The set that it was played on.
    """

    def __init__(self, release: StoredRelease, run: Run, instances: InstanceSet) -> None:
        self.path = release.folder
        self.run = run
        self.instances = instances
        self.release = release

    def episodes(self) -> tuple[Episode, ...]:
        """Return its episodes, in the order of the release."""
        return self.records.episodes

    def scores(self) -> tuple[Score, ...]:
        """Return its scores, in the order of the release."""
        return self.records.scores

    def keys(self) -> Mapping[str, str]:
        """Return the hash of what it has in each of the tables that are not made of others, by table."""
        parts, tables = self.release.parts, (TRANSCRIPTS.name, EPISODES.name, SCORES.name)
        return {name: part.key for name in tables if (part := parts.get((name, self.run.run_id))) is not None}

    @property
    def records_path(self) -> Path | None:
        """Where its records are kept; None if they are not."""
        return None if self._kept is None else self.release.records_path(self.run.run_id)

    def judges(self) -> Mapping[str, JudgeIdentity]:
        """Return who the judges of its scores are, as far as that is known."""
        used = {score.judge for score in self.scores()}
        return {name: judge for name, judge in self.release.judges.items() if name in used}

    def costs(self) -> Mapping[str, float | None]:
        """Return US dollars by episode; None where they are not known."""
        return self.records.costs

    def provenance(self) -> Provenance | None:
        """Return who vouches for it."""
        return self.release.provenance.get(self.run.run_id)

    def rendering(self, rendering: Rendering) -> Picture:
        """Return one of its renderings.

        Raises:
            InputError: The release does not have it.
        """
        data = self._pictures.read(rendering.sha256)
        return Picture.from_own_file(data, rendering.width, rendering.height)

    @cached_property
    def _pictures(self) -> EmbeddedPictures:
        return EmbeddedPictures(self.release.paths(TRANSCRIPTS, self.run.run_id), "rendering")

    @cached_property
    def records(self) -> RunRecords:
        """What it is made of, pictures left out."""
        return self._read_tables() if self._kept is None else self._kept

    @cached_property
    def _kept(self) -> RunRecords | None:
        return read_run_records(self.release.records_path(self.run.run_id))

    def _read_tables(self) -> RunRecords:
        turns: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self._rows(TRANSCRIPTS, TURN_COLUMNS):
            turns[str(row["episode_id"])].append(turn_fields(row, _drawn(row)))
        rows = list(self._rows(EPISODES, EPISODE_COLUMNS))
        fields = {
            "episodes": tuple(episode_fields(row, turns.get(str(row["episode_id"]), [])) for row in rows),
            "scores": tuple(score_fields(row) for row in self._rows(SCORES, SCORE_COLUMNS)),
            "costs": {str(row["episode_id"]): cost_of(row) for row in rows},
        }
        try:
            return RunRecords.model_validate(fields)
        except ValidationError as error:
            problem = f"{self.path}: run {self.run.run_id}: {describe_validation_error(error)}"
            raise InputError(problem, "See: ircore release check") from error

    def _rows(self, config: Config, columns: Sequence[str]) -> Iterator[Row]:
        return read_plain(self.release.paths(config, self.run.run_id), config, columns)


def _drawn(row: Row) -> dict[str, object] | None:
    """Return the fields of the rendering of a row of ``transcripts``."""
    if row["rendering_sha256"] is None:
        return None
    size = {"width": row["rendering_width"], "height": row["rendering_height"]}
    return {"sha256": row["rendering_sha256"]} | size


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a further name; a file of a cache, or on another disk, is copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_symlink():
        try:
            target.hardlink_to(source)
        except OSError:
            pass
        else:
            return
    shutil.copyfile(source, target)
