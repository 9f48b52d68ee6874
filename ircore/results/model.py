"""The results model: what the leaderboard, the dataset release and ``ircore results`` all render.

``Results.from_runs`` makes it from run folders of one instance set. Boards, figures and tables are views of its cells;
nothing else computes a mean.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from pathlib import Path
from typing import Protocol

from ircore.errors import InputError
from ircore.instances.store import InstanceSet
from ircore.plugins import unknown
from ircore.records import CATEGORIES, DIFFICULTIES, Episode, Instance, Outcome, Run, Score
from ircore.results.episodes import Convergence, EpisodeResult, judge_episodes
from ircore.results.tally import Tally
from ircore.statistics.estimate import Estimate


class PlayedRun(Protocol):
    """What results are computed from: a ``RunFolder``, or a run read back from a dataset release."""

    @property
    def path(self) -> Path:
        """Where it was read from, for error messages."""
        ...

    @property
    def run(self) -> Run:
        """Its identity."""
        ...

    @property
    def instances(self) -> InstanceSet:
        """The set it was played on."""
        ...

    def episodes(self) -> Sequence[Episode]:
        """Return the episodes that have ended."""
        ...

    def scores(self) -> Sequence[Score]:
        """Return the scores in the order in which they were given."""
        ...


@dataclass(frozen=True)
class SubmissionResult:
    """A pair as it was played in one run: what a row of a board stands for."""

    run: Run
    """The run's identity, rules and manifest included."""

    @property
    def run_id(self) -> str:
        """The run's id: the key of this row, unique among results."""
        return self.run.run_id

    @property
    def slug(self) -> str:
        """The submission's folder name; shared by runs under different rules."""
        return self.run.slug

    @property
    def name(self) -> str:
        """The pair's name as its manifest states it."""
        return self.run.submission.name

    @property
    def describer(self) -> str:
        """The describer's label: its model, or the built-in player's name."""
        return self.run.submission.describer.label

    @property
    def generator(self) -> str:
        """The generator's label: its model, or the built-in player's name."""
        return self.run.submission.generator.label


@dataclass(frozen=True)
class Cell:
    """One pair under one condition as one judge sees it; every number that is shown stands in a cell."""

    run_id: str
    """The pair's run."""

    category: str | None
    """One category, or None for all of them."""

    difficulty: str | None
    """``easy``, ``hard``, or None for both."""

    judge: str
    """Name of the judge."""

    episodes: int
    """Episodes of the whole instance set under this condition, whether played or not."""

    played: int
    """Of these, episodes that came to an end and were not aborted."""

    outcomes: Mapping[Outcome, int]
    """How the episodes ended; those never begun are in none of the three counts."""

    score: Estimate
    """Similarity of the final rendering, 0–10, over the played episodes that the judge rated; higher is better."""

    delta: Estimate
    """ΔQ = final − first, −10 to 10, over played episodes of at least two renderings; above 0 refinement helps."""

    preference: Estimate
    """Share of the same episodes in which the final rendering is preferred to the first, 0–1, a tie being half."""

    convergence: Mapping[Convergence, int]
    """How many rated episodes improved, stayed stable, regressed, or had no refinement."""

    turns: Estimate
    """Turns with a rendering per played episode."""

    tokens: Estimate
    """Tokens of the describer's messages per played episode."""

    seconds: Estimate
    """Seconds that both players took per played episode."""

    @property
    def played_share(self) -> float:
        """Played episodes over all episodes of the set under this condition, 0–1."""
        return self.played / self.episodes

    @property
    def main_score(self) -> float | None:
        """Quality × played share in 0–100, as clembench has it; 0 if none was played, None if none was rated."""
        if self.played == 0:
            return 0.0
        return None if self.score.mean is None else self.score.mean * 10 * self.played_share


@dataclass(frozen=True)
class BoardRow:
    """A line of a board."""

    rank_low: int | None
    """Best rank that the intervals allow, 1-based; None for a pair without a score."""

    rank_high: int | None
    """Worst rank that the intervals allow."""

    submission: SubmissionResult
    """The pair."""

    cell: Cell
    """Its numbers."""


