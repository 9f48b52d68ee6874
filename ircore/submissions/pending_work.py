"""Pending work of maintainers: what waits to be played or re-scored, its cost, what is held, and what is disputed."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.submission_records import Run
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, read_provenance
from ircore.submissions.batch import Forecast, forecast
from ircore.submissions.decisions import Decision, is_cleared, is_gone, open_disputes
from ircore.submissions.merged_submissions import MergedSubmission
from ircore.submissions.request_fields import why_self_reported


class Waiting(NamedTuple):
    """A submission without a published run that shows the submission as it is now."""

    slug: str
    """Name of the submission's folder."""

    what: str
    """The task of the maintainers, with the reason."""

    forecast: Forecast
    """Cost of the task at most."""


class HeldRun(NamedTuple):
    """A published run with grave findings that no maintainer has cleared."""

    slug: str
    """Name of the submission's folder."""

    run_id: str
    """The run."""

    flags: tuple[Flag, ...]
    """The findings."""


class Disputed(NamedTuple):
    """An open dispute."""

    slug: str
    """Name of the submission's folder."""

    run_id: str | None
    """The run; None for all runs of the submission."""

    date: str
    """Since when, YYYY-MM-DD."""

    reason: str
    """Why, in the words of whoever marked it."""


class PendingWork(NamedTuple):
    """Everything that waits for maintainers: what ``ircore maintain pending`` and a page of the site show."""

    waiting: tuple[Waiting, ...] = ()
    """Submissions to be played or re-scored."""

    held: tuple[HeldRun, ...] = ()
    """Published runs without a rank until a maintainer looks."""

    disputed: tuple[Disputed, ...] = ()
    """Open disputes."""

    @property
    def cost(self) -> str:
        """The cost of all evaluations together, in words."""
        costs = [each.forecast.cost_usd for each in self.waiting]
        more = " and what is not foretold" if None in costs else ""
        return f"at most about {sum(cost or 0 for cost in costs):.2f} US${more}"

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        return {
            "waiting": [
                {"slug": each.slug, "what": each.what, "cost_usd": each.forecast.cost_usd, "cost": each.forecast.text}
                for each in self.waiting
            ],
            "held": [
                {
                    "slug": run.slug,
                    "run_id": run.run_id,
                    "findings": [flag.model_dump(mode="json") for flag in run.flags],
                }
                for run in self.held
            ],
            "disputed": [each._asdict() for each in self.disputed],
        }


def pending_work(
    submissions: Sequence[MergedSubmission],
    runs: Sequence[Path],
    sets: Collection[InstanceSet] = (),
    prices_file: Path | None = None,
) -> PendingWork:
    """Return everything that waits for maintainers.

    Args:
        submissions: All merged submissions.
        runs: Published runs.
        sets: The sets that count, as of ``waiting_submissions``.
        prices_file: Prices on top of the built-in ones.

    Raises:
        InputError: A run is damaged.
    """
    disputed = (
        Disputed(each.slug, decision.run_id, decision.date, decision.reason)
        for each in submissions
        for decision in open_disputes(each.decisions)
    )
    waiting = waiting_submissions(submissions, runs, sets, prices_file)
    return PendingWork(tuple(waiting), tuple(held_runs(submissions, runs)), tuple(disputed))


def waiting_submissions(
    submissions: Iterable[MergedSubmission],
    runs: Sequence[Path],
    sets: Collection[InstanceSet] = (),
    prices_file: Path | None = None,
) -> Iterator[Waiting]:
    """Yield the submissions whose current state no published run shows.

    Withdrawn submissions are left out, those whose requests hold more than the list allows, and those whose submitters
    have committed to a run and play it.

    Args:
        submissions: All merged submissions.
        runs: Published runs.
        sets: The sets that count for runs of their games; of other games any set counts. The prompts of a run must be
            those of this version of the package in any case.
        prices_file: Prices on top of the built-in ones.

    Raises:
        InputError: A run is damaged.
    """
    published: dict[str, list[RunFolder]] = {}
    for path in runs:
        run = RunFolder(path)
        published.setdefault(run.run.slug, []).append(run)
    for submission in submissions:
        if submission.status == "withdrawn" or why_self_reported(submission.loaded.submission):
            continue
        loaded, decisions = submission.loaded, submission.decisions
        if loaded.submission.commitment is not None and loaded.submission.transcripts is None:
            continue  # its submitter plays it
        known = published.get(loaded.slug, ())
        current = [run for run in known if _is_current(run.run, sets)]
        if known and not current:
            reason = "its published run is of another version of the benchmark"
        elif reason := _why(loaded, current):
            reason += _first(loaded, current, decisions)
        if reason:
            verb = "to be played" if loaded.submission.transcripts is None else "to be re-scored"
            own = [instances for instances in sets if instances.game == loaded.submission.game]
            cost = forecast(loaded, own[0] if len(own) == 1 else None, prices_file)
            yield Waiting(loaded.slug, f"{verb}: {reason}", cost)


def _is_current(run: Run, sets: Collection[InstanceSet]) -> bool:
    """Return whether a run is of the version of the benchmark that is played now."""
    identities = {instances.identity for instances in sets if instances.game == run.game}
    if identities and run.instance_set not in identities:
        return False
    return load_game(run.game).prompts(None).version == run.prompts


def _first(loaded: LoadedSubmission, runs: list[RunFolder], decisions: Sequence[Decision]) -> str:
    """Return a remark about the published run that has to be withdrawn first; empty if no run stands in the way."""
    stays = [
        run.run.run_id
        for run in runs
        if _same_rules(run, loaded)
        and not is_gone(decisions, run.run.run_id)
        and run.run.submission.published != loaded.submission.published
    ]
    return f"; before that, ircore maintain correct --run {stays[0]}" if stays else ""


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


def held_runs(submissions: Iterable[MergedSubmission], published: Iterable[Path]) -> list[HeldRun]:
    """Return the published runs with grave findings that no maintainer has cleared, without withdrawn ones.

    Args:
        submissions: All merged submissions.
        published: Folders of the published runs.

    Raises:
        InputError: A run is damaged.
    """
    taken = {submission.slug: submission.decisions for submission in submissions}
    runs = []
    for path in published:
        run, provenance = RunFolder(path).run, read_provenance(path)
        decided = taken.get(run.slug, ())
        grave = tuple(flag for flag in provenance.flags if flag.grave) if provenance is not None else ()
        if grave and not (is_cleared(decided, run.run_id) or is_gone(decided, run.run_id)):
            runs.append(HeldRun(run.slug, run.run_id, grave))
    return runs
