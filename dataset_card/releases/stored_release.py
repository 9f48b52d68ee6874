"""A release on disk as the base of the next one: its records and files, and its runs, read from tables on demand.

Records of each run are cached for the next build, since JSON is read in a tenth of the time that tables take. They lie
in ``.ircore-kept`` of the release, as the site's do, and are no part of it: hidden files are not published, and a
release without them is read from its tables. A file is named by the keys of what the run has in the tables.
"""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dataset_card.releases.record import (
    ANY_RUN,
    JUDGES,
    PROVENANCE,
    RUNS,
    TOMBSTONES,
    Parent,
    Vouched,
    compute_program_key,
    read_release,
)
from dataset_card.tables.calls import CallRecord, parse_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.embedded_pictures import EmbeddedPictures, index_step_pictures
from dataset_card.tables.fact_table import FACT_COLUMNS, parse_facts
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.rows import (
    COST_COLUMNS,
    Row,
    list_plain_columns,
    parse_board_cells,
    parse_cost,
    parse_episode_fields,
    parse_public_id,
    score_fields,
    step_fields,
)
from dataset_card.tables.schema import (
    CALLS,
    EPISODES,
    FACTS,
    GAME,
    LEADERBOARD,
    PREVIEWS,
    SCORES,
    holds_records,
    name_transcripts,
)
from dataset_card.tables.writing import TablePart
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_text
from ircore.core.images import Picture
from ircore.core.journal import read_records
from ircore.core.records import Record
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run, Withdrawal
from ircore.core.validation import describe_validation_error
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.results.cells import BoardKey, Cell
from ircore.results.played_run import PlayedRun
from ircore.results.tables.board import build_board_columns
from ircore.runs.provenance import Provenance

RECORDS_FOLDER = ".ircore-kept"


class RunRecords(Record):
    """Episodes, scores and costs of a run, without pictures.

    >>> path = next(Path("release").glob(".ircore-kept/*.json"))
    >>> len(read_run_records(path).episodes)
    2
    """

    episodes: tuple[Episode, ...]
    scores: tuple[Score, ...]
    costs: dict[str, EpisodeCost]


def records_path(release: Path, parts: Iterable[TablePart]) -> Path:
    """Return where the records of a run lie in a release.

    Args:
        release: Folder of the release.
        parts: Parts of the run; only tables of records matter.
    """
    keys = sorted(f"{part.config} {part.key}" for part in parts if holds_records(part.config))
    return release / RECORDS_FOLDER / f"{hashlib.sha256(' '.join(keys).encode()).hexdigest()}.json"


def read_run_records(path: Path) -> RunRecords | None:
    """Return the stored records; None for a missing or damaged file, or a file of another version."""
    try:
        return RunRecords.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def collect_records(run: PlayedRun) -> RunRecords:
    """Return the records of a run, with the scores that count."""
    return RunRecords(episodes=run.episodes, scores=run.scores, costs=dict(run.costs))


def write_run_records(path: Path, records: RunRecords) -> None:
    """Write records for the next build, without fields that have their default."""
    write_text(path, records.model_dump_json(by_alias=True, exclude_defaults=True))


