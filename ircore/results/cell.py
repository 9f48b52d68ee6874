"""Cells: a judge's view of one pair under one condition. Every number that is shown stands in a cell."""

from collections.abc import Mapping
from dataclasses import dataclass

from ircore.results.coverage import Coverage
from ircore.results.episodes import Convergence
from ircore.results.statistics.intervals import Estimate, share


@dataclass(frozen=True, kw_only=True)
class Cell(Coverage):
    """A judge's view of one pair under one condition.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> cell = results.cell(results.submissions[0].run_id, "structural", difficulty="easy")
        >>> cell.played, cell.played_share
        (1, 1.0)
    """

    run_id: str
    """The pair's run."""

    category: str | None
    """One category, or None for all of them."""

    difficulty: str | None
    """``easy``, ``hard``, or None for both."""

    judge: str
    """Name of the judge."""

    played: int
    """Number of episodes that came to an end and were not aborted."""

    outcomes: Mapping[str, int]
    """Number of episodes by outcome; episodes never begun are in none of the three counts."""

    main: Estimate
    """Main score, 0–100, by which boards rank: the mean of 10 × score, what the pair did not play counting 0.

    It is quality × played share, as clembench has it, of the episodes that have a result and that the judge could rate.
    Its interval covers what has no result yet and what is not rated as if it were anything; ``n`` counts what is known.
    """

    score: Estimate
    """Similarity of the final rendering, 0–10, over the played episodes that the judge rated; higher is better. The
    interval covers the applicable ones that it did not rate as if they were anything."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over played episodes of at least two renderings; above 0 refinement helps."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1, a tie being half."""

    convergence: Mapping[Convergence, int]
    """Number of rated episodes that improved, stayed stable, regressed, or had no refinement."""

    amounts: Mapping[str, Estimate]
    """What an episode took, by the keys of ``ircore.results.amounts``: steps, tokens, seconds, cost …"""

    same_family: bool
    """Whether judge and describer are models of one family: such a judge may favour its own family."""

    detectable: float | None
    """Score difference to a pair of the same spread that this many episodes find with a chance of 80 %, 0–10.

    Taken as if the two were independent, so √2 times what the pair's own spread gives: a cautious figure, since pairs
    play the same pictures. None with fewer than ``MINIMUM_PICTURES`` scores.
    """

    @property
    def ended(self) -> int:
        """Number of episodes that have ended, aborted ones included."""
        return sum(self.outcomes.values())

    @property
    def main_score(self) -> float | None:
        """The main score, 0–100; 0 if no episode was played, None if no played episode is rated."""
        return self.main.mean

    @property
    def played_share(self) -> float:
        """Played episodes over all episodes of the set under this condition, 0–1."""
        return self.played / self.episodes

    @property
    def played_rate(self) -> Estimate:
        """The played share with its interval, 0–1."""
        return share(self.played, self.episodes)

    @property
    def convergence_shares(self) -> Mapping[Convergence, Estimate]:
        """Share of each convergence outcome among the rated episodes, 0–1, with its interval."""
        rated = sum(self.convergence.values())
        return {name: share(count, rated) for name, count in self.convergence.items()}
