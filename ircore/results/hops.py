"""Any measure over the turns of episodes: at each turn, up to turn K, and on a normalised axis from first to last.

A *series* is one episode's values, turn by turn, None where a rendering has none. ConvGenVisMo calls turns hops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import OPEN, Scale

POINTS = 20
"""Places on the normalised axis: i / 19 for i = 0 … 19, as in ConvGenVisMo's ``interpolation``."""

Series: TypeAlias = Sequence[float | None]


@dataclass(frozen=True)
class _TurnMeasure:
    """Mean of a measure at a turn, and over all renderings up to that turn."""

    turn: int
    """1-based; K of "@K"."""

    at: Estimate
    """Mean over the episodes that have a value at this turn (ConvGenVisMo's mean by hop)."""

    latest: Estimate
    """Mean of each episode's last value up to this turn; an episode that has ended keeps its last one."""

    best: Estimate
    """Mean of each episode's best value up to this turn."""


def by_turn(
    series: Sequence[Series], higher_is_better: bool = True, scale: Scale = OPEN, labels: Sequence[str] = ()
) -> tuple[_TurnMeasure, ...]:
    """Return a measure turn by turn.

    Args:
        series: One an episode; empty ones count nowhere.
        higher_is_better: Direction, which decides what is best.
        scale: Which values are possible, for the intervals.
        labels: The condition of each episode, for the intervals.

    Returns:
        One entry a turn, up to the longest series.
    """
    longest = max(map(len, series), default=0)
    best = max if higher_is_better else min
    measures = []
    for turn in range(1, longest + 1):
        reached = [[value for value in values[:turn] if value is not None] for values in series]
        at = [values[turn - 1] if len(values) >= turn else None for values in series]
        measures.append(
            _TurnMeasure(
                turn,
                estimate(at, scale, labels),
                estimate([values[-1] if values else None for values in reached], scale, labels),
                estimate([best(values) if values else None for values in reached], scale, labels),
            )
        )
    return tuple(measures)


def normalised(values: Series, points: int = POINTS) -> tuple[float, ...]:
    """Return a series on the axis from 0 (first turn) to 1 (last turn), interpolated linearly.

    Args:
        values: Of one episode. A turn without a value is bridged by its neighbours, at the ends by the nearest.
        points: Number of places, equally far apart, both ends included.

    Returns:
        ``points`` values; the same one throughout for a single turn; none for a series without a value.
    """
    # A single turn stands at 0, and is carried on to the end by the interpolation.
    places = np.linspace(0, 1, len(values)) if len(values) > 1 else np.zeros(len(values))
    known = [(place, value) for place, value in zip(places, values, strict=True) if value is not None]
    if not known:
        return ()
    xs, ys = zip(*known, strict=True)
    return tuple(np.interp(np.linspace(0, 1, points), xs, ys).tolist())


def normalised_means(series: Sequence[Series], scale: Scale = OPEN, labels: Sequence[str] = ()) -> tuple[Estimate, ...]:
    """Return the mean over episodes and its interval at each place of the normalised axis.

    Args:
        series: One an episode; those without a value are passed over.
        scale: Which values are possible.
        labels: The condition of each episode, for the intervals.

    Returns:
        One estimate a place; none if no series has a value.
    """
    curves = [normalised(values) for values in series]
    if not any(curves):
        return ()
    return tuple(
        estimate([curve[place] if curve else None for curve in curves], scale, labels) for place in range(POINTS)
    )


def series_of(result: EpisodeResult, measure: str) -> Series:
    """Return the scores of an episode by a judge or an image metric, turn by turn."""
    # Names of judges and of metrics are told apart by who has values here.
    judged = result.judged.get(measure)
    values = judged.trajectory if judged is not None else result.metrics.get(measure, {})
    return [values.get(turn.turn) for turn in result.episode.rendered_turns]
