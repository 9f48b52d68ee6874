"""The numbers of all episodes as arrays of instances × runs, NaN where there is none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.core.records import Instance
from ircore.results.episodes import EpisodeResult, JudgedEpisode

Column = NDArray[np.float64]
"""Shape (instances, runs)."""


@dataclass(frozen=True)
class Columns:
    """What cells are averages of; rows as in the instance set, columns as the runs were given."""

    final: Mapping[str, Column]
    """By judge: similarity of the final rendering, 0–10."""

    delta: Mapping[str, Column]
    """By judge: ΔQ, −10 to 10."""

    played: Column
    """1 for a played episode, 0 for an aborted one or none."""

    turns: Column
    """Turns with a rendering, of played episodes."""

    tokens: Column
    """Tokens of the describer's messages, of played episodes."""

    seconds: Column
    """Seconds that both players took, of played episodes."""

    messages: Column
    """How many messages; 0 for an episode that was not played."""

    over_budget: Column
    """How many of these exceed the token budget."""

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
    rows = {one.instance_id: row for row, one in enumerate(instances)}

    def column(value: Callable[[EpisodeResult], float | None], empty: float = np.nan) -> Column:
        made = np.full((len(rows), len(episodes)), empty)
        for index, results in enumerate(episodes.values()):
            for one in results:
                found = value(one)
                if found is not None and one.episode.instance_id in rows:
                    made[rows[one.episode.instance_id], index] = found
        return made

    def played(value: Callable[[EpisodeResult], float]) -> Callable[[EpisodeResult], float | None]:
        return lambda one: value(one) if one.episode.played else None

    def judged(judge: str, value: Callable[[JudgedEpisode], float | None]) -> Callable[[EpisodeResult], float | None]:
        return lambda one: value(one.judged[judge]) if judge in one.judged else None

    def cost(one: EpisodeResult) -> float | None:
        return costs.get(one.run_id, {}).get(one.episode.episode_id)

    return Columns(
        final={judge: column(judged(judge, lambda one: one.final)) for judge in judges},
        delta={judge: column(judged(judge, lambda one: one.delta)) for judge in judges},
        played=column(lambda one: float(one.episode.played), 0.0),
        turns=column(played(lambda one: len(one.episode.rendered_turns))),
        tokens=column(played(lambda one: one.tokens)),
        seconds=column(played(lambda one: one.seconds)),
        messages=column(played(_messages), 0.0),
        over_budget=column(played(lambda one: sum(turn.over_budget for turn in one.episode.turns)), 0.0),
        cost=_whole(column(cost), column(lambda _: 1.0, 0.0) > 0),
    )


def final_scores(instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judge: str) -> Column:
    """Return one judge's similarity of the final renderings alone, 0–10: what ``columns`` has under ``final``.

    Args:
        instances: Some of the set; its rows.
        episodes: By run_id; its columns.
        judge: Whose ratings.
    """
    rows = {one.instance_id: row for row, one in enumerate(instances)}
    made = np.full((len(rows), len(episodes)), np.nan)
    for index, results in enumerate(episodes.values()):
        for one in results:
            judged = one.judged.get(judge)
            if judged is not None and judged.final is not None and one.episode.instance_id in rows:
                made[rows[one.episode.instance_id], index] = judged.final
    return made


def _messages(one: EpisodeResult) -> float:
    return sum(turn.message is not None for turn in one.episode.turns)


def _whole(cost: Column, ended: NDArray[np.bool_]) -> Column:
    """Leave out the costs of a run of which one is not known."""
    return np.where((np.isnan(cost) & ended).any(axis=0), np.nan, cost)
