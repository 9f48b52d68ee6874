"""Means of the measures that a game declares, with intervals over instances."""

from collections.abc import Sequence
from math import inf
from statistics import fmean
from typing import Any

import numpy as np

from ircore.core.records import Instance
from ircore.games.base import Game, Measure
from ircore.results.arrays import strata
from ircore.results.judge_ratings import PENDING, REFUSED, Floats, judge_ratings
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.bootstrap import Ratios, Resamples, estimate_contrasts, estimate_ratios, resample
from ircore.results.statistics.comparison import estimate_bounded_means
from ircore.results.statistics.intervals import Estimate, Scale


def scale_of(measure: Measure) -> Scale:
    """Return the possible values of a measure."""
    return Scale(*(measure.range or (-inf, inf)))


def measure_mean(game: Game[Any], run: PlayedRun, key: str, instances: Sequence[Instance]) -> Estimate:
    """Return the mean of a measure over a run's played episodes, in its unit; empty without values.

    Args:
        game: The game, with its measures.
        run: The run.
        key: Of one of these measures.
        instances: Those that count.

    Raises:
        KeyError: There is no such measure.
    """
    measures = {item.key: item for item in game.measures}
    measure = measures[key]
    if not instances:
        return Estimate(None, None, None, 0)
    drawn, scale = resample(strata(instances)), scale_of(measure)
    if measure.difference is not None:
        both = [measures[part] for part in measure.difference]
        known = np.hstack([_build_column(run, part, instances) for part in both])
        return _estimate_difference(known, drawn, scale_of(both[0]), scale)
    known = _build_column(run, measure, instances)
    if measure is not game.headline:
        return estimate_ratios(Ratios.means(known), drawn, scale)[0]
    # The headline decides ranks, so that its interval reaches to what missing values could be.
    ratings = judge_ratings(instances, {run.run.run_id: run.results}, key)
    missing = np.isin(ratings.status, (REFUSED, PENDING))
    ends = [np.where(missing, end, known) for end in (scale.lowest, scale.highest)]
    counts = [int(np.count_nonzero(~np.isnan(known)))]
    return estimate_bounded_means(ends[0], ends[1], Ratios.means(known).points, counts, drawn, scale)[0]


def _build_column(run: PlayedRun, measure: Measure, instances: Sequence[Instance]) -> Floats:
    """Return a column of a run's values of a measure, NaN where there is none, shape (instances, 1)."""
    values, by_instance = run.values(measure), dict[str, list[float]]()
    for episode in run.episodes:
        if episode.episode_id in values:
            by_instance.setdefault(episode.instance_id, []).append(values[episode.episode_id])
    # The mean over the episodes of an instance: each instance counts once.
    names = [instance.instance_id for instance in instances]
    return np.array([[fmean(by_instance[name]) if name in by_instance else np.nan] for name in names])


def _estimate_difference(known: Floats, drawn: Resamples, scale: Scale, scale_of_differences: Scale) -> Estimate:
    """Estimate the mean of the first column less that of the second; empty where a column has no value.

    Both are means over the episodes that have a value, which may be different episodes.
    """
    if np.isnan(known).all(axis=0).any():
        return Estimate(None, None, None, 0)
    ratios = Ratios.means(known)
    return estimate_contrasts(ratios, lambda rows: rows[:1] - rows[1:], drawn, scale, scale_of_differences)[0]
