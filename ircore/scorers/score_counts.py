"""Counting scores: by judge or metric, new or there already, and why some have no value."""

from dataclasses import dataclass, field

from ircore.core.score_records import Score


@dataclass
class ScoreCount:
    """Counts of one judge or metric.

    Example:
        >>> ScoreCount(new=12, kept=3).new
        12
    """

    new: int = 0
    """Scores that were added."""

    kept: int = 0
    """Scores that were there already."""

    new_without: int = 0
    """Number of new scores without a value."""

    without: dict[str, int] = field(default_factory=dict)
    """Number of scores without a value, by reason (its part before a colon)."""

    def text(self) -> str:
        """Return the counts for people."""
        reasons = ", ".join(f"{reason} ({count})" for reason, count in sorted(self.without.items()))
        lacking = f", {sum(self.without.values()):,} without a value: {reasons}" if reasons else ""
        return f"{self.new:,} new, {self.kept:,} kept{lacking}"


def count_score(counts: dict[str, ScoreCount], score: Score, new: bool) -> None:
    """Count one score under its judge's or metric's name."""
    count = counts.setdefault(score.judge, ScoreCount())
    count.new += new
    count.kept += not new
    if score.reason is not None:
        count.new_without += new
        reason = score.reason.partition(":")[0]
        count.without[reason] = count.without.get(reason, 0) + 1
