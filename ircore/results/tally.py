"""Counts of episodes under one condition, by outcome and rating of one judge."""

from collections.abc import Iterable
from statistics import fmean

from ircore.results.conditions import strata
from ircore.results.episodes import CONVERGENCES, Convergence, EpisodeResult
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import SHARE


class Tally:
    """Counter of episodes by outcome and rating.

    Args:
        outcomes: Those that the game has.

    Attributes:
        played: Episodes that were not aborted.
        outcomes: Count of each outcome, aborted included.
        convergence: Count of each convergence outcome among rated episodes.

    Example:
        >>> Tally(["converged"]).preference().n
        0
    """

    def __init__(self, outcomes: Iterable[str]) -> None:
        self.played = 0
        self.outcomes: dict[str, int] = dict.fromkeys(outcomes, 0)
        self.convergence: dict[Convergence, int] = dict.fromkeys(CONVERGENCES, 0)
        self._preferences: dict[str, list[float]] = {}
        self._labels: dict[str, str] = {}

    def add(self, result: EpisodeResult, judge: str) -> None:
        """Count an episode; of an aborted episode only the outcome counts."""
        self.outcomes[result.episode.outcome] += 1
        self.played += result.played
        judged = result.judged.get(judge)
        if judged is None:
            return
        if judged.convergence is not None:
            self.convergence[judged.convergence] += 1
        if judged.preference is not None:
            instance_id = result.episode.instance_id
            self._preferences.setdefault(instance_id, []).append(judged.preference)
            (self._labels[instance_id],) = strata([result.episode])

    def preference(self) -> Estimate:
        """Return the share that prefers the final rendering, 0–1, a tie being half."""
        # Each instance counts once: its episodes are no independent answers.
        return estimate([fmean(values) for values in self._preferences.values()], SHARE, list(self._labels.values()))
