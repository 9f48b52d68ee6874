"""Similarity of a group of episodes over the turns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ircore.games.reconstruction.records import turns_of
from ircore.results.conditions import strata, under
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import SCORE

KNOWN_SHARE = 0.9
"""A turn is shown if this share of the episodes has a score for it: otherwise a few odd ones would stand for all."""


@dataclass(frozen=True)
class _TurnPoint:
    """Mean similarity of a group of episodes after a turn."""

    turn: int
    """1-based."""

    reached: Estimate
    """Similarity of each episode's latest rendering, 0–10; an episode that has ended keeps its last one."""

    refining: int
    """Number of episodes with a rendering at this turn."""


def trajectories(
    episodes: Iterable[EpisodeResult], judge: str, categories: Sequence[str | None], difficulty: str | None = None
) -> dict[str | None, tuple[_TurnPoint, ...]]:
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
    for result in under(episodes, None, difficulty):
        judged = result.judged.get(judge)
        if judged is not None and judged.final is not None:
            track = _Track(_scores(result, judged), *strata([result.episode]))
            for category in {None, result.episode.category} & tracks.keys():
                tracks[category].append(track)
    return {category: _points(of_category) for category, of_category in tracks.items()}


class _Track(NamedTuple):
    """An episode's scores turn by turn, None for a rendering without one, and the condition of its target."""

    scores: list[float | None]
    label: str


def _points(tracks: Sequence[_Track]) -> tuple[_TurnPoint, ...]:
    """Return the mean of tracks turn by turn."""
    lengths, labels = [len(track.scores) for track in tracks], [track.label for track in tracks]
    longest = max(lengths, default=0)
    scores = [track.scores for track in tracks]
    reached = zip(*(track + track[-1:] * (longest - len(track)) for track in scores), strict=True)
    # Turns between the first and the final one are rated only on request.
    shown = {
        turn: latest
        for turn, latest in enumerate(reached, start=1)
        if len(latest) - latest.count(None) >= KNOWN_SHARE * len(tracks)
    }
    # Each turn has a score for most episodes; the line is over those with a score at all of these turns.
    same = [all(latest[episode] is not None for latest in shown.values()) for episode in range(len(tracks))]
    points = []
    for turn, latest in shown.items():
        known = [value if is_same else None for value, is_same in zip(latest, same, strict=True)]
        refining = sum(length >= turn for length, is_same in zip(lengths, same, strict=True) if is_same)
        points.append(_TurnPoint(turn, estimate(known, SCORE, labels), refining))
    return tuple(points)


def _scores(result: EpisodeResult, judged: JudgedEpisode) -> list[float | None]:
    """Return the score of each rendering in turn; None for a rendering without a score."""
    return [judged.trajectory.get(turn.turn) for turn in turns_of(result.episode) if turn.rendering is not None]
