"""A played run as results, pages, releases and commands read it, from a run folder or from a release.

A run is stored in a folder (``ircore.runs.folder``) or in the tables of a release; either is a ``RunSource``. The view
reads each part once, when it is first asked for, and computes from it what concerns this run alone.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.images import Picture
from ircore.core.records import build_natural_key
from ircore.core.score_records import VERIFIED, JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.games.base import Game, Measure, Message, list_messages
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.results.arrays import Condition, conditions, select_condition, strata
from ircore.results.cells import BoardKey, Cell, run_cells
from ircore.results.episodes import EpisodeResult, join_headline_values, judge_episodes, select_counting_scores
from ircore.results.judge_ratings import Scope, find_scopes
from ircore.results.judged_measures import JudgedMeasures
from ircore.runs.folder import RunFolder, SaidTurn, read_said
from ircore.runs.provenance import Provenance

if TYPE_CHECKING:
    from ircore.core.score_records import Part, RenderingFacts
    from ircore.results.agreement import TwoAnswers
    from ircore.results.corrections import Correction
    from ircore.results.fact_shares import PartResult
    from ircore.results.language import RunLanguage


class RunSource(Protocol):
    """A run in the place where it is stored: a ``RunFolder``, or tables of a release.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> source: RunSource = RunFolder(Path("run"))
        >>> [episode.outcome for episode in source.episodes()]
        ['converged', 'converged']
    """

    @property
    def path(self) -> Path:
        """The folder that the run was read from, for error messages."""

    @property
    def run(self) -> Run:
        """Identity of the run."""

    @property
    def instances(self) -> InstanceSet:
        """The instance set that was played."""

    def episodes(self) -> Sequence[Episode]:
        """Return the episodes that have ended."""

    def provenance(self) -> Provenance | None:
        """Return the record of who vouches for the run; None if nobody vouches for the run."""

    def rendering(self, rendering: Rendering) -> Picture:
        """Return one of the run's renderings, its hash checked."""

    def scores(self) -> Sequence[Score]:
        """Return the scores of judges, people, metrics and the game, in the order in which they were given."""

    def judges(self) -> Mapping[str, JudgeIdentity]:
        """Return the judges by name, as far as they are known."""


@runtime_checkable
class CostSource(Protocol):
    """A stored run that states what its episodes cost, such as the tables of a release; of a folder it is computed.

    Example:
        >>> class Free:
        ...     def costs(self):
        ...         return {"simple_shapes-easy-01": EpisodeCost(usd=0.0)}
        >>> isinstance(Free(), CostSource)
        True
    """

    def costs(self) -> Mapping[str, EpisodeCost]:
        """Return what each episode cost, by its id."""


@runtime_checkable
class FactSource(Protocol):
    """A stored run with the facts that its renderings show, such as the tables of a release.

    Example:
        >>> class NothingSeen:
        ...     def facts(self):
        ...         return iter(())
        >>> isinstance(NothingSeen(), FactSource)
        True
    """

    def facts(self) -> "Iterable[RenderingFacts]":
        """Yield a line for each rendering."""


