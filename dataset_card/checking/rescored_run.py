"""A run of a release, computed again: the drawn episodes, the questions about them, and the differences.

Runs of reconstruction come first, with the facts that their renderings show. Of a run of another game, measures are
computed again from its recorded steps and embedded pictures, and ratings from the same pictures by the judges that are
installed.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from random import Random
from typing import Any

from dataset_card.card.verification import REPLAYED, RunVerification
from dataset_card.checking.recomputing import (
    EpisodeReplay,
    are_equal,
    find_obstacles,
    find_replay_obstacle,
    is_same_score,
)
from dataset_card.findings import shorten_value
from dataset_card.tables.fact_table import FACT_COLUMNS, build_rendering_rows, group_by_turn
from dataset_card.tables.game_tables import ReleasedRun
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.rows import Row, parse_public_id
from dataset_card.tables.schema import FACTS
from ircore import __version__
from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.core.records import Instance, Scene
from ircore.core.score_records import VERIFIED, RenderingFacts, Score
from ircore.games.base import Game, is_played
from ircore.games.registry import has_rated_pictures, load_game
from ircore.instances.store import may_be_published
from ircore.scorers.game_measures import (
    EpisodeInstruments,
    compute_measure_scores,
    needs_pictures,
    parse_payloads,
)
from ircore.scorers.material import Material, Scored, Wanted, compute_scores, find_question
from ircore.scorers.rated_episodes import RatedEpisode, iterate_rated_episodes

_COMPARED = tuple(name for name in FACT_COLUMNS if name not in ("episode_id", "step", "rendering_sha256", "judge"))

Place = tuple[str, str]
"""Episode and rendering."""


class StatedFacts:
    """The facts that a run of a release states; of each turn only a hash of the facts is held.

    Args:
        run: The run, as read back.
        episodes: Ids of the episodes that are computed again.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> list(StatedFacts(run, episodes=()).differences(scenes={}, computed=()))
    []
    """

    def __init__(self, run: ReleasedRun, episodes: Iterable[str]) -> None:
        self._run = run
        drawn = set(episodes)
        self._keys: dict[Place, dict[int, str]] = {}
        for place, turn, rows in self._group_by_turn():
            if place[0] in drawn:
                self._keys.setdefault(place, {})[turn] = _compute_key(rows)

    def differences(self, scenes: Mapping[str, Scene], computed: Iterable[RenderingFacts]) -> Iterator[str]:
        """Yield a line for each turn whose facts differ from the computed facts.

        Args:
            scenes: What the targets show, by episode.
            computed: Of the renderings of one episode.
        """
        if not self._keys:  # the release, or this run in it, was built before facts were kept
            return
        for line in computed:
            rows = list(build_rendering_rows(scenes[line.episode_id], line))
            place, key = (line.episode_id, line.rendering), _compute_key(rows)
            where = f"run {self._run.run.run_id}, episode {line.episode_id}"
            stated = self._keys.get(place)
            if stated is None:
                yield f"{where}: rendering {line.rendering[:12]}… has no facts, though others of this run have"
            for turn in (turn for turn, known in (stated or {}).items() if known != key):
                yield f"{where}, turn {turn}: {self._describe_difference(place, turn, rows)}"

    def _describe_difference(self, place: Place, turn: int, computed: list[Row]) -> str:
        ours = {str(row["fact"]): row for row in computed}
        # The table is read again, since only hashes of the stated facts are held.
        rows = next(rows for other, number, rows in self._group_by_turn() if (other, number) == (place, turn))
        stated = {str(row["fact"]): row for row in rows}
        for fact in dict.fromkeys((*stated, *ours)):
            of_table, own = stated.get(fact), ours.get(fact)
            if of_table is None or own is None:
                return f"fact {fact} is {'missing' if of_table is None else 'not there when computed again'}"
            for name in _COMPARED:
                if of_table[name] != own[name]:
                    return (
                        f"fact {fact}: {name} is {_shorten_value(of_table[name])}, computed again "
                        f"{_shorten_value(own[name])}"
                    )
        return "its facts are in another order"

    def _group_by_turn(self) -> Iterator[tuple[Place, int, list[Row]]]:
        rows = read_plain(self._run.fact_files, FACTS, FACT_COLUMNS)
        for (episode, turn, rendering, judge), own in group_by_turn(rows):
            # What a model said cannot be computed again.
            if judge == VERIFIED:
                yield (parse_public_id(episode), str(rendering)), int(str(turn)), own


def _compute_key(rows: Iterable[Row]) -> str:
    values = [[row[name] for name in _COMPARED] for row in rows]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _shorten_value(value: object) -> str:
    return repr(value)[:80]


@dataclass(frozen=True)
class Draw:
    """A choice of episodes to compute again: the same share of every run, drawn with a seed.

    Attributes:
        share: Above 0, up to 1.
        seed: Seed of the draw; unused if the share is 1.

    >>> episodes = tuple(range(8))  # any sequence can be drawn from
    >>> len(Draw(0.25, seed=7).of("a-run", episodes)), Draw().of("a-run", episodes) == episodes
    (2, True)
    """

    share: float = 1.0
    seed: int = 0

    def of(self, run_id: str, episodes: Sequence[Episode]) -> tuple[Episode, ...]:
        """Return the drawn episodes of a run in their order; at least one episode of a run that has any."""
        # Rounded first, since 0.07 * 100 is 7.000000000000001.
        count = ceil(round(self.share * len(episodes), 9))
        if count >= len(episodes):
            return tuple(episodes)
        # A draw for each run, so that it does not depend on the other runs of the release.
        chosen = Random(f"{self.seed} {run_id}").sample(range(len(episodes)), count)
        return tuple(episodes[index] for index in sorted(chosen))


class RunTask:
    """Scores and episodes of a run that are to be computed again.

    Args:
        run: The run as it was read back.
        draw: Choice of the episodes.

    Attributes:
        run_id: Id of the run.
        instances: The set that it was played on, without pictures.
        episodes: Those that were drawn, by what was played.
        is_replayed: Whether the episodes are played again by the rules.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> task = RunTask(run, Draw())
    >>> task.is_replayed, len(task.episodes)
    (True, 2)
    """

    def __init__(self, run: ReleasedRun, draw: Draw) -> None:
        self.run_id, self.instances = run.run.run_id, run.instances
        self._run = run
        drawn = draw.of(self.run_id, run.episodes())
        self.episodes: dict[str, list[Episode]] = {}
        for episode in drawn:
            self.episodes.setdefault(episode.instance_id, []).append(episode)
        self._not_verified = find_obstacles(run.scores(), run.judges())
        self._scores: dict[str, list[Score]] = {episode.episode_id: [] for episode in drawn}
        for score in run.scores():
            if score.episode_id in self._scores and score.by not in self._not_verified:
                self._scores[score.episode_id].append(score)
        scenes = {instance.instance_id: instance.scene for instance in self.instances.instances}
        self._scenes = {
            episode.episode_id: scene for episode in drawn if (scene := scenes[episode.instance_id]) is not None
        }
        self._facts = StatedFacts(run, self._scores)
        reason = find_replay_obstacle(run.run)
        self.is_replayed = reason is None
        self._not_verified |= {} if reason is None else {"rules": reason}

    @property
    def drawn(self) -> frozenset[str]:
        """Ids of the drawn episodes."""
        return frozenset(self._scores)

    def is_scored(self, episode: Episode) -> bool:
        """Say whether an episode has a score that can be computed again."""
        return bool(self._scores[episode.episode_id])

    def material(self, target: Picture, episode: Episode, scene: Scene | None) -> Material:
        """Return the pictures and questions that the scores of an episode are computed from."""
        drawn = {rendering.sha256: rendering for rendering in episode.renderings.values()}
        ends = [rendering.sha256 for rendering in episode.renderings.values()]
        scores = self._scores[episode.episode_id]
        # The first rendering is needed in any case, because a preference compares with it.
        needed = sorted({ends[0], *(score.picture[1] for score in scores)})
        pictures = {sha256: self._load_picture(drawn[sha256]) for sha256 in needed}
        wanted = sorted(
            map(find_question, scores), key=lambda question: _compute_sort_key(question, {ends[0], ends[-1]})
        )
        return Material(target, pictures[ends[0]], pictures, tuple(wanted), scene)

    def replay(self, instance: Instance, episode: Episode) -> EpisodeReplay:
        """Return an episode to be played again by the rules."""
        return EpisodeReplay(self._run.run, instance, episode)

    def differences(self, computed: Scored) -> Iterator[str]:
        """Yield a line for each score of an episode, and each rendering's facts, that differ from the computed ones."""
        yield from self._facts.differences(self._scenes, computed.facts)
        ours = {find_question(score): score for score in computed.scores}
        for stated in self._scores[computed.scores[0].episode_id]:
            score = ours[find_question(stated)]
            if not is_same_score(stated, score):
                yield describe_difference(self.run_id, stated, score)

    def verification(self, key: str, draw: Draw) -> RunVerification:
        """Return the record of the values that were computed again.

        Args:
            key: Hash of the run's rows.
            draw: How its episodes were drawn.
        """
        scores = [score for scores in self._scores.values() for score in scores]
        return RunVerification(
            run_id=self.run_id,
            key=key,
            share=draw.share,
            seed=draw.seed if draw.share < 1 else None,
            episodes=len(self._scores),
            rules=REPLAYED if self.is_replayed else (),
            judges=dict(sorted(Counter(score.by for score in scores if score.task != "metric").items())),
            metrics=dict(sorted(Counter(score.by for score in scores if score.task == "metric").items())),
            not_verified=self._not_verified,
            version=__version__,
        )

    def _load_picture(self, rendering: Rendering) -> Picture:
        return self._run.rendering(rendering)


