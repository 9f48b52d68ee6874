"""Tables of a game: the same five tables for every game, with the game's own columns."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dataset_card.tables.columns import Config
from dataset_card.tables.fact_table import fact_rows
from dataset_card.tables.previews import preview_rows
from dataset_card.tables.rows import (
    ReconstructionSource,
    Row,
    episode_rows,
    instance_rows,
    leaderboard_rows,
    score_rows,
    transcript_rows,
)
from dataset_card.tables.schema import ALL_CONFIGS, EPISODES, FACTS, INSTANCES, LEADERBOARD, PREVIEWS, SCORES
from dataset_card.tables.shared_tables import fill_row
from ircore.core.records import RECONSTRUCTION
from ircore.instances.store import InstanceSet
from ircore.results.played_run import PlayedRun

OF_NO_RUN = frozenset({INSTANCES.name, LEADERBOARD.name})
"""Tables that are written whole; every other table has files of its own for each run."""


class GameTables(ABC):
    """The tables of a game.

    >>> class NoTables(GameTables):
    ...     name, runs, configs = "none", (), {}
    ...
    ...     def own_rows(self, config, run):
    ...         return []
    >>> NoTables().name
    'none'
    """

    instances: InstanceSet
    """The set that all of its runs were played on."""

    @property
    @abstractmethod
    def runs(self) -> Sequence[Any]:
        """The game's runs, in the order of their rows."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the game."""

    @property
    @abstractmethod
    def configs(self) -> Mapping[str, Config]:
        """The game's tables by name, as in a release of this game alone; the default table first."""

    @abstractmethod
    def own_rows(self, config: Config, run: Any) -> Iterable[Row]:
        """Return the rows of a table in ``configs``, in an order that only the content decides.

        Args:
            config: The table.
            run: Whose rows; None for a table in ``OF_NO_RUN``.
        """

    def rows(self, config: Config, run: Any = None) -> Iterable[Row]:
        """Return the game's rows of a table that may be shared with other games; see ``own_rows``."""
        own = self.configs[config.name]
        return (fill_row(config, own, row) for row in self.own_rows(own, run))


class ReconstructionTables(GameTables):
    """The tables of the reconstruction game.

    Args:
        source: Runs and results.

    >>> [*ReconstructionTables.configs][:2]
    ['transcripts', 'instances']
    """

    name = RECONSTRUCTION
    configs: Mapping[str, Config] = {config.name: config for config in ALL_CONFIGS}
    runs: Sequence[PlayedRun] = ()

    def __init__(self, source: ReconstructionSource) -> None:
        self.source, self.instances, self.runs = source, source.instances, source.runs

    def own_rows(self, config: Config, run: Any) -> Iterable[Row]:
        """See ``GameTables``."""
        source = self.source
        if config.name == INSTANCES.name:
            return instance_rows(source.instances)
        if config.name == LEADERBOARD.name:
            return leaderboard_rows(source.results)
        make = {
            EPISODES.name: episode_rows,
            SCORES.name: score_rows,
            PREVIEWS.name: preview_rows,
            FACTS.name: fact_rows,
        }
        return make.get(config.name, transcript_rows)(source.instances, run)
