"""Learning curves of games: means of measures per step over groups of steps, with intervals over episodes.

Within an episode the values of one group, such as those of one repetition, are averaged first, since rounds of one game
are no independent values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from ircore.core.score_records import Score
from ircore.games.base import Curve, Ending, Measure, Measured, step_defaults
from ircore.results.conditions import strata, under
from ircore.results.hops import normalised, same_episodes
from ircore.results.measure_means import scale_of
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.bootstrap import Ratios, ratio_intervals, resample
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.runs.episode import payload_of


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
        return dict(enumerate(normalised(self.series(measure)), start=1))

    def series(self, measure: Measure) -> list[float | None]:
        """Return a measure step by step, None where a step has no value."""
        values = self.values.get(measure.key, {})
        return [values.get(step) for step in range(1, len(self.steps) + 1)]


def by_step(measured: Iterable[Score | Measured]) -> dict[str, dict[int, float]]:
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
            by_step(scores.get(episode.episode_id, ())),
        )
        for episode in under(run.episodes, category, difficulty)
    )


def recorded_episodes(
    results: Results, category: str | None = None, difficulty: str | None = None
) -> tuple[SteppedEpisode, ...]:
    """Return people's games on the same instances; empty if the instances hold no recorded games.

    Measured exactly as runs are, so that people's curve stands beside theirs.

    Args:
        results: Of one game.
        category: Only games of this category; None for all.
        difficulty: Only games of this difficulty; None for both.
    """
    return tuple(_recorded(results, category, difficulty))


def _recorded(results: Results, category: str | None, difficulty: str | None) -> Iterator[SteppedEpisode]:
    game, instances = results.game, results.every_run[0].instances
    # Recorded games were played to their end; the first outcome that counts as played stands for that.
    outcome = next(outcome.name for outcome in game.outcomes if outcome.played)
    chosen = under(results.instances, category, difficulty)
    for instance, stratum in zip(chosen, strata(chosen), strict=True):
        payload = payload_of(game, instances, instance)
        steps = game.recorded_steps(payload)
        if not steps:
            continue
        values = by_step(game.measured(payload, Ending(outcome, steps)))
        yield SteppedEpisode(stratum, [step.model_dump() for step in steps], values)


def curve_points(episodes: Sequence[SteppedEpisode], measure: Measure, curve: Curve) -> dict[int, Estimate]:
    """Return the points of a learning curve: at each place the mean over the same episodes, with its interval.

    The episodes are those that reach the last place of the curve (``same_episodes``): a game that breaks off early is
    in no point, since the points before its end would be over other games than those behind it.

    Intervals are those of every mean (``ircore.results.statistics.intervals``), so that a repetition without an error
    has an interval with a width, too.

    Args:
        episodes: Of one run, or of people.
        measure: Measure per step that the curve is of.
        curve: Declaration that says what steps are grouped by.
    """
    means = [episode.on_curve(measure, curve) for episode in episodes]
    same = same_episodes(means)
    places = same.places
    if not places:
        return {}
    known = np.array([[means[number][place] for place in places] for number in same.episodes])
    # One value an episode, since rounds of one game are no independent values.
    drawn = resample([episodes[number].stratum for number in same.episodes])
    return dict(zip(places, ratio_intervals(Ratios.means(known), drawn, scale_of(measure)), strict=True))


def partner_mean(runs: Sequence[PlayedRun], measure: Measure) -> Estimate:
    """Return a player's mean over partners: first over the runs of each instance, then over instances."""
    values: dict[str, list[float]] = {}
    labels: dict[str, str] = {}
    for run in runs:
        labels.update(zip((episode.episode_id for episode in run.episodes), strata(run.episodes), strict=True))
        for name, value in run.values(measure).items():
            values.setdefault(name, []).append(value)
    means = [fsum(of_instance) / len(of_instance) for of_instance in values.values()]
    return estimate(means, scale_of(measure), [labels[name] for name in values])
