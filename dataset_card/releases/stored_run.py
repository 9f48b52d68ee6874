"""Runs of a stored release, read from the release's tables on demand."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dataset_card.releases.run_records import RunRecords, read_run_records
from dataset_card.releases.stored_release import StoredRelease
from dataset_card.tables.calls import CallRecord, parse_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.embedded_pictures import EmbeddedPictures, index_step_pictures
from dataset_card.tables.fact_table import FACT_COLUMNS, parse_facts
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.records_of_rows import (
    COST_COLUMNS,
    list_plain_columns,
    parse_cost,
    parse_episode_fields,
    score_fields,
    step_fields,
)
from dataset_card.tables.rows import Row, parse_public_id
from dataset_card.tables.schema import CALLS, EPISODES, FACTS, SCORES, name_transcripts
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.core.validation import describe_validation_error
from ircore.instances.store import InstanceSet
from ircore.runs.provenance import Provenance


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
