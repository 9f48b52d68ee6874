"""Tables of a game in a release: the same tables for every game, and rows from the game's runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dataset_card.tables import rows
from dataset_card.tables.calls import call_rows, list_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.dialogues import build_dialogue_rows, build_preference_rows
from dataset_card.tables.fact_table import build_fact_rows
from dataset_card.tables.rows import Row
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
from ircore.games.base import Game
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun


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
