"""The numbers of all episodes as arrays of instances × runs, and the conditions by which their rows are selected.

An array has NaN where a number is missing. A condition is a category and a difficulty, where None stands for all.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ircore.core.episode_records import UNKNOWN_COST, EpisodeCost
from ircore.core.records import Instance
from ircore.results.column import AMOUNTS, Amount, AmountOf
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.bootstrap import Ratios, estimate_ratios, resample
from ircore.results.statistics.intervals import Estimate, Scale

Condition = tuple[str | None, str | None]
"""Category and difficulty; None for all."""


class _Conditioned(Protocol):
    """An instance, an episode or a message, which is about a target of one category and one difficulty."""

    @property
    def category(self) -> str: ...

    @property
    def difficulty(self) -> str: ...


ItemT = TypeVar("ItemT", bound=_Conditioned)


def is_under(item: _Conditioned, category: str | None, difficulty: str | None) -> bool:
    """Return whether an instance, episode or message is of a category and a difficulty."""
    # Asked a million times for a site of many pairs, mostly with a condition that is None.
    return (category is None or item.category == category) and (difficulty is None or item.difficulty == difficulty)


def select_condition(items: Iterable[ItemT], category: str | None, difficulty: str | None) -> list[ItemT]:
    """Return the instances, episodes or messages of a category and a difficulty, in their order.

    Example:
        >>> from types import SimpleNamespace
        >>> targets = [SimpleNamespace(category="pie_graph", difficulty=level) for level in ("easy", "hard")]
        >>> [target.difficulty for target in select_condition(targets, None, "hard")]
        ['hard']
    """
    return [item for item in items if is_under(item, category, difficulty)]


def conditions(items: Sequence[_Conditioned]) -> dict[Condition, list[int]]:
    """Return the rows of every condition that has an instance."""
    rows: dict[Condition, list[int]] = {}
    for row, item in enumerate(items):
        # Each instance counts under four conditions: its own, its category, its difficulty, and all.
        for condition in product((item.category, None), (item.difficulty, None)):
            rows.setdefault(condition, []).append(row)
    return rows


def spread_conditions(values: NDArray[Any], inside: NDArray[np.bool_], empty: float = np.nan) -> NDArray[Any]:
    """Repeat columns for each condition, with ``empty`` outside of it.

    Args:
        values: Shape (instances, columns, …).
        inside: Whether an instance is of a condition, shape (instances, conditions).
        empty: Stands for an instance of another condition.

    Returns:
        Shape (instances, conditions × columns, …), the columns of the first condition first.
    """
    chosen = inside.reshape(*inside.shape, *[1] * (values.ndim - 1))
    every = np.where(chosen, values[:, None], np.asarray(empty, values.dtype))
    return every.reshape(len(values), -1, *values.shape[2:])


def strata(items: Iterable[_Conditioned]) -> list[str]:
    """Return the condition of each instance: the stratum within which resampling draws instances again."""
    return [f"{item.category} {item.difficulty}" for item in items]


def sort_names(names: set[str], order: Sequence[str]) -> tuple[str, ...]:
    """Return categories or difficulties in the order of the known ones, unknown ones last by name.

    >>> sort_names({"charts", "hard", "easy"}, ("easy", "hard"))
    ('easy', 'hard', 'charts')
    """
    return tuple(name for name in order if name in names) + tuple(sorted(names.difference(order)))


Array = NDArray[np.float64]
"""Shape (instances, runs)."""


@dataclass(frozen=True)
class Amounts:
    """What the episodes of runs took: the dividends and divisors of a mean."""

    of: Array
    """Amount of each episode; NaN where it is unknown."""

    per: Array | None
    """What sums are divided by; the number of episodes if None."""


def arrange_amounts(
    instances: Sequence[Instance],
    episodes: Mapping[str, Sequence[EpisodeResult]],
    costs: Mapping[str, Mapping[str, EpisodeCost]],
) -> dict[str, Amounts]:
    """Arrange what episodes took by instance and run, for each of ``AMOUNTS`` by its key.

    Args:
        instances: The whole set.
        episodes: By run_id.
        costs: By run_id, then by episode_id.
    """

    def array(amount: Amount, of: AmountOf, empty: float = np.nan) -> Array:
        def value(result: EpisodeResult) -> float | None:
            if amount.which == "played" and not result.played:
                return None
            known = of(result, costs.get(result.run_id, {}).get(result.episode.episode_id, UNKNOWN_COST))
            # Not None: a mean over the known amounts of an instance would pass for that of all its episodes.
            return np.nan if known is None and amount.whole else known

        return arrange_values(instances, episodes.values(), value, empty)

    ended = arrange_values(instances, episodes.values(), lambda _: 1.0, 0.0) > 0
    arranged: dict[str, Amounts] = {}
    for amount in AMOUNTS:
        # Zero, not NaN: shares divide sums, to which an unplayed episode adds nothing.
        empty = np.nan if amount.per is None else 0.0
        of = array(amount, amount.of, empty)
        per = None if amount.per is None else array(amount, amount.per, empty)
        arranged[amount.column.key] = Amounts(_drop_incomplete_runs(of, ended) if amount.whole else of, per)
    return arranged


def arrange_deltas(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judges: Sequence[str]
) -> dict[str, Array]:
    """Arrange ΔQ, −10 to 10, by instance and run, for each judge by name.

    Args:
        instances: The whole set.
        episodes: By run_id.
        judges: Whose ratings.
    """

    def delta(judge: str, result: EpisodeResult) -> float | None:
        return result.judged[judge].delta if judge in result.judged else None

    return {judge: arrange_values(instances, episodes.values(), partial(delta, judge)) for judge in judges}


def arrange_values(
    instances: Sequence[Instance],
    episodes: Collection[Sequence[EpisodeResult]],
    value: Callable[[EpisodeResult], float | None],
    empty: float = np.nan,
) -> Array:
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


def _drop_incomplete_runs(amounts: Array, ended: NDArray[np.bool_]) -> Array:
    """Leave out the amounts of a run if that of an ended episode is unknown."""
    return np.where((np.isnan(amounts) & ended).any(axis=0), np.nan, amounts)


def compute_target_means(scores: Array) -> Array:
    """Return the mean of each row as a column, NaN where it has no value; rows are targets.

    >>> compute_target_means(np.array([[1.0, 3.0], [np.nan, np.nan]])).tolist()
    [[2.0], [nan]]
    """
    known = ~np.isnan(scores).all(axis=1)
    means = np.full((len(scores), 1), np.nan)
    # Rows without any value are left out: NumPy warns of the mean of nothing. In C order, in which NumPy adds each row
    # as it adds that row alone: other orders differ in the last bit.
    means[known, 0] = np.nanmean(np.ascontiguousarray(scores[known]), axis=1)
    return means


def estimate_target_mean(scores: Array, instances: Sequence[Instance], scale: Scale) -> Estimate:
    """Estimate the mean over targets of the mean of each row that has a value; rows are the instances.

    >>> from ircore.results.statistics.intervals import SCORE
    >>> estimate_target_mean(np.empty((0, 2)), [], SCORE)  # a set without a category that is asked for
    Estimate(mean=None, low=None, high=None, n=0)
    """
    return estimate_run_means(compute_target_means(scores), instances, scale)[0]


def estimate_run_means(scores: Array, instances: Sequence[Instance], scale: Scale) -> list[Estimate]:
    """Estimate the mean of each column over the targets that have a value in it; rows are the instances."""
    if not instances:
        return [Estimate(None, None, None, 0)] * scores.shape[1]
    return estimate_ratios(Ratios.means(scores), resample(strata(instances)), scale)
