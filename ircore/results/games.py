"""Results of games other than reconstruction: boards by the headline measure.

Intervals, main scores, rank ranges and the rules of who has a rank are those of the reconstruction game: the headline,
put on a scale from its worst value, 0, to its best, 10, takes the place of a judge's rating.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import Any

import numpy as np

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.records import Fields, Instance
from ircore.core.submission_records import Run
from ircore.games.base import Game, Measure, Seat
from ircore.games.registry import load_game
from ircore.players.traits import program_words
from ircore.results.cells import main_differences, main_intervals, run_standing
from ircore.results.conditions import Condition, conditions, strata
from ircore.results.coverage import Coverage, Unranked, coverages
from ircore.results.judge_ratings import (
    HIGHEST,
    OUTSIDE,
    PENDING,
    RATED,
    REFUSED,
    UNFINISHED,
    UNPLAYED,
    Floats,
    JudgeRatings,
    RatedEpisode,
    arrange_ratings,
)
from ircore.results.judged_measures import JudgedMeasures
from ircore.results.judges_of_runs import shared_identities
from ircore.results.played_game_run import PlayedGameRun
from ircore.results.played_run import RunSource
from ircore.results.ranking import RankedRow, ranked_rows, refuse_condition, refuse_mixtures
from ircore.results.statistics.bootstrap import Ratios, Resamples, contrast_intervals, ratio_intervals, resample
from ircore.results.statistics.bounds import bounded_intervals
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.scales import Scale
from ircore.results.unranked_runs import held_runs
from ircore.runs.folder import RunFolder
from ircore.scorers.game_measures import played


@dataclass(frozen=True, kw_only=True)
class GameCell(Coverage):
    """Numbers of a run under one condition; ``rated`` counts played episodes that have a value of the headline.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> "main" in GameCell.__dataclass_fields__
        True
    """

    rated_words = "played episodes have a value"

    played: int
    """Number of episodes that ended in an outcome that counts as played."""

    ended: int
    """Number of episodes that have ended, aborted ones included."""

    main: Estimate
    """Main score, 0–100, by which boards rank: mean of the headline, its worst value being 0 and its best 100, with 0
    for what was not played; the interval covers what is not known as if it were anything."""

    measures: Mapping[str, Estimate]
    """Mean of each measure over the played episodes that have a value of it, in its unit, by its key."""

    reference: bool = False
    """Whether a player of the run is a reference (``Traits.reference``): a ceiling or floor, which has no rank."""

    meaningless: str = ""
    """Why the headline says nothing of the run, which then has no rank; empty if it says something."""

    @property
    def unranked(self) -> Unranked | None:
        """Reason why the run has no rank under this condition; None if the run has a rank."""
        if self.reference:
            return "reference"
        return "recorded" if self.meaningless else super().unranked

    @property
    def unranked_words(self) -> str | None:
        """The same for people."""
        if self.reference:
            return "a reference, shown as a ceiling or floor"
        return self.meaningless or super().unranked_words


GameRow = RankedRow[PlayedGameRun, GameCell]
"""A line of a board of another game."""


@dataclass(frozen=True)
class GameResults:
    """The results of one game on one instance set.

    Example:
        >>> import ircore
        >>> from pathlib import Path
        >>> manifest = Path("looker") / "submission.yaml"
        >>> manifest.parent.mkdir()
        >>> _ = manifest.write_text(
        ...     "{schema: 1, name: looker, game: reference, licence: CC0-1.0,"
        ...     " speaker: {player: looker}, listener: {player: looker}}"
        ... )
        >>> few = {"per_condition": 1, "categories": ["lineup"], "difficulties": ["easy"]}
        >>> _ = ircore.build_instances("contexts", game="reference", **few)
        >>> run = ircore.play(manifest, "contexts", "played")
        >>> _ = ircore.score(run)
        >>> [(row.submission.run.slug, row.cell.played) for row in read_game_results([run]).board()]
        [('looker', 1)]
    """

    game: Game[Any]
    """The game, with a measure for each judge that rated (``ircore.results.judged_measures``)."""

    runs: tuple[PlayedGameRun, ...]
    """By slug, then by rules; all on one set, no two of one submission under the same rules."""

    held: frozenset[str] = frozenset()
    """Ids of runs with grave findings that no maintainer has cleared: listed without a rank."""

    programs: str = field(default="", compare=False)
    """A sentence that says which players are programs of this project, and no AI models; empty if none is."""

    @classmethod
    def from_runs(cls, game: Game[Any], runs: Iterable[RunSource], cleared: Collection[str] = ()) -> "GameResults":
        """Take the runs of a game.

        Args:
            game: The game.
            runs: Its runs.
            cleared: Ids of runs whose findings a maintainer looked at: they keep their ranks.

        Raises:
            InputError: There is no run, a run has no values, two are of different instance sets, two of the same
                submission under the same rules, or two were rated by different judges of one name.
        """
        views = sorted(map(PlayedGameRun, runs), key=lambda view: (view.run.slug, _rules(view.run), view.run.run_id))
        refuse_mixtures(views, _rules)
        identities = shared_identities(views)
        raters = sorted({score.by for view in views for score in view.ratings if score.task == "similarity"})
        judged = JudgedMeasures(game, {name: identities[name].label if name in identities else name for name in raters})
        for view in views:
            # A run of aborted episodes alone has nothing to score, and is no run without values.
            if not view.measured and any(played(game, episode) for episode in view.episodes):
                raise InputError(
                    f"{view.path}: the run has no values yet", f"Score the run first: ircore score {view.path}"
                )
        held = held_runs(((view.run.run_id, view.provenance) for view in views), cleared)
        programs = program_words(spec for view in views for spec in view.run.submission.players.values())
        return cls(judged.game, tuple(view.with_measures(judged) for view in views), held, programs)

    @property
    def instances(self) -> Sequence[Instance]:
        """Instances of the whole set, in the set's order."""
        return self.runs[0].instances.instances

    @property
    def shown(self) -> tuple[Measure, ...]:
        """The measures of a board: the headline, then the measures that the game's pages name."""
        game = self.game
        return tuple(item for item in game.measures if item is game.headline or item.key in game.pages.columns)

    def board(self, category: str | None = None, difficulty: str | None = None) -> tuple[GameRow, ...]:
        """Rank the runs by main score, best first; runs under different rules stand on boards below one another.

        A rank is a range: the best is 1 + the number of runs that are significantly better, the worst is the number of
        runs that are not significantly worse (``ircore.results.statistics.ranks``).

        Args:
            category: One of the set's categories, or None for all.
            difficulty: ``easy``, ``hard``, or None for both.

        Raises:
            InputError: There is no such category or difficulty here.
        """
        refuse_condition(self.instances, category, difficulty)
        rows = self._conditions.get((category, difficulty), [])
        instances, ratings = [self.instances[row] for row in rows], self._ratings.rows(rows)
        board: list[GameRow] = []
        for group in self._by_rules if rows else ():
            # References, held runs and runs whose headline says nothing are left out before ranks are computed, so that
            # they push nobody down.
            ranked = self._ranked(group)
            # A group may hold such runs alone.
            ranges = run_standing(instances, ratings.columns(ranked)).ranges if ranked else []
            by_column = dict(zip(ranked, ranges, strict=True))
            cells = [self.cell(self.runs[column].run.run_id, category, difficulty) for column in group]
            entries = zip([self.runs[column] for column in group], cells, map(by_column.get, group), strict=True)
            board += ranked_rows(entries, lambda cell: cell.main.mean)
        return tuple(board)

    def _ranked(self, group: Sequence[int]) -> list[int]:
        """Return the columns of a group that may have ranks."""
        return [
            column
            for column in group
            if not self.runs[column].run.reference
            and self.runs[column].run.run_id not in self.held
            and self.game.headline.key not in self.runs[column].meaningless
        ]

    def neighbours(
        self, category: str | None = None, difficulty: str | None = None
    ) -> Iterator[tuple[PlayedGameRun, PlayedGameRun, Estimate, float | None]]:
        """Yield every two ranked runs that follow each other on a board, the better one first.

        With the difference of their main scores, by the board's own rule, and the board's critical value.
        """
        refuse_condition(self.instances, category, difficulty)
        rows = self._conditions.get((category, difficulty), [])
        instances, ratings = [self.instances[row] for row in rows], self._ratings.rows(rows)
        for group in self._by_rules if rows else ():
            ranked = self._ranked(group)
            if len(ranked) < 2:
                continue
            standing = run_standing(instances, ratings.columns(ranked))
            means = ratings.columns(ranked).main_scores().tolist()
            # Runs without a rank have no neighbour.
            places = [place for place in range(len(ranked)) if standing.ranges[place] is not None]
            ordered = [ranked[place] for place in sorted(places, key=lambda place: -means[place])]
            for couple in pairwise(ordered):
                (main,) = main_differences(instances, [ratings.columns(couple)], standing.critical)
                yield self.runs[couple[0]], self.runs[couple[1]], main, standing.critical

    def cell(self, run_id: str, category: str | None = None, difficulty: str | None = None) -> GameCell:
        """Return the numbers of a run under a condition.

        Raises:
            KeyError: There is no such run or condition.
        """
        key = (run_id, category, difficulty)
        if key not in self._cells:
            self._cells[key] = self._computed(self._columns[run_id], self._conditions[category, difficulty])
        return self._cells[key]

    def mean(
        self, run_id: str, measure: Measure, category: str | None = None, difficulty: str | None = None
    ) -> Estimate:
        """Return the mean of a measure over a run's played episodes, in its unit; empty without values.

        Raises:
            KeyError: There is no such run or measure.
        """
        if (category, difficulty) not in self._conditions:
            return Estimate(None, None, None, 0)
        return self.cell(run_id, category, difficulty).measures[measure.key]

    def rules_apart(self, run: Run) -> Fields:
        """Return the rules of a run that are not the usual ones, which most runs have; empty for a usual run."""
        usual = self.runs[self._by_rules[0][0]].run.rules
        return {name: value for name, value in run.rules.items() if name not in usual or usual[name] != value}

    def rivals(self, run: Run) -> int:
        """Count the runs by the same rules, this one included: those that it is ranked among."""
        return next(len(group) for group in self._by_rules if self._columns[run.run_id] in group)

    def _computed(self, column: int, rows: Sequence[int]) -> GameCell:
        drawn = resample(strata(self.instances[row] for row in rows))
        run, ratings = self.runs[column], self._ratings.rows(rows).columns([column])
        names = {self.instances[row].instance_id for row in rows}
        ended = [episode for episode in run.episodes if episode.instance_id in names]
        (coverage,) = coverages(ratings)
        (main,) = main_intervals(ratings, drawn)
        return GameCell(
            **asdict(coverage) | {"held": run.run.run_id in self.held},
            played=sum(played(self.game, episode) for episode in ended),
            ended=len(ended),
            main=main,
            measures={item.key: self._mean(run, item, rows, ratings, drawn) for item in self.game.measures},
            reference=run.run.reference,
            meaningless=run.meaningless.get(self.game.headline.key, ""),
        )

    def _mean(
        self, run: PlayedGameRun, measure: Measure, rows: Sequence[int], ratings: JudgeRatings, drawn: Resamples
    ) -> Estimate:
        scale = Scale(*(measure.range or (-inf, inf)))
        if measure.difference is not None:
            both = [item for key in measure.difference for item in self.game.measures if item.key == key]
            of_parts = Scale(*(both[0].range or (-inf, inf)))
            return _difference(np.hstack([self._known(run, item, rows) for item in both]), drawn, of_parts, scale)
        known = self._known(run, measure, rows)
        if measure is not self.game.headline:
            return ratio_intervals(Ratios.means(known), drawn, scale)[0]
        # The headline decides ranks, so that its interval reaches to what missing values could be.
        missing = np.isin(ratings.status, (REFUSED, PENDING))
        ends = [np.where(missing, end, known) for end in (scale.lowest, scale.highest)]
        counts = [int(np.count_nonzero(~np.isnan(known)))]
        return bounded_intervals(ends[0], ends[1], Ratios.means(known).points, counts, drawn, scale)[0]

    def _known(self, run: PlayedGameRun, measure: Measure, rows: Sequence[int]) -> Floats:
        """Return a column of a run's values of a measure, NaN where there is none, shape (instances, 1)."""
        values, by_instance = run.values(measure), dict[str, list[float]]()
        for episode in run.episodes:
            if episode.episode_id in values:
                by_instance.setdefault(episode.instance_id, []).append(values[episode.episode_id])
        # The mean over the episodes of an instance: each instance counts once.
        names = [self.instances[row].instance_id for row in rows]
        return np.array([[fmean(by_instance[name]) if name in by_instance else np.nan] for name in names])

    @cached_property
    def seats(self) -> tuple[Seat[Any, Any], ...]:
        """Seats that somebody took in at least one run."""
        taken = {name for run in self.runs for name in run.run.submission.players}
        return tuple(seat for seat in self.game.seats if seat.name in taken)

    @cached_property
    def _ratings(self) -> JudgeRatings:
        return arrange_ratings(self.instances, (rated_game_episodes(self.game, run) for run in self.runs))

    @cached_property
    def _conditions(self) -> Mapping[Condition, list[int]]:
        return conditions(self.instances)

    @cached_property
    def _by_rules(self) -> list[list[int]]:
        """Columns of the runs under each set of rules; the usual rules come first: of most runs, or the defaults."""
        groups: dict[str, list[int]] = {}
        for column, run in enumerate(self.runs):
            groups.setdefault(_rules(run.run), []).append(column)
        defaults = json.dumps(self.game.rules().model_dump(mode="json"), sort_keys=True)
        # The sort is stable: among other rules with as many runs, the order of the runs decides.
        return [groups[rules] for rules in sorted(groups, key=lambda rules: (-len(groups[rules]), rules != defaults))]

    @cached_property
    def _columns(self) -> Mapping[str, int]:
        return {run.run.run_id: column for column, run in enumerate(self.runs)}

    @cached_property
    def _cells(self) -> dict[tuple[str, str | None, str | None], GameCell]:
        return {}  # as far as they have been asked for