class StoredRelease:
    """A release that was built before.

    Args:
        folder: The release.
        commit: The commit of a repository that it was read from; None if it is a folder of this machine.

    Raises:
        InputError: The folder holds no release, or its records are damaged.

    >>> release = StoredRelease(Path("release"))
    >>> [run.slug for run in release.runs.values()], release.has_previews
    (['builtin-classical-canvas'], False)
    """

    def __init__(self, folder: Path, commit: str | None = None) -> None:
        self.folder = folder
        self.commit = commit
        self.record = read_release(folder)
        self.configs = {config.name: config for config in self.record.configs}
        self.parts = {(part.config, part.run_id): part for part in self.record.parts}
        self.runs = {run.run_id: run for run in read_records(folder / RUNS, ANY_RUN)}
        self.judges = {judge.name: judge for judge in read_records(folder / JUDGES, TypeAdapter(JudgeIdentity))}
        vouched = read_records(folder / PROVENANCE, TypeAdapter(Vouched))
        self.provenance = {voucher.run_id: voucher.provenance for voucher in vouched}
        self.tombstones = tuple(read_records(folder / TOMBSTONES, TypeAdapter(Withdrawal)))

    def as_parent(self) -> Parent:
        """Return the reference by which a later release names this release as its parent."""
        return Parent(release=self.record.name, commit=self.commit)

    @property
    def has_previews(self) -> bool:
        """Whether the release has the table of small pictures."""
        return any(config == PREVIEWS.name for config, _ in self.parts)

    def cells_of(self, run: Run) -> Mapping[BoardKey, Cell]:
        """Return the cells of the boards of a run; empty if other code computed them, or a game without judges."""
        return self._load_cells(run.game).get(run.run_id, {})

    @cache  # noqa: B019 - as long as the release itself
    def _load_cells(self, game_name: str) -> Mapping[str, Mapping[BoardKey, Cell]]:
        """Return the cells of the boards of a game by run."""
        part, game = self.parts.get((LEADERBOARD.name, None)), load_game(game_name)
        if part is None or self.record.program != compute_program_key() or not game.is_judged:
            return {}
        columns = build_board_columns(game, game.seats)
        rows: defaultdict[str, list[Row]] = defaultdict(list)
        files, config = (self.folder / name for name in part.files), self.configs[LEADERBOARD.name]
        for row in read_plain(files, config, [column.name for column in config.columns]):
            if row[GAME.name] == game_name:
                rows[str(row["run_id"])].append(row)
        return {
            run_id: {(cell.category, cell.difficulty, cell.judge): cell for cell in parse_board_cells(own, columns)}
            for run_id, own in rows.items()
        }

    def keys(self, run_id: str) -> Mapping[str, str]:
        """Return the hash of the rows that a run's records are read from, by table."""
        return {name: part.key for (name, owner), part in self.parts.items() if owner == run_id and holds_records(name)}

    def paths(self, config: Config, run_id: str) -> tuple[Path, ...]:
        """Return the files with the rows of a run in a table."""
        part = self.parts.get((config.name, run_id))
        return tuple(self.folder / name for name in part.files) if part is not None else ()

    def records_path(self, run_id: str) -> Path:
        """Return where the records of a run lie, if they are kept."""
        return records_path(self.folder, (part for (_, owner), part in self.parts.items() if owner == run_id))

    def take_over(self, part: TablePart, folder: Path) -> None:
        """Put the files of a part into another release as they are: as further names of the same files if possible.

        Raises:
            WorkError: A file is not as large as the record says, or cannot be had.
        """
        for name, shard in part.files.items():
            source, target = self.folder / name, folder / name
            try:
                # By size alone: hashing would cost what taking over saves, and a check of the release compares hashes.
                if source.stat().st_size != shard.size:
                    raise WorkError(f"{source}: has changed since it was built", "Get the previous release again.")
                link_or_copy(source, target)
            except OSError as error:
                raise WorkError(
                    f"{source}: cannot be taken over ({error.strerror})",
                    "Check that both folders can be read and written.",
                ) from error


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a further name; a file of a cache, or on another disk, is copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # The Hub's cache holds links, and a further name of a link would break with the cache.
    if not source.is_symlink():
        try:
            target.hardlink_to(source)
        except OSError:
            pass
        else:
            return
    shutil.copyfile(source, target)


