"""Merged submissions: each with its manifest and the decisions about it."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.players.submission import MANIFEST, LoadedSubmission, read_manifest
from ircore.submissions.check.entries import is_maintainers
from ircore.submissions.decisions import Decision, Status, read_decisions, status_of


@dataclass(frozen=True)
class MergedSubmission:
    """A merged submission to any game.

    >>> from ircore.players.builtin_pairs import builtin_pairs
    >>> MergedSubmission(read_manifest(builtin_pairs()["classical+canvas"])).status
    'active'
    """

    loaded: LoadedSubmission
    """The manifest."""

    decisions: tuple[Decision, ...] = ()
    """What was decided about the submission, the oldest decision first."""

    @property
    def slug(self) -> str:
        """Name of the submission's folder."""
        return self.loaded.slug

    @property
    def status(self) -> Status:
        """Current status of the submission."""
        return status_of(self.decisions)


def merged_submissions(folder: Path) -> tuple[MergedSubmission, ...]:
    """Read every submission of a folder, by name.

    Raises:
        InputError: There is no such folder, or a manifest or a file of decisions in it is damaged.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name the folder of submissions.")
    files = sorted(folder.glob(f"*/{MANIFEST}"))
    return tuple(MergedSubmission(read_manifest(file), read_decisions(file.parent)) for file in files)


def cleared_runs(submissions: Iterable[MergedSubmission]) -> frozenset[str]:
    """Return the ids of the runs whose findings maintainers looked at, and let stay."""
    return frozenset(
        decision.run_id
        for submission in submissions
        for decision in submission.decisions
        if decision.kind == "cleared" and decision.run_id is not None
    )


def unplayed(submissions: Iterable[MergedSubmission], played: Container[str]) -> tuple[MergedSubmission, ...]:
    """Return the submissions of others without a run on a site: they are listed, never ranked.

    Args:
        submissions: All merged submissions.
        played: Slugs of submissions that have a run.
    """
    return tuple(
        submission
        for submission in submissions
        # Built-in pairs stand for themselves: nobody waits for them to be played.
        if submission.slug not in played and not is_maintainers(submission.slug)
    )
