"""Cells, which hold every number that is shown: what one judge says of one pair under one condition.

A cell depends on its run alone: the same resamples of the instances serve every run, so that differences between runs
are paired although each is computed by itself. Ranks need all runs of a board, and are computed here from the main
scores of their cells.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain, product
from math import isnan
from statistics import fmean
from threading import active_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.core.episode_records import EpisodeCost
from ircore.core.records import Instance
from ircore.results.arrays import Amounts, Array, arrange_amounts, arrange_deltas, conditions, spread_conditions, strata
from ircore.results.episodes import CONVERGENCES, Convergence, EpisodeResult
from ircore.results.judge_ratings import (
    RATED,
    UNPLAYED,
    Coverage,
    JudgeRatings,
    Scope,
    arrange_by_judge,
    count_coverage,
)
from ircore.results.statistics.bootstrap import (
    AMOUNT,
    DIFFERENCE,
    MAIN,
    SCORE,
    Ratios,
    Resamples,
    compute_half_interval,
    estimate_differences,
    estimate_ratios,
    resample,
)
from ircore.results.statistics.comparison import estimate_bounded_means
from ircore.results.statistics.intervals import SHARE, Estimate, estimate, estimate_share
from ircore.results.statistics.ranks import (
    RESAMPLES_USED,
    RankRange,
    Standing,
    compute_detectable,
    estimate_couples,
    rank_pairs,
)


@dataclass(frozen=True, kw_only=True)
class Cell(Coverage):
    """A judge's view of one pair under one condition.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> cell = results.cell(results.submissions[0].run_id, "structural", difficulty="easy")
        >>> cell.played, cell.played_share
        (1, 1.0)
    """

    run_id: str
    """The pair's run."""

    category: str | None
    """One category, or None for all of them."""

    difficulty: str | None
    """``easy``, ``hard``, or None for both."""

    judge: str
    """Name of the judge."""

    played: int
    """Number of episodes that came to an end and were not aborted."""

    outcomes: Mapping[str, int]
    """Number of episodes by outcome; episodes never begun are in none of the three counts."""

    main: Estimate
    """Main score, 0–100, by which boards rank: the mean of 10 × score, what the pair did not play counting 0.

    It is quality × played share, as clembench has it, of the episodes that have a result and that the judge could rate.
    Its interval covers what has no result yet and what is not rated as if it were anything; ``n`` counts what is known.
    """

    score: Estimate
    """Similarity of the final rendering, 0–10, over the played episodes that the judge rated; higher is better. The
    interval covers the applicable ones that it did not rate as if they were anything."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over played episodes of at least two renderings; above 0 refinement helps."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1, a tie being half."""

    convergence: Mapping[Convergence, int]
    """Number of rated episodes that improved, stayed stable, regressed, or had no refinement."""

    amounts: Mapping[str, Estimate]
    """What an episode took, by the keys of ``ircore.results.column``: steps, tokens, seconds, cost …"""

    same_family: bool
    """Whether judge and describer are models of one family: such a judge may favour its own family."""

    detectable: float | None
    """Score difference to a pair of the same spread that this many episodes find with a chance of 80 %, 0–10.

    Taken as if the two were independent, so √2 times what the pair's own spread gives: a cautious figure, since pairs
    play the same pictures. None with fewer than ``MINIMUM_PICTURES`` scores.
    """

    @property
    def ended(self) -> int:
        """Number of episodes that have ended, aborted ones included."""
        return sum(self.outcomes.values())

    @property
    def main_score(self) -> float | None:
        """The main score, 0–100; 0 if no episode was played, None if no played episode is rated."""
        return self.main.mean

    @property
    def played_share(self) -> float:
        """Played episodes over all episodes of the set under this condition, 0–1."""
        return self.played / self.episodes

    @property
    def played_rate(self) -> Estimate:
        """The played share with its interval, 0–1."""
        return estimate_share(self.played, self.episodes)

    @property
    def convergence_shares(self) -> Mapping[Convergence, Estimate]:
        """Share of each convergence outcome among the rated episodes, 0–1, with its interval."""
        rated = sum(self.convergence.values())
        return {name: estimate_share(count, rated) for name, count in self.convergence.items()}


