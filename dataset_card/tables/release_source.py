"""The games of a release: their tables, runs and instances."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dataset_card.tables.columns import Config
from dataset_card.tables.declared_tables import DeclaredTables
from dataset_card.tables.game_tables import GameTables, ReconstructionTables
from dataset_card.tables.rows import ReconstructionSource
from dataset_card.tables.schema import FACTS, PREVIEWS
from dataset_card.tables.shared_tables import join_configs
from ircore.core.records import Instance
from ircore.results.played_run import PlayedRun


@dataclass(frozen=True)
class ReleaseSource:
    """Runs, instances and results of a release, by game.

    Attributes:
        games: At least one; reconstruction first, the others by name.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> source = check_release(Path("release")).source
    >>> [game.name for game in source.games], len(source.runs)
    (['reconstruction'], 1)
    """

    games: tuple[GameTables, ...]

    @property
    def reconstruction(self) -> ReconstructionSource | None:
        """Runs and results of the reconstruction game; None in a release without reconstruction."""
        first = self.games[0]
        return first.source if isinstance(first, ReconstructionTables) else None

    @property
    def others(self) -> tuple[DeclaredTables, ...]:
        """Games other than reconstruction."""
        return tuple(game for game in self.games if isinstance(game, DeclaredTables))

    @property
    def runs(self) -> tuple[Any, ...]:
        """Runs of all games."""
        return tuple(run for game in self.games for run in game.runs)

    def instances(self) -> Iterator[Instance]:
        """Yield the instances of all games."""
        for game in self.games:
            yield from game.instances.instances

    def configs(self, previews: bool) -> tuple[Config, ...]:
        """Return the tables that the games have together.

        Args:
            previews: Whether there is a table of small pictures, if reconstruction is among the games.
        """
        left_out = {PREVIEWS.name} if not previews else set()
        if self.reconstruction is None or not any(has_facts(run) for run in self.reconstruction.runs):
            left_out.add(FACTS.name)
        tables = {
            game.name: [config for config in game.configs.values() if config.name not in left_out]
            for game in self.games
        }
        return join_configs(tables)


def has_facts(run: PlayedRun) -> bool:
    """Return whether anything is known of the facts of a run's renderings."""
    return next(run.facts(judge=None), None) is not None
