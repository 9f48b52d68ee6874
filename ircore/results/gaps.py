"""Runs that a board would show without a rank: ``ircore score`` lists them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.results.coverage import Unranked, coverages
from ircore.results.judge_ratings import judge_ratings, scopes_of
from ircore.results.played_run import PlayedRun
from ircore.runs.folder import RunFolder


@dataclass(frozen=True)
class UnrankedRun:
    """A run without a rank on the board of one judge, and the reason."""

    run: str
    """Id of the run."""

    judge: str
    """The judge's name."""

    reason: Unranked
    """Reason as an identifier, for programs."""

    words: str
    """Reason in words, for people."""


def unranked_runs(runs: Sequence[RunFolder], judges: Sequence[str]) -> list[UnrankedRun]:
    """List the runs that lack results or ratings for a rank over all pictures by some of the judges.

    Args:
        runs: Run folders.
        judges: Names of judges that have scored them.

    Raises:
        InputError: A run is damaged.
    """
    # A judge that a run does not know rates nothing of its targets.
    gaps = (_gap(run, judge) for run in map(PlayedRun, runs) for judge in judges if judge in run.judges)
    return [gap for gap in gaps if gap is not None]


def _gap(run: PlayedRun, judge: str) -> UnrankedRun | None:
    run_id, scope = run.run.run_id, scopes_of([judge], run.judges)[judge]
    (coverage,) = coverages(judge_ratings(run.instances.instances, {run_id: run.results}, judge, scope))
    reason, words = coverage.unranked, coverage.unranked_words
    return (
        UnrankedRun(run_id, judge, reason, words)
        if words and reason in ("incomplete", "underrated", "unread")
        else None
    )
