"""Measures of a game on its pages: their scales, and means as they are drawn."""

from collections.abc import Sequence
from dataclasses import replace
from math import floor, log10

from ircore.games.base import Measure
from ircore.results.statistics.intervals import Estimate, are_too_few
from leaderboard.model.section import GameSection


def measure(section: GameSection, key: str) -> Measure:
    """Return a measure of a game by its key; the game's declarations guarantee that the key exists."""
    return next(measure for measure in section.game.measures if measure.key == key)


def compute_similarity(measure: Measure, value: float | None) -> float | None:
    """Map a value to 0 (worst) to 10 (best) on its measure's range; None without value or range."""
    if value is None or measure.bounds is None:
        return None
    low, high = measure.bounds
    place = 10 * (value - low) / (high - low)
    return place if measure.direction == "higher" else 10 - place


def drop_weak_interval(mean: Estimate) -> Estimate:
    """Return a mean as it is drawn: without an interval where that rests on too few instances."""
    return replace(mean, low=None, high=None) if are_too_few(mean.n) else mean


def scale_ends(measure: Measure, means: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of the scale that a measure is drawn on: its range, else round numbers around 0 and the values.

    An interval alone brings no negative end: of lengths and counts it can reach below 0, the values cannot.
    """
    if measure.bounds is not None:
        return measure.bounds
    values = [mean.mean for mean in means if mean.mean is not None]
    highs = [high for mean in means if (high := drop_weak_interval(mean).high) is not None]
    # Less from 0, since a negated 0 would be written with a minus sign.
    low, high = min([0.0, *values]), max([0.0, *values, *highs])
    return (0.0 - _round_end(-low), _round_end(high)) if high > low else (0.0, 1.0)


def _round_end(end: float) -> float:
    """Return the least of 1, 2, 4, 6 and 8 times a power of ten that is not below ``end``; 0 for 0."""
    if end <= 0:
        return 0.0
    power = 10.0 ** floor(log10(end))
    return next(times * power for times in (1, 2, 4, 6, 8, 10) if times * power >= end)
