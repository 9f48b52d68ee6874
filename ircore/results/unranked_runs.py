"""Runs that are listed with their numbers and without a rank: held ones, and those that passed the token budget.

A run is held while it has grave findings that no maintainer has cleared.
"""

from collections.abc import Collection, Iterable, Sequence

from ircore.results.played_run import PlayedRun
from ircore.runs.provenance import Provenance


def held_runs(runs: Iterable[tuple[str, Provenance | None]], cleared: Collection[str] = ()) -> frozenset[str]:
    """Return the ids of held runs.

    Args:
        runs: Id and origin of each run; a run that nobody vouches for has no findings.
        cleared: Ids of runs whose findings a maintainer looked at.
    """
    return frozenset(
        run_id
        for run_id, provenance in runs
        if provenance is not None and provenance.grave_flags and run_id not in cleared
    )


def past_budget_runs(runs: Iterable[PlayedRun]) -> frozenset[str]:
    """Return the ids of the runs whose generator was given a message over the token budget.

    The rule ``over_budget: allow`` lets such messages through, ``truncate`` and ``abort`` never do. A run that kept the
    budget by itself is the same run under each of the three.

    Args:
        runs: Of a game; where none of its messages has a budget, none passes it.
    """
    return frozenset(
        run.run.run_id
        for run in runs
        # The other rules let no such message through; turns that were cut are marked as over the budget, too.
        if any(result.effort.over_budget for result in run.results) and run.rules.over_budget == "allow"
    )


def columns_of(run_ids: Iterable[str], barred: Collection[str]) -> Sequence[int]:
    """Return the positions of runs that may have no rank among runs in the order of columns."""
    return [column for column, run_id in enumerate(run_ids) if run_id in barred]
