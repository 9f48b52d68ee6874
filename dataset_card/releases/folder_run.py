"""A run folder that goes into a release: its journal and its scores are read once, whatever asks for them."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from dataset_card.releases.run_records import RunRecords
from dataset_card.tables.rows import valid_scores
from ircore.core.game_records import GameEpisode, GameScore
from ircore.core.records import Episode
from ircore.core.score_records import Score
from ircore.runs.costs.episode_costs import episode_costs
from ircore.runs.folder import GameRunFolder, RunFolder, open_any_run
from ircore.runs.held_journal import HeldJournal


class FolderRun(RunFolder):
    """A folder of a run of reconstruction that goes into a release.

    Args:
        path: The folder.

    Raises:
        InputError: It holds no readable run.
    """

    @cached_property
    def records(self) -> RunRecords:
        """What it is made of, pictures left out."""
        journal = HeldJournal(self.path)
        episodes = journal.episodes()
        scores = tuple(score for _, score in valid_scores(episodes, journal.scores()))
        return RunRecords(episodes=episodes, scores=scores, costs=dict(episode_costs(journal)))

    def episodes(self) -> tuple[Episode, ...]:
        """Return the episodes that have ended, in the order of the instance set."""
        return self.records.episodes

    def scores(self) -> tuple[Score, ...]:
        """Return the scores that belong to a rendering of these episodes, each thing once."""
        return self.records.scores

    def costs(self) -> Mapping[str, float | None]:
        """Return US dollars by episode, as ``ircore.runs.costs.episode_costs`` takes them."""
        return self.records.costs


class FolderGameRun(GameRunFolder):
    """A folder of a run of another game that goes into a release."""

    def episodes(self) -> tuple[GameEpisode, ...]:
        """Return the episodes that have ended, in the order of the instance set."""
        return self._episodes

    def measured(self) -> tuple[GameScore, ...]:
        """Return the values of the game's measures of these episodes."""
        ended = {episode.episode_id for episode in self._episodes}
        return tuple(score for score in self._measured if score.episode_id in ended)

    @cached_property
    def _episodes(self) -> tuple[GameEpisode, ...]:
        return super().episodes()

    @cached_property
    def _measured(self) -> tuple[GameScore, ...]:
        return super().measured()


def open_folder_run(path: Path) -> FolderRun | FolderGameRun:
    """Open the folder of a run of any game.

    Raises:
        InputError: It holds no readable run.
    """
    return FolderGameRun(path) if isinstance(open_any_run(path), GameRunFolder) else FolderRun(path)
