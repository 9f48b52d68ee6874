"""Mean similarity turn by turn, in which an episode that has ended keeps its last score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ircore.results.arrays import select_condition, strata
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.intervals import SCORE, Estimate, estimate_grouped

KNOWN_SHARE = 0.9
"""A turn is shown if this share of the episodes has a score for it: otherwise a few odd ones would stand for all."""


@dataclass(frozen=True)
class TurnPoint:
    """Mean similarity of a group of episodes after a turn."""

    turn: int
    """1-based."""

    reached: Estimate
    """Similarity of each episode's latest rendering, 0–10; an episode that has ended keeps its last one."""

    refining: int
    """Number of episodes with a rendering at this turn."""


def average_trajectories(
    episodes: Iterable[EpisodeResult], judge: str, categories: Sequence[str | None], difficulty: str | None = None
) -> dict[str | None, tuple[TurnPoint, ...]]:
    """Average similarity turn by turn, by category.

    An episode that has ended keeps its last score. So every turn averages the same episodes: the line begins at the
    mean first score, ends at the mean final score, and does not drop because only hard episodes go on. An episode
    without a score at a turn that is shown is in no point.

    Args:
        episodes: Of one run.
        judge: Whose scores.
        categories: Categories of episodes, None for all episodes.
        difficulty: Only episodes of this difficulty.

    Returns:
        For each category one point a turn up to the longest episode's; turns whose scores are mostly unknown are left
        out.
    """
    tracks: dict[str | None, list[_Track]] = {category: [] for category in categories}
    chosen = select_condition(episodes, None, difficulty)
    for result, label in zip(chosen, strata(result.episode for result in chosen), strict=True):
        judged = result.judged.get(judge)
        if judged is not None and judged.final is not None:
            track = _Track(list(map(judged.trajectory.get, result.episode.renderings)), label)
            for category in (None, result.episode.category):
                if category in tracks:
                    tracks[category].append(track)
    curves = {category: _select_turns(of_category) for category, of_category in tracks.items()}
    means = iter(estimate_grouped([groups for curve in curves.values() for groups in curve.scores], SCORE))
    return {
        category: tuple(
            TurnPoint(turn, next(means), refining) for turn, refining in zip(curve.turns, curve.refining, strict=True)
        )
        for category, curve in curves.items()
    }


class _Track(NamedTuple):
    """An episode's scores turn by turn, None for a rendering without one, and the condition of its target."""

    scores: list[float | None]
    label: str


class _Curve(NamedTuple):
    """The scores of some episodes at the turns that are shown; the episodes are the same at all of them."""

    turns: Sequence[int]
    scores: Sequence[Sequence[Sequence[float]]]
    """At each turn those of all episodes, by the condition of their targets."""

    refining: Sequence[int]
    """Number of episodes with a rendering at each turn."""


def _select_turns(tracks: Sequence[_Track]) -> _Curve:
    """Return the turns at which most tracks have a score, with the tracks that have one at all of these turns."""
    longest = max((len(track.scores) for track in tracks), default=0)
    reached = zip(*(scores + scores[-1:] * (longest - len(scores)) for scores, _ in tracks), strict=True)
    # Turns between the first and the final one are rated only on request.
    shown = {
        turn: latest
        for turn, latest in enumerate(reached, start=1)
        if len(latest) - latest.count(None) >= KNOWN_SHARE * len(tracks)
    }
    # Each turn has a score for most episodes; the line is over those with a score at all of these turns.
    known = [
        (track, scores)
        for track, scores in zip(tracks, zip(*shown.values(), strict=True), strict=False)
        if None not in scores
    ]
    groups: dict[str, list[tuple[float, ...]]] = {}
    for track, scores in known:
        groups.setdefault(track.label, []).append(scores)
    return _Curve(
        list(shown),
        # Where no episode has a score at all of them, no turn has a mean.
        list(zip(*(zip(*group, strict=True) for group in groups.values()), strict=True)) or [()] * len(shown),
        [sum(len(track.scores) >= turn for track, _ in known) for turn in shown],
    )