class Tally:
    """Counter of episodes by outcome and rating.

    Args:
        outcomes: Those that the game has.

    Attributes:
        played: Episodes that were not aborted.
        outcomes: Count of each outcome, aborted included.
        convergence: Count of each convergence outcome among rated episodes.

    Example:
        >>> Tally(["converged"]).preference().n
        0
    """

    def __init__(self, outcomes: Iterable[str]) -> None:
        self.played = 0
        self.outcomes: dict[str, int] = dict.fromkeys(outcomes, 0)
        self.convergence: dict[Convergence, int] = dict.fromkeys(CONVERGENCES, 0)
        self._preferences: dict[str, list[float]] = {}
        self._labels: dict[str, str] = {}

    def add(self, result: EpisodeResult, judge: str) -> None:
        """Count an episode; of an aborted episode only the outcome counts."""
        self.outcomes[result.episode.outcome] += 1
        self.played += result.played
        judged = result.judged.get(judge)
        if judged is None:
            return
        if judged.convergence is not None:
            self.convergence[judged.convergence] += 1
        if judged.preference is not None:
            instance_id = result.episode.instance_id
            self._preferences.setdefault(instance_id, []).append(judged.preference)
            (self._labels[instance_id],) = strata([result.episode])

    def preference(self) -> Estimate:
        """Return the share that prefers the final rendering, 0–1, a tie being half."""
        # Each instance counts once: its episodes are no independent answers.
        return estimate([fmean(values) for values in self._preferences.values()], SHARE, list(self._labels.values()))


Floats = NDArray[np.float64]

_MANY = 50
"""Number of runs from which they are ranked in several processes."""

BoardKey = tuple[str | None, str | None, str]
"""Category, difficulty, judge."""

CellKey = tuple[str, str | None, str | None, str]
"""Run, category, difficulty, judge."""


def run_cells(
    instances: Sequence[Instance],
    run_id: str,
    results: Sequence[EpisodeResult],
    judges: Mapping[str, Scope],
    costs: Mapping[str, EpisodeCost],
    outcomes: Sequence[str],
) -> dict[BoardKey, Cell]:
    """Compute a run's cells under every condition.

    Args:
        instances: The whole set.
        run_id: The run's id.
        results: Its episodes.
        judges: As whom see its cells, with what each of them rates; those that rated nothing of it too.
        costs: What each episode cost, by its id.
        outcomes: Of the game.

    Returns:
        By category, difficulty and judge, ``same_family`` not set: that is known of all runs together.
    """
    # A run that nobody rated has no cell; without this, arrays of no column would follow.
    if not judges:
        return {}
    names = tuple(judges)
    under = conditions(instances)
    # All conditions at once, each as columns that know nothing of the other instances: arrays of a few numbers cost as
    # much time as those of thousands. The strata of the whole set are those of each of its parts.
    inside = np.zeros((len(instances), len(under)), bool)
    for column, rows in enumerate(under.values()):
        inside[rows, column] = True
    drawn = resample(strata(instances))
    taken = _estimate_amount_means(arrange_amounts(instances, {run_id: results}, {run_id: costs}), inside, drawn)
    deltas = np.hstack([*arrange_deltas(instances, {run_id: results}, names).values()])
    # The judges are columns, too: the arithmetic of one run by many judges is that of many runs by one.
    ratings = _stack_by_judge(arrange_by_judge(instances, {run_id: results}, judges).values())
    by_judge = iter(_compute_judge_fields(spread_conditions(deltas, inside), ratings.under(inside), drawn))
    tallies = _tally_outcomes(results, names, outcomes)
    cells: dict[BoardKey, Cell] = {}
    for (category, difficulty), amounts in zip(under, taken, strict=True):
        for judge in names:
            tally = tallies.get((category, difficulty, judge), Tally(outcomes))
            cells[category, difficulty, judge] = Cell(
                run_id=run_id,
                category=category,
                difficulty=difficulty,
                judge=judge,
                played=tally.played,
                outcomes=tally.outcomes,
                preference=tally.preference(),
                convergence=tally.convergence,
                same_family=False,
                amounts=amounts,
                **next(by_judge),
            )
    return cells


