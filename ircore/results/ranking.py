"""Rows of the boards of all games: order, rank ranges, and which runs may stand on the same board."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ircore.core.errors import InputError
from ircore.core.plugins import unknown
from ircore.core.records import Instance
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.ranks import RankRange

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


def ranked_rows(
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
        >>> [(row.submission, row.rank_low) for row in ranked_rows(entries, by=float)]
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
            raise unknown(kind, name, list(known))


def refuse_condition(instances: Sequence[Instance], category: str | None, difficulty: str | None) -> None:
    """Refuse a category or difficulty that no instance has; None stands for all.

    Raises:
        InputError: Naming the likeliest.
    """
    refuse_unknown(
        category=(category, sorted({instance.category for instance in instances})),
        difficulty=(difficulty, sorted({instance.difficulty for instance in instances})),
    )
