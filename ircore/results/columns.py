"""The numbers of all episodes as arrays of instances × runs, NaN where a number is missing."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.core.records import Instance
from ircore.results.conditions import strata
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from ircore.results.statistics.bootstrap import Ratios, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.scales import Scale

Column = NDArray[np.float64]
"""Shape (instances, runs)."""


@dataclass(frozen=True)
class Columns:
    """Values that cells average; rows as in the instance set, columns in the order of the runs.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> made = columns(results.instances, results.episodes, ["structural"], {run: {} for run in results.episodes})
        >>> made.turns.shape
        (2, 1)
    """

    delta: Mapping[str, Column]
    """By judge: ΔQ, −10 to 10."""

    turns: Column
    """Turns with a rendering, of played episodes."""

    tokens: Column
    """Tokens of the describer's messages, of played episodes."""

    seconds: Column
    """Seconds that both players took, of played episodes."""

    messages: Column
    """Number of messages; 0 for an episode that was not played."""

    over_budget: Column
    """Number of messages that exceed the token budget."""

    cost: Column
    """US dollars of each episode that has ended; all of a run's are NaN if one of them is not known."""


def columns(
    instances: Sequence[Instance],
    episodes: Mapping[str, Sequence[EpisodeResult]],
    judges: Sequence[str],
    costs: Mapping[str, Mapping[str, float | None]],
) -> Columns:
    """Arrange episodes by instance and run.

    Args:
        instances: The whole set.
        episodes: By run_id.
        judges: Whose ratings.
        costs: By run_id, then by episode_id: US dollars.
    """

    def column(value: Callable[[EpisodeResult], float | None], empty: float = np.nan) -> Column:
        return filled(instances, episodes.values(), value, empty)

    def played(value: Callable[[EpisodeResult], float | None]) -> Callable[[EpisodeResult], float | None]:
        return lambda result: value(result) if result.played else None

    def judged(judge: str, value: Callable[[JudgedEpisode], float | None]) -> Callable[[EpisodeResult], float | None]:
        return lambda result: value(result.judged[judge]) if judge in result.judged else None

    def cost(result: EpisodeResult) -> float | None:
        amount = costs.get(result.run_id, {}).get(result.episode.episode_id)
        # Not None: a mean over the known costs of an instance would pass for the cost of all its episodes.
        return np.nan if amount is None else amount

    return Columns(
        delta={judge: column(judged(judge, lambda judged: judged.delta)) for judge in judges},
        turns=column(played(lambda result: result.effort.steps)),
        tokens=column(played(lambda result: result.effort.tokens)),
        seconds=column(played(lambda result: result.effort.seconds)),
        # Zero, not NaN: shares divide sums of messages, to which an unplayed episode adds nothing.
        messages=column(played(lambda result: result.effort.messages), 0.0),
        over_budget=column(played(lambda result: result.effort.over_budget), 0.0),
        cost=_whole(column(cost), column(lambda _: 1.0, 0.0) > 0),
    )


def filled(
    instances: Sequence[Instance],
    episodes: Collection[Sequence[EpisodeResult]],
    value: Callable[[EpisodeResult], float | None],
    empty: float = np.nan,
) -> Column:
    """Arrange a number of each episode by instance and run; of several episodes of an instance the mean.

    Args:
        instances: The rows.
        episodes: Those of each run, in the order of the columns; episodes of other instances are passed over.
        value: Returns the number of an episode; None leaves the entry empty.
        empty: Stands where there is no number.
    """
    rows = {instance.instance_id: row for row, instance in enumerate(instances)}
    sums, counts = np.zeros((2, len(rows), len(episodes)))
    for index, results in enumerate(episodes):
        for result in results:
            amount = value(result)
            if amount is not None and result.episode.instance_id in rows:
                sums[rows[result.episode.instance_id], index] += amount
                counts[rows[result.episode.instance_id], index] += 1
    return np.where(counts > 0, sums / np.maximum(counts, 1), empty)


def _whole(cost: Column, ended: NDArray[np.bool_]) -> Column:
    """Leave out the costs of a run if any cost is unknown."""
    # A mean over the known costs alone would pass for the cost of the pair.
    return np.where((np.isnan(cost) & ended).any(axis=0), np.nan, cost)


def target_means(scores: Column) -> Column:
    """Return the mean of each row as a column, NaN where it has no value; rows are targets.

    >>> target_means(np.array([[1.0, 3.0], [np.nan, np.nan]])).tolist()
    [[2.0], [nan]]
    """
    known = ~np.isnan(scores).all(axis=1)
    means = np.full((len(scores), 1), np.nan)
    # Rows without any value are left out: NumPy warns of the mean of nothing. In C order, in which NumPy adds each row
    # as it adds that row alone: other orders differ in the last bit.
    means[known, 0] = np.nanmean(np.ascontiguousarray(scores[known]), axis=1)
    return means


def over_targets(scores: Column, instances: Sequence[Instance], scale: Scale) -> Estimate:
    """Estimate the mean over targets of the mean of each row that has a value; rows are the instances.

    >>> from ircore.results.statistics.scales import SCORE
    >>> over_targets(np.empty((0, 2)), [], SCORE)  # a set without a category that is asked for
    Estimate(mean=None, low=None, high=None, n=0)
    """
    if not instances:
        return Estimate(None, None, None, 0)
    return ratio_intervals(Ratios.means(target_means(scores)), resample(strata(instances)), scale)[0]
