"""One pair under one condition as one judge sees it: every number that is shown stands in a cell."""

from collections.abc import Mapping
from dataclasses import dataclass

from ircore.core.records import Outcome
from ircore.results.episodes import Convergence
from ircore.results.statistics.intervals import Estimate, wilson


@dataclass(frozen=True)
class Cell:
    """One pair under one condition as one judge sees it."""

    run_id: str
    """The pair's run."""

    category: str | None
    """One category, or None for all of them."""

    difficulty: str | None
    """``easy``, ``hard``, or None for both."""

    judge: str
    """Name of the judge."""

    episodes: int
    """Episodes of the whole instance set under this condition, whether played or not."""

    played: int
    """Of these, episodes that came to an end and were not aborted."""

    outcomes: Mapping[Outcome, int]
    """How the episodes ended; those never begun are in none of the three counts."""

    score: Estimate
    """Similarity of the final rendering, 0–10, over the played episodes that the judge rated; higher is better."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over played episodes of at least two renderings; above 0 refinement helps."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1, a tie being half."""

    convergence: Mapping[Convergence, int]
    """How many rated episodes improved, stayed stable, regressed, or had no refinement."""

    turns: Estimate
    """Turns with a rendering per played episode."""

    tokens: Estimate
    """Tokens of the describer's messages per played episode."""

    seconds: Estimate
    """Seconds that both players took per played episode."""

    over_budget: Estimate
    """Share of the messages of played episodes that exceed the token budget, 0–1; ``n`` counts episodes."""

    cost: Estimate
    """US dollars per episode that has ended, aborted ones included; no mean unless the cost of each is known."""

    main: Estimate
    """Quality × played share in 0–100, as clembench has it, with the doubt of both; 0 if none was played."""

    same_family: bool
    """Whether judge and describer are models of one family: such a judge may favour its own."""

    detectable: float | None
    """Score difference to a pair of the same spread that this many episodes find with a chance of 80 %, 0–10.

    Taken as if the two were independent, so √2 times what the pair's own spread gives: a cautious figure, since pairs
    play the same pictures. None with fewer than two scores.
    """

    @property
    def played_share(self) -> float:
        """Played episodes over all episodes of the set under this condition, 0–1."""
        return self.played / self.episodes

    @property
    def played_rate(self) -> Estimate:
        """The played share with its interval (Wilson), 0–1."""
        return wilson(self.played, self.episodes)

    @property
    def convergence_shares(self) -> Mapping[Convergence, Estimate]:
        """Share of each convergence outcome among the rated episodes, 0–1, with its interval (Wilson)."""
        rated = sum(self.convergence.values())
        return {name: wilson(count, rated) for name, count in self.convergence.items()}

    @property
    def main_score(self) -> float | None:
        """Quality × played share in 0–100; 0 if none was played, None if none was rated."""
        return self.main.mean
