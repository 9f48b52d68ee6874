"""Runs that a board would show without a rank: told to whoever has just scored them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.results.cell import Unranked, unranked_words, why_unranked
from ircore.results.played_run import PlayedRun
from ircore.results.rated import PENDING, RATED, REFUSED, UNFINISHED, UNPLAYED, rated, scopes_of
from ircore.runs.folder import RunFolder


@dataclass(frozen=True)
class UnrankedRun:
    """A run that one judge gives no rank."""

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
    gaps = (_gap(run, judge) for run in map(PlayedRun, runs) for judge in judges)
    return [gap for gap in gaps if gap is not None and gap.reason in ("incomplete", "underrated")]


def _gap(run: PlayedRun, judge: str) -> UnrankedRun | None:
    run_id, instances = run.run.run_id, run.instances.instances
    counts = rated(instances, {run_id: run.results}, judge, scopes_of([judge], run.judges)[judge])
    unfinished, known, applicable, counted = (
        int(counts.count(*words)[0])
        for words in ((UNFINISHED,), (RATED,), (RATED, REFUSED, PENDING), (RATED, UNPLAYED))
    )
    why = why_unranked(unfinished, known, applicable, counted)
    if why is None:
        return None
    return UnrankedRun(run_id, judge, why, unranked_words(why, unfinished, len(instances), known, applicable))
