"""The results model, which the leaderboard, the dataset release and ``ircore results`` all render.

``Results.from_runs`` makes it from run folders of one instance set. Boards, figures and tables are views of its cells;
nothing else computes a mean.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

from ircore.core.errors import InputError
from ircore.core.records import DEFAULT_GAME, DIFFICULTIES, Instance, build_natural_key
from ircore.core.score_records import JudgeIdentity
from ircore.core.submission_records import Run
from ircore.games.base import Game, Measure, Seat
from ircore.games.registry import load_game
from ircore.instances.benchmark import RetiredTarget, find_retired_targets
from ircore.players.traits import describe_programs
from ircore.results.arrays import select_condition, sort_names, strata
from ircore.results.cells import BoardKey, CellKey, compute_standings, estimate_main_differences
from ircore.results.cells import Cell as Cell
from ircore.results.episodes import EpisodeResult
from ircore.results.judge_ratings import JudgeRatings, Scope, arrange_by_judge, find_scopes, judge_ratings
from ircore.results.judged_measures import JudgedMeasures
from ircore.results.judges_of_runs import (
    Raters,
    compute_cells,
    compute_run_cells,
    merge_identities,
    refuse_mixed_metrics,
)
from ircore.results.measure_means import measure_mean
from ircore.results.played_run import PlayedRun, RunSource
from ircore.results.ranking import (
    RankedRow,
    find_barred_columns,
    find_held_runs,
    find_over_budget_runs,
    rank_rows,
    refuse_mixtures,
    refuse_unknown,
)
from ircore.results.statistics.comparison import PairComparison, compare
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import Standing
from ircore.runs.folder import SaidTurn
from ircore.runs.provenance import Provenance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Order = Literal["main", "quality"]
"""What a board is ordered by: the main score, which decides the ranks, or the score of what was played."""


@dataclass(frozen=True)
class SubmissionResult:
    """A submission as played in one run: the subject of a row of a board.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> SubmissionResult(RunFolder(Path("run")).run, load_game("reconstruction")).players
    ('classical', 'canvas')
    """

    run: Run
    """The run's identity, rules and manifest included."""

    game: Game[Any] = field(compare=False, repr=False)
    """Its game."""

    provenance: Provenance | None = None
    """Who vouches for the run; None if nobody does."""

    @cached_property
    def run_id(self) -> str:
        """The run's id: the key of this row, unique among results."""
        return self.run.run_id

    @property
    def slug(self) -> str:
        """The submission's folder name; shared by runs under different rules."""
        return self.run.slug

    @property
    def name(self) -> str:
        """The pair's name, as stated in the manifest."""
        return self.run.submission.name

    @cached_property
    def rules(self) -> Any:
        """The rules that it was played by; see ``Game.read_rules``."""
        return self.game.read_rules(self.run)

    @property
    def players(self) -> tuple[str, ...]:
        """Labels of the players in the seats that are taken, in the game's order."""
        taken = self.run.submission.players
        return tuple(taken[seat.name].label for seat in self.game.seats if seat.name in taken)

    @property
    def describer(self) -> str:
        """The describer's label: its model, or the built-in player's name."""
        return self.run.submission.players["describer"].label

    @property
    def generator(self) -> str:
        """The generator's label: its model, or the built-in player's name."""
        return self.run.submission.players["generator"].label


BoardRow = RankedRow[SubmissionResult, Cell]
"""A line of a board."""


@dataclass(frozen=True)
class Reference:
    """A run of a reference player, which saw more than players may see: a line beside pairs, never ranked.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> from ircore.results.played_run import PlayedRun
    >>> run = PlayedRun(RunFolder(Path("run")))
    >>> Reference(run, SubmissionResult(run.run, run.game), cells={}).submission.generator
    'canvas'
    """

    run: PlayedRun
    """The run itself."""

    submission: SubmissionResult
    """Players and rules."""

    cells: Mapping[BoardKey, Cell]
    """Its numbers by category, difficulty and judge."""