def _compute_sort_key(question: Wanted, ends: set[str]) -> tuple[bool, bool, bool]:
    """Order questions so that a judge has rated both ends of an episode shortly before it is asked for a preference."""
    return question.task == "metric", question.rendering not in ends, question.task != "similarity"


def describe_difference(run_id: str, stated: Score, score: Score) -> str:
    """Return in words how a stated score differs from the computed one."""
    where = f"run {run_id}, episode {stated.episode_id}, turn {stated.step}, {stated.by} ({stated.task})"
    if stated.orders is not None:
        return f"{where}: says what each order gave; a computed judge is asked once"
    stated_value, computed_value = (
        "no value" if value is None else repr(value) for value in (stated.value, score.value)
    )
    return f"{where}: is {stated_value}, computed again {computed_value}"


@dataclass
class RescoredRatings:
    """Outcome of computing ratings again.

    >>> RescoredRatings().faults
    []
    """

    faults: list[str] = field(default_factory=list)
    """One line for each rating that differs."""

    judges: Counter[str] = field(default_factory=Counter)
    """Number of ratings that were computed again, by judge."""

    not_verified: dict[str, str] = field(default_factory=dict)
    """Why ratings are not computed again, by judge."""


def recompute_ratings(run: ReleasedRun, game: Game[Any], episodes: Iterable[Episode]) -> RescoredRatings:
    """Compute the ratings of the judges that are installed here, and compare.

    Args:
        run: The run, as read back.
        game: Its game.
        episodes: Those of its episodes that were drawn.

    Raises:
        InputError: A step does not fit the game, or a picture has changed since it was checked.
        WorkError: The game or a judge broke.
    """
    ratings = [score for score in run.scores() if score.task != "game"]
    result = RescoredRatings(not_verified=find_obstacles(ratings, run.judges()))
    stated: dict[str, list[Score]] = {}
    for score in ratings:
        if score.by not in result.not_verified:
            stated.setdefault(score.episode_id, []).append(score)
    if not has_rated_pictures(game):
        judges = {score.by for scores in stated.values() for score in scores}
        result.not_verified |= dict.fromkeys(sorted(judges), "the installed game has no pictures that judges rate")
        return result
    instances = {instance.instance_id: instance for instance in run.instances.instances}
    drawn = [episode for episode in episodes if episode.episode_id in stated]
    for rated in iterate_rated_episodes(game, run.instances, drawn):
        scores, instance = stated[rated.episode_id], instances[rated.instance_id]
        if may_be_published(instance.licence):
            result.judges.update(score.by for score in scores)
            again = _compute_ratings(run, rated, scores, instance)
            result.faults += _compare_ratings(run.run.run_id, scores, again)
        else:
            result.not_verified |= {score.by: "the release holds no pictures of it" for score in scores}
    return result


