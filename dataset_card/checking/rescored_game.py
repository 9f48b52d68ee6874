"""A run of a game other than reconstruction, computed again: measures, from recorded steps and embedded pictures.

Ratings of installed judges in a run of a game other than reconstruction, computed again from embedded pictures.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dataset_card.card.verification import RunVerification
from dataset_card.checking.recomputing import are_equal, find_obstacles, is_same_score
from dataset_card.checking.rescored_run import Draw, describe_difference
from dataset_card.findings import shorten_value
from dataset_card.tables.release_source import ReleasedRun
from ircore import __version__
from ircore.core.episode_records import Episode
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.games.base import Game, is_played
from ircore.games.registry import has_rated_pictures, load_game
from ircore.instances.store import may_be_published
from ircore.scorers.game_measures import (
    EpisodeInstruments,
    compute_measure_scores,
    needs_pictures,
    parse_payloads,
)
from ircore.scorers.material import Material, Wanted, compute_scores, find_question
from ircore.scorers.rated_episodes import RatedEpisode, iterate_rated_episodes


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
    meaningless = game.meaningless(run.run.submission.players)
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
