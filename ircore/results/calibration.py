"""Judges' scores on the humans' scale: one map a judge, applied to every cell.

A judge's map is fitted to all renderings that it and annotators rated. It is applied to that judge's mean final scores;
what goes beyond what it was fitted to is marked, never hidden.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ircore.core.score_records import HUMAN
from ircore.results.agreement import EpisodesByRun, rated_similarity
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.calibration_map import Recalibrated, Recalibration
from ircore.results.statistics.recalibration import Refusal, recalibrate

Mark = Literal["other_judge", "unrated_pair", "single_pair", "unrated_category", "outside_range"]

MARKS: Mapping[Mark, str] = {
    "other_judge": "The map was fitted to the scores of another judge.",
    "unrated_pair": "Humans rated nothing of this pair: the interval goes by how far rated pairs differ from the map.",
    "single_pair": "Humans rated one pair alone: how far another may be off is unknown, so there is no interval.",
    "unrated_category": "Humans rated nothing of a category that is in this cell.",
    "outside_range": "Some scores lie beyond those that the judge gave to what humans rated; the map's end was used.",
}
"""What each mark says, one sentence."""


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
    """Whose scores were recalibrated."""

    score: Recalibrated | None
    """Mean over played episodes that the judge rated, 0–10, higher is better; None where there is no map."""

    marks: tuple[Mark, ...]
    """What it was not fitted for."""

    reason: str | None
    """Why there is no value; None exactly where there is one."""


CellKey = tuple[str, str | None, str | None, str]
"""run_id, category, difficulty, judge: as in ``Results.cells``."""


@dataclass(frozen=True)
class Calibration:
    """All judges' maps and what they make of every cell."""

    maps: Mapping[str, Recalibration | Refusal]
    """By judge."""

    cells: Mapping[CellKey, RecalibratedCell]
    """By run_id, category, difficulty and judge; one for each condition of the instances played."""


def calibrate(episodes: EpisodesByRun) -> Calibration:
    """Fit a map for each judge, and apply it to every cell.

    Args:
        episodes: By run_id, all of one instance set.
    """
    maps = fit_maps(episodes)
    design = _Design.of(episodes)
    cells = [
        cell
        for run_id, results in episodes.items()
        for judge in sorted({judge for one in results for judge in one.judged if judge in maps})
        for cell in design.cells(maps[judge], judge, run_id, results)
    ]
    return Calibration(maps, {(one.run_id, one.category, one.difficulty, one.judge): one for one in cells})


def fit_maps(episodes: EpisodesByRun) -> dict[str, Recalibration | Refusal]:
    """Fit one map for each judge that is no human, to all renderings that it and annotators rated."""
    every = (one for results in episodes.values() for one in results)
    rated_by = sorted({judge for one in every for judge, judged in one.judged.items() if judged.trajectory})
    if HUMAN not in rated_by:  # as on most sites: then what was rated need not be collected
        return {judge: Refusal("no human ratings", 0, 0) for judge in rated_by}
    task = rated_similarity(episodes)
    human = task.judges[HUMAN]
    maps: dict[str, Recalibration | Refusal] = {}
    for judge, scores in task.judges.items():
        if judge != HUMAN:
            matched = ~np.isnan(scores + human)
            rated = {category for category, both in zip(task.categories, matched, strict=True) if both}
            maps[judge] = recalibrate(scores, human, task.instances, fitted_for=judge, groups=rated, pairs=task.runs)
    return maps


def recalibrated_cells(
    found: Recalibration | Refusal, judge: str, run_id: str, episodes: EpisodesByRun
) -> tuple[RecalibratedCell, ...]:
    """Put a judge's mean final scores of one run on the humans' scale, by a map of its own or, marked, another judge's.

    Args:
        found: The map.
        judge: Whose scores.
        run_id: Of which run.
        episodes: By run_id, all of one instance set.
    """
    return tuple(_Design.of(episodes).cells(found, judge, run_id, episodes[run_id]))


@dataclass(frozen=True)
class _Design:
    """All instances played, the conditions they make, and their resamples, the same for all runs and judges."""

    places: Mapping[str, int]
    """Of each instance."""

    categories: tuple[str, ...]
    """Of each instance."""

    conditions: tuple[tuple[str | None, str | None], ...]
    """Category and difficulty, None for all."""

    members: NDArray[np.bool_]
    """Which instances are in which condition, shape (instances, conditions)."""

    labels: tuple[str, ...]
    """Condition of each instance: the strata of the draws."""

    @classmethod
    def of(cls, episodes: EpisodesByRun) -> "_Design":
        seen = {one.episode.instance_id: one.episode for results in episodes.values() for one in results}
        ordered = [seen[name] for name in sorted(seen)]
        conditions = tuple(
            dict.fromkeys(key for one in ordered for key in product((one.category, None), (one.difficulty, None)))
        )
        members = [
            [
                category in (None, one.category) and difficulty in (None, one.difficulty)
                for category, difficulty in conditions
            ]
            for one in ordered
        ]
        return cls(
            places={one.instance_id: at for at, one in enumerate(ordered)},
            categories=tuple(one.category for one in ordered),
            conditions=conditions,
            members=np.array(members, np.bool_).reshape(len(ordered), len(conditions)),
            labels=tuple(f"{one.category} {one.difficulty}" for one in ordered),
        )

    def cells(
        self, found: Recalibration | Refusal, judge: str, run_id: str, results: Sequence[EpisodeResult]
    ) -> Iterator[RecalibratedCell]:
        if isinstance(found, Refusal):
            yield from (RecalibratedCell(run_id, *key, judge, None, (), found.reason) for key in self.conditions)
            return
        scores = np.full(len(self.places), np.nan)
        for one in results:
            if judge in one.judged and (final := one.judged[judge].final) is not None:
                scores[self.places[one.episode.instance_id]] = final
        unrated = np.array([category not in found.groups for category in self.categories]) & ~np.isnan(scores)
        for at, score in enumerate(found.cells(scores, self.members, self.labels)):
            yield _cell(found, judge, run_id, self.conditions[at], score, bool(unrated[self.members[:, at]].any()))


def _cell(
    found: Recalibration,
    judge: str,
    run_id: str,
    condition: tuple[str | None, str | None],
    score: Recalibrated,
    unrated: bool,
) -> RecalibratedCell:
    if score.n == 0:
        return RecalibratedCell(run_id, *condition, judge, None, (), "the judge rated nothing here")
    applies: dict[Mark, bool] = {
        "other_judge": judge != found.fitted_for,
        "unrated_pair": found.pairs is not None and run_id not in found.pairs.names,
        "single_pair": found.pairs is not None and len(found.pairs.names) == 1,
        "unrated_category": unrated,
        "outside_range": score.outside > 0,
    }
    marks = tuple(mark for mark, true in applies.items() if true)
    return RecalibratedCell(run_id, *condition, judge, score, marks, None)