def _compute_ratings(
    run: ReleasedRun, rated: RatedEpisode, stated: Iterable[Score], instance: Instance
) -> dict[Wanted, Score]:
    """Return the ratings of an episode as they are computed from its pictures, by what was asked."""
    by_original: dict[str, list[Wanted]] = {}
    for wanted in map(find_question, stated):
        rendering = rated.renderings.get(wanted.turn)
        # A rating of any other picture answers nothing that a judge is asked.
        if rendering is not None and rendering.sha256 == wanted.rendering:
            by_original.setdefault(rated.originals[wanted.turn].picture, []).append(wanted)
    computed: dict[Wanted, Score] = {}
    for name, questions in by_original.items():
        first, *_ = rated.renderings.values()
        asked = {first.sha256: first} | {wanted.rendering: rated.renderings[wanted.turn] for wanted in questions}
        drawn = {sha256: run.rendering(rendering) for sha256, rendering in asked.items()}
        scene = rated.originals[questions[0].turn].scene
        original = run.instances.picture(instance, name)
        scored = compute_scores(Material(original, drawn[first.sha256], drawn, tuple(questions), scene))
        computed |= {find_question(score): score for score in scored.scores}
    return computed


def _compare_ratings(run_id: str, stated: Iterable[Score], computed: Mapping[Wanted, Score]) -> Iterator[str]:
    for score in stated:
        again = computed.get(find_question(score))
        if again is None:
            where = f"run {run_id}, episode {score.episode_id}, turn {score.step}"
            yield f"{where}: {score.by} ({score.task}) rates a picture that the game does not name"
        elif not is_same_score(score, again):
            yield describe_difference(run_id, score, again)