@dataclass(frozen=True)
class Results:
    """Results of runs of one game on one instance set: cells, boards, episodes and the runs themselves.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> results = Results.from_runs([RunFolder(Path("run"))])
    >>> [(row.submission.name, row.cell.played) for row in results.board("structural")]
    [('classical + canvas', 2)]
    """

    instance_set: str
    """Identity (SHA-256) of the set that every run was played on."""

    instances: Sequence[Instance]
    """The whole set but for retired targets, in its order."""

    submissions: tuple[SubmissionResult, ...]
    """By slug, then by token budget and turn limit."""

    judges: tuple[str, ...]
    """What boards can be headed by: every judge that rated a played episode of any run, by name; in a game that
    measures its headline itself, the key of that measure alone."""

    metrics: tuple[str, ...]
    """Every metric computed in any run, by name."""

    categories: tuple[str, ...]
    """The set's categories in the game's order, unknown ones last."""

    difficulties: tuple[str, ...]
    """The set's difficulties, easy first."""

    cells: Mapping[CellKey, Cell]
    """By run_id, category, difficulty and judge; one for each combination that has an instance."""

    episodes: Mapping[str, tuple[EpisodeResult, ...]]
    """By run_id, in the run's order."""

    standings: Mapping[BoardKey, Standing]
    """By category, difficulty and judge: the rank range of each of ``submissions``, and what could be told apart."""

    judge_identities: Mapping[str, JudgeIdentity]
    """Who the judges are, by name, as far as a run says so."""

    runs: Mapping[str, PlayedRun] = field(default_factory=dict, compare=False, repr=False)
    """The runs themselves, by run_id."""

    said: Mapping[str, tuple[SaidTurn, ...]] = field(default_factory=dict)
    """Facts that messages state and renderings show, by run_id, as far as that was measured."""

    references: tuple[Reference, ...] = ()
    """Runs of reference describers, in none of the above: ceilings and floors."""

    held: frozenset[str] = frozenset()
    """Ids of runs with grave findings that no maintainer has cleared: listed without a rank."""

    past_budget: frozenset[str] = frozenset()
    """Ids of runs whose generator was given messages over the token budget: no rank either."""

    retired: tuple[RetiredTarget, ...] = ()
    """Targets of the set that were retired: in none of the above."""

    game: Game[Any] = field(default_factory=partial(load_game, DEFAULT_GAME), compare=False)
    """The game, with a measure for each judge that rated (``ircore.results.judged_measures``)."""

    programs: str = field(default="", compare=False)
    """A sentence that says which players are programs of this project, and no AI models; empty if none is."""

    @classmethod
    def from_runs(
        cls,
        runs: Iterable[RunSource | PlayedRun],
        cleared: Collection[str] = (),
        game: Game[Any] | None = None,
        retired: Sequence[RetiredTarget] | None = None,
    ) -> "Results":
        """Compute the results of runs; the order in which they are given does not matter.

        Args:
            runs: At least one, all of one game on the same instance set: run folders, runs read back from a release, or
                views. Those of reference players become ``references``.
            cleared: Ids of runs whose findings a maintainer looked at: they keep their ranks.
            game: The game; the installed one of the runs' name if None.
            retired: Targets that are left out; those that the project has retired from the runs' set if None.

        Raises:
            InputError: There is no run but those of reference players, two runs are of different games or instance
                sets, two are of the same submission under the same rules and prompts, judges of one name are not the
                same, values of a metric are of two versions, or a run has no values of its game's measures yet.
            WorkError: The game cannot be imported.
        """
        # Sorted, so that the results do not depend on the order in which the runs were named.
        sources = sorted((PlayedRun.of(run, game) for run in runs), key=lambda run: run.sort_key)
        # References too: their lines stand beside pairs, so they must be of the same set.
        refuse_mixtures(sources)
        if retired is None:
            retired = find_retired_targets(sources[0].run.instance_set)
        if retired:
            names = {target.instance_id for target in retired}
            sources = [run.without(names) for run in sources]
        game = sources[0].game
        is_judged = game.is_judged
        alone = all(run.run.reference for run in sources)
        if alone and is_judged:
            raise InputError(
                f"{sources[0].path}: is a run of a reference player, which is never ranked",
                "Name a run of a submission as well: the reference is shown beside it.",
            )
        identities = merge_identities(sources)
        if not is_judged:
            raters = sorted({score.by for run in sources for score in run.scores if score.task == "similarity"})
            labels = {name: identities[name].label if name in identities else name for name in raters}
            judged = JudgedMeasures(game, labels)
            game, sources = judged.game, [run.with_measures(judged) for run in sources]
            for run in sources:
                _refuse_unmeasured(run)
        ordered = [run for run in sources if alone or not run.run.reference]
        instances = ordered[0].instances
        by_id = {run.run.run_id: run for run in ordered}
        episodes = {run_id: run.results for run_id, run in by_id.items()}
        every = [result for results in episodes.values() for result in results]
        judges = tuple(sorted({judge for result in every for judge in result.judged}))
        if not is_judged:
            judges = (game.headline.key,)
        refuse_mixed_metrics(sources)
        families = {judge: identities[judge].family if judge in identities else None for judge in judges}
        scopes = find_scopes(judges, identities)
        held_run_ids = find_held_runs(((run_id, run.provenance) for run_id, run in by_id.items()), cleared)
        past_budget = find_over_budget_runs(ordered)
        barred = held_run_ids | past_budget | {run.run.run_id for run in ordered if run.run.reference}
        ratings = arrange_by_judge(instances.instances, episodes, scopes)
        results = cls(
            instance_set=instances.identity,
            instances=instances.instances,
            submissions=tuple(SubmissionResult(run.run, run.game, run.provenance) for run in ordered),
            judges=judges,
            metrics=tuple(sorted({metric for result in every for metric in result.metrics})),
            categories=sort_names({instance.category for instance in instances.instances}, game.categories),
            difficulties=sort_names({instance.difficulty for instance in instances.instances}, DIFFICULTIES),
            cells=compute_cells(by_id, scopes, families, (held_run_ids, past_budget)),
            episodes=episodes,
            standings=compute_standings(instances.instances, ratings, find_barred_columns(by_id, barred)),
            held=held_run_ids,
            past_budget=past_budget,
            retired=tuple(retired),
            game=game,
            programs=describe_programs(spec for run in sources for spec in run.run.submission.players.values()),
            judge_identities=identities,
            runs=by_id,
            said={run_id: run.said for run_id, run in by_id.items()},
            references=tuple(
                Reference(
                    run, SubmissionResult(run.run, run.game, run.provenance), compute_run_cells(run, scopes, families)
                )
                for run in sources
                if run.run.reference and not alone
            ),
        )
        results.ratings.update(ratings)
        return results

    @property
    def barred(self) -> frozenset[str]:
        """Ids of the runs of ``submissions`` that may have no rank."""
        references = (run_id for run_id, run in self.runs.items() if run.run.reference)
        return self.held | self.past_budget | frozenset(references)

    @cached_property
    def parts_by_rules(self) -> "dict[Any, Results]":
        """Results of the runs under one set of rules each, as ``subsets.select_by_rules`` has ranked them so far."""
        return {}

    @cached_property
    def ratings(self) -> dict[str, JudgeRatings]:
        """Ratings of all runs by judge, as far as they have been arranged; see ``ratings_of``."""
        return {}

    @cached_property
    def rule_sets(self) -> tuple[Any, ...]:
        """The rules that runs were played by, most used first; in a tie, the default rules come first."""
        if not self.submissions:
            return ()
        counted = Counter(submission.rules for submission in self.submissions)
        usual = self.game.rules().model_dump(mode="json")
        default = self.game.read_rules(self.submissions[0].run.model_copy(update={"rules": usual}))

        def place(rules: Any) -> tuple[int, bool, list[str | int]]:
            return -counted[rules], rules != default, build_natural_key(rules.key)

        return tuple(sorted(counted, key=place))

    @cached_property
    def every_run(self) -> tuple[PlayedRun, ...]:
        """The runs, those of reference players included, by slug, then by rules."""
        every = (*self.runs.values(), *(reference.run for reference in self.references))
        return tuple(sorted(every, key=lambda run: run.sort_key))

    @cached_property
    def seats(self) -> tuple[Seat[Any, Any], ...]:
        """Seats that somebody took in at least one run."""
        taken = {name for run in self.every_run for name in run.run.submission.players}
        return tuple(seat for seat in self.game.seats if seat.name in taken)

    @cached_property
    def crossed(self) -> tuple[Seat[Any, Any], Seat[Any, Any]] | None:
        """The two seats whose players are crossed in a matrix and in effects; None where one seat alone is taken."""
        taken = {seat.name: seat for seat in self.seats}
        declared = [taken[name] for name in self.game.pages.matrix if name in taken]
        # Without a declaration the first two seats are crossed, as describer and generator are.
        seats = declared if len(declared) > 1 else [*self.seats]
        return (seats[0], seats[1]) if len(seats) > 1 else None

    @cached_property
    def crossed_players(self) -> dict[str, tuple[str, str]]:
        """Labels of each run's players in the two crossed seats, by run_id; empty where one seat alone is taken."""
        if self.crossed is None:
            return {}
        first, second = (seat.name for seat in self.crossed)
        played = {entry.run_id: entry.run.submission for entry in self.submissions}
        return {run_id: (entry.label_of(first), entry.label_of(second)) for run_id, entry in played.items()}

    @property
    def shown(self) -> tuple[Measure, ...]:
        """The measures of a board: the headline, then the measures that the game's pages name."""
        game = self.game
        return tuple(item for item in game.measures if item is game.headline or item.key in game.pages.columns)

    def mean(self, run_id: str, key: str, category: str | None = None, difficulty: str | None = None) -> Estimate:
        """Return the mean of a measure over a run's played episodes, in its unit; empty without values.

        Args:
            run_id: The run.
            key: Of a measure of ``game``.
            category: Only this category; all if None.
            difficulty: Only this difficulty; both if None.

        Raises:
            KeyError: There is no such run or measure.
        """
        asked = run_id, key, category, difficulty
        if asked not in self._means:
            runs = {run.run.run_id: run for run in self.every_run}
            self._means[asked] = measure_mean(
                self.game, runs[run_id], key, select_condition(self.instances, category, difficulty)
            )
        return self._means[asked]

    def cell(self, run_id: str, judge: str, category: str | None = None, difficulty: str | None = None) -> Cell:
        """Return the cell of a run, judge and condition; KeyError if no such cell exists."""
        return self.cells[run_id, category, difficulty, judge]

    def no_ratings(self) -> InputError:
        """Return the error for runs of which no judge has rated anything: not scored yet, or nothing there to score."""
        episodes = [result.episode for results in self.episodes.values() for result in results]
        paths = " ".join(quote(str(path)) for path in dict.fromkeys(run.path for run in self.runs.values()))
        if any(episode.played and episode.renderings for episode in episodes):
            return InputError(f"{paths}: no judge has rated anything yet", f"Score them first: ircore score {paths}")
        reasons = Counter(episode.abort_reason or episode.outcome for episode in episodes if not episode.played)
        said = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        return InputError(
            f"{paths}: nothing to score, since no episode was played ({said or 'none has ended'})",
            f"See why: ircore show {paths.split()[0]} – what failed at a service is asked again by: ircore play",
        )

    def board(
        self,
        judge: str | None = None,
        category: str | None = None,
        difficulty: str | None = None,
        order: Order = "main",
    ) -> tuple[BoardRow, ...]:
        """Rank the pairs by their main score, best first; pairs without a rank come last (``Cell.unranked`` says why).

        A rank is a range: the best is 1 + the number of pairs that are significantly better, the worst is the number
        of pairs that are not significantly worse. Main scores are compared instance by instance, an episode that a pair
        did not play counting 0; all comparisons of a board share one error rate (``ircore.results.statistics.ranks``).

        Args:
            judge: One of ``judges``; None where there is only one.
            category: One of ``categories``, or None for all.
            difficulty: One of ``difficulties``, or None for both.
            order: ``quality`` orders the rows by the score of what was played, which leaves out what was not; ranks
                stay those of the main score.

        Raises:
            InputError: There is no such judge, category or difficulty here.
        """
        if judge is None:
            if len(self.judges) != 1:
                raise InputError(f"judges: {', '.join(self.judges) or 'none'}", "Name one.")
            (judge,) = self.judges
        refuse_unknown(judge=(judge, self.judges))
        refuse_unknown(category=(category, self.categories), difficulty=(difficulty, self.difficulties))
        # Category and difficulty are both known, but no instance has both.
        if (key := (category, difficulty, judge)) not in self.standings:
            return ()
        # Kept: the page of each pair asks for the board that its pair stands on.
        if (key, order) not in self._boards:
            ranks = zip(self.submissions, self.standings[key].ranges, strict=True)
            rows = ((submission, self.cells[submission.run_id, *key], rank) for submission, rank in ranks)
            self._boards[key, order] = rank_rows(rows, lambda cell: (cell.main if order == "main" else cell.score).mean)
        return self._boards[key, order]

    def detectable(self, judge: str, category: str | None = None, difficulty: str | None = None) -> float | None:
        """Return the difference of two main scores, 0–100, that this board finds with a chance of 80 % by its own rule.

        The median over all couples of pairs that have ranks; None if there are no two; KeyError for what is not there.
        """
        return self.standings[category, difficulty, judge].detectable

    def compare(
        self, first: str, second: str, judge: str, category: str | None = None, difficulty: str | None = None
    ) -> PairComparison:
        """Compare two pairs: a single couple of ``compare_couples``."""
        return self.compare_couples([(first, second)], judge, category, difficulty)[0]

    def compare_couples(
        self,
        couples: Sequence[tuple[str, str]],
        judge: str,
        category: str | None = None,
        difficulty: str | None = None,
    ) -> list[PairComparison]:
        """Compare couples of pairs: on the instances that both have a score for, at worst, and by their main scores.

        The interval of the main scores' difference is the one by which this board ranks: no two pairs have separate
        ranks whose interval holds 0. So take the results of the pairs that are ranked together (``subsets.by_rules``).

        Args:
            couples: run_id of the first and of the second pair. Many at once read the resamples once.
            judge: One of ``judges``.
            category: One of ``categories``, or None for all.
            difficulty: One of ``difficulties``, or None for both.

        Returns:
            First minus second pair of each couple.

        Raises:
            KeyError: There is no such run.
        """
        chosen = select_condition(self.instances, category, difficulty)
        places = {run_id: place for place, run_id in enumerate(dict.fromkeys(chain.from_iterable(couples)))}
        ratings = self.ratings_of(judge, list(places), chosen)
        columns = [(places[first], places[second]) for first, second in couples]
        known = self.standings.get((category, difficulty, judge))
        # By the board's own critical value, so that comparison and ranks never contradict each other.
        criticals = known.critical if known else None, None
        mains, alone = estimate_main_differences(chosen, ratings, columns, criticals)
        low, high = ratings.at_worst
        finals = [ratings.final[:, couple] for couple in columns]
        bounds = [(low[:, couple], high[:, couple]) for couple in columns]
        return compare(finals, strata(chosen), bounds, mains, alone)

    def finals(self, judge: str, run_ids: Sequence[str], instances: Sequence[Instance]) -> "NDArray[np.float64]":
        """Return a judge's scores of final renderings, 0–10, NaN where a score is missing; shape (instances, runs).

        Args:
            judge: One of ``judges``.
            run_ids: The columns.
            instances: The rows, of ``instances``.

        Raises:
            KeyError: There is no such run.
        """
        return self.ratings_of(judge, run_ids, instances).final

    def ratings_of(self, judge: str, run_ids: Sequence[str], instances: Sequence[Instance]) -> JudgeRatings:
        """Return a judge's ratings of some runs on some instances; arguments and errors as of ``finals``."""
        # All runs are arranged at once and kept: a matrix of pairs asks for them couple by couple.
        every = self.ratings.get(judge)
        if every is None:
            every = self.ratings[judge] = judge_ratings(self.instances, self.episodes, judge, self.scopes.get(judge))
        rows = [self._rows[instance.instance_id] for instance in instances]
        # Columns first: of two runs among hundreds, rows of all would be copied.
        return every.columns([self._columns[run_id] for run_id in run_ids]).rows(rows)

    @property
    def scopes(self) -> dict[str, Scope]:
        """Categories that each judge rates; None where a judge rates all categories."""
        return find_scopes(self.judges, self.judge_identities)

    @cached_property
    def raters(self) -> Raters:
        """How far judges, people and image metrics agree."""
        return Raters(self.episodes, self.metrics, self.judges)

    @cached_property
    def _boards(self) -> dict[tuple[BoardKey, Order], tuple[BoardRow, ...]]:
        return {}  # as far as they have been asked for

    @cached_property
    def _means(self) -> dict[tuple[str, str, str | None, str | None], Estimate]:
        return {}  # as far as they have been asked for

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {instance.instance_id: row for row, instance in enumerate(self.instances)}

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {run_id: column for column, run_id in enumerate(self.episodes)}


def _refuse_unmeasured(run: PlayedRun) -> None:
    # A run of aborted episodes alone has nothing to score, and is no run without values.
    if not any(score.task == "game" for score in run.scores) and any(result.played for result in run.results):
        raise InputError(f"{run.path}: the run has no values yet", f"Score the run first: ircore score {run.path}")