class StoredRun:
    """A run of any game in a stored release, whose pictures are read row group by row group.

    >>> from ircore.instances.store import read_instances
    >>> release = StoredRelease(Path("release"))
    >>> (run,) = release.runs.values()
    >>> len(StoredRun(release, run, read_instances(Path("targets"))).episodes())
    2
    """

    def __init__(self, release: StoredRelease, run: Run, instances: InstanceSet) -> None:
        self.path = release.folder
        self.run = run
        self.instances = instances
        self.release = release

    def keys(self) -> Mapping[str, str]:
        """Return the hash of the rows that the run's records are read from, by table."""
        return self.release.keys(self.run.run_id)

    def episodes(self) -> tuple[Episode, ...]:
        """Return the run's episodes, in the order of the release."""
        return self.records.episodes

    def scores(self) -> tuple[Score, ...]:
        """Return the run's scores, in the order of the release."""
        return self.records.scores

    def costs(self) -> Mapping[str, EpisodeCost]:
        """Return what each episode cost."""
        return self.records.costs

    def facts(self) -> Iterator[RenderingFacts]:
        """Yield the facts of drawn targets that the run's renderings show, in the order of the release."""
        return parse_facts(self._read_rows(FACTS, *FACT_COLUMNS))

    def calls(self) -> Iterator[CallRecord]:
        """Yield the questions to seats and judges, in the order of the release."""
        return parse_calls(self._read_rows(CALLS))

    def judges(self) -> Mapping[str, JudgeIdentity]:
        """Return the known identities of the judges behind the run's scores."""
        used = {score.by for score in self.scores()}
        return {name: judge for name, judge in self.release.judges.items() if name in used}

    def provenance(self) -> Provenance | None:
        """Return who vouches for the run; None if nobody does."""
        return self.release.provenance.get(self.run.run_id)

    def rendering(self, rendering: Rendering) -> Picture:
        """Return a rendering of the run.

        Raises:
            InputError: The release does not have it.
        """
        return self._pictures.read(rendering)

    @property
    def records_path(self) -> Path | None:
        """File with the run's cached records; None without a cache."""
        return None if self._cached_records is None else self.release.records_path(self.run.run_id)

    @cached_property
    def records(self) -> RunRecords:
        """Episodes, scores and costs, without pictures."""
        # The cache is read first: JSON takes a tenth of the time of the tables.
        return self._read_tables() if self._cached_records is None else self._cached_records

    @cached_property
    def _cached_records(self) -> RunRecords | None:
        return read_run_records(self.release.records_path(self.run.run_id))

    def _read_tables(self) -> RunRecords:
        steps: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        try:
            for row in self._read_rows(self._transcripts, "episode_id"):
                # As plain fields, which are validated once for the whole run: that is faster than record by record.
                steps[parse_public_id(row["episode_id"])].append(step_fields(self._transcripts, row))
            rows = list(self._read_rows(self._find_table(EPISODES.name), *COST_COLUMNS))
            fields = {
                "episodes": tuple(
                    parse_episode_fields(row, steps.get(parse_public_id(row["episode_id"]), [])) for row in rows
                ),
                "scores": tuple(score_fields(row) for row in self._read_rows(self._find_table(SCORES.name))),
                "costs": {parse_public_id(row["episode_id"]): parse_cost(row) for row in rows},
            }
            return RunRecords.model_validate(fields)
        except ValueError as error:
            fault = describe_validation_error(error) if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{self.path}: run {self.run.run_id}: {fault}", "See: ircore release check") from error

    @cached_property
    def _transcripts(self) -> Config:
        return self._find_table(name_transcripts(self.run.game))

    @cached_property
    def _pictures(self) -> EmbeddedPictures:
        return index_step_pictures(self.release.paths(self._transcripts, self.run.run_id), self._transcripts)

    def _find_table(self, name: str) -> Config:
        return self.release.configs[name]

    def _read_rows(self, config: Config, *more: str) -> Iterator[Row]:
        """Yield the columns of the run's rows that its records are read from, and further ones."""
        return read_plain(self.release.paths(config, self.run.run_id), config, list_plain_columns(config, *more))


def open_stored_run(release: StoredRelease, run: Run, instances: InstanceSet) -> StoredRun:
    """Return a run of a stored release.

    Args:
        release: The release.
        run: Identity of the run.
        instances: The set that it was played on.

    Raises:
        InputError: The set is for another game.
    """
    if run.game != instances.game:
        raise InputError(f"{instances.folder}: instances of {instances.game}", f"Name a set of {run.game}.")
    return StoredRun(release, run, instances)
