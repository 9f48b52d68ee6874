"""Effect of the token budget: runs of one pair that differ in the budget alone, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ircore.core.submission_records import Run
from ircore.results.cell import Cell
from ircore.results.model import Results, SubmissionResult


class _BudgetPoint(NamedTuple):
    """A pair's results under a single token budget."""

    budget: int
    """Tokens that a message may have."""

    cell: Cell
    """The numbers of the run."""


@dataclass(frozen=True)
class _BudgetSeries:
    """A pair's results under several token budgets, side by side."""

    describer: str
    """The describer's label."""

    generator: str
    """The generator's label."""

    points: tuple[_BudgetPoint, ...]
    """By budget, smallest first; at least two."""


def budget_series(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> tuple[_BudgetSeries, ...]:
    """Compare token budgets.

    Runs belong together if their players with all their settings, the other rules, the prompts and the seed are the
    same. A pair that was played under one budget only is left out.

    Args:
        results: Of some runs.
        judge: Whose scores.
        category: Only this category of pictures.
        difficulty: Only this difficulty.

    Raises:
        KeyError: There is no such judge or condition.
    """
    groups: dict[str, list[SubmissionResult]] = {}
    for submission in results.submissions:
        groups.setdefault(_all_but_budget(submission.run), []).append(submission)
    return tuple(
        _BudgetSeries(group[0].describer, group[0].generator, _points(results, group, judge, category, difficulty))
        for group in groups.values()
        if len({submission.run.rules.token_budget for submission in group}) > 1
    )


def _all_but_budget(run: Run) -> str:
    """Return the key that two runs must share so that they differ in the token budget alone."""
    rules, pair = run.rules, run.submission
    players = (pair.describer.model_dump_json(), pair.generator.model_dump_json())
    return repr((run.game, *players, rules.max_turns, rules.over_budget, rules.variants, run.prompts, run.seed))


def _points(
    results: Results, group: Iterable[SubmissionResult], judge: str, category: str | None, difficulty: str | None
) -> tuple[_BudgetPoint, ...]:
    # By run as well, so that two runs under the same budget stand in the same order in every build.
    ordered = sorted(group, key=lambda submission: (submission.run.rules.token_budget, submission.run_id))
    return tuple(
        _BudgetPoint(submission.run.rules.token_budget, results.cell(submission.run_id, judge, category, difficulty))
        for submission in ordered
    )
