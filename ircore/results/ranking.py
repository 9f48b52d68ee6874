"""Rows of the boards of all games: their order, their rank ranges, and the runs that are listed without a rank.

A board takes only runs that can stand side by side. Two kinds of runs are listed with their numbers and without a rank:
*held* ones, which have grave findings that no maintainer has cleared, and those that passed the token budget. ``ircore
score`` says beforehand which runs would lack a rank.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ircore.core.errors import InputError
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Instance
from ircore.results.judge_ratings import Unranked, count_coverage, find_scopes, judge_ratings
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.ranks import RankRange
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Provenance

EntryT = TypeVar("EntryT")
CellT = TypeVar("CellT")


@dataclass(frozen=True)
class RankedRow(Generic[EntryT, CellT]):
    """A line of a board."""

    rank_low: int | None
    """Best rank that the comparisons allow, 1-based; None for a run without a rank (``cell.unranked`` says why)."""

    rank_high: int | None
    """Worst rank that the comparisons allow."""

    submission: EntryT
    """The run that is ranked."""

    cell: CellT
    """Its numbers."""

    top: bool
    """Whether it belongs to the top group: no other is significantly better."""

    group: int | None = None
    """Group of pairs, 1-based, that the run is in (``statistics.groups``); None for a run without a rank."""

    chance: float | None = None
    """Chance of being the best, 0-1; None for a run without a rank."""


def rank_rows(
    entries: Iterable[tuple[EntryT, CellT, RankRange | None]], by: Callable[[CellT], float | None]
) -> tuple[RankedRow[EntryT, CellT], ...]:
    """Order the rows of a board, best first.

    Args:
        entries: Runs with their numbers and ranks.
        by: What rows are ordered by, higher being better. Runs without a rank come last, those without a value after
            those with one.

    Example:
        >>> from ircore.results.statistics.ranks import RankRange
        >>> entries = [("weak", 40.0, RankRange(2, 2)), ("new", 90.0, None), ("strong", 70.0, RankRange(1, 1))]
        >>> [(row.submission, row.rank_low) for row in rank_rows(entries, by=float)]
        [('strong', 1), ('weak', 2), ('new', None)]
    """

    def place(entry: tuple[EntryT, CellT, RankRange | None]) -> tuple[bool, bool, float]:
        value = by(entry[1])
        # The sort is stable, so rows with equal values stay in the order in which they come.
        return entry[2] is None, value is None, -(value or 0.0)

    return tuple(
        RankedRow(rank.best, rank.worst, entry, cell, rank.top, rank.group, rank.chance)
        if rank
        else RankedRow(None, None, entry, cell, False)
        for entry, cell, rank in sorted(entries, key=place)
    )


def refuse_mixtures(runs: Sequence[PlayedRun]) -> None:
    """Refuse runs that cannot stand side by side.

    Raises:
        InputError: There is no run, two are of different games or instance sets, or two of one submission under the
            same rules and prompts.
    """
    if not runs:
        raise InputError("no run was given", "Name at least one run folder.")
    run_of: dict[object, PlayedRun] = {}
    for run in runs:
        if run.run.game != runs[0].run.game:
            raise InputError(
                f"{run.path} is a run of {run.run.game}, {runs[0].path} a run of {runs[0].run.game}",
                "Name runs of one game.",
            )
        if run.run.instance_set != runs[0].run.instance_set:
            raise InputError(
                f"{runs[0].path} and {run.path} were played on different instance sets",
                "Name runs of one instance set: results on different sets cannot be compared.",
            )
        # Under different rules a submission may have several runs: they stand on separate boards.
        twin = run_of.setdefault((run.run.slug, run.rules.key, run.run.prompts), run)
        if twin is not run:
            raise InputError(
                f"{twin.path} and {run.path} are both runs of {run.run.slug} under the same rules",
                "Name only one of the two runs; runs that differ in their seeds alone are joined by: ircore merge",
            )


def refuse_unknown(**chosen: tuple[str | None, Sequence[str]]) -> None:
    """Refuse the name of a judge, category or difficulty that results do not have.

    Args:
        chosen: By kind, the name (None for all) and the names that there are.

    Raises:
        InputError: Naming the likeliest.
    """
    for kind, (name, known) in chosen.items():
        if name is not None and name not in known:
            raise build_unknown_name_error(kind, name, list(known))


def refuse_condition(instances: Sequence[Instance], category: str | None, difficulty: str | None) -> None:
    """Refuse a category or difficulty that no instance has; None stands for all.

    Raises:
        InputError: Naming the likeliest.
    """
    refuse_unknown(
        category=(category, sorted({instance.category for instance in instances})),
        difficulty=(difficulty, sorted({instance.difficulty for instance in instances})),
    )


def find_held_runs(runs: Iterable[tuple[str, Provenance | None]], cleared: Collection[str] = ()) -> frozenset[str]:
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


def find_over_budget_runs(runs: Iterable[PlayedRun]) -> frozenset[str]:
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


def find_barred_columns(run_ids: Iterable[str], barred: Collection[str]) -> Sequence[int]:
    """Return the positions of runs that may have no rank among runs in the order of columns."""
    return [column for column, run_id in enumerate(run_ids) if run_id in barred]


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


def list_unranked_runs(runs: Sequence[RunFolder], judges: Sequence[str]) -> list[UnrankedRun]:
    """List the runs that lack results or ratings for a rank over all pictures by some of the judges.

    Args:
        runs: Run folders.
        judges: Names of judges that have scored them.

    Raises:
        InputError: A run is damaged.
    """
    # A judge that a run does not know rates nothing of its targets.
    gaps = (_find_gap(run, judge) for run in map(PlayedRun, runs) for judge in judges if judge in run.judges)
    return [gap for gap in gaps if gap is not None]


def _find_gap(run: PlayedRun, judge: str) -> UnrankedRun | None:
    run_id, scope = run.run.run_id, find_scopes([judge], run.judges)[judge]
    (coverage,) = count_coverage(judge_ratings(run.instances.instances, {run_id: run.results}, judge, scope))
    reason, words = coverage.unranked, coverage.unranked_words
    return (
        UnrankedRun(run_id, judge, reason, words)
        if words and reason in ("incomplete", "underrated", "unread")
        else None
    )
