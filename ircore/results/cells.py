"""Computing the cells of a run and the ranks of a board.

A cell depends on its run alone: the same resamples of the instances serve every run, so that differences between runs
are paired although each is computed by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ircore.core.records import Instance
from ircore.results.cell import Cell
from ircore.results.columns import Columns, columns, final_scores
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.bootstrap import (
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
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import Standing, detectable, standing
from ircore.results.tally import Tally

Condition = tuple[str | None, str | None]
"""Category and difficulty; None for all."""

BoardKey = tuple[str | None, str | None, str]
"""Category, difficulty, judge."""

CellKey = tuple[str, str | None, str | None, str]
"""Run, category, difficulty, judge."""

_AMOUNTS = ("turns", "tokens", "seconds", "cost")
"""Fields of ``Columns`` and of ``Cell`` that are means of amounts."""


def strata(instances: Iterable[Instance]) -> list[str]:
    """Return the condition of each instance: within one, instances are drawn again."""
    return [f"{one.category} {one.difficulty}" for one in instances]


def run_cells(
    instances: Sequence[Instance],
    run_id: str,
    results: Sequence[EpisodeResult],
    judges: Sequence[str],
    costs: Mapping[str, float | None],
) -> dict[BoardKey, Cell]:
    """Compute a run's cells under every condition.

    Args:
        instances: The whole set.
        run_id: The run's id.
        results: Its episodes.
        judges: As whom see its cells; those that rated nothing of it too.
        costs: US dollars by episode.

    Returns:
        By category, difficulty and judge, ``same_family`` not set: that is known of all runs together.
    """
    if not judges:
        return {}
    arranged = columns(instances, {run_id: results}, judges, {run_id: costs})
    tallies = _tallies(results, judges)
    cells: dict[BoardKey, Cell] = {}
    for (category, difficulty), rows in _conditions(instances).items():
        one = _Condition(rows, arranged, resample(strata(instances[row] for row in rows)))
        shared = one.shared()
        for judge, own in zip(judges, one.judged(), strict=True):
            tally = tallies.get((category, difficulty, judge), Tally())
            cells[category, difficulty, judge] = Cell(
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
                **shared,
                main=own.main if tally.played else Estimate(0.0, None, None, 0),
                same_family=False,
                detectable=own.detectable,
            )
    return cells


def compute_standings(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judges: Sequence[str]
) -> dict[BoardKey, Standing]:
    """Rank runs under every condition, by every judge.

    Args:
        instances: The whole set.
        episodes: By run_id.
        judges: By whose scores.

    Returns:
        By category, difficulty and judge; one range a run, in the order of the runs.
    """
    finals = {judge: final_scores(instances, episodes, judge) for judge in judges}

    standings: dict[BoardKey, Standing] = {}
    for (category, difficulty), rows in _conditions(instances).items():
        drawn = resample(strata(instances[row] for row in rows))
        for judge in judges:
            standings[category, difficulty, judge] = standing(Ratios.means(finals[judge][rows]), drawn)
    return standings


@dataclass(frozen=True)
class _Judged:
    """What one judge makes of a run under one condition."""

    score: Estimate
    delta: Estimate
    main: Estimate
    detectable: float | None


class _Condition:
    """The estimates of one run under one condition, all from the same resamples."""

    def __init__(self, rows: Sequence[int], arranged: Columns, drawn: Resamples) -> None:
        self._rows = list(rows)
        self._columns = arranged
        self._drawn = drawn

    def shared(self) -> dict[str, Estimate]:
        """Return what does not depend on the judge, by field of a cell."""
        amounts = np.hstack([getattr(self._columns, name)[self._rows] for name in _AMOUNTS])
        over = Ratios(self._columns.over_budget[self._rows], self._columns.messages[self._rows])
        found = dict(zip(_AMOUNTS, ratio_intervals(Ratios.means(amounts), self._drawn, AMOUNT), strict=True))
        return {**found, "over_budget": ratio_intervals(over, self._drawn, SHARE)[0]}

    def judged(self) -> list[_Judged]:
        """Return what each judge makes of the run."""
        final, delta = (
            np.hstack([column[self._rows] for column in one.values()])
            for one in (self._columns.final, self._columns.delta)
        )
        finals, drawn = Ratios.means(final), self._drawn
        played = np.repeat(self._columns.played[self._rows], final.shape[1], axis=1)
        scores = ratio_intervals(finals, drawn, SCORE)
        deltas = ratio_intervals(Ratios.means(delta), drawn, DIFFERENCE)
        mains = product_intervals(Ratios.means(10 * final), Ratios.means(played), drawn, MAIN)
        least = (2**0.5 * finals.errors(drawn)).tolist()
        freedom = finals.degrees(drawn).tolist()
        return [
            _Judged(score, delta, main, detectable(error, df))
            for score, delta, main, error, df in zip(scores, deltas, mains, least, freedom, strict=True)
        ]


def _conditions(instances: Sequence[Instance]) -> dict[Condition, list[int]]:
    """Return the rows of every condition that has an instance."""
    rows: dict[Condition, list[int]] = {}
    for row, one in enumerate(instances):
        for condition in product((one.category, None), (one.difficulty, None)):
            rows.setdefault(condition, []).append(row)
    return rows


def _tallies(results: Sequence[EpisodeResult], judges: Sequence[str]) -> dict[BoardKey, Tally]:
    tallies: dict[BoardKey, Tally] = {}
    for result in results:
        for condition in product((result.episode.category, None), (result.episode.difficulty, None)):
            for judge in judges:
                tallies.setdefault((*condition, judge), Tally()).add(result, judge)
    return tallies
