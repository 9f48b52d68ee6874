"""Scores of each describer or generator, averaged over all partners in the runs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ircore.results.arrays import strata, under
from ircore.results.effects import same_rules
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import SCORE, Ratios, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate


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


def player_result(results: Results, role: str, label: str, judge: str) -> PlayerResult:
    """Average a player over its partners, each partner counting the same.

    Only instances that all its runs have a score for are taken, so that every partner is seen on the same pictures;
    the interval is over these instances. Of several runs with one partner the first by slug is taken.

    Args:
        results: Of some runs.
        role: Its seat.
        label: Its label; with none of its runs under the rules that most runs share, there is no mean.
        judge: One of ``results.judges``.
    """
    run_ids = player_runs(results, role, label)
    return PlayerResult(
        role,
        label,
        run_ids,
        _mean(results, run_ids, judge, None),
        {category: _mean(results, run_ids, judge, category) for category in results.categories},
        {
            category: {
                difficulty: _mean(results, run_ids, judge, category, difficulty)
                for difficulty in results.difficulties
                if under(results.instances, category, difficulty)
            }
            for category in results.categories
        },
    )


def player_runs(results: Results, role: str, label: str) -> tuple[str, ...]:
    """Return a player's runs under the rules that most runs share: with each partner the first by slug."""
    partners: dict[str, str] = {}
    for submission in same_rules(results):
        own, partner = (
            (submission.describer, submission.generator)
            if role == "describer"
            else (submission.generator, submission.describer)
        )
        if own == label:
            # Submissions are in the order of their slugs, so the first run with a partner stays.
            partners.setdefault(partner, submission.run_id)
    return tuple(partners.values())


def _mean(
    results: Results, run_ids: tuple[str, ...], judge: str, category: str | None, difficulty: str | None = None
) -> Estimate:
    if not run_ids:
        return Estimate(None, None, None, 0)
    chosen = under(results.instances, category, difficulty)
    finals = results.finals(judge, run_ids, chosen)
    # A mean with a gap is a gap: an instance counts only if every partner has a score for it.
    (estimate,) = ratio_intervals(Ratios.means(np.mean(finals, axis=1, keepdims=True)), resample(strata(chosen)), SCORE)
    return estimate