def _difference(known: Floats, drawn: Resamples, scale: Scale, scale_of_differences: Scale) -> Estimate:
    """Estimate the mean of the first column less that of the second; empty where a column has no value.

    Both are means over the episodes that have a value, which may be different episodes.
    """
    if np.isnan(known).all(axis=0).any():
        return Estimate(None, None, None, 0)
    ratios = Ratios.means(known)
    return contrast_intervals(ratios, lambda rows: rows[:1] - rows[1:], drawn, scale, scale_of_differences)[0]


def read_game_results(folders: Sequence[RunFolder]) -> GameResults:
    """Return the results of run folders of one game.

    Raises:
        InputError: They are of several games, or as ``GameResults.from_runs``.
        WorkError: The game cannot be imported.
    """
    for folder in folders:
        if folder.game != folders[0].game:
            raise InputError(
                f"{folder.path} is a run of {folder.game}, {folders[0].path} a run of {folders[0].game}",
                "Name runs of one game.",
            )
    return GameResults.from_runs(load_game(folders[0].game, f"{folders[0].path}/run.json: game"), folders)


def rated_game_episodes(game: Game[Any], run: PlayedGameRun) -> list[RatedEpisode]:
    """Return the status of a run's episodes and their headline, scaled from 0 (worst value) to 10 (best value)."""
    low, high = game.headline.range or (0.0, 1.0)
    # Turned, so that a higher final is better whatever the direction of the headline.
    worst, best = (low, high) if game.headline.direction == "higher" else (high, low)
    values = run.values(game.headline)
    # A score without a value says why there is none: such an episode was asked about.
    without = {score.episode_id for score in run.every_score if score.measure == game.headline.key}

    def rated(episode: Episode) -> RatedEpisode:
        final = np.nan
        if not played(game, episode):
            # A technical failure has no result yet and is played again; any other abort is the pair's own doing.
            status = UNPLAYED if episode.finished else UNFINISHED
        elif episode.episode_id in values:
            status, final = RATED, HIGHEST * (values[episode.episode_id] - worst) / (best - worst)
        else:
            status = REFUSED if episode.episode_id in without else PENDING
        if game.headline.key in run.meaningless and status != UNFINISHED:
            # As where a judge rates nothing: neither missing nor anything from 0 to 100.
            status = OUTSIDE
        return RatedEpisode(episode.instance_id, status, final, repeat=episode.repeat)

    return [rated(episode) for episode in run.episodes]


def _rules(run: Run) -> str:
    return json.dumps(run.rules, sort_keys=True)
