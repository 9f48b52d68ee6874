"""Verified share of an episode's scores, shown in the gallery as a measure of trust."""

from dataclasses import dataclass

from ircore.core.score_records import HUMAN
from ircore.results.episodes import EpisodeResult
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class Verified:
    """Number of an episode's similarity scores, and of verified scores among them."""

    verified: int
    """Number of scores that the maintainers computed, or asked a judge for, themselves."""

    scores: int
    """Number of scores, one per judge and rendering; the mean of people counts as one."""

    @property
    def share(self) -> float | None:
        """Share of verified scores, 0–1; None without scores."""
        return self.verified / self.scores if self.scores else None


def verified_scores(result: EpisodeResult, provenance: Provenance | None) -> Verified:
    """Count an episode's scores, and those that are verified.

    A score is verified if the maintainers vouch for its run, having played it or re-scored a submitter's transcripts,
    and if it was not brought in from elsewhere: people's ratings are imported from a file, so nobody here has seen them
    being given. What counts is where a score comes from, not whether it is right.

    Args:
        result: One episode.
        provenance: Where its run comes from; None if nobody vouches for it.
    """
    given = {judge: len(judged.trajectory) for judge, judged in result.judged.items()}
    own = sum(count for judge, count in given.items() if judge != HUMAN)
    return Verified(own if provenance is not None else 0, sum(given.values()))
