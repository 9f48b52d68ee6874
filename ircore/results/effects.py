"""Effects on the scores of runs: of the players of each seat, of the token budget, and of the prompts.

Players are compared in two ways: by the contributions of both seats in a full grid of pairs, and by the scores of each
player, averaged over all its partners. Budgets and prompts are compared between runs of one pair that differ in that
alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ircore.core.files import BUILT_IN
from ircore.core.records import GameRules, Instance
from ircore.results.arrays import select_condition, strata
from ircore.results.cells import Cell
from ircore.results.model import Results, SubmissionResult
from ircore.results.statistics.bootstrap import SCORE, Ratios, estimate_ratios, resample
from ircore.results.statistics.effects import Effects, decompose, find_complete_grid
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.mixed import MixedEffects, Unavailable, fit_mixed_effects
from ircore.results.statistics.resamples import Floats

NO_GRID = Unavailable("needs at least two players in each of two seats, all crossed, under the same rules")
"""Stands in place of the effects of runs without a complete grid."""


@dataclass(frozen=True)
class PlayerGrid:
    """Players of two seats of which every pair was played.

    >>> PlayerGrid(("seer", "teller"), ("painter", "sketcher"), ("a-1", "b-1", "c-1", "d-1")).run_ids[-1]
    'd-1'
    """

    describers: tuple[str, ...]
    """Labels of the first seat's players, sorted."""

    generators: tuple[str, ...]
    """Labels of the second seat's players, sorted."""

    run_ids: tuple[str, ...]
    """A run of each pair, first player by first player."""


@dataclass(frozen=True)
class PairEffects:
    """Effects of the players of two seats on one judge's scores under one condition.

    Example:
        >>> nothing = Unavailable("fewer than two describers")
        >>> PairEffects("structural", None, None, ("a-1",), decomposition=nothing, model=nothing).model.reason
        'fewer than two describers'
    """

    judge: str
    """Judge whose scores are decomposed."""

    category: str | None
    """Only this category; None for all."""

    difficulty: str | None
    """Only this difficulty; None for both."""

    run_ids: tuple[str, ...]
    """Runs of the grid, describer by describer; empty if there is no grid."""

    decomposition: Effects | Unavailable
    """Means, effects, shares and dominance, with intervals over instances."""

    model: MixedEffects | Unavailable
    """The same by a mixed model, from every score of the grid."""


