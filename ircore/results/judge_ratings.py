"""Status of every episode for one judge, and the values that stand for the episode's main score.

Three things that look alike are kept apart: an episode that the pair did not play (it counts as nothing), one that has
no result yet (never begun, or a technical failure), and a rendering that the judge has not rated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity
from ircore.results.episodes import Doubt, EpisodeResult

UNFINISHED, UNPLAYED, RATED, REFUSED, PENDING, OUTSIDE = range(6)
"""No result yet; aborted by the pair's own doing; rated; asked without an answer; not asked yet, or in vain for a
technical reason; nothing that the judge rates."""

HIGHEST = 10.0
"""The best similarity."""

MAIN_UNIT = 10.0
"""Points of the main score, 0–100, in a point of similarity."""

Scope = frozenset[str] | None
"""Categories that a judge rates; None for all."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JudgeRatings:
    """One judge's ratings of some runs on some instances; every array has the shape (instances, runs).

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> results.finals("structural", list(results.episodes), results.instances).shape
        (2, 1)
    """

    status: NDArray[np.int8]
    """One of the six words above."""

    final: Floats
    """Similarity of the final rendering, 0–10; NaN unless rated."""

    doubt: Floats
    """Lowest and highest similarity, undecided share of the facts, and 1 where labels were left unread; NaN unless a
    judge of facts rated. Shape (instances, runs, 4)."""

    def rows(self, rows: Sequence[int]) -> "JudgeRatings":
        """Return some of the instances."""
        return JudgeRatings(self.status[rows], self.final[rows], self.doubt[rows])

    def columns(self, columns: Sequence[int]) -> "JudgeRatings":
        """Return some of the runs."""
        return JudgeRatings(self.status[:, columns], self.final[:, columns], self.doubt[:, columns])

    def count(self, *words: int) -> NDArray[np.intp]:
        """Return how many of each run's instances are in any of the given states, shape (runs,)."""
        counts: NDArray[np.intp] = np.isin(self.status, words).sum(axis=0)
        return counts

    def doubts(self) -> list[Doubt | None]:
        """Return the mean interval and undecided share of each run's rated renderings; None where nobody told facts."""
        known = ~np.isnan(self.doubt[..., 0])
        means = np.nansum(self.doubt, axis=0) / np.maximum(known.sum(axis=0), 1)[:, None]
        return [
            Doubt(low, high, undecided, unread > 0) if count else None
            for count, (low, high, undecided, unread) in zip(known.sum(axis=0).tolist(), means.tolist(), strict=True)
        ]

    @property
    def quality(self) -> tuple[Floats, Floats]:
        """Least and greatest similarity that each played episode may have, 0–10; NaN where no episode was played."""
        return self._between(np.isin(self.status, (REFUSED, PENDING)), 1.0)

    @property
    def main(self) -> tuple[Floats, Floats]:
        """Least and greatest part of the main score, 0–100; 0 where the pair did not play; NaN outside the scope."""
        unplayed = self.status == UNPLAYED
        least, most = self._between(np.isin(self.status, (REFUSED, PENDING, UNFINISHED)), MAIN_UNIT)
        # An episode that the pair aborted is known to be worth nothing, whatever the judge would say.
        return np.where(unplayed, 0.0, least), np.where(unplayed, 0.0, most)

    @property
    def at_worst(self) -> tuple[Floats, Floats]:
        """Bounds like ``quality``, with each unplayed episode counted as played with any result."""
        return self._between(~np.isin(self.status, (RATED, OUTSIDE)), 1.0)

    def main_scores(self) -> Floats:
        """Return each run's main score over ended episodes, 0–100: mean rating × share played; shape (runs,).

        NaN where nothing has ended, and where nothing of what was played is rated.
        """
        rated, played = self.count(RATED), self.count(RATED, REFUSED, PENDING)
        ended = played + self.count(UNPLAYED)
        # At least 1, so that nothing is divided by 0; such entries are NaN in the end.
        quality = np.nansum(self.final, axis=0) / np.maximum(rated, 1)
        known = (ended > 0) & ((rated > 0) | (played == 0))
        return np.where(known, MAIN_UNIT * quality * played / np.maximum(ended, 1), np.nan)

    def _between(self, unknown: NDArray[np.bool_], unit: float) -> tuple[Floats, Floats]:
        known = unit * self.final
        return np.where(unknown, 0.0, known), np.where(unknown, unit * HIGHEST, known)


def judge_ratings(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judge: str, scope: Scope = None
) -> JudgeRatings:
    """Arrange one judge's ratings by instance and run.

    Args:
        instances: Some of the set; the rows.
        episodes: By run_id; the columns.
        judge: Whose ratings.
        scope: Categories that the judge rates. One that has only preferences of a run rates nothing of it.
    """
    rows = {instance.instance_id: row for row, instance in enumerate(instances)}
    inside = np.array([scope is None or instance.category in scope for instance in instances], bool)
    status = np.full((len(rows), len(episodes)), UNFINISHED, np.int8)
    final = np.full((len(rows), len(episodes)), np.nan)
    doubt = np.full((len(rows), len(episodes), 4), np.nan)
    for column, results in enumerate(episodes.values()):
        for result in results:
            row = rows.get(result.episode.instance_id)
            if row is not None:
                status[row, column], final[row, column] = _of_episode(result, judge)
                judged = result.judged.get(judge)
                if judged is not None and judged.doubt is not None and status[row, column] == RATED:
                    doubt[row, column] = judged.doubt
        # An episode without a result may still turn out either way, so only ended ones lie outside of the scope.
        outside = ~inside | _only_prefers(results, judge)
        ended = status[:, column] != UNFINISHED
        status[outside & ended, column] = OUTSIDE
        final[outside, column] = doubt[outside, column] = np.nan
    return JudgeRatings(status, final, doubt)


def ratings_by_judge(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], scopes: Mapping[str, Scope]
) -> dict[str, JudgeRatings]:
    """Return the ratings by each judge of ``scopes``."""
    return {judge: judge_ratings(instances, episodes, judge, scope) for judge, scope in scopes.items()}


def scopes_of(judges: Sequence[str], identities: Mapping[str, JudgeIdentity]) -> dict[str, Scope]:
    """Return the categories that each judge rates, from the judge's identity; all if the identity names none."""
    declared = {judge: identities[judge].categories if judge in identities else None for judge in judges}
    return {judge: None if names is None else frozenset(names) for judge, names in declared.items()}


def _of_episode(result: EpisodeResult, judge: str) -> tuple[int, float]:
    if not result.episode.played:
        # A technical failure is no doing of the pair's, and will be played again.
        return UNPLAYED if result.episode.finished else UNFINISHED, np.nan
    judged = result.judged.get(judge)
    if judged is None:
        return PENDING, np.nan
    if judged.final is not None:
        return RATED, judged.final
    return PENDING if judged.refusal is None else REFUSED, np.nan


def _only_prefers(results: Sequence[EpisodeResult], judge: str) -> bool:
    """Return whether a judge compared renderings of a run without ever being asked to rate one, as ``lipsim`` does."""
    judged = [result.judged[judge] for result in results if judge in result.judged]
    prefers = any(scores.preference is not None for scores in judged)
    return prefers and not any(scores.trajectory or scores.refusal for scores in judged)
