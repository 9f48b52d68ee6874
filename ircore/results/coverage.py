"""How many episodes have a result and a rating, and whether that is enough for a rank."""

from dataclasses import dataclass
from typing import Literal

from ircore.core.plain_words import format_count
from ircore.results.episodes import Doubt
from ircore.results.judge_ratings import PENDING, RATED, REFUSED, UNFINISHED, UNPLAYED, JudgeRatings
from ircore.results.statistics.intervals import MINIMUM_PICTURES

Unranked = Literal[
    "held", "past_budget", "incomplete", "underrated", "inapplicable", "unread", "too_few", "reference", "recorded"
]
"""Why a run has no rank: it has grave findings that no maintainer cleared; its generator was given messages
over the token budget; it has episodes without a result yet; too
little of what it played is rated; the judge rates nothing here; the judge left labels unread that weigh too much; its
main score rests on fewer than
``MINIMUM_PICTURES``; it is a ceiling or floor beside the others; its headline rests on recorded answers that do not
depend on its players."""

RATED_SHARE = 0.9
"""Share of the renderings that a judge could have rated which it must have rated before there is a rank."""


UNDECIDED_SHARE = 0.05
"""Share of the facts, by weight, that a judge of facts may leave undecided while it reads no labels."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Number of a run's episodes in each state, under a condition and for a judge or a measure.

    Example:
        >>> coverage = Coverage(episodes=42, unfinished=3, applicable=39, rated=39, refused=0, pending=0, counted=39)
        >>> coverage.unranked, coverage.unranked_words
        ('incomplete', 'incomplete: 3 of 42 episodes have no result yet')
    """

    episodes: int
    """Episodes of the whole instance set under this condition, whether played or not."""

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

    counted: int
    """Number of instances that the main score rests on: rated, or not played by the pair's own doing."""

    doubt: Doubt | None = None
    """Of a judge of facts: mean interval of the rated scores, and the share of the facts that it could not tell."""

    held: bool = False
    """Whether the run has grave findings that no maintainer has cleared."""

    past_budget: bool = False
    """Whether the generator was given a message over the token budget."""

    rated_words: str = "renderings are rated"
    """What is said of ``rated`` in messages."""

    reference: bool = False
    """Whether a player of the run is a reference (``Traits.reference``): a ceiling or floor, which has no rank."""

    meaningless: str = ""
    """Why the headline says nothing of the run, which then has no rank; empty if it says something."""

    @property
    def unranked(self) -> Unranked | None:
        """Reason why the run has no rank under this condition; None if the run has a rank."""
        if self.reference:
            return "reference"
        if self.meaningless:
            return "recorded"
        # What a maintainer or the player must mend comes first: playing and scoring on would not give a rank.
        if self.held:
            return "held"
        if self.past_budget:
            return "past_budget"
        if self.unfinished:
            return "incomplete"
        # Where nothing is applicable, 0 is not below 0: whether anything counts decides below.
        if self.rated < RATED_SHARE * self.applicable:
            return "underrated"
        # Only after the shares above: nothing is counted either where playing or rating has not begun.
        if not self.counted:
            return "inapplicable"
        if self.doubt is not None and self.doubt.unread and self.doubt.undecided > UNDECIDED_SHARE:
            return "unread"
        return "too_few" if self.counted < MINIMUM_PICTURES else None

    @property
    def unranked_words(self) -> str | None:
        """The same for people."""
        open_share = 0.0 if self.doubt is None else self.doubt.undecided
        needed = f"{100 * RATED_SHARE:.0f} % are needed"
        words: dict[Unranked | None, str] = {
            "reference": "a reference, shown as a ceiling or floor",
            "recorded": self.meaningless,
            "held": "held: its findings wait for a maintainer",
            "past_budget": "messages over the token budget reached the generator",
            "incomplete": f"incomplete: {self.unfinished} of {format_count(self.episodes, 'episode')} "
            "have no result yet",
            "underrated": f"only {self.rated} of {self.applicable} {self.rated_words}, {needed}",
            "inapplicable": "the judge rates nothing here",
            "unread": (
                f"labels were not read, so {100 * open_share:.0f} % of the facts are open, "
                f"{100 * UNDECIDED_SHARE:.0f} % may be"
            ),
            "too_few": f"fewer than {MINIMUM_PICTURES} pictures",
        }
        return words.get(self.unranked)


def count_coverage(ratings: JudgeRatings) -> list[Coverage]:
    """Count the episodes of each run, in the order of the columns."""
    counts = [ratings.episodes(status).tolist() for status in (UNFINISHED, RATED, REFUSED, PENDING)]
    sizes, instances = ratings.states.sum(axis=(0, -1)).tolist(), ratings.count(RATED, UNPLAYED).tolist()
    return [
        Coverage(
            episodes=episodes,
            unfinished=unfinished,
            applicable=rated + refused + pending,
            rated=rated,
            refused=refused,
            pending=pending,
            counted=on_instances,
            doubt=doubt,
        )
        for episodes, unfinished, rated, refused, pending, on_instances, doubt in zip(
            sizes, *counts, instances, ratings.doubts(), strict=True
        )
    ]
