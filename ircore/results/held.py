"""Held runs: grave findings that no maintainer has cleared. They are listed with their numbers, and without a rank."""

from collections.abc import Collection, Iterable, Sequence

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


def columns_of(run_ids: Iterable[str], held: Collection[str]) -> Sequence[int]:
    """Return the positions of held runs among runs in the order of columns."""
    return [column for column, run_id in enumerate(run_ids) if run_id in held]
