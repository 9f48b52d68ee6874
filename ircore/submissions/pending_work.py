"""Pending work of maintainers: what waits to be played or re-scored, its cost, what is held, and what is disputed.

Merged submissions are read with their manifests and the decisions about them. All that are pending can be evaluated in
one go: the pairs, their expected cost, and the cost paid already.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.strict_yaml import read_mapping
from ircore.core.submission_records import Run, Submission
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.submission import MANIFEST, LoadedSubmission, read_manifest
from ircore.runs.costs.forecast import IMAGE_WRITTEN_TOKENS, PlannedPlay, estimate
from ircore.runs.costs.prices import MILLION, RunPrices, SeatPrice, load_run_prices, read_prices
from ircore.runs.costs.totals import Totals
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.runs.provenance import Flag, read_provenance
from ircore.submissions.check.entries import is_maintainers
from ircore.submissions.decisions import (
    Decision,
    Status,
    find_status,
    is_cleared,
    is_gone,
    open_disputes,
    read_decisions,
)
from ircore.submissions.services import explain_self_reported


class Forecast(NamedTuple):
    """Cost that evaluating a submission may have.

    >>> Forecast(cost_usd=3.2).text
    'at most about 3.20 US$'
    >>> Forecast(cost_usd=None, unknown=("my-model",)).text
    'no price of my-model is known: give a bound'
    """

    cost_usd: float | None
    """US dollars at most; None if it cannot be said."""

    unknown: tuple[str, ...] = ()
    """Models without a known price."""

    @property
    def text(self) -> str:
        """The forecast for people."""
        if self.unknown:
            return f"no price of {' and '.join(self.unknown)} is known: give a bound"
        if self.cost_usd is None:
            return "cost not foretold; prices are known"
        return f"at most about {self.cost_usd:.2f} US$" if self.cost_usd else "nothing to pay"


def forecast(loaded: LoadedSubmission, instances: InstanceSet | None, prices_file: Path | None = None) -> Forecast:
    """Return the cost of playing a submission if every episode takes all its steps.

    Args:
        loaded: The submission; re-scoring its transcripts costs nothing.
        instances: The set of its game; None if it is not known here.
        prices_file: Prices on top of the built-in ones.
    """
    if loaded.submission.transcripts is not None:
        return Forecast(0.0)
    prices = RunPrices(read_prices(prices_file), loaded.submission)
    if unknown := list_unpriced(prices.seats.values()):
        return Forecast(None, unknown)
    if all(seat.offline for seat in prices.seats.values()):
        return Forecast(0.0)
    if instances is None:
        return Forecast(None)
    game, submission = load_game(loaded.submission.game), loaded.submission
    rules = game.rules.model_validate(submission.rules)
    planned = PlannedPlay(game, submission, rules, game.read_prompts(None), instances)
    return Forecast(estimate(planned, dict.fromkeys(instances.instances.ids, 1), prices).cost_usd)


def list_unpriced(seats: Iterable[SeatPrice]) -> tuple[str, ...]:
    """Return the models that a provider bills and whose price is not known, each once."""
    return tuple(dict.fromkeys(seat.label for seat in seats if not seat.offline and seat.price is None))


def write_bounds(
    submission: Submission,
    bound: float,
    prices_file: Path | None,
    out: Path,
    source: str = "a bound that maintainers gave, no price",
) -> Path | None:
    """Write a table of prices in which models without a known price cost at most a bound, and return it.

    Args:
        submission: The submission.
        bound: US dollars a million tokens, read or written; an image counts as ``IMAGE_WRITTEN_TOKENS`` tokens.
        prices_file: Known prices on top of the built-in ones, which the table repeats.
        out: The file.
        source: Where the bound comes from.

    Returns:
        The file; ``prices_file`` if every price is known.
    """
    import yaml

    known = read_prices(prices_file)
    models = list_unpriced(RunPrices(known, submission).seats.values())
    if not models:
        return prices_file
    image = bound * IMAGE_WRITTEN_TOKENS / MILLION

    def priced() -> dict[str, object]:
        # Made anew for each model: YAML would name what stands twice once, and no table of prices may do so.
        day = datetime.now(UTC).date()
        return {"input": bound, "output": bound, "images": {"*/*": image}, "date": day, "source": source}

    table = {model: priced() for model in models}
    stated = read_mapping(prices_file, "", "")["models"] if prices_file is not None else {}
    write_text(out, yaml.safe_dump({"models": {**stated, **table}}, sort_keys=False))
    return out


def compute_spent(run: Path) -> float:
    """Return the cost of a run so far, in US dollars, as far as known; 0 without a run."""
    if not (run / RUN_FILE).is_file():
        return 0.0
    folder = RunFolder(run)
    return Totals.of(folder.questions(), load_run_prices(folder)).cost_usd


def choose_pending(slugs: Sequence[str], pending: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the pending submissions that were asked for, in the order in which they wait, and the names left out.

    All that wait are chosen if none is named. A name that does not wait is left out: its run is published already, or
    no such submission is merged.

    >>> choose_pending(["b", "c"], ["a", "b"]), choose_pending([], ["a", "b"])
    ((['b'], ['c']), (['a', 'b'], []))
    """
    return [slug for slug in pending if not slugs or slug in slugs], [slug for slug in slugs if slug not in pending]


