"""The games of a release, each on one or several instance sets: their tables, runs and instances.

A run of any game read back from a release.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dataset_card.tables.calls import CallRecord, parse_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.embedded_pictures import EmbeddedPictures
from dataset_card.tables.fact_table import FACT_COLUMNS, parse_facts
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.records_of_rows import list_plain_columns
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import CALLS, FACTS, JUDGES, MEASURES, PREVIEWS, TABLES, is_transcripts
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.images import Picture
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.instances.store import InstanceSet
from ircore.results.played_run import PlayedRun
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class ReleaseSource:
    """Runs, instances and results of a release, by game.

    Attributes:
        games: At least one; the default game first, the others by name; of a game on several sets one for each.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> source = check_release(Path("release")).source
    >>> [game.name for game in source.games], len(source.runs)
    (['reconstruction'], 1)
    """

    games: tuple[GameTables, ...]

    @property
    def lead(self) -> GameTables | None:
        """The default game, whose board and pictures open the card; None in a release without it."""
        return next((game for game in self.games if game.name == DEFAULT_GAME), None)

    @property
    def others(self) -> tuple[GameTables, ...]:
        """The other games, and the default one on its other sets."""
        return tuple(game for game in self.games if game is not self.lead)

    @property
    def runs(self) -> tuple[PlayedRun, ...]:
        """Runs of all games."""
        return tuple(run for game in self.games for run in game.runs)

    def instances(self) -> Iterator[Instance]:
        """Yield the instances of all games."""
        for game in self.games:
            yield from game.instances.instances

    def shared_rows(self, config: Config) -> Iterator[Row]:
        """Yield the rows of a table that is of no run; a row that several sets of a game give alike comes once."""
        rows = (row for game in self.games for row in game.rows(config))
        # Judges and measures are those of a game, whatever was played.
        name = {JUDGES.name: "judge", MEASURES.name: "measure"}.get(config.name)
        yield from rows if name is None else {(row["game"], row[name]): row for row in rows}.values()

    def configs(self, previews: bool) -> tuple[Config, ...]:
        """Return the tables that the games have together, the default one first.

        Args:
            previews: Whether there is a table of small pictures, if a game has one.
        """
        present = {name for game in self.games for name in game.configs} - (set() if previews else {PREVIEWS.name})
        configs = [config for game in self.games for config in game.configs.values() if is_transcripts(config.name)]
        # Sets of one game share its table.
        steps = {config.name: config for config in configs}.values()
        first = [replace(config, default=place == 0) for place, config in enumerate(steps)]
        return (*first, *(config for config in TABLES if config.name in present))


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
