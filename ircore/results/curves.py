"""Measures over steps: scores turn by turn, on a normalised axis from first to last, and learning curves of games.

A *series* is one episode's values, turn by turn, None where a rendering has none; ConvGenVisMo calls turns hops. Within
an episode of a learning curve the values of one group, such as those of one repetition, are averaged first, since
rounds of one game are no independent values. Intervals are over episodes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, TypeAlias

import numpy as np

from ircore.core.score_records import Score
from ircore.games.base import Curve, Ending, Measure, Measured, step_defaults
from ircore.results.arrays import select_condition, strata
from ircore.results.episodes import EpisodeResult
from ircore.results.measure_means import scale_of
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.bootstrap import Ratios, estimate_ratios, resample
from ircore.results.statistics.complete_cases import select_same_episodes
from ircore.results.statistics.intervals import OPEN, Estimate, Scale, estimate
from ircore.runs.episode import parse_payload

POINTS = 20
"""Places on the normalised axis: i / 19 for i = 0 … 19, as in ConvGenVisMo's ``build_interpolation``."""

Series: TypeAlias = Sequence[float | None]

TOO_FEW_REACH = "too few episodes have a value there"
"""Reason why a curve over the same episodes has no point at a place."""

SAME_EPISODES = "Over the same episodes at each turn: those that reach the last turn with a value."
"""Note on curves."""

WHOEVER_IS_LEFT = "Whoever is left: other episodes at each place, usually harder ones; no curve should be drawn of it."
"""Note on means over the episodes that have a value at a place."""


@dataclass(frozen=True)
class _TurnMeasure:
    """Mean of a measure at a turn, and over all renderings up to that turn."""

    turn: int
    """1-based; K of "@K"."""

    same: Estimate
    """Mean over the episodes that reach the last turn of the curve; no value at the turns after it."""

    at: Estimate
    """Mean over the episodes that have a value at this turn, other ones at each turn (ConvGenVisMo's mean by hop)."""

    latest: Estimate
    """Mean of each episode's last value up to this turn; an episode that has ended keeps its last one.

    Over the episodes that have a value from the first such turn on, so over the same ones at each turn."""

    best: Estimate
    """Mean of each episode's best value up to this turn, over the same episodes as ``latest``."""


