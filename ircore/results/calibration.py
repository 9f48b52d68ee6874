"""Judges' scores on the humans' scale: each judge has a map, which is applied to every cell.

A judge's map is fitted to all renderings that it and annotators rated. It is applied to that judge's mean final scores;
scores beyond those that the map was fitted to are marked, never hidden.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ircore.core.score_records import HUMAN
from ircore.results.agreement import EpisodesByRun, collect_similarity
from ircore.results.arrays import Condition, conditions, strata
from ircore.results.cells import CellKey
from ircore.results.episodes import EpisodeResult, average_final_scores
from ircore.results.statistics.calibration_map import Recalibrated, Recalibration
from ircore.results.statistics.recalibration import Refusal, recalibrate

Mark = Literal["other_judge", "unrated_pair", "single_pair", "unrated_category", "outside_range"]

MARKS: Mapping[Mark, str] = {
    "other_judge": "The map was fitted to the scores of another judge.",
    "unrated_pair": "Humans rated nothing of this pair: how far it may be off is unknown, so there is no interval.",
    "single_pair": "Humans rated one pair alone: how far another may be off is unknown, so there is no interval.",
    "unrated_category": "Humans rated nothing of a category that is in this cell.",
    "outside_range": "Some scores lie beyond those that the judge gave to what humans rated; the map's end was used.",
}
"""Meaning of each mark, one sentence."""


@dataclass(frozen=True)
class RecalibratedCell:
    """The mean final score of one pair under one condition on the humans' scale."""

    run_id: str
    """The pair's run."""

    category: str | None
    """One category, or None for all of them."""

    difficulty: str | None
    """``easy``, ``hard``, or None for both."""

    judge: str
    """Judge whose scores were recalibrated."""

    score: Recalibrated | None
    """Mean over played episodes that the judge rated, 0–10, higher is better; None where there is no map."""

    marks: tuple[Mark, ...]
    """Marks of the ways in which the map does not fit this run."""

    reason: str | None
    """Reason why there is no value; None exactly where there is a value."""


@dataclass(frozen=True)
class _Calibration:
    """The maps of all judges, and every cell on the humans' scale."""

    maps: Mapping[str, Recalibration | Refusal]
    """By judge."""

    cells: Mapping[CellKey, RecalibratedCell]
    """By run_id, category, difficulty and judge; one for each condition of the instances played."""


def calibrate(episodes: EpisodesByRun) -> _Calibration:
    """Fit a map for each judge and apply the map to every cell.

    Args:
        episodes: By run_id, all of one instance set.
    """
    maps = fit_maps(episodes)
    design = _Design.of(episodes)
    cells = [
        cell
        for run_id, results in episodes.items()
        for judge in sorted({judge for result in results for judge in result.judged if judge in maps})
        for cell in design.cells(maps[judge], judge, run_id, results)
    ]
    return _Calibration(maps, {(cell.run_id, cell.category, cell.difficulty, cell.judge): cell for cell in cells})


def fit_maps(episodes: EpisodesByRun) -> dict[str, Recalibration | Refusal]:
    """Fit a map for each judge other than humans, to all renderings that both the judge and annotators rated."""
    every = (result for results in episodes.values() for result in results)
    rated_by = sorted({judge for result in every for judge, judged in result.judged.items() if judged.trajectory})
    if HUMAN not in rated_by:  # as on most sites: then what was rated need not be collected
        return {judge: Refusal("no human ratings", 0, 0) for judge in rated_by}
    task = collect_similarity(episodes)
    human = task.judges[HUMAN]
    maps: dict[str, Recalibration | Refusal] = {}
    for judge, scores in task.judges.items():
        # People's scores are the scale itself.
        if judge != HUMAN:
            # A sum is NaN where either is.
            matched = ~np.isnan(scores + human)
            rated = {category for category, both in zip(task.categories, matched, strict=True) if both}
            maps[judge] = recalibrate(scores, human, task.instances, fitted_for=judge, groups=rated, pairs=task.runs)
    return maps


@dataclass(frozen=True)
class _Design:
    """All instances played, the conditions they make, and their resamples, the same for all runs and judges."""

    places: Mapping[str, int]
    """Row of each instance by its id."""

    categories: tuple[str, ...]
    """Category of each instance."""

    conditions: tuple[Condition, ...]
    """Every condition that has an instance."""

    members: NDArray[np.bool_]
    """Membership of instances in conditions, shape (instances, conditions)."""

    labels: tuple[str, ...]
    """Condition of each instance: the strata of the draws."""

    @classmethod
    def of(cls, episodes: EpisodesByRun) -> "_Design":
        episode_of = {result.episode.instance_id: result.episode for results in episodes.values() for result in results}
        # By id, so that the draws do not depend on the order of the runs.
        ordered = [episode_of[name] for name in sorted(episode_of)]
        rows = conditions(ordered)
        members = np.zeros((len(ordered), len(rows)), np.bool_)
        for column, own in enumerate(rows.values()):
            members[own, column] = True
        return cls(
            places={instance.instance_id: at for at, instance in enumerate(ordered)},
            categories=tuple(instance.category for instance in ordered),
            conditions=tuple(rows),
            members=members,
            labels=tuple(strata(ordered)),
        )

    def cells(
        self, fitted: Recalibration | Refusal, judge: str, run_id: str, results: Sequence[EpisodeResult]
    ) -> Iterator[RecalibratedCell]:
        if isinstance(fitted, Refusal):
            yield from (RecalibratedCell(run_id, *key, judge, None, (), fitted.reason) for key in self.conditions)
            return
        scores = np.full(len(self.places), np.nan)
        for name, final in average_final_scores(results, judge).items():
            scores[self.places[name]] = final
        # Only instances with a score: a category that the judge never scored needs no map.
        unrated = np.array([category not in fitted.groups for category in self.categories]) & ~np.isnan(scores)
        for at, score in enumerate(fitted.cells(scores, self.members, self.labels)):
            yield _build_cell(
                fitted, judge, run_id, self.conditions[at], score, bool(unrated[self.members[:, at]].any())
            )


def _build_cell(
    fitted: Recalibration,
    judge: str,
    run_id: str,
    condition: Condition,
    score: Recalibrated,
    unrated: bool,
) -> RecalibratedCell:
    if score.n == 0:
        return RecalibratedCell(run_id, *condition, judge, None, (), "the judge rated nothing here")
    # Rated pairs that are alike say nothing of one that is not: no spread of theirs would be wide enough for it.
    is_new = fitted.pairs is not None and run_id not in fitted.pairs.names
    if is_new:
        score = replace(score, low=None, high=None)
    applies: dict[Mark, bool] = {
        "other_judge": judge != fitted.fitted_for,
        "unrated_pair": is_new,
        "single_pair": fitted.pairs is not None and len(fitted.pairs.names) == 1,
        "unrated_category": unrated,
        "outside_range": score.outside > 0,
    }
    marks = tuple(mark for mark, true in applies.items() if true)
    return RecalibratedCell(run_id, *condition, judge, score, marks, None)