@dataclass(frozen=True)
class Results:
    """Everything known of some runs on one instance set."""

    instance_set: str
    """Identity (SHA-256) of the set that every run was played on."""

    instances: tuple[Instance, ...]
    """The whole set, in its order."""

    submissions: tuple[SubmissionResult, ...]
    """By slug, then by token budget and turn limit."""

    judges: tuple[str, ...]
    """Every judge that rated a played episode of any run, by name."""

    metrics: tuple[str, ...]
    """Every metric computed in any run, by name."""

    categories: tuple[str, ...]
    """The set's categories in the game's order, unknown ones last."""

    difficulties: tuple[str, ...]
    """The set's difficulties, easy first."""

    cells: Mapping[tuple[str, str | None, str | None, str], Cell]
    """By run_id, category, difficulty and judge; one for each combination that has an instance."""

    episodes: Mapping[str, tuple[EpisodeResult, ...]]
    """By run_id, in the run's order."""

    @classmethod
    def from_runs(cls, runs: Sequence[PlayedRun]) -> "Results":
        """Compute the results of runs; the order in which they are given does not matter.

        Args:
            runs: At least one, all on the same instance set.

        Raises:
            InputError: There is no run, two runs are of different instance sets, or two are of the same submission
                under the same rules.
        """
        ordered = sorted(runs, key=_order)
        _refuse_mixtures(ordered)
        instances = ordered[0].instances
        episodes = {
            one.run.run_id: judge_episodes(one.run.run_id, one.run.slug, one.episodes(), one.scores())
            for one in ordered
        }
        every = [result for results in episodes.values() for result in results]
        judges = tuple(sorted({judge for result in every for judge in result.judged}))
        return cls(
            instance_set=instances.identity,
            instances=instances.instances,
            submissions=tuple(SubmissionResult(one.run) for one in ordered),
            judges=judges,
            metrics=tuple(sorted({metric for result in every for metric in result.metrics})),
            categories=_in_order({one.category for one in instances.instances}, CATEGORIES),
            difficulties=_in_order({one.difficulty for one in instances.instances}, DIFFICULTIES),
            cells=_cells(instances.instances, episodes, judges),
            episodes=episodes,
        )

    def cell(self, run_id: str, judge: str, category: str | None = None, difficulty: str | None = None) -> Cell:
        """Return one cell; KeyError if there is no such run, judge or condition."""
        return self.cells[run_id, category, difficulty, judge]

    def board(self, judge: str, category: str | None = None, difficulty: str | None = None) -> tuple[BoardRow, ...]:
        """Rank the pairs by their mean final score, best first; pairs without one come last, without a rank.

        A rank is a range: the best is 1 + the number of pairs whose whole interval lies above this one's, the worst
        is the number of pairs whose interval does not lie wholly below it. A pair with one episode has no interval
        and could be anywhere. Overlap of two intervals is a cautious reading, not a test of the difference.

        Args:
            judge: One of ``judges``.
            category: One of ``categories``, or None for all.
            difficulty: One of ``difficulties``, or None for both.

        Raises:
            InputError: There is no such judge, category or difficulty here.
        """
        for kind, name, known in (
            ("judge", judge, self.judges),
            ("category", category, self.categories),
            ("difficulty", difficulty, self.difficulties),
        ):
            if name is not None and name not in known:
                raise unknown(kind, name, known)
        pairs = [
            (one, self.cells[one.run_id, category, difficulty, judge])
            for one in self.submissions
            if (one.run_id, category, difficulty, judge) in self.cells
        ]
        return _ranked(pairs)


def _order(run: PlayedRun) -> tuple[str, int, int, str, str]:
    rules = run.run.rules
    return run.run.slug, rules.token_budget, rules.max_turns, rules.over_budget, str(run.path)


def _refuse_mixtures(runs: Sequence[PlayedRun]) -> None:
    if not runs:
        raise InputError("no run was given", "Name at least one run folder.")
    played: dict[object, PlayedRun] = {}
    for one in runs:
        if one.run.instance_set != runs[0].run.instance_set:
            raise InputError(
                f"{runs[0].path} and {one.path} were played on different instance sets",
                "Results are only compared on the same set: give runs of one set.",
            )
        twin = played.setdefault((one.run.slug, one.run.rules), one)
        if twin is not one:
            raise InputError(
                f"{twin.path} and {one.path} are both runs of {one.run.slug} under the same rules", "Give one of them."
            )


def _in_order(names: set[str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in known if name in names) + tuple(sorted(names.difference(known)))


def _conditions(category: str, difficulty: str) -> Iterable[tuple[str | None, str | None]]:
    return product((category, None), (difficulty, None))


def _cells(
    instances: Sequence[Instance], episodes: Mapping[str, Sequence[EpisodeResult]], judges: Sequence[str]
) -> dict[tuple[str, str | None, str | None, str], Cell]:
    sizes = Counter(key for one in instances for key in _conditions(one.category, one.difficulty))
    tallies = {(run_id, *condition, judge): Tally() for run_id in episodes for condition in sizes for judge in judges}
    for run_id, results in episodes.items():
        for result in results:
            for condition in _conditions(result.episode.category, result.episode.difficulty):
                for judge in judges:
                    tallies[(run_id, *condition, judge)].add(result, judge)
    return {key: _cell(key, sizes[key[1:3]], tally) for key, tally in tallies.items()}


def _cell(key: tuple[str, str | None, str | None, str], size: int, tally: Tally) -> Cell:
    run_id, category, difficulty, judge = key
    return Cell(
        run_id=run_id,
        category=category,
        difficulty=difficulty,
        judge=judge,
        episodes=size,
        played=tally.played,
        outcomes=tally.outcomes,
        score=tally.score(),
        delta=tally.delta(),
        preference=tally.preference(),
        convergence=tally.convergence,
        turns=tally.turns(),
        tokens=tally.tokens(),
        seconds=tally.seconds(),
    )


def _ranked(pairs: Sequence[tuple[SubmissionResult, Cell]]) -> tuple[BoardRow, ...]:
    ordered = sorted(pairs, key=lambda pair: -inf if pair[1].score.mean is None else pair[1].score.mean, reverse=True)
    intervals = [_interval(cell.score) for _, cell in ordered if cell.score.n]
    lows = sorted(low for low, _ in intervals)
    highs = sorted(high for _, high in intervals)
    rows = []
    for submission, cell in ordered:
        if cell.score.n:
            low, high = _interval(cell.score)
            best = 1 + len(lows) - bisect_right(lows, high)
            worst = len(highs) - bisect_left(highs, low)
            rows.append(BoardRow(best, worst, submission, cell))
        else:
            rows.append(BoardRow(None, None, submission, cell))
    return tuple(rows)


def _interval(score: Estimate) -> tuple[float, float]:
    return (-inf if score.low is None else score.low, inf if score.high is None else score.high)
