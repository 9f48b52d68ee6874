"""The content of a release: the tables of each game on each of its instance sets, and the runs that were read back.

Every game has the same tables, whose rows are made from its runs. A release has those of its games together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dataset_card.tables import rows
from dataset_card.tables.calls import CallRecord, call_rows, list_calls, parse_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.dialogues import build_dialogue_rows, build_preference_rows
from dataset_card.tables.embedded_pictures import EmbeddedPictures
from dataset_card.tables.fact_table import FACT_COLUMNS, build_fact_rows, parse_facts
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.rows import Row, list_plain_columns
from dataset_card.tables.schema import (
    CALLS,
    DIALOGUES,
    EPISODES,
    FACTS,
    INSTANCES,
    JUDGES,
    LEADERBOARD,
    MEASURES,
    PREFERENCES,
    PREVIEWS,
    RUNS,
    SCORES,
    TABLES,
    is_transcripts,
    make_transcripts_config,
)
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.images import Picture
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.core.score_records import JudgeIdentity, RenderingFacts, Score
from ircore.core.submission_records import Run
from ircore.games.base import Game
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class GameTables:
    """Instances, runs and results of a game in a release, and their rows.

    Attributes:
        instances: The set that all runs were played on.
        runs: Played on it, in the order of their rows.
        results: Computed from these runs.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> run = PlayedRun(RunFolder(Path("run")))
    >>> tables = GameTables.of(run.instances, [run])
    >>> tables.name, [*tables.configs][:2], len([*tables.rows(EPISODES, run)])
    ('reconstruction', ['transcripts', 'instances'], 2)
    """

    instances: InstanceSet
    runs: tuple[PlayedRun, ...]
    results: Results

    @classmethod
    def of(
        cls, instances: InstanceSet, runs: Iterable[PlayedRun], retired: Sequence[RetiredTarget] | None = None
    ) -> "GameTables":
        """Return the tables of runs, their results computed.

        Args:
            instances: The set.
            runs: Played on it.
            retired: Targets that count on no board; those that the project has retired if None.

        Raises:
            InputError: A run has no values yet, no episode was played, or no judge rated any.
        """
        by_id = {run.run.run_id: run for run in runs}
        results = Results.from_runs(by_id.values(), game=next(iter(by_id.values())).game, retired=retired)
        # load_dataset refuses a table without rows: there would be no board, or no step, to load.
        played = any(result.played for of_run in results.episodes.values() for result in of_run)
        if not played or not results.judges:
            raise results.no_ratings()
        return cls(instances, tuple(by_id[run.run.run_id] for run in results.every_run), results)

    @property
    def game(self) -> Game[Any]:
        """The game, with a measure for each judge that rated."""
        return self.results.game

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.game.name

    @cached_property
    def configs(self) -> Mapping[str, Config]:
        """The game's tables by name, its transcripts first."""
        return {config.name: config for config in (make_transcripts_config(self.game), *TABLES) if self._has(config)}

    def _has(self, config: Config) -> bool:
        """Return whether a table may have rows of the game."""
        if config.name == JUDGES.name:
            return bool(self.results.judge_identities)
        if config.name == CALLS.name:
            return any(next(list_calls(run), None) is not None for run in self.runs)
        if config.name == DIALOGUES.name:
            return any(next(build_dialogue_rows(run), None) is not None for run in self.runs)
        if config.name == PREFERENCES.name:
            return any(self._build_game_rows(config.name))
        if config.name == FACTS.name:
            # Facts that another version of the program derived make no row.
            return any(next(build_fact_rows(self.instances, run), None) is not None for run in self.runs)
        # Small copies are of turns that show a target and a rendering.
        return config.name != PREVIEWS.name or "target" in self.game.shown_pictures

    def rows(self, config: Config, run: PlayedRun | None = None) -> Iterable[Row]:
        """Return the game's rows of a table, in an order that only the content decides.

        Args:
            config: The table.
            run: Whose rows; None for a table of no run.
        """
        if config.name not in self.configs:
            return ()
        return self._build_game_rows(config.name) if run is None else self._build_run_rows(config.name, run)

    def _build_game_rows(self, table: str) -> Iterator[Row]:
        if table == INSTANCES.name:
            return rows.build_instance_rows(self.instances, self.results.retired)
        if table == LEADERBOARD.name:
            return rows.build_leaderboard_rows(self.results)
        if table == RUNS.name:
            return rows.run_rows(self.runs)
        if table == PREFERENCES.name:
            return build_preference_rows(self.results, self.runs)
        return (
            rows.measure_rows(self.results)
            if table == MEASURES.name
            else rows.judge_rows(self.name, self.results.judge_identities)
        )

    def _build_run_rows(self, table: str, run: PlayedRun) -> Iterator[Row]:
        if is_transcripts(table):
            return rows.step_rows(self.instances, run)
        if table == EPISODES.name:
            return rows.build_episode_rows(run)
        if table == SCORES.name:
            return rows.score_rows(run)
        if table == CALLS.name:
            return call_rows(run)
        if table == DIALOGUES.name:
            return build_dialogue_rows(run)
        return (
            build_fact_rows(self.instances, run)
            if table == FACTS.name
            else rows.build_preview_rows(self.instances, run)
        )


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