def compute_standings(
    instances: Sequence[Instance], ratings: Mapping[str, JudgeRatings], barred: Collection[int] = ()
) -> dict[BoardKey, Standing]:
    """Rank runs by their main scores under every condition, by every judge.

    Args:
        instances: The whole set.
        ratings: By judge, of all runs on all instances.
        barred: Columns of runs that may have no rank.

    Returns:
        By category, difficulty and judge; one range a run, in the order of the runs, None for one without a rank.
    """
    boards = [
        ((category, difficulty, judge), rows)
        for (category, difficulty), rows in conditions(instances).items()
        for judge in ratings
    ]

    def ranked(share: int, shares: int) -> list[tuple[BoardKey, Standing]]:
        return [
            (key, run_standing([instances[row] for row in rows], ratings[key[2]].rows(rows), barred))
            for key, rows in boards[share::shares]
        ]

    # Every run is compared with every other. A process that has threads, such as a notebook, is not forked.
    runs = max((rated.states.shape[1] for rated in ratings.values()), default=0)
    if runs >= _MANY and active_count() == 1:
        # Inside, since a small board is ranked before process pools could be imported.
        from ircore.core.workers import run_shares

        for rows in conditions(instances).values():
            # Drawn once, in memory that the processes share.
            _ = resample(strata(instances[row] for row in rows)).first(RESAMPLES_USED).weights
        standings = dict(chain(*run_shares(ranked)))
    else:
        standings = dict(ranked(0, 1))
    # Processes give their boards in another order than the conditions have.
    return {key: standings[key] for key, _ in boards}


def pair_main_scores(instances: Sequence[Instance], ratings: JudgeRatings) -> tuple[Floats, Floats, Resamples]:
    """Return the least and greatest main scores on instances that the judge rates, and their resamples.

    Args:
        instances: Under one condition.
        ratings: Of runs that all have a rank.
    """
    least, most = ratings.main
    # Only instances that count for all: differences are taken instance by instance.
    rows = np.flatnonzero(~np.isnan(least).any(axis=1)).tolist()
    return least[rows], most[rows], resample(strata(instances[row] for row in rows))


def estimate_main_differences(
    instances: Sequence[Instance],
    ratings: JudgeRatings,
    couples: Sequence[tuple[int, int]],
    criticals: Sequence[float | None],
) -> list[list[Estimate]]:
    """Return the differences of the main scores of couples of runs, first minus second.

    Args:
        instances: Under one condition.
        ratings: Of the runs on these instances.
        couples: Columns of two runs each.
        criticals: Of the boards that the runs are on; see ``ranks.estimate_couples``.

    Returns:
        One list for each critical value, in the order of the couples.
    """
    least, most = ratings.main
    # The points from what is known, the intervals from what the unknown could be.
    scores, outside = ratings.main_scores(), np.isnan(least)
    points = [float(scores[first] - scores[second]) for first, second in couples]
    # Couples for which the same instances count are estimated together.
    together: dict[bytes, list[int]] = {}
    for place, (couple, point) in enumerate(zip(couples, points, strict=True)):
        if not isnan(point):
            together.setdefault(outside[:, couple].any(axis=1).tobytes(), []).append(place)
    differences: list[dict[int, Estimate]] = [{} for _ in criticals]
    for places in together.values():
        runs, columns = np.unique([couples[place] for place in places], return_inverse=True)
        rows = np.flatnonzero(~outside[:, couples[places[0]]].any(axis=1))
        estimates = estimate_couples(
            [points[place] for place in places],
            columns.reshape(-1, 2),
            least[np.ix_(rows, runs)],
            most[np.ix_(rows, runs)],
            resample(strata(instances[row] for row in rows.tolist())),
            criticals,
        )
        for known, by_critical in zip(differences, estimates, strict=True):
            known |= zip(places, by_critical, strict=True)
    missing = Estimate(None, None, None, 0)
    return [[known.get(place, missing) for place in range(len(couples))] for known in differences]


