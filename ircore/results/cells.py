"""Computing the cells of a run and the ranks of a board.

A cell depends on its run alone: the same resamples of the instances serve every run, so that differences between runs
are paired although each is computed by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircore.core.records import AnyInstance, Instance
from ircore.results.cell import Cell
from ircore.results.columns import Columns, columns
from ircore.results.coverage import Coverage, coverages
from ircore.results.episodes import EpisodeResult
from ircore.results.rated import RATED, UNPLAYED, Rated, Scope, all_rated
from ircore.results.statistics.bootstrap import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    SCORE,
    SHARE,
    Ratios,
    Resamples,
    ratio_intervals,
    resample,
)
from ircore.results.statistics.bounds import bounded_intervals
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import RankRange, Standing, detectable, standing
from ircore.results.tally import Tally

Floats = NDArray[np.float64]

Condition = tuple[str | None, str | None]
"""Category and difficulty; None for all."""

BoardKey = tuple[str | None, str | None, str]
"""Category, difficulty, judge."""

CellKey = tuple[str, str | None, str | None, str]
"""Run, category, difficulty, judge."""

_AMOUNTS = ("turns", "tokens", "seconds", "cost")
"""Fields of ``Columns`` and of ``Cell`` that are means of amounts, in the order of ``_Shared``."""


def strata(instances: Iterable[AnyInstance]) -> list[str]:
    """Return the condition of each instance: the stratum within which resampling draws instances again."""
    return [f"{instance.category} {instance.difficulty}" for instance in instances]


def run_cells(
    instances: Sequence[Instance],
    run_id: str,
    results: Sequence[EpisodeResult],
    judges: Mapping[str, Scope],
    costs: Mapping[str, float | None],
) -> dict[BoardKey, Cell]:
    """Compute a run's cells under every condition.

    Args:
        instances: The whole set.
        run_id: The run's id.
        results: Its episodes.
        judges: As whom see its cells, with what each of them rates; those that rated nothing of it too.
        costs: US dollars by episode.

    Returns:
        By category, difficulty and judge, ``same_family`` not set: that is known of all runs together.
    """
    if not judges:
        return {}
    names = tuple(judges)
    arranged = columns(instances, {run_id: results}, names, {run_id: costs})
    ratings = side_by_side(all_rated(instances, {run_id: results}, judges).values())
    tallies = _tallies(results, names)
    cells: dict[BoardKey, Cell] = {}
    for (category, difficulty), rows in conditions(instances).items():
        one = _Condition(rows, arranged, ratings.rows(rows), resample(strata(instances[row] for row in rows)))
        shared = one.shared()
        for judge, own in zip(names, one.judged(), strict=True):
            tally = tallies.get((category, difficulty, judge), Tally())
            cells[category, difficulty, judge] = Cell(
                run_id=run_id,
                category=category,
                difficulty=difficulty,
                judge=judge,
                **asdict(own.coverage),
                played=tally.played,
                outcomes=tally.outcomes,
                score=own.score,
                delta=own.delta,
                preference=tally.preference(),
                convergence=tally.convergence,
                turns=shared.turns,
                tokens=shared.tokens,
                seconds=shared.seconds,
                over_budget=shared.over_budget,
                cost=shared.cost,
                main=own.main,
                same_family=False,
                detectable=own.detectable,
            )
    return cells


def compute_standings(instances: Sequence[AnyInstance], ratings: Mapping[str, Rated]) -> dict[BoardKey, Standing]:
    """Rank runs by their main scores under every condition, by every judge.

    Args:
        instances: The whole set.
        ratings: By judge, of all runs on all instances.

    Returns:
        By category, difficulty and judge; one range a run, in the order of the runs, None for one without a rank.
    """
    return {
        (category, difficulty, judge): run_standing([instances[row] for row in rows], rated.rows(rows))
        for (category, difficulty), rows in conditions(instances).items()
        for judge, rated in ratings.items()
    }


def paired_main(instances: Sequence[AnyInstance], ratings: Rated) -> tuple[Floats, Floats, Resamples]:
    """Return the least and greatest main scores on instances that the judge rates, and their resamples.

    Args:
        instances: Under one condition.
        ratings: Of runs that all have a rank, or of two that are compared.
    """
    least, most = ratings.main
    rows = np.flatnonzero(~np.isnan(least).any(axis=1)).tolist()
    return least[rows], most[rows], resample(strata(instances[row] for row in rows))


def run_standing(instances: Sequence[AnyInstance], ratings: Rated) -> Standing:
    """Rank runs by their main scores under one condition.

    Args:
        instances: Under this condition.
        ratings: Of all runs on these instances.
    """
    ranked = [index for index, coverage in enumerate(coverages(ratings)) if coverage.unranked is None]
    ranked_standing = standing(*paired_main(instances, ratings.columns(ranked)))
    ranges: list[RankRange | None] = [None] * ratings.status.shape[1]
    for index, rank in zip(ranked, ranked_standing.ranges, strict=True):
        ranges[index] = rank
    return replace(ranked_standing, ranges=tuple(ranges))


class _Shared(NamedTuple):
    """Turns, tokens, time and cost of a run under one condition; the first fields in the order of ``_AMOUNTS``."""

    turns: Estimate
    tokens: Estimate
    seconds: Estimate
    cost: Estimate
    over_budget: Estimate


class _Judged(NamedTuple):
    """Scores and counts of a run under one condition by one judge."""

    coverage: Coverage
    score: Estimate
    delta: Estimate
    main: Estimate
    detectable: float | None


class _Condition:
    """The estimates of one run under one condition, all from the same resamples."""

    def __init__(self, rows: Sequence[int], arranged: Columns, ratings: Rated, drawn: Resamples) -> None:
        self._rows = list(rows)
        self._columns = arranged
        self._ratings = ratings
        self._drawn = drawn

    def shared(self) -> _Shared:
        """Return the estimates that no judge enters, such as turns and tokens."""
        amounts = np.hstack([getattr(self._columns, name)[self._rows] for name in _AMOUNTS])
        over = Ratios(self._columns.over_budget[self._rows], self._columns.messages[self._rows])
        means = ratio_intervals(Ratios.means(amounts), self._drawn, AMOUNT)
        return _Shared(*means, *ratio_intervals(over, self._drawn, SHARE))

    def judged(self) -> list[_Judged]:
        """Return the ratings of the run by each judge."""
        ratings, drawn = self._ratings, self._drawn
        finals = Ratios.means(ratings.final)
        counts = coverages(ratings)
        scores = bounded_intervals(*ratings.quality, finals.points, [each.rated for each in counts], drawn, SCORE)
        mains = main_intervals(ratings, drawn)
        delta = np.hstack([column[self._rows] for column in self._columns.delta.values()])
        deltas = ratio_intervals(Ratios.means(delta), drawn, DIFFERENCE)
        least = (2**0.5 * finals.errors(drawn)).tolist()
        freedom = finals.degrees(drawn).tolist()
        each = zip(counts, scores, deltas, mains, least, freedom, strict=True)
        return [
            _Judged(coverage, score, delta, main, detectable(error, df))
            for coverage, score, delta, main, error, df in each
        ]


def main_intervals(ratings: Rated, drawn: Resamples) -> list[Estimate]:
    """Estimate the main score of each run, 0–100, from resamples of the same instances."""
    known = ratings.count(RATED, UNPLAYED).tolist()
    return bounded_intervals(*ratings.main, ratings.main_scores(), known, drawn, MAIN)


def side_by_side(ratings: Iterable[Rated]) -> Rated:
    """Return the ratings of one run by several judges as columns."""
    every = list(ratings)
    return Rated(np.hstack([result.status for result in every]), np.hstack([result.final for result in every]))


def conditions(instances: Sequence[AnyInstance]) -> dict[Condition, list[int]]:
    """Return the rows of every condition that has an instance."""
    rows: dict[Condition, list[int]] = {}
    for row, instance in enumerate(instances):
        for condition in product((instance.category, None), (instance.difficulty, None)):
            rows.setdefault(condition, []).append(row)
    return rows


def _tallies(results: Sequence[EpisodeResult], judges: Sequence[str]) -> dict[BoardKey, Tally]:
    tallies: dict[BoardKey, Tally] = {}
    for result in results:
        for condition in product((result.episode.category, None), (result.episode.difficulty, None)):
            for judge in judges:
                tallies.setdefault((*condition, judge), Tally()).add(result, judge)
    return tallies
