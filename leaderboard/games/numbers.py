"""Means of a game's measures by condition, by player and by step, each with its 95 % interval."""

from collections.abc import Callable, Iterable, Sequence
from math import fsum, inf

from ircore.core.game_records import GameEpisode
from ircore.games.base import Measure
from ircore.games.pages import Curve
from ircore.results.games import PlayedGameRun
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import Scale


def scale_of(measure: Measure) -> Scale:
    """Return the possible values of a measure."""
    return Scale(*(measure.range or (-inf, inf)))


def partner_mean(runs: Sequence[PlayedGameRun], measure: Measure) -> Estimate:
    """Return a player's mean over partners: of each instance the mean over its runs, then the mean over instances."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for name, value in run.values(measure).items():
            values.setdefault(name, []).append(value)
    return estimate([fsum(of_instance) / len(of_instance) for of_instance in values.values()], scale_of(measure))


def curve_points(run: PlayedGameRun, measure: Measure, curve: Curve) -> dict[int, Estimate]:
    """Return the points of a learning curve: the mean over episodes for each group of steps, in order.

    Within an episode the values of one group, such as those of one repetition, are averaged first, so that the interval
    is over episodes.

    Args:
        run: Values of one run.
        measure: Measure per step that the curve is of.
        curve: Declaration that says what steps are grouped by.
    """
    group = {episode.episode_id: _groups(episode, curve) for episode in run.episodes}
    values: dict[int, dict[str, list[float]]] = {}
    for score in run.scores:
        if score.measure == measure.key and score.step is not None and score.value is not None:
            place = group[score.episode_id](score.step)
            if place is not None:
                values.setdefault(place, {}).setdefault(score.episode_id, []).append(score.value)
    scale = scale_of(measure)
    return {place: estimate(_means(by_episode.values()), scale) for place, by_episode in sorted(values.items())}


def _groups(episode: GameEpisode, curve: Curve) -> Callable[[int], int | None]:
    """Return the function from the number of a step, 1-based, to its place on the axis; None where it has no place."""
    if not curve.over:
        return lambda step: step

    def place(step: int) -> int | None:
        value = episode.steps[step - 1].get(curve.over) if step <= len(episode.steps) else None
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return place


def _means(groups: Iterable[Sequence[float]]) -> list[float]:
    return [fsum(values) / len(values) for values in groups]
