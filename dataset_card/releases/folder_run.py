"""A run folder as the base of a release: its journal and its scores are read once, whatever asks for them."""

from collections.abc import Mapping
from functools import cached_property

from dataset_card.releases.run_records import RunRecords
from dataset_card.tables.rows import valid_scores
from ircore.core.records import Episode
from ircore.core.score_records import Score
from ircore.runs.costs.episode_costs import episode_costs
from ircore.runs.folder import RunFolder
from ircore.runs.held_journal import HeldJournal


class FolderRun(RunFolder):
    """A run folder that goes into a release.

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
