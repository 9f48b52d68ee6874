"""One pair under one condition as one judge sees it: every number that is shown stands in a cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ircore.core.records import Outcome
from ircore.results.episodes import Convergence
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate, wilson

Unranked = Literal["incomplete", "underrated", "inapplicable", "too_few"]
"""Why a pair has no rank: it has episodes without a result yet; too little of what it played is rated; the judge rates
nothing here; its main score rests on fewer than ``MINIMUM_PICTURES``."""

RATED_SHARE = 0.9
"""Share of the renderings that a judge could have rated which it must have rated before there is a rank."""


def why_unranked(unfinished: int, rated: int, applicable: int, counted: int) -> Unranked | None:
    """Return why a pair has no rank; None if it has one.

    Args:
        unfinished: Episodes without a result yet.
        rated: Played episodes that the judge rated.
        applicable: Played episodes that it could have rated.
        counted: Episodes that its main score rests on.
    """
    if unfinished:
        return "incomplete"
    if rated < RATED_SHARE * applicable:
        return "underrated"
    if not counted:
        return "inapplicable"
    return "too_few" if counted < MINIMUM_PICTURES else None


def unranked_words(why: Unranked, unfinished: int, episodes: int, rated: int, applicable: int) -> str:
    """Say for people why a pair has no rank, such as ``incomplete: 3 of 42 episodes have no result yet``."""
    if why == "incomplete":
        return f"incomplete: {unfinished} of {episodes} episodes have no result yet"
    if why == "underrated":
        return f"only {rated} of {applicable} renderings are rated, {100 * RATED_SHARE:.0f} % are needed"
    return f"fewer than {MINIMUM_PICTURES} pictures" if why == "too_few" else "the judge rates nothing here"


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
    """Number of these episodes that came to an end and were not aborted."""

    unfinished: int
    """Number of episodes without a result yet: never begun, or failed for a technical reason and not declared final."""

    applicable: int
    """Played episodes that the judge's task applies to: all, unless it rates some categories only."""

    rated: int
    """Number of applicable episodes that the judge rated."""

    refused: int
    """Number of applicable episodes that the judge was asked about and did not rate."""

    pending: int
    """Number of applicable episodes that the judge has not been asked about, or in vain for a technical reason."""

    outcomes: Mapping[Outcome, int]
    """Number of episodes by outcome; episodes never begun are in none of the three counts."""

    score: Estimate
    """Similarity of the final rendering, 0–10, over the played episodes that the judge rated; higher is better. The
    interval covers the applicable ones that it did not rate as if they were anything."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over played episodes of at least two renderings; above 0 refinement helps."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1, a tie being half."""

    convergence: Mapping[Convergence, int]
    """Number of rated episodes that improved, stayed stable, regressed, or had no refinement."""

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
    """Main score, 0–100, by which boards rank: the mean of 10 × score, what the pair did not play counting 0.

    It is quality × played share, as clembench has it, of the episodes that have a result and that the judge could rate.
    Its interval covers what has no result yet and what is not rated as if it were anything; ``n`` counts what is known.
    """

    same_family: bool
    """Whether judge and describer are models of one family: such a judge may favour its own family."""

    detectable: float | None
    """Score difference to a pair of the same spread that this many episodes find with a chance of 80 %, 0–10.

    Taken as if the two were independent, so √2 times what the pair's own spread gives: a cautious figure, since pairs
    play the same pictures. None with fewer than ``MINIMUM_PICTURES`` scores.
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
        """The main score, 0–100; 0 if none was played, None if none of what was played is rated."""
        return self.main.mean

    @property
    def unranked(self) -> Unranked | None:
        """Reason why the pair has no rank under this condition; None if it has a rank."""
        return why_unranked(self.unfinished, self.rated, self.applicable, self.main.n)

    @property
    def unranked_words(self) -> str | None:
        """The same for people, see ``unranked_words``."""
        why = self.unranked
        return why and unranked_words(why, self.unfinished, self.episodes, self.rated, self.applicable)
