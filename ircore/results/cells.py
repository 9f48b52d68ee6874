"""Computing every cell and every rank at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ircore.records import Instance
from ircore.results.cell import Cell
from ircore.results.columns import Columns
from ircore.results.episodes import EpisodeResult
from ircore.results.tally import Tally
from ircore.statistics.bootstrap import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    SCORE,
    SHARE,
    Ratios,
    Resamples,
    product_intervals,
    ratio_intervals,
    resample,
)
from ircore.statistics.estimate import Estimate
from ircore.statistics.ranks import Standing, detectable, standing

Condition = tuple[str | None, str | None]
"""Category and difficulty; None for all."""

CellKey = tuple[str, str | None, str | None, str]
"""Run, category, difficulty, judge."""

BoardKey = tuple[str | None, str | None, str]
"""Category, difficulty, judge."""


@dataclass(frozen=True)
class Computed:
    """What ``compute`` returns."""

    cells: Mapping[CellKey, Cell]
    """By run, category, difficulty and judge."""

    standings: Mapping[BoardKey, Standing]
    """By category, difficulty and judge; one range a run, in the order of the runs."""


def strata(instances: Iterable[Instance]) -> list[str]:
    """Return the condition of each instance: within one, instances are drawn again."""
    return [f"{one.category} {one.difficulty}" for one in instances]


def compute(
    instances: Sequence[Instance],
    episodes: Mapping[str, Sequence[EpisodeResult]],
    columns: Columns,
    families: Mapping[str, str | None],
    describers: Mapping[str, str | None],
) -> Computed:
    """Compute the cells and ranks of every condition and judge.

    Args:
        instances: The whole set.
        episodes: By run_id.
        columns: The same as arrays.
        families: Family of each judge.
        describers: Family of each run's describer, by run_id.
    """
    tallies = _tallies(episodes, tuple(columns.final))
    cells: dict[CellKey, Cell] = {}
    standings: dict[BoardKey, Standing] = {}
    for (category, difficulty), rows in _conditions(instances).items():
        one = _Condition(rows, columns, resample(strata(instances[row] for row in rows)))
        shared = one.shared()
        for judge, family in families.items():
            standings[category, difficulty, judge] = one.standing(judge)
            for index, (run_id, own) in enumerate(zip(episodes, one.judged(judge), strict=True)):
                tally = tallies.get((run_id, category, difficulty, judge), Tally())
                cells[run_id, category, difficulty, judge] = Cell(
                    run_id=run_id,
                    category=category,
                    difficulty=difficulty,
                    judge=judge,
                    episodes=len(rows),
                    played=tally.played,
                    outcomes=tally.outcomes,
                    score=own.score,
                    delta=own.delta,
                    preference=tally.preference(),
                    convergence=tally.convergence,
                    **{name: estimates[index] for name, estimates in shared.items()},
                    main=own.main if tally.played else Estimate(0.0, None, None, 0),
                    same_family=family is not None and family == describers[run_id],
                    detectable=own.detectable,
                )
    return Computed(cells, standings)


@dataclass(frozen=True)
class _Judged:
    """What one judge makes of one run under one condition."""

    score: Estimate
    delta: Estimate
    main: Estimate
    detectable: float | None


class _Condition:
    """The estimates of all runs under one condition, all from the same resamples."""

    def __init__(self, rows: Sequence[int], columns: Columns, drawn: Resamples) -> None:
        self._rows = np.array(rows)
        self._columns = columns
        self._drawn = drawn

    def shared(self) -> dict[str, list[Estimate]]:
        """Return what does not depend on the judge, by field of a cell, one estimate a run."""
        columns, rows = self._columns, self._rows
        found = {
            name: ratio_intervals(Ratios.means(getattr(columns, name)[rows]), self._drawn, AMOUNT)
            for name in ("turns", "tokens", "seconds", "cost")
        }
        over = Ratios(columns.over_budget[rows], columns.messages[rows])
        return {**found, "over_budget": ratio_intervals(over, self._drawn, SHARE)}

    def judged(self, judge: str) -> list[_Judged]:
        """Return what a judge makes of each run."""
        final, played = self._columns.final[judge][self._rows], self._columns.played[self._rows]
        finals = Ratios.means(final)
        scores = ratio_intervals(finals, self._drawn, SCORE)
        deltas = ratio_intervals(Ratios.means(self._columns.delta[judge][self._rows]), self._drawn, DIFFERENCE)
        mains = product_intervals(Ratios.means(10 * final), Ratios.means(played), self._drawn, MAIN)
        least = (2**0.5 * finals.errors(self._drawn)).tolist()
        freedom = finals.degrees(self._drawn).tolist()
        return [
            _Judged(score, delta, main, detectable(error, df))
            for score, delta, main, error, df in zip(scores, deltas, mains, least, freedom, strict=True)
        ]

    def standing(self, judge: str) -> Standing:
        """Rank the runs by a judge's scores."""
        return standing(Ratios.means(self._columns.final[judge][self._rows]), self._drawn)


def _conditions(instances: Sequence[Instance]) -> dict[Condition, list[int]]:
    """Return the rows of every condition that has an instance."""
    rows: dict[Condition, list[int]] = {}
    for row, one in enumerate(instances):
        for condition in product((one.category, None), (one.difficulty, None)):
            rows.setdefault(condition, []).append(row)
    return rows


def _tallies(episodes: Mapping[str, Sequence[EpisodeResult]], judges: Sequence[str]) -> dict[CellKey, Tally]:
    tallies: dict[CellKey, Tally] = {}
    for run_id, results in episodes.items():
        for result in results:
            for condition in product((result.episode.category, None), (result.episode.difficulty, None)):
                for judge in judges:
                    tallies.setdefault((run_id, *condition, judge), Tally()).add(result, judge)
    return tallies