def run_standing(instances: Sequence[Instance], ratings: JudgeRatings, barred: Collection[int] = ()) -> Standing:
    """Rank runs by their main scores under one condition.

    Args:
        instances: Under this condition.
        ratings: Of all runs on these instances.
        barred: Columns of runs that may have no rank.
    """
    ranked = [
        index
        for index, coverage in enumerate(count_coverage(ratings))
        if coverage.unranked is None and index not in barred
    ]
    ranked_standing = rank_pairs(*pair_main_scores(instances, ratings.columns(ranked)))
    ranges: list[RankRange | None] = [None] * ratings.states.shape[1]
    for index, rank in zip(ranked, ranked_standing.ranges, strict=True):
        ranges[index] = rank
    return replace(ranked_standing, ranges=tuple(ranges))


def _estimate_amount_means(
    amounts: Mapping[str, Amounts], inside: NDArray[np.bool_], drawn: Resamples
) -> list[dict[str, Estimate]]:
    """Estimate what the episodes of a run took, by the keys of ``AMOUNTS``, under each condition.

    Args:
        amounts: Of one run, on the whole set.
        inside: Whether an instance is of a condition, shape (instances, conditions).
        drawn: Of the whole set.
    """
    means = [key for key, amount in amounts.items() if amount.per is None]
    # Side by side: all means are estimated at once.
    arrays = spread_conditions(np.hstack([amounts[key].of for key in means]), inside)
    known = iter(estimate_ratios(Ratios.means(arrays), drawn, AMOUNT))
    by_condition: list[dict[str, Estimate]] = [{key: next(known) for key in means} for _ in inside.T]
    for key, amount in amounts.items():
        if amount.per is not None:
            shares = Ratios(spread_conditions(amount.of, inside, 0.0), spread_conditions(amount.per, inside, 0.0))
            for known_means, share in zip(by_condition, estimate_ratios(shares, drawn, SHARE), strict=True):
                known_means[key] = share
    return [{key: known_means[key] for key in amounts} for known_means in by_condition]


def _compute_judge_fields(deltas: Array, ratings: JudgeRatings, drawn: Resamples) -> list[dict[str, Any]]:
    """Return the fields of ``Cell`` that rest on ratings, for each column: counts, scores, detectable difference."""
    finals = Ratios.means(ratings.final)
    counts = count_coverage(ratings)
    scores = estimate_bounded_means(*ratings.quality, finals.points, ratings.count(RATED).tolist(), drawn, SCORE)
    mains = estimate_main_scores(ratings, drawn)
    changes = estimate_differences(deltas, ratings.final, drawn, SCORE, DIFFERENCE)
    # A pair of the same spread that is independent of this one: the difference has twice the variance.
    moments = finals.moments(drawn, SCORE)
    errors = (2 * moments.squares * moments.inflation) ** 0.5
    halves = compute_half_interval(errors, moments, SCORE)
    return [
        {
            **asdict(count),
            "doubt": count.doubt,
            "score": score,
            "delta": delta,
            "main": main,
            "detectable": compute_detectable(half, error, freedom),
        }
        for count, score, delta, main, half, error, freedom in zip(
            counts, scores, changes, mains, halves, errors, moments.freedom, strict=True
        )
    ]


def estimate_main_scores(ratings: JudgeRatings, drawn: Resamples) -> list[Estimate]:
    """Estimate the main score of each run, 0–100, over the same instances."""
    known = ratings.count(RATED, UNPLAYED).tolist()
    return estimate_bounded_means(*ratings.main, ratings.main_scores(), known, drawn, MAIN)


def _stack_by_judge(ratings: Iterable[JudgeRatings]) -> JudgeRatings:
    """Return the ratings of one run by several judges as columns."""
    every = list(ratings)
    return JudgeRatings(
        *(np.hstack([getattr(result, field.name) for result in every]) for field in fields(JudgeRatings))
    )


def _tally_outcomes(
    results: Sequence[EpisodeResult], judges: Sequence[str], outcomes: Sequence[str]
) -> dict[BoardKey, Tally]:
    tallies: dict[BoardKey, Tally] = {}
    for result in results:
        # Each episode counts under its own condition, under the two that are wider, and under all.
        for condition in product((result.episode.category, None), (result.episode.difficulty, None)):
            for judge in judges:
                tallies.setdefault((*condition, judge), Tally(outcomes)).add(result, judge)
    return tallies
