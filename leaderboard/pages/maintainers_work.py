"""The page of what waits for maintainers: the same list as ``ircore maintain pending`` prints."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ircore.runs.folder import RunFolder
from ircore.submissions.pending_work import MergedSubmission, pending_work
from leaderboard.model.site import Page

PENDING = "pending"
"""Path of the page."""


def build_pending_page(submitted: Sequence[MergedSubmission], runs: Sequence[Path]) -> Page:
    """Return the page of what waits, what it would cost, what is held and what is disputed.

    Args:
        submitted: All merged submissions.
        runs: The published runs, whose sets count.
    """
    return Page(
        PENDING, "What waits for maintainers", "pending", later=partial(_collect_values, submitted, tuple(runs))
    )


def _collect_values(submitted: Sequence[MergedSubmission], runs: Sequence[Path]) -> dict[str, Any]:
    # Of each set one run is enough.
    sets = [run.instances for run in {run.run.instance_set: run for run in map(RunFolder, runs)}.values()]
    return {"work": pending_work(submitted, runs, sets)}