def pair_effects(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> PairEffects:
    """Separate the contributions of the players of two seats, interactions and the mixed model included.

    Args:
        results: Of some runs.
        judge: One of ``results.judges``.
        category: Only this category of pictures.
        difficulty: Only this difficulty.
    """
    grid = find_player_grid(results)
    if not grid.run_ids:
        return PairEffects(judge, category, difficulty, (), NO_GRID, NO_GRID)
    chosen = select_condition(results.instances, category, difficulty)
    return PairEffects(
        judge,
        category,
        difficulty,
        grid.run_ids,
        estimate_grid_effects(results, grid, judge, category, difficulty, interaction=True),
        fit_mixed_effects(
            _arrange_scores(results, grid, judge, chosen), grid.describers, grid.generators, strata(chosen)
        ),
    )


def find_player_grid(results: Results) -> PlayerGrid:
    """Return the largest complete grid of the players of two crossed seats; an empty one if a side has fewer than two.

    It is taken among the runs that were played under the rules that most runs share.
    """
    if results.crossed is None:
        return PlayerGrid((), (), ())
    runs = list_usual_pairs(results, next(iter(results.judges), None))
    describers, generators = find_complete_grid(tuple(runs))
    if min(len(describers), len(generators)) < 2:
        return PlayerGrid((), (), ())
    run_ids = tuple(runs[describer, generator] for describer in describers for generator in generators)
    return PlayerGrid(describers, generators, run_ids)


def estimate_grid_effects(
    results: Results,
    grid: PlayerGrid,
    judge: str,
    category: str | None = None,
    difficulty: str | None = None,
    interaction: bool = False,
) -> Effects | Unavailable:
    """Return the effects of the players of a grid, with intervals over instances.

    Args:
        results: Of some runs.
        grid: Their ``find_player_grid``.
        judge: One of ``results.judges``.
        category: Only this category of pictures.
        difficulty: Only this difficulty.
        interaction: Whether the interaction of every pair is wanted too, which takes long on a large grid.
    """
    if not grid.run_ids:
        return NO_GRID
    chosen = select_condition(results.instances, category, difficulty)
    scores = _arrange_scores(results, grid, judge, chosen)
    effects = decompose(scores, grid.describers, grid.generators, strata(chosen), interaction)
    return effects or Unavailable("a pair of the grid has fewer than two scores")


def select_usual_runs(results: Results) -> list[SubmissionResult]:
    """Return the runs that were played under the usual rules (``rule_sets``), in the order of the results."""
    rule_sets = results.rule_sets
    if len(rule_sets) < 2:
        return list(results.submissions)
    return [submission for submission in results.submissions if submission.rules == rule_sets[0]]


def list_usual_pairs(results: Results, judge: str | None) -> dict[tuple[str, str], str]:
    """Return the run of every two players of the crossed seats under the usual rules, the best pair first.

    Of several runs with the same two players the first by slug stands for them.

    Args:
        results: Of a game with two crossed seats.
        judge: By whose main score pairs are ordered; by name if None, and where main scores are equal.
    """
    # Backwards, so that of several runs of two players the first by slug is written last and stays.
    runs = {results.crossed_players[entry.run_id]: entry.run_id for entry in reversed(select_usual_runs(results))}
    cells = {pair: results.cells.get((run_id, None, None, judge or "")) for pair, run_id in runs.items()}
    mains = {pair: cell and cell.main.mean for pair, cell in cells.items()}
    return {pair: runs[pair] for pair in sorted(runs, key=lambda pair: (-(mains[pair] or 0), pair))}


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


def compare_budgets(
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
        _BudgetSeries(
            group[0].describer, group[0].generator, _list_budget_points(results, group, judge, category, difficulty)
        )
        for group in _group_runs(results, _list_other_settings)
        if len({_get_token_budget(submission) for submission in group}) > 1
    )


def group_by_prompts(results: Results) -> tuple[tuple[SubmissionResult, ...], ...]:
    """Return the runs of each pair that was played with several prompts: the built-in ones first, then by name.

    Runs belong together if their players with all their settings, the rules and the seed are the same.
    """
    return tuple(
        tuple(sorted(group, key=lambda entry: (not entry.run.prompts.startswith(f"{BUILT_IN} "), entry.run.prompts)))
        for group in _group_runs(results, lambda submission: (_parse_rules(submission),))
        if len({submission.run.prompts for submission in group}) > 1
    )


@dataclass(frozen=True)
class PlayerResult:
    """A judge's view of one player, averaged over all the player's partners.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> player = PlayerResult("describer", "gpt-5.2", ("a-1", "b-2"), Estimate(8.1, 7.9, 8.3, 280), {}, {})
        >>> player.score.mean
        8.1
    """

    role: str
    """Role of the player: describer or generator."""

    label: str
    """Label of the player."""

    run_ids: tuple[str, ...]
    """The runs that are averaged: one a partner, under the rules that most runs share."""

    score: Estimate
    """Mean final score over partners, 0–10; ``n`` counts the instances that every one of the runs has a score for."""

    by_category: Mapping[str, Estimate]
    """The same within each category of pictures."""

    by_condition: Mapping[str, Mapping[str, Estimate]]
    """The same within each category and difficulty that has pictures, by category, then by difficulty."""


def average_player(results: Results, role: str, label: str, judge: str) -> PlayerResult:
    """Average a player over its partners, each partner counting the same.

    Only instances that all its runs have a score for are taken, so that every partner is seen on the same pictures;
    the interval is over these instances. Of several runs with one partner the first by slug is taken.

    Args:
        results: Of some runs.
        role: Its seat.
        label: Its label; with none of its runs under the rules that most runs share, there is no mean.
        judge: One of ``results.judges``.
    """
    run_ids = select_player_runs(results, role, label)
    return PlayerResult(
        role,
        label,
        run_ids,
        _estimate_mean(results, run_ids, judge, None),
        {category: _estimate_mean(results, run_ids, judge, category) for category in results.categories},
        {
            category: {
                difficulty: _estimate_mean(results, run_ids, judge, category, difficulty)
                for difficulty in results.difficulties
                if select_condition(results.instances, category, difficulty)
            }
            for category in results.categories
        },
    )


def select_player_runs(results: Results, role: str, label: str) -> tuple[str, ...]:
    """Return a player's runs under the rules that most runs share: with each partner the first by slug."""
    partners: dict[str, str] = {}
    for submission in select_usual_runs(results):
        own, partner = (
            (submission.describer, submission.generator)
            if role == "describer"
            else (submission.generator, submission.describer)
        )
        if own == label:
            # Submissions are in the order of their slugs, so the first run with a partner stays.
            partners.setdefault(partner, submission.run_id)
    return tuple(partners.values())


def _arrange_scores(results: Results, grid: PlayerGrid, judge: str, instances: Sequence[Instance]) -> Floats:
    """Return final scores, shape (instances, describers, generators)."""
    finals = results.finals(judge, grid.run_ids, instances)
    return np.reshape(finals, (len(instances), len(grid.describers), len(grid.generators)))


def _parse_rules(submission: SubmissionResult) -> GameRules:
    return submission.game.rules.model_validate(submission.run.rules)


def _get_token_budget(submission: SubmissionResult) -> int:
    """Return the tokens that a message may have; 0 in games that set no limit."""
    return getattr(_parse_rules(submission), "token_budget", 0)


def _list_other_settings(submission: SubmissionResult) -> tuple[object, ...]:
    return _parse_rules(submission).model_copy(update={"token_budget": 1}), submission.run.prompts


def _group_runs(
    results: Results, kept: Callable[[SubmissionResult], tuple[object, ...]]
) -> list[list[SubmissionResult]]:
    """Return the runs in groups that share players, seed and what is kept."""
    groups: dict[str, list[SubmissionResult]] = {}
    for submission in results.submissions:
        run = submission.run
        pair = run.submission
        players = tuple(player.model_dump_json() for player in pair.players.values())
        groups.setdefault(repr((run.game, *players, *kept(submission), run.seed)), []).append(submission)
    return list(groups.values())


def _list_budget_points(
    results: Results, group: Iterable[SubmissionResult], judge: str, category: str | None, difficulty: str | None
) -> tuple[_BudgetPoint, ...]:
    # By run as well, so that two runs under the same budget stand in the same order in every build.
    ordered = sorted(group, key=lambda submission: (_get_token_budget(submission), submission.run_id))
    return tuple(
        _BudgetPoint(_get_token_budget(submission), results.cell(submission.run_id, judge, category, difficulty))
        for submission in ordered
    )


def _estimate_mean(
    results: Results, run_ids: tuple[str, ...], judge: str, category: str | None, difficulty: str | None = None
) -> Estimate:
    if not run_ids:
        return Estimate(None, None, None, 0)
    chosen = select_condition(results.instances, category, difficulty)
    finals = results.finals(judge, run_ids, chosen)
    # A mean with a gap is a gap: an instance counts only if every partner has a score for it.
    (estimate,) = estimate_ratios(Ratios.means(np.mean(finals, axis=1, keepdims=True)), resample(strata(chosen)), SCORE)
    return estimate