class PlayedRun:
    """A run of any game with its scores.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> run = PlayedRun(RunFolder(Path("run")))
        >>> [len(episode.steps) for episode in run.episodes]
        [2, 6]
        >>> run.results[0].judged["structural"].final
        9.97

    Args:
        source: Where it is stored.
        game: Its game; that of the run's name if None.
    """

    def __init__(self, source: RunSource, game: Game[Any] | None = None) -> None:
        self.source = source
        self._game = game
        self._judged: JudgedMeasures | None = None

    @classmethod
    def of(cls, run: "RunSource | PlayedRun", game: Game[Any] | None = None) -> "PlayedRun":
        """Return the view of a run, which may be a view already."""
        # A view that was read already keeps what it computed.
        return run if isinstance(run, PlayedRun) else cls(run, game)

    @property
    def path(self) -> Path:
        """The folder that the run was read from, for error messages."""
        return self.source.path

    @property
    def run(self) -> Run:
        """Identity of the run."""
        return self.source.run

    @cached_property
    def instances(self) -> InstanceSet:
        """The instance set that was played, less what ``without`` leaves out."""
        return self.source.instances

    @cached_property
    def episodes(self) -> tuple[Episode, ...]:
        """Episodes that have ended, in the order of the source."""
        return self._ended[0]

    @cached_property
    def costs(self) -> Mapping[str, EpisodeCost]:
        """What each episode cost, by its id."""
        return self._ended[1]

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """The scores that count, in the order of the episodes; see ``select_counting_scores``."""
        return tuple(select_counting_scores(self.game, self.episodes, self.source.scores()))

    @cached_property
    def judges(self) -> Mapping[str, JudgeIdentity]:
        """Judges by name, as far as they are known."""
        return self.source.judges()

    @cached_property
    def provenance(self) -> Provenance | None:
        """Record of who vouches for the run; None if nobody vouches for the run."""
        return self.source.provenance()

    def rendering(self, rendering: Rendering) -> Picture:
        """Return one of the run's renderings.

        Raises:
            InputError: It is missing or damaged.
        """
        return self.source.rendering(rendering)

    @cached_property
    def _ended(self) -> tuple[tuple[Episode, ...], Mapping[str, EpisodeCost]]:
        if isinstance(self.source, RunFolder):
            # Not at the top: a command that asks for no costs starts without the prices.
            from ircore.runs.costs.totals import compute_episode_costs

            # A folder has both in its journal, which is read once and not kept.
            folder = self.source.hold_journal()
            return tuple(folder.episodes()), compute_episode_costs(folder)
        return tuple(self.source.episodes()), self.source.costs() if isinstance(self.source, CostSource) else {}

    @cached_property
    def game(self) -> Game[Any]:
        """The game, as declared."""
        return self._game or load_game(self.run.game, f"run {self.run.run_id}: game")

    def with_measures(self, judged: JudgedMeasures) -> "PlayedRun":
        """Return the run with values of the measures that judges and people give, too."""
        view = copy(self)  # with everything that was read already
        view._judged = judged
        for name in ("every_score", "_values", "results"):
            view.__dict__.pop(name, None)
        return view

    def without(self, left_out: Collection[str]) -> "PlayedRun":
        """Return the run without the episodes of some instances, such as retired targets; its files are not changed.

        Args:
            left_out: Ids of the instances.
        """
        view, known = copy(self), self.instances
        # Whatever was computed of all episodes is computed anew.
        for kind in type(self).__mro__:
            for name, computed in vars(kind).items():
                if isinstance(computed, cached_property):
                    view.__dict__.pop(name, None)
        view.instances = InstanceSet(
            known.folder, known.identity, known.instances.where(lambda entry: entry.instance_id not in left_out)
        )
        view.episodes = tuple(episode for episode in self.episodes if episode.instance_id not in left_out)
        kept = {episode.episode_id for episode in view.episodes}
        view.costs = {name: cost for name, cost in self.costs.items() if name in kept}
        if "results" in self.__dict__:  # computed already, or kept by an earlier build
            view.results = tuple(result for result in self.results if result.episode.instance_id not in left_out)
        return view

    @cached_property
    def first_messages(self) -> Mapping[str, Message]:
        """The first message of each episode that has one, by the episode's id."""
        spoken = ((episode.episode_id, list_messages(self.game, episode)) for episode in self.episodes)
        return {name: messages[0] for name, messages in spoken if messages}

    @cached_property
    def rules(self) -> Any:
        """The rules that it was played by; see ``Game.read_rules``."""
        return self.game.read_rules(self.run)

    @property
    def sort_key(self) -> tuple[str, list[str | int], str]:
        """Key by which runs are ordered: slug, then rules."""
        # The path last: only it tells two runs apart that are refused as twins right after.
        return self.run.slug, build_natural_key(self.rules.key), str(self.path)

    @cached_property
    def meaningless(self) -> Mapping[str, str]:
        """Measures that say nothing of this run, with the reason; see ``Game.find_meaningless_measures``."""
        return self.game.find_meaningless_measures(self.run.submission.players)

    @cached_property
    def every_score(self) -> tuple[Score, ...]:
        """Values of all measures of the game, those that judges and people give included."""
        scores = self.scores
        ratings = [score for score in scores if score.task != "game"]
        judged = self._judged.values(self.instances, self.episodes, ratings) if self._judged else ()
        # Runs that were scored before there was such a rule hold values of these measures, too.
        measured = (self._clear_meaningless(score) for score in scores if score.task == "game")
        return (*measured, *judged)

    def _clear_meaningless(self, score: Score) -> Score:
        reason = self.meaningless.get(score.measure)
        if reason is None or score.value is None:
            return score
        return score.model_copy(update={"value": None, "reason": reason, "note": None})

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the value of a measure by episode; of a measure per step the mean over the episode's steps."""
        return self._values.get(measure.key, {})

    @cached_property
    def _values(self) -> Mapping[str, dict[str, float]]:
        """Values by measure and episode."""
        known: dict[str, dict[str, list[float]]] = {}
        for score in self.every_score:
            if score.value is not None:
                known.setdefault(score.measure, {}).setdefault(score.episode_id, []).append(score.value)
        return {
            key: {name: fsum(values) / len(values) for name, values in by_episode.items()}
            for key, by_episode in known.items()
        }

    @cached_property
    def results(self) -> tuple[EpisodeResult, ...]:
        """Episodes with their scores, in the order of the instance set, which decides the resamples."""
        places = {name: place for place, name in enumerate(self.instances.instances.ids)}
        if self.game.is_judged:
            # The scores are not kept unless somebody asks for them: results of many runs would hold millions.
            scores = self.source.scores()
            results = judge_episodes(self.game, self.run.run_id, self.run.slug, self.episodes, scores)
        else:
            results = join_headline_values(self.game, self.run, self.episodes, self.every_score)
        return tuple(sorted(results, key=lambda result: places.get(result.episode.instance_id, len(places))))

    @cached_property
    def scopes(self) -> Mapping[str, Scope]:
        """Categories that each judge rates, by every judge that rated an episode of this run."""
        return find_scopes(sorted({judge for result in self.results for judge in result.judged}), self.judges)

    @cached_property
    def cells(self) -> Mapping[BoardKey, Cell]:
        """Aggregates by category, difficulty and judge, for every judge that rated an episode of this run."""
        return self.cells_by(self.scopes)

    def cells_by(self, scopes: Mapping[str, Scope]) -> dict[BoardKey, Cell]:
        """Return aggregates by category, difficulty and judge.

        Args:
            scopes: Categories that each of the judges rates, by name; those that rated nothing of this run too.
        """
        outcomes = [outcome.name for outcome in self.game.outcomes]
        return run_cells(self.instances.instances, self.run.run_id, self.results, scopes, self.costs, outcomes)

    @cached_property
    def said(self) -> tuple[SaidTurn, ...]:
        """Facts that messages state and renderings show, as far as that was measured; nothing of a release's run."""
        turns = read_said(self.source) if isinstance(self.source, RunFolder) else ()
        names = {episode.episode_id for episode in self.episodes} if turns else set()
        return tuple(turn for turn in turns if turn.episode_id in names)

    def facts(self, judge: str | None = VERIFIED) -> "Iterator[RenderingFacts]":
        """Yield the facts of drawn targets that each rendering shows, a line for each; read anew at every call.

        Args:
            judge: Who looked: the program, or a judge that is a model; None for every one.
        """
        return (line for line in self._read_facts() if judge is None or line.judge == judge)

    def _read_facts(self) -> "Iterator[RenderingFacts]":
        # Inside, here and below, since a board needs neither facts nor language.
        from ircore.runs.folder import read_facts

        # Not kept: the facts of a large run take far more memory than the shares computed from them.
        if isinstance(self.source, RunFolder):
            return read_facts(self.source)
        return iter(self.source.facts()) if isinstance(self.source, FactSource) else iter(())

    @cached_property
    def condition_parts(self) -> "Mapping[Condition, Mapping[Part, PartResult]]":
        """Share of the facts that final renderings show, by category and difficulty, and part."""
        from ircore.results.fact_shares import compute_final_parts, estimate_parts

        shares = compute_final_parts(self.episodes, self.facts())
        known = [result.episode for result in self.results if result.episode.episode_id in shares]
        parts = {}
        for category, difficulty in conditions(self.instances.instances):
            episodes = select_condition(known, category, difficulty)
            parts[category, difficulty] = estimate_parts(
                (shares[episode.episode_id] for episode in episodes), strata(episodes)
            )
        return parts

    @cached_property
    def rendering_shares(self) -> "Mapping[tuple[str, str], Mapping[Part, float | None]]":
        """Share of the facts that every rendering shows, by episode and rendering, and part, as far as known."""
        return {
            (line.episode_id, line.rendering): {part: counts.share for part, counts in line.parts.items()}
            for line in self.facts()
        }

    @cached_property
    def reweighed(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """Scores of final renderings by facts weighed otherwise, by weighing and instance, as far as known."""
        from ircore.results.fact_shares import reweigh_scores

        return reweigh_scores(self.instances.instances, self.episodes, self.facts())

    @cached_property
    def second_answers(self) -> "tuple[TwoAnswers, ...]":
        """What judges said of the same pictures when asked again, with the first answer; nothing of a release's run."""
        from ircore.results.agreement import pair_answers

        return tuple(pair_answers(self.source)) if isinstance(self.source, RunFolder) else ()

    @cached_property
    def language(self) -> "RunLanguage":
        """Corrections, length and novelty of the describer's messages."""
        from ircore.results.language import analyse_messages, run_language

        return run_language(analyse_messages(self.game, self.results))

    @cached_property
    def paper_corrections(self) -> "Mapping[str, Sequence[Collection[Correction]]]":
        """Topics of each correction message by the paper's own words, by the episode's id."""
        from ircore.results.language import list_corrections

        return list_corrections(self.game, self.results, "paper")
