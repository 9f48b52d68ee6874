"""Counting the episodes of one condition as one judge sees them."""

from typing import get_args

from ircore.records import Outcome
from ircore.results.episodes import CONVERGENCES, Convergence, EpisodeResult, JudgedEpisode
from ircore.statistics.estimate import Estimate, estimate


class Tally:
    """Takes episodes one by one, then says the means.

    Attributes:
        played: Episodes that were not aborted.
        outcomes: Count of each outcome, aborted included.
        convergence: Count of each convergence outcome among rated episodes.
    """

    def __init__(self) -> None:
        self.played = 0
        self.outcomes: dict[Outcome, int] = dict.fromkeys(get_args(Outcome), 0)
        self.convergence: dict[Convergence, int] = dict.fromkeys(CONVERGENCES, 0)
        self._finals: list[float] = []
        self._deltas: list[float] = []
        self._preferences: list[float] = []
        self._turns: list[float] = []
        self._tokens: list[float] = []
        self._seconds: list[float] = []

    def add(self, result: EpisodeResult, judge: str) -> None:
        """Count one episode; of an aborted one only the outcome counts."""
        self.outcomes[result.episode.outcome] += 1
        if not result.episode.played:
            return
        self.played += 1
        self._turns.append(len(result.episode.rendered_turns))
        self._tokens.append(result.tokens)
        self._seconds.append(result.seconds)
        if judge in result.judged:
            self._add_rating(result.judged[judge])

    def _add_rating(self, judged: JudgedEpisode) -> None:
        for value, values in (
            (judged.final, self._finals),
            (judged.delta, self._deltas),
            (judged.preference, self._preferences),
        ):
            if value is not None:
                values.append(value)
        if judged.convergence is not None:
            self.convergence[judged.convergence] += 1

    def score(self) -> Estimate:
        """Return the mean final score, 0–10."""
        return estimate(self._finals, 0.0, 10.0)

    def delta(self) -> Estimate:
        """Return the mean ΔQ, −10 to 10."""
        return estimate(self._deltas, -10.0, 10.0)

    def preference(self) -> Estimate:
        """Return the share that prefers the final rendering, 0–1."""
        return estimate(self._preferences, 0.0, 1.0)

    def turns(self) -> Estimate:
        """Return the mean number of turns with a rendering."""
        return estimate(self._turns, 0.0)

    def tokens(self) -> Estimate:
        """Return the mean number of tokens the describer wrote in an episode."""
        return estimate(self._tokens, 0.0)

    def seconds(self) -> Estimate:
        """Return the mean time that both players took for an episode, in seconds."""
        return estimate(self._seconds, 0.0)
