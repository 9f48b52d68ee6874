"""Effect of the token budget: runs of one pair that differ in the budget alone, side by side."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ircore.core.records import Run
from ircore.results.cell import Cell
from ircore.results.episodes import Convergence
from ircore.results.model import Results, SubmissionResult
from ircore.results.statistics.intervals import Estimate


@dataclass(frozen=True)
class _BudgetPoint:
    """A pair's results under a single token budget."""

    budget: int
    """Tokens that a message may have."""

    run_id: str
    """The run."""

    score: Estimate
    """Similarity of the final rendering, 0–10."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over episodes of two renderings or more."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1."""

    convergence: Mapping[Convergence, int]
    """Number of episodes that improved, stayed stable, regressed or had no refinement, as in the paper's Figure 6."""

    turns: Estimate
    """Turns with a rendering per played episode."""

    tokens: Estimate
    """Tokens of the describer's messages per played episode."""

    over_budget: Estimate
    """Share of messages that are over the budget, 0–1; ``n`` counts episodes."""


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
    points = (_point(submission, results.cell(submission.run_id, judge, category, difficulty)) for submission in group)
    return tuple(sorted(points, key=lambda point: (point.budget, point.run_id)))


def _point(submission: SubmissionResult, cell: Cell) -> _BudgetPoint:
    return _BudgetPoint(
        budget=submission.run.rules.token_budget,
        run_id=submission.run_id,
        score=cell.score,
        delta=cell.delta,
        preference=cell.preference,
        convergence=cell.convergence,
        turns=cell.turns,
        tokens=cell.tokens,
        over_budget=cell.over_budget,
    )
