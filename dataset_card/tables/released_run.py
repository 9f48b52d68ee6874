"""A run of any game read back from a release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dataset_card.tables.calls import CallRecord, parse_calls
from dataset_card.tables.embedded_pictures import EmbeddedPictures
from dataset_card.tables.fact_table import FACT_COLUMNS, parse_facts
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.records_of_rows import list_plain_columns
from dataset_card.tables.schema import CALLS, FACTS
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.images import Picture
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.instances.store import InstanceSet
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class ReleasedRun:
    """A run read back from a release: enough to compute results from.

    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> len(run.episodes()), [*run.judges()]
    (2, ['structural', 'verified'])
    """

    path: Path
    run: Run
    instances: InstanceSet
    ended: tuple[Episode, ...]
    known_scores: tuple[Score, ...]
    known_judges: Mapping[str, JudgeIdentity]
    known_costs: Mapping[str, EpisodeCost]
    known_provenance: Provenance | None
    pictures: EmbeddedPictures
    fact_files: tuple[Path, ...]
    call_files: tuple[Path, ...]

    def facts(self) -> Iterator[RenderingFacts]:
        """Yield the facts that the run's renderings show, read from the release at every call."""
        return parse_facts(read_plain(self.fact_files, FACTS, FACT_COLUMNS))

    def calls(self) -> Iterator[CallRecord]:
        """Yield the questions to seats and judges, read from the release at every call."""
        return parse_calls(read_plain(self.call_files, CALLS, list_plain_columns(CALLS)))

    def episodes(self) -> tuple[Episode, ...]:
        """Return the run's episodes, in the order of the release."""
        return self.ended

    def scores(self) -> tuple[Score, ...]:
        """Return the run's scores, in the order of the release."""
        return self.known_scores

    def judges(self) -> Mapping[str, JudgeIdentity]:
        """Return who the judges are."""
        return self.known_judges

    def costs(self) -> Mapping[str, EpisodeCost]:
        """Return what each episode cost."""
        return self.known_costs

    def provenance(self) -> Provenance | None:
        """Return who vouches for the run, as the release states."""
        return self.known_provenance

    def rendering(self, rendering: Rendering) -> Picture:
        """Return a rendering of the run, with the hash checked; ``InputError`` if the release does not have it."""
        return self.pictures.read(rendering)