def estimate_by_turn(
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
    known = [{turn: value for turn, value in enumerate(values, 1) if value is not None} for values in series]
    first = min((turn for values in known for turn in values), default=1)
    from_first = [values for values in known if first in values]
    first_labels = [label for values, label in zip(known, labels, strict=True) if first in values] if labels else ()
    curve = select_same_episodes(known)
    measures = []
    for turn in range(1, longest + 1):
        reached = [[values[earlier] for earlier in values if earlier <= turn] for values in from_first]
        measures.append(
            _TurnMeasure(
                turn,
                estimate(
                    [known[episode][turn] for episode in curve.episodes if turn in curve.places],
                    scale,
                    [labels[episode] for episode in curve.episodes if turn in curve.places] if labels else (),
                ),
                estimate([values.get(turn) for values in known], scale, labels),
                estimate([values[-1] if values else None for values in reached], scale, first_labels),
                estimate([best(values) if values else None for values in reached], scale, first_labels),
            )
        )
    return tuple(measures)


def normalise_series(values: Series, points: int = POINTS) -> tuple[float, ...]:
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


def estimate_normalised_means(
    series: Sequence[Series], scale: Scale = OPEN, labels: Sequence[str] = ()
) -> tuple[Estimate, ...]:
    """Return the mean over episodes and its interval at each place of the normalised axis.

    Args:
        series: One an episode; those without a value are passed over.
        scale: Which values are possible.
        labels: The condition of each episode, for the intervals.

    Returns:
        One estimate a place; none if no series has a value.
    """
    curves = [normalise_series(values) for values in series]
    if not any(curves):
        return ()
    return tuple(
        estimate([curve[place] if curve else None for curve in curves], scale, labels) for place in range(POINTS)
    )


def select_series(result: EpisodeResult, measure: str) -> Series:
    """Return the scores of an episode by a judge or an image metric, turn by turn."""
    # Names of judges and of metrics are told apart by who has values here.
    judged = result.judged.get(measure)
    values = judged.trajectory if judged is not None else result.metrics.get(measure, {})
    return [values.get(step) for step in result.episode.renderings]


@dataclass(frozen=True)
class SteppedEpisode:
    """The values of one episode, step by step, played by people or by a pair.

    Attributes:
        stratum: Condition of the instance: within one, episodes are drawn again.
        steps: Fields of each step's record.
        values: Of each measure per step, by its key and the number of the step, from 1.

    Example:
        >>> steps = [{"repetition": 1}, {"repetition": 1}]
        >>> episode = SteppedEpisode("shapes/easy", steps, {"correct": {1: 1.0, 2: 0.0}})
        >>> episode.by_place(Measure("correct", "Correct", range=(0, 1), per="step"), "repetition")
        {1: 0.5}
    """

    stratum: str
    steps: Sequence[Mapping[str, Any]]
    values: Mapping[str, Mapping[int, float]]

    def by_place(self, measure: Measure, over: str) -> dict[int, float]:
        """Return the mean of a measure for each group of steps with at least one value of the measure.

        Args:
            measure: Measure per step.
            over: Field of the step that numbers the groups; empty for the number of the step itself.
        """
        groups: dict[int, list[float]] = {}
        for step, value in self.values.get(measure.key, {}).items():
            if step > len(self.steps):
                continue
            place = self.steps[step - 1].get(over) if over else step
            # A truth value is an int to Python, and numbers no group.
            if isinstance(place, int) and not isinstance(place, bool):
                groups.setdefault(place, []).append(value)
        return {place: fsum(values) / len(values) for place, values in groups.items()}

    def on_curve(self, measure: Measure, curve: Curve) -> dict[int, float]:
        """Return the values at the places of a curve: groups of steps, or places 1 to 20 of the normalised axis."""
        if not curve.normalised:
            return self.by_place(measure, curve.over)
        return dict(enumerate(normalise_series(self.series(measure)), start=1))

    def series(self, measure: Measure) -> list[float | None]:
        """Return a measure step by step, None where a step has no value."""
        values = self.values.get(measure.key, {})
        return [values.get(step) for step in range(1, len(self.steps) + 1)]


def group_by_step(measured: Iterable[Score | Measured]) -> dict[str, dict[int, float]]:
    """Return the values of one episode by measure and step; values of the whole episode are left out."""
    values: dict[str, dict[int, float]] = {}
    for score in measured:
        if score.step is not None and score.value is not None:
            values.setdefault(score.measure, {})[score.step] = score.value
    return values


def run_episodes(
    results: Results, run: PlayedRun, category: str | None = None, difficulty: str | None = None
) -> tuple[SteppedEpisode, ...]:
    """Return the episodes of a run with the values of their steps; of one category or difficulty if one is given."""
    names = [instance.instance_id for instance in results.instances]
    conditions = dict(zip(names, strata(results.instances), strict=True))
    scores: dict[str, list[Score]] = {}
    for score in run.every_score:
        scores.setdefault(score.episode_id, []).append(score)
    defaults = step_defaults(results.game.step)
    return tuple(
        SteppedEpisode(
            conditions[episode.instance_id],
            [{**defaults, **step} for step in episode.steps],
            group_by_step(scores.get(episode.episode_id, ())),
        )
        for episode in select_condition(run.episodes, category, difficulty)
    )


def list_recorded_episodes(
    results: Results, category: str | None = None, difficulty: str | None = None
) -> tuple[SteppedEpisode, ...]:
    """Return people's games on the same instances; empty if the instances hold no recorded games.

    Measured exactly as runs are, so that people's curve stands beside theirs.

    Args:
        results: Of one game.
        category: Only games of this category; None for all.
        difficulty: Only games of this difficulty; None for both.
    """
    return tuple(_build_recorded_episodes(results, category, difficulty))


def _build_recorded_episodes(
    results: Results, category: str | None, difficulty: str | None
) -> Iterator[SteppedEpisode]:
    game, instances = results.game, results.every_run[0].instances
    # Recorded games were played to their end; the first outcome that counts as played stands for that.
    outcome = next(outcome.name for outcome in game.outcomes if outcome.played)
    chosen = select_condition(results.instances, category, difficulty)
    for instance, stratum in zip(chosen, strata(chosen), strict=True):
        payload = parse_payload(game, instances, instance)
        steps = game.list_recorded_steps(payload)
        if not steps:
            continue
        values = group_by_step(game.measure(payload, Ending(outcome, steps)))
        yield SteppedEpisode(stratum, [step.model_dump() for step in steps], values)


def compute_curve_points(episodes: Sequence[SteppedEpisode], measure: Measure, curve: Curve) -> dict[int, Estimate]:
    """Return the points of a learning curve: at each place the mean over the same episodes, with its interval.

    The episodes are those that reach the last place of the curve (``select_same_episodes``): a game that breaks off
    early is in no point, since the points before its end would be over other games than those behind it. Of repetitions
    only games count that have several, if any has.

    Intervals are those of every mean (``ircore.results.statistics.intervals``), so that a repetition without an error
    has an interval with a width, too.

    Args:
        episodes: Of one run, or of people.
        measure: Measure per step that the curve is of.
        curve: Declaration that says what steps are grouped by.
    """
    given = [(episode, episode.on_curve(measure, curve)) for episode in episodes]
    if curve.over == "repetition":
        # A game of one round repeats nothing: that there are many such does not end the curve of the others.
        given = [entry for entry in given if max(entry[1], default=0) > 1] or given
    same = select_same_episodes([means for _, means in given])
    places, chosen = same.places, [given[number] for number in same.episodes]
    if not places:
        return {}
    known = np.array([[means[place] for place in places] for _, means in chosen])
    # One value an episode, since rounds of one game are no independent values.
    drawn = resample([episode.stratum for episode, _ in chosen])
    return dict(zip(places, estimate_ratios(Ratios.means(known), drawn, scale_of(measure)), strict=True))


def estimate_partner_mean(runs: Sequence[PlayedRun], measure: Measure) -> Estimate:
    """Return a player's mean over partners: first over the runs of each instance, then over instances."""
    values: dict[str, list[float]] = {}
    labels: dict[str, str] = {}
    for run in runs:
        labels.update(zip((episode.episode_id for episode in run.episodes), strata(run.episodes), strict=True))
        for name, value in run.values(measure).items():
            values.setdefault(name, []).append(value)
    means = [fsum(of_instance) / len(of_instance) for of_instance in values.values()]
    return estimate(means, scale_of(measure), [labels[name] for name in values])
