"""Which merged submissions maintainers have still to play, or to re-score."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ircore.core.submission_records import Run
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission, manifests_in
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import read_provenance
from ircore.submissions.history import Step, is_gone
from ircore.submissions.merged_submissions import merged_submissions
from ircore.submissions.request_fields import why_self_reported


class _PendingSubmission(NamedTuple):
    """A submission without a published run that shows the submission as it is now."""

    slug: str
    """Name of the submission's folder."""

    what: str
    """The task of the maintainers, with the reason."""


def pending_submissions(
    folder: Path, runs: Sequence[Path], instances: InstanceSet | None = None
) -> list[_PendingSubmission]:
    """Return the submissions of a folder whose current state no published run shows.

    Withdrawn submissions are left out, those whose requests hold more than the list allows, and those whose submitters
    have committed to a run and play it.

    Args:
        folder: The submissions.
        runs: Published runs.
        instances: The set that counts for runs of its game; any set if None. The prompts of a run must be those of
            this version of the package in any case.

    Raises:
        InputError: There is no submission in it, or a manifest, a history or a run in it is damaged.
    """
    # Refuses a folder without any submission, which is most likely a wrong one.
    manifests_in(folder)
    published: dict[str, list[RunFolder]] = {}
    for path in runs:
        run = RunFolder(path)
        published.setdefault(run.run.slug, []).append(run)
    pending = []
    for submission in merged_submissions(folder):
        if submission.status == "withdrawn" or why_self_reported(submission.loaded.submission):
            continue
        loaded, steps = submission.loaded, submission.steps
        if loaded.submission.commitment is not None and loaded.submission.transcripts is None:
            continue  # its submitter plays it
        verb = "to be played" if loaded.submission.transcripts is None else "to be re-scored"
        known = published.get(loaded.slug, ())
        current = [run for run in known if _is_current(run.run, instances)]
        if known and not current:
            reason = "its published run is of another version of the benchmark"
            pending.append(_PendingSubmission(loaded.slug, f"{verb}: {reason}"))
        elif reason := _why(loaded, current):
            pending.append(_PendingSubmission(loaded.slug, f"{verb}: {reason}{_first(loaded, current, steps)}"))
    return pending


def _is_current(run: Run, instances: InstanceSet | None) -> bool:
    """Return whether a run is of the version of the benchmark that is played now."""
    if instances is not None and instances.game == run.game and instances.identity != run.instance_set:
        return False
    return load_game(run.game).prompts(None).version == run.prompts


def _first(loaded: LoadedSubmission, runs: list[RunFolder], steps: Sequence[Step]) -> str:
    """Return a remark about the published run that has to be withdrawn first; empty if no run stands in the way."""
    stays = [
        run.run.run_id
        for run in runs
        if _same_rules(run, loaded)
        and not is_gone(steps, run.run.run_id)
        and run.run.submission.published != loaded.submission.published
    ]
    return f"; before that, ircore submission correct --run {stays[0]}" if stays else ""


def _why(loaded: LoadedSubmission, runs: list[RunFolder]) -> str:
    """Return the reason why no run shows a submission as it is; empty if a run does."""
    # As published: what a release left out is no change. Authors, links and the like may change without another run.
    players = loaded.submission.published.players
    same = [run for run in runs if _same_rules(run, loaded) and run.run.submission.published.players == players]
    if not same:
        return "its players or rules changed since" if runs else "no run of it is published"
    vouched = [provenance for run in same if (provenance := read_provenance(run.path)) is not None]
    if not vouched:
        return "nobody vouches for its published run"
    # A run that was played here has no source, like a manifest without transcripts.
    if not any(provenance.source == loaded.submission.transcripts for provenance in vouched):
        return "its transcripts are others than those of the published run"
    return ""


def _same_rules(run: RunFolder, loaded: LoadedSubmission) -> bool:
    """Return whether a run was played by the rules that a manifest of the same game states."""
    if run.game != loaded.submission.game:
        return False
    rules = load_game(run.game).rules
    # Validated on both sides, so that a rule left out equals the rule's default.
    return rules.model_validate(run.run.rules) == rules.model_validate(loaded.submission.rules)
