"""Contribution of describers and of generators to the scores of runs."""

from dataclasses import dataclass

import numpy as np

from ircore.results.conditions import strata, under
from ircore.results.model import Results, SubmissionResult
from ircore.results.statistics.effects import Effects, complete_grid, decompose
from ircore.results.statistics.mixed import MixedEffects, Unavailable, mixed_effects
from ircore.results.subsets import rule_sets


@dataclass(frozen=True)
class PairEffects:
    """Effects of describers and generators on one judge's scores under one condition.

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
    """Means, effects, shares and dominance, with intervals by bootstrap over instances."""

    model: MixedEffects | Unavailable
    """The same by a mixed model, from every score of the grid."""


def pair_effects(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None, whole: bool = True
) -> PairEffects:
    """Separate the contributions of describers and generators.

    They are taken from the largest complete grid of describers × generators among the runs that were played under
    the rules that most runs share. Of several runs with the same two players the first by slug stands for them.

    Args:
        results: Of some runs.
        judge: One of ``results.judges``.
        category: Only this category of pictures.
        difficulty: Only this difficulty.
        whole: Whether the interaction of every pair and the mixed model are wanted too, which take long on a large
            grid.
    """
    # Backwards, so that of several runs of two players the first by slug is written last and stays.
    runs = {
        (submission.describer, submission.generator): submission.run_id for submission in reversed(same_rules(results))
    }
    describers, generators = complete_grid(tuple(sorted(runs)))
    if min(len(describers), len(generators)) < 2:
        reason = Unavailable("needs at least two describers and two generators, all crossed, under the same rules")
        return PairEffects(judge, category, difficulty, (), reason, reason)
    run_ids = tuple(runs[describer, generator] for describer in describers for generator in generators)
    chosen = under(results.instances, category, difficulty)
    finals = results.finals(judge, run_ids, chosen)
    scores = np.reshape(finals, (len(chosen), len(describers), len(generators)))
    decomposition = decompose(scores, describers, generators, strata(chosen), interaction=whole)
    return PairEffects(
        judge,
        category,
        difficulty,
        run_ids,
        decomposition or Unavailable("a pair of the grid has fewer than two scores"),
        mixed_effects(scores, describers, generators, strata(chosen)) if whole else Unavailable("not asked for"),
    )


def same_rules(results: Results) -> list[SubmissionResult]:
    """Return the runs that were played under the usual rules (``rule_sets``), in the order of the results."""
    # A slice, since without any run there is no set of rules either.
    usual = rule_sets(results)[:1]
    return [submission for submission in results.submissions if submission.run.rules in usual]
