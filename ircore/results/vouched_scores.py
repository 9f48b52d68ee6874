"""Share of an episode's scores that the maintainers vouch for, shown in the gallery as a measure of trust."""

from dataclasses import dataclass

from ircore.core.score_records import HUMAN
from ircore.results.episodes import EpisodeResult
from ircore.runs.provenance import Provenance


@dataclass(frozen=True)
class VouchedScores:
    """Counts of similarity scores: all, and the scores that the maintainers vouch for.

    >>> VouchedScores(3, 4).share
    0.75
    """

    vouched: int
    """Number of scores that the maintainers computed, or asked a judge for, themselves."""

    scores: int
    """Number of scores, one per judge and rendering; the mean of people counts as one."""

    @property
    def share(self) -> float | None:
        """Share of scores that the maintainers vouch for, 0–1; None without scores."""
        return self.vouched / self.scores if self.scores else None


def vouched_scores(result: EpisodeResult, provenance: Provenance | None) -> VouchedScores:
    """Count an episode's scores, and the scores that the maintainers vouch for.

    They vouch for a score if they vouch for its run, having played it or re-scored a submitter's transcripts,
    and if it was not brought in from elsewhere: people's ratings are imported from a file, so nobody here has seen them
    being given. What counts is where a score comes from, not whether it is right.

    Args:
        result: One episode.
        provenance: Where its run comes from; None if nobody vouches for it.
    """
    counts = {judge: len(judged.trajectory) for judge, judged in result.judged.items()}
    own = sum(count for judge, count in counts.items() if judge != HUMAN)
    return VouchedScores(own if provenance is not None else 0, sum(counts.values()))