def can_go_on(run: Path, submission: Path, sets: Collection[str]) -> bool:
    """Return whether a run that was begun is one of a submission as it is now, and was not taken off the boards.

    Args:
        run: The run folder.
        submission: The submission's folder.
        sets: Identities of the sets that count.
    """
    if not (run / RUN_FILE).is_file():
        return False
    begun = RunFolder(run).run
    # A manifest that was changed since asks for another run, however far the first one came.
    as_now = read_manifest(submission).submission == begun.submission
    gone = is_gone(read_decisions(submission), begun.run_id)
    return as_now and begun.instance_set in sets and not gone


def is_finished(run: Path) -> bool:
    """Return whether every episode of a run has a result."""
    if not (run / RUN_FILE).is_file():
        return False
    folder = RunFolder(run)
    ended = folder.read_endings()
    # An episode that failed for technical reasons has ended, and will be played again.
    return len(ended) == len(folder.instances.instances) and all(episode.finished for episode in ended.values())


@dataclass(frozen=True)
class MergedSubmission:
    """A merged submission to any game.

    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> MergedSubmission(read_manifest(list_builtin_pairs()["classical+canvas"])).status
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
        return find_status(self.decisions)


def read_merged_submissions(folder: Path) -> tuple[MergedSubmission, ...]:
    """Read every submission of a folder, by name.

    Raises:
        InputError: There is no such folder, or a manifest or a file of decisions in it is damaged.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name the folder of submissions.")
    files = sorted(folder.glob(f"*/{MANIFEST}"))
    return tuple(MergedSubmission(read_manifest(file), read_decisions(file.parent)) for file in files)


def read_cleared_runs(submissions: Iterable[MergedSubmission]) -> frozenset[str]:
    """Return the ids of the runs whose findings maintainers looked at, and let stay."""
    return frozenset(
        decision.run_id
        for submission in submissions
        for decision in submission.decisions
        if decision.kind == "cleared" and decision.run_id is not None
    )


def list_unplayed(submissions: Iterable[MergedSubmission], played: Container[str]) -> tuple[MergedSubmission, ...]:
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


def collect_pending_work(
    submissions: Sequence[MergedSubmission],
    runs: Sequence[Path],
    sets: Collection[InstanceSet] = (),
    prices_file: Path | None = None,
) -> PendingWork:
    """Return everything that waits for maintainers.

    Args:
        submissions: All merged submissions.
        runs: Published runs.
        sets: The sets that count, as of ``find_waiting_submissions``.
        prices_file: Prices on top of the built-in ones.

    Raises:
        InputError: A run is damaged.
    """
    disputed = (
        Disputed(each.slug, decision.run_id, decision.date, decision.reason)
        for each in submissions
        for decision in open_disputes(each.decisions)
    )
    waiting = find_waiting_submissions(submissions, runs, sets, prices_file)
    return PendingWork(tuple(waiting), tuple(list_held_runs(submissions, runs)), tuple(disputed))


def find_waiting_submissions(
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
        if submission.status == "withdrawn" or explain_self_reported(submission.loaded.submission):
            continue
        loaded, decisions = submission.loaded, submission.decisions
        if loaded.submission.commitment is not None and loaded.submission.transcripts is None:
            continue  # its submitter plays it
        known = published.get(loaded.slug, ())
        current = [run for run in known if _is_current(run.run, sets)]
        if known and not current:
            reason = "its published run is of another version of the benchmark"
        elif reason := _explain_waiting(loaded, current):
            reason += _describe_blocker(loaded, current, decisions)
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
    return load_game(run.game).read_prompts(None).version == run.prompts


def _describe_blocker(loaded: LoadedSubmission, runs: list[RunFolder], decisions: Sequence[Decision]) -> str:
    """Return a remark about the published run that has to be withdrawn first; empty if no run stands in the way."""
    stays = [
        run.run.run_id
        for run in runs
        if _has_same_rules(run, loaded)
        and not is_gone(decisions, run.run.run_id)
        and run.run.submission.published != loaded.submission.published
    ]
    return f"; before that, ircore maintain correct --run {stays[0]}" if stays else ""


def _explain_waiting(loaded: LoadedSubmission, runs: list[RunFolder]) -> str:
    """Return the reason why no run shows a submission as it is; empty if a run does."""
    # As published: what a release left out is no change. Authors, links and the like may change without another run.
    players = loaded.submission.published.players
    same = [run for run in runs if _has_same_rules(run, loaded) and run.run.submission.published.players == players]
    if not same:
        return "its players or rules changed since" if runs else "no run of it is published"
    vouched = [provenance for run in same if (provenance := read_provenance(run.path)) is not None]
    if not vouched:
        return "nobody vouches for its published run"
    # A run that was played here has no source, like a manifest without transcripts.
    if not any(provenance.source == loaded.submission.transcripts for provenance in vouched):
        return "its transcripts are others than those of the published run"
    return ""


def _has_same_rules(run: RunFolder, loaded: LoadedSubmission) -> bool:
    """Return whether a run was played by the rules that a manifest of the same game states."""
    if run.game != loaded.submission.game:
        return False
    rules = load_game(run.game).rules
    # Validated on both sides, so that a rule left out equals the rule's default.
    return rules.model_validate(run.run.rules) == rules.model_validate(loaded.submission.rules)


def list_held_runs(submissions: Iterable[MergedSubmission], published: Iterable[Path]) -> list[HeldRun]:
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
