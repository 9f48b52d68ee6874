"""The games of a release: their tables, runs and instances."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.schema import PREVIEWS, TABLES, is_transcripts
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.results.played_run import PlayedRun


@dataclass(frozen=True)
class ReleaseSource:
    """Runs, instances and results of a release, by game.

    Attributes:
        games: At least one; the default game first, the others by name.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> source = check_release(Path("release")).source
    >>> [game.name for game in source.games], len(source.runs)
    (['reconstruction'], 1)
    """

    games: tuple[GameTables, ...]

    @property
    def reconstruction(self) -> GameTables | None:
        """The default game, whose board and pictures open the card; None in a release without it."""
        return next((game for game in self.games if game.name == DEFAULT_GAME), None)

    @property
    def others(self) -> tuple[GameTables, ...]:
        """The other games."""
        return tuple(game for game in self.games if game.name != DEFAULT_GAME)

    @property
    def runs(self) -> tuple[PlayedRun, ...]:
        """Runs of all games."""
        return tuple(run for game in self.games for run in game.runs)

    def instances(self) -> Iterator[Instance]:
        """Yield the instances of all games."""
        for game in self.games:
            yield from game.instances.instances

    def configs(self, previews: bool) -> tuple[Config, ...]:
        """Return the tables that the games have together, the default one first.

        Args:
            previews: Whether there is a table of small pictures, if a game has one.
        """
        present = {name for game in self.games for name in game.configs} - (set() if previews else {PREVIEWS.name})
        steps = [config for game in self.games for config in game.configs.values() if is_transcripts(config.name)]
        first = [replace(config, default=place == 0) for place, config in enumerate(steps)]
        return (*first, *(config for config in TABLES if config.name in present))
