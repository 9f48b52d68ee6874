"""Counting scores: by judge or metric, new or there already, and why some have no value."""

from dataclasses import dataclass, field

from ircore.core.counted import counted
from ircore.core.score_records import Score


@dataclass
class ScoreCount:
    """Counts of one judge or metric."""

    new: int = 0
    """Scores that were added."""

    kept: int = 0
    """Scores that were there already."""

    new_without: int = 0
    """Number of new scores without a value."""

    without: dict[str, int] = field(default_factory=dict)
    """Number of scores without a value, by reason (its part before a colon)."""

    preferences: int = 0
    """Number of scores, new or not, that compare the final rendering with the first; any other is of one rendering."""

    left_out: int = 0
    """Played episodes that have no score, since the judge does not rate pictures such as theirs."""

    unread: int = 0
    """Ratings that labels leave open which nobody read."""

    open_share: float = 0.0
    """Of these ratings, the sum of the shares of facts that are open."""

    def unread_words(self, missing: str | None) -> str | None:
        """Return one line on what it costs that labels were not read; None if it costs nothing.

        Args:
            missing: The package that a reader of texts lacks; None if none is missing.

        >>> ScoreCount(new=4, unread=2, open_share=0.4).unread_words("rapidocr").partition(";")[0]
        'labels of 2 of 4 renderings are not read (no rapidocr), so 20 % of their facts are open'
        """
        if not self.unread or missing is None:
            return None
        rated = counted(self.new + self.kept - self.preferences, "rendering")
        share = f"{100 * self.open_share / self.unread:.0f} %"
        return (
            f"labels of {self.unread:,} of {rated} are not read (no {missing}), so {share} of their "
            "facts are open; with over 5 % open a run has no rank. Read them with: make ocr, or "
            "pip install 'ircore[ocr]', then the same command again."
        )

    def text(self) -> str:
        """Return the counts for people; the numbers of each part add up.

        >>> ScoreCount(new=5, kept=1, preferences=2, without={"no answer": 1}).text()
        '6 scores (4 renderings, 2 preferences), 5 new and 1 kept; 1 without a value: no answer (1)'
        >>> ScoreCount(kept=1, left_out=3).text()
        '1 score, 0 new and 1 kept; 3 episodes of pictures that it does not rate'
        """
        total = self.new + self.kept
        rated = counted(total - self.preferences, "rendering")
        tasks = f" ({rated}, {counted(self.preferences, 'preference')})" if self.preferences else ""
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(self.without.items()))
        lacking = f"; {sum(self.without.values()):,} without a value: {reasons}" if reasons else ""
        left_out = f"; {counted(self.left_out, 'episode')} of pictures that it does not rate" if self.left_out else ""
        return f"{counted(total, 'score')}{tasks}, {self.new:,} new and {self.kept:,} kept{lacking}{left_out}"


def count_score(counts: dict[str, ScoreCount], score: Score, new: bool) -> None:
    """Count one score under its judge's or metric's name."""
    count = counts.setdefault(score.by, ScoreCount())
    count.new += new
    count.kept += not new
    count.preferences += score.task == "preference"
    if score.unread and score.undecided is not None:
        count.unread += 1
        count.open_share += score.undecided
    if score.reason is not None:
        count.new_without += new
        reason = score.reason.partition(":")[0]
        count.without[reason] = count.without.get(reason, 0) + 1