Question = tuple[str, str, int | None]
"""Episode, measure and step of a value."""


def rescore_game_run(run: ReleasedRun, key: str, draw: Draw) -> tuple[list[str], RunVerification]:
    """Compute the measures and ratings of a run again; return a line for each difference, and the record of it all.

    Args:
        run: The run, as read back.
        key: Hash of its rows.
        draw: Choice of the episodes.

    Raises:
        InputError: The game is not installed, a step does not fit it, or a picture has changed since it was checked.
        WorkError: The game cannot be imported, or broke.
    """
    game = load_game(run.run.game)
    episodes = draw.of(run.run.run_id, run.episodes())
    names = {episode.episode_id for episode in episodes}
    stated = {
        _identify_score(score): score for score in run.scores() if score.task == "game" and score.episode_id in names
    }
    computed = {_identify_score(score): score for score in _compute_scores(run, game, episodes)}
    ratings = recompute_ratings(run, game, episodes)
    not_verified = _explain_not_verified(game, stated) | _explain_not_computable(game, stated, computed)
    compared = {question: score for question, score in stated.items() if score.measure not in not_verified}
    computed = {question: score for question, score in computed.items() if score.measure not in not_verified}
    verification = RunVerification(
        run_id=run.run.run_id,
        key=key,
        share=draw.share,
        seed=draw.seed if draw.share < 1 else None,
        episodes=len(episodes),
        # The rules of other games are not played again here.
        rules=(),
        judges=dict(sorted(ratings.judges.items())),
        metrics=dict(sorted(Counter(score.measure for score in compared.values()).items())),
        not_verified=not_verified | ratings.not_verified,
        version=__version__,
    )
    return [*_compare_scores(run.run.run_id, compared, computed), *ratings.faults], verification


def _compute_scores(run: ReleasedRun, game: Game[Any], episodes: Iterable[Episode]) -> Iterator[Score]:
    """Yield the values of played episodes; those of pictures only where the release may hold the pictures."""
    payloads = parse_payloads(game, run.instances, run.instances.instances)
    meaningless = game.find_meaningless_measures(run.run.submission.players)
    instances = {instance.instance_id: instance for instance in run.instances.instances}
    for episode in episodes:
        if is_played(game, episode):
            instance = instances[episode.instance_id]
            # Pictures that may not be published are in no release.
            shown = needs_pictures(game) and may_be_published(instance.licence)
            instruments = _build_instruments(run, instance) if shown else None
            yield from compute_measure_scores(game, episode, payloads, instruments, meaningless)


def _build_instruments(run: ReleasedRun, instance: Instance) -> EpisodeInstruments:
    pictures = {name: run.instances.picture(instance, name) for name in instance.pictures}
    return EpisodeInstruments(pictures, run.rendering)


def _identify_score(score: Score) -> Question:
    return score.episode_id, score.measure, score.step


def _explain_not_verified(game: Game[Any], stated: Mapping[Question, Score]) -> dict[str, str]:
    """Return why values cannot be computed again, by measure; measures of steps and of pictures can."""
    needs = {measure.key: measure.needs for measure in game.measures}
    others = {score.measure for score in stated.values() if needs.get(score.measure) not in ("steps", "pictures")}
    return dict.fromkeys(sorted(others), "the installed game has no such measure")


def _explain_not_computable(
    game: Game[Any], stated: Mapping[Question, Score], computed: Mapping[Question, Score]
) -> dict[str, str]:
    """Return why measures of pictures cannot be compared, by measure: for want of pictures or of weights."""
    of_pictures = {measure.key for measure in game.measures if measure.needs == "pictures"}
    reasons: dict[str, str] = {}
    for question, score in stated.items():
        again = computed.get(question)
        if score.measure not in of_pictures or (again and (again.value is None) == (score.value is None)):
            continue
        without = "the release holds no pictures of it" if again is None else again.reason
        reasons.setdefault(score.measure, without or "the release has no value")
    return reasons


def _compare_scores(run_id: str, stated: Mapping[Question, Score], computed: Mapping[Question, Score]) -> Iterator[str]:
    for question in dict.fromkeys((*stated, *computed)):
        own, of_table = computed.get(question), stated.get(question)
        # A value that the release lacks is a difference too: leaving values out could better a mean.
        if own is None or of_table is None or not are_equal(of_table.value, own.value):
            episode_id, measure, step = question
            where = f"run {run_id}, episode {episode_id}" + ("" if step is None else f", step {step}")
            yield f"{where}, {measure}: is {_format_score(of_table)}, computed again {_format_score(own)}"


def _format_score(score: Score | None) -> str:
    return "missing" if score is None else "no value" if score.value is None else shorten_value(score.value)
