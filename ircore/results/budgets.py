"""Effects of the token budget and of the prompts: runs of one pair that differ in that alone, side by side."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ircore.core.prompt_files import BUILT_IN
from ircore.core.records import GameRules
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
    return tuple(
        _BudgetSeries(group[0].describer, group[0].generator, _points(results, group, judge, category, difficulty))
        for group in _groups(results, _all_but_budget)
        if len({_budget(submission) for submission in group}) > 1
    )


def prompt_groups(results: Results) -> tuple[tuple[SubmissionResult, ...], ...]:
    """Return the runs of each pair that was played with several prompts: the built-in ones first, then by name.

    Runs belong together if their players with all their settings, the rules and the seed are the same.
    """
    return tuple(
        tuple(sorted(group, key=lambda entry: (not entry.run.prompts.startswith(f"{BUILT_IN} "), entry.run.prompts)))
        for group in _groups(results, lambda submission: (_rules(submission),))
        if len({submission.run.prompts for submission in group}) > 1
    )


def _rules(submission: SubmissionResult) -> GameRules:
    return submission.game.rules.model_validate(submission.run.rules)


def _budget(submission: SubmissionResult) -> int:
    """Return the tokens that a message may have; 0 in games that set no limit."""
    return getattr(_rules(submission), "token_budget", 0)


def _all_but_budget(submission: SubmissionResult) -> tuple[object, ...]:
    return _rules(submission).model_copy(update={"token_budget": 1}), submission.run.prompts


def _groups(results: Results, kept: Callable[[SubmissionResult], tuple[object, ...]]) -> list[list[SubmissionResult]]:
    """Return the runs in groups that share players, seed and what is kept."""
    groups: dict[str, list[SubmissionResult]] = {}
    for submission in results.submissions:
        run = submission.run
        pair = run.submission
        players = tuple(player.model_dump_json() for player in pair.players.values())
        groups.setdefault(repr((run.game, *players, *kept(submission), run.seed)), []).append(submission)
    return list(groups.values())


def _points(
    results: Results, group: Iterable[SubmissionResult], judge: str, category: str | None, difficulty: str | None
) -> tuple[_BudgetPoint, ...]:
    # By run as well, so that two runs under the same budget stand in the same order in every build.
    ordered = sorted(group, key=lambda submission: (_budget(submission), submission.run_id))
    return tuple(
        _BudgetPoint(_budget(submission), results.cell(submission.run_id, judge, category, difficulty))
        for submission in ordered
    )
