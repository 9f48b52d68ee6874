"""What the judges and metrics made of one episode: first and final score, their difference, the trajectory."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ircore.records import Episode, Score, Task

Convergence = Literal["improved", "stable", "regressed", "no_refinement"]

CONVERGENCES: tuple[Convergence, ...] = ("improved", "stable", "regressed", "no_refinement")
"""In the order in which figures stack them."""


@dataclass(frozen=True)
class JudgedEpisode:
    """One played episode as one judge sees it."""

    judge: str
    """The judge's name."""

    first: float | None
    """Similarity of the first rendering to the target, 0–10; None if the judge gave none."""

    final: float | None
    """Similarity of the last rendering, 0–10; equals ``first`` in an episode of one rendering."""

    delta: float | None
    """ΔQ = final − first, −10 to 10; None in an episode of one rendering, or if either is missing."""

    convergence: Convergence | None
    """``no_refinement`` for one rendering, else the sign of ``delta``; None if ``delta`` cannot be known."""

    preference: float | None
    """1 if the final rendering is preferred to the first, 0 if the first, 0.5 for a tie; None if not asked."""

    trajectory: Mapping[int, float]
    """Similarity per turn (1-based), in the order of the turns; only turns that were scored."""


@dataclass(frozen=True)
class EpisodeResult:
    """One episode with everything that was computed about it."""

    run_id: str
    """The run it belongs to."""

    slug: str
    """The submission's slug."""

    episode: Episode
    """What happened."""

    judged: Mapping[str, JudgedEpisode]
    """By judge; empty for an aborted episode, which does not count for quality."""

    metrics: Mapping[str, Mapping[int, float | None]]
    """By metric, then by turn (1-based); None where the metric has no value. Empty for an aborted episode."""

    @property
    def tokens(self) -> int:
        """Tokens of all the describer's messages, as the game counts them."""
        return sum(turn.message_tokens for turn in self.episode.turns)

    @property
    def seconds(self) -> float:
        """Seconds that both players took to answer."""
        return sum(turn.seconds for turn in self.episode.turns)


def judge_episodes(
    run_id: str, slug: str, episodes: Iterable[Episode], scores: Iterable[Score]
) -> tuple[EpisodeResult, ...]:
    """Join the episodes of a run with its scores.

    A score counts only for the rendering it was given to: one that was made before an episode was played anew is
    passed over. Of two scores of the same thing the later line counts.

    Args:
        run_id: The run's id.
        slug: The submission's slug.
        episodes: Of one run.
        scores: Of the same run, in the order in which they were written.

    Returns:
        One result an episode, in the order of ``episodes``.
    """
    by_episode: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_episode[score.episode_id].append(score)
    return tuple(_result(run_id, slug, episode, by_episode.get(episode.episode_id, [])) for episode in episodes)


_Values = dict[str, dict[int, float | None]]
"""By judge or metric, then by turn."""


def _result(run_id: str, slug: str, episode: Episode, scores: list[Score]) -> EpisodeResult:
    if not episode.played:
        return EpisodeResult(run_id, slug, episode, {}, {})
    values = _valid_values(episode, scores)
    similarity, preference = values["similarity"], values["preference"]
    judged = {
        judge: _judged(judge, episode, similarity.get(judge, {}), preference.get(judge, {}))
        for judge in sorted(similarity.keys() | preference.keys())
    }
    return EpisodeResult(run_id, slug, episode, judged, values["metric"])


def _valid_values(episode: Episode, scores: list[Score]) -> dict[Task, _Values]:
    """Sort the scores that belong to the episode's renderings by task, judge and turn."""
    renderings = {turn.turn: turn.rendering.sha256 for turn in episode.turns if turn.rendering is not None}
    values: dict[Task, _Values] = {"similarity": {}, "preference": {}, "metric": {}}
    for score in scores:
        if renderings.get(score.turn) == score.rendering:
            values[score.task].setdefault(score.judge, {})[score.turn] = score.value
    return values


def _judged(
    judge: str, episode: Episode, similarity: dict[int, float | None], preference: dict[int, float | None]
) -> JudgedEpisode:
    turns = [turn.turn for turn in episode.rendered_turns]
    first = similarity.get(turns[0]) if turns else None
    final = similarity.get(turns[-1]) if turns else None
    delta = final - first if len(turns) > 1 and first is not None and final is not None else None
    scored = ((turn, similarity.get(turn)) for turn in turns)
    return JudgedEpisode(
        judge=judge,
        first=first,
        final=final,
        delta=delta,
        convergence="no_refinement" if len(turns) == 1 else _convergence(delta),
        preference=preference.get(turns[-1]) if len(turns) > 1 else None,
        trajectory={turn: value for turn, value in scored if value is not None},
    )


def _convergence(delta: float | None) -> Convergence | None:
    if delta is None:
        return None
    return "improved" if delta > 0 else "regressed" if delta < 0 else "stable"
