"""The games of a release, each on one or several instance sets: their tables, runs and instances."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import JUDGES, MEASURES, PREVIEWS, TABLES, is_transcripts
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.results.played_run import PlayedRun


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
